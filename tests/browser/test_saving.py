"""Every tap is kept: through a reload, Back, a closed tab, an impatient thumb and a network that fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Route, expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.fixture
def table(thumb):
    """Four players before the first of three hands of five cards; Dmitri deals, Ada bids first."""
    return thumb.start(*FOUR, dealer=3, hook=True, order="own", plan="5,5,5", no_trump_on="never")


def shown(thumb) -> str:
    """All that the page says."""
    return thumb.page.locator("main").inner_text()


def double_tap(thumb, key: str) -> None:
    """Two taps on the same spot, the second before anything could answer the first."""
    thumb.button(key).scroll_into_view_if_needed()
    box = thumb.button(key).bounding_box()
    spot = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # However busy the computer is, no time passes on the phone between the two.
    thumb.page.clock.pause_at(thumb.page.evaluate("Date.now() / 1000 + 10"))
    thumb.mark()
    thumb.page.touchscreen.tap(*spot)
    thumb.page.touchscreen.tap(*spot)
    thumb.wait().page.clock.resume()
    thumb.page.wait_for_load_state("networkidle")


def check_kept(thumb) -> None:
    """The page says the same after a reload, after Back and Forward, and in a tab opened anew."""
    before, where = shown(thumb), thumb.page.locator("body").get_attribute("class")
    assert shown(thumb.reload()) == before, "after a reload"
    thumb.page.go_back()
    expect(thumb.page.locator("body")).not_to_have_class(where)
    thumb.page.go_forward()
    expect(thumb.page.locator("body")).to_have_class(where)
    assert shown(thumb.rest()) == before, "after Back and Forward"
    tab = thumb.page.context.new_page()
    tab.goto("/")
    tab.get_by_role("link", name="Go on").tap()
    tab.wait_for_url("**/hands/*")
    assert tab.locator("main").inner_text() == before, "in a tab opened anew"
    tab.close()


def test_nothing_is_lost_in_any_phase(table):
    """Reload, Back and a closed tab keep trump, bids, cursor, tally and tricks."""
    check_kept(table.expect("deal"))
    table.tap("trump-clubs").tap("bid-0-2").tap("bid-1-0")
    assert table.bidder == 2
    check_kept(table.expect("bids"))
    assert table.bidder == 2
    table.bid(2, 0, 1, 1)
    table.tally(2, 1)
    check_kept(table.expect("play"))
    expect(table.seat("Ada")).to_contain_text("just right")
    expect(table.seat("Bruno")).to_contain_text("1 too many")
    table.over().tap("more-0")
    check_kept(table.expect("tricks"))
    assert table.shown()[0] == 3


def test_back_to_a_saved_hand_is_harmless(table):
    """Back shows what was saved, a tap there leads on, and nothing is entered twice."""
    table.play([2, 1, 0, 1], [2, 1, 1, 1]).play([1, 1, 1, 1], [2, 1, 1, 1])
    table.tap("trump-spades").tap("bid-2-3")
    before = shown(table)
    table.page.go_back()
    expect(table.page).to_have_url(f"{table.page.url.rpartition('/')[0]}/2")
    table.expect("scored").rest()
    table.follow("Go on with hand 3").expect("bids")
    assert shown(table) == before
    assert table.open(f"/g/{table.code}").totals() == [12, 22, 11, 22]


def test_two_taps_on_a_key_are_one_bid(table):
    """The second of two taps on the same spot neither bids for the next player nor takes anything back."""
    double_tap(table, "trump-hearts")
    assert table.expect("bids").bidder == 0
    for seat in range(3):
        double_tap(table, f"bid-{seat}-1")
        assert table.expect("bids").bidder == seat + 1
    double_tap(table, "bid-3-1")
    table.expect("play")
    expect(table.page.locator(".seat-bid")).to_have_text(["1", "1", "1", "1"])
    expect(table.page.locator("[data-key^=tally-less]")).to_have_count(0)


def test_two_taps_on_save_save_one_hand(table):
    """The second tap on Save falls on the next deal, which is deaf to it."""
    table.tap("trump-hearts").bid(2, 1, 0, 1).over().tap("more-2")
    double_tap(table, "save")
    assert table.expect("deal").hand == 2
    assert table.reload().expect("deal").hand == 2


def test_a_new_key_is_deaf_to_a_hasty_thumb(table):
    """What has just appeared under the thumb does nothing for 300 ms, and listens after that."""
    table.page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))
    sent: list[str] = []
    table.page.on("request", lambda request: sent.append(request.method))
    table.mark()
    table.button("trump-hearts").tap()
    expect(table.page.locator("[data-page]:not([data-old])")).to_be_attached()
    sent.clear()
    table.button("bid-0-2").tap()
    table.page.clock.fast_forward(299)
    table.button("bid-0-2").tap()
    assert (sent, table.bidder) == ([], 0)
    table.page.clock.fast_forward(1)
    assert table.tap("bid-0-2").bidder == 1


def test_a_slow_network_takes_taps_in_turn(table):
    """While a tap is on its way, more of them wait: none is lost, and a key that is gone by then does nothing."""
    table.tap("trump-hearts")
    table.mark()
    with slow(table, "**/bids"):
        table.button("bid-0-2").tap()
        table.button("bid-0-1").tap()
    table.wait().page.wait_for_load_state("networkidle")
    assert table.bidder == 1
    expect(table.seat("Ada").locator(".seat-bid")).to_have_text("2")

    table.bid(2, 1, 0, 1)
    with slow(table, "**/tally"):
        for key in ("tally-0", "tally-0", "tally-2", "tally-1"):
            table.button(key).tap()
    expect(table.seat("Bruno")).to_contain_text("just right")
    expect(table.seat("Ada")).to_contain_text("just right")
    expect(table.seat("Chiara")).to_contain_text("1 too many")


def test_choices_made_meanwhile_are_kept(thumb):
    """On a slow network a second choice and a name typed before the first answer arrives are not undone by it."""
    thumb.open("/new")
    hook, order = (thumb.page.locator(f"input[{which}]") for which in ("name=hook", "value='H..1,2..H'"))
    was = hook.is_checked()
    thumb.mark()
    with slow(thumb, "**/new"):
        hook.tap()
        order.tap()
        thumb.page.locator("#newcomers").fill("Ada, Bru")
    thumb.wait().page.wait_for_load_state("networkidle")
    expect(hook).to_be_checked(checked=not was)
    expect(order).to_be_checked()
    expect(thumb.page.locator("#newcomers")).to_have_value("Ada, Bru")
    expect(thumb.page.locator("#newcomers")).to_be_focused()


@contextmanager
def slow(thumb, address: str) -> Iterator[None]:
    """A network on which nothing sent to these addresses arrives before the end of the block."""
    held: list[Route] | None = []

    def hold(route: Route) -> None:
        if held is None:
            route.continue_()
        else:
            held.append(route)

    thumb.page.route(address, hold)
    yield
    arriving, held = held, None
    for route in arriving:
        route.continue_()


def test_undo_tapped_twice_on_a_slow_network_takes_back_one_step(table):
    """Who taps again because nothing happens does not mean the step before as well."""
    table.tap("trump-hearts").tap("bid-0-2").tap("bid-1-1").mark()
    with slow(table, "**/undo"):
        table.button("undo").tap()
        table.button("undo").tap()
    table.wait().page.wait_for_load_state("networkidle")
    assert table.bidder == 1


def test_a_place_on_the_page_is_no_other_page(table):
    """The table of contents leads down the page, and what was typed on it stays."""
    table.open(f"/g/{table.code}/table")
    typed = table.page.locator("form[action*='/join'] input[name=name]")
    typed.fill("Fari")
    table.page.locator("a[href='#points'], a[href='#coming']").first.tap()
    table.page.wait_for_load_state("networkidle")
    assert "#" in table.page.url
    expect(typed).to_have_value("Fari")


def test_a_browser_that_cannot_say_which_button_sends_plain_forms(thumb):
    """Without `SubmitEvent.submitter` every tap would lack its number: the forms are left to the browser."""
    thumb.page.add_init_script("delete SubmitEvent.prototype.submitter")
    thumb.scripted = False
    expect(thumb.open("/new").page.locator(".without-script").first).to_be_visible()
    thumb.start("Ada", "Bruno", "Chiara", dealer=2, hook=True, order="own", plan="2,1")
    thumb.play((1, 0, 0), (2, 0, 0), "spades")
    assert thumb.hand == 2
    assert [row[1:3] for row in thumb.last()] == [("0", "0"), ("0", "0"), ("1", "2")]


def test_a_failed_request_is_sent_again_by_the_browser(table, complaints):
    """A POST that breaks off on its way is sent as any other form, and has one effect."""
    table.tap("trump-hearts")
    table.page.route("**/bids", lambda route: route.abort(), times=1)
    table.tap("bid-0-2")
    assert table.expect("bids").bidder == 1
    expect(table.seat("Ada").locator(".seat-bid")).to_have_text("2")
    # The answer is lost after the bid was stored.
    table.page.route("**/bids", lambda route: (route.fetch(max_redirects=0), route.abort()), times=1)
    table.tap("bid-1-1")
    assert table.expect("bids").bidder == 2
    table.tap("undo")
    assert table.bidder == 1
    table.tap("undo")
    assert table.bidder == 0
    complaints.forgive("ERR_FAILED")


def test_without_a_network_nothing_is_lost(table, complaints):
    """Off the network the browser says so; back on it, the hand stands as it was left."""
    table.tap("trump-hearts").tap("bid-0-2")
    address = table.page.url
    table.page.context.set_offline(True)
    table.button("bid-1-1").tap()
    expect(table.page.locator("[data-page]")).to_have_count(0)
    table.page.context.set_offline(False)
    table.page.go_back()
    expect(table.page).to_have_url(address)
    table.rest()
    assert table.expect("bids").bidder == 1
    assert table.tap("bid-1-1").bidder == 2
    complaints.forgive("ERR_INTERNET_DISCONNECTED")


def test_undo_takes_back_step_by_step(table):
    """Undo is on every screen of a hand and takes back one tap, also the one that saved the hand before."""
    table.tap("trump-hearts").tap("undo").expect("deal").tap("trump-spades")
    table.tap("bid-0-3").tap("undo")
    assert table.bidder == 0
    table.bid(2, 1, 0, 1).tap("tally-1").tap("undo")
    expect(table.page.locator("[data-key^=tally-less]")).to_have_count(0)
    table.over().tap("more-2").tap("undo")
    assert list(table.shown().values()) == [2, 1, 0, 1]
    table.took(2, 1, 1, 1).expect("deal")
    assert table.tap("undo").expect("tricks").hand == 1
    assert list(table.shown().values()) == [2, 1, 1, 1]
