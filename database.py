"""The database: the base of all tables, moments in UTC, how SQLite is spoken to, and whether all is ready for it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import URL, Connection, DateTime, Engine, MetaData, event, inspect, text
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator


class Base(DeclarativeBase):
    """All tables; constraints get names, so that migrations can find them on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


# A request lasts one transaction. What it has read stays at hand after the commit, so that nothing is asked of the
# database then: a question that failed would have a saved tap told as not saved.
db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


class Instant(TypeDecorator[datetime]):
    """A moment in UTC. SQLite forgets zones, so none is stored and every value comes back aware."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store the UTC reading."""
        return value.astimezone(UTC).replace(tzinfo=None) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give it back aware."""
        return value.replace(tzinfo=UTC) if value else None


@event.listens_for(Engine, "connect")
def _prepare_sqlite(connection: Any, _: Any) -> None:
    if not isinstance(connection, sqlite3.Connection):
        return
    # We begin transactions ourselves: the driver's own begin too late and lose concurrent updates.
    connection.isolation_level = None
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "busy_timeout = 5000",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")
    # SQLite's own knows the case of no letter beyond ASCII.
    connection.create_function("lower", 1, lambda text: text and text.lower(), deterministic=True)


@event.listens_for(Engine, "begin")
def _begin_sqlite(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def begin_writing() -> None:
    """Open the session's transaction as a writing one: on SQLite it waits for other writers now, not at its end."""
    db.session.connection(execution_options={"writes": True})


# Whether this release can work with it


@dataclass(frozen=True)
class Trouble:
    """What keeps this release from working with the database.

    `kind` is "silent", "empty", "older", "newer" or "read-only"; `words` tell the operator what to do.
    """

    kind: str
    words: str


@cache
def revisions() -> tuple[str, ...]:
    """The states that a database of this or an earlier release can be in, this release's last.

    Read from the names of the migrations, because Alembic itself would cost each worker 10 MB.
    """
    found = (Path(__file__).parent / "migrations" / "versions").glob("[0-9]*.py")
    return tuple(sorted(path.stem.partition("_")[0] for path in found))


def upgrade() -> None:
    """Bring the tables of the settings' database to what this release needs; they are made where there are none."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    command.upgrade(config, "head")


def trouble(*, writing: bool = False) -> Trouble | None:
    """What is wrong with the database of the settings, None when nothing is: one short look.

    `writing`: try whether it can be written, too; nothing is.
    """
    url = db.engine.url
    if (path := sqlite_path(url)) is not None and not path.exists():
        # Looking would leave an empty file there.
        return Trouble("empty", f"There is no database at {path}. {FIRST}")
    try:
        with db.engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return Trouble("empty", f"The database has no tables. {FIRST}")
            found = str(connection.scalar(text("SELECT version_num FROM alembic_version")))
        if writing:
            with db.engine.connect().execution_options(writes=True) as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
                connection.rollback()
    except DBAPIError as error:
        reason = reason_of(error)
        if "readonly" in reason or "read-only" in reason:
            return Trouble("read-only", f"The database cannot be written: {reason}.")
        return Trouble("silent", f"The database does not answer: {reason}.")
    return _apart(found)


def _apart(found: str) -> Trouble | None:
    last = revisions()[-1]
    if found == last:
        return None
    if found in revisions():
        return Trouble(
            "older", f"The database is at {found}, and this release needs {last}. Run: flask migrate"
        )
    return Trouble(
        "newer",
        f"The database was written by a newer release, which left it at {found}; this one knows it up to {last}. "
        f"Run that release, or go back with it: flask migrate --to {last}",
    )


FIRST = "To start a new scorebook: flask migrate. If there was one, see docs/operations.md, When something is wrong."
"""What to do where nothing is."""


def sqlite_path(url: URL) -> Path | None:
    """The file of an SQLite database; None for one in memory or of another kind."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def reason_of(error: DBAPIError) -> str:
    """What the database itself says, in a line: neither the statement nor its values."""
    lines = str(error.orig).strip().splitlines()
    return lines[0].strip().rstrip(".") if lines else type(error).__name__
