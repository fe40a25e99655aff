"""A game goes on without a network, and afterwards every step is there once."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from rules.plan import next_dealer
from rules.sheet import Hand, Sheet
from rules.variants import EvenTable, TrumpMethod, classic
from views.offline import known

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
SOUNDS = (
    "ERR_INTERNET_DISCONNECTED",
    "ERR_CONNECTION",
    "ERR_FAILED",
    "ERR_EMPTY_RESPONSE",
    "409",
    "404",
    "503",
)


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


def begin(phone, played: int = 2, scripts=()):
    """A game of eight hands, some of them played with the network there; the phone is ready to lose it."""
    thumb = phone.open(scripts)
    thumb.start(*FOUR, dealer=3, hook=False, order="own", plan=PLAN, no_trump_on="never")
    thumb.page.wait_for_function("() => window.answerTap || navigator.serviceWorker?.controller")
    # Other tests look whether a thumb can do what it taps.
    thumb.is_quick = True
    for bids, took in HANDS[:played]:
        thumb.play(bids, took)
    return ready(thumb)


KNOWN = """async ([hand, format]) => {
    const all = await indexedDB.databases();
    if (!all.some(({ name }) => name === "scorebook")) return false;
    const opening = indexedDB.open("scorebook", 1);
    const games = await new Promise((resolve) => {
        opening.onsuccess = () => {
            if (!opening.result.objectStoreNames.contains("games")) return resolve([]);
            const all = opening.result.transaction("games").objectStore("games").getAll();
            all.onsuccess = () => resolve(all.result);
        };
    });
    opening.result.close();
    return games.some((game) => game.now && game.now.number === hand && game.format === format);
}"""


def ready(thumb):
    """Wait until the phone knows the hand it shows."""
    until(thumb, KNOWN, [thumb.hand, 1])
    return thumb


def until(thumb, work, argument=None) -> None:
    """Wait until some JavaScript, which may have to ask the phone's store, comes to something."""
    deadline = time.monotonic() + 10
    while not thumb.page.evaluate(work, argument):
        assert time.monotonic() < deadline, work
        thumb.page.wait_for_timeout(50)


def waiting(thumb) -> int | None:
    """How many steps the page says are not saved; None for a page of the server's."""
    said = thumb.page.locator("[data-page]").get_attribute("data-waiting")
    return None if said is None else int(said)


NOTHING_WAITS = """async () => {
    const opening = indexedDB.open("scorebook", 1);
    const steps = await new Promise((resolve) => {
        opening.onsuccess = () => {
            const all = opening.result.transaction("steps").objectStore("steps").getAll();
            all.onsuccess = () => resolve(all.result);
        };
    });
    opening.result.close();
    return steps.every((step) => step.isSent);
}"""


def saved(thumb) -> None:
    """Wait until nothing waits any more, and the page is the server's again."""
    until(thumb, NOTHING_WAITS)
    thumb.page.wait_for_function("() => !('waiting' in document.querySelector('[data-page]').dataset)")


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
    assert marked
    assert f"Not saved yet: {marked}" in thumb.page.locator("main").inner_text()
    expect(thumb.page.locator(".scores .unsaved")).to_have_count(4)
    assert [int(row[4]) for row in sorted(thumb.last())] == totals(HANDS[:5])

    installed.close()
    thumb = installed.open()
    thumb.is_quick = True
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
    expect(thumb.page.locator(".winner")).to_be_visible()
    assert thumb.totals() == totals(HANDS)
    assert stored(own_server) == facts(HANDS)
    assert len(changes(own_server)) == before + unsaved
    complaints.forgive(*SOUNDS)


def test_a_server_killed_in_the_middle_of_the_queue_gets_each_step_once(installed, own_server, complaints):
    """The server dies while the steps arrive, and comes back: what it had stays, the rest follows in order."""
    thumb = begin(installed)
    before = len(changes(own_server))
    own_server.stop()
    for bids, took in HANDS[2:6]:
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
    assert stored(own_server) == facts(HANDS[:6])
    assert thumb.open(f"/g/{thumb.code}").totals() == totals(HANDS[:6])
    complaints.forgive(*SOUNDS)


class Stranger(BaseHTTPRequestHandler):
    """What answers where the scorebook should: a proxy whose server is gone, or the sign-in page of a hotel."""

    status = 502

    def answer(self) -> None:
        """The same to everything."""
        self.send_response(self.status)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title>")

    do_GET = do_POST = answer  # noqa: N815 - the names that http.server wants

    def log_message(self, *_said: object) -> None:
        """Say nothing."""


@contextmanager
def stranger(server, status: int) -> Iterator[None]:
    """Somebody else answers at the address of a server that was stopped."""
    Stranger.status = status
    with ThreadingHTTPServer(("127.0.0.1", server.port), Stranger) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            yield
        finally:
            other.shutdown()
            thread.join()


@pytest.mark.parametrize("status", [502, pytest.param(200, marks=pytest.mark.long)])
def test_a_strangers_answer_saves_nothing(installed, own_server, complaints, status):
    """A hand is played while a proxy says that its server is gone, or a hotel wants a name: all is kept, and sent."""
    thumb = begin(installed, played=0)
    own_server.stop()
    with stranger(own_server, status):
        thumb.play(*HANDS[0])
        unsaved = waiting(thumb)
        assert unsaved
        if status == 502:
            thumb.reload().expect("deal")
            assert waiting(thumb) == unsaved
        # What only the server can do comes after what waits.
        told = thumb.page.evaluate(
            "async (address) => (await fetch(address, { method: 'POST' })).text()", f"/g/{thumb.code}/undo"
        )
        assert f'data-waiting="{unsaved}"' in told
    own_server.start()
    saved(thumb)
    assert stored(own_server) == facts(HANDS[:1])
    complaints.forgive(*SOUNDS, "502")


BIDS_KNOWN = """async (count) => {
    const opening = indexedDB.open("scorebook", 1);
    const [game] = await new Promise((resolve) => {
        opening.onsuccess = () => {
            const all = opening.result.transaction("games").objectStore("games").getAll();
            all.onsuccess = () => resolve(all.result);
        };
    });
    opening.result.close();
    return game.now.bids.filter((bid) => bid !== null).length === count;
}"""
FORGETFUL = """
    const { open } = IDBFactory.prototype, { transaction } = IDBDatabase.prototype;
    IDBFactory.prototype.open = function (...asked) {
        if (window.isForgetful) throw new DOMException("full", "UnknownError");
        return open.apply(this, asked);
    };
    IDBDatabase.prototype.transaction = function (...asked) {
        if (window.isForgetful || this.isClosed) {
            this.isClosed = true;
            throw new DOMException("The database connection is closing.", "InvalidStateError");
        }
        return transaction.apply(this, asked);
    };
"""


def test_taps_are_saved_where_the_phone_can_keep_nothing(installed, own_server, complaints):
    """A phone that closes its store, or has no room, asks the server as any page does, and later keeps steps again."""
    thumb = installed.open([NO_WORKER, FORGETFUL])
    thumb.start(*FOUR, dealer=3, hook=False, order="own", plan="2,1", trump="untracked")
    thumb.page.wait_for_function("() => window.answerTap")
    ready(thumb).page.evaluate("() => { window.isForgetful = true }")
    thumb.tap("bid-0-1").tap("bid-1-1")
    assert waiting(thumb) is None
    thumb.page.evaluate("() => { window.isForgetful = false }")
    thumb.tap("bid-2-0")
    until(thumb, BIDS_KNOWN, 3)
    assert [change for change in changes(own_server) if change[0] == "bid"] == [
        ("bid", 1, seat) for seat in range(3)
    ]
    own_server.stop()
    thumb.tap("bid-3-1").expect("play")
    assert waiting(thumb) == 1
    own_server.start()
    complaints.forgive(*SOUNDS)


def test_a_page_that_gives_a_right_is_not_kept(installed, own_server):
    """Of an invitation that is shown once, and of the pages around it, the phone itself keeps nothing."""
    thumb = installed.open()
    thumb.start(*FOUR, dealer=3, hook=False, order="own", plan="2,1", trump="untracked")
    thumb.page.wait_for_function("() => navigator.serviceWorker.controller")
    thumb.open("/").page.locator("a[href$='/keepers']").first.tap()
    thumb.page.locator("form[action$='/invite'] button").tap()
    expect(thumb.page).to_have_url(re.compile("/keepers/link"))
    thumb.open(thumb.page.locator("[data-share]").first.get_attribute("data-share")).open("/rules")
    kept = "async () => (await (await caches.open('pages')).keys()).map(({ url }) => new URL(url).pathname)"
    until(thumb, f"async () => (await ({kept})()).includes('/rules')")
    assert not [path for path in thumb.page.evaluate(kept) if "/keepers" in path or "/k/" in path]


@pytest.mark.long
@pytest.mark.parametrize("worker", [True, False], ids=["by the worker", "over plain http"])
def test_what_another_keeper_wrote_is_not_overwritten(installed, own_server, complaints, worker):
    """The queue stops at each fact that has changed, shows both versions, and goes on when one is chosen."""
    scripts = [] if worker else [NO_WORKER]
    thumb = begin(installed, scripts=scripts)
    own_server.stop()
    bids, took = HANDS[2]
    thumb.play(bids, took)
    unsaved = waiting(thumb)
    address = thumb.page.url.replace("/hands/4", "/hands/3")

    # Meanwhile the other keeper has written down trump and a bid, each another one. (The same cookie will do.)
    installed.context.set_offline(True)
    own_server.start()
    with installed.another(own_server) as other:
        other.open(address).tap("trump-clubs")
        while other.bidder != 0:
            other.tap(f"bid-{other.bidder}-{bids[other.bidder]}")
        other.tap("bid-0-1")
    installed.context.set_offline(False)
    body = thumb.page.locator("body")
    expect(body).to_contain_text("This has changed since")
    expect(body).to_contain_text("Hand 3: hearts")
    expect(body).to_contain_text(f"Steps that wait behind it: {unsaved - 1}")
    assert (3, 0, None, None) not in stored(own_server)
    # Here what was sent is right; at Ada's bid, what the other keeper wrote.
    thumb.rest().tap("mine")
    expect(body).to_contain_text("Hand 3: Ada, bid 2")
    expect(body).to_contain_text("It says")
    # A closed browser forgets neither the question nor what waits behind it.
    installed.close()
    thumb = installed.open(scripts)
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


@pytest.mark.long
def test_a_phone_that_lost_its_right_is_told(installed, own_server, complaints):
    """What it wrote meanwhile is refused with the reason, kept until it is left out, and the phone may look on."""
    thumb = begin(installed, played=0)
    own_server.stop()
    thumb.play(*HANDS[0])
    before = stored(own_server)
    with sqlite3.connect(own_server.data / "scorebook.sqlite") as database:
        database.execute("delete from keeper")
    own_server.start()
    body = thumb.page.locator("body")
    expect(body).to_contain_text("could not be saved as it is")
    expect(body).to_contain_text("Hand 1: hearts")
    expect(body).to_contain_text("This phone may look at the game but not write in it.")
    thumb.page.locator("summary").tap()
    thumb.rest().tap("drop-all")
    assert (thumb.hand, waiting(thumb)) == (1, None)
    expect(thumb.page.locator("form")).to_have_count(0)
    assert stored(own_server) == before
    complaints.forgive(*SOUNDS)


@pytest.mark.long
def test_an_update_of_the_app_strands_no_open_game(installed, own_server, complaints):
    """Steps made with the old scripts reach the new server, and the new scripts go on with the game they have met."""
    thumb = begin(installed, played=0)
    own_server.stop()
    thumb.play(*HANDS[0])
    own_server.update()
    saved(thumb)
    thumb.reload().page.wait_for_function(KNOWN, arg=[thumb.hand, 2])
    own_server.stop()
    thumb.reload().expect("deal")
    style = "() => getComputedStyle(document.querySelector('.page')).display"
    assert thumb.page.evaluate(style) == "flex", "the new style sheet is on the phone, too"
    thumb.play(*HANDS[1])
    assert waiting(thumb)
    own_server.start()
    saved(thumb)
    assert stored(own_server) == facts(HANDS[:2])
    complaints.forgive(*SOUNDS)


@pytest.mark.target("P6")
@pytest.mark.parametrize("worker", [True, False], ids=["by the worker", "over plain http"])
def test_a_tap_that_nobody_answers_is_marked_within_three_seconds(
    installed, own_server, complaints, capsys, worker
):
    """The network swallows everything: the bid stands there as not saved, the next one too, and both arrive once."""
    thumb = installed.open([] if worker else [NO_WORKER])
    thumb.start(*FOUR, dealer=3, hook=False, order="own", plan="2,1", trump="untracked")
    thumb.page.wait_for_function(
        "() => navigator.serviceWorker.controller" if worker else "() => window.answerTap"
    )
    ready(thumb)
    own_server.process.send_signal(signal.SIGSTOP)
    tapped = time.monotonic()
    try:
        thumb.tap("bid-0-1")
        shown = time.monotonic() - tapped
        assert waiting(thumb) == 1
        expect(thumb.page.locator("main")).to_contain_text("Not saved yet: 1")
        expect(thumb.seat("Ada").locator(".seat-bid")).to_have_text("1")
        thumb.tap("bid-1-2")
        assert waiting(thumb) == 2
    finally:
        own_server.process.send_signal(signal.SIGCONT)
    with capsys.disabled():
        print(f"\nnot saved after {shown:.1f} s", file=sys.stderr)
    assert shown <= 3
    thumb.page.clock.fast_forward(6000)
    saved(thumb)
    assert [change for change in changes(own_server) if change[0] == "bid"] == [("bid", 1, 0), ("bid", 1, 1)]
    complaints.forgive(*SOUNDS)


NO_WORKER = "Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => undefined })"


@pytest.mark.long
def test_over_plain_http_the_open_page_keeps_what_was_tapped(installed, own_server, complaints):
    """Without a service worker the page goes on by the same rules, and sends it all when it is opened next."""
    thumb = installed.open([NO_WORKER])
    thumb.start(*FOUR, dealer=3, hook=True, order="own", plan="2,1", trump="untracked")
    thumb.page.wait_for_function("() => window.answerTap")
    ready(thumb).tap("bid-0-1")
    own_server.stop()
    main = thumb.page.locator("main")
    thumb.tap("bid-1-1").tap("undo").tap("bid-1-0")
    # The dealer bids out of turn, so that Chiara is last: against the hook, the table is asked.
    thumb.follow("Dmitri dealer").tap("bid-3-1")
    expect(thumb.button("bid-2-0")).to_have_attribute("aria-disabled", "true")
    thumb.tap("bid-2-0", barred=True)
    expect(main).to_contain_text("Keep it all the same?")
    thumb.follow("No").tap("bid-2-0", barred=True).tap("insist").expect("play").over()
    assert thumb.shown() == {0: 1, 1: 0, 2: 0, 3: 1}
    thumb.tap("save")
    expect(main).to_contain_text("Did everybody really make their bid?")
    thumb.tap("confirm").expect("bids")
    # In turn the hook holds: the number that it bars is refused with the same sentence.
    thumb.tap("bid-1-0").tap("bid-2-0").tap("bid-3-0").tap("bid-0-1", barred=True)
    expect(thumb.page.get_by_role("alert")).to_contain_text(
        "1 is barred: the bids would add up to the 1 card."
    )
    thumb.tap("bid-0-0").over().tap("save")
    expect(main).to_contain_text("The tricks do not add up to the cards.")
    assert (thumb.hand, waiting(thumb)) == (2, 10)
    code = thumb.page.url.split("/")[4]

    installed.close()
    own_server.start()
    thumb = installed.open([NO_WORKER])
    thumb.open(f"/g/{code}/hands/2").page.wait_for_function("() => window.answerTap")
    expect(thumb.page.locator("body")).to_have_class("hand phase-tricks")
    assert stored(own_server) == [(1, 0, 1, 1), (1, 1, 0, 0), (1, 2, 0, 0), (1, 3, 1, 1)]
    complaints.forgive(*SOUNDS)


def test_a_watcher_sees_the_last_state_with_its_time(installed, own_server, complaints):
    """Off the network a page that was seen says when that was; back on it, it is fresh by itself."""
    watcher = installed.open()
    with installed.another(own_server) as keeper:
        keeper.start(*FOUR, dealer=3, hook=False, order="own", plan="2,1", trump="untracked")
        keeper.tap("bid-0-2")
        watcher.open(f"/g/{keeper.code}/hands/1").page.wait_for_function(
            "() => navigator.serviceWorker.controller"
        )
        watcher.reload()
        own_server.stop()
        watcher.reload()
        note = watcher.page.locator(".bar-news")
        expect(note).to_be_visible()
        expect(note).to_have_text(re.compile(r"No network: as of \d\d:\d\d"))
        expect(watcher.seat("Ada").locator(".seat-bid")).to_have_text("2")
        # What the phone has never seen, it says so.
        watcher.open("/rules")
        expect(watcher.page.locator("h1")).to_have_text("No network")
        watcher.open(f"/g/{keeper.code}/hands/1")
        own_server.start()
        keeper.reload().tap("bid-1-1")
    expect(watcher.seat("Bruno").locator(".seat-bid")).to_have_text("1")
    expect(watcher.page.locator(".bar-news")).to_be_hidden()
    complaints.forgive(*SOUNDS)


def test_the_browser_offers_to_install_it(installed, own_server):
    """Chromium finds nothing amiss with manifest, icons and start page."""
    thumb = installed.open()
    thumb.open("/")
    thumb.page.wait_for_function("() => navigator.serviceWorker.controller")
    network = installed.context.new_cdp_session(thumb.page)
    assert network.send("Page.getInstallabilityErrors")["installabilityErrors"] == []


# The rules on the phone are those of rules/


def small_tables() -> Iterator[Sheet]:
    """Tables of 2 to 4 players and 1 to 3 cards before the bids of their second hand, under every rule of the bids."""
    kinds = (True, None), (False, None), *((False, even) for even in EvenTable)
    for players, cards, (hook, even), zeros in product((2, 3, 4), (1, 2, 3), kinds, (0, 1)):
        rules = replace(
            classic(),
            hook=hook,
            simultaneous=even is not None,
            even_table=even or EvenTable.ANNOUNCE,
            zeros_in_a_row=zeros,
            trump=(TrumpMethod.UNTRACKED, TrumpMethod.HIGHEST_BIDDER, TrumpMethod.TURNED)[
                (players + cards) % 3
            ],
            no_trump_on="never",
        )
        seats = tuple(range(players))
        # In the first hand everybody but the last seat bid zero.
        bids = (0,) * (players - 1) + (1,)
        first = Hand(1, 1, players - 1, seats, bids, bids, (None,) * players, is_over=True, is_closed=True)
        sheet = Sheet(rules, tuple(f"P{seat}" for seat in seats), (1, cards, 1), (first,))
        following = sheet.next_hand()
        assert following is not None
        yield replace(sheet, hands=(first, following))


def bidding_cases(sheet: Sheet) -> Iterator[tuple[list[int | None], dict[str, Any]]]:
    """Every way the bids can stand, with what the rules say of it."""
    hand = sheet.hands[-1]
    order, players = sheet.order(hand), len(sheet.names)
    for count in range(players + 1):
        for bids in product(range(hand.cards + 1), repeat=count):
            placed: list[int | None] = [None] * players
            for seat, bid in zip(order, bids, strict=False):
                placed[seat] = bid
            stands = replace(hand, bids=tuple(placed))
            bidding = sheet.bidding(stands)
            yield (
                placed,
                {
                    "legal": [bidding.legal_bids(seat) for seat in order],
                    "barred": [bidding.barred(seat) for seat in order],
                    "next": bidding.next_bidder,
                    "settled": bidding.is_settled,
                    "phase": sheet.phase(stands),
                    "leader": sheet.leader(stands),
                },
            )


def evaluate(page, work: str, cases: Any) -> Any:
    """Run some JavaScript with the rules of the phone at hand."""
    source = (Path(__file__).parents[2] / "static/hand.js").read_text("utf-8")
    return page.evaluate(
        f"(cases) => {{ {source}\n return ({work})(JSON.parse(cases)); }}", json.dumps(cases)
    )


def test_the_phone_allows_the_same_bids(browser):
    """Over every way the bids of small tables can stand: what is legal, barred, next, settled, and the phase."""
    cases = [(known(sheet), list(bidding_cases(sheet))) for sheet in small_tables()]
    work = """(cases) => cases.flatMap(([game, ways]) => ways.filter(([bids, expected]) => {
        const state = { ...hands.begin(game), bids };
        const bidding = hands.bidding(game, state);
        const numbers = [...Array(hands.dealt(game, state).cards + 3).keys()].map((bid) => bid - 1);
        const found = {
            legal: bidding.order.map((seat) => numbers.filter((bid) => !bidding.refusal(seat, bid))),
            barred: bidding.order.map(bidding.barred),
            next: bidding.next ?? null,
            settled: bidding.isSettled,
            phase: hands.phase(game, state),
            leader: hands.leader(game, state),
        };
        return Object.keys(expected).some((key) => JSON.stringify(found[key]) !== JSON.stringify(expected[key]));
    }))"""
    page = browser.new_page()
    assert sum(len(ways) for _game, ways in cases) > 1000
    assert evaluate(page, work, cases) == []
    page.close()


def test_the_phone_counts_the_same_tricks_and_points(browser):
    """Over every bid and every trick of small tables: what is proposed, what is refused, the totals, who deals next."""
    cases = []
    for sheet in small_tables():
        hand, players = sheet.hands[-1], len(sheet.names)
        if players > 3 or hand.cards > 2 or sheet.rules.zeros_in_a_row:
            continue
        counts = range(hand.cards + 1)
        for bids in product(counts, repeat=players):
            over = replace(hand, bids=bids, is_over=True)
            if not sheet.bidding(over).is_settled:
                continue
            ways = []
            for took in product((None, *counts), repeat=players):
                stands = replace(over, took=took)
                way = {"took": took, "proposed": stands.proposed()}
                if None not in took:
                    closed = replace(stands, is_closed=True)
                    way["refused"] = bool(stands.tricks_problems(took))
                    way["totals"] = replace(sheet, hands=(*sheet.hands[:-1], closed)).totals
                    way["dealer"] = next_dealer(hand.table, hand.dealer, sheet.rules.direction, hand.table)
                ways.append(way)
            cases.append((known(replace(sheet, hands=(*sheet.hands[:-1], over))), ways))
    work = """(cases) => cases.flatMap(([game, ways]) => ways.filter(({ took, proposed, refused, totals, dealer }) => {
        const state = { ...hands.begin(game), took };
        if (JSON.stringify(hands.proposed(game, state)) !== JSON.stringify(proposed)) return true;
        if (!totals) return false;
        const fields = Object.fromEntries(took.map((tricks, seat) => [`tricks-${seat}`, String(tricks)]));
        const step = { number: state.number, part: "score", fields };
        try {
            const next = hands.play(game, state, step);
            const isSame = JSON.stringify(next.totals) === JSON.stringify(totals);
            return refused || !isSame || hands.dealt(game, next).dealer !== dealer;
        } catch (objection) {
            return !refused || objection.what !== "sum";
        }
    }))"""
    page = browser.new_page()
    assert sum(len(ways) for _game, ways in cases) > 1000
    assert evaluate(page, work, cases) == []
    page.close()


# Moments


def test_moments_and_the_day_are_those_of_the_reader(take_phone):
    """In Auckland it may be tomorrow already: the game belongs to the table's day, the log shows the table's clock."""
    zone = "Pacific/Auckland"
    thumb = take_phone(timezone_id=zone)
    thumb.open("/new")
    there = "() => new Intl.DateTimeFormat('sv-SE').format(new Date())"
    expect(thumb.page.locator("input[data-today]")).to_have_value(thumb.page.evaluate(there))
    thumb.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked", hook=False)
    thumb.tap("bid-0-1").open(f"/g/{thumb.code}/log")
    expect(thumb.page.locator("ol.log time[data-local]")).to_have_count(1)
    said = thumb.page.locator("ol.log time")
    assert "UTC" not in said.inner_text()
    clock = "(at) => new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(new Date(at))"
    assert said.inner_text() == thumb.page.evaluate(clock, said.get_attribute("datetime"))


@pytest.mark.parametrize(
    ("zone", "told"), [("Pacific/Auckland", "1 Feb 2026, 12:30"), ("America/Los_Angeles", "15:30")]
)
def test_a_moment_has_its_day_where_that_is_not_the_games(take_phone, zone, told):
    """One moment of the evening of 31 January, read in two zones: with its date only where it is another one."""
    thumb = take_phone(timezone_id=zone).open("/settings")
    moment = '<time datetime="2026-01-31T23:30:00+00:00" data-day="2026-01-31"></time>'
    thumb.page.evaluate("(moment) => document.body.insertAdjacentHTML('beforeend', moment)", moment)
    expect(thumb.page.locator("time[data-day]")).to_have_text(told)
