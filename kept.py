"""A game between the database and memory: read from its rows as one value, and written as what differs between two.

A value is kept in memory under the game's version and the moment of its last change, which whoever opens the game asks
the database for. A value under any other version is never looked at, so what is shown is what is stored.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    CursorResult,
    Delete,
    RowMapping,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    event,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import Session

from database import Base, db
from rules.results import HandResult, SeatResult
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Rules, Trump
from rules.verbs import About

MOST_KEPT = 500
"""So many games are kept in memory, those that were asked for last."""


@dataclass(frozen=True)
class Step:
    """The last thing that was done, which can be taken back: its row in the log, the phone, and the moment."""

    id: int
    keeper_id: int | None
    at: datetime


@dataclass(frozen=True)
class Kept:
    """A game as the database keeps it: the value, and the rows that it came from."""

    id: int
    sheet: Sheet
    about: About
    seats: tuple[int, ...] = ()
    """The row of each seat."""
    players: tuple[int, ...] = ()
    """Who sits there, by the row of the name they were seated under."""
    persons: tuple[int, ...] = ()
    """The same by person, where two names are one."""
    hands: tuple[int, ...] = ()
    """The row of each hand, as they lie in the sheet."""
    entries: tuple[Mapping[int, int], ...] = ()
    """The rows of each hand by seat."""
    adjustments: tuple[int, ...] = ()
    last: Step | None = None
    has_undone: bool = False
    """Whether something was taken back that can still be done again."""


# From rows to the value


def read(ids: Sequence[int]) -> dict[int, Kept]:
    """Games by their rows as they are stored now, in five questions however many there are; without their steps."""
    db.session.flush()
    connection, asked = db.session.connection(), {"ids": list(ids)}
    games, seats, hands, entries, adjustments = (connection.execute(each, asked) for each in _questions())
    seats_of, hands_of, adjusted = _grouped(seats), _grouped(hands), _grouped(adjustments)
    entries_of: dict[int, list[Any]] = {}
    for entry in entries:
        entries_of.setdefault(entry.hand_id, []).append(entry)
    return {
        game.id: _kept(game, seats_of.get(game.id, []), hands_of.get(game.id, []), entries_of, adjusted)
        for game in games
    }


@cache
def _questions() -> tuple[Select[Any], ...]:
    game, seat, hand, entry, given = map(table_of, ("game", "seat", "hand", "entry", "adjustment"))
    player = table_of("player")
    person = player.alias("person")
    ids: BindParameter[Any] = bindparam("ids", expanding=True)
    shown = func.coalesce(person.c.name, player.c.name).label("shown")
    person_id = func.coalesce(person.c.id, player.c.id).label("person_id")
    told = (game.c.name, game.c.place, game.c.note, game.c.played_on)
    return (
        select(game.c.id, game.c.rules, game.c.plan, game.c.ended_early, game.c.given, *told).where(
            game.c.id.in_(ids)
        ),
        select(seat.c.id, seat.c.game_id, seat.c.number, seat.c.player_id, shown, person_id)
        .join(player, player.c.id == seat.c.player_id)
        .outerjoin(person, person.c.id == player.c.alias_of_id)
        .where(seat.c.game_id.in_(ids))
        .order_by(seat.c.number),
        select(*(hand.c[key] for key in ("id", "game_id", *HAND)))
        .where(hand.c.game_id.in_(ids))
        .order_by(hand.c.id),
        select(entry.c.id, entry.c.hand_id, entry.c.seat_id, *(entry.c[key] for key in ENTRY))
        .join(hand, hand.c.id == entry.c.hand_id)
        .where(hand.c.game_id.in_(ids))
        .order_by(entry.c.place),
        select(given).where(given.c.game_id.in_(ids)).order_by(given.c.id),
    )


HAND = (
    *("number", "voided", "cards", "dealer_id", "trump", "named_by_id"),
    *("is_over", "is_closed", "is_uneven", "note"),
)
ENTRY = ("place", "bid", "tally", "took", "is_blind", "is_absent")


@cache
def table_of(name: str) -> Table:
    """The table of that name."""
    return Base.metadata.tables[name]


def _grouped(rows: Iterable[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for row in rows:
        found.setdefault(row.game_id, []).append(row)
    return found


def _kept(game: Any, seats: list[Any], hands: list[Any], entries: Any, adjusted: Any) -> Kept:
    number_of = {seat.id: seat.number for seat in seats}
    adjustments = adjusted.get(game.id, [])
    sheet = Sheet(
        rules=rules_of(json.dumps(game.rules)),
        names=tuple(seat.shown for seat in seats),
        plan=tuple(game.plan),
        hands=tuple(_hand(hand, entries.get(hand.id, []), number_of) for hand in hands),
        adjustments=tuple(
            Adjustment(each.hand, number_of[each.seat_id], each.points, each.reason) for each in adjustments
        ),
        ended_early=game.ended_early,
        given=tuple(game.given) if game.given else None,
    )
    return Kept(
        id=game.id,
        sheet=sheet,
        about=About.of(game.name, game.place, game.note, game.played_on),
        seats=tuple(seat.id for seat in seats),
        players=tuple(seat.player_id for seat in seats),
        persons=tuple(seat.person_id for seat in seats),
        hands=tuple(hand.id for hand in hands),
        entries=tuple(
            {number_of[each.seat_id]: each.id for each in entries.get(hand.id, [])} for hand in hands
        ),
        adjustments=tuple(each.id for each in adjustments),
    )


def _hand(hand: Any, entries: list[Any], number_of: Mapping[int, int]) -> Hand:
    bids: list[int | None] = [None] * len(number_of)
    took, tally = bids.copy(), bids.copy()
    table, absent, blind = [], [], []
    for entry in entries:
        seat = number_of[entry.seat_id]
        table.append(seat)
        bids[seat], took[seat], tally[seat] = entry.bid, entry.took, entry.tally
        if entry.is_absent:
            absent.append(seat)
        if entry.is_blind:
            blind.append(seat)
    return Hand(
        number=hand.number,
        cards=hand.cards,
        dealer=number_of[hand.dealer_id],
        table=tuple(table),
        bids=tuple(bids),
        took=tuple(took),
        tally=tuple(tally),
        absent=frozenset(absent),
        trump=Trump(hand.trump) if hand.trump else None,
        named_by=None if hand.named_by_id is None else number_of[hand.named_by_id],
        blind=frozenset(blind),
        is_over=hand.is_over,
        is_closed=hand.is_closed,
        is_void=bool(hand.voided),
        is_uneven=hand.is_uneven,
        note=hand.note,
    )


@lru_cache(maxsize=256)
def rules_of(written: str) -> Rules:
    """Rules as they were written down, as JSON."""
    return Rules.read(json.loads(written))


# From the value to rows


def write(connection: Connection, before: Kept, after: Kept) -> tuple[Kept, list[Any]]:
    """Write down what differs. Gives the game with all its rows, and what was done to them as the steps of a change.

    A step is [table, row, columns before or null, columns after or null].
    """
    writing = _Writing(connection, before)
    writing.update("game", before.id, _game(before), _game(after))
    seats = before.seats if after.players == before.players else writing.seats(after.players)
    hands, entries = writing.hands(after.sheet.hands, seats)
    given = writing.adjustments(after.sheet.adjustments, seats)
    return replace(after, seats=seats, hands=hands, entries=entries, adjustments=given), writing.steps


class _Writing:
    """What differs from a game as it is stored, on its way into the rows."""

    def __init__(self, connection: Connection, before: Kept) -> None:
        self.connection, self.before = connection, before
        self.steps: list[Any] = []

    def seats(self, players: Sequence[int]) -> tuple[int, ...]:
        """Who sits where: a newcomer, or somebody else on a seat. Gives the rows."""
        rows = list(self.before.seats)
        for number, player in enumerate(players):
            if number == len(rows):
                rows.append(
                    self.insert("seat", {"game_id": self.before.id, "number": number, "player_id": player})
                )
            else:
                old = {"player_id": self.before.players[number]}
                self.update("seat", rows[number], old, {"player_id": player})
        return tuple(rows)

    def hands(
        self, hands: Sequence[Hand], seats: Sequence[int]
    ) -> tuple[tuple[int, ...], tuple[Mapping[int, int], ...]]:
        """The facts of each hand, and of everybody in it. Gives the rows of both."""
        before, rows, entries = self.before.sheet.hands, list(self.before.hands), list(self.before.entries)
        for at, hand in enumerate(hands):
            if at == len(rows):
                rows.append(
                    self.insert("hand", {"game_id": self.before.id, **_hand_columns(hands, at, seats)})
                )
                entries.append(self.entries(rows[at], {}, _entries(hand), {}, seats))
            # A verb leaves every other hand the very same object.
            elif hand is not before[at]:
                self.update(
                    "hand", rows[at], _hand_columns(before, at, seats), _hand_columns(hands, at, seats)
                )
                entries[at] = self.entries(rows[at], _entries(before[at]), _entries(hand), entries[at], seats)
        return tuple(rows), tuple(entries)

    def entries(
        self,
        hand_id: int,
        before: Mapping[int, Mapping[str, Any]],
        after: Mapping[int, Mapping[str, Any]],
        rows: Mapping[int, int],
        seats: Sequence[int],
    ) -> Mapping[int, int]:
        """Everybody in one hand, by seat. Gives the rows."""
        left = dict(rows)
        for seat, columns in before.items():
            if seat not in after:
                whole = {"hand_id": hand_id, "seat_id": seats[seat], **columns}
                self.delete("entry", left.pop(seat), whole)
        for seat, columns in after.items():
            if seat in before:
                if columns != before[seat]:
                    self.update("entry", left[seat], before[seat], columns)
            else:
                left[seat] = self.insert("entry", {"hand_id": hand_id, "seat_id": seats[seat], **columns})
        return left

    def adjustments(self, given: Sequence[Adjustment], seats: Sequence[int]) -> tuple[int, ...]:
        """Points outside the hands, each the very same object as long as it stays. Gives the rows."""
        stored = {
            id(each): row
            for each, row in zip(self.before.sheet.adjustments, self.before.adjustments, strict=True)
        }
        stays = {id(each) for each in given}
        for each in self.before.sheet.adjustments:
            if id(each) not in stays:
                self.delete("adjustment", stored[id(each)], self._adjustment(each, seats))
        return tuple(
            stored[id(each)]
            if id(each) in stored
            else self.insert("adjustment", self._adjustment(each, seats))
            for each in given
        )

    def _adjustment(self, each: Adjustment, seats: Sequence[int]) -> dict[str, Any]:
        return {
            "game_id": self.before.id,
            "hand": each.hand,
            "seat_id": seats[each.seat],
            "points": each.points,
            "reason": each.reason,
        }

    def insert(self, name: str, columns: Mapping[str, Any]) -> int:
        """A new row. Gives its number."""
        row = inserted(self.connection.execute(insert(table_of(name)), columns))
        self.steps.append([name, row, None, {"id": row, **columns}])
        return row

    def update(self, name: str, row: int, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """What of a row is another now."""
        changed = {key: value for key, value in after.items() if value != before[key]}
        if changed:
            self.connection.execute(update_of(name), {"row": row, **changed})
            written = [{key: _written(each[key]) for key in changed} for each in (before, after)]
            self.steps.append([name, row, *written])

    def delete(self, name: str, row: int, columns: Mapping[str, Any]) -> None:
        """A row that goes."""
        self.connection.execute(delete_of(name), {"row": row})
        self.steps.append([name, row, {"id": row, **columns}, None])


def inserted(result: CursorResult[Any]) -> int:
    """The number of the row that was just written."""
    return int((result.inserted_primary_key or (0,))[0])


@cache
def update_of(name: str) -> Update:
    """Changes one row of a table, `row`, to the columns that come with it."""
    table = table_of(name)
    return update(table).where(table.c.id == bindparam("row"))


@cache
def delete_of(name: str) -> Delete:
    """Takes one row, `row`, out of a table."""
    table = table_of(name)
    return delete(table).where(table.c.id == bindparam("row"))


def _game(kept: Kept) -> dict[str, Any]:
    """The columns of a game that a step may change."""
    return {"plan": list(kept.sheet.plan), "ended_early": kept.sheet.ended_early, **vars(kept.about)}


def _hand_columns(hands: Sequence[Hand], at: int, seats: Sequence[int]) -> dict[str, Any]:
    """The columns of the hand at an index, of all hands in the order they were dealt."""
    hand = hands[at]
    return {
        "number": hand.number,
        # The how-manieth misdeal of its number.
        "voided": sum(each.number == hand.number for each in hands[: at + 1]) if hand.is_void else 0,
        "cards": hand.cards,
        "dealer_id": seats[hand.dealer],
        "trump": hand.trump and str(hand.trump),
        "named_by_id": None if hand.named_by is None else seats[hand.named_by],
        "is_over": hand.is_over,
        "is_closed": hand.is_closed,
        "is_uneven": hand.is_uneven,
        "note": hand.note,
    }


def _entries(hand: Hand) -> dict[int, dict[str, Any]]:
    """The columns of everybody in a hand, by seat."""
    return {
        seat: {
            "place": place,
            "bid": hand.bids[seat],
            "tally": hand.tally[seat] if hand.tally else None,
            "took": hand.took[seat],
            "is_blind": seat in hand.blind,
            "is_absent": seat in hand.absent,
        }
        for place, seat in enumerate(hand.table)
    }


def _written(value: Any) -> Any:
    """A value as the log keeps it: JSON knows no dates."""
    return value.isoformat() if isinstance(value, date) else value


RESULTS = {
    "seat": ("total", "place", "made", "behind", "bids", "run_start", "run_best", "run_end"),
    "hand": ("over", "bidders", "made", "zeros", "zeros_made", "hook_made"),
    "entry": ("turn", "is_hooked"),
}
"""What is stored of a game that is over beside its facts, by table."""


def results(kept: Kept) -> dict[str, list[dict[str, Any]]]:
    """The `RESULTS` of a game that is over, by table and `row`; nothing of one that goes on.

    Each seat's final total and place, and what statistics need and only the rules can tell.
    """
    sheet, is_over = kept.sheet, kept.sheet.outcome is not None
    seats: list[dict[str, Any]] = []
    for seat, row in enumerate(kept.seats):
        result = SeatResult.of(sheet, seat) if is_over else None
        run = result and result.run
        seats.append(
            {
                "row": row,
                "total": sheet.totals[seat] if is_over else None,
                "place": sheet.places[seat] if is_over else None,
                "made": result and result.made,
                "behind": result and result.behind,
                "bids": run and run.tries,
                "run_start": run and run.start,
                "run_best": run and run.best,
                "run_end": run and run.end,
            }
        )
    hands: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    for hand, row, there in zip(sheet.hands, kept.hands, kept.entries, strict=True):
        told = HandResult.of(sheet, hand) if is_over and hand.counts else None
        hands.append({"row": row, **{key: getattr(told, key, None) for key in RESULTS["hand"]}})
        for seat, each in there.items():
            turn, is_hooked = (told.turns.get(seat), told.hooked == seat) if told else (None, None)
            entries.append({"row": each, "turn": turn, "is_hooked": is_hooked})
    return {"seat": seats, "hand": hands, "entry": entries}


def stored_results(ids: Sequence[int]) -> dict[str, dict[int, RowMapping]]:
    """What is stored as the `RESULTS` of these games, by table and row, in three questions however many there are."""
    connection, asked = db.session.connection(), {"ids": list(ids)}
    return {
        name: {row["row"]: row for row in connection.execute(question, asked).mappings()}
        for name, question in _stored_results().items()
    }


@cache
def _stored_results() -> dict[str, Select[Any]]:
    ids: BindParameter[Any] = bindparam("ids", expanding=True)
    seat, hand, entry = (
        select(table_of(name).c.id.label("row"), *(table_of(name).c[key] for key in keys))
        for name, keys in RESULTS.items()
    )
    of_hand = table_of("hand").c
    return {
        "seat": seat.where(table_of("seat").c.game_id.in_(ids)),
        "hand": hand.where(of_hand.game_id.in_(ids)),
        "entry": entry.join_from(
            table_of("entry"), table_of("hand"), of_hand.id == table_of("entry").c.hand_id
        ).where(of_hand.game_id.in_(ids)),
    }


# In memory


class Memory:
    """The games that were asked for last, each as its latest known version has it."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, tuple[object, Kept]] = OrderedDict()
        self._lock = Lock()

    def get(self, code: str, stamp: object) -> Kept | None:
        """The game as it is under that stamp: its version and the moment of its last change. None if not known."""
        with self._lock:
            known, kept = self._games.get(code, (None, None))
            if known != stamp or kept is None:
                return None
            self._games.move_to_end(code)
            return kept

    def put(self, code: str, stamp: object, kept: Kept) -> None:
        """Keep a game; the one that nobody asked for the longest time goes."""
        with self._lock:
            self._games[code] = (stamp, kept)
            self._games.move_to_end(code)
            while len(self._games) > MOST_KEPT:
                self._games.popitem(last=False)

    def clear(self) -> None:
        """Know nothing any more, as a process that was only just started."""
        with self._lock:
            self._games.clear()


memory = Memory()


def remember_later(code: str, stamp: object, kept: Kept) -> None:
    """Keep a game once what was written of it is stored for good."""
    db.session.info.setdefault("written", {})[code] = (stamp, kept)


def is_written(code: str) -> bool:
    """Whether something was written of that game, and is not stored for good yet."""
    return code in db.session.info.get("written", ())


@event.listens_for(Session, "after_commit")
def _remember(session: Session) -> None:
    for code, (stamp, kept) in session.info.pop("written", {}).items():
        memory.put(code, stamp, kept)


@event.listens_for(Session, "after_rollback")
def _forget(session: Session) -> None:
    session.info.pop("written", None)
