"""The rating, against openskill, which computes the same model another way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from rules.rating import Rating, rated

PLAYERS = 7


@st.composite
def games(draw):
    """Evenings of up to seven people, ties and all: who sat there, and in which place each came."""
    evenings = []
    for _ in range(draw(st.integers(1, 12))):
        who = draw(st.lists(st.integers(0, PLAYERS - 1), min_size=2, max_size=PLAYERS, unique=True))
        points = draw(st.lists(st.integers(0, 4), min_size=len(who), max_size=len(who)))
        evenings.append((who, [1 + sum(other > own for other in points) for own in points]))
    return evenings


@settings(derandomize=True, max_examples=60, deadline=None)
@given(games())
def test_the_rating_is_that_of_openskill(evenings):
    """Game after game, strength and uncertainty of everybody are what the reference says."""
    model = PlackettLuce()
    theirs = [model.rating() for _ in range(PLAYERS)]
    ours = [Rating()] * PLAYERS
    for who, places in evenings:
        teams = model.rate([[theirs[each]] for each in who], ranks=[float(place) for place in places])
        for each, (rating,) in zip(who, teams, strict=True):
            theirs[each] = rating
        for each, rating in zip(who, rated([ours[each] for each in who], places), strict=True):
            ours[each] = rating
    for reference, rating in zip(theirs, ours, strict=True):
        assert rating == pytest.approx((reference.mu, reference.sigma), rel=1e-9)


def test_to_beat_the_strong_counts_for_more():
    """The same win raises a rating by more, the stronger the others are."""
    own = Rating()
    gains = [rated([own, Rating(mean, 3.0)], [1, 2])[0].mean - own.mean for mean in (15.0, 25.0, 35.0)]
    assert 0 < gains[0] < gains[1] < gains[2]
