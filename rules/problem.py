"""What the rules object to, as a value: an English sentence with named values, ready to be translated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One objection of the rules.

    `text` is the English sentence with `%(name)s` places, which is also its key in the message catalogues;
    `plural` is its other form where a number decides (`count`); `values` fill the places; `place` says
    where in the input the trouble lies (`hands[3].bids[1]`), empty where it is plain.
    """

    text: str
    values: tuple[tuple[str, object], ...] = ()
    place: str = ""
    plural: str = ""
    count: int = 1

    def __str__(self) -> str:
        """Say it in English, with its place in front."""
        sentence = (self.plural if self.plural and self.count != 1 else self.text) % dict(self.values)
        return f"{self.place}: {sentence}" if self.place else sentence


def problem(text: str, place: str = "", **values: object) -> Problem:
    """A problem in one form. Catalogues are extracted from the calls of this function."""
    return Problem(text, tuple(values.items()), place)


def counted_problem(text: str, plural: str, count: int, place: str = "", **values: object) -> Problem:
    """A problem whose sentence depends on `count`, which also fills the place `%(count)d`."""
    return Problem(text, (("count", count), *values.items()), place, plural, count)


def shown(value: object) -> str:
    """Data of any kind as a sentence may quote it: short, and without what is in a list or an object."""
    if isinstance(value, list | tuple):
        return "[...]"
    if isinstance(value, Mapping):
        return "{...}"
    # Half a surrogate pair, which JSON can spell, could not be sent to anybody.
    return str(value)[:60].encode(errors="replace").decode()


class RulesError(ValueError):
    """The rules refuse: carries every problem found, never only the first."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(str(each) for each in problems))
        self.problems = problems
