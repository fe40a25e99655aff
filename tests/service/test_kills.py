"""A server that dies at the worst moment: what it said was saved is saved, once."""

from __future__ import annotations

import http.client
import random
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

# Servers are started, which takes its time where others work, too.
pytestmark = pytest.mark.timeout(300)

NO_ANSWER = (OSError, http.client.HTTPException)


def lives(server, keeper, kills, chance):
    """Kill the server so many times right after it said "saved", and half as often while a tap is on its way.

    After each the same tap is sent again. Gives how many taps on the way were stored all the same.
    """
    stored = 0
    server.start()
    keeper.start()
    for life in range(kills):
        began = time.perf_counter()
        status, *_ = keeper.send(answered=server.end)
        took = time.perf_counter() - began
        assert status == 302
        keeper.saved += 1
        server.start()
        assert keeper.version() >= 1 + keeper.saved, "lost"
        assert keeper.send()[0] == 302
        assert keeper.version() == 1 + keeper.saved, "doubled"
        turn_to_next(keeper)
        if life % 2:
            stored += killed_on_its_way(server, keeper, chance.uniform(0, took))
            turn_to_next(keeper)
    keeper.check()
    return stored


def turn_to_next(keeper):
    """The next tap; when the game is over it is looked through, and the next one begins."""
    if not keeper.go_on():
        keeper.check()
        keeper.start()


def killed_on_its_way(server, keeper, after):
    """Kill the server so many seconds after a tap was sent, and send the tap again; whether it had been stored."""
    dying = threading.Timer(after, server.end)
    dying.start()
    try:
        answered = keeper.send()[0] == 302
    except NO_ANSWER:
        answered = False
    dying.join()
    server.start()
    stored = keeper.version() - 1 - keeper.saved
    assert stored in (0, 1)
    assert stored or not answered, "lost"
    assert keeper.send()[0] == 302
    keeper.saved += 1
    assert keeper.version() == 1 + keeper.saved, "lost or doubled"
    return stored


def check_files(server):
    """SQLite finds nothing broken in the database as the last kill left it."""
    with closing(sqlite3.connect(server.folder / "scorebook.sqlite")) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert file.execute("PRAGMA foreign_key_check").fetchall() == []
        # The first game is the one that the server was warmed up with.
        written = file.execute("SELECT sum(version - 1) FROM game WHERE id > 1").fetchone()
        return *written, *file.execute("SELECT count(*) FROM change WHERE game_id > 1").fetchone()


def run(server, keeper_of, kills, seed, **how):
    """So many kills of one server; its errors must be none."""
    server, chance = server(**how), random.Random(seed)
    keeper = keeper_of(server)
    stored = lives(server, keeper, kills, chance)
    server.end()
    assert "Traceback" not in server.said()
    return server, stored


@pytest.mark.target("T1")
def test_what_was_saved_outlives_a_killed_server(server, keeper_of):
    """Killed right after the answer or on the way to it, and the tap sent again: there once, in a sound file."""
    died, _stored = run(server, keeper_of, 10, "short")
    written, changes = check_files(died)
    assert changes == written == 15


@pytest.mark.target("T1")
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_thousand_kills_lose_and_double_nothing(server, keeper_of, own_postgresql, figure):
    """1,000 saves and kills on SQLite, four servers at once, and 100 on PostgreSQL, which itself goes on."""
    began = time.monotonic()
    with ThreadPoolExecutor(4) as at_once:
        runs = list(at_once.map(lambda seed: run(server, keeper_of, 250, seed, pages=50), range(4)))
    changes = 0
    for died, _stored in runs:
        written, there = check_files(died)
        assert there == written
        changes += there
    assert changes == 4 * (250 + 125)
    figure(
        f"T1: 1,000 saves, each followed by kill -9, and 500 kills on the way to an answer "
        f"({sum(stored for _died, stored in runs)} of those taps were stored): 0 lost, 0 doubled, "
        f"integrity_check ok; {time.monotonic() - began:.0f} s"
    )
    run(server, keeper_of, 100, "postgresql", database=own_postgresql)
    figure("T1 on PostgreSQL: 100 saves and kills of the server: 0 lost, 0 doubled")
