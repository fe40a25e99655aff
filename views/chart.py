"""The chart of the totals: a line for each player, laid out in numbers that a template only writes down."""

from __future__ import annotations

from dataclasses import dataclass

from rules.sheet import Sheet

WIDTH, HEIGHT = 320, 200
LEFT, RIGHT, TOP, BOTTOM = 34, 14, 10, 20
MOST_LINES = 5
"""Lines across the paper."""


@dataclass(frozen=True)
class Line:
    """One player's totals: the points of a polyline, and where it ends."""

    seat: int
    points: str
    end_x: float
    end_y: float


@dataclass(frozen=True)
class Mark:
    """A number on an axis and where it stands."""

    label: int
    at: float


@dataclass(frozen=True)
class Chart:
    """The whole picture, in units of its view box."""

    lines: tuple[Line, ...]
    across: tuple[Mark, ...]
    along: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT

    @classmethod
    def of(cls, sheet: Sheet) -> Chart | None:
        """The totals after every hand; None before there are two hands to join."""
        if len(sheet.rows) < 2:
            return None
        totals = [[0] + [row.cells[seat].total for row in sheet.rows] for seat in range(len(sheet.names))]
        low, high = min(map(min, totals)), max(map(max, totals))
        step = _step(high - low)
        low, high = low // step * step, -(-high // step) * step
        # Where nobody has a point yet, the line lies on the ground.
        high = max(high, low + step)
        hands = len(sheet.rows)

        def x(hand: int) -> float:
            return round(LEFT + (WIDTH - LEFT - RIGHT) * hand / hands, 1)

        def y(total: int) -> float:
            return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - total) / (high - low), 1)

        lines = tuple(
            Line(
                seat,
                " ".join(f"{x(hand)},{y(total)}" for hand, total in enumerate(line)),
                x(hands),
                y(line[-1]),
            )
            for seat, line in enumerate(totals)
        )
        across = tuple(Mark(total, y(total)) for total in range(low, high + 1, step))
        every = max(1, hands // 8)
        along = tuple(Mark(hand, x(hand)) for hand in range(every, hands + 1, every))
        return cls(lines, across, along)


def _step(span: int) -> int:
    """A round distance between lines, so that there are at most five of them."""
    size = 1
    while True:
        for step in (size, 2 * size, 5 * size):
            if span <= step * (MOST_LINES - 1):
                return step
        size *= 10
