"""One hand at the table, as its keeper sees it."""

from __future__ import annotations

import pytest

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.mark.case("A1")
@pytest.mark.parametrize(("missed", "points"), [("0", [11, 10, 0, 10]), ("tricks", [11, 10, 2, 10])])
def test_a_plain_hand_is_scored_and_the_deal_moves_on(table, missed, points):
    """Bids and tricks of one hand give the points of the rules, and the next player deals."""
    table.start(*FOUR, dealer=3, hook=True, order="own", plan="3,2", missed=missed, no_trump_on="never")
    table.play(bids=[1, 0, 1, 0], tricks=[1, 0, 2, 0])
    assert table.hand == 2
    assert "Ada shuffles and deals 2 cards each" in table.phone.text
    last = [
        [cell.get_text(strip=True) for cell in row.find_all(["th", "td"])]
        for row in table.phone.page.select(".last tbody tr")
    ]
    assert {row[0]: row[1:3] for row in last} == {
        "Ada": ["1", "1"],
        "Bruno": ["0", "0"],
        "Chiara": ["1", "2"],
        "Dmitri": ["0", "0"],
    }
    assert table.totals() == points
