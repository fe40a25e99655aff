"""The rules of one game as a frozen value, and the named variants it usually starts from.

A variant is a row of data in variants.toml, never a branch in the code. Every field is a switch of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from rules.names import is_storable
from rules.plan import (
    FEWEST_CARDS,
    MOST_CARDS,
    MOST_HANDS,
    MOST_PLAYERS,
    ByPlayers,
    Direction,
    SequenceError,
    largest_that_fits,
    overdealt,
    sequence,
)
from rules.problem import Problem, RulesError, counted_problem, problem, shown
from rules.scoring import Scoring, Streak


class Trump(StrEnum):
    """What is trump in a hand: a suit, or none."""

    SPADES = "spades"
    HEARTS = "hearts"
    DIAMONDS = "diamonds"
    CLUBS = "clubs"
    NONE = "none"

    @property
    def number(self) -> int:
        """The suit as formulas see it: 0 no trump, 1 spades, 2 hearts, 3 diamonds, 4 clubs."""
        return (list(Trump).index(self) + 1) % len(Trump)


class TrumpMethod(StrEnum):
    """How a hand comes by its trump."""

    TURNED = "turned"
    ROTATION = "rotation"
    FIXED = "fixed"
    HIGHEST_BIDDER = "highest-bidder"
    DEALER = "dealer"
    AUCTION = "auction"
    NONE = "none"
    UNTRACKED = "untracked"


class NoTrumpOn(StrEnum):
    """Where no-trump falls when a card is turned."""

    LAST = "last"
    """The last hand of the game, and every hand that leaves no card to turn."""
    LARGEST = "largest"
    """Every hand as large as the largest of the game; in a game of one size that goes to a target, none."""
    EXHAUSTED = "exhausted"
    """Only the hands that leave no card to turn."""
    NEVER = "never"
    """No hand: with no card left to turn the dealer's last card is shown."""


class First(StrEnum):
    """Who begins: the seat after the dealer, the dealer, or the highest bidder.

    That is who won the auction for trump, or without one who bid most, the first of several. Before the bids only an
    auction has one; where nobody noted who won it, the seat after the dealer bids first.
    """

    AFTER_DEALER = "after-dealer"
    DEALER = "dealer"
    HIGHEST_BIDDER = "highest-bidder"


class EvenTable(StrEnum):
    """What an even table comes to where all bid at once, so that nobody is on the hook."""

    ANNOUNCE = "announce"
    """The scorer calls it out, and it stands."""
    LEFT_CHANGES = "left-changes"
    """The seat after the dealer must change its bid."""
    REBID = "rebid"
    """All bid again."""


class TurnUp(StrEnum):
    """A card without a suit that may be turned for trump."""

    JESTER = "jester"
    """No trump in this hand."""
    WIZARD = "wizard"
    """The dealer names the suit."""


class Ties(StrEnum):
    """What decides between equal totals at the end."""

    SHARED = "shared"
    MOST_MADE = "most-made"
    MADE_BIDS = "made-bids"


_ONE_PACK = ByPlayers(default=52)
_NOT_AGREED = ByPlayers()
_TEN_AND_TRICKS = Scoring(made="10 + tricks", missed="0")


@dataclass(frozen=True)
class Pays:
    """What bids pay in a hand of `cards` cards: `rows[bid][took]`, for 0 to 3 of each, as far as there are cards."""

    cards: int
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Example:
    """What one bid pays: in a hand of `cards` cards, `bid` tricks were promised and `took` taken."""

    cards: int
    bid: int
    took: int
    points: int


@dataclass(frozen=True)
class Rules:
    """Everything one table plays by. Settled when the game starts and kept with it for ever."""

    id: str = "custom"
    """The variant it started from; `custom` for none."""
    name: str = ""
    aliases: tuple[str, ...] = ()
    players: tuple[int, int] = (2, MOST_PLAYERS)
    """The fewest and the most players."""
    direction: Direction = Direction.CLOCKWISE
    deck: ByPlayers = _ONE_PACK
    """Cards in the pack."""
    largest: ByPlayers = _NOT_AGREED
    """The largest hand by agreement; 0 leaves it to the pack alone."""
    reserve: int = 0
    """Cards that must stay in the pack, so that one is left to turn."""
    sequence: str = "1..H"
    """The sizes of the hands, in the notation of rules.plan."""
    other_sequences: tuple[str, ...] = ()
    """Sequences that tables of this variant also play."""
    trump: TrumpMethod = TrumpMethod.TURNED
    rotation: tuple[Trump, ...] = ()
    """The trumps in turn (rotation), or the one suit (fixed)."""
    turn_ups: tuple[TurnUp, ...] = ()
    """The cards without a suit that may be turned for trump."""
    no_trump_on: NoTrumpOn = NoTrumpOn.LARGEST
    simultaneous: bool = False
    even_table: EvenTable = EvenTable.ANNOUNCE
    """What bids that add up to the cards come to when all bid at once."""
    blind_bids: bool = False
    """A player may bid before looking; what that pays is up to the formulas, which know `blind`."""
    forehead: bool = False
    """In hands of one card everybody sees the cards of the others only; such bids are blind."""
    first_bidder: First = First.AFTER_DEALER
    leads: First = First.AFTER_DEALER
    hook: bool = True
    hook_from: int = 1
    """The smallest hand the hook binds in."""
    hook_spares_last: bool = False
    """The hook does not bind in the last hand."""
    zeros_in_a_row: int = 0
    """So many zero bids of one player in consecutive hands at the most; 0 for no limit."""
    zeros_counted_from: int = 2
    """The number of players from which that limit holds."""
    scoring: Scoring = _TEN_AND_TRICKS
    streak: Streak | None = None
    target: int = 0
    """The total that ends the game at the end of a hand, however many hands that takes; 0 plays the plan out."""
    lowest_wins: bool = False
    ties: Ties = Ties.SHARED
    reminders: tuple[str, ...] = ()
    """Keys of sentences for the table that never change the score, such as `must-trump`."""
    disagree: tuple[str, ...] = ()
    """Keys of sentences on what other tables and other sources do, such as `forehead-option`."""
    sources: tuple[str, ...] = ()
    example: Example | None = None
    """One bid of the variant; `worked_example` has what it pays by these rules."""

    def plan(self, players: int) -> tuple[int, ...]:
        """The sizes of all hands for that many players; a size above the largest hand becomes the largest.

        Raises SequenceError when the sequence cannot be read, or the pack does not go round even once.
        """
        largest = self.largest_hand(players)
        if largest < 1:
            short = overdealt(1, players, self.deck.of(players), reserve=self.reserve)
            raise SequenceError(short or problem("a game needs at least 1 hand"), 0)
        sizes = sequence(self.sequence, largest=largest, players=players)
        return tuple(min(size, largest) for size in sizes)

    def largest_hand(self, players: int) -> int:
        """The largest hand for that many players: what is agreed, or what the pack allows if that is less."""
        fits = largest_that_fits(self.deck.of(players), players, self.reserve)
        return min(self.largest.of(players) or fits, fits)

    @property
    def is_open_ended(self) -> bool:
        """Whether the game goes on beyond its plan, with hands of the last size, until the target is reached."""
        return self.target > 0

    def cards_of(self, number: int, plan: Sequence[int]) -> int:
        """The size of hand `number` (from 1). Raises IndexError after the last hand."""
        last = len(plan)
        return plan[min(number, last) - 1 if self.is_open_ended and number <= MOST_HANDS else number - 1]

    def is_last(self, number: int, plan: Sequence[int]) -> bool:
        """Whether no hand comes after that one, whatever the points."""
        return number >= (MOST_HANDS if self.is_open_ended else len(plan))

    def trump_of(self, number: int, plan: Sequence[int], players: int) -> Trump | None:
        """The trump of hand `number` (from 1) as far as the rules tell; None where the table must say."""
        match self.trump:
            case TrumpMethod.NONE:
                return Trump.NONE
            case TrumpMethod.ROTATION | TrumpMethod.FIXED if self.rotation:
                return self.rotation[(number - 1) % len(self.rotation)]
            case TrumpMethod.TURNED if self.is_no_trump(number, plan, players):
                return Trump.NONE
        return None

    def is_no_trump(self, number: int, plan: Sequence[int], players: int) -> bool:
        """Whether no-trump falls on hand `number` (from 1) when a card is turned for trump."""
        cards = self.cards_of(number, plan)
        exhausted = not self.card_is_left(cards, players)
        match self.no_trump_on:
            case NoTrumpOn.LAST:
                return exhausted or self.is_last(number, plan)
            case NoTrumpOn.LARGEST:
                # Where every hand has the same size until somebody wins, none stands out as the largest.
                one_size = self.is_open_ended and min(plan) == max(plan)
                return exhausted or (cards == max(plan) and not one_size)
            case NoTrumpOn.EXHAUSTED:
                return exhausted
        return False

    def card_is_left(self, cards: int, players: int) -> bool:
        """Whether the pack has a card to turn after the deal."""
        return cards * players < self.deck.of(players)

    def is_on_forehead(self, cards: int) -> bool:
        """Whether the cards of a hand of that size are held on the forehead, so that every bid is blind."""
        return self.forehead and cards == 1

    def hook_binds(self, cards: int, *, last_hand: bool) -> bool:
        """Whether the bids of a hand of that size may not add up to the cards.

        When all bid at once nobody is last, so the hook binds nobody.
        """
        if not self.hook or self.simultaneous or (last_hand and self.hook_spares_last):
            return False
        return cards >= self.hook_from

    def pays(self, plan: Sequence[int], players: int) -> Pays:
        """What bids pay at this table: in its largest hand, of at most 5 cards, with one trick bid too few."""
        largest = max(plan, default=5)
        cards = min(largest, 5)

        def points(bid: int, took: int) -> int:
            return self.scoring.points(
                bid=bid,
                tricks=took,
                cards=cards,
                players=players,
                largest=largest,
                bids=cards - 1,
            )

        counts = range(min(cards, 3) + 1)
        return Pays(cards, tuple(tuple(points(bid, took) for took in counts) for bid in counts))

    @property
    def worked_example(self) -> Example | None:
        """The example with what it pays by these rules, which may have another scoring than their variant."""
        if self.example is None:
            return None
        hand = self.example
        points = self.scoring.points(
            bid=hand.bid, tricks=hand.took, cards=hand.cards, players=self.players[0], bids=hand.cards - 1
        )
        return replace(hand, points=points)

    def miscounted(self, players: int) -> Problem | None:
        """Why these rules are not for so many players; None if they are."""
        fewest, most = self.players
        if fewest <= players <= most:
            return None
        if fewest == most:
            return problem("exactly %(players)d players can play this", "players", players=most)
        return problem("%(fewest)d to %(most)d players can play this", "players", fewest=fewest, most=most)

    def suits_missing(self) -> Problem | None:
        """Why these rules do not tell the trump, as they say they do; None if they do, or leave it to the table."""
        if self.trump in (TrumpMethod.ROTATION, TrumpMethod.FIXED) and not self.rotation:
            return problem("the trump suits in turn are missing", "rotation")
        return None

    def problems(self, players: int, plan: Sequence[int] | None = None) -> tuple[Problem, ...]:
        """All that bars that many players from playing by these rules (and this plan); empty if nothing."""
        found: list[Problem] = []
        if miscounted := self.miscounted(players):
            found.append(miscounted)
        if not FEWEST_CARDS <= self.deck.of(players) <= MOST_CARDS:
            found.append(
                problem(
                    "a pack has %(fewest)d to %(most)d cards, this one %(deck)d",
                    "deck",
                    fewest=FEWEST_CARDS,
                    most=MOST_CARDS,
                    deck=self.deck.of(players),
                )
            )
        if suits_missing := self.suits_missing():
            found.append(suits_missing)
        try:
            sizes = tuple(plan) if plan is not None else self.plan(players)
        except SequenceError as error:
            return (*found, *(replace(each, place="sequence") for each in error.problems))
        if not sizes:
            found.append(problem("a game needs at least 1 hand", "sequence"))
        if len(sizes) > MOST_HANDS:
            found.append(
                counted_problem(
                    "a game may have %(count)d hand",
                    "a game may have %(count)d hands",
                    MOST_HANDS,
                    "sequence",
                )
            )
        if any(size < 1 for size in sizes):
            found.append(problem("a hand needs at least 1 card", "sequence"))
        if sizes and (trouble := overdealt(max(sizes), players, self.deck.of(players), "sequence")):
            found.append(trouble)
        return tuple(found)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Rules:
        """Rules from plain data (a row of variants.toml, the `rules` of a game record).

        `variant` names the variant that the rest overrides; without one, what is left out is as in `classic`.

        Raises RulesError with every problem found, each with its key as place.
        """
        data = dict(data)
        named = data.pop("variant", None)
        base = _unnamed() if named is None else find_variant(named) if isinstance(named, str) else None
        if base is None:
            raise RulesError(problem("there is no variant %(name)s", "rules.variant", name=shown(named)))
        return base.with_data(data)

    def with_data(self, data: Mapping[str, Any]) -> Rules:
        """These rules with some fields replaced by plain data.

        Raises RulesError with every problem found.
        """
        found: list[Problem] = []
        values: dict[str, Any] = {}
        for key, given in data.items():
            place = f"rules.{shown(key)}"
            if key not in _READERS:
                found.append(problem("%(key)s is no field of the rules", place, key=shown(key)))
                continue
            try:
                values[key] = _READERS[key](given)
            except RulesError as error:
                found += [replace(each, place=f"{place}.{each.place}") for each in error.problems]
            except (ValueError, TypeError, LookupError, AttributeError):
                found.append(problem("%(value)s does not fit here", place, value=shown(given)))
        if found:
            raise RulesError(*found)
        return replace(self, **values)

    def write(self) -> dict[str, Any]:
        """These rules as plain data, every field spelled out; `Rules.read` is the inverse.

        `variant` names where they started from. What is written does not lean on it: a variant that changes later
        changes no game that was played by it.
        """
        written: dict[str, Any] = {"variant": self.id} if self.id in variants() else {}
        return written | {key: write(getattr(self, key)) for key, write in _WRITERS.items()}


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 200 or not is_storable(value):
        raise ValueError(value)
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > 120:
        raise ValueError(value)
    return tuple(_text(each) for each in value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1_000_000:
        raise ValueError(value)
    return value


def _natural(value: Any) -> int:
    if _number(value) < 0:
        raise ValueError(value)
    return _number(value)


def _players(value: Any) -> tuple[int, int]:
    fewest, most = value
    if not 2 <= _number(fewest) <= _number(most) <= MOST_PLAYERS:
        raise ValueError(value)
    return fewest, most


def _deck(value: Any) -> ByPlayers:
    deck = ByPlayers.read(value)
    if deck == ByPlayers():
        raise ValueError(value)
    return deck


def _scoring(value: Any) -> Scoring:
    if not set(value) <= {"made", "missed", "made_zero"}:
        raise ValueError(value)
    return Scoring(**{slot: _text(formula) for slot, formula in value.items()})


def _streak(value: Any) -> Streak | None:
    if value is None:
        return None
    if not set(value) <= {each.name for each in fields(Streak)}:
        raise ValueError(value)
    return Streak(
        length=_number(value["length"]),
        made=_number(value["made"]),
        missed=_number(value["missed"]),
        one_card=_text(value["one_card"]),
    )


def _example(value: Any) -> Example | None:
    if value is None:
        return None
    if set(value) != {each.name for each in fields(Example)}:
        raise ValueError(value)
    example = Example(**{key: _number(number) for key, number in value.items()})
    if not (example.cards >= 1 and 0 <= example.bid <= example.cards and 0 <= example.took <= example.cards):
        raise ValueError(value)
    return example


_READERS: dict[str, Any] = {
    "name": _text,
    "aliases": _texts,
    "players": _players,
    "direction": lambda value: Direction(_text(value)),
    "deck": _deck,
    "largest": ByPlayers.read,
    "reserve": _natural,
    "sequence": _text,
    "other_sequences": _texts,
    "trump": lambda value: TrumpMethod(_text(value)),
    "rotation": lambda value: tuple(Trump(suit) for suit in _texts(value)),
    "turn_ups": lambda value: tuple(TurnUp(card) for card in _texts(value)),
    "no_trump_on": lambda value: NoTrumpOn(_text(value)),
    "simultaneous": _switch,
    "even_table": lambda value: EvenTable(_text(value)),
    "blind_bids": _switch,
    "forehead": _switch,
    "first_bidder": lambda value: First(_text(value)),
    "leads": lambda value: First(_text(value)),
    "hook": _switch,
    "hook_from": _natural,
    "hook_spares_last": _switch,
    "zeros_in_a_row": _natural,
    "zeros_counted_from": _natural,
    "scoring": _scoring,
    "streak": _streak,
    "target": _natural,
    "lowest_wins": _switch,
    "ties": lambda value: Ties(_text(value)),
    "reminders": _texts,
    "disagree": _texts,
    "sources": _texts,
    "example": _example,
}


def _same(value: Any) -> Any:
    return value


def _written_scoring(scoring: Scoring) -> dict[str, str]:
    written = {"made": scoring.made, "missed": scoring.missed}
    return written | ({"made_zero": scoring.made_zero} if scoring.made_zero else {})


def _written_fields(value: Streak | Example | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {each.name: getattr(value, each.name) for each in fields(value)}


_WRITERS: dict[str, Any] = {
    **dict.fromkeys(_READERS, _same),
    **dict.fromkeys(("aliases", "players", "other_sequences", "reminders", "disagree", "sources"), list),
    **dict.fromkeys(
        ("direction", "trump", "no_trump_on", "even_table", "first_bidder", "leads", "ties"), str
    ),
    **dict.fromkeys(("rotation", "turn_ups"), lambda each: [str(one) for one in each]),
    "deck": ByPlayers.write,
    "largest": ByPlayers.write,
    "scoring": _written_scoring,
    **dict.fromkeys(("streak", "example"), _written_fields),
}


@cache
def variants() -> Mapping[str, Rules]:
    """The named variants of variants.toml by id, in the order of the file."""
    return read_variants(Path(__file__).with_name("variants.toml").read_text(encoding="utf-8"))


def read_variants(text: str) -> Mapping[str, Rules]:
    """Variants by id from a text in the notation of variants.toml: one table is one variant.

    Raises RulesError for a field that cannot be read, TOMLDecodeError for what is no TOML.
    """
    rows = tomllib.loads(text)
    return {key: replace(Rules().with_data(row), id=key) for key, row in rows.items()}


def classic() -> Rules:
    """The base game, which everything left unsaid falls back to."""
    return variants()["classic"]


def _unnamed() -> Rules:
    """The base game as no variant: what rules that name none start from."""
    return replace(classic(), id="custom", name="", aliases=(), disagree=(), sources=(), example=None)


def find_variant(name: str) -> Rules | None:
    """A variant by its id, its name or an alias, whatever the case; None if there is none."""
    wanted = name.strip().casefold()
    for key, rules in variants().items():
        if wanted in (key, rules.name.casefold(), *(alias.casefold() for alias in rules.aliases)):
            return rules
    return None
