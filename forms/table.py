"""The forms of the table: corrections, players who come and go, the plan, what is told of the evening."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wtforms import BooleanField, DateField, RadioField, StringField
from wtforms.validators import InputRequired, Length, Optional, ValidationError

from forms import NameForm, NumberField, SeatForm, TapForm, number, number_or_nothing, tidied, within
from language import gettext as _
from rules.record import LONGEST_TEXT
from rules.variants import Trump
from rules.verbs import About, Facts


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


class TakeOverForm(NameForm):
    """Who takes a seat over."""

    seat = number()


class JoinForm(NameForm):
    """Who joins, after which seat, with how many points; `fits` makes hands smaller that the pack is too small for."""

    after = number()
    points = NumberField(validators=[InputRequired(), within(-1_000_000, 1_000_000)])
    fits = BooleanField()


class AdjustForm(SeatForm):
    """A penalty or a bonus. The sign is a choice, because some phones have no key for it."""

    hand = number()
    """The number of the hand it counts from."""
    points = NumberField()
    sign = RadioField(choices={"-": "-", "+": "+"}, default="-", validate_choice=False)
    reason = StringField(filters=[tidied], validators=[Length(max=200)])

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

    name = StringField(filters=[tidied], validators=[Length(max=LONGEST_TEXT)])
    place = StringField(filters=[tidied], validators=[Length(max=LONGEST_TEXT)])
    note = StringField(filters=[tidied], validators=[Length(max=LONGEST_TEXT)])
    played_on = DateField()
    was_name = StringField(name="was-name", filters=[tidied])
    was_place = StringField(name="was-place", filters=[tidied])
    was_note = StringField(name="was-note", filters=[tidied])
    was_played_on = DateField(name="was-played_on", validators=[InputRequired()])

    def validate(self, *_more: Any) -> bool:
        """A day of the calendar, beside what holds for every form."""
        good = super().validate()
        if self.played_on.data is None:
            self.played_on.errors = [_("This is no day of the calendar.")]
        return good and not self.played_on.errors

    def told(self) -> About:
        """What was sent."""
        return About(self.name.data, self.place.data, self.note.data, self.played_on.data)

    def before(self) -> About:
        """What the person saw."""
        return About(self.was_name.data, self.was_place.data, self.was_note.data, self.was_played_on.data)


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
