"""Saves that fail: a full disk, a lost file system, a locked or read-only file, at any statement of any tap."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import contextmanager

import pytest
from bs4 import BeautifulSoup
from sqlalchemy import event

from database import db

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

    def fail(statement):
        now = next(count)
        if now == number or (lasting and now > number):
            failed.append(statement)
            raise sqlite3.OperationalError(words)

    def before_statement(_, __, statement, *___):
        fail(statement)

    def before_commit(_):
        fail("COMMIT")

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", before_statement)
    event.listen(engine, "commit", before_commit)
    try:
        yield failed
    finally:
        event.remove(engine, "before_cursor_execute", before_statement)
        event.remove(engine, "commit", before_commit)


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
