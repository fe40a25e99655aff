"""Who can still win, against every way the last hand may go, played out on the sheet itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from rules.chances import MOST_WAYS, chances
from rules.plan import MOST_CARDS, ByPlayers
from rules.scoring import Scoring, Streak, common_rules
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


def before_hands(play, players, *cards, **switches):
    """A game that has hands of so many cards to come, after one in which Ada was the only one to miss."""
    rules = replace(HOOK, deck=ByPlayers(MOST_CARDS), **switches)
    sheet = play(" ".join(["0/1", *["0/0"] * (players - 1)]), rules=rules, plan=[1, *cards])
    return replace(sheet, hands=(*sheet.hands, sheet.next_hand()))


@pytest.mark.parametrize("scoring", common_rules().values(), ids=common_rules())
@pytest.mark.parametrize(("players", "cards"), [(4, 13), (7, 10), (12, 4), (2, 26)])
def test_of_hands_that_one_pack_deals_it_is_always_said(play, players, cards, scoring):
    """Whatever the table scores by, before the last hand and before the last three."""
    for to_come in (1, 3):
        told = chances(before_hands(play, players, *[cards] * to_come, scoring=scoring))
        assert (told.hands, len(told.seats)) == (to_come, players)


EVERYTHING = Scoring(made="tricks + bids + trump + blind", missed="bid - tricks * bids - trump - off")


@pytest.mark.parametrize("scoring", [classic().scoring, EVERYTHING], ids=["classic", "everything"])
@pytest.mark.parametrize(("players", "cards"), [(2, 70), (2, 520), (12, 13), (12, 86)])
def test_no_pack_is_too_large_for_the_server(play, monkeypatch, players, cards, scoring):
    """Nothing is said where there are too many ways to look at, and few were looked at before that was clear."""
    looked_at = []
    points = Scoring.points

    def counted(self, **facts):
        looked_at.append(facts)
        return points(self, **facts)

    monkeypatch.setattr(Scoring, "points", counted)
    for to_come in (1, 3):
        sheet = before_hands(play, players, *[cards] * to_come, scoring=scoring, blind_bids=True)
        assert sheet.totals
        looked_at.clear()
        told = chances(sheet)
        assert len(looked_at) <= MOST_WAYS + 1
        if scoring is EVERYTHING or (cards + 1) ** 2 * to_come > MOST_WAYS:
            assert told is None


def test_a_large_last_hand_is_told_in_bounds(play):
    """With too many cards for every way of two players together, who is said to be out is out all the same."""
    assert chances(before_hands(play, 2, 26)).is_exact
    told = chances(before_hands(play, 2, 100))
    assert (told.hands, told.is_exact, len(told.winners)) == (1, False, 2)


def test_who_sits_out_gets_nothing_of_the_hand(play):
    """With two hands to come, of which Bruno sits the first one out, he can still make 11 in the other."""
    sheet = play("1/1 0/0 1/0", plan=[1, 1, 1], rules=HOOK, dealer=1)
    hand = replace(sheet.next_hand(), absent=frozenset({1}))
    told = chances(replace(sheet, hands=(*sheet.hands, hand)))
    assert [each.can_win for each in told.seats] == [True, True, True]
