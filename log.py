"""The log of a game: each tap with what it did to the rows, so that it has one effect and can be taken back exactly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, UniqueConstraint, delete, event, insert, update
from sqlalchemy.orm import Mapped, Session, mapped_column
from sqlalchemy.orm.attributes import get_history

from database import Base, Instant, db


@dataclass(frozen=True)
class Act:
    """One tap: the random id of the form it came from, the phone, and the moment."""

    id: str
    at: datetime
    keeper_id: int | None = None

    def key(self, *content: object) -> str:
        """What makes this tap one: the same form sent with other content is another tap."""
        return hashlib.sha256(json.dumps([self.id, *content]).encode()).hexdigest()


class Change(Base):
    """The log: one tap and what it did to the rows, before and after."""

    __tablename__ = "change"
    __table_args__ = (UniqueConstraint("game_id", "action"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"))
    action: Mapped[str] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(20))
    hand: Mapped[int | None]
    seat: Mapped[int | None]
    at: Mapped[datetime] = mapped_column(Instant)
    keeper_id: Mapped[int | None] = mapped_column(ForeignKey("keeper.id", ondelete="SET NULL"))
    steps: Mapped[list[Any]] = mapped_column(JSON)
    """Rows touched, in order: [table, id, columns before or null, columns after or null]."""
    is_undone: Mapped[bool] = mapped_column(default=False)
    is_past: Mapped[bool] = mapped_column(default=False)
    """Taken back, and something else was done since: it can no longer be done again."""


WATCHED = {
    "game": ("plan", "ended_early"),
    "seat": ("id", "game_id", "number", "player_id"),
    "hand": (),
    "entry": (),
    "adjustment": (),
}
"""The tables whose rows a step may change, parents first, with the columns that count; none named: all of them."""


@contextmanager
def watched() -> Iterator[list[Any]]:
    """Gather what happens to the rows of the watched tables meanwhile, as the steps of a change."""
    session = db.session()
    steps: list[Any] = []
    order = list(WATCHED)

    def before_flush(_: Session, __: Any, ___: Any) -> None:
        for row in sorted(session.dirty, key=_place):
            if row.__tablename__ in WATCHED and (changed := _changed_columns(row)):
                before = {key: old for key, (old, _) in changed.items()}
                after = {key: new for key, (_, new) in changed.items()}
                steps.append([row.__tablename__, row.id, before, after])
        gone = sorted(
            (row for row in session.deleted if row.__tablename__ in WATCHED), key=_place, reverse=True
        )
        steps.extend([row.__tablename__, row.id, _columns(row), None] for row in gone)

    def after_flush(_: Session, __: Any) -> None:
        made = sorted((row for row in session.new if row.__tablename__ in WATCHED), key=_place)
        steps.extend([row.__tablename__, row.id, None, _columns(row)] for row in made)

    def _place(row: Any) -> tuple[int, int]:
        return (order.index(row.__tablename__) if row.__tablename__ in WATCHED else -1, row.id)

    session.flush()
    event.listen(session, "before_flush", before_flush)
    event.listen(session, "after_flush", after_flush)
    try:
        yield steps
        session.flush()
    finally:
        event.remove(session, "before_flush", before_flush)
        event.remove(session, "after_flush", after_flush)


def _changed_columns(row: Any) -> dict[str, tuple[Any, Any]]:
    changed = {}
    for key in _keys(row):
        history = get_history(row, key)
        if history.has_changes():
            changed[key] = (next(iter(history.deleted), None), next(iter(history.added), None))
    return changed


def _columns(row: Any) -> dict[str, Any]:
    return {key: getattr(row, key) for key in _keys(row)}


def _keys(row: Any) -> tuple[str, ...]:
    return WATCHED[row.__tablename__] or tuple(each.key for each in row.__mapper__.column_attrs)


def take_back(steps: list[Any]) -> None:
    """Put the rows back as they were before these steps, the last one first."""
    for table, row_id, before, after in reversed(steps):
        _put(table, row_id, after, before)


def do_again(steps: list[Any]) -> None:
    """Do these steps once more."""
    for table, row_id, before, after in steps:
        _put(table, row_id, before, after)


def _put(name: str, row_id: int, old: dict[str, Any] | None, new: dict[str, Any] | None) -> None:
    table = Base.metadata.tables[name]
    if new is None:
        db.session.execute(delete(table).where(table.c.id == row_id))
    elif old is None:
        db.session.execute(insert(table).values(new))
    else:
        db.session.execute(update(table).where(table.c.id == row_id).values(new))
