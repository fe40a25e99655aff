"""Names at the table: tidied, bounded, and told apart as people do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.names import LONGEST_NAME, is_storable, key, name_problem, tidy, twins

quietly = settings(database=None, deadline=None, derandomize=True, max_examples=40)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Ada  ", "Ada"),
        ("Ada \t\n Lena", "Ada Lena"),
        ("A\x00d\x1fa", "A d a"),
        ("Zoe\u0301", "Zoé"),
        ("A\u200bda\u202e", "Ada"),
        ("Ada\ud800", "Ada"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("O'Brien", "O'Brien"),
        ("", ""),
    ],
)
def test_a_name_is_tidied(typed, kept):
    """Blanks are single, nothing invisible turns the text around, and accents are composed."""
    assert tidy(typed) == kept


@quietly
@given(st.text(max_size=60))
def test_a_tidied_name_stays_as_it_is(typed):
    """Tidying twice changes nothing, and what is kept can be stored."""
    assert tidy(tidy(typed)) == tidy(typed)
    assert is_storable(tidy(typed))


@pytest.mark.parametrize("other", ["ada", " ADA ", "A\u200bda", "Ada\n"])
def test_names_that_people_call_the_same(other):
    """Case, blanks and invisible characters do not make two people."""
    assert key(other) == key("Ada")


def test_accents_make_another_name():
    """Zoé and Zoe may both sit down."""
    assert key("Zoé") != key("Zoe")
    assert key("STRASSE") == key("Straße")


def test_twins_are_found_with_both_seats():
    """The third Ada is a twin of the first, not of the second."""
    assert twins(["Ada", "Bruno", "ada", "ADA "]) == ((0, 2), (0, 3))
    assert twins(["Ada", "Bruno"]) == ()


@pytest.mark.parametrize("name", ["", " ", "\u0301", "\u200d"])
def test_a_name_that_nobody_can_see_is_missing(name):
    """There must be something to call."""
    assert str(name_problem(tidy(name), "players[1]")) == "players[1]: a name is missing"


def test_a_name_has_an_end():
    """Forty characters will do; one more is refused with its length."""
    assert name_problem("A" * LONGEST_NAME) is None
    assert str(name_problem("A" * 41)) == "a name may have 40 characters, this one has 41"


@pytest.mark.parametrize("name", ["Ada", "7", "♠", "李", "🙂"])
def test_any_script_is_a_name(name):
    """Letters of any script, numbers, signs and pictures will do."""
    assert name_problem(name) is None


def test_what_cannot_be_stored():
    """NUL and half a surrogate pair are the two things no database takes."""
    assert is_storable("Ada\n♠")
    assert not is_storable("A\0da")
    assert not is_storable("A\ud800")
