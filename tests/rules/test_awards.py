"""The awards of one game."""

from __future__ import annotations

from dataclasses import replace

from rules.awards import Award, Kind, awards, made_up, missed_as_dealer, missed_by_one
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Ties, classic

NAMES = ("Ada", "Bruno", "Chiara")


def game(*hands: tuple[str, str], **settings) -> Sheet:
    """A game of three, told as bids and tricks by seat; Ada deals the first hand, Bruno the second."""
    played = tuple(
        Hand(
            number=number,
            cards=sum(map(int, took)),
            dealer=(number - 1) % 3,
            table=(0, 1, 2),
            bids=tuple(map(int, bids)),
            took=tuple(map(int, took)),
            is_over=True,
            is_closed=True,
        )
        for number, (bids, took) in enumerate(hands, 1)
    )
    rules = replace(classic(), hook=False, **settings)
    return Sheet(rules=rules, names=NAMES, plan=tuple(hand.cards for hand in played), hands=played)


def given(sheet: Sheet) -> dict[Kind, Award]:
    """The awards of a game by what they are given for."""
    return {award.kind: award for award in awards(sheet)}


def test_most_bids_made_counts_hands_and_the_boldest_counts_tricks():
    """Many small bids made are one award, few large ones another; made bids alone count."""
    found = given(game(("003", "003"), ("003", "012"), ("034", "034")))
    assert found[Kind.MOST_MADE] == Award(Kind.MOST_MADE, (0,), 3)
    assert found[Kind.BOLDEST] == Award(Kind.BOLDEST, (2,), 3 + 4)


def test_a_comeback_is_measured_on_the_first():
    """From furthest behind the first to the end: what was made up, and nothing for who only fell back."""
    # Classic pays ten and the bid for a bid made: 13 to 0, then 13 to 13, then 13 to 26.
    sheet = game(("310", "300"), ("013", "003"), ("013", "103"))
    assert [row.cells[2].total - row.cells[0].total for row in sheet.rows] == [10 - 13, 23 - 23, 36 - 23]
    assert made_up(sheet, 2) == 3
    assert made_up(sheet, 0) == 0
    assert given(sheet)[Kind.COMEBACK] == Award(Kind.COMEBACK, (2,), 3)


def test_where_the_lowest_wins_the_comeback_turns_round():
    """The first is then who has the fewest points."""
    # 13, 0 and 10, then 23, 11 and 23: Ada is 13 behind Bruno, then 12.
    sheet = game(("310", "300"), ("013", "013"), lowest_wins=True)
    assert sheet.totals == (23, 11, 23)
    assert [made_up(sheet, seat) for seat in range(3)] == [1, 0, 0]


def test_so_near_counts_single_tricks_in_both_directions():
    """One too many and one too few, not two."""
    sheet = game(("100", "012"), ("111", "021"))
    assert [missed_by_one(sheet, seat) for seat in range(3)] == [2, 2, 0]
    assert given(sheet)[Kind.SO_NEAR].seats == (0, 1)


def test_the_unluckiest_dealer_missed_in_the_own_deal():
    """Only the hands that one dealt count: Ada missed as dealer, Bruno only as a guest."""
    sheet = game(("100", "010"), ("000", "001"))
    assert [missed_as_dealer(sheet, seat) for seat in range(3)] == [1, 0, 0]
    assert given(sheet)[Kind.UNLUCKIEST_DEALER] == Award(Kind.UNLUCKIEST_DEALER, (0,), 1)


def test_what_everybody_or_nobody_did_is_no_award():
    """Before the first hand there is nothing to give, and nothing where all did alike."""
    assert awards(game()) == ()
    assert awards(game(("111", "111"))) == ()


def test_awards_know_nothing_of_totals_and_ties():
    """How ties are broken and points given beside the hands change no count of bids."""
    sheet = game(("003", "003"), ("003", "012"))
    other = replace(
        sheet, rules=replace(sheet.rules, ties=Ties.MOST_MADE), adjustments=(Adjustment(1, 0, -50),)
    )
    for kind in (Kind.MOST_MADE, Kind.BOLDEST, Kind.SO_NEAR):
        assert given(sheet).get(kind) == given(other).get(kind)
