"""A game goes on without a network, and afterwards every step is there once."""

from __future__ import annotations

import sqlite3
import time
from itertools import product

import pytest
from playwright.sync_api import expect

from rules.bidding import Bidding
from rules.sheet import Hand, Sheet
from rules.variants import EvenTable, classic

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
PLAN = "2,1,2,1,3,1,1,2"
HANDS = (
    # bids and tricks by seat
    ((1, 1, 0, 1), (1, 1, 0, 0)),
    ((0, 0, 0, 0), (0, 0, 1, 0)),
    ((2, 0, 0, 1), (2, 0, 0, 0)),
    ((0, 1, 1, 0), (0, 1, 0, 0)),
    ((1, 1, 1, 1), (1, 0, 1, 1)),
    ((0, 0, 0, 0), (0, 1, 0, 0)),
    ((1, 1, 0, 0), (1, 0, 0, 0)),
    ((1, 1, 1, 0), (1, 1, 0, 0)),
)
SOUNDS = ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION", "ERR_FAILED", "ERR_EMPTY_RESPONSE", "409", "404", "503")


def totals(hands) -> list[int]:
    """What these hands come to by the classic rules."""
    scoring = classic().scoring
    return [
        sum(
            scoring.points(bid=bids[seat], tricks=took[seat], cards=cards)
            for (bids, took), cards in zip(hands, map(int, PLAN.split(",")), strict=False)
        )
        for seat in range(len(FOUR))
    ]


def begin(phone):
    """A game of eight hands whose first two were played with the network there; the phone is ready to lose it."""
    thumb = phone.open()
    thumb.start(*FOUR, dealer=3, hook=False, order="own", plan=PLAN, no_trump_on="never")
    thumb.page.wait_for_function("() => navigator.serviceWorker.controller")
    for bids, took in HANDS[:2]:
        thumb.play(bids, took)
    return ready(thumb)


def ready(thumb):
    """Wait until the phone knows the hand it shows."""
    thumb.page.wait_for_function(
        """async (hand) => {
            const opening = indexedDB.open("scorebook", 1);
            const games = await new Promise((resolve) => {
                opening.onsuccess = () => {
                    if (!opening.result.objectStoreNames.contains("games")) return resolve([]);
                    const all = opening.result.transaction("games").objectStore("games").getAll();
                    all.onsuccess = () => resolve(all.result);
                };
            });
            opening.result.close();
            return games.some((game) => game.now && game.now.number === hand);
        }""",
        arg=thumb.hand,
    )
    return thumb


def waiting(thumb) -> int | None:
    """How many steps the page says are not saved; None for a page of the server's."""
    said = thumb.page.locator("[data-page]").get_attribute("data-away")
    return None if said is None else int(said)


def saved(thumb) -> None:
    """Wait until the page is the server's again."""
    thumb.page.wait_for_function("() => !('away' in document.querySelector('[data-page]').dataset)")


def stored(server) -> list[tuple]:
    """Every fact of every hand in the database: number, seat, bid, took; and the kinds of all changes."""
    with sqlite3.connect(f"file:{server.data / 'scorebook.sqlite'}?mode=ro", uri=True) as database:
        return database.execute(
            "select hand.number, seat.number, entry.bid, entry.took from entry join hand on hand.id = entry.hand_id"
            " join seat on seat.id = entry.seat_id where hand.is_closed order by 1, 2"
        ).fetchall()


def changes(server) -> list[tuple]:
    """The log: what was done to which hand and seat."""
    with sqlite3.connect(f"file:{server.data / 'scorebook.sqlite'}?mode=ro", uri=True) as database:
        return database.execute("select kind, hand, seat from change order by id").fetchall()


def facts(hands) -> list[tuple]:
    """The same, of what was played at the table."""
    return [
        (number, seat, bids[seat], took[seat])
        for number, (bids, took) in enumerate(hands, start=1)
        for seat in range(len(FOUR))
    ]


def test_a_game_goes_on_to_its_end_without_a_network(installed, own_server, complaints):
    """Six hands without a network, the browser closed and opened in between: every step is saved once, in order."""
    thumb = begin(installed)
    before = len(changes(own_server))
    own_server.stop()
    for bids, took in HANDS[2:5]:
        thumb.play(bids, took)
    assert thumb.hand == 6
    marked = waiting(thumb)
    assert marked and f"Not saved yet: {marked}" in thumb.page.locator("main").inner_text()
    expect(thumb.page.locator(".scores .unsaved")).to_have_count(4)
    assert [int(row[4]) for row in sorted(thumb.last())] == totals(HANDS[:5])

    installed.close()
    thumb = installed.open()
    thumb.open("/?resume=").expect("deal")
    assert (thumb.hand, waiting(thumb)) == (6, marked)
    for bids, took in HANDS[5:]:
        thumb.play(bids, took)
    expect(thumb.page.locator("h1")).to_have_text("Final score")
    assert [int(row[4]) for row in sorted(thumb.last())] == totals(HANDS)
    code, unsaved = thumb.page.url.split("/")[4], waiting(thumb)
    assert thumb.page.url == f"{own_server.address}/g/{code}"

    installed.close()
    own_server.start()
    assert len(changes(own_server)) == before
    thumb = installed.open()
    thumb.open(f"/g/{code}")
    saved(thumb)
    assert thumb.totals() == totals(HANDS)
    assert stored(own_server) == facts(HANDS)
    done = changes(own_server)
    assert len(done) == before + unsaved
    assert len(set(done)) == len(done) - sum(kind == "took" for kind, _hand, _seat in done) + len(
        {each for each in done if each[0] == "took"}
    )
    complaints.forgive(*SOUNDS)


def test_a_server_killed_in_the_middle_of_the_queue_gets_each_step_once(installed, own_server, complaints):
    """The server dies while the steps arrive, and comes back: what it had stays, the rest follows in order."""
    thumb = begin(installed)
    before = len(changes(own_server))
    own_server.stop()
    for bids, took in HANDS[2:]:
        thumb.play(bids, took)
    unsaved = waiting(thumb)
    own_server.start()
    deadline = time.monotonic() + 20
    while len(changes(own_server)) < before + 5:
        assert time.monotonic() < deadline, "nothing was sent"
        time.sleep(0.002)
    own_server.kill()
    arrived = len(changes(own_server)) - before
    assert 0 < arrived < unsaved, "the server died too late for this test to say anything"
    thumb.page.wait_for_timeout(300)
    own_server.start()
    saved(thumb)
    assert len(changes(own_server)) == before + unsaved
    assert stored(own_server) == facts(HANDS)
    assert thumb.totals() == totals(HANDS)
    complaints.forgive(*SOUNDS)


def test_what_another_keeper_wrote_is_not_overwritten(installed, own_server, complaints):
    """The queue stops at each fact that has changed, shows both versions, and goes on when one is chosen."""
    thumb = begin(installed)
    own_server.stop()
    bids, took = HANDS[2]
    thumb.play(bids, took)
    unsaved = waiting(thumb)
    address = thumb.page.url.replace("/hands/4", "/hands/3")

    # Meanwhile the other keeper has written down trump and two bids, each another one. (The same cookie will do.)
    own_server.start()
    with installed.another(own_server) as other:
        other.open(address).tap("trump-clubs")
        while other.bidder != 0:
            other.tap(f"bid-{other.bidder}-{bids[other.bidder]}")
        other.tap("bid-0-1")
    body = thumb.page.locator("body")
    expect(body).to_contain_text("This has changed since")
    expect(body).to_contain_text("Hand 3: hearts")
    expect(body).to_contain_text(f"Steps that wait behind it: {unsaved - 1}")
    assert (3, 0, None, None) not in stored(own_server)
    thumb.page.screenshot(path="/tmp/off/conflict.png")
    # Here what was sent is right; at Ada's bid, what the other keeper wrote.
    thumb.rest().tap("mine")
    expect(body).to_contain_text("Hand 3: Ada, bid 2")
    expect(body).to_contain_text("It says")
    # A closed browser forgets neither the question nor what waits behind it.
    installed.close()
    thumb = installed.open()
    thumb.open(address)
    body = thumb.page.locator("body")
    expect(body).to_contain_text("Hand 3: Ada, bid 2")
    thumb.follow("Keep what it says")
    saved(thumb)
    chosen = (*HANDS[:2], ((1, *bids[1:]), took))
    thumb.open(f"/g/{thumb.code}")
    assert thumb.totals() == totals(chosen)
    assert stored(own_server) == facts(chosen)
    complaints.forgive(*SOUNDS)
