"""What a hand pays: scoring formulas in a small language of their own, and bonuses for runs of hands.

A table may type any rule it plays, so a formula is data and never Python. It can say only the words of FACTS,
whole numbers, `+ - * // % **`, comparisons, `and or not`, `x if c else y`, `min max abs` and brackets.
They bind and mean what they do in Python, with these choices that make every formula total and cheap:

- a formula has at most 200 characters, a number at most 6 digits, and nesting goes at most 32 deep;
- every value on the way stays within +-1 000 000: what would be larger stops there;
- dividing by zero and the rest of such a division give 0, and so does a negative exponent;
- comparisons and `not` give 1 or 0, and two comparisons in a row (`1 < bid < 5`) are refused;
- the result is always a whole number.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from rules.problem import Problem, RulesError, problem

FACTS = ("bid", "tricks", "cards", "off", "players", "largest", "bids", "blind", "hand", "hands", "trump")
LIMIT = 1_000_000
LONGEST = 200
DIGITS = 6
DEEPEST = 32


class FormulaError(RulesError):
    """A formula cannot be read. `column` is the 0-based index into its source where the trouble is."""

    def __init__(self, column: int, *problems: Problem) -> None:
        super().__init__(*problems)
        self.column = column


@dataclass(frozen=True)
class Formula:
    """A formula that is known to parse; making one from anything else raises FormulaError."""

    source: str

    def __post_init__(self) -> None:
        _meaning(self.source)

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read `text` as a formula. Raises FormulaError."""
        return cls(text)

    @property
    def words(self) -> frozenset[str]:
        """The words of FACTS that it says."""
        return _words(self.source)

    def value(self, facts: Mapping[str, int]) -> int:
        """What the formula gives, within +-LIMIT. `facts` holds at least every word of FACTS that it uses."""
        return int(_meaning(self.source)(facts))


@dataclass(frozen=True)
class Scoring:
    """What a made bid pays and what a missed one does; `made_zero` is for a made zero, empty = as made.

    Raises FormulaError with the problems of all slots, the slot being the place of each and `column` that of
    the first.
    """

    made: str
    missed: str
    made_zero: str = ""

    def __post_init__(self) -> None:
        problems, columns = [], []
        for slot in ("made", "missed", "made_zero"):
            source = getattr(self, slot)
            if slot == "made_zero" and not source:
                continue
            try:
                Formula.parse(source)
            except FormulaError as error:
                problems += [replace(each, place=slot) for each in error.problems]
                columns.append(error.column)
        if problems:
            raise FormulaError(columns[0], *problems)

    @property
    def words(self) -> frozenset[str]:
        """The words of FACTS that any of its formulas says."""
        return frozenset(
            word for source in (self.made, self.missed, self.made_zero) for word in _words(source)
        )

    def formula(self, bid: int, tricks: int) -> Formula:
        """The formula for a bid that so many tricks were taken with."""
        if bid != tricks:
            return Formula(self.missed)
        return Formula(self.made_zero if bid == 0 and self.made_zero else self.made)

    def points(
        self,
        *,
        bid: int,
        tricks: int,
        cards: int,
        players: int = 4,
        largest: int = 0,
        bids: int = 0,
        blind: bool = False,
        hand: int = 1,
        hands: int = 1,
        trump: int = 0,
    ) -> int:
        """The points of one player for one hand, within +-LIMIT.

        `cards` were dealt to each of `players`; `largest` is the largest hand of the game (0 = as cards);
        `bids` is the sum of all bids; `hand` of `hands` is the number of this hand;
        `trump` is 0 none or not known, 1 spades, 2 hearts, 3 diamonds, 4 clubs.
        """
        return self.formula(bid, tricks).value(
            {
                "bid": bid,
                "tricks": tricks,
                "cards": cards,
                "off": abs(tricks - bid),
                "players": players,
                "largest": largest or cards,
                "bids": bids,
                "blind": int(blind),
                "hand": hand,
                "hands": hands,
                "trump": trump,
            }
        )


@dataclass(frozen=True)
class Streak:
    """A bonus for `length` hands made in a row, and another (mostly negative) for as many missed.

    Hands of one card may `count` like any other, be passed over (`skip`) or end the run (`reset`).
    The defaults are the mild Romanian rule; the strong one pays +-10 and resets.
    Raises RulesError for a length below 1 and for another word in `one_card`.
    """

    length: int = 5
    made: int = 5
    missed: int = -5
    one_card: str = "skip"

    def __post_init__(self) -> None:
        problems = []
        if self.length < 1:
            problems.append(problem("a run has at least one hand", place="length"))
        if self.one_card not in ("count", "skip", "reset"):
            problems.append(problem("hands of one card count, skip or reset", place="one_card"))
        if problems:
            raise RulesError(*problems)

    def bonuses(self, results: Sequence[tuple[int, bool] | None]) -> tuple[int, ...]:
        """The extra points of one player for each hand, from (cards, made) of each hand in order.

        None is a hand that does not concern the player (away, or a void hand): the run goes on after it.
        A run starts anew once it has paid, and a made hand ends a run of missed ones and the other way round.
        """
        bonuses = []
        run, kind = 0, True
        for result in results:
            bonuses.append(0)
            if result is None:
                continue
            cards, made = result
            if cards == 1 and self.one_card != "count":
                run = 0 if self.one_card == "reset" else run
                continue
            run, kind = (run + 1 if made == kind else 1), made
            if run == self.length:
                run, bonuses[-1] = 0, self.made if made else self.missed
        return tuple(bonuses)


@cache
def common_rules() -> Mapping[str, Scoring]:
    """The scoring rules that tables are known to play, by name, in the order of docs/rules.md."""
    rows = tomllib.loads(Path(__file__).with_name("scoring.toml").read_text(encoding="utf-8"))
    return MappingProxyType({name: Scoring(**row) for name, row in rows.items()})


# The language. A formula becomes nested functions of the facts, made once and kept.

_Meaning = Callable[[Mapping[str, int]], int]


class _Token(NamedTuple):
    text: str  # empty at the end of the formula
    column: int


@lru_cache(maxsize=1024)
def _words(source: str) -> frozenset[str]:
    return frozenset(FACTS) & frozenset(re.findall(r"\w+", source))


@lru_cache(maxsize=1024)
def _meaning(source: str) -> _Meaning:
    return _Reader(source).formula()


class _Reader:
    """Reads one formula by operator precedence: an operand, then all operators that bind tightly enough."""

    def __init__(self, source: str) -> None:
        self.tokens = _tokens(source)
        self.at = 0
        self.depth = 0

    def formula(self) -> _Meaning:
        if not self.ahead.text:
            raise FormulaError(0, problem("a formula is missing"))
        meaning = self.expression(least=0)
        if self.ahead.text:
            raise _unexpected(self.ahead)
        return meaning

    @property
    def ahead(self) -> _Token:
        return self.tokens[self.at]

    def expression(self, least: int) -> _Meaning:
        """As much as holds together by operators of level `least` and above."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(self.ahead.column, problem("this is nested too deeply"))
        left = self.operand(least)
        while _LEVELS.get(self.ahead.text, -1) >= least:
            left = self.joined(left, self.taken())
        self.depth -= 1
        return left

    def taken(self) -> _Token:
        token = self.ahead
        if not token.text:
            raise FormulaError(self.tokens[self.at - 1].column, problem("something is missing after this"))
        self.at += 1
        return token

    def operand(self, least: int) -> _Meaning:
        token = self.taken()
        text = token.text
        if text == "-":
            negated = self.expression(_MINUS)
            return lambda facts: -negated(facts)
        if text == "not" and least <= _NOT:
            denied = self.expression(_NOT)
            return lambda facts: 0 if denied(facts) else 1
        if text == "(":
            inner = self.expression(least=0)
            self.close(token)
            return inner
        if text in _FUNCTIONS:
            return self.call(token)
        if text in FACTS:
            return lambda facts: _held(int(facts[text]))
        if text[0] in "0123456789":
            if len(text) > DIGITS:
                raise FormulaError(
                    token.column, problem("a number may have %(digits)d digits at most", digits=DIGITS)
                )
            number = int(text)
            return lambda _: number
        raise _unexpected(token)

    def call(self, name: _Token) -> _Meaning:
        if self.ahead.text != "(":
            raise FormulaError(name.column, problem("%(name)s needs its values in brackets", name=name.text))
        bracket = self.taken()
        parts = [self.expression(least=0)]
        while self.ahead.text == ",":
            self.taken()
            parts.append(self.expression(least=0))
        self.close(bracket)
        if name.text == "abs" and len(parts) != 1:
            raise FormulaError(name.column, problem("abs takes one value"))
        if name.text != "abs" and len(parts) < 2:
            raise FormulaError(name.column, problem("%(name)s takes two values or more", name=name.text))
        function = _FUNCTIONS[name.text]
        return lambda facts: function([part(facts) for part in parts])

    def close(self, bracket: _Token) -> None:
        if not self.ahead.text:
            raise FormulaError(bracket.column, problem("this bracket is never closed"))
        if self.ahead.text != ")":
            raise _unexpected(self.ahead)
        self.taken()

    def joined(self, left: _Meaning, operator: _Token) -> _Meaning:
        level = _LEVELS[operator.text]
        if operator.text == "if":
            test = self.expression(level + 1)
            if self.ahead.text != "else":
                raise FormulaError(operator.column, problem("this if needs an else"))
            self.taken()
            other = self.expression(level)
            return lambda facts: left(facts) if test(facts) else other(facts)
        # A power binds to its right, and there a minus may stand: 2 ** -1 ** 2 is 2 ** (-(1 ** 2)).
        right = self.expression(_MINUS if operator.text == "**" else level + 1)
        if operator.text == "or":
            return lambda facts: left(facts) or right(facts)
        if operator.text == "and":
            return lambda facts: left(facts) and right(facts)
        if level == _COMPARISON and _LEVELS.get(self.ahead.text) == _COMPARISON:
            raise FormulaError(
                self.ahead.column, problem("two comparisons in a row need an and between them")
            )
        operation = _OPERATIONS[operator.text]
        return lambda facts: operation(left(facts), right(facts))


def _tokens(source: str) -> list[_Token]:
    if len(source) > LONGEST:
        raise FormulaError(
            LONGEST, problem("a formula may have %(longest)d characters at most", longest=LONGEST)
        )
    found = re.finditer(r"[0-9]+|[^\W\d]\w*|//|\*\*|[=!<>]=|[^ ]", source)
    return [*(_Token(match[0], match.start()) for match in found), _Token("", len(source))]


def _unexpected(token: _Token) -> FormulaError:
    if token.text.isidentifier() and token.text not in _WORDS:
        reason = problem(
            "there is no %(name)s here; these words are known: %(words)s",
            name=token.text,
            words=", ".join(_WORDS),
        )
    elif token.text == "/":
        reason = problem("divide with //, which leaves out the remainder")
    elif token.text == "=":
        reason = problem("compare with ==")
    else:
        reason = problem("unexpected %(piece)s", piece=token.text)
    return FormulaError(token.column, reason)


def _held(value: int) -> int:
    if -LIMIT <= value <= LIMIT:
        return value
    return LIMIT if value > 0 else -LIMIT


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        return 0
    # 2 ** 20 is beyond the limit already, so above it only odd or even matters (for the sign).
    return _held(base ** min(exponent, 20 + exponent % 2))


# How tightly each operator binds. `not` and the minus of a negative value stand before an operand only.
_COMPARISON, _NOT, _MINUS = 4, 3, 7
_LEVELS = {
    "if": 0,
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), _COMPARISON),
    "+": 5,
    "-": 5,
    "*": 6,
    "//": 6,
    "%": 6,
    "**": 8,
}
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "+": lambda left, right: _held(left + right),
    "-": lambda left, right: _held(left - right),
    "*": lambda left, right: _held(left * right),
    "//": lambda left, right: left // right if right else 0,
    "%": lambda left, right: left % right if right else 0,
    "**": _power,
}
_FUNCTIONS: dict[str, Callable[[list[int]], int]] = {
    "min": min,
    "max": max,
    "abs": lambda values: abs(values[0]),
}
_WORDS = (*FACTS, "and", "or", "not", "if", "else", *_FUNCTIONS)
