"""A hand in WebKit, the engine of every browser on an iPhone, driven the way its own makers drive it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from rules import record

PATIENCE = 10  # seconds, for a start and for a page
THREE = ("Ada", "Bruno", "Chiara")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # what WebDriver calls an element, by its standard


class WebKit:
    """A page in WebKitGTK. WebDriver is a handful of JSON, which needs no package."""

    def __init__(self, port: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_open(port):
            assert time.monotonic() < deadline, "WebKitWebDriver did not start"
            time.sleep(0.05)
        self.address = f"http://127.0.0.1:{port}/session"
        self.address += f"/{self.tell('POST', '', capabilities={})['sessionId']}"

    def tell(self, method: str, path: str, **what: Any) -> Any:
        """One command, and what it answers; AssertionError with the driver's own words."""
        body = json.dumps(what).encode() if method == "POST" else None
        try:
            with urlopen(Request(self.address + path, body, method=method), timeout=3 * PATIENCE) as answer:
                return json.load(answer)["value"]
        except HTTPError as refusal:
            raise AssertionError(f"{method} {path}: {refusal.read().decode()}") from refusal

    def run(self, script: str) -> Any:
        """What a script in the page returns."""
        return self.tell("POST", "/execute/sync", script=f"return {script}", args=[])

    def wait(self, script: str) -> None:
        """Until a script in the page returns what is true."""
        deadline = time.monotonic() + PATIENCE
        while not self.run(script):
            assert time.monotonic() < deadline, (
                f"{script} never came true: {self.run('document.body.innerText')}"
            )
            time.sleep(0.02)

    def element(self, selector: str) -> str:
        """The path of the first element that fits."""
        found = self.tell("POST", "/element", using="css selector", value=selector)
        return f"/element/{found[ELEMENT]}"

    def press(self, key: str) -> None:
        """Press the button with that `data-key`, wait for the page that follows, and until its buttons listen."""
        self.run("document.querySelector('[data-page]').dataset.old = ''")
        self.tell("POST", self.element(f'button[data-key="{key}"]') + "/click")
        self.wait("!('old' in document.querySelector('[data-page]').dataset)")
        time.sleep(0.35)


def is_open(port: int) -> bool:
    """Whether somebody on this computer listens there."""
    with socket.socket() as knock:
        return knock.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(*command: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A program while it is needed; it ends with everything it started."""
    if not shutil.which(command[0]):
        pytest.fail(f"{command[0]} is missing; `make system` says how to install it.", pytrace=False)
    program = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL, **options)
    try:
        yield program
    finally:
        os.killpg(program.pid, signal.SIGTERM)
        program.wait(PATIENCE)


@pytest.fixture
def webkit(tmp_path: Path) -> Iterator[WebKit]:
    """WebKit on a screen that nobody sees, both for this test alone."""
    with ExitStack() as stack:
        # Xvfb takes the first display that is free, and tells its number.
        told, tells = os.pipe()
        screen = ("-screen", "0", "500x800x24", "-nolisten", "tcp", "-displayfd", str(tells))
        stack.enter_context(running("Xvfb", *screen, pass_fds=[tells]))
        os.close(tells)
        with os.fdopen(told) as number:
            display = f":{number.readline().strip()}"
        own = {"DISPLAY": display, "HOME": str(tmp_path), "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1"}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        driver = ("WebKitWebDriver", "--host=127.0.0.1", f"--port={port}")
        stack.enter_context(running(*driver, env=os.environ | own, stdout=subprocess.DEVNULL))
        page = WebKit(port)
        stack.callback(page.tell, "DELETE", "")
        yield page


def test_a_hand_is_kept_in_webkit(webkit, server):
    """A game is set up, a hand is bid, played and scored by its buttons, all of it in one page that taps.js changes."""
    facts = {"cards": 1, "dealer": "Ada", "trump": "hearts", "bids": [0, 1, 1], "tricks": [0, 1, 0]}
    sheet = record.read(
        {
            "format": "oh-hell-game/1",
            "rules": {"variant": "classic"},
            "players": list(THREE),
            "hands": [facts],
        }
    ).sheet
    assert not sheet.problems()
    webkit.tell("POST", "/url", url=f"{server}/new")
    webkit.wait("document.documentElement.classList.contains('scripted')")
    webkit.run("(window.same = true)")
    webkit.tell("POST", webkit.element("#newcomers") + "/value", text=", ".join(THREE))
    webkit.press("add")
    webkit.tell("POST", webkit.element("label:has(input[name=dealer][value='0'])") + "/click")
    assert webkit.run("document.querySelector('input[name=dealer]:checked').value") == "0"
    webkit.press("start")
    webkit.press("trump-hearts")
    for seat in (1, 2, 0):
        webkit.press(f"bid-{seat}-{facts['bids'][seat]}")
    webkit.press("over")
    webkit.press("less-2")
    webkit.press("save")
    assert webkit.run("location.pathname").endswith("/hands/2")
    rows = "[...document.querySelectorAll('.last tbody tr')]"
    rows = webkit.run(f"{rows}.map(row => [...row.children].map(cell => cell.textContent.trim()))")
    shown = {name: int(total.replace("−", "-")) for name, _bid, _took, _points, total, _place in rows}
    assert shown == dict(zip(THREE, sheet.totals, strict=True))
    assert webkit.run("window.same")
