"""A server that can be killed as often as one likes, and a phone that keeps a game on it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.engine import make_url

from bench.load import new_game, taps
from codes import new_key
from database import db

# The app is loaded and warmed up once, in a game of its own, and each life of the server is a fork of it. What it
# prints goes nowhere.
NURSERY = """
import itertools, os, sys
from sqlalchemy import Engine, event
from app import create_app
from bench.load import new_game, taps
from database import db
from serve import serve

port, pages = int(sys.argv[1]), int(sys.argv[2])

@event.listens_for(Engine, "connect")
def check_point(connection, _):
    if pages:
        connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")

app = create_app()
phone, ours = app.test_client(), {"Origin": "http://localhost"}
game = phone.post("/new", data=new_game(), headers=ours).location.rpartition("/hands/")[0]
for number, (part, fields) in enumerate(itertools.islice(taps(), 7)):
    phone.post(f"{game}/{part}", data={"act": f"warm up {number}", **fields}, headers=ours)
for page in ("/version", ".json", ""):
    phone.get(game + page)
with app.app_context():
    db.engine.dispose()
print("ready", flush=True)
for line in sys.stdin:
    if not (child := os.fork()):
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        serve(app, "127.0.0.1", port)
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


class Server:
    """The real server on a port and a database of its own, which starts in a moment.

    `pages` is after how many pages SQLite moves what was saved into the database (0: a thousand, its own choice).
    """

    def __init__(self, folder, *, database="", before=(), pages=0):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.process = folder, None
        environment = os.environ | {"SCOREBOOK_DATA": str(folder), "DATABASE_URL": database}
        environment["PYTHONPATH"] = str(Path.cwd())
        subprocess.run(
            [sys.executable, "-m", "flask", "--app", "app.py", "migrate"],
            env=environment,
            check=True,
            capture_output=True,
        )
        self.at_first = {each.name: each.read_bytes() for each in folder.iterdir()}
        with (folder / "errors").open("wb") as errors:
            self.nursery = subprocess.Popen(
                [*before, sys.executable, "-c", NURSERY, str(self.port), str(pages)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="ascii",
            )
        assert self.nursery.stdout.readline() == "ready\n", self.said()

    def start(self):
        """Start it, and wait until it answers."""
        self.nursery.stdin.write("\n")
        self.nursery.stdin.flush()
        self.process = int(self.nursery.stdout.readline())
        for _try in range(2000):
            with contextlib.suppress(ConnectionRefusedError):
                return socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            time.sleep(0.01)
        raise AssertionError("the server did not start")

    def end(self, number=signal.SIGKILL):
        """End it, in the hard way unless told otherwise."""
        os.kill(self.process, number)
        assert self.nursery.stdout.readline() == "gone\n"
        self.process = None

    def close(self):
        """End it and its nursery."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
        self.nursery.stdin.close()
        self.nursery.wait(30)
        self.nursery.stdout.close()

    def said(self):
        """What it wrote to its operator; a fault that nobody caught stands there."""
        return (self.folder / "errors").read_text(encoding="utf-8")


@pytest.fixture
def server(tmp_path):
    """Makes servers; they are gone afterwards."""
    made = []

    def make(**how):
        # Several may be made at once.
        made.append(started := Server(Path(tempfile.mkdtemp(prefix="server-", dir=tmp_path)), **how))
        return started

    yield make
    for each in made:
        each.close()


@pytest.fixture
def own_postgresql(postgresql):
    """A database of its own in PostgreSQL, which keeps what it acknowledged when its server is stopped hard."""
    with psycopg.connect(postgresql.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS faults WITH (FORCE)")
        connection.execute("CREATE DATABASE faults")
        connection.execute("ALTER DATABASE faults SET synchronous_commit = on")
    yield make_url(postgresql).set(database="faults").render_as_string()
    with psycopg.connect(postgresql.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DROP DATABASE faults WITH (FORCE)")


@contextlib.contextmanager
def before_statements(app, act):
    """`act(connection, statement)` goes before every statement of what happens meanwhile, and before each COMMIT."""

    def before_statement(connection, _, statement, *___):
        act(connection, statement)

    def before_commit(connection):
        act(connection, "COMMIT")

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", before_statement)
    event.listen(engine, "commit", before_commit)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", before_statement)
        event.remove(engine, "commit", before_commit)


class Keeper:
    """A phone that keeps one game after another: sixty hands of five players, tap by tap.

    Each tap is sent as often as it takes; `saved` counts those that were acknowledged in the game at hand.
    """

    def __init__(self, server):
        self.server, self.cookie, self.code = server, "", ""
        self.waiting, self.saved = (), 0

    def ask(self, method, path, fields=None, *, answered=lambda: None):
        """Status, headers and text of an answer; OSError or HTTPException for none.

        `answered` is called as soon as the first line of the answer is here.
        """
        port = self.server.port
        headers = {"Origin": f"http://127.0.0.1:{port}", "Cookie": self.cookie}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request(method, path, fields and urlencode(fields), headers)
            answer = connection.getresponse()
            answered()
            self.cookie = (answer.headers["Set-Cookie"] or self.cookie).partition(";")[0]
            text = ""
            # Somebody killed between its head and its text has said all that counts.
            with contextlib.suppress(OSError, http.client.IncompleteRead):
                text = answer.read().decode()
            return answer.status, answer.headers, text

    def start(self):
        """Start a game."""
        status, headers, text = self.ask("POST", "/new", new_game())
        assert status == 302, text
        self.code, self.saved, self.left = headers["Location"].split("/")[2], 0, taps()
        self.go_on()
        return self

    def go_on(self):
        """Turn to the next tap; False when the game is over."""
        part, fields = next(self.left, ("", {}))
        self.waiting = (f"/g/{self.code}/{part}", {**fields, "act": new_key()}) if part else ()
        return bool(self.waiting)

    def send(self, **how):
        """Send the waiting tap; gives the answer."""
        return self.ask("POST", *self.waiting, **how)

    def version(self):
        """How often the server has written to the game."""
        return int(self.ask("GET", f"/g/{self.code}/version")[1]["ETag"].strip('"'))

    def check(self):
        """The server has every tap that was acknowledged once, and each hand as it was tapped."""
        assert self.version() == FIRST + self.saved
        hands = json.loads(self.ask("GET", f"/g/{self.code}.json")[2])["hands"]
        assert len(hands) == self.saved // len(A_HAND)
        for dealt, hand in enumerate(hands, 1):
            assert hand["bids"] == [(seat - dealt) % 5 % 2 for seat in range(5)]
            assert hand["tricks"] == [5 * (seat == dealt % 5) for seat in range(5)]


A_HAND = ("bid",) * 5 + ("over", "score")
FIRST = 1
"""The version of a game that nothing was written to since its start."""


@pytest.fixture
def keeper_of():
    """Makes phones that keep a game on a server."""
    return Keeper
