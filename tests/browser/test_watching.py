"""Other phones, and the tablet in the middle, while one of them writes."""

from __future__ import annotations

import sys
import time

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
SOON = 3000  # milliseconds; the pages ask every second and a half


@pytest.mark.case("A18")
def test_a_bid_shows_on_every_phone_by_itself(thumb, take_phone, complaints):
    """A watcher and the board show a bid within 3 s, keep their scroll, and are fresh again after being away."""
    thumb.start(*FOUR, dealer=3, order="own", plan="5,4", no_trump_on="never", hook=True)
    thumb.tap("trump-hearts").expect("bids")
    watcher = take_phone(viewport={"width": 360, "height": 400})
    board = take_phone(viewport={"width": 1024, "height": 768}, is_mobile=False)
    watcher.page.goto(f"/g/{thumb.code}/hands/1")
    board.page.goto(f"/g/{thumb.code}/board")
    began = time.monotonic()
    thumb.tap("bid-0-2")
    expect(watcher.page.locator("b.seat-bid")).to_have_text("2", timeout=SOON)
    expect(board.page.locator(".board-bid").first).to_have_text("2", timeout=SOON)
    print(f"a bid shows on both others after {time.monotonic() - began:.1f} s", file=sys.stderr)

    watcher.page.context.set_offline(True)
    thumb.bid(2, 1, 0, 1).over().took(2, 1, 1, 1).expect("deal")
    watcher.page.context.set_offline(False)
    expect(watcher.page.locator("h1")).to_have_text("Hand 2 of 2", timeout=SOON)
    expect(watcher.page.locator(".last")).to_be_visible()
    complaints.forgive("ERR_INTERNET_DISCONNECTED")

    watcher.page.goto(f"/g/{thumb.code}")
    watcher.page.evaluate("window.scrollTo(0, 80)")
    thumb.play([1, 1, 1, 0], [1, 1, 1, 1])
    expect(watcher.page.locator("h1")).to_have_text("Final score", timeout=SOON)
    assert watcher.page.evaluate("window.scrollY") == 80
    assert watcher.page.locator("form").count() == 0
