"""What a finished game adds to the statistics: the facts of seats and hands that only the rules can tell.

Misdeals never count. A hand whose tricks were meant not to add up counts like any other: its bids were made or missed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rules.sheet import Hand, Result, Sheet
from rules.variants import Rules


class Run(NamedTuple):
    """How often in a row something happened: at the start, at the most, and at the end, in so many tries.

    Runs of one game after the other join to the run of all, so that a streak may cross from game to game.
    """

    tries: int = 0
    start: int = 0
    best: int = 0
    end: int = 0

    @classmethod
    def of(cls, happened: Iterable[bool]) -> Run:
        """One try after the other."""
        return cls.joined(cls(1, hit, hit, hit) for hit in map(int, happened))

    @classmethod
    def joined(cls, runs: Iterable[Run]) -> Run:
        """All of them, one after the other."""
        tries = start = best = end = 0
        for more, begins, most, ends in runs:
            best = max(best, most, end + begins)
            start += begins if start == tries else 0
            end = end + ends if ends == more else ends
            tries += more
        return cls(tries, start, best, end)


@dataclass(frozen=True)
class SeatResult:
    """One player in a whole game."""

    made: int
    """Bids made."""
    run: Run
    """Bids made in a row; its tries are all bids."""
    behind: int
    """Points behind the leader after the worst hand, never negative."""

    @classmethod
    def of(cls, sheet: Sheet, seat: int) -> SeatResult:
        """What the hands say of that seat."""
        behind = 0
        results = [row.cells[seat].result for row in sheet.rows]
        for row in sheet.rows:
            cell = row.cells[seat]
            if cell.has_joined:
                totals = [each.total for each in row.cells if each.has_joined]
                gap = cell.total - min(totals) if sheet.rules.lowest_wins else max(totals) - cell.total
                behind = max(behind, gap)
        run = Run.of(result is Result.MADE for result in results if result is not None)
        return cls(sheet.made(seat), run, behind)


@dataclass(frozen=True)
class HandResult:
    """The whole table in one hand that counts."""

    over: int
    """The sum of the bids less the cards: positive when too much was bid."""
    bidders: int
    made: int
    """How many made their bid."""
    zeros: int
    """How many bid zero, and of them made it:"""
    zeros_made: int
    hooked: int | None
    """The seat that bid last and had a number barred by the hook; None when there was none."""
    hook_made: bool | None
    """Whether that one made it."""
    turns: Mapping[int, int]
    """How many players after the dealer each seat sat: the dealer 0, the next one 1."""

    @classmethod
    def of(cls, sheet: Sheet, hand: Hand) -> HandResult:
        """What this hand says."""
        results = {seat: hand.result(seat) for seat in hand.playing}
        made = [seat for seat, result in results.items() if result is Result.MADE]
        zeros = [seat for seat in hand.playing if hand.bids[seat] == 0]
        bidding = sheet.bidding(hand)
        last = bidding.last_bidder
        hooked = last if bidding.hook and bidding.barred(last) is not None else None
        return cls(
            over=bidding.difference,
            bidders=sum(result is not None for result in results.values()),
            made=len(made),
            zeros=len(zeros),
            zeros_made=sum(seat in made for seat in zeros),
            hooked=hooked,
            hook_made=None if hooked is None else hooked in made,
            turns=sheet.turns(hand),
        )


def scored_as(rules: Rules) -> str:
    """A key that two games share when their points can be compared: one name, and every bid pays the same."""
    written = rules.write()
    alike = [written[key] for key in ("name", "scoring", "streak", "lowest_wins")]
    return hashlib.sha256(json.dumps(alike, sort_keys=True).encode()).hexdigest()[:16]
