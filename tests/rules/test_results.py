"""What a finished game adds to the statistics."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.results import HandResult, Run, SeatResult, scored_as
from rules.sheet import Adjustment
from rules.variants import classic, find_variant


def longest(tries):
    """The most in a row, counted the plain way."""
    return max((len([*those]) for hit, those in groupby(tries) if hit), default=0)


@settings(derandomize=True, max_examples=200)
@given(st.lists(st.lists(st.booleans(), max_size=6), max_size=6))
def test_runs_join_from_game_to_game(games):
    """The runs of single games joined are the run of all their hands in one."""
    whole = [hit for game in games for hit in game]
    joined = Run.joined(Run.of(game) for game in games)
    assert joined == Run.of(whole)
    ends = longest(whole) if all(whole) else whole[::-1].index(False)
    assert (joined.tries, joined.best, joined.end) == (len(whole), longest(whole), ends)


def test_a_hand_says_who_was_on_the_hook(play):
    """The last bidder is, while a number was barred: not where the others have bid more than the cards."""
    rules = replace(classic(), hook=True)
    sheet = play("1/1 0/1 1/0 1/0", "1/1 1/0 0/0 0/0", plan=[2, 1], rules=rules)
    first, second = (HandResult.of(sheet, hand) for hand in sheet.played)
    assert (first.hooked, first.hook_made) == (0, True)
    assert (second.hooked, second.over) == (1, 1)
    crowded = play("0/0 1/1 1/1 1/0", plan=[2], rules=rules)
    assert HandResult.of(crowded, crowded.played[0]).hooked is None
    free = replace(sheet, rules=classic())
    assert HandResult.of(free, free.played[0]).hooked is None


def test_turns_count_from_the_dealer_and_pass_over_who_sits_out(play):
    """The dealer is 0, the next one 1, and so on around the table."""
    sheet = play("1/1 0/1 - 0/0", plan=[2], dealer=1)
    result = HandResult.of(sheet, sheet.played[0])
    assert result.turns == {1: 0, 3: 1, 0: 2}
    assert (result.bidders, result.made, result.zeros, result.zeros_made) == (3, 2, 2, 1)


@pytest.mark.parametrize(("lowest_wins", "behind"), [(False, [0, 11, 22]), (True, [22, 11, 0])])
def test_behind_is_the_worst_distance_to_the_leader(play, lowest_wins, behind):
    """Where the lowest wins, whoever has most points is behind."""
    rules = replace(classic(), lowest_wins=lowest_wins)
    sheet = play("1/1 1/1 1/0", "1/1 1/0 1/0", plan=[2, 1], rules=rules)
    assert sheet.totals == (22, 11, 0)
    assert [SeatResult.of(sheet, seat).behind for seat in range(3)] == behind


def test_who_came_late_was_behind_only_from_then_on(play):
    """Before she joined the leader was 12 ahead; since then Chiara was 11 behind at the worst."""
    sheet = play("2/2 0/0 -", "0/0 0/0 1/1", "1/1 0/0 0/1", plan=[2, 1, 1])
    came = (replace(sheet.hands[0], table=(0, 1), absent=frozenset()), *sheet.hands[1:])
    late = replace(sheet, hands=came, adjustments=(Adjustment(2, 2, 13, "joined"),))
    totals = [[cell.total for cell in row.cells] for row in late.rows]
    assert totals == [[12, 10, 0], [22, 20, 24], [33, 30, 24]]
    assert [SeatResult.of(late, seat).behind for seat in range(3)] == [2, 4, 9]


def test_rules_score_alike_when_every_bid_pays_the_same():
    """Another plan or no hook leaves points comparable; another formula, streak or name does not."""
    rules = classic()
    assert scored_as(replace(rules, sequence="H..1", hook=True)) == scored_as(rules)
    others = [replace(rules, lowest_wins=True), replace(rules, name="Ours"), find_variant("wizard")]
    assert len({scored_as(each) for each in (rules, *others)}) == 4
