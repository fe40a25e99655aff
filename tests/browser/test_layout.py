"""Every phase of a hand is for everybody, with few players and short names, and with seven long ones."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
SEVEN = tuple(
    f"{name} {'with a name of forty characters'[: 39 - len(name)]}".ljust(40, "m")
    for name in (*FOUR, "Eline", "Farid", "Greta")
)


@pytest.mark.target("P2")
@pytest.mark.target("P3")
@pytest.mark.target("P4")
@pytest.mark.target("P7")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "names", [pytest.param(FOUR, marks=pytest.mark.long, id="four"), pytest.param(SEVEN, id="seven")]
)
def test_every_phase_is_for_everybody(thumb, eyes, complaints, names):
    """From home and set-up through every phase of a hand to its result, its sheet and the end of the game."""
    thumb.is_quick = True
    last = len(names) - 1

    def look(screen):
        eyes.look(thumb.page, f"{len(names)}-{screen}")

    thumb.start(
        *names, dealer=last, hook=True, order="own", plan="7,6,7", no_trump_on="last", must_trump=True
    )
    look("deal")
    thumb.tap("trump-hearts").expect("bids")
    bids = [2, 1, 0, 1, 0, 1, 1][: len(names)]
    for seat in range(last):
        thumb.tap(f"bid-{seat}-{bids[seat]}")
    look("bids-hook")
    barred = 7 - sum(bids[:last])
    thumb.tap(f"bid-{last}-{barred}", barred=True).expect("bids")
    look("bids-refused")
    thumb.tap(f"bid-{last}-{bids[last]}").expect("play")
    look("play")
    if names == FOUR:
        sizes = thumb.page.locator(".seats-play .seat-bid").evaluate_all(
            "bids => bids.map(bid => parseFloat(getComputedStyle(bid).fontSize))"
        )
        assert min(sizes) >= 40, "the bids are read from a metre away"
    thumb.tally(1)
    thumb.tap("tally-2")
    look("play-tally")
    thumb.over()
    look("tricks")
    thumb.tap("more-0").tap("more-0").tap("save").expect("tricks")
    look("tricks-refused")
    tricks = [*bids]
    tricks[0] += 7 - sum(tricks)
    thumb.took(*tricks).expect("deal")
    look("next-deal")
    if names == SEVEN:
        for page in ("", "/table", "/board", "/hands/1", "/hands/1/correct"):
            thumb.open(f"/g/{thumb.code}{page}")
            look(f"running{page.replace('/', '-')}")
        thumb.open(f"/g/{thumb.code}/hands/2")
    low = [0] * len(names)
    six, seven = [6, *low[1:]], [3, 4, *low[2:]]
    thumb.tap("trump-spades").bid(*low).over().took(*six).expect("bids")
    look("no-trump-bids")
    thumb.bid(*low).over().took(*seven)
    expect(thumb.page.locator(".winner")).to_be_visible()
    look("sheet-final")
    complaints.forgive("422")
