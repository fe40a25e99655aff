"""Other phones, and the tablet in the middle, while one of them writes."""

from __future__ import annotations

import re
import sys
import time

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
LONG = tuple(f"{name} {'with a name of forty characters'[: 39 - len(name)]}".ljust(40, "m") for name in FOUR)
SOON = 2000  # milliseconds in which a bid shows on every phone
WAKING = 3000  # milliseconds in which a phone that was away is fresh again


@pytest.fixture
def table(thumb):
    """Five cards, hearts; Dmitri deals, Ada bids first."""
    thumb.start(*FOUR, dealer=3, order="own", plan="5,4", no_trump_on="never", hook=True)
    return thumb.tap("trump-hearts").expect("bids")


@pytest.mark.case("A18")
@pytest.mark.target("S18")
def test_a_bid_shows_on_every_phone_by_itself(table, take_phone, complaints):
    """A watcher and the board show a bid within 2 s, and are fresh within 3 s after being away, to the final sheet."""
    watcher = take_phone(viewport={"width": 360, "height": 400})
    board = take_phone(viewport={"width": 1024, "height": 768}, is_mobile=False)
    watcher.page.goto(f"/g/{table.code}/hands/1")
    board.page.goto(f"/g/{table.code}/board")
    began = time.monotonic()
    table.tap("bid-0-2")
    expect(watcher.page.locator("b.seat-bid")).to_have_text("2", timeout=SOON)
    expect(board.page.locator(".board-bid").first).to_have_text("2", timeout=SOON)
    print(f"a bid shows on both others after {time.monotonic() - began:.1f} s", file=sys.stderr)
    expect(watcher.page.locator("[data-announcer]")).to_have_text("Ada bids 2.")
    table.tap("bid-1-1")
    expect(watcher.page.locator("[data-announcer]")).to_have_text("Bruno bids 1.", timeout=SOON)

    watcher.page.context.set_offline(True)
    expect(watcher.page.locator(".bar-news")).to_have_text(
        re.compile(r"No network: as of \d\d:\d\d"), timeout=SOON
    )
    expect(watcher.page.locator(".bar-news")).to_be_visible()
    table.bid(2, 1, 0, 1).over().took(2, 1, 1, 1).expect("deal")
    watcher.page.context.set_offline(False)
    expect(watcher.page.locator("h1")).to_have_text("Hand 2 of 2", timeout=WAKING)
    expect(watcher.page.locator(".bar-news")).to_be_hidden()
    expect(watcher.page.locator(".last")).to_be_visible()
    expect(board.page.locator("h1")).to_have_text("Hand 2 of 2", timeout=SOON)
    complaints.forgive("ERR_INTERNET_DISCONNECTED")

    table.play([1, 1, 1, 0], [1, 1, 1, 1])
    for other in (watcher, board):
        expect(other.page.locator("h1")).to_have_text("Final score", timeout=SOON)
    expect(watcher.page.locator("[data-announcer]")).to_have_text(re.compile("wins with"))
    assert watcher.page.url.endswith(f"/g/{table.code}")
    assert watcher.page.locator("form").count() == board.page.locator("button, form").count() == 0


def test_only_what_changed_is_touched(table, take_phone):
    """While bids fall, a watcher's scroll, focus, selection and every node that says the same stay."""
    table.bid(2, 1, 0, 1).over().took(2, 1, 1, 1).tap("trump-clubs").expect("bids")
    watcher = take_phone(viewport={"width": 320, "height": 400})
    watcher.page.goto(f"/g/{table.code}")
    watcher.page.get_by_role("link", name="Log").focus()
    watcher.page.evaluate("window.scrollTo(0, 150)")
    watcher.page.evaluate("""() => {
      for (const each of document.querySelectorAll("[data-page] *")) each.known = true;
      getSelection().selectAllChildren(document.querySelector(".grid tfoot"));
    }""")
    table.tap("bid-1-1")
    expect(watcher.page.locator(".now .seat-bid").first).to_have_text("1", timeout=SOON)
    fresh = watcher.page.evaluate(
        "[...document.querySelectorAll('[data-page] *')].filter((each) => !each.known).map((each) => each.className)"
    )
    assert fresh in (["seat-bid"], ["seat-bid", "name"]), "the bid, and nothing else"
    assert watcher.page.evaluate("window.scrollY") == 150
    assert watcher.page.evaluate("document.activeElement.textContent") == "Log"
    assert "Total" in watcher.page.evaluate("getSelection().toString()")


def test_nobody_asks_while_the_page_is_not_seen(table, take_phone):
    """A phone in a pocket is quiet; taken out again, it asks at once."""
    watcher = take_phone()
    asked = []
    watcher.page.on(
        "request", lambda request: asked.append(request.url) if "version" in request.url else None
    )
    watcher.page.goto(f"/g/{table.code}/hands/1")
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    watcher.page.evaluate(hide, True)
    asked.clear()
    watcher.page.clock.run_for(10_000)
    assert not asked
    with watcher.page.expect_request("**/version", timeout=2000):
        watcher.page.evaluate(hide, False)


@pytest.mark.case("A18")
def test_a_keepers_page_is_not_changed_under_the_thumb(table, take_phone):
    """When another phone writes, a keeper's page says so and keeps its keys, until it was left alone for a while."""
    second = take_phone(storage_state=table.page.context.storage_state())
    second.open(f"/g/{table.code}/hands/1").expect("bids")
    line = second.page.get_by_role("link", name="Another phone has written. Show it")
    expect(line).to_be_hidden()
    second.page.locator(".facts").tap()
    keys = second.page.locator(".keys").bounding_box()
    table.tap("bid-0-2")
    second.page.clock.run_for(1500)
    expect(line).to_be_visible()
    assert second.bidder == 0, "the keys are those that the thumb aims at"
    assert second.page.locator(".keys").bounding_box() == keys
    line.tap()
    expect(line).to_be_hidden()
    assert second.bidder == 1

    table.tap("bid-1-1")
    second.page.clock.run_for(9000)
    expect(second.page.locator("#bidder")).to_have_text("Chiara bids")
    expect(line).to_be_hidden()
    # A thumb that was on its way hits nothing.
    second.page.locator('[data-key="bid-2-0"]').tap()
    assert second.bidder == 2
    second.page.clock.run_for(1100)
    second.tap("bid-2-0")
    assert second.bidder == 3


def test_a_phone_speaks_shakes_and_stays_awake(take_phone, complaints):
    """Read aloud speaks the server's sentence, a barred bid is felt, and the screen stays on while a hand is open."""
    thumb = take_phone()
    thumb.page.add_init_script("""
      window.done = [];
      Object.defineProperty(window, "speechSynthesis", { value: {
        speaking: false, cancel() {}, speak(spoken) { done.push(`${spoken.lang}: ${spoken.text}`); } } });
      navigator.vibrate = (time) => done.push(`shaken ${time}`);
      Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
        done.push("awake");
        return { released: false, async release() { this.released = true; done.push("asleep"); } }; } } });
    """)
    thumb.start("Ada", "Bruno", "Chiara", dealer=2, order="own", plan="1", no_trump_on="never", hook=True)
    assert thumb.page.evaluate("done") == ["awake"]
    thumb.tap("trump-hearts").tap("bid-0-0").tap("bid-1-0")
    thumb.page.evaluate("done.length = 0")
    thumb.tap("bid-2-1", barred=True).expect("bids")
    assert set(thumb.page.evaluate("done")) == {"shaken 60"}
    thumb.tap("bid-2-0").expect("play")
    thumb.page.evaluate("done.length = 0")
    thumb.page.get_by_role("button", name="Read aloud").tap()
    said = "Trump: hearts. Ada bids 0. Bruno bids 0. Chiara bids 0. The bids are under by 1. Ada leads."
    assert [" ".join(each.split()) for each in thumb.page.evaluate("done")] == [f"en: {said}"]
    thumb.page.evaluate("done.length = 0")
    thumb.over().took(0, 0, 1)
    expect(thumb.page.locator(".winner")).to_be_visible()
    assert thumb.page.evaluate("done")[-1] == "asleep"
    complaints.forgive("422")


def test_a_card_is_shared_where_a_phone_can(take_phone):
    """One button shares the address, or copies it; where a phone can do neither, the address alone is in sight."""
    thumb = take_phone()
    thumb.page.add_init_script(
        "window.shared = []; navigator.share = async (what) => { shared.push(what.url); };"
    )
    thumb.start("Ada", "Bruno", "Chiara", dealer=2, order="own", plan="1", trump="untracked", hook=False)
    thumb.play([1, 0, 0], [0, 1, 0]).open(f"/g/{thumb.code}/card")
    thumb.page.get_by_role("button", name="Send").tap()
    assert thumb.page.evaluate("shared") == [thumb.page.url]
    copying = take_phone(permissions=["clipboard-read", "clipboard-write"])
    copying.page.add_init_script("delete Navigator.prototype.share")
    copying.page.goto(thumb.page.url)
    copying.page.get_by_role("button", name="Send").tap()
    expect(copying.page.get_by_role("button", name="Copied")).to_be_visible()
    assert copying.page.evaluate("navigator.clipboard.readText()") == thumb.page.url
    plain = take_phone()
    plain.page.add_init_script(
        "delete Navigator.prototype.share; Object.defineProperty(navigator, 'clipboard', { value: undefined });"
    )
    plain.page.goto(thumb.page.url)
    expect(plain.page.get_by_text(thumb.page.url)).to_be_visible()
    expect(plain.page.get_by_role("button", name="Send")).to_be_hidden()


def test_watching_without_scripts(table, plain_thumb):
    """A plain page with everything on it, a link that brings the latest, and one's own row by a plain form."""
    page = plain_thumb.page
    page.goto(f"/g/{table.code}")
    expect(page.locator(".now .seat-bid").first).to_have_text(re.compile("–"))
    table.tap("bid-0-2")
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator(".now .seat-bid").first).to_have_text("2")
    page.get_by_role("link", name="I am …").first.click()
    page.get_by_role("button", name="Bruno").click()
    expect(page.locator(".now .seat:has(.you)")).to_contain_text("Bruno")
    page.goto(f"/g/{table.code}/now")
    table.bid(2, 1, 0, 1).over().took(2, 1, 1, 1)
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("h1")).to_have_text("Hand 2 of 2")
    assert not page.get_by_role("button").count()


@pytest.mark.parametrize("names", [FOUR, (*LONG, "Eline", "Farid", "Greta")], ids=["four", "seven"])
def test_the_board_fits_its_screen(take_phone, names):
    """Nothing is cut off on a tablet, a television and a phone, and a tablet never scrolls."""
    keeper = take_phone()
    last = len(names) - 1
    keeper.start(*names, dealer=last, order="own", plan="5,4", no_trump_on="never", hook=False)
    keeper.tap("trump-hearts").bid(*[1] * len(names)).tap("tally-0").tap("tally-1")
    board = take_phone(is_mobile=False)
    board.page.goto(f"/g/{keeper.code}/board")
    for width, height in ((1024, 768), (1920, 1080), (360, 740), (320, 568)):
        board.page.set_viewport_size({"width": width, "height": height})
        wide, tall, outside, cut = board.page.evaluate("""() => {
          const root = document.documentElement;
          const seen = [...document.querySelectorAll("main *")].filter((each) => !each.closest(".unseen"));
          return [root.scrollWidth, root.scrollHeight,
            seen.filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.className),
            [...document.querySelectorAll("main bdi")].filter((each) => each.scrollHeight > each.clientHeight + 2
              && getComputedStyle(each).overflow === "hidden").map((each) => each.textContent)];
        }""")
        assert (wide, outside, cut) == (width, [], []), f"{width} x {height}"
        if width >= 1024:
            assert tall == height
            sizes = board.page.locator(".board-bid").evaluate_all(
                "bids => bids.map(bid => parseFloat(getComputedStyle(bid).fontSize))"
            )
            assert min(sizes) >= 48, "the bids are read from two metres away"


def test_what_is_corrected_on_the_sheet_is_large_enough(table):
    """Each total that leads to the correction of its hand is at least 24 pixels tall."""
    table.bid(2, 1, 0, 1).over().took(2, 1, 1, 1).open(f"/g/{table.code}")
    heights = table.page.locator("a.grid-total").evaluate_all(
        "links => links.map(link => link.getBoundingClientRect().height)"
    )
    assert len(heights) == len(FOUR)
    assert min(heights) >= 24
