"""Recorded games, kept again through the pages, hand by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.pages

GAMES = Path(__file__).parents[1] / "data" / "games"


def kept(table, record, **switches):
    """Play a whole record on the phone and give the totals that the sheet shows."""
    table.start(*record["players"], dealer=0, **switches)
    for hand in record["hands"]:
        if table.phase == "deal":
            table.trump(hand["trump"])
        table.bid(*hand["bids"]).over()
        tricks = {f"tricks-{seat}": tricks for seat, tricks in enumerate(hand["tricks"])}
        table.phone.send(table.phone.button("save"), **tricks)
    return table.totals()


def read(stem):
    """One of the records."""
    return json.loads((GAMES / f"{stem}.json").read_text(encoding="utf-8"))


def test_a_classic_game_of_nineteen_hands(table):
    """Four players, ten cards down to one and up again, hook on: 83, 82, 125, 122."""
    record = read("syn01-classic-4p-10down-10up")
    totals = kept(table, record, order="H..1,2..H", largest=10, hook=True, no_trump_on="never")
    assert totals == record["totals"] == [83, 82, 125, 122]
    assert table.phone.page.h1.get_text(strip=True) == "Final score"
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == ["Chiara"]
