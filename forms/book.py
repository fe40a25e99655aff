"""The forms of a book and its phones: names, codes, settings, the search, past games."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from wtforms import FieldList, RadioField, SelectField, StringField
from wtforms.validators import InputRequired, Length, ValidationError

from codes import SPOKEN_ALPHABET, SPOKEN_LENGTH
from forms import Form, NumberField, PerSeat, TapForm, is_day, tidied
from language import gettext as _
from language import own_names, pgettext
from listing import Choices, Wanted
from rules import names
from rules.plan import MOST_PLAYERS

LONGEST_SEARCH = 100
"""Characters of what somebody looks for."""
UNNAMED = "\u2205"
"""Stands in an address for rules that have no name."""
LONGEST_BOOK_NAME = 80


class SettingsForm(Form):
    """What one phone chooses for itself."""

    DEFAULTS: ClassVar = {"language": "auto", "theme": "auto", "letters": "usual"}

    language = RadioField(choices=lambda: [("auto", _("as the phone")), *own_names()])
    theme = RadioField(
        choices=lambda: [("auto", _("as the phone")), ("light", _("light")), ("dark", _("dark"))]
    )
    letters = RadioField(choices=lambda: [("usual", _("usual")), ("large", _("large"))])


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


class PastGameForm(TapForm):
    """A game of the past of which only the totals are known: a line for each player, and when it was."""

    played_on = StringField(validators=[InputRequired(), Length(max=20), is_day])
    rules = StringField(default="classic")
    title = StringField(filters=[tidied], validators=[Length(max=200)])
    place = StringField(filters=[tidied], validators=[Length(max=200)])
    note = StringField(filters=[tidied], validators=[Length(max=500)])
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


class FindForm(Form):
    """What games somebody looks for in a book. It is asked for, not sent: it changes nothing, so it has no `act`."""

    q = StringField(default="", filters=[tidied], validators=[Length(max=LONGEST_SEARCH)])
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
        """Choices that there are, beside what holds for every form."""
        good = super().validate()
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
