"""What was remarkable about one game, beside who won: each award follows from the sheet alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from rules.sheet import Result, Sheet


class Kind(StrEnum):
    """What an award is given for. The words for it are a template's."""

    MOST_MADE = "most-made"
    """The most bids made; the value is their number."""
    BOLDEST = "boldest"
    """The highest sum of the bids made."""
    COMEBACK = "comeback"
    """The most points made up on the first, from the hand after which one was furthest behind to the end."""
    SO_NEAR = "so-near"
    """The most bids missed by a single trick."""
    UNLUCKIEST_DEALER = "unluckiest-dealer"
    """The most bids missed in hands that one dealt."""


@dataclass(frozen=True)
class Award:
    """One award: who has it (several share it, by seat), and with how much (at least 1)."""

    kind: Kind
    seats: tuple[int, ...]
    value: int


def awards(sheet: Sheet) -> tuple[Award, ...]:
    """The awards of a game as far as it is played; one that everybody or nobody would have is not given."""
    counts: dict[Kind, Callable[[Sheet, int], int]] = {
        Kind.MOST_MADE: Sheet.made,
        Kind.BOLDEST: Sheet.made_bids,
        Kind.COMEBACK: made_up,
        Kind.SO_NEAR: missed_by_one,
        Kind.UNLUCKIEST_DEALER: missed_as_dealer,
    }
    given = []
    for kind, count in counts.items():
        values = [count(sheet, seat) for seat in range(len(sheet.names))]
        best = max(values)
        seats = tuple(seat for seat, value in enumerate(values) if value == best)
        if best > 0 and len(seats) < len(values):
            given.append(Award(kind, seats, best))
    return tuple(given)


def made_up(sheet: Sheet, seat: int) -> int:
    """How many points a seat has made up on the first since it was furthest behind; 0 when it never did."""
    behind = [_behind(sheet, (cell.total for cell in row.cells), seat) for row in sheet.rows]
    return max(behind) - behind[-1] if behind else 0


def missed_by_one(sheet: Sheet, seat: int) -> int:
    """How many bids of a seat were missed by a single trick."""
    pairs = ((hand.bids[seat], hand.took[seat]) for hand in sheet.played)
    return sum(bid is not None and took is not None and abs(bid - took) == 1 for bid, took in pairs)


def missed_as_dealer(sheet: Sheet, seat: int) -> int:
    """How many bids a seat missed in hands that it dealt itself."""
    dealt = [hand for hand in sheet.played if hand.dealer == seat]
    return sum(hand.result(seat) in (Result.TOO_MANY, Result.TOO_FEW) for hand in dealt)


def _behind(sheet: Sheet, totals: Iterable[int], seat: int) -> int:
    """The distance of a seat to the first, never negative."""
    by_seat = tuple(totals)
    best = min(by_seat) if sheet.rules.lowest_wins else max(by_seat)
    return abs(best - by_seat[seat])
