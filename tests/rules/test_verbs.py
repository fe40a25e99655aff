"""The verbs of the table as pure changes of one value: what they leave alone, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules import verbs
from rules.bidding import IllegalBid
from rules.plan import MOST_PLAYERS
from rules.problem import RulesError
from rules.sheet import Sheet
from rules.variants import classic
from rules.verbs import Facts, Stale

ADA, BRUNO, CHIARA, DMITRI = range(4)


@pytest.fixture
def game():
    """Four players at a hand of five cards, dealt by Dmitri."""
    sheet = Sheet(replace(classic(), hook=False), ("Ada", "Bruno", "Chiara", "Dmitri"), (5, 4))
    return replace(sheet, hands=(sheet.first_hand(DMITRI),))


def bid(game, *bids):
    """Everybody bids, in seat order."""
    for seat, each in enumerate(bids):
        game = verbs.bid(game, 1, seat, each, was=None)
    return game


def play(game, bids, took):
    """The first hand, to its end."""
    game = verbs.hand_over(bid(game, *bids), 1)
    return verbs.score(game, 1, dict(enumerate(took)), was={}, confirmed=True)


def test_a_verb_changes_nothing_that_it_was_given(game):
    """The game before is still there, and every hand that the verb is not about is the very same object."""
    scored = play(game, (2, 1, 1, 0), (2, 1, 1, 1))
    following = replace(scored, hands=(*scored.hands, scored.next_hand()))
    rows = following.rows
    after = verbs.bid(following, 2, ADA, 3, was=None)
    assert following.hands[1].bids[ADA] is None
    assert after.hands[1].bids[ADA] == 3
    assert after.hands[0] is following.hands[0]
    assert after.rows is rows
    assert after.rows == replace(after).rows


def test_where_only_the_totals_are_known_there_are_no_hands_to_come(game):
    """Nobody could say what a hand after them adds to."""
    known = replace(game, hands=(), given=(50, 7, 3, 0))
    with pytest.raises(RulesError, match="totals only"):
        verbs.replan(known, (2, 1))


def test_what_is_there_already_changes_nothing(game):
    """The same bid again, an even table where none must bid again, tricks that stand: the very same game."""
    game = bid(game, 2, 1, 1, 0)
    assert verbs.bid(game, 1, ADA, 2, was=None) is game
    assert verbs.rebid(game, 1) is game
    assert verbs.take(verbs.take(game, 1, ADA, 3, was=None), 1, ADA, 3, was=1).hands[0].took[ADA] == 3
    assert verbs.hand_over(verbs.hand_over(game, 1), 1).hands[0].is_over
    assert verbs.leave(verbs.leave(game, ADA), ADA).hands[0].table == (BRUNO, CHIARA, DMITRI)


def test_a_fact_that_changed_meanwhile_is_stale(game):
    """Whoever saw another value hears of it, with what stands there now and what came."""
    game = bid(game, 2, 1, 1, 0)
    with pytest.raises(Stale) as conflict:
        verbs.bid(game, 1, BRUNO, 3, was=0)
    assert (conflict.value.what, conflict.value.stored, conflict.value.sent) == ("bid", 1, 3)
    for verb in (
        lambda: verbs.count(verbs.count(game, 1, ADA, 1, was=None), 1, ADA, 3, was=2),
        lambda: verbs.put_dealer(game, 1, ADA, was=BRUNO),
        lambda: verbs.swap(game, ADA, BRUNO, was=(CHIARA, ADA, BRUNO, DMITRI)),
        lambda: verbs.void(game, 1, seen=1),
        lambda: verbs.bid(game, 2, ADA, 1, was=None),
        lambda: verbs.hand_over(verbs.end(play(game, (), (2, 1, 1, 1))), 1),
    ):
        with pytest.raises(Stale):
            verb()


def test_fewer_cards_than_tricks_tallied_forget_the_tally(game):
    """A hand that is found to be smaller than what was tapped while it was played begins its count anew."""
    game = bid(game, 1, 1, 1, 0)
    for seat in (ADA, BRUNO, CHIARA):
        game = verbs.count(game, 1, seat, 1, was=None)
    seen = Facts.of(game.hands[0])
    right = verbs.correct(game, 1, replace(seen, cards=2), was=seen, confirmed=True)
    assert right.hands[0].tally == (None,) * 4
    assert (right.hands[0].cards, right.plan) == (2, (2, 4))


def test_what_no_table_can_mean_is_refused(game):
    """A dealer who has gone, a thirteenth player, a seat that is none, a hand that was never dealt."""
    gone = verbs.leave(game, ADA)
    seen = Facts.of(gone.hands[0])
    with pytest.raises(RulesError, match="Ada is not at the table"):
        verbs.correct(gone, 1, replace(seen, dealer=ADA), was=seen)
    full = replace(game, rules=replace(game.rules, players=(2, 12)))
    for number in range(len(game.names), MOST_PLAYERS):
        full = verbs.join(full, f"Player {number}", None, ADA, 0, "", fits=True)
    with pytest.raises(RulesError, match="may have"):
        verbs.join(full, "One more", None, ADA, 0, "", fits=True)
    with pytest.raises(RulesError, match="no such seat"):
        verbs.take_over(game, 4, "Eline")
    with pytest.raises(IllegalBid):
        verbs.bid(verbs.sit_out(game, ADA, out=True), 1, ADA, 1, was=None)
    with pytest.raises(LookupError):
        game.with_hand(replace(game.hands[0], number=7))
