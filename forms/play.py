"""The forms of a hand: what is trump, bids, tricks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wtforms import BooleanField, RadioField, StringField
from wtforms.validators import InputRequired, Length, Optional, ValidationError

from forms import NumberField, TapForm, number, number_or_nothing
from language import gettext as _
from rules.variants import Trump


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


class MeForm(TapForm):
    """The seat of the person with this phone, or nothing."""

    seat = number_or_nothing()


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
