"""Pictures, laid out in numbers that a template only writes down: totals, a rating over time, rates side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil, floor

from rules.sheet import Sheet

WIDTH, HEIGHT = 320, 200
LEFT, RIGHT, TOP, BOTTOM = 34, 14, 10, 20
MOST_LINES = 5
"""Lines across the paper."""
NARROWEST_MARK = 30
"""Years below the paper stand so far apart at the least, numbers half as far."""


@dataclass(frozen=True)
class Line:
    """One line: the points of a polyline, and where it ends. `seat` is the number of the line, from 0."""

    seat: int
    points: str
    end_x: float
    end_y: float


@dataclass(frozen=True)
class Column:
    """One rate as a column; `is_small` stands on too little to say much."""

    x: float
    y: float
    width: float
    height: float
    is_small: bool


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
    columns: tuple[Column, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT

    @classmethod
    def of(cls, sheet: Sheet) -> Chart | None:
        """The totals after every hand; None before there are two hands to join."""
        if len(sheet.rows) < 2:
            return None
        hands = len(sheet.rows)
        every = max(1, hands // 8)
        totals = [[0] + [row.cells[seat].total for row in sheet.rows] for seat in range(len(sheet.names))]
        return cls._lines(totals, {hand: hand for hand in range(every, hands + 1, every)})

    @classmethod
    def over_time(cls, values: Sequence[float], days: Sequence[date]) -> Chart | None:
        """One value after each of these days, with the years below; None before there are two to join."""
        if len(values) < 2:
            return None
        years = {at: day.year for at, day in enumerate(days) if at == 0 or day.year != days[at - 1].year}
        chart = cls._lines([values], years)
        return replace(chart, along=_apart(chart.along))

    @classmethod
    def rates(cls, rates: Mapping[int, tuple[float, bool]]) -> Chart | None:
        """Shares from 0 to 1, and whether each is small, side by side by number; None for fewer than two."""
        if len(rates) < 2:
            return None
        room = (WIDTH - LEFT - RIGHT) / len(rates)
        columns = []
        for at, (share, is_small) in enumerate(rates.values()):
            y, width = _y(100 * share, 0, 100), min(room * 0.7, 24)
            x = round(LEFT + room * (at + 0.5) - width / 2, 1)
            columns.append(Column(x, y, round(width, 1), round(HEIGHT - BOTTOM - y, 1), is_small))
        across = tuple(Mark(percent, _y(percent, 0, 100)) for percent in range(0, 101, 25))
        every = ceil(NARROWEST_MARK / 2 / room)
        along = tuple(
            Mark(label, round(LEFT + room * (at + 0.5), 1))
            for at, label in enumerate(rates)
            if not at % every
        )
        return cls((), across, along, tuple(columns))

    @classmethod
    def _lines(cls, series: Sequence[Sequence[float]], labels: Mapping[int, int]) -> Chart:
        """A line for each series of values; `labels` stand below the values of their numbers."""
        low, high = min(map(min, series)), max(map(max, series))
        step = _step(high - low)
        lowest, highest = floor(low / step) * step, ceil(high / step) * step
        # Where every value is the same, the line lies on the ground.
        highest = max(highest, lowest + step)
        last = len(series[0]) - 1

        def x(at: int) -> float:
            return round(LEFT + (WIDTH - LEFT - RIGHT) * at / last, 1)

        lines = tuple(
            Line(
                number,
                " ".join(f"{x(at)},{_y(value, lowest, highest)}" for at, value in enumerate(values)),
                x(last),
                _y(values[-1], lowest, highest),
            )
            for number, values in enumerate(series)
        )
        across = tuple(Mark(mark, _y(mark, lowest, highest)) for mark in range(lowest, highest + 1, step))
        return cls(lines, across, tuple(Mark(label, x(at)) for at, label in labels.items()))


def _y(value: float, low: float, high: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)


def _apart(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Those marks that have room beside the one before."""
    kept: list[Mark] = []
    for mark in marks:
        if not kept or mark.at - kept[-1].at >= NARROWEST_MARK:
            kept.append(mark)
    return tuple(kept)


def _step(span: float) -> int:
    """A round distance between lines, so that there are at most five of them."""
    size = 1
    while True:
        for step in (size, 2 * size, 5 * size):
            if span <= step * (MOST_LINES - 1):
                return step
        size *= 10
