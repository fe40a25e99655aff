"""The server as an operator runs it: its journal, its health, its end, and what it says when it cannot start."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import click
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

import cli
from app import create_app
from codes import new_key
from database import revisions
from log import Change
from models import db

SETTINGS = ("DATABASE_URL", "SECRET_KEY", "RATELIMIT_STORAGE_URI")


@pytest.fixture
def flask(tmp_path):
    """`flask`, with a data folder of its own: what it says for these arguments, and its exit status."""
    made = []

    def run(*arguments, **settings):
        made.append(create_app({"DATA_FOLDER": tmp_path / "data"} | settings))
        done = made[-1].test_cli_runner().invoke(args=arguments)
        return done.output, done.exit_code

    yield run
    for app in made:
        with app.app_context():
            db.engine.dispose()


@pytest.fixture
def change(tmp_path):
    """Runs a statement on the database behind the server's back."""

    def run(*statements):
        with closing(sqlite3.connect(tmp_path / "data" / "scorebook.sqlite")) as file, file:
            for each in statements:
                file.execute(each)

    return run


@pytest.fixture
def serving(flask, pytestconfig, tmp_path):
    """Starts a server on a new scorebook; gives its process, with its port and what it has written so far."""
    started = []

    def start(*command, **settings):
        environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        process = subprocess.Popen(
            [sys.executable, *(command or ("-m", "flask", "--app", "app.py", "serve", "--port", "0"))],
            cwd=pytestconfig.rootpath,
            env=environment | {"SCOREBOOK_DATA": str(tmp_path / "data")} | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        process.written = []
        process.reader = threading.Thread(target=lambda: process.written.extend(process.stderr))
        process.reader.start()
        line = ""
        while not line.startswith("Stop with"):
            line = process.stdout.readline()
            assert line, process.written
            if found := re.match(r"Open here: +http://127\.0\.0\.1:(\d+)", line):
                process.port = int(found[1])
        return process

    assert flask("migrate")[1] == 0
    yield start
    for process in started:
        process.kill()
        process.reader.join()
        process.communicate()


def ask(process, method, path, fields=None, **headers):
    """One request to a server that was started; its status, headers and text."""
    connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=30)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"Origin": f"http://127.0.0.1:{process.port}"}
    if fields is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request(method, path, fields and urlencode(fields), headers)
    answer = connection.getresponse()
    page = answer.read().decode(errors="replace")
    connection.close()
    return answer.status, answer.headers, page


def stopped(process):
    """What the server wrote, a line each, after it was told to stop."""
    process.send_signal(signal.SIGTERM)
    return ended(process)


def ended(process):
    """What the server has written, a line each, once it has ended by itself."""
    assert process.wait(20) == 0
    process.reader.join()
    return process.written


@pytest.mark.target("S9")
@pytest.mark.target("S20")
@pytest.mark.parametrize("kind", ["plain", "json"])
def test_the_journal_has_a_line_a_request_and_no_secret_in_it(serving, change, kind):
    """Pattern, status, time, size and a number; no address, name, key, cookie or network, not even when all fails."""
    server = serving(SCOREBOOK_LOG=kind, SCOREBOOK_PROXIES="1")
    names = ("Xenophilius", "Yolandarosa", "Zacharybert")
    start = {"variant": "classic", "shown_variant": "classic", "order": "own", "plan": "2,1", "dealer": 0}
    start |= {"trump": "untracked", "no_trump_on": "never", "missed": 0, "do": "start", "act": new_key()}
    start |= {f"players-{seat}": name for seat, name in enumerate(names)}
    from_far = {"X_Forwarded_For": "203.0.113.77", "X_Request_Id": "from-the-proxy.1"}
    status, headers, _page = ask(server, "POST", "/new", start, **from_far)
    assert status == 302
    game = "/g/" + headers["Location"].split("/")[2]
    cookie = headers["Set-Cookie"].partition(";")[0]
    keys = [cookie.partition("=")[2], game.rpartition("/")[2]]
    for address in (
        game,
        f"{game}/version",
        f"{game}/log",
        "/k/a-key-of-nobody",
        "/nothing/Xenophilius?Yolandarosa",
    ):
        ask(server, "GET", address, Cookie=cookie, **from_far)
    ask(server, "POST", f"{game}/undo", {"act": "x", "name": "Zacharybert"}, Cookie=cookie, **from_far)
    # The database is broken from here on: what it would have stored is in no trace.
    change("ALTER TABLE change RENAME TO gone")
    bid = {"seat": 1, "bid": 0, "was": "", "act": new_key(), "name": "Zacharybert"}
    status, headers, _page = ask(server, "POST", f"{game}/hands/1/bids", bid, Cookie=cookie, **from_far)
    assert status == 500
    assert headers["X-Request-Id"] == "from-the-proxy.1"
    lines = stopped(server)
    written = "".join(lines)
    for secret in (*names, *keys, "203.0.113.77", "a-key-of-nobody", "127.0.0.1"):
        assert secret not in written
    assert "/g/<code>/hands/<int:number>/<part>" in written or "/g/<code>/hands/<int:number>/bids" in written
    assert "OperationalError: no such table: change" in written
    assert "log.py" in written, "the trace says where"
    if kind == "json":
        told = [json.loads(line) for line in lines]
        assert [each["event"] for each in told].count("request") == 8
        first = next(each for each in told if each["event"] == "request")
        assert {name: first[name] for name in ("method", "route", "status", "id")} == {
            "method": "POST",
            "route": "/new",
            "status": 302,
            "id": "from-the-proxy.1",
        }
        assert first["ms"] > 0
        assert first["bytes"] > 0
        assert [told[0]["event"], told[-1]["event"]] == ["started", "stopped"]
        (error,) = [each for each in told if each["event"] == "error"]
        assert (error["level"], error["id"]) == ("error", "from-the-proxy.1")
    else:
        assert re.match(r"\d{4}-\d\d-\d\dT[\d:.]+Z started process=\d+ port=\d+ threads=8\n", lines[0])
        assert re.search(
            r"Z request method=GET route=/g/<code>/version status=200 ms=[\d.]+ bytes=\d+ id=", written
        )
        assert " request method=GET route=- status=404 " in written
        assert " ERROR error method=POST route=/g/<code>/hands/" in written
        assert re.search(r"Z stopped seconds=[\d.]+ unanswered=0\n$", lines[-1])


def test_health_says_whether_the_database_can_be_worked_with(serving, change, tmp_path):
    """200 when all is well, under any name; 503 in one word when not; never a cookie, an empty database, a line."""
    server = serving(SCOREBOOK_HOST="scores.example", SCOREBOOK_LOG="quiet")
    status, headers, page = ask(server, "GET", "/health", Host="10.0.0.7:8001", Cookie="scorebook=nonsense")
    assert (status, json.loads(page)) == (200, {"database": "ready"})
    assert headers["Set-Cookie"] is None
    assert headers["Cache-Control"] == "no-store"
    assert ask(server, "GET", "/", Host="10.0.0.7:8001")[0] == 400, "pages have one name only"
    for revision, kind in (("0001", "older"), ("9999", "newer")):
        change(f"UPDATE alembic_version SET version_num = '{revision}'")
        status, _headers, page = ask(server, "GET", "/health")
        assert (status, json.loads(page)) == (503, {"database": kind})
    database = tmp_path / "data" / "scorebook.sqlite"
    database.rename(tmp_path / "gone.sqlite")
    assert json.loads(ask(server, "GET", "/health")[2]) == {"database": "empty"}
    assert not database.exists()
    assert stopped(server) == [], "a quiet journal says only what went wrong"


SLOW = """
import sys, time
import flask
from app import create_app
app = create_app()

@app.get("/slow/<float:seconds>")
def slow(seconds):
    time.sleep(seconds)
    return "x" * 3_000_000

import serve
serve.LONGEST_STOP = 3.0
serve.serve(app, "127.0.0.1", 0)
"""


def test_told_to_stop_it_answers_whoever_waits_and_nobody_new(serving):
    """Twelve slow pages, four of them waiting for their turn, come whole; a new phone is refused at once."""
    slow = serving("-c", SLOW, SCOREBOOK_LOG="json")
    answers = []
    asking = [
        threading.Thread(target=lambda: answers.append(len(ask(slow, "GET", "/slow/0.4")[2])))
        for _phone in range(12)
    ]
    for each in asking:
        each.start()
    time.sleep(0.3)
    slow.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", slow.port), timeout=5)
    for each in asking:
        each.join()
    assert answers == [3_000_000] * 12
    assert json.loads(ended(slow)[-1])["unanswered"] == 0


def test_told_to_stop_it_does_not_wait_for_ever(serving):
    """A page that takes a minute, and a phone that never sends the rest of its request, are left; both are counted."""
    slow = serving("-c", SLOW, SCOREBOOK_LOG="json")
    with socket.create_connection(("127.0.0.1", slow.port)) as first:
        first.sendall(b"GET /slow/60.0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with socket.create_connection(("127.0.0.1", slow.port)) as second:
            second.sendall(b"POST /new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nact=")
            time.sleep(0.5)
            began = time.monotonic()
            slow.send_signal(signal.SIGTERM)
            last = json.loads(ended(slow)[-1])
    assert 2.5 < time.monotonic() - began < 10
    assert (last["event"], last["level"], last["unanswered"]) == ("stopped", "warning", 2)


WRONG = {
    "SCOREBOOK_HTTPS=yes": "SCOREBOOK_HTTPS is 1, or not set; it cannot be 'yes'.",
    "SCOREBOOK_HOST=https://scores.example": "SCOREBOOK_HOST holds 'https://scores.example', which is no host.",
    "SCOREBOOK_HOST=scores.example/book": "which is no host.",
    "SCOREBOOK_PROXIES=one": "SCOREBOOK_PROXIES is the number of proxies",
    "SCOREBOOK_LOG=xml": "SCOREBOOK_LOG is one of plain, json, quiet",
    "DATABASE_URL=mysql://app:hidden@host/book": "DATABASE_URL is no address of a database.",
    "DATABASE_URL=nonsense": "DATABASE_URL is no address of a database.",
    "DATABASE_URL=postgresql://app:hid@den:x/book": "DATABASE_URL is no address of a database.",
    "RATELIMIT_STORAGE_URI=nowhere://app:hidden@host": "RATELIMIT_STORAGE_URI cannot be used",
    "RATELIMIT_STORAGE_URI=redis://app:hidden@host": "RATELIMIT_STORAGE_URI cannot be used",
    "SECRET_KEY=changeme": "SECRET_KEY is a sample",
}


@pytest.mark.pages
@pytest.mark.parametrize("setting", WRONG)
def test_a_wrong_setting_stops_the_start_in_plain_words(tmp_path, monkeypatch, setting):
    """The setting is named with what it may be; nothing of a password is repeated."""
    name, _, value = setting.partition("=")
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=re.escape(WRONG[setting])) as end:
        create_app({"DATA_FOLDER": tmp_path})
    assert "hidden" not in str(end.value)
    assert "hid@den" not in str(end.value)


def test_right_settings_are_taken(tmp_path, monkeypatch):
    """Each as the README describes it."""
    right = {
        "SCOREBOOK_HTTPS": "1",
        "SCOREBOOK_HOST": "Scores.Example, 192.168.1.5:8000,[fd00::1]:80,",
        "SCOREBOOK_PROXIES": "2",
        "SCOREBOOK_LOG": "json",
        "DATABASE_URL": "postgres://app:p%40ss@db.example:5432/book?sslmode=require",
    }
    for name, value in right.items():
        monkeypatch.setenv(name, value)
    config = create_app({"DATA_FOLDER": tmp_path}).config
    assert config["HTTPS"] is True
    assert config["HOSTS"] == ["scores.example", "192.168.1.5:8000", "[fd00::1]:80"]
    assert (config["PROXIES"], config["LOG"]) == (2, "json")
    assert config["SQLALCHEMY_DATABASE_URI"].startswith("postgresql+psycopg://app:p%40ss@")


@pytest.mark.pages
def test_what_it_cannot_start_with_is_told_in_a_line(flask, change, tmp_path):
    """No folder, no database, one that does not answer, an older and a newer one, a damaged secret: told, status 1."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SystemExit, match="cannot be used: Not a directory"):
        flask("serve", DATA_FOLDER=tmp_path / "file" / "data")
    nowhere = "postgresql+psycopg://app:hidden@127.0.0.1:1/book"
    for command in ("serve", "migrate"):
        said, status = flask(command, SQLALCHEMY_DATABASE_URI=nowhere)
        assert status == 1
        assert said.startswith("Error: The database does not answer: connection")
        assert "hidden" not in said
    data = tmp_path / "data"
    assert "There is no database at " in flask("serve")[0]
    assert not (data / "scorebook.sqlite").exists()
    assert flask("migrate") == (f"A new scorebook was started. The data lies: {data}\n", 0)
    assert flask("migrate") == ("", 0)
    change("UPDATE alembic_version SET version_num = '0001'")
    assert flask("serve") == (
        f"Error: The database is at 0001, and this release needs {revisions()[-1]}. Run: flask migrate\n",
        1,
    )
    change("UPDATE alembic_version SET version_num = '9999'")
    for command in ("serve", "migrate"):
        assert "was written by a newer release" in flask(command)[0]
    for path in data.glob("scorebook.sqlite*"):
        path.unlink()
    said, status = flask("migrate")
    assert status == 1
    assert "belongs to a scorebook whose database is gone" in said
    assert "flask restore FILE" in said
    assert not (data / "scorebook.sqlite").exists()
    assert flask("migrate", "--new")[1] == 0
    (data / "secret").write_text("")
    with pytest.raises(SystemExit, match=r"is damaged\. Put it back from a backup"):
        flask("serve")


@pytest.mark.pages
def test_the_release_is_known_by_its_migrations(flask, tmp_path):
    """What the names of the files say is what Alembic makes of them."""
    flask("migrate")
    with closing(sqlite3.connect(tmp_path / "data" / "scorebook.sqlite")) as file:
        assert file.execute("SELECT version_num FROM alembic_version").fetchall() == [(revisions()[-1],)]


@pytest.mark.pages
def test_the_page_for_operators_names_only_what_there_is():
    """Every command, option and setting in docs/operations.md exists."""
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
    known = {each.name: each for each in vars(cli).values() if isinstance(each, click.Command)}
    named = re.findall(r"(?:\bscorebook|app\.py|`flask) ([a-z]+)\b([^`\n]*)", page)
    told = [(name, rest) for name, rest in named if name in known]
    assert {name for name, _rest in told} >= {"serve", "migrate", "backup", "restore", "keeper", "recount"}
    for name, rest in told:
        options = {option for each in known[name].params for option in each.opts}
        # Another part of this release: the way back is `migrate --to`.
        assert set(re.findall(r"--[a-z]+", rest)) <= options | {"--to"}, (name, rest)
    settings = set(re.findall(r"\b(?:SCOREBOOK|RATELIMIT)_[A-Z_]+", page))
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert settings
    assert {each for each in settings if f"`{each}`" not in readme} == set()


SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
"""How long is saved while backups are made, in the long test."""


@pytest.fixture
def own_postgresql(postgresql):
    """The URL of a PostgreSQL database that is nobody else's."""
    admin = create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("CREATE DATABASE own"))
    yield make_url(postgresql).set(database="own").render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text("DROP DATABASE own WITH (FORCE)"))
    admin.dispose()


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.target("T9")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nightly_backups_under_load(serving, request, tmp_path, kind, figure):
    """Ten saves a second through the server, a backup every five seconds; each is restored on a clean host."""
    place = {"SCOREBOOK_DATA": str(tmp_path / kind)}
    if kind == "postgresql":
        place["DATABASE_URL"] = request.getfixturevalue("own_postgresql")
    command("migrate", **place)
    server = serving(**place)
    saved, done = [], threading.Event()
    keeper = threading.Thread(target=keep, args=(server, saved, done))
    keeper.start()
    backups, began_at = [], time.monotonic()
    until = began_at + SECONDS
    while time.monotonic() < until:
        time.sleep(5)
        path = tmp_path / f"{len(backups)}.sqlite"
        before, began = len(saved), time.monotonic()
        command("backup", str(path), **place)
        backups.append((path, before, time.monotonic() - began))
    done.set()
    keeper.join()
    rate = len(saved) / (time.monotonic() - began_at)
    took, log = [], logged(tmp_path / kind, place.get("DATABASE_URL"))
    assert len(log) == len(saved)
    for path, before, _seconds in backups:
        began, clean = time.monotonic(), path.with_suffix("")
        assert "nothing differs" in command("restore", str(path), SCOREBOOK_DATA=str(clean))
        took.append(time.monotonic() - began)
        with closing(sqlite3.connect(clean / "scorebook.sqlite")) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        kept = logged(clean)
        assert len(kept) >= before
        assert kept == log[: len(kept)]
    slowest = max(seconds for _path, _before, seconds in backups)
    figure(
        f"T9 on {kind}: {len(saved)} saves ({rate:.1f}/s), none refused; {len(backups)} backups, {slowest:.1f} s the "
        f"slowest; each restored with all that was saved before it began, {max(took):.1f} s the slowest"
    )


def logged(data, url=None):
    """The taps in the log of a scorebook, in their order."""
    app = create_app({"DATA_FOLDER": data} | ({"SQLALCHEMY_DATABASE_URI": url} if url else {}))
    with app.app_context():
        found = list(db.session.scalars(db.select(Change.action).order_by(Change.id)))
        db.session.remove()
        db.engine.dispose()
    return found


def command(*arguments, **settings):
    """`flask` in a process of its own, which must work; what it says."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS} | settings
    return subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app.py", *arguments],
        cwd=Path(__file__).parents[2],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def keep(server, saved, done):
    """Play game after game, ten taps a second; `saved` gets the key of each tap that was acknowledged, in order."""
    cookie = ""
    while True:
        start = {"variant": "classic", "shown_variant": "classic", "order": "own", "dealer": 0, "do": "start"}
        start |= {"trump": "untracked", "no_trump_on": "never", "missed": 0, "plan": ",".join("1" * 60)}
        start |= {f"players-{seat}": name for seat, name in enumerate(("Ada", "Bruno", "Chiara"))}
        status, headers, page = ask(server, "POST", "/new", start | {"act": new_key()}, Cookie=cookie)
        assert status == 302, page
        cookie = cookie or headers["Set-Cookie"].partition(";")[0]
        code = headers["Location"].split("/")[2]
        for number in range(1, 61):
            took = {f"tricks-{seat}": int(seat == number % 3) for seat in range(3)}
            taps = [("bids", {"seat": (number + turn) % 3, "bid": 0, "was": ""}) for turn in range(3)]
            for part, fields in (
                *taps,
                ("over", {}),
                ("score", took | {f"was-{seat}": "" for seat in range(3)}),
            ):
                if done.wait(0.1 - 0.01):
                    return
                act = new_key()
                path = f"/g/{code}/hands/{number}/{part}"
                status, _headers, page = ask(server, "POST", path, {"act": act, **fields}, Cookie=cookie)
                assert status == 302, page
                saved.append(act)
