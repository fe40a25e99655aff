"""How many taps a hand costs its keeper, and that no keyboard ever opens."""

from __future__ import annotations

import sys
import time

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
FIVE = (*FOUR, "Eline")


@pytest.mark.target("P1")
@pytest.mark.parametrize(
    ("names", "bids", "tricks", "most"),
    [(FOUR, [2, 1, 0, 1], [2, 1, 1, 1], 8), (FIVE, [2, 1, 0, 1, 0], [2, 1, 1, 1, 0], 9)],
    ids=["four", "five"],
)
def test_a_hand_of_five_cards_costs_few_taps(thumb, capsys, names, bids, tricks, most):
    """From the dealt cards to the next deal: trump, a tap for each bid, hand over, one correction, save."""
    thumb.start(*names, dealer=len(names) - 1, hook=True, order="own", plan="5,5", no_trump_on="never")
    thumb.expect("deal").tap("trump-hearts")
    no_keyboard(thumb)
    for seat, bid in enumerate(bids):
        thumb.tap(f"bid-{seat}-{bid}")
        no_keyboard(thumb)
    thumb.expect("play").tap("over").expect("tricks")
    no_keyboard(thumb)
    thumb.tap("more-2")
    no_keyboard(thumb)
    thumb.tap("save").expect("deal")
    no_keyboard(thumb)
    assert thumb.hand == 2
    expect(thumb.page.locator(".last")).to_be_visible()
    with capsys.disabled():
        print(f"\n{len(names)} players, 5 cards: {thumb.taps} taps, {most} at the most", file=sys.stderr)
    assert thumb.taps <= most


@pytest.mark.target("P1")
def test_a_practised_hand_keeps_five_players_in_twenty_seconds(thumb, capsys):
    """Five bids in six taps at most, tricks in six, all of it in 20 s by a thumb that moves in 350 ms; no keyboard."""
    thumb.start(*FIVE, dealer=4, hook=True, order="own", plan="5,5", no_trump_on="never")
    page, taps = thumb.page, 0
    begun = time.monotonic()

    def tap(*keys):
        nonlocal taps
        for key in keys:
            page.wait_for_timeout(350)
            thumb.tap(key)
            no_keyboard(thumb)
            taps += 1

    tap("trump-hearts")
    taps = 0
    tap(*(f"bid-{seat}-{bid}" for seat, bid in enumerate([2, 1, 0, 1, 0])))
    thumb.expect("play")
    bids, taps = taps, 0
    tap("over", "less-0", "more-2", "more-4", "save")
    thumb.expect("deal")
    took = time.monotonic() - begun
    with capsys.disabled():
        print(f"\n5 players: bids {bids} taps, tricks {taps}, whole hand {took:.1f} s", file=sys.stderr)
    assert bids <= 6
    assert taps <= 6
    assert took <= 20
    assert thumb.hand == 2


def no_keyboard(thumb):
    """Nothing on the page would open the keyboard of a phone."""
    fields = thumb.page.locator(
        "input:not([type=hidden], [type=radio], [type=checkbox]), textarea, [contenteditable]"
    )
    expect(fields).to_have_count(0)


def test_a_finished_game_costs_two_taps_to_play_again(thumb):
    """The same table and its rules are filled in for the next game, and the deal has moved on."""
    thumb.start(*FOUR, dealer=0, hook=True, order="own", plan="1", no_trump_on="never")
    thumb.play([0, 0, 0, 0], [1, 0, 0, 0])
    thumb.taps = 0
    thumb.follow("Play again").tap("start").expect("deal")
    assert thumb.taps == 2
    expect(thumb.page.locator(".deal-who")).to_contain_text("Bruno")
