"""How many cards each hand has, who deals it, and in which order the table speaks.

The deck arithmetic, the notation for the sizes of all hands of a game (its plan), and the walk around the
table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules.problem import Problem, RulesError, counted_problem, problem

MOST_HANDS = 120
"""A plan may have this many hands at the most."""

MOST_PLAYERS = 12
"""A game may have this many players at the most."""

MOST_CARDS = 1040
"""A pack may have this many cards at the most: twenty packs of 52."""

FEWEST_CARDS = 8
"""A pack has this many cards at least."""

PACKS = (32, 36, 40, 52, 54, 60, 63, 64, 70, 104)
"""The packs people own: piquet, with the sixes, Spanish, the usual one, with two jokers, Wizard, the one of 500,
two piquet packs, Skull King, two usual ones."""

LONGEST_SEQUENCE = 200
"""A sequence may be this many characters long."""


class Direction(StrEnum):
    """Which way the deal, the bids and the play go around the table."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter-clockwise"

    @property
    def step(self) -> int:
        """How far the next seat is in a table listed clockwise."""
        return 1 if self is Direction.CLOCKWISE else -1


@dataclass(frozen=True)
class ByPlayers:
    """A number that may depend on how many play: so many for each player, or a table, or one for all."""

    default: int = 0
    each: int = 0
    table: tuple[tuple[int, int], ...] = ()

    @classmethod
    def read(cls, data: int | Mapping[str, int]) -> ByPlayers:
        """Read `52`, `{"each": 8}` or `{"3": 36, "other": 40}`.

        Raises TypeError, ValueError or KeyError for anything else, and for a number outside 0..1040.
        """
        numbers = list(data.values()) if isinstance(data, Mapping) else [data]
        if any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
            raise TypeError(data)
        if not all(0 <= number <= MOST_CARDS for number in numbers):
            raise ValueError(data)
        if isinstance(data, int):
            return cls(default=data)
        if "each" in data and len(data) > 1:
            raise ValueError(data)
        by_players = {str(players): players for players in range(1, MOST_PLAYERS + 1)}
        table = sorted(
            (by_players[key], number) for key, number in data.items() if key not in ("each", "other")
        )
        return cls(data.get("other", 0), data.get("each", 0), tuple(table))

    def write(self) -> int | dict[str, int]:
        """The inverse of `read`."""
        if self.each:
            return {"each": self.each}
        if not self.table:
            return self.default
        written = {str(players): number for players, number in self.table}
        return written | ({"other": self.default} if self.default else {})

    def of(self, players: int) -> int:
        """The number for that many players; 0 where none is given."""
        return self.each * players or dict(self.table).get(players, self.default)


def largest_that_fits(deck: int, players: int, reserve: int = 0) -> int:
    """The most cards each of `players` can hold when `reserve` cards of the `deck` must stay in the pack."""
    return max(0, (deck - reserve) // players) if players > 0 else 0


def overdealt(cards: int, players: int, deck: int, place: str = "", *, reserve: int = 0) -> Problem | None:
    """What is wrong with dealing so many cards each from that pack, with the arithmetic; None if it fits.

    `reserve` cards must stay in the pack.
    """
    if cards * players <= deck - reserve:
        return None
    if cards * players <= deck:
        return counted_problem(
            "%(players)d × %(cards)d = %(product)d, which leaves %(left)d of %(deck)d cards: %(count)d must stay",
            "%(players)d × %(cards)d = %(product)d, which leaves %(left)d of %(deck)d cards: %(count)d must stay",
            reserve,
            place,
            players=players,
            cards=cards,
            product=cards * players,
            left=deck - cards * players,
            deck=deck,
        )
    return counted_problem(
        "%(players)d × %(count)d card = %(product)d, the pack has %(deck)d",
        "%(players)d × %(count)d cards = %(product)d, the pack has %(deck)d",
        cards,
        place,
        players=players,
        product=cards * players,
        deck=deck,
    )


class SequenceError(RulesError):
    """A sequence cannot be read. `column` (from 0) is where in the text the trouble lies."""

    def __init__(self, trouble: Problem, column: int) -> None:
        super().__init__(trouble)
        self.column = column


def sequence(text: str, *, largest: int, players: int) -> tuple[int, ...]:
    """The sizes of the hands that a sequence in the notation of docs/rules.md stands for, in order.

    `term, term ...` with term = `x` | `a..b` (either way, both ends included) | `a..b:step` | `a*k`, where
    x, a, b, k are whole numbers, `H` (the largest hand), `P` (the number of players) or sums such as `H-1`.
    A run that turns around because H or P is small, such as `2..H` with H = 1, is empty.

    Raises SequenceError for a text that cannot be read, a size below 1, no hand at all, or more than 120.
    """
    return _SequenceReader(text, largest, players).read()


_TOKEN = re.compile(r"\s*(\d{1,4}|\.\.|[HPhp,:*+-])\s*")
_LARGE = 1000
"""Stands for H and P where a run's direction is settled: larger than any hand."""


class _SequenceReader:
    """Reads one sequence from left to right."""

    def __init__(self, text: str, largest: int, players: int) -> None:
        if len(text) > LONGEST_SEQUENCE:
            raise SequenceError(
                problem("a plan may be %(most)d characters long", most=LONGEST_SEQUENCE), LONGEST_SEQUENCE
            )
        self.names = {"H": largest, "P": players}
        self.tokens = list(_tokens(text))
        self.end = len(text)
        self.at = 0

    def read(self) -> tuple[int, ...]:
        sizes: list[int] = []
        while True:
            sizes += self._term(MOST_HANDS - len(sizes))
            if self.at == len(self.tokens):
                break
            self._take(",")
        if not sizes:
            raise SequenceError(problem("a game needs at least 1 hand"), 0)
        return tuple(sizes)

    def _term(self, room: int) -> Sequence[int]:
        column = self._column
        sizes: Sequence[int]
        first, first_at_large = self._sum()
        if self._next == "..":
            self._take("..")
            last, last_at_large = self._sum()
            step = 1
            if self._next == ":":
                self._take(":")
                step, _ = self._sum()
                if step < 1:
                    raise SequenceError(problem("a step must be 1 or more"), column)
            sizes = _run(first, last, step, up=(first_at_large, first) <= (last_at_large, last))
        elif self._next == "*":
            self._take("*")
            times, _ = self._sum()
            sizes = [first] * min(times, room + 1)
        else:
            sizes = [first]
        if len(sizes) > room:
            raise SequenceError(problem("a game may have %(most)d hands", most=MOST_HANDS), column)
        if any(size < 1 for size in sizes):
            raise SequenceError(problem("a hand needs at least 1 card"), column)
        return sizes

    def _sum(self) -> tuple[int, int]:
        """A sum as the pair of its value and of the value it would have with a very large H and P."""
        value, at_large = self._number()
        while self._next in ("+", "-"):
            sign = 1 if self._take(self._next) == "+" else -1
            more, more_at_large = self._number()
            value, at_large = value + sign * more, at_large + sign * more_at_large
        return value, at_large

    def _number(self) -> tuple[int, int]:
        token = self._next
        if token in self.names:
            self._take(token)
            return self.names[token], _LARGE
        if token.isdigit():
            self._take(token)
            return int(token), int(token)
        raise SequenceError(problem("a number, H or P is missing here"), self._column)

    def _take(self, token: str) -> str:
        if self._next != token:
            raise SequenceError(problem("a comma is missing here"), self._column)
        self.at += 1
        return token

    @property
    def _next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    @property
    def _column(self) -> int:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else self.end


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """The tokens of a sequence with the columns they start at."""
    text = text.rstrip()
    column = 0
    while column < len(text):
        match = _TOKEN.match(text, column)
        if match is None:
            column += len(text[column:]) - len(text[column:].lstrip())
            raise SequenceError(problem("%(found)s has no meaning in a plan", found=text[column]), column)
        yield match.start(1), match[1].upper()
        column = match.end()


def _run(first: int, last: int, step: int, *, up: bool) -> range:
    return range(first, last + 1, step) if up else range(first, last - 1, -step)


def deal_order(table: Sequence[int], dealer: int, direction: Direction) -> tuple[int, ...]:
    """The seats of a table (listed clockwise) from the one after the dealer around to the dealer himself.

    Raises ValueError when the dealer does not sit there.
    """
    turned = tuple(table)[:: direction.step]
    after = turned.index(dealer) + 1
    return turned[after:] + turned[:after]


def next_dealer(
    before: Sequence[int],
    dealer: int,
    direction: Direction,
    table: Sequence[int],
    absent: Collection[int] = (),
) -> int:
    """Who deals after `dealer`, when the table was seated as `before` and is seated as `table` now.

    The deal goes to the next seat around the table; where the last dealer has left, to the next one of
    the old table who is still there. Who sits out (`absent`) is passed over.

    Raises ValueError when nobody is left to deal.
    """
    around = deal_order(table if dealer in table else before, dealer, direction)
    for seat in around:
        if seat in table and seat not in absent:
            return seat
    raise ValueError("nobody is left to deal")
