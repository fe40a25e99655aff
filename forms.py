"""What a screen sends, checked for its shape. Whether it is legal, the rules say; whether it is still true, the models.

`InputRequired`, never `DataRequired`: a bid of 0 is legal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar

from wtforms import (
    BooleanField,
    DateField,
    FieldList,
    Form,
    IntegerField,
    RadioField,
    SelectField,
    StringField,
)
from wtforms.validators import InputRequired, Length, NumberRange, Optional, ValidationError

from codes import SPOKEN_ALPHABET, SPOKEN_LENGTH
from language import gettext as _
from language import own_names, pgettext, say
from listing import Choices, Wanted
from rules import names
from rules.plan import MOST_CARDS, MOST_HANDS, MOST_PLAYERS, ByPlayers, Direction, largest_that_fits, sequence
from rules.problem import Problem
from rules.record import LONGEST_TEXT
from rules.scoring import Formula, FormulaError, Scoring, Streak, common_rules
from rules.variants import EvenTable, First, NoTrumpOn, Rules, Ties, Trump, TrumpMethod, classic, variants
from rules.verbs import About, Facts

LONGEST_SEARCH = 100
"""Characters of what somebody looks for."""
UNNAMED = "\u2205"
"""Stands in an address for rules that have no name."""
LONGEST_LIST = 1000
"""Characters of a line with several names."""
LONGEST_BOOK_NAME = 80
LARGEST_NUMBER = 2**31 - 1


def tidied(text: str | None) -> str:
    """One line as it is kept."""
    return names.tidy(text or "")


class NumberField(IntegerField):
    """A whole number that every database can hold; anything longer is none."""

    data: Any

    def process_formdata(self, valuelist: list[str]) -> None:
        """Take what was sent."""
        try:
            super().process_formdata(valuelist)
        except ValueError:
            raise ValueError(_("A whole number goes here.")) from None
        if self.data is not None and abs(self.data) > LARGEST_NUMBER:
            self.data = None
            raise ValueError(_("A whole number goes here."))


def number(**settings: Any) -> NumberField:
    """A whole number that must be there."""
    return NumberField(validators=[InputRequired(), NumberRange(min=0, max=10_000)], **settings)


def number_or_nothing() -> NumberField:
    """A whole number, or nothing where there was nothing yet."""
    return NumberField(validators=[Optional(), NumberRange(min=0, max=10_000)])


def is_day(form: Form, field: StringField) -> None:  # noqa: ARG001 - WTForms hands both over
    """Nothing, or a day of the calendar."""
    field.data = (field.data or "").strip()
    try:
        ours = not field.data or 1900 <= date.fromisoformat(field.data).year <= 9998
    except ValueError:
        ours = False
    if not ours:
        raise ValidationError(_("This is a day, as in 2026-01-31."))


class TapForm(Form):
    """One tap: `act` is the random id that the form was shown with."""

    act = StringField(validators=[InputRequired(), Length(min=8, max=64)])


class TrumpForm(TapForm):
    """What is trump, and what stood there when the form was shown."""

    trump = RadioField(choices={str(suit): str(suit) for suit in Trump}, validators=[InputRequired()])
    was = StringField(validators=[Optional(), Length(max=8)])
    named_by = number_or_nothing()
    """The seat that won the auction, where there is one."""

    def validate_was(self, field: StringField) -> None:
        """Nothing, or a trump."""
        if field.data and field.data not in list(Trump):
            raise ValidationError(_("This is no trump."))

    def before(self) -> Trump | None:
        """The trump that the person saw."""
        return Trump(self.was.data) if self.was.data in list(Trump) else None


class BidForm(TapForm):
    """One bid of one seat, `blind` if it has not looked; `insist` says that a table against the hook is meant."""

    seat = number()
    bid = number()
    was = number_or_nothing()
    blind = BooleanField()
    insist = BooleanField()


class TricksForm(TapForm):
    """The tricks of one seat, in the tally or when they are counted."""

    seat = number()
    tricks = number()
    was = number_or_nothing()


class UndoForm(TapForm):
    """Which step is to be taken back."""

    change = NumberField(validators=[InputRequired()])


class SettingsForm(Form):
    """What one phone chooses for itself."""

    DEFAULTS: ClassVar = {"language": "auto", "theme": "auto", "letters": "usual"}

    language = RadioField(choices=lambda: [("auto", _("as the phone")), *own_names()])
    theme = RadioField(
        choices=lambda: [("auto", _("as the phone")), ("light", _("light")), ("dark", _("dark"))]
    )
    letters = RadioField(choices=lambda: [("usual", _("usual")), ("large", _("large"))])


class SeatForm(TapForm):
    """Something about one seat; `was` is what stood there, where that matters."""

    seat = number()
    was = number_or_nothing()


class MeForm(TapForm):
    """The seat of the person with this phone, or nothing."""

    seat = number_or_nothing()


class PreviewForm(TapForm):
    """Whether previews of a game's link may name its players."""

    names = BooleanField()


class DealerForm(SeatForm):
    """Who deals which hand."""

    hand = number()


class VoidForm(SeatForm):
    """A misdeal of the hand `was`, with how many misdeals of it were seen before."""

    misdeals = number_or_nothing()


class SitOutForm(SeatForm):
    """Whether a seat sits the open hand out."""

    out = BooleanField()


class SwapForm(SeatForm):
    """Two seats that change places at a table as it was seen."""

    other = number()
    table = StringField(validators=[Length(max=100)])

    def seats(self) -> list[int]:
        """The seats around the table as they were seen."""
        return [int(seat) for seat in (self.table.data or "").split(",") if seat.isascii() and seat.isdigit()]


class NameForm(TapForm):
    """The name of a person, tidied and legal."""

    name = StringField()

    def validate_name(self, field: StringField) -> None:
        """A name, not too long."""
        field.data = names.tidy(field.data or "")
        if trouble := names.name_problem(field.data):
            raise ValidationError(say(trouble))


class BookForm(TapForm):
    """What a book is called."""

    name = StringField()

    def validate_name(self, field: StringField) -> None:
        """A name, not too long."""
        field.data = names.tidy(field.data or "")
        if not field.data:
            raise ValidationError(_("Type a name."))
        if len(field.data) > LONGEST_BOOK_NAME:
            raise ValidationError(_("At most %(most)d characters.", most=LONGEST_BOOK_NAME))


class CodeForm(Form):
    """Six characters as somebody said them, in any case, with blanks or dashes between; or a link that was pasted."""

    code = StringField()

    def pasted(self) -> dict[str, Any]:
        """What a pasted link of a scorebook opens: the `key` of an invitation, or the `code` of a game; else nothing.

        An app on a home screen has no line for addresses, and links open in the browser beside it.
        """
        found = re.search(
            r"/k/(?P<key>[\w-]{32})(?![\w-])|/g/(?P<code>[a-z2-7]{26})(?!\w)", self.code.data or "", re.ASCII
        )
        return {name: value for name, value in found.groupdict().items() if value} if found else {}

    def validate_code(self, field: StringField) -> None:
        """Six characters of those a code is made of; nothing else is looked for."""
        typed = field.data or ""
        field.data = "".join(each for each in typed.upper() if each in SPOKEN_ALPHABET)
        others = [each for each in typed.upper() if each.isalnum() and each not in SPOKEN_ALPHABET]
        if len(field.data) != SPOKEN_LENGTH or others:
            field.data = ""
            raise ValidationError(_("A code has six letters and digits. None of them is 0, O, 1 or I."))

    def refuse(self) -> None:
        """Nobody has that code."""
        self.code.errors = [
            _("Nothing goes by this code now. Codes end with the game, or after ten minutes.")
        ]


class PerSeat(FieldList):
    """A field for each seat, such as `players-0` to `players-11`, and for nothing else that looks like it."""

    def _extract_indices(self, prefix: str, formdata: Any) -> Iterable[int]:
        return [seat for seat in range(MOST_PLAYERS) if f"{prefix}-{seat}" in formdata]


class PastGameForm(TapForm):
    """A game of the past of which only the totals are known: a line for each player, and when it was."""

    played_on = StringField(validators=[InputRequired(), Length(max=20), is_day])
    rules = StringField(default="classic")
    title = StringField(validators=[Length(max=200)])
    place = StringField(validators=[Length(max=200)])
    note = StringField(validators=[Length(max=500)])
    players: FieldList = PerSeat(StringField(), min_entries=MOST_PLAYERS, max_entries=MOST_PLAYERS)
    totals: FieldList = PerSeat(StringField(), min_entries=MOST_PLAYERS, max_entries=MOST_PLAYERS)

    def lines(self) -> list[tuple[int, str, int | None]]:
        """The lines that somebody typed into: number, name, and total if it is a number."""
        found = []
        for line, (name, total) in enumerate(zip(self.players, self.totals, strict=True)):
            typed = (total.data or "").strip().replace("−", "-")
            if name.data or typed:
                points = int(typed) if re.fullmatch(r"[+-]?[0-9]{1,9}", typed) else None
                found.append((line, name.data or "", points))
                if points is None:
                    total.errors = [_("The total is a whole number.")]
        return found


class ForgetForm(TapForm):
    """The name that is to be gone, as it was shown."""

    name = StringField(validators=[InputRequired()])


class PersonForm(TapForm):
    """The person that another name belongs to."""

    person = NumberField(validators=[InputRequired()])


class TakeOverForm(NameForm):
    """Who takes a seat over."""

    seat = number()


class JoinForm(NameForm):
    """Who joins, after which seat, with how many points; `fits` makes hands smaller that the pack is too small for."""

    after = number()
    points = NumberField(validators=[InputRequired(), NumberRange(-1_000_000, 1_000_000)])
    fits = BooleanField()


class AdjustForm(SeatForm):
    """A penalty or a bonus. The sign is a choice, because some phones have no key for it."""

    hand = number()
    """The number of the hand it counts from."""
    points = NumberField()
    sign = RadioField(choices={"-": "-", "+": "+"}, default="-", validate_choice=False)
    reason = StringField(validators=[Length(max=200)])

    def validate_points(self, field: NumberField) -> None:
        """Points, whose sign is chosen beside them."""
        if field.data is None or not 1 <= field.data <= 100_000:
            field.errors = []
            raise ValidationError(_("The points are a whole number from 1 to 100,000; choose minus or plus."))

    def signed(self) -> int:
        """The points with their sign."""
        return self.points.data if self.sign.data == "+" else -self.points.data


class PlanForm(TapForm):
    """The sizes of the hands to come, in the notation; empty for none. And what was seen when it was shown."""

    plan = StringField(validators=[Length(max=200)])
    was = StringField(validators=[Length(max=400)])
    over = BooleanField()

    def before(self) -> list[int] | None:
        """The sizes that were seen; None where the form does not tell."""
        if not self.was.raw_data:
            return None
        return [int(size) for size in (self.was.data or "").split(",") if size.isascii() and size.isdigit()]


class AboutForm(TapForm):
    """What is told of an evening, each with what stood there when the form was shown."""

    name = StringField(filters=[tidied])
    place = StringField(filters=[tidied])
    note = StringField(filters=[tidied])
    played_on = DateField()
    was_name = StringField(name="was-name", filters=[tidied])
    was_place = StringField(name="was-place", filters=[tidied])
    was_note = StringField(name="was-note", filters=[tidied])
    was_played_on = DateField(name="was-played_on", validators=[InputRequired()])

    def validate(self, *_more: Any) -> bool:
        """Texts that fit, and a day of the calendar."""
        good = super().validate()
        for text in (self.name, self.place, self.note):
            if len(text.data) > LONGEST_TEXT:
                text.errors = [_("This is a text of at most %(most)d characters.", most=LONGEST_TEXT)]
        if self.played_on.data is None:
            self.played_on.errors = [_("This is no day of the calendar.")]
        return good and not any(field.errors for field in self)

    def told(self) -> About:
        """What was sent."""
        return About(self.name.data, self.place.data, self.note.data, self.played_on.data)

    def before(self) -> About:
        """What the person saw."""
        return About(self.was_name.data, self.was_place.data, self.was_note.data, self.was_played_on.data)


class FindForm(Form):
    """What games somebody looks for in a book. It is asked for, not sent: it changes nothing, so it has no `act`."""

    q = StringField(default="", filters=[tidied])
    player = SelectField(default="", validate_choice=False)
    rules = SelectField(default="", validate_choice=False)
    year = SelectField(default="", validate_choice=False)
    state = SelectField(default="", validate_choice=False)

    def offer(self, choices: Choices) -> None:
        """Set what there is to choose from in the book."""
        self.player.choices = [("", _("anybody")), *((str(each.id), each.name) for each in choices.people)]
        self.rules.choices = [
            ("", pgettext("rules", "all")),
            *((name or UNNAMED, name or _("House rules")) for name in choices.rules),
        ]
        self.year.choices = [
            ("", pgettext("years", "all")),
            *((str(year), str(year)) for year in choices.years),
        ]
        self.state.choices = [
            ("", pgettext("games", "all")),
            ("finished", _("finished")),
            ("running", _("still running")),
        ]

    def validate(self, *_more: Any) -> bool:
        """A search of a length that somebody may type, and choices that there are."""
        good = super().validate()
        if len(self.q.data) > LONGEST_SEARCH:
            self.q.errors = [_("This is a text of at most %(most)d characters.", most=LONGEST_SEARCH)]
        for field in (self.player, self.rules, self.year, self.state):
            if field.data not in dict(field.choices):
                field.errors = [_("This is not in the book.")]
        return good and not any(field.errors for field in self)

    def wanted(self) -> Wanted:
        """What is asked for, of a form that is valid."""
        return Wanted(
            text=self.q.data,
            person=int(self.player.data) if self.player.data else None,
            rules=None if not self.rules.data else "" if self.rules.data == UNNAMED else self.rules.data,
            year=int(self.year.data) if self.year.data else None,
            running=self.state.data == "running" if self.state.data else None,
        )

    def asked(self) -> dict[str, str]:
        """What is asked for, as it stands in an address."""
        return {field.name: field.data for field in self if field.data}


class AdjustmentForm(TapForm):
    """Which adjustment is meant."""

    adjustment = NumberField(validators=[InputRequired()])


class CorrectForm(TapForm):
    """The facts of one hand as they should be, and as they were seen: each field with a twin `was-...`."""

    confirmed = BooleanField()
    seats: tuple[int, ...] = ()

    @classmethod
    def for_hand(cls, seats: Iterable[int], data: Any) -> CorrectForm:
        """The form of a hand that these seats play."""
        seats = tuple(seats)
        fields: dict[str, Any] = {}
        for prefix in ("", "was-"):
            fields[f"{prefix}cards"] = number()
            fields[f"{prefix}dealer"] = number()
            fields[f"{prefix}trump"] = StringField(validators=[Optional(), Length(max=8)])
            for seat in seats:
                fields[f"{prefix}bid-{seat}"] = number_or_nothing()
                fields[f"{prefix}took-{seat}"] = number_or_nothing()
        form = type("HandCorrectForm", (cls,), fields)(data)
        form.seats = seats
        return form

    def facts(self, prefix: str = "") -> Facts:
        """The facts as they should be; with "was-" as they were seen."""
        trump = self[f"{prefix}trump"].data
        return Facts(
            cards=self[f"{prefix}cards"].data,
            dealer=self[f"{prefix}dealer"].data,
            trump=Trump(trump) if trump in list(Trump) else None,
            bids={seat: self[f"{prefix}bid-{seat}"].data for seat in self.seats},
            took={seat: self[f"{prefix}took-{seat}"].data for seat in self.seats},
        )


class ScoreForm(TapForm):
    """The tricks of everybody: fields `tricks-<seat>`, and `was-<seat>` for what stood there."""

    confirmed = BooleanField()
    uneven = BooleanField()
    """The table means tricks that do not add up."""

    @classmethod
    def for_seats(cls, seats: Iterable[int], data: Any) -> ScoreForm:
        """The form of a hand that these seats play."""
        fields = {f"tricks-{seat}": number() for seat in seats}
        fields |= {f"was-{seat}": number_or_nothing() for seat in seats}
        form = type("HandScoreForm", (cls,), fields)(data)
        form.seats = tuple(seats)
        return form

    seats: tuple[int, ...] = ()

    def took(self) -> dict[int, int]:
        """The tricks by seat."""
        return {seat: self[f"tricks-{seat}"].data for seat in self.seats}

    def before(self) -> dict[int, int | None]:
        """What the person saw stored, by seat."""
        return {seat: self[f"was-{seat}"].data for seat in self.seats}


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
        rules, players = self.rules(), len(self.players)
        if max(plan) < max(self.planned(rules, players)):
            self.largest.data = max(plan)
        if len(plan) < len(self.planned(rules, players)):
            self.hands.data = len(plan)
        if self.planned(rules, players) != tuple(plan):
            self.largest.data = self.hands.data = None
            self.order.data, self.plan.data = OWN_PLAN, ",".join(str(cards) for cards in plan)

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

    def within(_form: Form, field: NumberField) -> None:
        if field.data is not None and not fewest <= field.data <= most:
            raise ValidationError(_("A number from %(fewest)d to %(most)d.", fewest=fewest, most=most))

    return NumberField(validators=[Optional(), within])


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
