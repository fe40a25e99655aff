"""What every test may ask for."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of an empty PostgreSQL database, on a server of its own that is gone after the tests."""
    programs = postgresql_programs()
    # Not pytest's own temporary folder: that is root's alone, and its long name does not fit a socket.
    folder = Path(tempfile.mkdtemp(prefix="scorebook-pg-"))
    # PostgreSQL refuses to run as root.
    person: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        person = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), f"--pgdata={folder / 'data'}", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **person)
        if done.returncode:
            log = folder / "log"
            pytest.fail(
                f"{program} failed: {done.stderr}{log.read_text() if log.exists() else ''}", pytrace=False
            )

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # What makes a database safe in a power cut only costs time here.
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": folder,
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    try:
        run("initdb", "--username=app", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        run("pg_ctl", "start", "--wait", "--silent", f"--log={folder / 'log'}", f"--options={options}")
        try:
            yield f"postgresql+psycopg://app@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "--mode=immediate", "--silent")
    finally:
        shutil.rmtree(folder)


def postgresql_programs() -> Path:
    """The folder of PostgreSQL's server programs; Debian keeps them off the PATH, one folder a version."""
    versions = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    with contextlib.suppress(ValueError):
        return max(versions, key=lambda path: int(path.parent.name))
    found = shutil.which("initdb")
    if not found:
        pytest.fail("PostgreSQL's initdb is missing; `make system` says how to install it.", pytrace=False)
    # The programs next to initdb belong to it, not those next to a link to it.
    return Path(found).resolve().parent
