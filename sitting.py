"""One game at its table, and the verbs that change it.

`rules.verbs` says what a verb does to the game as a value, `kept` writes down what differs then, and that lies in the
log as the steps of a `Change`, so that it can be undone exactly. A tap has its effect once, however often it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, select
from sqlalchemy.exc import IntegrityError

from codes import hashed, is_code
from database import LOCK, db
from kept import Kept, Step, is_written, memory, read, remember_later, results, table_of, update_of, write
from log import Act, Change, do_again, has, has_undone, last_step, note, past, take_back
from rules import names, verbs
from rules.problem import RulesError, problem
from rules.results import scored_as
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Trump
from rules.verbs import About, Facts, NeedsConfirming, Stale

if TYPE_CHECKING:
    from models import Book, Game

SEEN_EVERY = timedelta(hours=1)
"""When a phone was last seen is written down no more often than this."""


@dataclass(frozen=True)
class Writer:
    """The phone that looks, where it may write: the row of its right, and when it was last seen."""

    id: int
    seen: datetime

    def note(self, at: datetime) -> None:
        """The phone writes: remember when, roughly."""
        if at - self.seen > SEEN_EVERY:
            db.session.connection().execute(update_of("keeper"), {"row": self.id, "seen": at})


class Sitting:
    """A game that somebody has opened, and the verbs of the table.

    Each verb takes an `Act` (which tap, by whom, when), logs what it did, deals the hand that follows, and raises what
    its namesake in `rules.verbs` does; nothing has changed then.
    """

    def __init__(self, row: Row[Any], kept: Kept) -> None:
        self.kept = kept
        self.id: int = row.id
        self.code: str = row.code
        self.version: int = row.version
        self.book_code: str = row.book_code
        self.is_book_shared: bool = row.is_shared
        self.started: datetime = row.started
        self.finished: datetime | None = row.finished
        self.deleted: datetime | None = row.deleted
        self.names_in_previews: bool = row.names_in_previews
        self.watch_code: str | None = row.watch_code
        self.keeper = Writer(row.keeper_id, row.seen) if row.keeper_id else None
        self._scored_as: str | None = row.scored_as

    @classmethod
    def find(cls, code: str, *, phone: str | None = None, writing: bool = False) -> Sitting | None:
        """The game at an address, and as `keeper` the right of that phone. For writing it is locked until the end."""
        if not is_code(code):
            return None
        asked = {"code": code, "phone": hashed(phone) if phone else ""}
        while (row := _ask(asked, writing=writing)) is not None:
            stamp = (row.version, row.touched)
            if (kept := memory.get(code, stamp)) is not None:
                return cls(row, kept)
            kept = _read(row.id)
            # Somebody may have saved between the first question and the last: then all are asked once more.
            now = _ask(asked, writing=writing)
            if now is not None and (now.version, now.touched) == stamp:
                memory.put(code, stamp, kept)
                return cls(row, kept)
        return None

    @classmethod
    def fresh(cls, code: str) -> Sitting:
        """A game that was only just made, and that nobody else can see yet. Raises LookupError for none."""
        asked = {"code": code, "phone": ""}
        row = db.session.connection().execute(_opened(writing=False), asked).one_or_none()
        if row is None:
            raise LookupError(code)
        return cls(row, _read(row.id))

    @property
    def row(self) -> Game:
        """The row of the game, with what hangs on it, as stored now."""
        from models import Game

        db.session.flush()
        return db.session.get_one(Game, self.id, populate_existing=True)

    @property
    def book(self) -> Book:
        """The row of its book."""
        return self.row.book

    @property
    def about(self) -> About:
        """What is told of the evening."""
        return self.kept.about

    @property
    def given(self) -> list[tuple[int, Adjustment]]:
        """The points outside the hands, each with its row."""
        return list(zip(self.kept.adjustments, self.kept.sheet.adjustments, strict=True))

    @property
    def is_untouched(self) -> bool:
        """Whether nothing but the trump of its first hand was said: such a game can still be set up otherwise."""
        sheet = self.kept.sheet
        one = len(sheet.hands) == 1 and all(bid is None for bid in sheet.hands[0].bids)
        return one and not sheet.adjustments

    def sheet(self) -> Sheet:
        """The whole game as the rules see it."""
        return self.kept.sheet

    # One hand through its phases

    def name_trump(
        self, act: Act, number: int, trump: Trump, *, was: Trump | None, named_by: int | None = None
    ) -> None:
        """Say what is trump in the open hand, and who won the auction for it where there is one."""
        tap = Tap(act, "trump", number, named_by, trump)
        self._play(tap, verbs.name_trump, number, trump, was=was, named_by=named_by)

    def bid(self, act: Act, number: int, seat: int, bid: int, **more: Any) -> None:
        """Note a bid in the open hand, or change one."""
        tap = Tap(act, "bid", number, seat, [bid, more.get("blind", False)])
        self._play(tap, verbs.bid, number, seat, bid, **more)

    def rebid(self, act: Act, number: int) -> None:
        """Take all bids of the open hand back, because they came out even and the table bids again."""
        self._play(Tap(act, "rebid", number), verbs.rebid, number)

    def count(self, act: Act, number: int, seat: int, tricks: int, *, was: int | None) -> None:
        """Tally tricks while the hand is played."""
        self._play(Tap(act, "tally", number, seat, tricks), verbs.count, number, seat, tricks, was=was)

    def hand_over(self, act: Act, number: int) -> None:
        """The last trick of the open hand is played."""
        self._play(Tap(act, "over", number), verbs.hand_over, number)

    def take(self, act: Act, number: int, seat: int, took: int, *, was: int | None) -> None:
        """Note the tricks of one player; the hand stays open."""
        self._play(Tap(act, "took", number, seat, took), verbs.take, number, seat, took, was=was)

    def score(self, act: Act, number: int, took: Mapping[int, int], **more: Any) -> None:
        """Settle the tricks of the open hand; the next one is dealt."""
        self._play(Tap(act, "score", number, None, sorted(took.items())), verbs.score, number, took, **more)

    # Putting things right

    def correct(self, act: Act, number: int, facts: Facts, *, was: Facts, confirmed: bool = False) -> None:
        """Put the facts of a hand right, of a closed one too. Later hands keep theirs; all points follow."""
        tap = Tap(act, "correct", number, None, sorted(map(str, facts.items().items())))
        self._play(tap, verbs.correct, number, facts, was=was, confirmed=confirmed)

    def void(self, act: Act, number: int, *, seen: int | None = None) -> None:
        """A misdeal: the open hand counts nothing, and the same dealer deals it again."""
        self._play(Tap(act, "void", number), verbs.void, number, seen=seen)

    def put_dealer(self, act: Act, number: int, seat: int, *, was: int) -> None:
        """Put right who deals the open hand; the deal goes on from there."""
        self._play(Tap(act, "dealer", number, seat), verbs.put_dealer, number, seat, was=was)

    def adjust(self, act: Act, number: int, seat: int, points: int, reason: str) -> None:
        """A penalty or a bonus outside the hands, from hand `number` on."""
        tap = Tap(act, "adjust", number, seat, [points, reason])
        self._play(tap, verbs.adjust, number, seat, points, reason)

    def drop_adjustment(self, act: Act, adjustment_id: int) -> None:
        """Take a penalty or a bonus away again, the one of that row; nothing where it has gone already."""

        def drop(sheet: Sheet) -> Sheet:
            if adjustment_id not in self.kept.adjustments:
                return sheet
            return verbs.drop_adjustment(sheet, self.kept.adjustments.index(adjustment_id))

        self._play(Tap(act, "unadjust", 0, None, adjustment_id), drop)

    # Who sits at the table

    def join(self, act: Act, name: str, after: int, points: int, reason: str, *, fits: bool = False) -> None:
        """Seat a player after another, with points to start from; somebody who left may come back."""

        def seated(kept: Kept) -> Kept:
            player = self.book.player(name)
            db.session.flush()
            seat = kept.persons.index(player.id) if player.id in kept.persons else None
            sheet = verbs.join(kept.sheet, player.name, seat, after, points, reason, fits=fits)
            if seat is not None:
                return replace(kept, sheet=sheet)
            return replace(
                kept,
                sheet=sheet,
                players=(*kept.players, player.id),
                persons=(*kept.persons, player.id),
            )

        self._do(Tap(act, "join", None, after, [names.key(name), points]), seated)

    def leave(self, act: Act, seat: int) -> None:
        """A player goes: out of the open hand and of all that come, but not out of the list."""
        self._play(Tap(act, "leave", None, seat), verbs.leave, seat)

    def sit_out(self, act: Act, seat: int, *, out: bool) -> None:
        """A player sits the open hand out, or plays it after all."""
        self._play(Tap(act, "sit-out", None, seat, out), verbs.sit_out, seat, out=out)

    def swap(self, act: Act, seat: int, other: int, *, was: Sequence[int]) -> None:
        """Two players swap seats from the open hand on; `was` are the seats around the table as they were seen."""
        self._play(Tap(act, "swap", None, seat, [other, *was]), verbs.swap, seat, other, was=was)

    def hand_seat_to(self, act: Act, seat: int, name: str, *, was: str | None = None) -> None:
        """Another person takes a seat over, with its points. Raises RulesError when that one plays already."""

        def seated(kept: Kept) -> Kept:
            player = self.book.player(name)
            db.session.flush()
            sheet = verbs.take_over(kept.sheet, seat, player.name, was=was)
            if player.id in kept.persons:
                raise RulesError(problem("%(name)s is at the table already", name=player.name))
            return replace(
                kept,
                sheet=sheet,
                players=(*kept.players[:seat], player.id, *kept.players[seat + 1 :]),
                persons=(*kept.persons[:seat], player.id, *kept.persons[seat + 1 :]),
            )

        self._do(Tap(act, "take-over", 0, seat, names.key(name)), seated)

    # How long it goes on

    def replan(
        self, act: Act, coming: Sequence[int], *, was: Sequence[int] | None = None, over: bool | None = None
    ) -> None:
        """Set the sizes of all hands not yet bid for; a finished game goes on if there are any."""
        self._play(Tap(act, "replan", 0, None, list(coming)), verbs.replan, coming, was=was, over=over)

    def end(self, act: Act) -> None:
        """End the game now; the hand that is open counts nothing. A game that is over stays as it is."""
        self._play(Tap(act, "end", 0), verbs.end)

    def reopen(self, act: Act) -> None:
        """Go on with a game that was ended early."""
        self._play(Tap(act, "reopen", 0), verbs.reopen)

    def tell(self, act: Act, told: About, *, was: About) -> None:
        """Write down what the evening was: its name, place and note, and the day."""
        tap = Tap(act, "about", 0, None, told.facts())
        self._do(tap, lambda kept: replace(kept, about=verbs.tell(kept.about, told, was=was)))

    # Back and forth

    def last_step(self) -> Step | None:
        """The step that undo would take back."""
        return self.kept.last

    def next_step(self) -> Change | None:
        """The step that redo would do again."""
        return Change.next_of(self.id)

    def undo(self, act: Act, change_id: int) -> None:
        """Take back the last step, if it is the one meant.

        Raises Stale when something else was done since, or is in the way; RulesError when two seats would be one
        person by now.
        """
        self._back_or_forth(Tap(act, "undo", change_id), Change.last_of(self.id))

    def redo(self, act: Act, change_id: int) -> None:
        """Do the step that was taken back last once more, if it is the one meant.

        Raises Stale when something else was done since, RulesError as `undo` does.
        """
        self._back_or_forth(Tap(act, "redo", change_id), self.next_step())

    def _back_or_forth(self, tap: Tap, step: Change | None) -> None:
        key = tap.act.key(tap.kind, tap.hand)

        def put(connection: Connection) -> None:
            if step is None or step.id != tap.hand:
                raise Stale("step", step and step.id, tap.hand)
            step.is_undone = tap.kind == "undo"
            db.session.flush()
            (take_back if step.is_undone else do_again)(step.steps)
            kept = _read(self.id)
            for seat, person in enumerate(kept.persons):
                if person in kept.persons[:seat]:
                    name = kept.sheet.names[seat]
                    raise RulesError(problem("%(name)s is at the table already", name=name))
            self._log(connection, replace(tap, hand=step.hand, seat=step.seat), key, kept, [])

        try:
            self._once(key, put)
        except IntegrityError:
            # A release before migration 0010 gave the number of one of its rows to another game.
            raise Stale("step", None, tap.hand) from None

    # How a verb is written down

    def deal(self, hand: Hand) -> None:
        """Write down a hand of a game that nobody else can see yet."""
        self.fill(replace(self.kept.sheet, hands=(*self.kept.sheet.hands, hand)))

    def fill(self, sheet: Sheet) -> None:
        """Write down all hands of a game that nobody else can see yet, and what was given outside them."""
        whole = replace(self.kept.sheet, hands=sheet.hands, adjustments=sheet.adjustments)
        self.kept, _ = write(db.session.connection(), self.kept, replace(self.kept, sheet=whole))

    def _play(self, tap: Tap, verb: Callable[..., Sheet], *args: Any, **facts: Any) -> None:
        """Do what concerns the sheet alone."""
        self._do(tap, lambda kept: replace(kept, sheet=verb(kept.sheet, *args, **facts)))

    def _do(self, tap: Tap, verb: Callable[[Kept], Kept]) -> None:
        """Do one thing, deal the hand that follows from it, write both down and log it; once for each tap."""
        key = tap.act.key(tap.kind, tap.hand, tap.seat, tap.value)

        def do(connection: Connection) -> None:
            after = verb(self.kept)
            at_hand = tap
            if tap.hand is None and self.kept.sheet.hands:
                at_hand = replace(tap, hand=self.kept.sheet.hands[-1].number)
            if following := after.sheet.next_hand():
                after = replace(after, sheet=replace(after.sheet, hands=(*after.sheet.hands, following)))
            kept, steps = write(connection, self.kept, after)
            if steps:
                self._log(connection, at_hand, key, kept, steps)

        self._once(key, do)

    def _once(self, key: str, do: Callable[[Connection], None]) -> None:
        """Do what a tap says, unless it has had its effect.

        Hardly any tap comes twice, so the log is asked only where one is refused: by the rules, because its effect is
        there, or by the log itself, which takes each key once. Then the transaction begins anew.
        """
        try:
            do(db.session.connection())
        except (NeedsConfirming, RulesError, Stale):
            if not has(db.session.connection(), self.id, key):
                raise
            self._begin_anew()
        except IntegrityError:
            self._begin_anew()
            if not has(db.session.connection(), self.id, key):
                raise

    def _begin_anew(self) -> None:
        if is_written(self.code):
            raise RuntimeError("A tap came twice in one transaction, which would lose what was done between.")
        db.session.rollback()

    def _log(self, connection: Connection, tap: Tap, key: str, kept: Kept, steps: list[Any]) -> None:
        at = tap.act.at
        if steps and self.kept.has_undone:
            past(self.id)
        row = note(connection, self.id, key, tap.kind, tap.hand, tap.seat, tap.act, steps)
        if steps:
            kept = replace(kept, last=Step(row, tap.act.keeper_id, at), has_undone=False)
        self._settle(connection, kept, at, touched=at, version=self.version + 1)
        self.kept = kept
        remember_later(self.code, (self.version, at), kept)

    def settle(self, at: datetime) -> None:
        """Store the results of a game that is over anew, and take them from one that goes on."""
        self._settle(db.session.connection(), self.kept, at)

    def _settle(self, connection: Connection, kept: Kept, at: datetime, **columns: Any) -> None:
        """Store the results of a game that is over. They are taken away again when it goes on."""
        is_over = kept.sheet.outcome is not None
        # While a game goes on there is nothing to take away either, tap after tap.
        if is_over or self.finished or self._scored_as is not None:
            for name, rows in results(kept).items():
                if rows:
                    connection.execute(update_of(name), rows)
            self.finished = (self.finished or at) if is_over else None
            self._scored_as = scored_as(kept.sheet.rules) if is_over else None
            columns |= {"finished": self.finished, "scored_as": self._scored_as}
        if columns:
            connection.execute(update_of("game"), {"row": self.id, **columns})
            self.version = columns.get("version", self.version)


def _ask(asked: Mapping[str, str], *, writing: bool) -> Row[Any] | None:
    """One question for the row of a game and the right of a phone."""
    if writing or db.session.registry.has():
        return db.session.connection().execute(_opened(writing=writing), asked).one_or_none()
    # Most pages need nothing else of the database: a session costs more than the question.
    with db.engine.connect() as connection:
        return connection.execute(_opened(writing=False), asked).one_or_none()


@cache
def _opened(*, writing: bool) -> Select[Any]:
    """Asks for a game by its `code`, with the right of a `phone`."""
    game, book, keeper = map(table_of, ("game", "book", "keeper"))
    columns = ("id", "code", "version", "touched", "started", "finished", "deleted", "scored_as")
    found = (
        select(
            *(game.c[key] for key in (*columns, "names_in_previews", "watch_code")),
            book.c.code.label("book_code"),
            book.c.is_shared,
            keeper.c.id.label("keeper_id"),
            keeper.c.seen,
        )
        .join(book, book.c.id == game.c.book_id)
        .outerjoin(keeper, and_(keeper.c.book_id == book.c.id, keeper.c.key_hash == bindparam("phone")))
        .where(game.c.code == bindparam("code"))
    )
    return found.with_for_update(of=game, **LOCK) if writing else found


def _read(number: int) -> Kept:
    """The game with what can be taken back of it."""
    return replace(read([number])[number], last=last_step(number), has_undone=has_undone(number))


@dataclass(frozen=True)
class Tap:
    """A verb as it is logged: which tap, what kind, and the hand and seat it is about; no hand: the last one."""

    act: Act
    kind: str
    hand: int | None
    seat: int | None = None
    value: object = None
