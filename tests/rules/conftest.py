"""A table to play at: whole games in a line or two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from rules.sheet import Hand, Sheet
from rules.variants import Rules, Trump, classic

CAST = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Farid", "Greta", *(f"Player {n}" for n in range(8, 13)))


@pytest.fixture
def start() -> Callable[..., Sheet]:
    """Starts a game: `start(4)` is four players at the base game, the first of them dealing."""

    def begin(players: int, rules: Rules | None = None, *, dealer: int = 0, plan=None) -> Sheet:
        rules = rules or classic()
        sheet = Sheet(rules, CAST[:players], tuple(plan or rules.plan(players)))
        return replace(sheet, hands=(sheet.first_hand(dealer),))

    return begin


@pytest.fixture
def play(start) -> Callable[..., Sheet]:
    """Plays hands: `play("1/1 0/0 2/1")` is one where Ada bid 1 and took 1, Chiara bid 2 and took 1.

    The cards are those of the bids' hand in the plan, or as many as tricks were taken when `plan` is left
    out; `-` stands for a player who sits the hand out. The game goes on as the rules say.
    """

    def played(*lines: str, rules: Rules | None = None, plan=None, dealer: int = 0) -> Sheet:
        results = [[_result(each) for each in line.split()] for line in lines]
        sizes = plan or [sum(took or 0 for _, took in result) for result in results]
        sheet = start(len(results[0]), rules, dealer=dealer, plan=sizes)
        for at, result in enumerate(results):
            if at:
                sheet = replace(sheet, hands=(*sheet.hands, sheet.next_hand()))
            sheet = close(sheet, result)
        return sheet

    return played


def _result(text: str) -> tuple[int | None, int | None]:
    if text == "-":
        return None, None
    bid, took = text.split("/")
    return int(bid), int(took)


def close(sheet: Sheet, result: list[tuple[int | None, int | None]]) -> Sheet:
    """The sheet with its open hand settled like that."""
    hand: Hand = sheet.hands[-1]
    settled = replace(
        hand,
        bids=tuple(bid for bid, _ in result),
        took=tuple(took for _, took in result),
        absent=frozenset(seat for seat, (bid, _) in enumerate(result) if bid is None),
        trump=hand.trump or Trump.SPADES,
        is_over=True,
        is_closed=True,
    )
    return replace(sheet, hands=(*sheet.hands[:-1], settled))
