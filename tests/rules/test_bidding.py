"""What may be bid, by whom, and what the hook bars."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import product
from math import nan

import pytest

from rules.bidding import Balance, Bidding, IllegalBid
from rules.plan import Direction
from rules.problem import RulesError
from rules.variants import EvenTable, First, classic, variants

# Published examples: cards, earlier bids, what the last bidder may not bid (None: nothing is barred).
HOOKS = [
    (5, (2, 0, 1), 2),
    (5, (3, 1, 2), None),
    (10, (3, 0, 3), 4),
    (10, (4, 2, 3), 1),
    (7, (4, 0, 2), 1),
    (13, (4, 3, 1), 5),
    (4, (2, 1), 1),
    (7, (0, 3, 2), 2),
    (3, (1, 0, 1), 1),
    (5, (1, 2, 1), 1),
    (5, (3, 1), 1),
    (10, (3, 3, 2), 2),
    (5, (2, 1), 2),
    (4, (1,), 3),
    (4, (2,), 2),
    (5, (1, 1, 1), 2),
    (5, (0, 0, 0), 5),
    (5, (2, 1, 1), 1),
    (5, (3, 2), 0),
    (5, (4, 3), None),
    (5, (3,), 2),
    (4, (3,), 1),
    (1, (1,), 0),
    (3, (1, 1), 1),
    (2, (2,), 0),
]


def bidding(cards: int, *bids: int, players: int = 0, hook: bool = True) -> Bidding:
    """A bidding after these bids; one more player than bids has yet to speak, unless told otherwise."""
    order = tuple(range(players or len(bids) + 1))
    return Bidding(cards, order, dict(zip(order, bids, strict=False)), hook)


def complete_biddings(so_far: Bidding) -> set[tuple[int, ...]]:
    """Every way the table can bid to the end, asking only what each may bid in turn."""
    seat = so_far.next_bidder
    if seat is None:
        return {tuple(so_far.bids[each] for each in so_far.order)}
    return set().union(*(complete_biddings(so_far.place(seat, bid)) for bid in so_far.legal_bids(seat)))


# Cards and players of tables small enough to try every bidding.
SMALL = [
    (cards, players) for cards in range(1, 6) for players in range(2, 6) if (cards + 1) ** players < 1500
]


@pytest.mark.parametrize(("cards", "players"), SMALL)
def test_the_hook_bars_the_even_biddings_and_no_other(cards, players):
    """With the hook a table can reach every bidding that is not even; without it, every one."""
    everything = set(product(range(cards + 1), repeat=players))
    start = Bidding(cards, tuple(range(players)), hook=True)
    assert complete_biddings(start) == {bids for bids in everything if sum(bids) != cards}
    if players < 4:
        assert complete_biddings(replace(start, hook=False)) == everything


@pytest.mark.parametrize(("cards", "players"), SMALL)
def test_the_last_bidder_is_offered_what_is_left(cards, players):
    """After any earlier bids the last bidder is offered all numbers but the one that makes the table even."""
    for earlier in product(range(cards + 1), repeat=players - 1):
        left = tuple(bid for bid in range(cards + 1) if sum(earlier) + bid != cards)
        assert bidding(cards, *earlier).legal_bids(players - 1) == left
        assert left, "somebody must always be able to bid"


def test_published_hooks():
    """What rule pages and other score keepers say the last bidder may not bid."""
    for cards, earlier, barred in HOOKS:
        last, bids = len(earlier), bidding(cards, *earlier)
        assert (cards, earlier, bids.barred(last)) == (cards, earlier, barred)
        assert bids.is_legal(last, cards if barred is None else barred) is (barred is None)


@pytest.mark.parametrize("players", range(3, 8))
def test_r12_left_of_the_dealer_bids_first(players, start):
    """The seat after the dealer speaks first and the dealer last."""
    game = start(players, dealer=1)
    order = game.order(game.hands[0])
    assert order == tuple((2 + at) % players for at in range(players))
    assert game.bidding(game.hands[0]).next_bidder == 2
    assert game.bidding(game.hands[0]).last_bidder == 1


def test_r13_everybody_must_bid():
    """A bidding is complete only when each player has bid, and a bid of zero is a bid."""
    bids = Bidding(3, (0, 1, 2))
    for seat in (0, 1, 2):
        assert not bids.is_complete
        assert bids.next_bidder == seat
        bids = bids.place(seat, 0)
    assert bids.is_complete
    assert bids.next_bidder is None
    assert bids.missing == ()


def test_r14_legal_bids_go_from_zero_to_the_cards():
    """With four cards one may bid nought to four."""
    for cards in range(1, 14):
        assert Bidding(cards, (0, 1)).legal_bids(0) == tuple(range(cards + 1))


@pytest.mark.parametrize("bid", [-1, 5, 1.5, "2", nan, None])
def test_what_is_no_bid_is_refused(bid):
    """Below zero, above the cards, and what is no whole number."""
    with pytest.raises(IllegalBid, match="a bid is a number from 0 to 4"):
        Bidding(4, (0, 1)).place(0, bid)


def test_r27_the_table_may_not_be_even(start):
    """With the hook five cards may not be bid for exactly; the last bidder is told what is barred and why."""
    game = start(4, replace(classic(), hook=True), plan=[5])
    hand = replace(game.hands[0], bids=(None, 2, 0, 1))
    bids = game.bidding(hand)
    assert bids.barred(0) == 2
    assert bids.legal_bids(0) == (0, 1, 3, 4, 5)
    with pytest.raises(IllegalBid) as refused:
        bids.place(0, 2)
    assert str(refused.value) == "2 is barred: the bids would add up to the 5 cards"
    assert not classic().hook, "the base game has it only as a variation"


def test_the_hook_waits_for_the_last():
    """Nothing is barred while anybody else has yet to bid, even for the last of the order."""
    assert bidding(5, 2, players=3).barred(2) is None
    assert bidding(5, 2, players=3).barred(1) is None
    assert bidding(5, players=3).legal_bids(2) == (0, 1, 2, 3, 4, 5)


def test_without_the_hook_nothing_is_barred():
    """Three cards and six tricks bid: anything goes."""
    assert bidding(3, 2, 2, 2, hook=False).legal_bids(3) == (0, 1, 2, 3)
    assert bidding(3, 1, 1, hook=False).barred(2) is None


def test_a_bid_put_right_does_not_count_against_itself():
    """The last bidder changes 1 to 3: the old 1 is not among the others' bids."""
    bids = bidding(5, 2, 1, 1, players=3)
    assert bids.barred(2) == 2
    assert bids.place(2, 3).total == 6


def test_an_earlier_bid_cannot_make_the_table_even_afterwards():
    """When all have bid, going back to the first bidder finds the same hook there."""
    bids = bidding(5, 2, 1, 1, players=3)
    assert bids.barred(0) == 3
    with pytest.raises(IllegalBid):
        bids.place(0, 3)


def test_q06_the_hook_looks_at_the_cards_and_not_at_the_number_of_the_hand(start):
    """In the first hand of a game that begins with ten cards ten is barred, not one."""
    game = start(3, replace(classic(), hook=True, sequence="H..1"), plan=[10, 9])
    assert game.bidding(replace(game.hands[0], bids=(None, 5, 2))).barred(0) == 3


@pytest.mark.parametrize(("hook_from", "binds"), [(1, [1, 2, 3, 4, 5]), (2, [2, 3, 4, 5]), (4, [4, 5])])
def test_q07_where_the_hook_begins(hook_from, binds):
    """The hook holds in every hand, from two or from four cards, and may spare the last hand."""
    rules = replace(classic(), hook=True, hook_from=hook_from)
    assert [cards for cards in range(1, 6) if rules.hook_binds(cards, last_hand=False)] == binds
    spared = replace(rules, hook_spares_last=True)
    assert not spared.hook_binds(5, last_hand=True)
    assert spared.hook_binds(5, last_hand=False)
    assert (classic().hook_from, variants()["boerenbridge"].hook_from) == (1, 4)


def test_a_hook_from_five_cards_leaves_a_hand_of_two_alone(start):
    """Two cards, bids of one and one: even, and allowed."""
    game = start(2, replace(classic(), hook=True, hook_from=5), plan=[2])
    assert game.bidding(replace(game.hands[0], bids=(None, 1))).legal_bids(0) == (0, 1, 2)


def test_in_a_hand_of_one_card_the_hook_may_leave_a_single_bid():
    """One card: after a bid of one zero is barred and one is forced; after zero, zero is forced."""
    assert bidding(1, 1).legal_bids(1) == (1,)
    assert bidding(1, 0).legal_bids(1) == (0,)


def test_q08_when_all_bid_at_once_nobody_is_on_the_hook(start):
    """Simultaneous bids free everybody; the table is told whether it is over, under or even."""
    rules = replace(classic(), hook=True, simultaneous=True)
    assert not rules.hook_binds(5, last_hand=False)
    game = start(3, rules, plan=[5])
    bids = game.bidding(replace(game.hands[0], bids=(None, 3, 2)))
    assert bids.legal_bids(0) == (0, 1, 2, 3, 4, 5)
    assert bids.place(0, 0).balance is Balance.EVEN
    assert not bids.place(0, 0).breaks_hook


def at_once(start, even_table: EvenTable, *bids: int | None, **more):
    """The bidding of five cards at a table that bids at once; Ada deals and Bruno sits after her."""
    rules = replace(classic(), simultaneous=True, even_table=even_table, **more)
    game = start(len(bids), rules, plan=[5])
    return game.bidding(replace(game.hands[0], bids=bids))


def test_an_even_table_is_only_announced_unless_more_is_agreed(start):
    """By default bids that add up stand, and the hand can be played."""
    assert classic().even_table is EvenTable.ANNOUNCE
    bids = at_once(start, EvenTable.ANNOUNCE, 2, 2, 1)
    assert (bids.balance, bids.must_change, bids.must_rebid) == (Balance.EVEN, None, False)
    assert bids.is_settled
    assert bids.problems() == ()


def test_q08_the_player_after_the_dealer_may_have_to_change_an_even_table(start):
    """Two, two and one for five cards: Bruno must bid something else, and nobody else has to."""
    bids = at_once(start, EvenTable.LEFT_CHANGES, 2, 2, 1)
    assert bids.must_change == bids.next_bidder == 1
    assert not bids.is_settled
    assert bids.legal_bids(1) == (0, 1, 3, 4, 5)
    assert bids.legal_bids(2) == (0, 1, 2, 3, 4, 5)
    assert [str(each) for each in bids.problems()] == ["bids: the bids add up to the 5 cards"]
    with pytest.raises(IllegalBid, match="2 is barred: the bids would add up to the 5 cards"):
        bids.place(1, 2)
    changed = bids.place(1, 3)
    assert changed.is_settled
    assert changed.next_bidder is None
    assert changed.problems() == ()


def test_nobody_must_change_what_is_not_even(start):
    """While somebody has yet to bid, and where the table is over or under, nothing has to be changed."""
    for bids in ((2, 2, None), (2, 2, 2), (0, 0, 0)):
        table = at_once(start, EvenTable.LEFT_CHANGES, *bids)
        assert table.must_change is None
        assert table.barred(1) is None
        assert table.is_settled is (None not in bids)


def test_who_must_change_goes_with_the_direction_and_the_deal(start):
    """Counter-clockwise the seat after Ada is the last of the list, and who sits out is passed over."""
    rules = replace(
        classic(),
        simultaneous=True,
        even_table=EvenTable.LEFT_CHANGES,
        direction=Direction.COUNTER_CLOCKWISE,
    )
    game = start(4, rules, plan=[3])
    assert game.bidding(replace(game.hands[0], bids=(1, 1, 1, 0))).must_change == 3
    away = replace(game.hands[0], bids=(1, 1, 1, None), absent=frozenset({3}))
    assert game.bidding(away).must_change == 2


def test_all_may_have_to_bid_again(start):
    """Where an even table is bid again, nobody alone has to change; what is not even stands."""
    bids = at_once(start, EvenTable.REBID, 2, 2, 1)
    assert bids.must_rebid
    assert not bids.is_settled
    assert bids.must_change is None
    assert [each.place for each in bids.problems()] == ["bids"]
    assert at_once(start, EvenTable.REBID, 2, 2, 0).is_settled


@pytest.mark.parametrize("even_table", EvenTable)
def test_bids_in_turn_know_nothing_of_even_tables(start, even_table):
    """In turn the hook does that work, or nothing does."""
    game = start(3, replace(classic(), even_table=even_table), plan=[5])
    bids = game.bidding(replace(game.hands[0], bids=(1, 2, 2)))
    assert bids.is_settled
    assert bids.barred(1) is None


def test_who_must_change_may_be_left_with_a_zero_too_many(start):
    """One card, and the only other bid is zero, the sixth in a row or not."""
    table = Bidding(1, (0, 1), {0: 1, 1: 0}, must_not_zero=frozenset({0}), even_changes=0)
    assert table.legal_bids(0) == (0,)


def test_r28_bids_may_come_in_any_order():
    """When all show fingers at once, they are written down in any order; all count when all are there."""
    bids = Bidding(4, (0, 1, 2)).place(2, 4).place(0, 1)
    assert bids.missing == (1,)
    assert bids.place(1, 0).is_complete


def test_q11_a_bid_may_be_changed(start):
    """A bid can be put right while the hand is bid; the second number replaces the first."""
    bids = Bidding(4, (0, 1, 2)).place(0, 3).place(0, 2)
    assert bids.bids == {0: 2}
    assert bids.missing == (1, 2)


@pytest.mark.parametrize(
    ("bids", "balance", "difference"),
    [((2, 2, 2), Balance.OVER, 1), ((2, 2, 1), Balance.EVEN, 0), ((0, 0, 0), Balance.UNDER, -5)],
)
def test_the_table_is_over_under_or_even(bids, balance, difference):
    """The sum of all bids against the cards, as the scorer calls it out."""
    table = bidding(5, *bids, players=3, hook=False)
    assert (table.balance, table.difference, table.total) == (balance, difference, sum(bids))


def test_only_who_plays_the_hand_bids():
    """A seat that is not in the order has nothing to say."""
    with pytest.raises(IllegalBid, match="does not bid in this hand"):
        Bidding(4, (0, 2)).place(1, 0)


def test_the_hook_falls_on_the_last_who_is_there(start):
    """The dealer sits out: the one before him bids last and is on the hook."""
    game = start(3, replace(classic(), hook=True), plan=[4])
    bids = game.bidding(replace(game.hands[0], absent=frozenset({0}), bids=(None, 2, None)))
    assert bids.order == (1, 2)
    assert bids.barred(2) == 2


def test_the_dealer_may_bid_first(start):
    """Where the dealer speaks first, the one before him is on the hook."""
    game = start(4, replace(classic(), first_bidder=First.DEALER), dealer=2)
    assert game.order(game.hands[0]) == (2, 3, 0, 1)


def test_problems_name_everything_at_once():
    """Bids from anywhere are judged together: out of range, not at the table, and even."""
    assert Bidding(3, (0, 1), {0: 1, 1: 1}, hook=True).problems() == ()
    found = Bidding(3, (0, 1), {0: 7, 1: -4, 2: 0}, hook=True).problems()
    assert [each.place for each in found] == ["bids[0]", "bids[1]", "bids[2]", "bids"]
    assert Bidding(3, (0, 1), {0: 2, 1: 1}, hook=True).breaks_hook


def test_a_bid_of_all_cards_is_no_problem_and_one_more_is():
    """Three cards: three may have been bid, four may not."""
    found = Bidding(3, (0, 1), {0: 3, 1: 4}).problems()
    assert [str(each) for each in found] == ["bids[1]: a bid is a number from 0 to 3"]


def test_a_bidding_bars_nothing_of_itself():
    """Without a word about the hook or even tables, five cards may be bid for exactly, and the bids stand."""
    even = Bidding(5, (0, 1), {0: 2}).place(1, 3)
    assert even.balance is Balance.EVEN
    assert even.is_settled
    assert not even.breaks_hook
    assert even.problems() == ()


def test_a_bidding_is_a_value():
    """A bid makes another bidding; the one before cannot change."""
    before = Bidding(5, (0, 1))
    assert before.place(0, 2) != before == Bidding(5, (0, 1))
    with pytest.raises(FrozenInstanceError):
        before.cards = 6


def zeros_at_six(play, zeros: int):
    """The bidding of six at Kachuful in which Bruno has bid zero in so many hands."""
    hands = ["1/1 0/0 0/0 0/0 0/0 1/0"] * zeros
    game = play(*hands, rules=replace(variants()["kachuful"], sequence="1*8"), plan=[1] * 8)
    return game.bidding(game.next_hand())


@pytest.mark.parametrize(("zeros", "allowed"), [(4, True), (5, False)])
def test_too_many_zeros_in_a_row(play, zeros, allowed):
    """At Kachuful with six players nobody bids zero a sixth time in a row."""
    assert zeros_at_six(play, zeros).is_legal(1, 0) is allowed


def test_five_players_may_bid_zero_for_ever(play):
    """The limit holds from six players on."""
    hands = ["1/1 0/0 0/0 0/0 1/0"] * 6
    game = play(*hands, rules=variants()["kachuful"], plan=[1] * 8)
    assert game.bidding(game.next_hand()).must_not_zero == frozenset()


def test_the_hook_outranks_the_limit_on_zeros():
    """One card, everybody else zero: one is barred, so zero it is, the sixth time or not."""
    table = Bidding(1, (0, 1), {0: 0}, hook=True, must_not_zero=frozenset({1}))
    assert table.legal_bids(1) == (0,)
    assert replace(table, hook=False).legal_bids(1) == (1,)


def test_every_refusal_is_one_of_the_rules():
    """Whoever catches the errors of the rules catches an illegal bid too."""
    assert issubclass(IllegalBid, RulesError)
