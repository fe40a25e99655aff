"""Every verb in every order, by two keepers who see each other's taps late: nothing is lost, doubled or unpaid."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import event, select

from app import create_app
from codes import new_key
from database import Base, db
from log import Act, Change
from models import Book
from rules import record
from rules.plan import Direction
from rules.problem import RulesError
from rules.scoring import Scoring
from rules.sheet import Sheet
from rules.variants import Trump, TrumpMethod, classic
from rules.verbs import Facts, NeedsConfirming, Stale
from sitting import Sitting

RUNS = int(os.environ.get("STATEFUL_RUNS", "12"))
STEPS = int(os.environ.get("STATEFUL_STEPS", "40"))
"""How many games are walked through, and how many taps each has. The long run takes 2000 of 50."""

STEADY = "STATEFUL_RUNS" not in os.environ
"""The short run walks through the same games each time; the long one looks for new ones."""

PHASES = (Phase.generate, Phase.shrink) if os.environ.get("STATEFUL_SHRINK") else (Phase.generate,)
"""A failure is told as it was found; STATEFUL_SHRINK=1 looks minutes long for the shortest way to it."""

START = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)
NAMES = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Farid", "Greta")
EXACT = (Scoring(made="10 + bid", missed="0"), lambda bid, took: 10 + bid if bid == took else 0)
BASIC = (Scoring(made="10 + tricks", missed="tricks"), lambda bid, took: took + 10 * (bid == took))
SMALL = st.integers(0, 13)
SEATS = st.integers(0, 6)
CUTS = st.lists(st.integers(0, 7), min_size=6, max_size=6)


class Evening(RuleBasedStateMachine):
    """One game, its verbs as the rules, and what must hold whatever was tapped."""

    @initialize(
        players=st.integers(2, 5),
        scoring=st.sampled_from((EXACT, BASIC)),
        hook=st.booleans(),
        goal=st.sampled_from((0, 0, 45)),
        direction=st.sampled_from(Direction),
        trump=st.sampled_from((TrumpMethod.TURNED, TrumpMethod.ROTATION, TrumpMethod.AUCTION)),
        plan=st.lists(st.integers(1, 7), min_size=1, max_size=4),
    )
    def sit_down(self, players, scoring, hook, goal, direction, trump, plan):
        """A table agrees on its rules and deals."""
        self.context = self.app.app_context()
        self.context.push()
        formulas, self.points = scoring
        rules = replace(
            classic(),
            scoring=formulas,
            hook=hook,
            target=goal,
            direction=direction,
            trump=trump,
            rotation=(Trump.SPADES, Trump.HEARTS),
            players=(2, 12),
        )
        book = Book.start(new_key(), START)
        self.at = START
        self.game = book.start_game(NAMES[:players], rules, players - 1, self.act(), plan=plan)
        db.session.commit()
        self.dumps = [self.dump()]
        self.undone = []
        self.seen = self.game.sheet()
        self.asked = set()
        self.last_tap = None

    def teardown(self):
        """Take everything back to the first deal and do it all again."""
        if not hasattr(self, "game"):
            return
        try:
            self.check_import()
            back = 0
            while step := Change.last_of(self.game.id):
                self.go_back(step)
                back += 1
            assert len(self.dumps) == 1
            for _ in range(back):
                self.go_forth(self.game.next_step())
        finally:
            db.session.rollback()
            for table in reversed(Base.metadata.sorted_tables):
                db.session.execute(table.delete())
            db.session.commit()
            db.session.remove()
            self.context.pop()

    # Taps

    def act(self):
        """A tap like no other, some seconds later."""
        self.at += timedelta(seconds=20)
        return Act(new_key(), self.at)

    def seat(self, number):
        """One of the seats there are, or now and then one more."""
        return number % (len(self.game.row.seats) + 1)

    def seen_by(self, late):
        """The sheet that a keeper looks at: as it is, or as it was when the other one last looked."""
        return self.seen if late else self.game.sheet()

    def do(self, verb, *, asking="confirmed", yes=False, **known):
        """One tap through a verb. What is refused leaves no trace, what is done can be sent again."""
        stood, act = self.dump(), self.act()
        version = self.game.version

        def tap(**more):
            verb(act, **known, **more)
            db.session.commit()
            self.game = Sitting.find(self.game.code)

        try:
            try:
                tap()
            except NeedsConfirming as question:
                db.session.rollback()
                assert self.dump() == stood
                if not yes:
                    return False
                if question.what in ("hook", "correction"):
                    self.asked.update(hand.number for hand in self.game.sheet().hands)
                tap(**{asking: True})
        except (RulesError, Stale):
            db.session.rollback()
            assert self.dump() == stood
            return False
        if (now := self.dump()) == stood:
            assert self.game.version == version
            return True
        self.dumps.append(now)
        self.undone.clear()
        self.last_tap = lambda: verb(act, **known)
        return True

    @rule()
    def look(self):
        """The keeper who is late looks again."""
        self.seen = self.game.sheet()

    @precondition(lambda self: self.last_tap is not None)
    @rule()
    def send_again(self):
        """The last tap arrives once more."""
        stood, version = self.dump(), self.game.version
        self.last_tap()
        db.session.commit()
        assert (self.dump(), self.game.version) == (stood, version)

    # The hand

    @rule(seat=SEATS, bid=SMALL, late=st.booleans(), blind=st.booleans(), yes=st.booleans())
    def bid(self, seat, bid, late, blind, yes):
        """Anybody bids, or changes a bid."""
        hand = self.seen_by(late).open_hand
        if hand is None or seat >= len(hand.bids):
            return
        stored = self.game.sheet().hand(hand.number)
        # What the phone saw may have had more seats: somebody's joining was undone since.
        there = stored is not None and seat < len(stored.bids)
        was, before = hand.bids[seat], stored.bids[seat] if there else None
        done = self.do(
            lambda act, **known: self.game.bid(act, hand.number, seat, bid, was=was, blind=blind, **known),
            asking="insist",
            yes=yes,
        )
        assert not done or before in (was, bid), "A bid was overwritten unseen."

    @rule(bids=st.lists(SMALL, min_size=7, max_size=7), cuts=CUTS, whole=st.booleans())
    def play(self, bids, cuts, whole):
        """The table bids in turn and, mostly, plays the hand out, as it usually does."""
        hand = self.game.sheet().open_hand
        if hand is None:
            return
        for seat in self.game.sheet().bidding(hand).missing:
            legal = self.game.sheet().bidding(self.game.sheet().open_hand).legal_bids(seat)
            bid = legal[bids[seat] % len(legal)]
            assert self.do(
                lambda act, seat=seat, bid=bid: self.game.bid(act, hand.number, seat, bid, was=None)
            )
        if whole:
            assert self.do(lambda act: self.game.hand_over(act, hand.number))
            self.score(cuts, late=False, uneven=False)

    @rule(trump=st.sampled_from(Trump), seat=SEATS, late=st.booleans())
    def name_trump(self, trump, seat, late):
        """Somebody says what is trump."""
        hand = self.seen_by(late).open_hand
        if hand is not None:
            by = seat if self.game.sheet().rules.trump is TrumpMethod.AUCTION else None
            self.do(
                lambda act: self.game.name_trump(
                    act, hand.number, trump, was=hand.trump, named_by=by if by in hand.playing else None
                )
            )

    @rule(seat=SEATS, tricks=SMALL, late=st.booleans())
    def count(self, seat, tricks, late):
        """A trick is tallied."""
        hand = self.seen_by(late).open_hand
        if hand is not None and seat < len(hand.tally):
            self.do(lambda act: self.game.count(act, hand.number, seat, tricks, was=hand.tally[seat]))

    @rule(late=st.booleans())
    def hand_over(self, late):
        """The last trick is played."""
        if (hand := self.seen_by(late).open_hand) is not None:
            self.do(lambda act: self.game.hand_over(act, hand.number))

    @rule(seat=SEATS, took=SMALL, late=st.booleans())
    def take(self, seat, took, late):
        """The tricks of one player are noted."""
        hand = self.seen_by(late).open_hand
        if hand is not None and seat < len(hand.took):
            self.do(lambda act: self.game.take(act, hand.number, seat, took, was=hand.took[seat]))

    @rule(cuts=CUTS, late=st.booleans(), uneven=st.booleans())
    def settle(self, cuts, late, uneven):
        """The hand is settled, now and then with tricks that are meant not to add up."""
        self.score(cuts, late=late, uneven=uneven)

    def score(self, cuts, *, late, uneven):
        """Give the tricks of a hand to those who play it."""
        hand = self.seen_by(late).open_hand
        if hand is None:
            return
        edges = [0, *sorted(min(cut, hand.cards) for cut in cuts[: len(hand.playing) - 1]), hand.cards]
        took = {seat: edges[at + 1] - edges[at] for at, seat in enumerate(hand.playing)}
        if uneven:
            took[hand.playing[0]] = cuts[0] % (hand.cards + 1)
        was = {seat: hand.took[seat] for seat in hand.playing}
        done = self.do(
            lambda act, **known: self.game.score(act, hand.number, took, was=was, uneven=uneven, **known),
            yes=True,
        )
        assert not done or self.game.sheet().hand(hand.number).is_closed

    @rule(late=st.booleans())
    def void(self, late):
        """A misdeal."""
        if (hand := self.seen_by(late).open_hand) is not None:
            self.do(lambda act: self.game.void(act, hand.number))

    @rule(seat=SEATS, late=st.booleans())
    def put_dealer(self, seat, late):
        """Somebody else dealt."""
        if (hand := self.seen_by(late).open_hand) is not None:
            self.do(lambda act: self.game.put_dealer(act, hand.number, seat, was=hand.dealer))

    # Corrections

    @rule(
        at=SMALL,
        what=st.sampled_from(("bids", "took", "took", "cards", "dealer", "trump", "two")),
        seat=SEATS,
        number=st.one_of(st.none(), SMALL),
        late=st.booleans(),
        yes=st.booleans(),
    )
    def correct(self, at, what, seat, number, late, yes):
        """A fact of any hand is put right, even to what cannot be."""
        sheet = self.seen_by(late)
        hands = [hand for hand in sheet.hands if not hand.is_void]
        if not hands:
            return
        hand = hands[at % len(hands)]
        was = Facts.of(hand)
        seat = hand.table[seat % len(hand.table)]
        match what:
            case "cards":
                facts = replace(was, cards=number or 0)
            case "dealer":
                facts = replace(was, dealer=seat)
            case "trump":
                facts = replace(was, trump=list(Trump)[number % 5] if number is not None else None)
            case "two":
                facts = replace(was, took={**was.took, seat: number}, bids={**was.bids, seat: number})
            case _:
                facts = replace(was, **{what: {**getattr(was, what), seat: number}})
        now = self.game.sheet().hand(hand.number)
        stored = now and Facts.of(now).items()
        done = self.do(
            lambda act, **known: self.game.correct(act, hand.number, facts, was=was, **known), yes=yes
        )
        if done:
            corrected, seen = Facts.of(self.game.sheet().hand(hand.number)).items(), was.items()
            sent = {key: fact for key, fact in facts.items().items() if fact != seen.get(key)}
            assert {key for key in corrected if corrected[key] != stored[key]} <= sent.keys()
            assert all(stored.get(key) in (seen.get(key), fact) for key, fact in sent.items())

    @rule(at=SMALL, seat=SEATS, points=st.integers(-30, 30))
    def adjust(self, at, seat, points):
        """A penalty or a bonus."""
        seat = self.seat(seat)
        number = at % len(self.game.row.hands) + 1
        self.do(lambda act: self.game.adjust(act, number, seat, points, "for that"))

    @rule(at=SMALL)
    def drop_adjustment(self, at):
        """It is taken away again."""
        if given := self.game.row.adjustments:
            adjustment = given[at % len(given)].id
            self.do(lambda act: self.game.drop_adjustment(act, adjustment))

    # The table

    @rule(name=st.sampled_from(NAMES), after=SEATS, points=st.integers(-5, 20), yes=st.booleans())
    def join(self, name, after, points, yes):
        """Somebody comes, or comes back."""
        after = self.seat(after)
        self.do(
            lambda act, **known: self.game.join(act, name, after, points, "a late start", **known),
            asking="fits",
            yes=yes,
        )

    @rule(seat=SEATS)
    def leave(self, seat):
        """Somebody goes."""
        seat = self.seat(seat)
        if self.do(lambda act: self.game.leave(act, seat)):
            self.allow_even()

    @rule(seat=SEATS, out=st.booleans())
    def sit_out(self, seat, out):
        """Somebody sits a hand out, or not."""
        seat = self.seat(seat)
        if self.do(lambda act: self.game.sit_out(act, seat, out=out)):
            self.allow_even()

    def allow_even(self):
        """Whoever goes while bids are down may leave an even table behind."""
        self.asked.add(self.game.sheet().hands[-1].number)

    @rule(seat=SEATS, other=SEATS, late=st.booleans())
    def swap(self, seat, other, late):
        """Two change seats."""
        hand, seat, other = self.seen_by(late).open_hand, self.seat(seat), self.seat(other)
        if hand is not None:
            self.do(lambda act: self.game.swap(act, seat, other, was=hand.table))

    @rule(seat=SEATS, name=st.sampled_from(NAMES))
    def hand_seat_to(self, seat, name):
        """Another person plays on."""
        seat = self.seat(seat)
        self.do(lambda act: self.game.hand_seat_to(act, seat, name))

    # How long

    @rule(coming=st.lists(st.integers(1, 14), max_size=4))
    def replan(self, coming):
        """The coming hands become others, fewer or more."""
        self.do(lambda act: self.game.replan(act, coming))

    @rule(seldom=st.integers(0, 4))
    def end(self, seldom):
        """The table stops."""
        if not seldom:
            self.do(self.game.end)

    @rule()
    def reopen(self):
        """The table goes on."""
        self.do(self.game.reopen)

    # Back and forth

    def go_back(self, step):
        """Take a step back: everything is as it was before it."""
        self.game.undo(self.act(), step.id)
        db.session.commit()
        self.undone.append(self.dumps.pop())
        assert self.dump() == self.dumps[-1]

    def go_forth(self, step):
        """Do it again: everything is as it was after it."""
        self.game.redo(self.act(), step.id)
        db.session.commit()
        self.dumps.append(self.undone.pop())
        assert self.dump() == self.dumps[-1]

    @rule(steps=st.integers(1, 4))
    def undo(self, steps):
        """Some steps are taken back."""
        for _ in range(steps):
            if step := Change.last_of(self.game.id):
                self.go_back(step)
                self.last_tap = None

    @rule(steps=st.integers(1, 4))
    def redo(self, steps):
        """Some are done again."""
        for _ in range(steps):
            if step := self.game.next_step():
                self.go_forth(step)
                self.last_tap = None

    # What must hold

    def dump(self):
        """All rows of the game that say what is true of it, and what is stored of its end."""
        db.session.flush()
        tables = Base.metadata.tables
        game = tables["game"]
        columns = (game.c.plan, game.c.ended_early, game.c.finished.is_not(None))
        rows = {"game": db.session.execute(select(*columns)).all()}
        for name in ("seat", "hand", "entry", "adjustment"):
            rows[name] = db.session.execute(select(tables[name]).order_by(tables[name].c.id)).all()
        return rows

    @invariant()
    def memory_agrees(self):
        """The game that is kept in memory is the one in the rows, whoever asks for it."""
        stored = Sitting.fresh(self.game.code).kept
        assert self.game.kept == stored
        assert Sitting.find(self.game.code).kept == stored

    @invariant()
    def stored_end_agrees(self):
        """Totals and places are stored exactly when the game is over."""
        sheet = self.game.sheet()
        assert (self.game.finished is not None) == bool(sheet.outcome)
        for seat in self.game.row.seats:
            stored = (sheet.totals[seat.number], sheet.places[seat.number]) if sheet.outcome else (None, None)
            assert (seat.total, seat.place) == stored
        assert sheet.outcome or sheet.open_hand, "A game that is not over has a hand to play."
        assert sum(not hand.is_closed and not hand.is_void for hand in sheet.hands) <= 1

    @invariant()
    def nothing_wrong_unasked(self):
        """Whatever breaks the rules was confirmed, and uneven tricks are marked."""
        sheet = self.game.sheet()
        for trouble in sheet.problems():
            place, _, what = trouble.place.partition(".")
            hand = sheet.hands[int(place[6:-1])]
            assert what in ("bids", "tricks", "cards")
            assert hand.number in self.asked or (what == "tricks" and hand.is_uneven)
        assert all(hand.is_uneven == (hand.tricks_taken != hand.cards) for hand in sheet.played)

    @invariant()
    def record_tells_the_same(self):
        """The exported record adds up to the totals by plain arithmetic, and reads back as the same sheet."""
        sheet = self.game.sheet()
        written = json.loads(json.dumps(record.write(self.game.row.record())))
        totals = [0] * len(sheet.names)
        for hand in written["hands"]:
            if not hand.get("voided"):
                for seat, (bid, took) in enumerate(zip(hand["bids"], hand["tricks"], strict=True)):
                    totals[seat] += 0 if bid is None else self.points(bid, took)
        for each in written.get("adjustments", ()):
            totals[written["players"].index(each["player"])] += each["points"]
        assert tuple(totals) == sheet.totals
        places = [1 + sum(other > total for other in totals) for total in totals]
        assert tuple(places) == sheet.places
        again = record.read(written)
        assert again.disagreements() == ()
        assert past(again.sheet) == past(sheet)
        if sheet.open_hand and not again.sheet.outcome:
            assert again.table == sheet.open_hand.table

    def check_import(self):
        """Another book that takes the record has the same past, and the same place to go on from."""
        sheet = self.game.sheet()
        written = json.loads(json.dumps(record.write(self.game.row.record())))
        other = Book.start(new_key(), self.at).keep_record(record.read(written), self.at)
        db.session.commit()
        taken = other.sheet()
        assert past(taken) == past(sheet)
        if sheet.open_hand and taken.open_hand:
            assert (taken.open_hand.number, taken.open_hand.table) == (
                sheet.open_hand.number,
                sheet.open_hand.table,
            )
        assert bool(taken.outcome) >= bool(sheet.outcome)
        db.session.delete(other)
        db.session.commit()


def past(sheet: Sheet):
    """What of a sheet is settled, without what nobody keeps: tallies, and who named a trump and sat out then."""
    hands = tuple(
        replace(
            hand, tally=(), is_over=True, named_by=hand.named_by if hand.named_by in hand.playing else None
        )
        for hand in sheet.hands
        if hand.is_closed or hand.is_void
    )
    return hands, sheet.names, sheet.plan, sheet.adjustments, sheet.totals, sheet.places


@pytest.fixture(scope="module")
def scorebook(tmp_path_factory):
    """The app on an SQLite database of its own, which need not outlive a power cut."""
    app = create_app({"TESTING": True, "DATA_FOLDER": tmp_path_factory.mktemp("evenings")})
    assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
    with app.app_context():
        db.engine.dispose()
        event.listen(
            db.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous = OFF")
        )
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.mark.target("T6")
@pytest.mark.timeout(0)
def test_any_evening_keeps_its_score(scorebook, figure):
    """Whatever two keepers tap in whatever order, the score is right, one tap is one, and undo is exact."""
    Evening.app = scorebook
    run_state_machine_as_test(
        Evening,
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            phases=PHASES,
        ),
    )
    figure(f"T6: {RUNS:,} evenings of {STEPS} taps: totals as computed anew from the facts, each undo exact")
