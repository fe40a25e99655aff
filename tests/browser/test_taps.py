"""How many taps a hand costs its keeper, and that no keyboard ever opens."""

from __future__ import annotations

import sys

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
FIVE = (*FOUR, "Eline")


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
