"""The form that starts a game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from wtforms import BooleanField, FieldList, RadioField, StringField
from wtforms.validators import InputRequired, Length, Optional, ValidationError

from forms import Form, NumberField, PerSeat, is_day
from language import gettext as _
from language import say
from rules import names
from rules.plan import MOST_HANDS, MOST_PLAYERS, ByPlayers, SequenceError, largest_that_fits, sequence
from rules.problem import Problem
from rules.scoring import Scoring
from rules.variants import NoTrumpOn, Rules, TrumpMethod, classic, variants

LONGEST_LIST = 1000
"""Characters of a line with several names."""
OWN_PLAN = "own"
PAST_GAME = "game-"
HOUSE = "house-"
"""What the keys of a past game's rules and of house rules begin with."""
RANDOM = "random"

ORDERS = {
    "1..H": lambda: _("Up"),
    "H..1": lambda: _("Down"),
    "1..H,H-1..1": lambda: _("Up and down"),
    "H..1,2..H": lambda: _("Down and up"),
}
"""The four orders of the base game by their sequence."""

NO_TRUMP = {
    NoTrumpOn.LAST: lambda: _("the last hand"),
    NoTrumpOn.LARGEST: lambda: _("every largest hand"),
    NoTrumpOn.EXHAUSTED: lambda: _("when no card is left to turn"),
    NoTrumpOn.NEVER: lambda: _("never"),
}

TRUMP_METHODS = {
    TrumpMethod.TURNED: lambda: _("A card is turned"),
    TrumpMethod.ROTATION: lambda: _("The suits take turns"),
    TrumpMethod.NONE: lambda: _("No trump at all"),
    TrumpMethod.UNTRACKED: lambda: _("We do not note it"),
    TrumpMethod.FIXED: lambda: _("Always the same suit"),
    TrumpMethod.DEALER: lambda: _("The dealer names it"),
    TrumpMethod.HIGHEST_BIDDER: lambda: _("The highest bidder names it"),
    TrumpMethod.AUCTION: lambda: _("It is bid for"),
}

USUAL_TRUMP = (TrumpMethod.TURNED, TrumpMethod.NONE, TrumpMethod.UNTRACKED)
"""What every table may switch to; the other ways belong to the variants that have them."""

MISSES = {"0": lambda: _("nothing"), "tricks": lambda: _("1 a trick")}
ZEROS = {"": lambda: _("as any made bid"), "5 + cards": lambda: _("5 + the cards")}


class NewGameForm(Form):
    """Who plays, who deals first, by which rules. Kept in the page until the game starts."""

    act = StringField(validators=[InputRequired(), Length(min=8, max=64)])
    book = StringField()
    """The code of the book that the game goes into; the first one of the phone where it keeps none of that code."""
    instead = StringField()
    """The code of the game just started, where this form sets it up otherwise before anybody has bid."""
    today = StringField()
    """The date at the table, as the phone tells it; nothing without scripts."""
    players = PerSeat(StringField(), max_entries=MOST_PLAYERS)
    newcomers = StringField(validators=[Length(max=LONGEST_LIST)])
    dealer = StringField(default=RANDOM)
    variant = RadioField(validate_choice=False, default="classic")
    shown_variant = StringField(default="classic")
    order = RadioField(validate_choice=False, default="1..H")
    plan = StringField(validators=[Length(max=200)])
    largest = NumberField(validators=[Optional()])
    hands = NumberField(validators=[Optional()])
    hook = BooleanField()
    simultaneous = BooleanField()
    must_trump = BooleanField()
    trump = RadioField(validate_choice=False, default=str(TrumpMethod.TURNED))
    no_trump_on = RadioField(validate_choice=False, default=str(NoTrumpOn.LARGEST))
    missed = RadioField(validate_choice=False, default="0")
    made_zero = RadioField(validate_choice=False, default="")
    played_on = StringField(validators=[Length(max=20), is_day])
    """The day at the table, if it is not today."""

    bases: Mapping[str, Rules] = {}
    """The rules that the switches can start from, by the key in `variant`: variants, house rules, a past game's."""

    @classmethod
    def fresh(cls, act: str, bases: Mapping[str, Rules], players: Iterable[str] = ()) -> NewGameForm:
        """A form with these players, and the first of these rules."""
        form = cls(data={"act": act, "players": list(players)})
        form.bases = bases
        form.show(next(iter(bases)))
        return form

    @classmethod
    def sent(cls, data: Any, bases: Mapping[str, Rules]) -> NewGameForm:
        """The form as it was sent."""
        form = cls(data)
        form.bases = bases
        form.offer()
        return form

    # The table

    def do(self, what: str) -> None:
        """One step of set-up: `add`, `add:NAME`, `up:SEAT`, `down:SEAT`, `out:SEAT`; anything else only shows again."""
        verb, _colon, target = what.partition(":")
        if verb == "add":
            self.add(target or self.newcomers.data or "")
        elif verb in ("up", "down", "out") and (seat := self.seat(target)) is not None:
            self.move(verb, seat)
        if self.variant.data != self.shown_variant.data and self.variant.data in self.bases:
            self.show(self.variant.data)
        elif self.shown_variant.data not in self.bases:
            # The house rules have a newer version by now: nobody starts by other rules than they saw.
            self.show(next(iter(self.bases)))

    def add(self, typed: str) -> None:
        """Seat everybody in a line of names, as long as there is a chair."""
        self.newcomers.data = ""
        left = []
        for name in re.split(r"[,;\n]", typed):
            tidied = names.tidy(name)
            if not tidied:
                continue
            if len(self.players) < MOST_PLAYERS and not names.name_problem(tidied):
                self.players.append_entry(tidied)
            else:
                left.append(tidied)
        if left:
            self.newcomers.data = ", ".join(left)
            trouble = names.name_problem(left[0])
            self.newcomers.errors = [
                say(trouble) if trouble else _("%(most)d players at the most.", most=MOST_PLAYERS)
            ]

    def move(self, verb: str, seat: int) -> None:
        """Swap a player with a neighbour, or send one away; the dealer stays the same person."""
        called = [entry.data for entry in self.players]
        dealer = self.seat(self.dealer.data)
        order = list(range(len(called)))
        if verb == "out":
            order.remove(seat)
        else:
            other = (seat + (1 if verb == "down" else -1)) % len(order)
            order[seat], order[other] = order[other], order[seat]
        while self.players.entries:
            self.players.pop_entry()
        for each in order:
            self.players.append_entry(called[each])
        self.dealer.data = str(order.index(dealer)) if dealer in order else RANDOM

    def seat(self, text: str | None) -> int | None:
        """The seat that a text stands for; None for chance, and for whatever is no seat here."""
        return next((seat for seat in range(len(self.players)) if str(seat) == text), None)

    def called(self) -> list[str]:
        """The tidied names in seat order."""
        return [names.tidy(entry.data or "") for entry in self.players]

    def day(self, at: datetime) -> date:
        """The day it belongs to: as typed; or the table's, at most a day from that in UTC; or else the server's."""
        if self.played_on.data:
            return date.fromisoformat(self.played_on.data)
        try:
            day = date.fromisoformat(self.today.data or "")
        except ValueError:
            return at.astimezone().date()
        return day if abs(day - at.astimezone(UTC).date()) <= timedelta(days=1) else at.astimezone().date()

    # The rules

    def show(self, key: str, rules: Rules | None = None) -> None:
        """Set every switch as the rules of that key have it, or as `rules` that started from them have it."""
        base = self.bases[key]
        rules = rules or base
        known = {**ORDERS, **dict.fromkeys((base.sequence, *base.other_sequences))}
        self.variant.data = self.shown_variant.data = key
        self.order.data = rules.sequence if rules.sequence in known else OWN_PLAN
        self.plan.data = "" if rules.sequence in known else rules.sequence
        for field in (self.largest, self.hands):
            field.data = field.raw_data = None
        self.hook.data = rules.hook
        self.simultaneous.data = rules.simultaneous
        self.must_trump.data = "must-trump" in rules.reminders
        self.trump.data = str(rules.trump)
        self.no_trump_on.data = str(rules.no_trump_on)
        self.missed.data = rules.scoring.missed
        self.made_zero.data = rules.scoring.made_zero

    def show_rules(self, rules: Rules) -> bool:
        """Set the switches to these rules, if there is something to start from that has all that they do not show."""
        for key in sorted(self.bases, key=lambda key: key != rules.id):
            self.show(key, rules)
            if self.rules() == rules:
                return True
        return False

    def show_plan(self, plan: Sequence[int]) -> None:
        """Set how a game with these players and rules was made shorter, or else its hands as a plan of its own."""
        try:
            is_cut = self._cut_to(plan)
        except SequenceError:
            # Since it began, more sat down than its sequence has hands for.
            is_cut = False
        if not is_cut:
            self.largest.data = self.hands.data = None
            self.order.data, self.plan.data = OWN_PLAN, ",".join(str(cards) for cards in plan)

    def _cut_to(self, plan: Sequence[int]) -> bool:
        """Make the game as short as the plan, and say whether it is just that then. Raises SequenceError for none."""
        rules, players = self.rules(), len(self.players)
        if max(plan) < max(self.planned(rules, players)):
            self.largest.data = max(plan)
        if len(plan) < len(self.planned(rules, players)):
            self.hands.data = len(plan)
        return self.planned(rules, players) == tuple(plan)

    def base(self) -> Rules:
        """The variant the switches belong to."""
        return self.bases.get(self.shown_variant.data or "") or classic()

    @property
    def tucked_away(self) -> frozenset[str]:
        """The variants that stand behind "other games": all but the base game and what this table has of its own."""
        return frozenset(variants()) - {"classic"}

    def offer(self) -> None:
        """Set the choices: the usual ones, and what the variant itself has."""
        base = self.base()
        orders = {base.sequence: _("As usual"), **{key: key for key in base.other_sequences}}
        orders |= {key: label() for key, label in ORDERS.items()}
        self.variant.choices = {
            key: _("As last time") if key.startswith(PAST_GAME) else rules.name
            for key, rules in self.bases.items()
        }
        self.order.choices = {**orders, OWN_PLAN: _("Our own plan")}
        self.trump.choices = {
            str(method): label()
            for method, label in TRUMP_METHODS.items()
            if method in (*USUAL_TRUMP, base.trump)
        }
        self.no_trump_on.choices = {str(key): label() for key, label in NO_TRUMP.items()}
        self.missed.choices = _formulas(base.scoring.missed, MISSES)
        self.made_zero.choices = _formulas(base.scoring.made_zero, ZEROS)

    def rules(self) -> Rules:
        """The rules as the switches stand. Raises RulesError where a formula or a plan cannot be read."""
        base = self.base()
        reminders = tuple(each for each in base.reminders if each != "must-trump" or self.must_trump.data)
        if self.must_trump.data and "must-trump" not in reminders:
            reminders = (*reminders, "must-trump")
        trump = {str(each): each for each in USUAL_TRUMP}.get(self.trump.data or "", base.trump)
        no_trump_on = {str(each): each for each in NoTrumpOn}.get(
            self.no_trump_on.data or "", base.no_trump_on
        )
        return replace(
            base,
            sequence=(self.plan.data or "").strip() if self.order.data == OWN_PLAN else self.order.data or "",
            hook=bool(self.hook.data),
            simultaneous=bool(self.simultaneous.data),
            reminders=reminders,
            trump=trump,
            no_trump_on=no_trump_on,
            scoring=Scoring(
                made=base.scoring.made,
                missed=self.missed.data or base.scoring.missed,
                made_zero=self.made_zero.data or "",
            ),
        )

    def planned(self, rules: Rules, players: int) -> tuple[int, ...]:
        """The sizes of all hands: the sequence, its largest hand and its number of hands cut as asked.

        Raises RulesError. A plan that the table typed itself is refused where it does not fit, never clipped.
        """
        fits = largest_that_fits(rules.deck.of(players), players, rules.reserve)
        largest = self.largest.data or rules.largest_hand(players)
        if self.order.data == OWN_PLAN:
            sizes = sequence(rules.sequence, largest=min(largest, fits), players=players)
        else:
            cut = replace(rules, largest=ByPlayers(min(largest, rules.largest_hand(players))))
            sizes = cut.plan(players)
        return sizes[: self.hands.data or MOST_HANDS]

    @property
    def refusals(self) -> list[str]:
        """What keeps the game from starting: the sentences on names, players and plan, each once."""
        fields = (self.players, *self.players.entries, self.newcomers, self.plan, self.largest, self.hands)
        return list(dict.fromkeys(text for field in fields for text in field.errors if isinstance(text, str)))

    def validate_players(self, field: FieldList) -> None:
        """Enough of them, with names, all different."""
        called = self.called()
        if not called:
            raise ValidationError(_("Who plays? Add the names first."))
        for entry, name in zip(field, called, strict=True):
            if trouble := names.name_problem(name):
                entry.errors = [say(trouble)]
        for earlier, later in names.twins(called):
            field[later].errors = [_("%(name)s is at the table already.", name=called[earlier])]
        if any(entry.errors for entry in field):
            raise ValidationError(_("Look at the names."))

    def validate_largest(self, field: NumberField) -> None:
        """A largest hand makes the game shorter, so it has at least 2 cards."""
        if field.data is not None and not 2 <= field.data <= 1000:
            raise ValidationError(_("The largest hand has 2 cards or more."))

    def validate_hands(self, field: NumberField) -> None:
        """A game has 1 to 120 hands."""
        if field.data is not None and not 1 <= field.data <= MOST_HANDS:
            raise ValidationError(_("A game has 1 to %(most)d hands.", most=MOST_HANDS))

    def blame(self, problems: Iterable[Problem]) -> None:
        """Put what the rules refuse beside the field it comes from."""
        fields = {"players": self.players, "sequence": self.plan, "": self.plan}
        for each in problems:
            field = fields.get(each.place, self.plan)
            if (said := say(each)) not in field.errors:
                field.errors = [*field.errors, said]


def _formulas(own: str, usual: Mapping[str, Any]) -> dict[str, str]:
    """The usual choices, and the variant's own formula in front of them where it is another."""
    choices = {key: label() for key, label in usual.items()}
    return choices if own in choices else {own: own, **choices}
