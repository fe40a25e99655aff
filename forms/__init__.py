"""What a screen sends, checked for its shape. Whether it is legal, the rules say; whether it is still true, the verbs.

A file for each audience as in `views/`; what they share is here. `InputRequired`, never `DataRequired`: a bid of 0 is
legal.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from wtforms import FieldList, Form, IntegerField, StringField
from wtforms.validators import InputRequired, Length, NumberRange, Optional, ValidationError

from language import gettext as _
from language import say
from rules import names
from rules.plan import MOST_PLAYERS

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


class SeatForm(TapForm):
    """Something about one seat; `was` is what stood there, where that matters."""

    seat = number()
    was = number_or_nothing()


class NameForm(TapForm):
    """The name of a person, tidied and legal."""

    name = StringField()

    def validate_name(self, field: StringField) -> None:
        """A name, not too long."""
        field.data = names.tidy(field.data or "")
        if trouble := names.name_problem(field.data):
            raise ValidationError(say(trouble))


class PerSeat(FieldList):
    """A field for each seat, such as `players-0` to `players-11`, and for nothing else that looks like it."""

    def _extract_indices(self, prefix: str, formdata: Any) -> Iterable[int]:
        return [seat for seat in range(MOST_PLAYERS) if f"{prefix}-{seat}" in formdata]
