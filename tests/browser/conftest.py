"""A real Chromium, and the scorebook served to it by a process of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, WebError, expect

PATIENCE = 10  # seconds, for a page, an expectation, a start of the server


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium, quiet: nothing it does by itself may reach a network."""
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.fail("Chromium is missing; `make system` says how to install it.", pytrace=False)
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": [
            "--no-sandbox",  # which root, in a container, cannot have
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    }


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scorebook with an empty database, as `make run` would serve it.

    A process of its own: in a thread it would share Python's lock with Playwright.
    """
    folder = tmp_path_factory.mktemp("served")
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment["SCOREBOOK_DATA"] = str(folder / "data")
    flask = [sys.executable, "-m", "flask", "--app", "app.py"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "log").open("w+") as log:
        where: dict[str, Any] = {
            "cwd": pytestconfig.rootpath,
            "env": environment,
            "stdout": log,
            "stderr": subprocess.STDOUT,
        }
        if subprocess.run([*flask, "migrate"], check=False, **where).returncode:
            pytest.fail(f"flask migrate failed: {(folder / 'log').read_text()}", pytrace=False)
        process = subprocess.Popen([*flask, "serve", "--host", "127.0.0.1", "--port", str(port)], **where)
        try:
            deadline = time.monotonic() + PATIENCE
            while not answers(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"flask serve did not start: {(folder / 'log').read_text()}", pytrace=False)
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise


def answers(port: int) -> bool:
    """Whether somebody on this computer listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the pages of this test complained of: errors on the console or in a script, strangers asked.

    There must be none at its end. A test that walks into an error page on purpose looks at the list and
    clears it.
    """
    heard: list[str] = []
    yield heard
    if heard:
        pytest.fail("the page complained:\n" + "\n".join(heard), pytrace=False)


@pytest.fixture
def phone(browser: Browser, server: str, complaints: list[str]) -> Iterator[Page]:
    """An empty page on a small phone; `phone.goto("/")` opens the scorebook."""
    with phone_context(browser, server, complaints) as context:
        yield context.new_page()


@pytest.fixture
def plain_phone(browser: Browser, server: str, complaints: list[str]) -> Iterator[Page]:
    """The same phone with scripts switched off."""
    with phone_context(browser, server, complaints, java_script_enabled=False) as context:
        yield context.new_page()


@contextmanager
def phone_context(
    browser: Browser, server: str, complaints: list[str], **options: Any
) -> Iterator[BrowserContext]:
    """One more phone, with cookies of its own; `options` are those of Playwright's new_context."""
    phone: dict[str, Any] = {
        "base_url": server,
        "viewport": {"width": 360, "height": 740},
        "device_scale_factor": 3,
        "has_touch": True,
        "is_mobile": True,
        "locale": "en-GB",
    }
    context = browser.new_context(**(phone | options))
    context.set_default_timeout(PATIENCE * 1000)
    expect.set_options(timeout=PATIENCE * 1000)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def on_error(error: WebError) -> None:
        complaints.append(f"script: {error.error}")

    def on_request(request: Request) -> None:
        if not request.url.startswith((f"{server}/", "data:", "blob:")):
            complaints.append(f"stranger: {request.url}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    context.on("request", on_request)
    try:
        yield context
    finally:
        context.close()
