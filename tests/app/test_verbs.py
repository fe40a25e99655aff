"""The verbs that put things right and change the table: what they do, refuse, and give back when undone."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from codes import new_key
from database import db
from log import Act, Change
from models import Book
from rules import record
from rules.plan import ByPlayers
from rules.problem import RulesError
from rules.scoring import Scoring
from rules.sheet import Ending
from rules.variants import Trump, TrumpMethod, classic
from rules.verbs import Facts, NeedsConfirming, Stale
from sitting import Sitting

NOW = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
FIVE = (*FOUR, "Eline")
ADA, BRUNO, CHIARA, DMITRI, ELINE = range(5)
SCORINGS = {
    "exact": Scoring(made="10 + bid", missed="0"),
    "basic": Scoring(made="10 + tricks", missed="tricks"),
}


@pytest.fixture
def table(book):
    """Seats a table and deals; what is said after the plan are rules."""

    def sit(names, plan, dealer=ADA, scoring="exact", **rules):
        agreed = replace(
            classic(), **{"players": (2, 12), "hook": True, "scoring": SCORINGS[scoring], **rules}
        )
        game = book.start_game(names, agreed, dealer, tap(), plan=plan)
        db.session.commit()
        return game

    return sit


@pytest.fixture
def game(table):
    """Four players, three hands; the first is scored, the second is bid for."""
    game = table(FOUR, (3, 2, 1), DMITRI)
    play(game, [1, 0, 1, 0], [1, 0, 2, 0])
    bid(game, [0, 1, None, None])
    return game


def tap():
    """A tap like no other."""
    return Act(new_key(), NOW)


def bid(game, bids):
    """Those who have a number bid it, in turn."""
    hand = game.sheet().open_hand
    for seat in game.sheet().order(hand):
        if bids[seat] is not None:
            game.bid(tap(), hand.number, seat, bids[seat], was=None)
    db.session.commit()


def play(game, bids, took):
    """The open hand from its first bid to the next deal."""
    number = game.sheet().open_hand.number
    bid(game, bids)
    given = {seat: count for seat, count in enumerate(took) if count is not None}
    game.score(tap(), number, given, was=dict.fromkeys(given), confirmed=True)
    db.session.commit()


def play_on(game, last):
    """Hands of which nobody bids anything and the first bidder takes everything, up to number `last`."""
    while (hand := game.sheet().open_hand) and hand.number <= last:
        order = game.sheet().order(hand)
        took = [None] * len(hand.bids)
        for seat in order:
            took[seat] = hand.cards if seat == order[0] else 0
        play(game, [0 if seat in order else None for seat in range(len(took))], took)


def bring_to(game, *totals):
    """Give everybody the points that a case starts from, from the last closed hand on."""
    number = game.sheet().played[-1].number
    for seat, (has, wants) in enumerate(zip(game.sheet().totals, totals, strict=True)):
        if wants != has:
            game.adjust(tap(), number, seat, wants - has, "as in the case")
    db.session.commit()
    assert game.sheet().totals == totals


def correct(game, number, confirmed=False, **changed):
    """Put facts of a hand right; bids and tricks are told by seat."""
    was = Facts.of(game.sheet().hand(number))
    facts = {
        name: {**getattr(was, name), **value} if name in ("bids", "took") else value
        for name, value in changed.items()
    }
    game.correct(tap(), number, replace(was, **facts), was=was, confirmed=confirmed)
    db.session.commit()


def swap(game, seat, other):
    """Two swap seats on a phone that shows how the table sits."""
    game.swap(tap(), seat, other, was=game.sheet().hands[-1].table)


def dealers(game):
    """The names of those who dealt the hands that count or are open."""
    sheet = game.sheet()
    return [sheet.names[hand.dealer] for hand in sheet.hands if not hand.is_void]


def imported(game):
    """The same game in another book, by way of its record as a file."""
    written = json.loads(json.dumps(record.write(game.row.record())))
    other = Book.start(new_key(), NOW).keep_record(record.read(written), NOW)
    db.session.commit()
    return other


# The cases


@pytest.mark.case("A6")
@pytest.mark.parametrize(
    ("scoring", "before", "after", "first"),
    [
        ("exact", (42, 21, 32, 31), (31, 32, 32, 31), (BRUNO, CHIARA)),
        ("basic", (42, 24, 33, 31), (33, 33, 33, 31), (ADA, BRUNO, CHIARA)),
    ],
)
def test_tricks_put_right_three_hands_later(table, scoring, before, after, first):
    """A hand of a finished game is corrected: totals, places and winners follow, and nothing else changes."""
    game = table(FOUR, (4, 3, 2, 1), scoring=scoring)
    play(game, [1, 1, 0, 1], [1, 2, 0, 1])
    play(game, [1, 0, 1, 0], [1, 1, 1, 0])
    play(game, [0, 1, 0, 0], [0, 1, 1, 0])
    play(game, [0, 0, 1, 1], [0, 0, 1, 0])
    stood = game.sheet()
    assert stood.totals == before
    correct(game, 1, took={ADA: 2, BRUNO: 1})
    sheet = game.sheet()
    assert sheet.totals == after
    assert sheet.outcome.winners == first
    assert [(seat.total, seat.place) for seat in game.row.seats] == list(
        zip(sheet.totals, sheet.places, strict=True)
    )
    assert sheet.hands[1:] == stood.hands[1:]
    assert sheet.hands[0] == replace(stood.hands[0], took=(2, 1, 0, 1))
    assert dealers(game) == list(FOUR)
    step = Change.last_of(game.id)
    assert (step.kind, step.hand) == ("correct", 1)
    assert [(before, after) for _, _, before, after in step.steps] == [
        ({"took": 1}, {"took": 2}),
        ({"took": 2}, {"took": 1}),
    ]


@pytest.mark.case("A7")
def test_a_bid_put_right_while_the_hand_is_played(table):
    """The tricks that stand there stay, and a table made even against the hook is asked about."""
    game = table(FOUR, (5,), DMITRI)
    bid(game, [1, 3, 0, 2])
    game.take(tap(), 1, ADA, 1, was=None)
    game.take(tap(), 1, BRUNO, 2, was=None)
    db.session.commit()
    with pytest.raises(NeedsConfirming) as question:
        correct(game, 1, bids={BRUNO: 2})
    assert [str(each) for each in question.value.problems] == ["bids: the bids add up to the 5 cards"]
    db.session.rollback()
    correct(game, 1, bids={BRUNO: 2}, confirmed=True)
    hand = game.sheet().open_hand
    assert (hand.bids, hand.took) == ((1, 2, 0, 2), (1, 2, None, None))
    assert Change.last_of(game.id).steps[0][2:] == [{"bid": 3}, {"bid": 2}]


@pytest.mark.case("A8")
def test_a_misdeal_is_dealt_again(table):
    """The void hand leaves no points and no bids, and the same dealer deals its number again."""
    game = table(FOUR, (5,) * 8)
    play_on(game, 5)
    bring_to(game, 40, 22, 31, 10)
    bid(game, [None, None, 1, 2])
    game.void(tap(), 6)
    db.session.commit()
    sheet = game.sheet()
    assert sheet.totals == (40, 22, 31, 10)
    assert (sheet.open_hand.number, sheet.open_hand.cards, sheet.open_hand.dealer) == (6, 5, BRUNO)
    assert sheet.open_hand.bids == (None,) * 4
    assert [(hand.number, hand.is_void) for hand in sheet.hands[-2:]] == [(6, True), (6, False)]
    assert len(sheet.played) == 5


@pytest.mark.case("A9")
def test_a_penalty_stands_apart(table):
    """Ten points off for dealing out of turn: beside the points of the hand, in the record, and taken away again."""
    game = table(FOUR, (2,) * 9)
    play_on(game, 8)
    bring_to(game, 63, 0, 0, 0)
    points = game.sheet().rows[-1].cells[ADA].points
    game.adjust(tap(), 8, ADA, -10, "dealt out of turn")
    db.session.commit()
    assert game.sheet().totals == (53, 0, 0, 0)
    cell = game.sheet().rows[-1].cells[ADA]
    assert (cell.points, cell.adjustments[-1].points, cell.total) == (points, -10, 53)
    assert record.write(game.row.record())["adjustments"][-1] == {
        "hand": 8,
        "player": "Ada",
        "points": -10,
        "reason": "dealt out of turn",
    }
    game.drop_adjustment(tap(), game.given[-1][0])
    assert game.sheet().totals == (63, 0, 0, 0)


@pytest.mark.case("A10")
def test_the_dealer_put_right(table):
    """The deal goes on from whoever really dealt; hands before are untouched."""
    game = table(FIVE, (1,) * 5, BRUNO)
    play_on(game, 2)
    stood = game.sheet().hands[:2]
    assert game.sheet().open_hand.dealer == DMITRI
    game.put_dealer(tap(), 3, ELINE, was=DMITRI)
    assert game.sheet().order(game.sheet().open_hand)[0] == ADA
    play_on(game, 5)
    assert dealers(game) == ["Bruno", "Chiara", "Eline", "Ada", "Bruno"]
    assert game.sheet().hands[:2] == stood


@pytest.mark.case("A11")
def test_a_late_joiner(table):
    """She starts with the lowest score, has nothing in the hands before, and deals in her turn."""
    game = table(FOUR, (10, 9, 8, 7, 6))
    play_on(game, 3)
    bring_to(game, 31, 10, 22, 12)
    game.join(tap(), "Eline", DMITRI, min(game.sheet().totals), "a late start")
    db.session.commit()
    sheet = game.sheet()
    assert sheet.totals == (31, 10, 22, 12, 10)
    assert [row.cells[ELINE].points for row in sheet.rows] == [None] * 3
    assert sheet.order(sheet.open_hand) == (ELINE, ADA, BRUNO, CHIARA, DMITRI)
    play_on(game, 4)
    assert dealers(game)[3:] == ["Dmitri", "Eline"]


@pytest.mark.case("A11")
def test_a_joiner_for_whom_the_pack_is_too_small(table):
    """Five times eleven cards is more than 52: that is said, and the coming hands are made to fit if it is wanted."""
    game = table(FOUR, (10, 11, 11, 1))
    play_on(game, 1)
    stood = game.sheet()
    with pytest.raises(NeedsConfirming, match="plan") as question:
        game.join(tap(), "Eline", DMITRI, 0, "")
    assert [str(each) for each in question.value.problems] == ["5 × 11 cards = 55, the pack has 52"]
    db.session.rollback()
    assert game.sheet() == stood
    game.join(tap(), "Eline", DMITRI, 0, "", fits=True)
    assert (game.sheet().plan, game.sheet().open_hand.cards) == ((10, 10, 10, 1), 10)


@pytest.mark.case("A12")
def test_a_leaver(table):
    """The others play on, the deal passes over the empty chair, and the leaver keeps points and place in the list."""
    game = table(FIVE, (2,) * 8)
    play_on(game, 5)
    bring_to(game, 0, 47, 0, 0, 0)
    game.leave(tap(), BRUNO)
    db.session.commit()
    assert game.sheet().bidding(game.sheet().open_hand).missing == (CHIARA, DMITRI, ELINE, ADA)
    play_on(game, 7)
    assert dealers(game)[4:7] == ["Eline", "Ada", "Chiara"]
    sheet = game.sheet()
    assert sheet.names == FIVE
    assert sheet.totals[BRUNO] == 47
    assert sum(row.cells[BRUNO].points is not None for row in sheet.rows) == 5
    game.join(tap(), "bruno", ADA, 0, "")
    assert game.sheet().names == FIVE
    play_on(game, 8)
    assert game.sheet().rows[-1].cells[BRUNO].points is not None


@pytest.mark.case("A13")
def test_a_seat_swap(table):
    """The deal follows the chairs as they are now, and what was played stays as it was."""
    game = table(FIVE, (1,) * 12)
    play_on(game, 8)
    stood = game.sheet()
    swap(game, BRUNO, ELINE)
    assert game.sheet().totals == stood.totals
    play_on(game, 12)
    assert dealers(game)[8:] == ["Dmitri", "Bruno", "Ada", "Eline"]
    assert game.sheet().rows[:8] == stood.rows


def test_two_phones_that_swap_the_same_pair_swap_it_once(game, rows):
    """The second phone, which still shows the old seats, changes nothing; for another pair it is told."""
    seen = game.sheet().open_hand.table
    swap(game, ADA, CHIARA)
    db.session.commit()
    swapped = rows()
    game.swap(tap(), CHIARA, ADA, was=seen)
    db.session.commit()
    assert rows() == swapped
    with pytest.raises(Stale):
        game.swap(tap(), ADA, BRUNO, was=seen)


def test_who_left_already_leaves_once(game, rows):
    """A second phone that sends the same player away changes nothing."""
    game.leave(tap(), BRUNO)
    db.session.commit()
    gone = rows()
    game.leave(tap(), BRUNO)
    db.session.commit()
    assert rows() == gone


def test_facts_of_who_sits_out_are_refused(game, rows):
    """A correction on a phone that has not seen it cannot give bids or tricks to somebody who does not play."""
    number = game.sheet().open_hand.number
    seen = Facts.of(game.sheet().open_hand)
    game.sit_out(tap(), BRUNO, out=True)
    db.session.commit()
    stood = rows()
    sent = replace(seen, bids={**seen.bids, BRUNO: 1}, took={**seen.took, BRUNO: 40})
    with pytest.raises(RulesError, match="sits this hand out"):
        game.correct(tap(), number, sent, was=seen, confirmed=True)
    db.session.rollback()
    assert rows() == stood


@pytest.mark.case("A17")
def test_two_phones_save_one_hand(table):
    """The second hears what stands there and what it sent; only its own choice changes that, and both are logged."""
    game = table(FOUR, (4, 1), DMITRI)
    bid(game, [1, 1, 1, 0])
    nothing = dict.fromkeys(range(4))
    game.score(tap(), 1, dict.fromkeys(range(4), 1), was=nothing)
    db.session.commit()
    sent = {ADA: 2, BRUNO: 0, CHIARA: 1, DMITRI: 1}
    with pytest.raises(Stale) as conflict:
        game.score(tap(), 1, sent, was=nothing)
    assert (conflict.value.stored, conflict.value.sent) == (dict.fromkeys(range(4), 1), sent)
    assert game.sheet().hand(1).took == (1, 1, 1, 1)
    correct(game, 1, took=sent)
    assert game.sheet().hand(1).took == (2, 0, 1, 1)
    assert [change.kind for change in game.row.changes][-2:] == ["score", "correct"]


@pytest.mark.case("A20")
def test_a_tie(table):
    """Two share the first place and the win; with a point less one of them has it alone."""
    game = table(FOUR, (1,))
    play(game, [0, 0, 1, 1], [0, 0, 1, 0])
    bring_to(game, 50, 50, 40, 30)
    assert game.sheet().places == (1, 1, 3, 4)
    assert game.sheet().outcome.winners == (ADA, BRUNO)
    game.adjust(tap(), 1, BRUNO, -1, "counted wrong")
    assert game.sheet().outcome.winners == (ADA,)
    assert [(seat.total, seat.place) for seat in game.row.seats] == [(50, 1), (49, 2), (40, 3), (30, 4)]


# One tap, one effect, and all of it undone

VERBS = {
    "correct tricks": lambda game, act: game.correct(
        act,
        1,
        replace(Facts.of(game.sheet().hand(1)), took={0: 0, 1: 1, 2: 2, 3: 0}),
        was=replace(Facts.of(game.sheet().hand(1)), took={0: 1, 1: 0, 2: 2, 3: 0}),
    ),
    "correct everything": lambda game, act: game.correct(
        act,
        1,
        Facts(
            4,
            CHIARA,
            Trump.CLUBS,
            {0: 0, 1: 0, 2: 0, 3: 1},
            {0: 2, 1: 0, 2: 2, 3: 0},
        ),
        was=Facts(3, DMITRI, Trump.NONE, {0: 1, 1: 0, 2: 1, 3: 0}, {0: 1, 1: 0, 2: 2, 3: 0}),
    ),
    "void": lambda game, act: game.void(act, 2),
    "put the dealer right": lambda game, act: game.put_dealer(act, 2, CHIARA, was=ADA),
    "adjust": lambda game, act: game.adjust(act, 1, ADA, -5, "talked"),
    "join": lambda game, act: game.join(act, "Eline", BRUNO, 7, "a late start"),
    "leave": lambda game, act: game.leave(act, CHIARA),
    "leave as the dealer": lambda game, act: game.leave(act, ADA),
    "sit out": lambda game, act: game.sit_out(act, BRUNO, out=True),
    "swap": lambda game, act: game.swap(act, ADA, CHIARA, was=(ADA, BRUNO, CHIARA, DMITRI)),
    "hand a seat to": lambda game, act: game.hand_seat_to(act, BRUNO, "Farid"),
    "replan": lambda game, act: game.replan(act, [4, 5, 6]),
    "shorten": lambda game, act: game.replan(act, []),
    "end": lambda game, act: game.end(act),
}
SEATED = ("seat", "hand", "entry", "adjustment")


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_one_tap_that_undo_takes_back_and_redo_brings_back(game, rows, verb):
    """The very rows are there again, whatever else is played between the tap and its coming once more."""

    def everything():
        db.session.commit()
        return rows(*SEATED), game.sheet().plan, game.sheet().ended_early, game.finished

    act, before = tap(), everything()
    VERBS[verb](game, act)
    after = everything()
    assert after != before
    VERBS[verb](game, act)
    assert everything() == after
    game.undo(tap(), game.last_step().id)
    assert everything() == before
    game.redo(tap(), game.next_step().id)
    assert everything() == after
    if game.sheet().open_hand:
        play_late(game)
        late = everything()
        VERBS[verb](game, act)
        assert everything() == late


def play_late(game):
    """Close the open hand, whoever has bid in it already."""
    hand = game.sheet().open_hand
    for seat in game.sheet().bidding(hand).missing:
        legal = game.sheet().bidding(game.sheet().open_hand).legal_bids(seat)
        game.bid(tap(), hand.number, seat, legal[-1], was=None)
    took = {seat: hand.cards if seat == hand.playing[0] else 0 for seat in hand.playing}
    game.score(tap(), hand.number, took, was=dict.fromkeys(took), confirmed=True)
    db.session.commit()


def test_a_dropped_adjustment_comes_back(game, rows):
    """Taking a penalty away is a step like any other."""
    game.adjust(tap(), 1, ADA, -5, "talked")
    stood = rows(*SEATED)
    db.session.commit()
    stood = rows(*SEATED)
    game.drop_adjustment(tap(), game.given[0][0])
    db.session.commit()
    assert game.sheet().adjustments == ()
    game.undo(tap(), game.last_step().id)
    db.session.commit()
    assert rows(*SEATED) == stood


def test_undo_of_something_else_is_stale(game):
    """A phone that shows an older last step takes back nothing."""
    shown = game.last_step().id
    game.adjust(tap(), 1, ADA, -5, "talked")
    with pytest.raises(Stale):
        game.undo(tap(), shown)
    with pytest.raises(Stale):
        game.redo(tap(), shown)


def test_a_hand_that_is_no_longer_dealt_is_stale(game):
    """A phone that still shows a hand whose deal was taken back changes nothing, and is told."""
    seen = Facts.of(game.sheet().open_hand)
    while len(game.sheet().hands) > 1:
        game.undo(tap(), game.last_step().id)
    with pytest.raises(Stale):
        game.score(tap(), 2, dict.fromkeys(range(4), 0), was={})
    with pytest.raises(Stale):
        game.correct(tap(), 2, replace(seen, cards=3), was=seen)


# Corrections


def test_two_phones_put_different_facts_of_one_hand_right(game):
    """Both land; only the same fact in two ways is a conflict."""
    seen = Facts.of(game.sheet().hand(1))
    game.correct(tap(), 1, replace(seen, trump=Trump.SPADES), was=seen)
    game.correct(tap(), 1, replace(seen, took={0: 0, 1: 1, 2: 2, 3: 0}), was=seen)
    hand = game.sheet().hand(1)
    assert (hand.trump, hand.took) == (Trump.SPADES, (0, 1, 2, 0))
    with pytest.raises(Stale) as conflict:
        game.correct(tap(), 1, replace(seen, took={0: 1, 1: 2, 2: 0, 3: 0}), was=seen)
    assert (conflict.value.what, conflict.value.seat, conflict.value.stored, conflict.value.sent) == (
        "took",
        BRUNO,
        1,
        2,
    )


IMPOSSIBLE = {
    "more tricks than cards": {"took": {ADA: 4}},
    "fewer tricks than none": {"took": {ADA: -1}},
    "no tricks": {"took": {ADA: None}},
    "a bid beyond the cards": {"bids": {ADA: 4}},
    "no bid": {"bids": {ADA: None}},
    "tricks of nobody": {"took": {7: 1}},
    "no cards": {"cards": 0},
    "fewer cards than were bid": {"cards": 1},
    "cards by the thousand": {"cards": 1041},
    "a dealer who is not there": {"dealer": 4},
    "a dealer before the first": {"dealer": -1},
}


@pytest.mark.parametrize("facts", IMPOSSIBLE)
def test_what_no_table_can_mean_is_refused(game, rows, facts):
    """Confirmed or not, such facts do not come in."""
    stood = rows()
    with pytest.raises(RulesError):
        correct(game, 1, confirmed=True, **IMPOSSIBLE[facts])
    db.session.rollback()
    assert rows() == stood


def test_the_open_hand_is_checked_like_a_closed_one(game):
    """Tricks beyond the cards do not come in there either; missing ones may be missing."""
    with pytest.raises(RulesError):
        correct(game, 2, took={ADA: 3})
    with pytest.raises(RulesError):
        correct(game, 2, took={ADA: -1})
    correct(game, 2, took={ADA: 2}, bids={CHIARA: 2})
    assert game.sheet().open_hand.bids == (0, 1, 2, None)


ASKED = {
    "hook": ({"bids": {BRUNO: 1}}, "bids: the bids add up to the 3 cards", "bids"),
    "sum": ({"took": {CHIARA: 1}}, "tricks: 2 of 3 tricks: 1 is missing", "tricks"),
    "deck": (
        {"cards": 14, "took": {CHIARA: 13}},
        "cards: 4 × 14 cards = 56, the pack has 52",
        "cards",
    ),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_correction_against_the_rules_is_asked_kept_and_exported(game, what):
    """It is told, and kept when it is meant; the record says so and comes back."""
    facts, said, place = ASKED[what]
    with pytest.raises(NeedsConfirming) as question:
        correct(game, 1, **facts)
    assert [str(each) for each in question.value.problems] == [said]
    db.session.rollback()
    correct(game, 1, confirmed=True, **facts)
    sheet = game.sheet()
    assert [each.place for each in sheet.problems()] == [f"hands[0].{place}"]
    assert sheet.hand(1).is_uneven == (what == "sum")
    assert imported(game).sheet().rows == sheet.rows
    # Asked once: what stands is not asked about again.
    correct(game, 1, trump=Trump.SPADES)


def test_cards_put_right_are_the_plan_too(game):
    """The record of a hand that was larger than planned is read again."""
    correct(game, 1, cards=4, took={ADA: 2})
    assert game.sheet().plan == (4, 2, 1)
    assert imported(game).sheet().rows == game.sheet().rows


@pytest.mark.parametrize("change", ["correction", "penalty"])
def test_a_target_that_is_no_longer_reached(table, change):
    """The game goes on with another hand, and is over again when that is taken back."""
    game = table(FOUR, (1,), target=10)
    play(game, [0, 0, 0, 0], [0, 0, 0, 1])
    assert game.sheet().outcome.ending is Ending.TARGET_REACHED
    if change == "correction":
        correct(game, 1, bids={ADA: 1, BRUNO: 1, CHIARA: 1})
    else:
        for seat in (ADA, BRUNO, CHIARA):
            game.adjust(tap(), 1, seat, -1, "talked")
        db.session.commit()
    assert (game.finished, game.sheet().open_hand.number) == (None, 2)
    assert game.row.seats[ADA].place is None
    game.undo(tap(), game.last_step().id)
    assert game.finished
    assert game.sheet().open_hand is None


# At the table


def test_who_comes_while_bids_are_down_plays_the_next_hand(game):
    """The open hand goes on without the newcomer."""
    game.join(tap(), "Eline", DMITRI, 0, "")
    assert game.sheet().open_hand.playing == (ADA, BRUNO, CHIARA, DMITRI)
    play_late(game)
    assert game.sheet().open_hand.playing == (ADA, BRUNO, CHIARA, DMITRI, ELINE)


def test_who_comes_to_the_open_hand_may_not_overdraw_the_pack(table):
    """Thirteen cards for five are more than 52, whoever had wanted to play at once."""
    game = table(FOUR, (13, 1))
    bid(game, [None, 1, None, None])
    game.join(tap(), "Eline", DMITRI, 0, "")
    with pytest.raises(RulesError, match="5 × 13 cards = 65"):
        game.sit_out(tap(), ELINE, out=False)


def test_a_pack_that_is_for_so_many_only(table):
    """Where the rules know no pack for five, nobody can join four, smaller hands or not."""
    game = table(FOUR, (3, 2), deck=ByPlayers(table=((4, 48),)))
    for fits in (False, True):
        with pytest.raises(RulesError, match="the pack has 0"):
            game.join(tap(), "Eline", DMITRI, 0, "", fits=fits)
        db.session.rollback()


def test_the_dealer_leaves(game):
    """The cards go to the next one who plays."""
    game.sit_out(tap(), BRUNO, out=True)
    game.leave(tap(), ADA)
    assert game.sheet().open_hand.dealer == CHIARA


def test_two_must_stay(table):
    """Nobody leaves or sits out where only two play, even if a third is there."""
    game = table(FOUR[:3], (2,), ADA)
    game.sit_out(tap(), CHIARA, out=True)
    db.session.commit()
    for verb in (lambda: game.leave(tap(), BRUNO), lambda: game.sit_out(tap(), BRUNO, out=True)):
        with pytest.raises(RulesError, match="at least 2"):
            verb()
        db.session.rollback()
    game.leave(tap(), CHIARA)
    assert game.sheet().open_hand.table == (ADA, BRUNO)


def test_who_sits_out_leaves_no_bid(game):
    """Bid, blind mark and trump named go with them; back at the table they bid anew."""
    game.bid(tap(), 2, CHIARA, 0, was=None, blind=True)
    game.sit_out(tap(), CHIARA, out=True)
    assert game.sheet().open_hand.blind == frozenset()
    game.sit_out(tap(), CHIARA, out=False)
    assert game.sheet().bidding(game.sheet().open_hand).missing == (CHIARA, DMITRI)


def test_who_is_at_the_table_cannot_join_or_take_a_seat(game):
    """One person has one seat, whatever the capitals."""
    with pytest.raises(RulesError, match="at the table already"):
        game.join(tap(), "ADA", DMITRI, 0, "")
    with pytest.raises(RulesError, match="at the table already"):
        game.hand_seat_to(tap(), BRUNO, "ada")


def test_tricks_of_who_sits_out_are_refused(game):
    """A form from before somebody sat out counts no tricks of theirs, which would hide that some are missing."""
    bid(game, [None, None, 0, 0])
    game.sit_out(tap(), DMITRI, out=True)
    with pytest.raises(RulesError, match="does not bid"):
        game.score(tap(), 2, {0: 0, 1: 1, 2: 0, 3: 1}, was={}, uneven=True)


@pytest.mark.parametrize(
    ("number", "points", "reason"),
    [(0, 1, ""), (3, 1, ""), (1, 10**7, ""), (1, 1, "x" * 501), (1, 1, "a\0b")],
)
def test_an_adjustment_beyond_reason_is_refused(game, number, points, reason):
    """It could not be exported: a hand that is not there, points by the million, a novel, NUL."""
    with pytest.raises(RulesError):
        game.adjust(tap(), number, ADA, points, reason)


# How long it goes on


def test_coming_hands_are_inserted_dropped_and_resized(game):
    """What is played or bid for stays; the rest is as the table likes."""
    for coming, plan in (([5, 1], (3, 2, 5, 1)), ([], (3, 2)), ([13], (3, 2, 13))):
        game.replan(tap(), coming)
        assert game.sheet().plan == plan
    with pytest.raises(RulesError, match="4 × 14 cards = 56"):
        game.replan(tap(), [14])


def test_the_open_hand_is_resized_until_somebody_bids(table):
    """Its trump, said by the table, stays."""
    game = table(FOUR, (3, 2, 5), DMITRI, trump=TrumpMethod.TURNED)
    game.name_trump(tap(), 1, Trump.HEARTS, was=None)
    game.replan(tap(), [4, 2, 5, 1])
    hand = game.sheet().open_hand
    assert (hand.cards, hand.trump) == (4, Trump.HEARTS)
    with pytest.raises(RulesError):
        game.replan(tap(), [])


@pytest.mark.parametrize(("verb", "fact"), [("take", "took"), ("count", "tally")])
def test_tricks_noted_too_early_go_with_a_deal_of_another_size(table, verb, fact):
    """Six tricks of thirteen are none of a deal of two; under a plan that leaves the deal alone they stay."""
    game = table(FOUR, (13, 1), DMITRI)
    getattr(game, verb)(tap(), 1, ADA, 6, was=None)
    for coming, left in (([13, 2], 6), ([2, 2], None)):
        game.replan(tap(), coming)
        hand = game.sheet().open_hand
        assert (hand.cards, getattr(hand, fact)[ADA]) == (coming[0], left)
    game.void(tap(), 1)
    assert imported(game).sheet().hands[0].is_void


def test_one_more_hand_after_the_end(game):
    """A finished game goes on when hands are added, and the stored places are gone until its new end."""
    play_late(game)
    play_on(game, 3)
    assert game.finished
    game.replan(tap(), [2])
    assert (game.finished, game.row.seats[0].place, game.sheet().open_hand.number) == (None, None, 4)
    play_on(game, 4)
    assert game.finished


def test_a_game_beyond_its_plan_is_planned_anew(table):
    """Where the last size goes on until the target, the coming hands follow those that were played."""
    game = table(FOUR, (2,), target=10_000)
    play_on(game, 3)
    game.replan(tap(), [5, 4])
    play_on(game, 5)
    assert [hand.cards for hand in game.sheet().played] == [2, 2, 2, 5, 4]
    assert imported(game).sheet().rows == game.sheet().rows


def test_a_game_ends_and_is_taken_up_again(game):
    """The open hand waits as it was; a hand cannot be settled in between."""
    stood = game.sheet()
    game.end(tap())
    assert game.finished
    with pytest.raises(Stale):
        game.score(tap(), 2, dict.fromkeys(range(4), 0), was={})
    game.reopen(tap())
    assert (game.finished, game.sheet()) == (None, stood)


def test_a_finished_game_cannot_be_ended_early(table):
    """Its plan was played out, and so it stays."""
    game = table(FOUR, (1,))
    play_on(game, 1)
    game.end(tap())
    assert game.sheet().outcome.ending is Ending.PLAN_FINISHED


# Names


def test_a_player_is_renamed_everywhere(book, game):
    """Every sheet shows the new name, unless somebody has it."""
    book.rename(book.player("Ada"), "Adele")
    assert Sitting.find(game.code).sheet().names[ADA] == "Adele"
    with pytest.raises(RulesError, match="in the book already"):
        book.rename(book.player("Bruno"), "adele")


def test_two_names_of_one_person_are_merged_and_parted(book, table, game):
    """Games of both names show the person, who has one seat at a table; parted they are two again."""
    other = table(("Adele", "Farid"), (1,))
    book.merge(book.player("Adele"), book.player("Ada"))
    db.session.commit()
    other = Sitting.find(other.code)
    assert other.sheet().names == ("Ada", "Farid")
    for verb in (
        lambda: other.join(tap(), "Ada", 0, 0, ""),
        lambda: other.hand_seat_to(tap(), 1, "Adele"),
        lambda: table(("Ada", "Adele"), (1,)),
    ):
        with pytest.raises(RulesError, match="at the table already"):
            verb()
        db.session.rollback()
    book.part(other.row.seats[0].player)
    db.session.commit()
    assert Sitting.find(other.code).sheet().names == ("Adele", "Farid")


def test_names_that_met_are_two_people(book, table, game):
    """They cannot be merged, not even by way of a third name."""
    table(("Adele", "Farid"), (1,))
    table(("Adi", "Farid"), (1,))
    book.merge(book.player("Adele"), book.player("Ada"))
    book.merge(book.player("Adi"), book.player("Ada"))
    db.session.commit()
    with pytest.raises(RulesError, match="sat at one table"):
        book.merge(book.player("Farid"), book.player("Ada"))
    with pytest.raises(RulesError, match="sat at one table"):
        book.merge(book.player("Bruno"), book.player("Ada"))


def test_undo_does_not_seat_one_person_twice(book, game):
    """A seat was handed on, the two were found to be one: the old holder cannot come back beside herself."""
    game.hand_seat_to(tap(), BRUNO, "Farid")
    db.session.commit()
    book.merge(book.player("Bruno"), book.player("Ada"))
    db.session.commit()
    with pytest.raises(RulesError, match="at the table already"):
        game.undo(tap(), game.last_step().id)


# Export


def test_an_evening_of_everything_goes_into_another_book(table):
    """Joins, leaves, misdeals, hands sat out, swaps, dealers put right and penalties come back as the same sheet."""
    game = table(FOUR, (3, 2, 3, 2, 3))
    play_on(game, 1)
    game.join(tap(), "Eline", ADA, 5, "a late start")
    game.void(tap(), 2)
    swap(game, ADA, DMITRI)
    play_on(game, 2)
    game.leave(tap(), BRUNO)
    game.put_dealer(tap(), 3, ELINE, was=game.sheet().open_hand.dealer)
    game.sit_out(tap(), CHIARA, out=True)
    play_on(game, 3)
    game.adjust(tap(), 2, ADA, -10, "talked")
    game.join(tap(), "Bruno", ELINE, 0, "")
    swap(game, BRUNO, CHIARA)
    db.session.commit()
    sheet, other = game.sheet(), imported(game).sheet()
    assert (other.rows, other.totals, other.places) == (sheet.rows, sheet.totals, sheet.places)
    assert [hand.table for hand in other.hands] == [hand.table for hand in sheet.hands]
    assert other.open_hand.dealer == sheet.open_hand.dealer
    play_on(game, 5)
    assert imported(game).sheet().rows == game.sheet().rows
