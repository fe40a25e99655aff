"""The log of a game: each tap with what it did to the rows, so that it has one effect and can be taken back exactly."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    JSON,
    Connection,
    Date,
    ForeignKey,
    Insert,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    insert,
    select,
    update,
)
from sqlalchemy.orm import Mapped, mapped_column

from database import Base, Instant, db
from kept import Step, delete_of, inserted, table_of, update_of


@dataclass(frozen=True)
class Act:
    """One tap: the random id of the form it came from, the phone, and the moment."""

    id: str
    at: datetime
    keeper_id: int | None = None

    def key(self, *content: object) -> str:
        """What makes this tap one: the same form sent with other content is another tap."""
        return hashlib.sha256(json.dumps([self.id, *content]).encode()).hexdigest()

    def sending(self, *content: object) -> Act:
        """The same tap where its whole content makes it one, and not only what its verb is told."""
        return replace(self, id=self.key(*content))


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

    @classmethod
    def last_of(cls, game: int) -> Change | None:
        """The step that undo would take back."""
        return db.session.scalar(
            select(cls)
            .where(cls.game_id == game, cls.kind.not_in(("undo", "redo")), ~cls.is_undone)
            .order_by(cls.id.desc())
            .limit(1)
        )

    @classmethod
    def next_of(cls, game: int) -> Change | None:
        """The step that redo would do again: the first of those taken back since anything new was done."""
        return db.session.scalar(
            select(cls).where(cls.game_id == game, cls.is_undone, ~cls.is_past).order_by(cls.id).limit(1)
        )


@cache
def _this() -> Select[Any]:
    return select(Change.id).where(Change.game_id == bindparam("game"), Change.action == bindparam("key"))


def has(connection: Connection, game: int, key: str) -> bool:
    """Whether this very tap has had its effect."""
    return connection.execute(_this(), {"game": game, "key": key}).first() is not None


def note(
    connection: Connection,
    game: int,
    key: str,
    kind: str,
    hand: int | None,
    seat: int | None,
    act: Act,
    steps: list[Any],
) -> int:
    """Log what a tap did. Gives the number of the change."""
    columns = {"game_id": game, "action": key, "kind": kind, "hand": hand, "seat": seat, "steps": steps}
    row = connection.execute(_note(), {**columns, "at": act.at, "keeper_id": act.keeper_id})
    return inserted(row)


@cache
def _note() -> Insert:
    return insert(table_of("change"))


def past(game: int) -> None:
    """What was taken back before stays in the log, but can no longer be done again."""
    undone = update(Change).where(Change.game_id == game, Change.is_undone)
    db.session.execute(undone.values(is_past=True))


def has_undone(game: int) -> bool:
    """Whether something was taken back that can still be done again."""
    return Change.next_of(game) is not None


def last_step(game: int) -> Step | None:
    """The last step of a game, which can be taken back."""
    change = Change.last_of(game)
    return Step(change.id, change.keeper_id, change.at) if change else None


def take_back(steps: list[Any]) -> None:
    """Put the rows back as they were before these steps, the last one first."""
    for table, row_id, before, after in reversed(steps):
        _put(table, row_id, after, before)


def do_again(steps: list[Any]) -> None:
    """Do these steps once more."""
    for table, row_id, before, after in steps:
        _put(table, row_id, before, after)


def _put(name: str, row_id: int, old: dict[str, Any] | None, new: dict[str, Any] | None) -> None:
    connection, table = db.session.connection(), table_of(name)
    if new:
        new = {
            key: date.fromisoformat(value) if isinstance(table.c[key].type, Date) else value
            for key, value in new.items()
        }
    if new is None:
        connection.execute(delete_of(name), {"row": row_id})
    elif old is None:
        connection.execute(insert(table).values(new))
    else:
        connection.execute(update_of(name), {"row": row_id, **new})
