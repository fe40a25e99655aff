"""What a screen sends, checked for its shape. Whether it is legal, the rules say; whether it is still true, the verbs.

A file for each audience as in `views/`; what they share is here. `InputRequired`, never `DataRequired`: a bid of 0 is
legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import wtforms
from wtforms import FieldList, IntegerField, StringField
from wtforms.validators import InputRequired, Length, Optional, ValidationError

from language import gettext as _
from language import say
from rules import names
from rules.plan import MOST_PLAYERS

LARGEST_NUMBER = 2**31 - 1


def tidied(text: str | None) -> str:
    """One line as it is kept."""
    return names.tidy(text or "")


_SAID: dict[str, Callable[[], str]] = {
    "This field is required.": lambda: _("Something is missing here."),
    "Field cannot be longer than %(max)d characters.": lambda: _(
        "This is a text of at most %(max)d characters."
    ),
    "Field must be between %(min)d and %(max)d characters long.": lambda: _(
        "This is a text of %(min)d to %(max)d characters."
    ),
    "Not a valid choice.": lambda: _("This is none of the choices."),
    "Not a valid date value.": lambda: _("This is no day of the calendar."),
}
"""What WTForms says by itself, with what a form of ours says instead."""


class _Sentences:
    """What a form says, in the reader's language. The names of all fields are asked for as well, and stay."""

    def gettext(self, text: str) -> str:
        return _SAID[text]() if text in _SAID else text

    def ngettext(self, singular: str, plural: str, count: int) -> str:  # noqa: ARG002 - WTForms hands all over
        return self.gettext(plural)


class Form(wtforms.Form):
    """What every form of ours is."""

    class Meta:
        """How WTForms is told of it."""

        sentences = _Sentences()

        def get_translations(self, form: wtforms.Form) -> _Sentences:  # noqa: ARG002
            """What speaks for the fields of a form."""
            return self.sentences


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


def within(fewest: int, most: int) -> Callable[[wtforms.Form, NumberField], None]:
    """Says what range a number has, where one was typed."""

    def check(_form: wtforms.Form, field: NumberField) -> None:
        if field.data is not None and not fewest <= field.data <= most:
            raise ValidationError(_("A number from %(fewest)d to %(most)d.", fewest=fewest, most=most))

    return check


def number(**settings: Any) -> NumberField:
    """A whole number that must be there."""
    return NumberField(validators=[InputRequired(), within(0, 10_000)], **settings)


def number_or_nothing() -> NumberField:
    """A whole number, or nothing where there was nothing yet."""
    return NumberField(validators=[Optional(), within(0, 10_000)])


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
