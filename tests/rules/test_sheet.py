"""A whole game: where a hand stands, what it paid, who leads, and when it is over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.plan import ByPlayers
from rules.scoring import Scoring, Streak, common_rules
from rules.sheet import Adjustment, Ending, Hand, Outcome, Phase, Result, Sheet
from rules.variants import EvenTable, First, NoTrumpOn, Rules, Ties, Trump, TrumpMethod, classic, variants

ADA, BRUNO, CHIARA = range(3)
MADE_ONE_OF_TWO = "1/1 1/1"
MISSED_ONE_OF_TWO = "1/0 2/2"


def points(sheet: Sheet, seat: int) -> list[int | None]:
    """What each hand paid a seat, bonus included."""
    cells = [row.cells[seat] for row in sheet.rows]
    return [None if cell.points is None else cell.points + cell.bonus for cell in cells]


def scored(rule: str, **more: Any) -> Rules:
    """The base game with one of the common scoring rules."""
    return replace(classic(), scoring=common_rules()[rule], **more)


def hand(sheet: Sheet, **facts: Any) -> tuple[Sheet, Hand]:
    """The sheet with these facts in its last hand, and that hand."""
    changed = replace(sheet.hands[-1], **facts)
    return replace(sheet, hands=(*sheet.hands[:-1], changed)), changed


@pytest.mark.parametrize("dealer", range(4))
def test_r05_anybody_may_deal_first(start, dealer):
    """The table chooses the first dealer, and the game goes on from there."""
    assert start(4, dealer=dealer).hands[0].dealer == dealer


def test_r09_the_table_says_what_is_trump(start):
    """After the deal a card is turned; until its suit is noted the hand waits, and every suit is possible."""
    game = start(4)
    assert game.phase(game.hands[0]) is Phase.DEAL
    for suit in (Trump.SPADES, Trump.HEARTS, Trump.DIAMONDS, Trump.CLUBS):
        noted, first = hand(game, trump=suit)
        assert noted.phase(first) is Phase.BIDS


def test_r10_nobody_is_asked_for_trump_in_the_last_hand(start, play):
    """The last hand begins with no trump, so bidding can begin at once."""
    game = play("1/1 0/0 0/0", plan=[1, 2])
    last = game.next_hand()
    assert last.trump is Trump.NONE
    assert replace(game, hands=(*game.hands, last)).phase(last) is Phase.BIDS


def test_r16_who_bids_first_leads(start):
    """The player left of the dealer leads to the first trick."""
    game = start(4, dealer=3)
    assert game.leader(game.hands[0]) == game.order(game.hands[0])[0] == 0


def test_the_dealer_or_the_highest_bidder_may_lead(start):
    """Some tables let the dealer lead, others the first of those who bid highest, once all have bid."""
    dealer = start(4, replace(classic(), leads=First.DEALER), plan=[3])
    assert dealer.leader(dealer.hands[0]) == 0
    highest = start(4, replace(classic(), leads=First.HIGHEST_BIDDER), plan=[3])
    assert highest.leader(highest.hands[0]) is None
    bid, first = hand(highest, bids=(2, 0, 2, 1))
    assert bid.leader(first) == 2


def test_the_highest_bidder_names_the_trump(start):
    """When all have bid, the hand waits for the trump of the highest bidder, of several the first."""
    game = start(4, replace(classic(), trump=TrumpMethod.HIGHEST_BIDDER), plan=[5])
    assert game.namer(game.hands[0]) is None
    bid, first = hand(game, bids=(2, 1, 2, 0))
    assert bid.phase(first) is Phase.NAMING
    assert bid.namer(first) == CHIARA, "Ada, who deals, bid as much but last"
    named, first = hand(bid, trump=Trump.NONE)
    assert named.phase(first) is Phase.PLAY
    over, first = hand(bid, is_over=True)
    assert over.phase(first) is Phase.TRICKS, "a trump that nobody noted does not stop the game"


def test_the_hand_waits_for_a_changed_bid_before_trump_is_named(start):
    """Even bids at once are no bids yet: no play, no highest bidder."""
    rules = replace(
        classic(),
        trump=TrumpMethod.HIGHEST_BIDDER,
        leads=First.HIGHEST_BIDDER,
        simultaneous=True,
        even_table=EvenTable.LEFT_CHANGES,
    )
    game, first = hand(start(3, rules, plan=[5]), bids=(3, 2, 0))
    assert (game.phase(first), game.namer(first), game.leader(first)) == (Phase.BIDS, None, None)
    game, first = hand(game, bids=(3, 4, 0))
    assert (game.phase(first), game.namer(first), game.leader(first)) == (Phase.NAMING, BRUNO, BRUNO)
    again, first = hand(start(3, replace(rules, even_table=EvenTable.REBID), plan=[5]), bids=(3, 2, 0))
    assert again.phase(first) is Phase.BIDS


def test_who_won_the_auction_names_leads_and_bids_first(start):
    """Chiara won the auction: she names the trump, and where the rules say so she bids first and leads."""
    rules = replace(
        classic(),
        trump=TrumpMethod.AUCTION,
        first_bidder=First.HIGHEST_BIDDER,
        leads=First.HIGHEST_BIDDER,
    )
    game = start(4, rules, plan=[13])
    assert game.phase(game.hands[0]) is Phase.DEAL
    assert (game.namer(game.hands[0]), game.order(game.hands[0])) == (None, (1, 2, 3, 0))
    game, first = hand(game, named_by=CHIARA, trump=Trump.HEARTS)
    assert (game.namer(first), game.leader(first), game.order(first)) == (CHIARA, CHIARA, (2, 3, 0, 1))
    assert variants()["israeli-whist"].leads is variants()["israeli-whist"].first_bidder is rules.leads
    elsewhere = replace(game, rules=replace(rules, first_bidder=First.AFTER_DEALER, leads=First.DEALER))
    assert (elsewhere.leader(first), elsewhere.order(first)) == (ADA, (1, 2, 3, 0))


def test_an_auction_that_nobody_noted_leaves_the_lead_to_the_highest_bid(start):
    """Nobody wrote down who won: the highest bid of the hand tells who leads."""
    rules = replace(classic(), trump=TrumpMethod.AUCTION, leads=First.HIGHEST_BIDDER)
    game, first = hand(start(3, rules, plan=[5]), bids=(0, 1, 5))
    assert (game.namer(first), game.leader(first)) == (None, CHIARA)


def test_the_dealer_names_the_trump(start):
    """Where the dealer names it, that is known from the start; elsewhere nobody does."""
    game = start(3, replace(classic(), trump=TrumpMethod.DEALER), dealer=1)
    assert game.namer(game.hands[0]) == BRUNO
    assert start(3).namer(start(3).hands[0]) is None


def test_cards_on_the_forehead_are_bid_blind(play):
    """In a hand of one card all bids are blind, in other hands only those that are noted as such."""
    rules = scored("blind20", forehead=True)
    game = play("1/1 0/0", "1/1 1/1", rules=rules)
    assert [[cell.points for cell in row.cells] for row in game.rows] == [[21, 20], [11, 11]]
    assert [[cell.blind for cell in row.cells] for row in game.rows] == [[True, True], [False, False]]
    noted, second = hand(game, blind=frozenset({BRUNO}))
    assert [noted.is_blind(second, seat) for seat in (ADA, BRUNO)] == [False, True]
    away = play("1/1 -", rules=rules)
    assert not away.is_blind(away.hands[0], BRUNO)


def test_r19_tricks_are_counted_as_they_fall(start):
    """With a tally each player sees how many tricks are still needed, and the table how many are left."""
    _, first = hand(start(3, plan=[5]), bids=(2, 0, 1), tally=(1, 1, None))
    assert [first.to_go(seat) for seat in range(3)] == [1, -1, 1]
    assert first.tricks_left == 3
    assert replace(first, bids=(None, 0, 1), tally=()).to_go(ADA) is None


def test_r21_bids_stay_visible_while_the_hand_is_played(start):
    """From the last bid to the score the bids of all stay part of the hand."""
    game = start(3, plan=[2])
    steps: list[tuple[dict[str, Any], Phase]] = [
        ({"bids": (0, 1, 2), "trump": Trump.CLUBS}, Phase.PLAY),
        ({"is_over": True}, Phase.TRICKS),
        ({"took": (0, 1, 1), "is_closed": True}, Phase.SCORED),
    ]
    for facts, phase in steps:
        game, now = hand(game, **facts)
        assert game.phase(now) is phase
        assert now.bids == (0, 1, 2)


def test_r22_a_missed_bid_pays_nothing(play):
    """Too high or too low, the base game pays zero."""
    assert play("2/1 0/1 1/0").totals == (0, 0, 0)


def test_r23_a_made_bid_pays_ten_and_the_tricks(play):
    """Four of four are 14 points, none of none are 10."""
    assert play("4/4 0/0").totals == (14, 10)


def test_r24_the_highest_total_wins_at_the_end(play):
    """After the last hand the game is over and the highest total has won it."""
    game = play("1/1 1/0 0/0", "2/2 0/0 1/0")
    assert game.totals == (23, 10, 10)
    assert game.outcome == Outcome(Ending.PLAN_FINISHED, (ADA,))


@pytest.mark.parametrize(("bid", "took"), [(4, 3), (2, 3)])
def test_r30_a_miss_may_pay_its_tricks(play, bid, took):
    """Four or two bid and three taken: three points where a miss pays a point a trick."""
    assert play(f"{bid}/{took} 0/4", rules=scored("seed-partial")).totals == (3, 4)


def test_r31_a_made_zero_may_pay_five_and_the_cards(play):
    """A zero made in a hand of seven: 12 points, and a made bid still pays ten and its tricks."""
    assert play("0/0 7/7", rules=scored("seed-zero5n")).totals == (12, 17)


def test_q09_a_missed_zero_pays_as_any_miss(play):
    """Five and the cards is for a zero that was made."""
    assert play("0/1 7/6", rules=scored("seed-zero5n")).totals == (0, 0)


def test_q10_a_missed_zero_may_pay_its_tricks(play):
    """Where a miss pays a point a trick, a zero that took two pays two."""
    assert play("0/2 3/1", rules=scored("seed-partial")).totals == (2, 1)


@pytest.mark.parametrize(
    ("took", "sentence"),
    [
        ((1, 1, 1), "tricks: 3 of 5 tricks: 2 are missing"),
        ((2, 1, 1), "tricks: 4 of 5 tricks: 1 is missing"),
        ((3, 2, 1), "tricks: 6 of 5 tricks: 1 too many"),
        ((6, 0, 0), "tricks[0]: tricks are a number from 0 to 5"),
        ((None, 2, 3), "tricks[0]: a number of tricks is missing"),
    ],
)
def test_r32_the_tricks_add_up_to_the_cards(start, took, sentence):
    """Five cards are five tricks; anything else is told, unless the table says it is meant."""
    _, first = hand(start(3, plan=[5]))
    assert [str(each) for each in first.tricks_problems(took)] == [sentence]
    assert first.tricks_problems((3, 2, 0)) == ()
    assert replace(first, is_uneven=True).tricks_problems((1, 1, 1)) == ()


@pytest.mark.parametrize(
    ("took", "mends"),
    [
        ((2, 1, 1), ((0, 3), (1, 2), (2, 2))),
        ((3, 2, 1), ((0, 2), (1, 1), (2, 0))),
        ((5, 2, 0), ((0, 3), (1, 0))),
        ((None, 2, 1), ((0, 2), (1, 4), (2, 3))),
        ((3, 2, 0), ()),
    ],
)
def test_tricks_that_do_not_add_up_are_mended_at_one_seat(start, took, mends):
    """Every single change that makes five, at seats where it leaves a number from 0 to 5."""
    _, first = hand(start(3, plan=[5]))
    assert first.mends(took) == mends
    for seat, tricks in mends:
        mended = {**dict(enumerate(each or 0 for each in took)), seat: tricks}
        assert first.tricks_problems([*mended.values()]) == ()


def test_bids_at_once_are_secret_until_all_are_in(start):
    """Two of three have bid: nobody sees them. In turn they are never secret."""
    secret, first = hand(start(3, replace(classic(), simultaneous=True), plan=[5]), bids=(1, None, 2))
    assert secret.hides_bids(first)
    assert not secret.hides_bids(replace(first, bids=(1, 1, 2)))
    assert not replace(secret, rules=classic()).hides_bids(first)


def test_who_only_looks_on_knows_the_game_without_secret_bids(start):
    """While one bid is missing neither the others nor that one was blind are told; once all are in, everything is."""
    at_once = start(3, replace(classic(), simultaneous=True), plan=[5])
    secret, first = hand(at_once, bids=(1, None, 2), blind=frozenset({0}))
    assert secret.as_watched() == at_once
    shown = secret.with_hand(replace(first, bids=(1, 1, 2)))
    assert shown.as_watched() is shown


def test_q13_a_tie_is_shared(play):
    """Two highest totals win together, and the next is third."""
    game = play("1/1 1/0 0/1")
    assert classic().ties is Ties.SHARED
    tied = play("1/1 0/0 0/0", "0/0 1/1 1/0")
    assert tied.totals == (21, 21, 10)
    assert tied.places == (1, 1, 3)
    assert tied.outcome.winners == (ADA, BRUNO)
    assert game.places == (1, 2, 2)


@pytest.mark.parametrize(
    ("ties", "places"), [(Ties.SHARED, (1, 1)), (Ties.MOST_MADE, (2, 1)), (Ties.MADE_BIDS, (1, 2))]
)
def test_a_tie_may_be_decided(play, ties, places):
    """Thirty points each: Ada made one bid of six, Bruno two of one."""
    rules = replace(classic(), scoring=Scoring("30 if bid == 6 else 15", "0"), ties=ties)
    game = play("6/6 1/0", "1/0 1/1", "1/0 1/1", rules=rules)
    assert game.totals == (30, 30)
    assert game.places == places


def test_q17_an_unknown_trump_costs_nothing(play):
    """A hand whose trump nobody noted pays the same, and may be told later."""
    game = play("1/1 0/0")
    unknown, _ = hand(game, trump=None)
    assert unknown.totals == game.totals
    assert unknown.problems() == ()


def test_bids_before_the_trump_are_bids(start):
    """Once somebody has bid, the hand no longer waits for its trump."""
    game, first = hand(start(3), bids=(None, 0, None))
    assert first.trump is None
    assert game.phase(first) is Phase.BIDS


@pytest.mark.parametrize(
    "method", [TrumpMethod.NONE, TrumpMethod.UNTRACKED, TrumpMethod.ROTATION, TrumpMethod.HIGHEST_BIDDER]
)
def test_other_games_begin_with_the_bids(start, method):
    """Where nothing is turned, or the highest bidder names the trump, the first thing is a bid."""
    game = start(3, replace(classic(), trump=method, rotation=(Trump.SPADES,)))
    assert game.phase(game.hands[0]) is Phase.BIDS


def test_zero_is_not_nothing(start):
    """Three bids of zero complete a bidding and three of nothing do not; so with tricks."""
    game, first = hand(start(3, plan=[1]), trump=Trump.CLUBS, bids=(None, 0, 0))
    assert game.phase(first) is Phase.BIDS
    game, first = hand(game, bids=(0, 0, 0))
    assert game.phase(first) is Phase.PLAY
    assert first.result(ADA) is None
    assert replace(first, took=(0, None, None)).result(ADA) is Result.MADE


def test_a_void_hand_is_dealt_again(start):
    """After a misdeal the same dealer deals the same hand again, and the first one pays nothing."""
    game, first = hand(start(3, plan=[1, 2], dealer=1), is_void=True, bids=(1, 0, 0), took=(1, 0, 0))
    again = game.next_hand()
    assert again is not None
    assert game.phase(first) is Phase.VOID
    assert (again.number, again.dealer, again.cards) == (1, 1, 1)
    assert again.bids == (None, None, None)
    assert game.totals == (0, 0, 0)
    assert game.played == ()


def test_the_next_hand_waits_for_the_open_one(start):
    """While a hand is open there is no next one, and where none was dealt the first seat deals."""
    game = start(3, plan=[1])
    assert game.next_hand() is None
    assert replace(game, hands=()).next_hand().dealer == 0
    assert game.open_hand == game.hand(1) == game.hands[0]
    assert game.hand(2) is None


def test_who_sat_out_plays_again(play):
    """Chiara misses a hand: she gets no points for it, and is dealt in again."""
    game = play("1/1 0/0 0/0", "1/1 1/1 -", plan=[1, 2, 3])
    assert points(game, CHIARA) == [10, None]
    assert game.totals[CHIARA] == 10
    assert game.next_hand().absent == frozenset()
    assert game.rows[1].cells[CHIARA].total == 10


def test_running_totals(play):
    """The sheet shows after each hand what was paid and what it comes to."""
    game = play("1/1 0/0 1/0", "0/1 1/1 0/0")
    assert [[cell.total for cell in row.cells] for row in game.rows] == [[11, 10, 0], [11, 21, 10]]
    assert [cell.result for cell in game.rows[1].cells] == [Result.TOO_MANY, Result.MADE, Result.MADE]
    assert game.rows[0].cells[CHIARA].result is Result.TOO_FEW


def test_the_facts_reach_the_formula(play):
    """Every word of a formula stands for what happened in that hand."""
    words = "bid + 10 * cards + 100 * players + 1000 * hand + 10000 * hands + 100000 * trump"
    game = play(
        "2/2 0/0 1/0", rules=replace(classic(), scoring=Scoring(words, "bids + 100 * largest")), plan=[2, 3]
    )
    assert points(game, ADA) == [100000 + 20000 + 1000 + 300 + 20 + 2]
    assert points(game, CHIARA) == [303]
    blind, _ = hand(play("1/1 0/0", rules=scored("blind20")), blind=frozenset({ADA}))
    assert blind.totals == (21, 10)
    assert blind.rows[0].cells[ADA].blind


def test_a_formula_counts_only_who_plays(play):
    """Three sit at the table, one sits out: two players."""
    game = play("1/1 0/0 -", rules=replace(classic(), scoring=Scoring("players", "0")))
    assert game.totals == (2, 2, 0)


# Published courses of the Romanian streak bonus: hands as (cards, made), rule, points of each hand.
MILD, STRONG = Streak(5, 5, -5, "skip"), Streak(5, 10, -10, "reset")
COURSES = [
    (MILD, [MADE_ONE_OF_TWO] * 5, [6, 6, 6, 6, 11]),
    (MILD, [MISSED_ONE_OF_TWO] * 5, [-1, -1, -1, -1, -6]),
    (MILD, [MADE_ONE_OF_TWO] * 2 + ["1/1 0/0"] + [MADE_ONE_OF_TWO] * 3, [6, 6, 6, 6, 6, 11]),
    (STRONG, [MADE_ONE_OF_TWO] * 2 + ["1/1 0/0"] + [MADE_ONE_OF_TWO] * 3, [6] * 6),
    (STRONG, [MADE_ONE_OF_TWO] * 10, [6, 6, 6, 6, 16, 6, 6, 6, 6, 16]),
    (STRONG, [MADE_ONE_OF_TWO] * 4 + [MISSED_ONE_OF_TWO] * 2, [6, 6, 6, 6, -1, -1]),
]


@pytest.mark.parametrize(("streak", "hands", "paid"), COURSES)
def test_streaks_in_a_game(play, streak, hands, paid):
    """Five made in a row pay extra, five missed cost extra, and hands of one card count or do not."""
    game = play(*hands, rules=replace(variants()["romanian-whist"], streak=streak))
    assert points(game, ADA) == paid
    assert game.totals[ADA] == sum(paid)


def test_a_streak_goes_on_after_a_hand_sat_out(play):
    """Ada is away for a hand and makes her fifth afterwards."""
    rules = variants()["romanian-whist"]
    three = "1/1 1/1 0/0"
    game = play(*[three] * 4, "- 1/1 1/1", three, rules=rules)
    assert points(game, ADA) == [6, 6, 6, 6, None, 11]
    assert game.rows[5].cells[ADA].bonus == 5


def test_the_double_for_spades_is_a_formula(play):
    """Spades turned, two of two: 24 where spades pay double."""
    doubled = Scoring("(10 + tricks) * (2 if trump == 1 else 1)", "0")
    assert points(play("2/2 0/0", rules=replace(classic(), scoring=doubled), plan=[2, 3]), ADA) == [24]


def test_golf(play):
    """Nothing, one and three off are 0, 1 and 6 points, and the fewest points win."""
    rules = scored("golf-tri", lowest_wins=True)
    game = play("1/1 0/0", "1/0 0/1", "3/0 3/3", rules=rules)
    assert points(game, ADA) == [0, 1, 6]
    assert game.totals == (7, 1)
    assert game.places == (2, 1)
    assert game.leaders == (BRUNO,)
    assert [standing.behind for standing in game.standings] == [0, 6]


@pytest.mark.parametrize(
    ("totals", "places"),
    [((30, 10, 10), (1, 2, 2)), ((30, 20, 20), (1, 2, 2)), ((20, 30, 30), (3, 1, 1)), ((5, 5, 5), (1, 1, 1))],
)
def test_places(start, totals, places):
    """Equal totals share a place, and the next place is left out."""
    game = start(3)
    game = replace(game, adjustments=tuple(Adjustment(1, seat, each) for seat, each in enumerate(totals)))
    assert game.totals == totals
    assert game.places == places
    order = [(standing.place, standing.seat) for standing in game.standings]
    assert order == sorted(order)


def test_standings_tell_who_moved(play):
    """Chiara wins the second hand from behind: up two places, the others down one."""
    game = play("1/1 0/0 1/0", "2/1 1/0 3/3", plan=[1, 4, 5])
    moved = {standing.seat: (standing.place, standing.behind, standing.moved) for standing in game.standings}
    assert game.totals == (11, 10, 13)
    assert moved == {CHIARA: (1, 0, 2), ADA: (2, 2, -1), BRUNO: (3, 3, -1)}
    assert [standing.moved for standing in play("1/1 0/0").standings] == [0, 0]


def test_a_penalty_of_the_last_hand_moves_people(play):
    """Ada led until the second hand, where a penalty puts her second."""
    game = replace(play("1/1 0/0", "1/1 0/0"), adjustments=(Adjustment(2, ADA, -50),))
    assert [(standing.seat, standing.moved) for standing in game.standings] == [(BRUNO, 1), (ADA, -1)]


def test_places_before_follow_the_tie_rule(play):
    """A tie that the made bids decided both before and after the last hand has moved nobody."""
    rules = replace(classic(), scoring=Scoring("0", "0"), ties=Ties.MOST_MADE)
    game = play("1/1 1/0", "1/1 1/0", rules=rules)
    assert game.places == (1, 2)
    assert [standing.moved for standing in game.standings] == [0, 0]


def test_adjustments_stand_beside_the_points(play):
    """A penalty is shown with its hand and counts from there; the points of the hand stay what they were."""
    game = play("1/1 0/0", "0/0 1/1", plan=[1, 1, 1])
    fined = replace(game, adjustments=(Adjustment(2, ADA, -50, "revoke"), Adjustment(3, BRUNO, 5, "dare")))
    assert points(fined, ADA) == points(game, ADA) == [11, 10]
    assert [row.cells[ADA].total for row in fined.rows] == [11, -29]
    assert fined.rows[1].cells[ADA].adjustments[0].reason == "revoke"
    assert fined.totals == (-29, 26), "those of the hand to come count already"


def test_a_target_ends_the_game_with_the_hand(play):
    """First to twenty: the game ends when a hand is closed with twenty or more."""
    rules = replace(classic(), target=20)
    game = play("1/1 0/0", plan=[1] * 5, rules=rules)
    assert game.outcome is None
    won = play("1/1 0/0", "1/1 0/0", plan=[1] * 5, rules=rules)
    assert won.outcome == Outcome(Ending.TARGET_REACHED, (ADA,))
    assert won.next_hand() is None


def test_points_given_in_the_middle_of_a_hand_do_not_end_it(play):
    """A bonus takes Ada past the target while a hand is open: that hand is played out."""
    game = play("1/1 0/0", plan=[1] * 5, rules=replace(classic(), target=20))
    opened = replace(game, hands=(*game.hands, game.next_hand()), adjustments=(Adjustment(2, ADA, 50),))
    assert opened.totals == (61, 10)
    assert opened.outcome is None


def test_a_target_takes_the_game_beyond_its_plan(play):
    """Two hands are planned, and the last size goes on until somebody has a hundred."""
    rules = replace(classic(), target=100, no_trump_on=NoTrumpOn.LAST)
    game = play("1/1 0/0", "1/1 1/1", "1/0 2/2", plan=[1, 2], rules=rules)
    assert game.is_open_ended
    assert [hand.cards for hand in game.hands] == [1, 2, 2]
    assert [game.cards_of(number) for number in (1, 2, 3, 120)] == [1, 2, 2, 2]
    assert not any(game.is_last(each) for each in game.hands)
    assert game.outcome is None
    assert game.next_hand().number == 4
    assert game.next_hand().trump is None, "no hand is known to be the last"
    assert not play("1/1 0/0", plan=[1, 2]).is_open_ended


def test_a_game_of_one_size_to_a_target_turns_trumps(start):
    """Five cards each, again and again: no hand is the largest, so a card is turned in each."""
    rules = replace(classic(), target=100)
    assert start(4, rules, plan=[5]).hands[0].trump is None
    assert start(4, rules, plan=[4, 5]).rules.trump_of(2, [4, 5], 4) is Trump.NONE
    assert start(4, plan=[5]).hands[0].trump is Trump.NONE
    assert start(4, rules, plan=[13]).hands[0].trump is Trump.NONE, "nothing is left to turn"


def test_a_game_without_an_end_stops_at_120_hands(play):
    """Nobody ever makes a bid: after 120 hands it is over, and not before."""
    game = play("1/0 0/1", plan=[1], rules=replace(classic(), target=50))
    never = tuple(replace(game.hands[0], number=number) for number in range(1, 121))
    assert replace(game, hands=never[:119]).outcome is None
    game = replace(game, hands=never)
    assert game.outcome == Outcome(Ending.PLAN_FINISHED, (ADA, BRUNO))
    assert game.is_last(game.hands[-1])
    with pytest.raises(IndexError):
        game.cards_of(121)


def test_a_plan_without_a_target_ends(play):
    """After the last hand of the plan there is no size."""
    with pytest.raises(IndexError):
        play("1/1 0/0", plan=[1, 2]).cards_of(3)


def test_the_lowest_total_wins_when_somebody_reaches_the_target(play):
    """Ada misses by three and has six: the game ends there, and Bruno wins it with nothing."""
    rules = scored("golf-tri", lowest_wins=True, target=6)
    game = play("1/1 0/0", "3/0 3/3", plan=[1, 3], rules=rules)
    assert game.outcome == Outcome(Ending.TARGET_REACHED, (BRUNO,))
    assert game.places == (2, 1)
    assert [(each.seat, each.behind) for each in game.standings] == [(BRUNO, 0), (ADA, 6)]


def test_a_target_reached_with_the_last_hand_of_the_plan(play):
    """Plan and target end together: the target is the reason."""
    game = play("1/1 0/0", plan=[1], rules=replace(classic(), target=11))
    assert game.outcome == Outcome(Ending.TARGET_REACHED, (ADA,))


def test_a_game_ended_early_is_won_by_who_leads(play):
    """The table stops: whoever leads has won."""
    game = replace(play("1/1 0/0", plan=[1] * 5), ended_early=True)
    assert game.outcome == Outcome(Ending.ENDED_EARLY, (ADA,))
    opened = replace(game, hands=(*game.hands, replace(game.hands[0], number=2, is_closed=False)))
    assert opened.open_hand is None, "not even the hand that was begun is played on"


def test_nobody_wins_what_was_not_played(start):
    """Only void hands: nothing is finished; ended all the same, nobody has won."""
    game, _ = hand(start(3, plan=[1]), is_void=True)
    assert game.outcome is None
    assert replace(game, ended_early=True).outcome == Outcome(Ending.ENDED_EARLY, ())


def test_a_hand_opened_again_takes_the_end_back(play):
    """To correct the last hand is to be in the middle of the game again."""
    game = play("1/1 0/0", plan=[1])
    assert game.outcome
    reopened, _ = hand(game, is_closed=False)
    assert reopened.outcome is None
    assert reopened.open_hand is reopened.hands[0]
    two = play("1/1 0/0", "1/1 0/0", plan=[1, 1])
    first = replace(two.hands[0], is_closed=False)
    assert replace(two, hands=(first, two.hands[1])).outcome is None, "an earlier hand as well"


@pytest.mark.parametrize(
    ("bids", "tally", "took", "proposed"),
    [
        ((1, 2, 2), (), (None, None, None), (1, 2, 2)),
        ((1, 2, 2), (2, 2, 1), (None, None, None), (2, 2, 1)),
        ((1, 2, 2), (2, 2, None), (None, None, None), (1, 2, 2)),
        ((1, 2, 2), (4, 2, 1), (None, None, None), (1, 2, 2)),
        ((1, 2, 2), (), (0, None, None), (0, 2, 2)),
        ((1, 2, 2), (), (0, None, 2), (0, 3, 2)),
        ((1, 2, 2), (), (5, None, 0), (5, 0, 0)),
        ((1, 2, 2), (), (5, None, 3), (5, 0, 3)),
        ((1, 2, 2), (5, 0, 0), (0, 4, 1), (0, 4, 1)),
        ((1, None, 2), (), (None, None, 3), (2, None, 3)),
        ((0, 0, 0), (), (None, None, None), (0, 0, 0)),
    ],
)
def test_proposed_results(start, bids, tally, took, proposed):
    """What was entered stands, the last one follows, else a full tally, else the bids."""
    absent = frozenset(seat for seat, bid in enumerate(bids) if bid is None)
    _, first = hand(start(3, plan=[5]), bids=bids, tally=tally, took=took, absent=absent)
    assert first.proposed() == proposed


def test_problems_of_a_game_have_their_places(play):
    """A hook broken, tricks missing and too many cards are told with the hand they are in."""
    rules = replace(classic(), hook=True, deck=ByPlayers(4))
    game = play("1/0 0/0", "1/1 1/1", "1/3 1/0", rules=rules, plan=[1, 2, 3])
    assert [str(each) for each in game.problems()] == [
        "hands[0].bids: the bids add up to the 1 card",
        "hands[0].tricks: 0 of 1 tricks: 1 is missing",
        "hands[1].bids: the bids add up to the 2 cards",
        "hands[2].cards: 2 × 3 cards = 6, the pack has 4",
    ]


def test_a_hand_that_is_meant_to_be_uneven_is_still_told(play):
    """Declared tricks that do not add up stay on the list, for whoever wants to know."""
    game, _ = hand(play("1/1 0/0 0/0", plan=[3]), is_uneven=True)
    assert [each.place for each in game.problems()] == ["hands[0].tricks"]


def test_the_last_hand_may_be_spared_the_hook(start):
    """In the last hand, here the only one, an even table is allowed."""
    game = start(2, replace(classic(), hook=True, hook_spares_last=True), plan=[2])
    assert game.is_last(game.hands[0])
    assert not game.bidding(game.hands[0]).hook


def test_no_trump_follows_the_table_that_plays(start):
    """Five at the table and one away: four times thirteen leave no card to turn."""
    rules = replace(classic(), largest=ByPlayers(), no_trump_on=NoTrumpOn.EXHAUSTED)
    assert rules.trump_of(1, [13], 4) is Trump.NONE
    assert rules.trump_of(1, [10], 5) is None
    forty = replace(classic(), deck=ByPlayers(40))
    assert forty.trump_of(2, [10, 8], 5) is Trump.NONE, (
        "not the largest hand, but five times eight is the pack"
    )
