"""Players' names: tidied, bounded, and when two of them are the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rules.problem import Problem, problem

LONGEST_NAME = 40
"""A name may have this many characters."""

_DROPPED = frozenset("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
"""Invisible characters that turn the reading direction around or hide a difference between two names."""


def tidy(name: str) -> str:
    """The name as it is kept: composed (NFC), without control characters, single blanks, none at the ends."""
    spaced = "".join(" " if unicodedata.category(each) in ("Cc", "Zl", "Zp", "Cs") else each for each in name)
    visible = "".join(each for each in spaced if each not in _DROPPED)
    return " ".join(unicodedata.normalize("NFC", visible).split())


def key(name: str) -> str:
    """What two names share when they are the same to people: `Ada`, ` ada ` and `ADA`."""
    return unicodedata.normalize("NFC", tidy(name).casefold())


def name_problem(name: str, place: str = "") -> Problem | None:
    """What is wrong with a tidied name; None if it will do."""
    if not any(unicodedata.category(each)[0] in "LNPS" for each in name):
        return problem("a name is missing", place)
    if len(name) > LONGEST_NAME:
        return problem(
            "a name may have %(most)d characters, this one has %(length)d",
            place,
            most=LONGEST_NAME,
            length=len(name),
        )
    return None


def is_storable(text: str) -> bool:
    """Whether every book can keep this text: without NUL and without half a surrogate pair."""
    return not any(each == "\0" or unicodedata.category(each) == "Cs" for each in text)


def twins(names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of positions (earlier, later) whose names are the same to people."""
    first: dict[str, int] = {}
    found = []
    for at, name in enumerate(names):
        if key(name) in first:
            found.append((first[key(name)], at))
        first.setdefault(key(name), at)
    return tuple(found)
