"""Several server processes behind one database: a phone may be answered by any of them at any tap."""

from __future__ import annotations

import http.client
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from sqlalchemy import create_engine, event

import database
from app import create_app
from database import db
from models import Game

pytestmark = pytest.mark.timeout(240)
ROOT = Path(__file__).parents[2]
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
PATIENCE = 30
"""Seconds until a server must have started."""


class Servers:
    """Some `flask serve` on one database, each with a data folder of its own, as on computers of their own."""

    def __init__(self, app, count, folder):
        with app.app_context():
            url = db.engine.url.render_as_string(hide_password=False)
        shared = os.environ | {"DATABASE_URL": url, "SECRET_KEY": app.config["SECRET_KEY"]}
        self.app = app
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-m", "flask", "--app", "app.py", "serve", "--port", "0"],
                cwd=ROOT,
                env=shared | {"SCOREBOOK_DATA": str(folder / str(number)), "PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
            for number in range(count)
        ]
        self.ports = [self.port_of(process) for process in self.processes]

    @staticmethod
    def port_of(process):
        """The port that a server says it is open at."""
        for line in process.stdout:
            if found := re.match(r"Open here: +http://127\.0\.0\.1:(\d+)", line):
                return int(found[1])
        pytest.fail("flask serve did not start")
        return 0

    def test_client(self):
        """A browser that each of them answers in turn, as `Phone` uses one."""
        return Client(self.ports)

    def stop(self):
        """End them all."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.communicate(timeout=PATIENCE)


class Client:
    """What `Phone` needs of Flask's test client, over the network: cookies, and the next server at each request."""

    def __init__(self, ports):
        self.ports = itertools.cycle(ports)
        self.cookies = {}

    def get(self, address, **_):
        """Look at a page, and at where it leads."""
        return self.ask("GET", address)

    def post(self, address, data, **_):
        """Send a form."""
        return self.ask("POST", address, data)

    def ask(self, method, address, fields=None, port=None, **headers):
        """One request to the next server, or to that one; redirects go to the one after."""
        connection = http.client.HTTPConnection("127.0.0.1", port or next(self.ports), timeout=PATIENCE)
        headers |= {"Host": "localhost", "Origin": "http://localhost", "Accept-Encoding": "identity"}
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, address, fields and urlencode(fields), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        for line in answer.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: each.value for name, each in SimpleCookie(line).items()}
        if answer.status in (302, 303) and port is None:
            return self.ask("GET", answer.headers["Location"])
        return SimpleNamespace(
            status_code=answer.status,
            text=text,
            headers=answer.headers,
            mimetype=answer.headers.get_content_type(),
            request=SimpleNamespace(path=address.partition("?")[0].partition("#")[0]),
        )


@pytest.fixture(scope="module", params=["postgresql", pytest.param("sqlite", marks=pytest.mark.long)])
def servers(request, tmp_path_factory):
    """Two servers on one database."""
    folder = tmp_path_factory.mktemp("servers")
    settings = {"DATA_FOLDER": folder, "SECRET_KEY": "x" * 40, "TESTING": True}
    if request.param == "postgresql":
        settings["SQLALCHEMY_DATABASE_URI"] = request.getfixturevalue("new_database")("postgresql")
    app = create_app(settings)
    assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
    servers = Servers(app, 2, folder)
    yield servers
    servers.stop()
    with app.app_context():
        db.engine.dispose()


def at_once(*questions):
    """Ask all of these in the same moment; gives the statuses of the answers."""
    ready = threading.Barrier(len(questions))
    statuses = []

    def ask(question):
        client, port, address, fields = question
        ready.wait()
        statuses.append(client.ask("POST", address, fields, port=port).status_code)

    threads = [threading.Thread(target=ask, args=(each,)) for each in questions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sorted(statuses)


def test_any_server_answers_any_tap(servers, table_of):
    """A game whose every request goes to the other server; a keeper, a watcher and undo by whichever comes."""
    table = table_of(servers).start(*FOUR, dealer=3, order="own", plan="3,2", trump="untracked")
    table.play([1, 0, 1, 0], [1, 0, 2, 0])
    assert table.totals() == [11, 10, 0, 10]
    invited = servers.app.test_cli_runner().invoke(args=["keeper", table.code]).output
    other = table_of(servers, table.code)
    other.phone.get(re.search(r"/k/\S+", invited)[0])
    other.phone.send(other.phone.page.select_one("form.dock button"))
    # Undone by the one phone through the one server, seen by the other through the other.
    table.open(2).bid_one(1)
    other.phone.get(f"/g/{table.code}/hands/2")
    assert other.bidder == 2
    other.undo()
    assert table.open(2).bidder == 1
    # All rights are taken away through one server: the other knows at the next request.
    first, second = servers.ports
    book = table.phone.get(f"/g/{table.code}").select_one('a[href^="/b/"]')["href"].split("/")[2]
    key = other.phone.button("bid-1-1")
    table.phone.get(f"/b/{book}/keepers")
    table.phone.tap("replace")
    form = key.find_parent("form")
    sent = other.phone.filled(form) | {"bid": "1"}
    for port in (first, second):
        assert other.phone.client.ask("POST", form["action"], sent, port=port).status_code == 404


def test_what_comes_at_once_through_two_servers_is_saved_once(servers, table_of):
    """The same tap sent to both has one effect; different facts are both kept; of two versions one is refused."""
    table = table_of(servers).start(
        *FOUR, dealer=3, variant="classic", order="own", plan="3,2", trump="untracked", simultaneous=True
    )
    first, second = servers.ports
    client = table.phone.client

    def bid(seat, number):
        """What the page sends for that bid."""
        form = table.phone.get(f"/g/{table.code}/hands/1?seat={seat}").select_one("form:has(.keys)")
        return form["action"], table.phone.filled(form) | {"bid": str(number)}

    def sent_to(port, address, fields):
        return client, port, address, fields

    def standing():
        """The bids by seat, how often each kind of change is in the log, the version."""
        with servers.app.app_context():
            game = Game.find(table.code)
            bids = [entry.bid for entry in sorted(game.hands[-1].entries, key=lambda each: each.seat.number)]
            return bids, Counter(each.kind for each in game.changes)["bid"], game.version

    _, _, version = standing()
    twice = bid(0, 1)
    assert at_once(*(sent_to(port, *twice) for port in servers.ports * 3)) == [302] * 6
    assert standing() == ([1, None, None, None], 1, version + 1)
    assert at_once(sent_to(first, *bid(1, 0)), sent_to(second, *bid(2, 2))) == [302, 302]
    assert standing() == ([1, 0, 2, None], 3, version + 3)
    assert at_once(sent_to(first, *bid(3, 2)), sent_to(second, *bid(3, 3))) == [302, 409]
    (*others, last), count, now = standing()
    assert (others, count, now) == ([1, 0, 2], 4, version + 4)
    assert last in (2, 3)


def test_a_watcher_of_one_server_sees_what_the_other_saves(servers, table_of):
    """Asked as often as a page asks, the other server tells of a bid within two seconds."""
    table = table_of(servers).start(*FOUR, dealer=3, order="own", plan="3", trump="untracked")
    first, second = servers.ports
    watcher, address = table_of(servers).phone.client, f"/g/{table.code}/version"
    for _ in range(4):
        seen = watcher.ask("GET", address, port=second)
        tag = {"If-None-Match": seen.headers["ETag"]}
        assert watcher.ask("GET", address, port=second, **tag).status_code == 304
        table.phone.client.ports = itertools.cycle([first])
        table.bid_one(0)
        saved = time.monotonic()
        while watcher.ask("GET", address, port=second, **tag).status_code == 304:
            time.sleep(0.1)
        assert time.monotonic() - saved < 2


# A database that does not answer


@pytest.fixture
def impatient(new_database, tmp_path, monkeypatch):
    """An app on PostgreSQL that gives up after tenths of a second what it would after seconds, and tells as live."""
    monkeypatch.setattr(database, "PATIENCE", database.PATIENCE | {"lock_timeout": "300ms"})
    monkeypatch.setattr(database, "SILENCE", 1.0)
    url = new_database("postgresql")
    app = create_app({"DATA_FOLDER": tmp_path, "SQLALCHEMY_DATABASE_URI": url, "RATELIMIT_ENABLED": False})
    assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
    yield app
    with app.app_context():
        db.engine.dispose()


def test_a_locked_database_says_not_saved_and_the_same_tap_works_later(impatient, table_of):
    """Whoever holds the game's row, a phone is told in time; when it is free again, the same form is saved."""
    table = table_of(impatient).start(*FOUR, dealer=3, order="own", plan="3", trump="untracked")
    with impatient.app_context():
        url = db.engine.url
    other = create_engine(url)
    with other.connect() as holder:
        holder.exec_driver_sql("SELECT id FROM game FOR UPDATE")
        began = time.monotonic()
        page = table.bid_one(1, 500).phone.page
        assert page.h1.get_text() == "Not saved"
        assert time.monotonic() - began < 5
        assert table.phone.get(f"/g/{table.code}").h1.get_text() == "Score sheet", (
            "looking waits for no writer"
        )
    other.dispose()
    assert table.open(1).bid_one(1).bidder == 1


def test_a_frozen_database_says_not_saved_and_holds_no_thread(impatient, table_of):
    """Its process is stopped in the middle of its work: the connection is given up, the next one serves."""
    table = table_of(impatient).start(*FOUR, dealer=3, order="own", plan="3", trump="untracked")
    with impatient.app_context():
        frozen = db.session.connection().exec_driver_sql("SELECT pg_backend_pid()").scalar()
        db.session.rollback()
        engine = db.engine
    table.open(1)
    stopped = []

    def freeze(_, __, statement, *___):
        if statement.startswith("UPDATE") and not stopped:
            stopped.append(frozen)
            os.kill(frozen, signal.SIGSTOP)

    event.listen(engine, "before_cursor_execute", freeze)
    began = time.monotonic()
    try:
        assert table.bid_one(1, 500).phone.page.h1.get_text() == "Not saved"
        assert stopped
        assert time.monotonic() - began < 10
        # It still holds the game's row; when it is gone, so is what it had begun.
        assert table.phone.get(f"/g/{table.code}").h1.get_text() == "Score sheet"
    finally:
        event.remove(engine, "before_cursor_execute", freeze)
        os.kill(frozen, signal.SIGCONT)
    for _ in range(50):
        try:
            assert table.open(1).bid_one(1).bidder == 1
            break
        except AssertionError:
            time.sleep(0.1)
    with impatient.app_context():
        assert [each.kind for each in Game.find(table.code).changes] == ["bid"]
