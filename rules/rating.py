"""How strong each player is, from the places of all games: the model of Plackett and Luce, updated as Weng and Lin do.

Their "A Bayesian Approximation Method for Online Ranking" (2011), algorithm 4, with the usual constants and tau added.
Any number of players, ties and all. Only places count, so that games of different rules can be added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import NamedTuple

MEAN, SPREAD = 25.0, 25.0 / 3
BETA_SQUARED = (25.0 / 6) ** 2
"""How much luck there is in one game."""
TAU_SQUARED = (25.0 / 300) ** 2
"""How much people change from game to game."""
KAPPA = 0.0001


class Rating(NamedTuple):
    """What is believed of a player: a strength, and how uncertain it is (a standard deviation)."""

    mean: float = MEAN
    spread: float = SPREAD


def rated(before: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
    """The ratings after a game with these places, 1 the best; whoever shares a place has the same one."""
    variances = [each.spread * each.spread + TAU_SQUARED for each in before]
    c = sqrt(sum(variances) + BETA_SQUARED * len(before))
    strengths = [exp(each.mean / c) for each in before]
    # What the update asks of each place: the strength of all who came there or later, summed up over the places above.
    left, sums, squares = sum(strengths), 0.0, 0.0
    asked: dict[int, tuple[int, float, float]] = {}
    for place in sorted(set(places)):
        sharing = [strength for strength, each in zip(strengths, places, strict=True) if each == place]
        sums, squares = sums + 1 / left, squares + 1 / (left * left)
        asked[place] = (len(sharing), sums, squares)
        left -= sum(sharing)
    after = []
    for each, strength, variance, place in zip(before, strengths, variances, places, strict=True):
        sharing_it, sums, squares = asked[place]
        gain = variance / c * (1 / sharing_it - strength * sums)
        shrinks = (strength * sums - strength * strength * squares) * variance / (c * c) * sqrt(variance) / c
        after.append(Rating(each.mean + gain, sqrt(variance * max(1 - shrinks, KAPPA))))
    return after
