"""Saves that fail: a full disk, a lost file system, a locked or read-only file, at any statement of any tap."""

from __future__ import annotations

import itertools
import resource
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sqlalchemy import event

from database import db
from tests.app.test_thrice import FORMS as EVERY_FORM
from tests.app.test_thrice import filled
from tests.conftest import Phone, Table
from tests.service.conftest import before_statements

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
FAULTS = (
    "disk I/O error",
    "database or disk is full",
    "database is locked",
    "attempt to write a readonly database",
)


@contextmanager
def fault(app, number, words, *, lasting):
    """Statement `number` of what happens meanwhile fails, and all later ones when it is lasting.

    Gives a list of what was failed; the commit counts as the last statement.
    """
    count, failed = itertools.count(1), []

    def fail(_, statement):
        now = next(count)
        if now == number or (lasting and now > number):
            failed.append(statement)
            raise sqlite3.OperationalError(words)

    with before_statements(app, fail):
        yield failed


def to_trump(table):
    """The table says what is trump."""
    return "trump-hearts"


def to_bid(table):
    """The second player bids."""
    table.trump("hearts").bid_one(1)
    return "bid-1-1"


def to_bid_last(table):
    """The last player bids, which ends the bidding."""
    table.trump("hearts").bid_one(1).bid_one(0).bid_one(1)
    return "bid-3-0"


def to_tally(table):
    """A trick is counted while the hand is played."""
    table.trump("hearts").bid(1, 0, 1, 0)
    return "tally-2"


def to_over(table):
    """The last trick is played."""
    table.trump("hearts").bid(1, 0, 1, 0)
    return "over"


def to_tricks(table):
    """The tricks of one player are put right."""
    table.trump("hearts").bid(1, 0, 1, 0).over()
    return "more-2"


def to_score(table):
    """The hand is settled and the next one dealt."""
    to_tricks(table)
    table.phone.tap("more-2")
    return "save"


def to_score_the_last(table):
    """The last hand is settled, which ends the game."""
    table.play((1, 0, 1, 0), (1, 0, 2, 0))
    table.bid(0, 0, 0, 0).over()
    for _ in range(4):
        table.phone.tap("more-3")
    return "save"


def to_undo(table):
    """A settled hand is taken back."""
    table.play((1, 0, 1, 0), (1, 0, 2, 0))
    return "undo"


def of_the_table(page, key, **fields):
    """A form of a page about the table, of which a hand is played and one is open, with something typed into it."""

    def go(table):
        table.play((1, 0, 1, 0), (1, 0, 2, 0))
        table.phone.get(f"/g/{table.code}/{page}")
        table.typed = {name.replace("_", "-"): str(value) for name, value in fields.items()}
        return key

    go.__name__ = f"to_{key}"
    return go


TAPS = (
    to_trump,
    to_bid,
    to_bid_last,
    to_tally,
    to_over,
    to_tricks,
    to_score,
    to_score_the_last,
    to_undo,
)
FORMS = (
    of_the_table("table", "void"),
    of_the_table("table", "dealer", seat=2),
    of_the_table("table", "adjust", points=5, reason="talked"),
    of_the_table("table", "join", name="Eline", points=0),
    of_the_table("table", "leave-1"),
    of_the_table("table", "sit-out-1"),
    of_the_table("table", "swap", other=2),
    of_the_table("table", "take-over", name="Eline"),
    of_the_table("table", "plan", plan="5,4,3"),
    of_the_table("table", "end"),
    of_the_table("hands/1/correct", "correct", took_0=0, took_1=1),
)


@pytest.mark.target("T3")
@pytest.mark.parametrize(
    ("tap", "lasting"),
    [(tap, lasting) for tap in TAPS for lasting in (False, True)] + [(form, True) for form in FORMS],
    ids=lambda value: (
        value.__name__.removeprefix("to_") if callable(value) else "lasting" if value else "once"
    ),
)
def test_a_save_that_fails_leaves_no_trace_and_can_be_sent_again(
    app, table, rows, monkeypatch, caplog, tap, lasting
):
    """Whichever statement fails: the page says "Not saved", nothing is stored, and the same form works afterwards."""
    table.start(*FOUR, dealer=3, order="own", plan="3,4", trump="turned")
    table.typed = {}
    address, fields = form_of(table.phone, tap(table))
    fields |= table.typed
    monkeypatch.setitem(app.config, "TESTING", False)
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)

    def send():
        return table.phone.client.post(address, data=fields, headers={"Origin": "http://localhost"})

    stood, (changes, version) = rows(), standing(table)
    failed_ones = []
    for number in itertools.count(1):
        with fault(app, number, FAULTS[number % len(FAULTS)], lasting=lasting) as failed:
            answer = send()
        if not failed:
            break
        failed_ones += failed[:1]
        assert answer.status_code >= 500, failed
        page = BeautifulSoup(answer.text, "html.parser")
        assert "Not saved" in page.h1.get_text(), failed
        for word in ("Traceback", "Error:", "sqlite", "SELECT", "UPDATE", *FAULTS):
            assert word not in answer.text
        assert rows() == stood, failed
    assert failed_ones[-1] == "COMMIT"
    assert answer.status_code == 302
    saved = rows()
    assert standing(table) == (changes + (-1 if tap is to_undo else 1), version + 1)
    assert send().status_code == 302
    assert rows() == saved, "Sent again, it has no second effect."


@pytest.mark.target("T3")
@pytest.mark.parametrize("words", FAULTS)
def test_every_kind_of_failing_save_says_so(app, table, rows, monkeypatch, words):
    """Full, locked, read-only or broken: it is told at the first statement and at the commit alike."""
    table.start(*FOUR, dealer=3, order="own", plan="3,4", trump="turned")
    address, fields = form_of(table.phone, to_score(table))
    monkeypatch.setitem(app.config, "TESTING", False)
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    stood = rows()

    def send():
        return table.phone.client.post(address, data=fields, headers={"Origin": "http://localhost"})

    for number in itertools.count(1):
        with fault(app, number, words, lasting=False) as failed:
            answer = send()
        if not failed:
            break
        assert "Not saved" in BeautifulSoup(answer.text, "html.parser").h1.get_text()
        assert rows() == stood
    assert answer.status_code == 302


@contextmanager
def set_on_connections(app, pragma, value):
    """Meanwhile every connection has this setting."""
    with app.app_context():
        engine = db.engine

    def set_it(connection, *_):
        connection.execute(f"PRAGMA {pragma} = {value}")

    engine.dispose()
    event.listen(engine, "connect", set_it)
    try:
        yield
    finally:
        event.remove(engine, "connect", set_it)
        engine.dispose()


def file_of(app):
    """The file of the database."""
    return Path(app.config["DATA_FOLDER"]) / "scorebook.sqlite"


@contextmanager
def full(app):
    """The database may not grow by a page."""
    with closing(sqlite3.connect(file_of(app))) as file:
        pages = file.execute("PRAGMA page_count").fetchone()[0]
    with set_on_connections(app, "max_page_count", pages):
        yield


@contextmanager
def read_only(app):
    """Nothing may be written."""
    with set_on_connections(app, "query_only", "ON"):
        yield


@contextmanager
def locked(app):
    """Somebody else writes, and does not come to an end."""
    with set_on_connections(app, "busy_timeout", 20), closing(sqlite3.connect(file_of(app))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def cut_off(app):
    """The system writes nothing beyond the beginning of a file, as where a quota is used up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with app.app_context():
        # The log of the database begins anew, so that there is something to be written beyond.
        db.session.connection().exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        db.session.remove()
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.target("T3")
@pytest.mark.parametrize("trouble", [full, read_only, locked, cut_off], ids=lambda each: each.__name__)
def test_a_save_that_the_database_itself_refuses_says_so(app, table, rows, monkeypatch, trouble):
    """Not pretended but true: full, read-only, locked or cut off. Nothing is stored, and later the same form works."""
    table.start(*FOUR, dealer=3, order="own", plan=",".join("5" * 60), trump="untracked")
    monkeypatch.setitem(app.config, "TESTING", False)
    monkeypatch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
    # A name so long that it does not fit into what is free in the pages there are.
    address, fields = f"/g/{table.code}/adjustments", {"act": "a penalty", "hand": "1", "seat": "0"}
    fields |= {"points": "5", "sign": "-", "reason": "x" * 200}
    stood, number = rows(), 0

    def send():
        return table.phone.client.post(address, data=fields, headers={"Origin": "http://localhost"})

    with trouble(app):
        while (answer := send()).status_code == 302:
            stood = rows()
            fields["act"] = f"a penalty {(number := number + 1)}"
            assert number < 90, "It was never full."
    assert answer.status_code == 500
    assert "Not saved" in BeautifulSoup(answer.text, "html.parser").h1.get_text()
    assert "Error" not in answer.text
    assert rows() == stood
    assert send().status_code == 302
    assert rows() != stood


@pytest.mark.target("T3")
@pytest.mark.timeout(300)
def test_every_form_fails_whole_at_every_statement(app, empty, rows, monkeypatch, figure):
    """All forms there are, each failed at each statement it sends: "Not saved", no trace, and it works afterwards."""
    points = 0
    # Hundreds of stack traces for the operator, which nobody reads.
    monkeypatch.setattr(app.logger, "disabled", True)
    for route, (before, told) in EVERY_FORM.items():
        table = Table(Phone(app))
        table.start(*FOUR, dealer=3, order="own", plan="3,2,1", trump="untracked")
        before(table)
        address = filled(table, route)
        sent = {**(told(table) if callable(told) else told), "act": "a-tap-of-its-own"}
        sender = Phone(app) if route in ("/k/<key>", "/watch") else table.phone
        with monkeypatch.context() as patch:
            patch.setitem(app.config, "TESTING", False)
            patch.setitem(app.config, "PROPAGATE_EXCEPTIONS", False)
            points += failed_everywhere(app, sender, rows, address, sent)
    figure(
        f"T3: {points} faults, one at each statement of each of {len(EVERY_FORM)} forms: 0 half saves, 0 stack traces"
    )
    assert points >= 100


def failed_everywhere(app, phone, rows, address, fields):
    """Send a form, failed at one statement after the other, until it goes through; gives how many failed."""
    stood, number, failed = rows(), 0, [""]
    while failed:
        number += 1
        with fault(app, number, FAULTS[number % len(FAULTS)], lasting=True) as failed:
            answer = phone.client.post(address, data=fields, headers={"Origin": "http://localhost"})
        if not failed:
            break
        assert answer.status_code >= 500, (address, failed)
        assert "Not saved" in answer.text, (address, failed)
        assert "Traceback" not in answer.text
        assert rows() == stood, (address, failed)
    assert answer.status_code == 302, address
    return number - 1


def form_of(phone, key):
    """Where the form of a button goes, and what it sends."""
    button = phone.button(key)
    form = button.find_parent("form")
    fields = phone.filled(form)
    if button.get("name"):
        fields[button["name"]] = button["value"]
    return form["action"], fields


def standing(table):
    """How many changes of the game stand, and its version."""
    with table.phone.client.application.app_context():
        game = table.game()
        kept = [each for each in game.changes if not each.is_undone and each.kind not in ("undo", "redo")]
        return len(kept), game.version
