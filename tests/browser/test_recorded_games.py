"""Games that were really played, entered hand by hand through the screens."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect


def recorded(pytestconfig, name: str) -> dict[str, Any]:
    """A recorded game: its players, its hands and the totals its table counted."""
    path = pytestconfig.rootpath / "tests" / "data" / "games" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.long
def test_seven_play_podrida_by_their_own_plan(thumb, pytestconfig):
    """Podrida of seven by the table's own plan, the deal going counter-clockwise, gives the recorded totals."""
    game = recorded(pytestconfig, "rec02-podrida-7p-14of21")
    names = game["players"]
    thumb.is_quick = True
    plan = "1..6,7*9,6..1"
    thumb.start(*names, variant="podrida", order="own", plan=plan, trump="untracked", hook=True)
    expect(thumb.page.locator("h1")).to_have_text("Hand 1 of 21")
    for number, hand in enumerate(game["hands"], 1):
        # Counter-clockwise: each next dealer, and the first to bid, sits to the right of the one before.
        dealer, first = names[(1 - number) % 7], names[-number % 7]
        expect(thumb.expect("bids").page.locator(".facts")).to_contain_text(f"{dealer} deals")
        expect(thumb.page.get_by_text(f"{first} bids")).to_be_visible()
        thumb.play(hand["bids"], hand["tricks"])
    assert thumb.hand == 15
    assert thumb.open(f"/g/{thumb.code}").totals() == game["totals"]


@pytest.mark.long
def test_four_play_classic_down_and_up(thumb, pytestconfig):
    """Classic of four, ten cards down to one and up again with the hook, gives the recorded totals."""
    game = recorded(pytestconfig, "syn01-classic-4p-10down-10up")
    thumb.is_quick = True
    order = {"order": "H..1,2..H", "largest": "10", "no_trump_on": "never"}
    thumb.start(*game["players"], hook=True, **order)
    for number, hand in enumerate(game["hands"], 1):
        assert thumb.hand == number
        expect(thumb.expect("deal").page.locator(".deal-who")).to_contain_text(hand["dealer"])
        expect(thumb.page.locator(".deal-cards")).to_have_text(str(hand["cards"]))
        thumb.play(hand["bids"], hand["tricks"], hand["trump"])
    assert thumb.totals() == game["totals"]
    expect(thumb.page.locator(".winner-who")).to_have_text("Chiara")
