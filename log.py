"""The log of a game: each tap with what it did to the rows, so that it has one effect and can be taken back exactly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Date, ForeignKey, String, UniqueConstraint, delete, event, insert, update
from sqlalchemy.orm import Mapped, mapped_column
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
    keeper_id: Mapped[int | None] = mapped_column(ForeignKey("keeper.id", ondelete="SET NULL"), index=True)
    steps: Mapped[list[Any]] = mapped_column(JSON)
    """Rows touched, in order: [table, id, columns before or null, columns after or null]."""
    is_undone: Mapped[bool] = mapped_column(default=False)
    is_past: Mapped[bool] = mapped_column(default=False)
    """Taken back, and something else was done since: it can no longer be done again."""


WATCHED = {
    "game": ("plan", "ended_early", "name", "place", "note", "played_on"),
    "seat": ("id", "game_id", "number", "player_id"),
    "hand": (),
    "entry": (),
    "adjustment": (),
}
"""The tables whose rows a step may change, with the columns that count; none named: all of them."""


@contextmanager
def watched() -> Iterator[list[Any]]:
    """Gather what happens to the rows of the watched tables meanwhile, as the steps of a change."""
    db.session.flush()
    steps: list[Any] = []
    db.session.info["steps"] = steps
    try:
        yield steps
        db.session.flush()
    finally:
        del db.session.info["steps"]


# Asked at the moment a row is written: before the flush a new dealer is only an object beside an old `dealer_id`, and
# a row that fell out of its list is not yet known to be deleted.


@event.listens_for(Base, "before_update", propagate=True)
def _note_update(_: object, __: object, row: Any) -> None:
    if (steps := _steps(row)) is not None and (changed := _changed_columns(row)):
        before = {key: old for key, (old, _) in changed.items()}
        after = {key: new for key, (_, new) in changed.items()}
        steps.append([row.__tablename__, row.id, before, after])


@event.listens_for(Base, "after_insert", propagate=True)
def _note_insert(_: object, __: object, row: Any) -> None:
    if (steps := _steps(row)) is not None:
        steps.append([row.__tablename__, row.id, None, _columns(row)])


@event.listens_for(Base, "before_delete", propagate=True)
def _note_delete(_: object, __: object, row: Any) -> None:
    if (steps := _steps(row)) is not None:
        steps.append([row.__tablename__, row.id, _columns(row), None])


def _steps(row: Any) -> list[Any] | None:
    """Where to note what happens to a row; None when nobody watches it."""
    return db.session.info.get("steps") if row.__tablename__ in WATCHED else None


def _changed_columns(row: Any) -> dict[str, tuple[Any, Any]]:
    changed = {}
    for key in _keys(row):
        history = get_history(row, key)
        if history.has_changes():
            old, new = next(iter(history.deleted), None), next(iter(history.added), None)
            changed[key] = (_written(old), _written(new))
    return changed


def _written(value: Any) -> Any:
    """A value as the log keeps it: JSON knows no dates."""
    return value.isoformat() if isinstance(value, date) else value


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
    if new:
        new = {
            key: date.fromisoformat(value) if isinstance(table.c[key].type, Date) else value
            for key, value in new.items()
        }
    if new is None:
        db.session.execute(delete(table).where(table.c.id == row_id))
    elif old is None:
        db.session.execute(insert(table).values(new))
    else:
        db.session.execute(update(table).where(table.c.id == row_id).values(new))
