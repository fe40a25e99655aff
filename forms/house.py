"""The form of a table's own rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from wtforms import BooleanField, RadioField, StringField
from wtforms.validators import InputRequired, Length, Optional, ValidationError

from forms import Form, NumberField, within
from forms.games import NO_TRUMP, ORDERS, OWN_PLAN, TRUMP_METHODS
from language import gettext as _
from language import say
from rules import names
from rules.plan import MOST_CARDS, MOST_PLAYERS, Direction
from rules.problem import Problem
from rules.scoring import Formula, FormulaError, Streak, common_rules
from rules.variants import EvenTable, First, NoTrumpOn, Rules, Ties, Trump, TrumpMethod, variants

DIRECTIONS = {
    Direction.CLOCKWISE: lambda: _("clockwise"),
    Direction.COUNTER_CLOCKWISE: lambda: _("counter-clockwise"),
}
SEATS_NEAR_DEALER = {
    First.AFTER_DEALER: lambda: _("whoever sits after the dealer"),
    First.DEALER: lambda: _("the dealer"),
}
FIRST_BIDDERS = {**SEATS_NEAR_DEALER, First.HIGHEST_BIDDER: lambda: _("whoever won the auction")}
LEADERS = {**SEATS_NEAR_DEALER, First.HIGHEST_BIDDER: lambda: _("the highest bidder")}
EVEN_TABLES = {
    EvenTable.ANNOUNCE: lambda: _("it is only announced"),
    EvenTable.LEFT_CHANGES: lambda: _("whoever sits after the dealer must change"),
    EvenTable.REBID: lambda: _("all bid again"),
}
ONE_CARD = {
    "count": lambda: _("count"),
    "skip": lambda: _("neither count nor break it"),
    "reset": lambda: _("break it"),
}
TIES = {
    Ties.SHARED: lambda: _("they share the win"),
    Ties.MOST_MADE: lambda: _("more bids made"),
    Ties.MADE_BIDS: lambda: _("the larger sum of made bids"),
}
SUITS = {
    Trump.SPADES: lambda: _("spades"),
    Trump.HEARTS: lambda: _("hearts"),
    Trump.DIAMONDS: lambda: _("diamonds"),
    Trump.CLUBS: lambda: _("clubs"),
}
TIMES = {"1": lambda: _("once"), "2": lambda: _("twice"), "P": lambda: _("once for each player")}
PATTERNS = {
    "seed-base": lambda: _("10 + tricks, a miss nothing"),
    "basic10": lambda: _("10 + tricks, a miss 1 a trick"),
    "get-fred": lambda: _("10 + tricks, a miss −1 a trick off"),
    "romanian": lambda: _("5 + tricks, a miss −1 a trick off"),
    "pocha": lambda: _("10 + 5 a trick, a miss −5 a trick off"),
    "podrida-33": lambda: _("10 + 3 a trick, a miss −3 a trick off"),
    "wizard": lambda: _("20 + 10 a trick, a miss −10 a trick off"),
    "kachuful-mul": lambda: _("10 a trick, zero 10, a miss nothing"),
    "square-square": lambda: _("10 + bid × bid, a miss −off × off"),
    "golf-tri": lambda: _("made 0, a miss 1, 3, 6, 10 ... (tick that the lowest wins)"),
}
"""The scoring rules to choose from by their names in scoring.toml; whatever else there is, a formula says."""

ROTATIONS = [",".join(rules.rotation) for rules in variants().values() if len(rules.rotation) > 1]
"""The suits in turn as the variants have them."""

ORDER_NAMES = ("up", "down", "up-down", "down-up")


def sequence_of(order: str, low: str, high: str) -> str:
    """One of the four orders with its one-card and its largest hands dealt so often, in the notation.

    `low` and `high` are "1", "2" or "P".
    """
    if (low, high) == ("1", "1"):
        return list(ORDERS)[ORDER_NAMES.index(order)]
    ones, tops = f"1*{low}", f"H*{high}"
    up, down = f"{ones},2..H-1,{tops}", f"{tops},H-1..2,{ones}"
    return {"up": up, "down": down, "up-down": f"{up},H-1..2,{ones}", "down-up": f"{down},2..H-1,{tops}"}[
        order
    ]


SEQUENCES = {
    sequence_of(order, low, high): (order, low, high)
    for order in ORDER_NAMES
    for low in TIMES
    for high in TIMES
}


def whole(fewest: int, most: int) -> NumberField:
    """A whole number in a range, or nothing."""
    return NumberField(validators=[Optional(), within(fewest, most)])


def choice(labels: Mapping[Any, Any], otherwise: object) -> RadioField:
    """One of a few, each with its words; what is not among them counts as `otherwise`."""
    return RadioField(choices=[str(key) for key in labels], default=str(otherwise), validate_choice=False)


class HouseRulesForm(Form):
    """A table's own rules: every switch there is, set as the rules it starts from have it."""

    act = StringField(validators=[InputRequired(), Length(min=8, max=64)])
    name = StringField()
    start = StringField(default="classic")
    order = choice(dict.fromkeys((*ORDER_NAMES, OWN_PLAN)), "up")
    low = choice(TIMES, "1")
    high = choice(TIMES, "1")
    plan = StringField(validators=[Length(max=200)])
    fewest = whole(2, MOST_PLAYERS)
    most = whole(2, MOST_PLAYERS)
    deck = whole(8, MOST_CARDS)
    largest = whole(1, MOST_CARDS)
    direction = choice(DIRECTIONS, Direction.CLOCKWISE)
    trump = choice(TRUMP_METHODS, TrumpMethod.TURNED)
    suit = choice(SUITS, Trump.SPADES)
    turns = RadioField(choices=ROTATIONS, validate_choice=False)
    no_trump_on = choice(NO_TRUMP, NoTrumpOn.LARGEST)
    simultaneous = BooleanField()
    even_table = choice(EVEN_TABLES, EvenTable.ANNOUNCE)
    first_bidder = choice(FIRST_BIDDERS, First.AFTER_DEALER)
    leads = choice(LEADERS, First.AFTER_DEALER)
    hook = BooleanField()
    hook_from = whole(1, 100)
    hook_spares_last = BooleanField()
    zeros_in_a_row = whole(0, 100)
    blind_bids = BooleanField()
    forehead = BooleanField()
    pattern = choice(dict.fromkeys((*PATTERNS, OWN_PLAN)), OWN_PLAN)
    made = StringField()
    made_zero = StringField()
    missed = StringField()
    streak_length = whole(0, 100)
    streak_made = whole(0, 1000)
    streak_lost = whole(0, 1000)
    streak_one_card = choice(ONE_CARD, "skip")
    target = whole(0, 1_000_000)
    lowest_wins = BooleanField()
    ties = choice(TIES, Ties.SHARED)
    must_trump = BooleanField()
    must_head = BooleanField()

    base: Rules
    """The rules it starts from; what the form does not ask stays as there."""

    @classmethod
    def fresh(cls, act: str, start: str, base: Rules, name: str = "") -> HouseRulesForm:
        """The form with every switch as these rules have it."""
        order, low, high = SEQUENCES.get(base.sequence, (OWN_PLAN, "1", "1"))
        streak = base.streak or Streak()
        scoring = base.scoring
        form = cls(
            data={
                "act": act,
                "name": name,
                "start": start,
                "order": order,
                "low": low,
                "high": high,
                "plan": base.sequence if order == OWN_PLAN else "",
                "fewest": base.players[0],
                "most": base.players[1],
                "deck": base.deck.default or None,
                "largest": base.largest.default or None,
                **{key: str(getattr(base, key)) for key in _WORDS},
                **{key: getattr(base, key) for key in (*_SWITCHES, *_NUMBERS)},
                "turns": ",".join(base.rotation),
                "suit": str(base.rotation[0]) if len(base.rotation) == 1 else str(Trump.SPADES),
                "pattern": next((key for key in PATTERNS if common_rules()[key] == scoring), OWN_PLAN),
                "made": scoring.made,
                "made_zero": scoring.made_zero,
                "missed": scoring.missed,
                "streak_length": streak.length if base.streak else 0,
                "streak_made": streak.made,
                "streak_lost": -streak.missed,
                "streak_one_card": streak.one_card,
                "must_trump": "must-trump" in base.reminders,
                "must_head": "must-head" in base.reminders,
            }
        )
        form.base = base
        form.offer()
        return form

    @classmethod
    def sent(cls, data: Any, base: Rules) -> HouseRulesForm:
        """The form as it was sent."""
        form = cls(data)
        form.base = base
        form.offer()
        return form

    def offer(self) -> None:
        """Give every choice its words in the reader's language."""
        orders = dict(zip(ORDER_NAMES, ORDERS.values(), strict=True))
        own = {OWN_PLAN: lambda: _("our own")}
        worded: dict[str, Mapping[Any, Any]] = {
            "order": orders | own,
            "low": TIMES,
            "high": TIMES,
            "trump": TRUMP_METHODS,
            "suit": SUITS,
            "pattern": PATTERNS | own,
            "streak_one_card": ONE_CARD,
            **_WORDS,
        }
        for key, labels in worded.items():
            self[key].choices = {str(value): label() for value, label in labels.items()}
        own_turns = [",".join(self.base.rotation)] if len(self.base.rotation) > 1 else []
        self.turns.choices = list(dict.fromkeys(own_turns + ROTATIONS))

    def data_of_rules(self) -> dict[str, Any]:
        """What the form says, as the plain data of rules."""
        asked = {"must-trump": self.must_trump.data, "must-head": self.must_head.data}
        reminders = [each for each in self.base.reminders if asked.get(each, True)]
        reminders += [each for each, wanted in asked.items() if wanted and each not in reminders]
        method = self.trump.data
        data: dict[str, Any] = {
            "name": names.tidy(self.name.data or ""),
            "players": [self.fewest.data or self.base.players[0], self.most.data or self.base.players[1]],
            "sequence": self.sequence(),
            "rotation": self.rotation(),
            "reminders": reminders,
            "scoring": self.scoring(),
            "streak": self.streak(),
            "disagree": [],
            "aliases": [],
            "other_sequences": [],
            "sources": [],
            "trump": method,
            **{key: self[key].data for key in _WORDS},
            **{key: bool(self[key].data) for key in _SWITCHES},
            **{key: self[key].data or _NUMBERS[key] for key in _NUMBERS},
        }
        # What differs by the number of players is shown as an empty field, and stays as it is.
        if self.deck.data and self.deck.data != self.base.deck.default:
            data["deck"] = self.deck.data
        if (largest := self.largest.data or 0) != self.base.largest.default:
            data["largest"] = largest
        return data

    def sequence(self) -> str:
        """The plan in the notation."""
        if self.order.data in ORDER_NAMES and self.low.data in TIMES and self.high.data in TIMES:
            return sequence_of(self.order.data, self.low.data, self.high.data)
        return (self.plan.data or "").strip()

    def rotation(self) -> list[str]:
        """The suits in turn, or the one that is always trump."""
        if self.trump.data == TrumpMethod.FIXED:
            return [self.suit.data or ""]
        if self.trump.data == TrumpMethod.ROTATION:
            return (self.turns.data or ROTATIONS[0]).split(",")
        return []

    def scoring(self) -> dict[str, str]:
        """The formulas: of the pattern that was chosen, or as they were typed."""
        if self.pattern.data in PATTERNS:
            chosen = common_rules()[self.pattern.data]
            return {"made": chosen.made, "missed": chosen.missed, "made_zero": chosen.made_zero}
        return {key: (self[key].data or "").strip() for key in ("made", "missed", "made_zero")}

    def streak(self) -> dict[str, Any] | None:
        """The bonus for runs; None without one. What is lost is typed without a minus."""
        if not self.streak_length.data:
            return None
        return {
            "length": self.streak_length.data,
            "made": self.streak_made.data or 0,
            "missed": -(self.streak_lost.data or 0),
            "one_card": self.streak_one_card.data,
        }

    def rules(self) -> Rules:
        """The rules that the form comes to. Raises RulesError with every problem, placed as in a game record."""
        return self.base.with_data(self.data_of_rules())

    def wrong_formulas(self) -> dict[str, tuple[str, str, str]]:
        """Where each formula that cannot be read goes wrong: what stands before, at and after the place, by field.

        Each is told why, too.
        """
        wrong = {}
        for key, source in self.scoring().items():
            try:
                if source or key != "made_zero":
                    Formula.parse(source)
            except FormulaError as error:
                word = re.match(r"\w*|.", source[error.column :])
                end = error.column + (len(word[0]) or 1 if word else 1)
                wrong[key] = (source[: error.column], source[error.column : end], source[end:])
                self.blame(replace(each, place=key) for each in error.problems)
        return wrong

    def validate_name(self, field: StringField) -> None:
        """Rules are kept under a name."""
        if trouble := names.name_problem(names.tidy(field.data or "")):
            raise ValidationError(say(trouble))

    def excuse_name(self) -> None:
        """Who only looks need not have named the rules yet."""
        if not names.tidy(self.name.data or ""):
            self.name.errors = []

    def validate_most(self, field: NumberField) -> None:
        """No fewer than the fewest."""
        if field.data is not None and field.data < (self.fewest.data or 0) <= MOST_PLAYERS:
            raise ValidationError(_("The most players are at least the fewest."))

    def blame(self, problems: Iterable[Problem]) -> None:
        """Put what the rules refuse beside the field it comes from, unless something stands there already."""
        players = "fewest" if self.fewest.errors else "most"
        fields = {
            "": "plan",
            "sequence": "plan",
            "players": players,
            "streak": "streak_length",
            "rotation": "turns",
        }
        for each in problems:
            key = each.place.removeprefix("rules.").removeprefix("scoring.").split(".")[0]
            # What is wrong with a formula is told where it is marked.
            field = self._fields.get(fields.get(key, key))
            if field is not None and not field.errors:
                field.errors = [say(each)]


_WORDS: dict[str, Mapping[Any, Any]] = {
    "direction": DIRECTIONS,
    "no_trump_on": NO_TRUMP,
    "even_table": EVEN_TABLES,
    "first_bidder": FIRST_BIDDERS,
    "leads": LEADERS,
    "ties": TIES,
    "trump": TRUMP_METHODS,
}
"""The choices whose fields are those of the rules, with their words."""

_SWITCHES = ("simultaneous", "hook", "hook_spares_last", "blind_bids", "forehead", "lowest_wins")
_NUMBERS = {"hook_from": 1, "zeros_in_a_row": 0, "target": 0}
"""The switches and the numbers whose fields are those of the rules; the numbers with what nothing stands for."""
