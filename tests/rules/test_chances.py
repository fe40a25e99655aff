"""Who can still win, against every way the last hand may go, played out on the sheet itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from rules.chances import chances
from rules.scoring import Streak
from rules.sheet import Sheet
from rules.variants import Ties, classic, find_variant

GOLF = find_variant("lowest-wins")
HOOK = replace(classic(), hook=True)


def endings(sheet: Sheet):
    """Every sheet that the open last hand may lead to, by its rules."""
    hand = sheet.open_hand
    seats = range(len(sheet.names))
    choices = [
        [None]
        if seat not in hand.playing
        else range(hand.cards + 1)
        if hand.bids[seat] is None
        else [hand.bids[seat]]
        for seat in seats
    ]
    for bids in product(*choices):
        filled = replace(hand, bids=bids)
        if not sheet.bidding(hand).is_complete and sheet.bidding(filled).problems():
            continue
        tricks = [[None] if seat not in hand.playing else range(hand.cards + 1) for seat in seats]
        for took in product(*tricks):
            if sum(each or 0 for each in took) == hand.cards:
                closed = replace(filled, took=took, is_over=True, is_closed=True)
                yield replace(sheet, hands=(*sheet.hands[:-1], closed))


LINES = {
    "close": (HOOK, ("1/1 0/0 1/0", "0/0 1/1 0/0"), [1, 1, 2]),
    "one is far ahead": (HOOK, ("2/2 0/0 1/0", "3/3 1/0 1/0", "3/3 2/0 1/0"), [2, 3, 3, 1]),
    "no hook": (classic(), ("1/1 0/0 1/0", "0/1 0/0 1/0"), [1, 1, 1]),
    "four at the last trick": (HOOK, ("1/1 0/0 1/0 0/0", "0/0 0/1 1/0 0/0"), [1, 1, 1]),
    "lowest wins": (replace(GOLF, hook=True), ("1/0 0/0 2/2", "0/0 1/2 1/0"), [2, 2, 2]),
    "most made breaks the tie": (
        replace(HOOK, ties=Ties.MOST_MADE),
        ("1/1 0/1 0/0", "0/0 1/1 2/1"),
        [2, 2, 1],
    ),
    "a streak pays": (
        replace(HOOK, streak=Streak(2, 7, -7, "count")),
        ("1/1 0/0 1/0", "1/1 0/1 0/0"),
        [1, 2, 2],
    ),
}


@pytest.mark.parametrize(("rules", "lines", "plan"), LINES.values(), ids=LINES)
@pytest.mark.parametrize("noted", [(), (1,), (1, 0), (2, 0, 1)], ids=len)
def test_the_last_hand_is_told_exactly(play, rules, lines, plan, noted):
    """Whoever is said to win can, with the points it needs and no fewer, and nobody else can."""
    sheet = play(*lines, rules=rules, plan=plan)
    hand = sheet.next_hand()
    bids = list(hand.bids)
    for seat, bid in zip(sheet.order(hand), noted, strict=False):
        bids[seat] = min(bid, hand.cards)
    sheet = replace(sheet, hands=(*sheet.hands, replace(hand, bids=tuple(bids))))
    told = chances(sheet)
    assert told.is_exact
    assert told.hands == 1
    ends = [
        (end.places, [after - before for after, before in zip(end.totals, sheet.totals, strict=True)])
        for end in endings(sheet)
    ]
    sign = -1 if rules.lowest_wins else 1
    for chance in told.seats:
        won = [sign * gained[chance.seat] for places, gained in ends if places[chance.seat] == 1]
        assert chance.can_win is bool(won)
        assert chance.needs == (sign * min(won) if won else None)
        if chance.seat in sheet.leaders or sheet.bidding(sheet.open_hand).is_complete:
            assert chance.is_sure is (len(won) == len(ends))


@pytest.mark.parametrize("rules", [HOOK, replace(GOLF, hook=True)], ids=["highest", "lowest"])
def test_before_the_last_two_hands_nobody_is_written_off_who_can_win(play, rules):
    """However both hands go, whoever wins was not said to be out, and had no fewer points than needed."""
    sheet = play("1/1 0/0", "1/1 1/0", "1/1 0/1", "0/0 2/0", rules=rules, plan=[1, 1, 2, 2, 1, 1])
    sheet = replace(sheet, hands=(*sheet.hands, sheet.next_hand()))
    told = chances(sheet)
    assert (told.hands, told.is_exact) == (2, False)
    sign = -1 if rules.lowest_wins else 1
    for first in endings(sheet):
        for end in endings(replace(first, hands=(*first.hands, first.next_hand()))):
            for seat in (seat for seat, place in enumerate(end.places) if place == 1):
                gained = end.totals[seat] - sheet.totals[seat]
                assert told.seats[seat].can_win
                assert sign * gained >= sign * told.seats[seat].needs
            assert all(end.places[each.seat] == 1 for each in told.seats if each.is_sure)


def test_who_is_out_and_who_sits_out(play):
    """Chiara is too far behind for one trick; Bruno could win, but nobody wins a hand he does not play."""
    sheet = play("1/1 1/0 1/0", "0/0 0/0 1/0", "0/0 1/1 1/0", plan=[1, 1, 1, 1], rules=HOOK)
    assert sheet.totals == (31, 21, 0)
    last = sheet.next_hand()
    told = chances(replace(sheet, hands=(*sheet.hands, last)))
    assert ([each.seat for each in told.winners], [each.seat for each in told.out]) == ([0, 1], [2])
    away = replace(last, absent=frozenset({1}))
    told = chances(replace(sheet, hands=(*sheet.hands, away)))
    assert [each.seat for each in told.winners] == [0]
    assert told.seats[0].is_sure


def test_who_has_left_gets_no_more_points(play):
    """With two hands to come Bruno has gone: with 10 points he is out, though he could have made 22 more."""
    sheet = play("1/1 0/0 1/0", plan=[1, 1, 1], rules=HOOK, dealer=1)
    opened = sheet.next_hand()
    stays = chances(replace(sheet, hands=(*sheet.hands, opened)))
    assert [each.can_win for each in stays.seats] == [True, True, True]
    gone = chances(replace(sheet, hands=(*sheet.hands, replace(opened, table=(0, 2)))))
    assert [each.can_win for each in gone.seats] == [True, False, True]


def test_nothing_is_said_too_early_or_too_late(play):
    """Not with four hands to come, not before the first result, not after the end, not without an end in sight."""
    sheet = play("1/1 0/0", plan=[1, 1, 1, 1, 1])
    assert chances(replace(sheet, hands=(*sheet.hands, sheet.next_hand()))) is None
    assert chances(play("1/1 0/0", plan=[1])) is None
    first = play("1/1 0/0", plan=[1])
    opened = replace(first, hands=(first.first_hand(0),))
    assert chances(opened) is None
    endless = replace(classic(), target=100)
    sheet = play("1/1 0/0", plan=[1, 1], rules=endless)
    assert chances(replace(sheet, hands=(*sheet.hands, sheet.next_hand()))) is None
