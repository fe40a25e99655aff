"""The database: the base of all tables, moments in UTC, and how SQLite is spoken to."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import Connection, DateTime, Engine, MetaData, event, func, insert, select
from sqlalchemy.engine.interfaces import Dialect
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


PATIENCE = {
    "statement_timeout": "10s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "60s",
}
"""How long PostgreSQL works on one statement, waits for somebody else's lock (as long as SQLite does), and lets a
server that has stopped answering keep what it has locked. Who waits at the table is told "not saved" then."""
SILENCE = 15.0
"""Seconds after which a database that does not answer at all is given up."""


@event.listens_for(Engine, "do_connect")
def _connect_postgresql(dialect: Dialect, _: Any, words: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if dialect.driver != "psycopg":
        return None
    import psycopg

    class Connection(psycopg.Connection[Any]):
        """A connection that does not wait for ever where the other end is frozen."""

        silence: float | None = SILENCE

        def wait(self, *words: Any, **named: Any) -> Any:
            began = time.monotonic()
            try:
                return super().wait(*words, **{"timeout": self.silence, **named})
            except psycopg.OperationalError:
                if self.silence is not None and time.monotonic() - began >= self.silence:
                    self.pgconn.finish()
                raise

    connection = Connection.connect(*words, **named)
    connection.execute("; ".join(f"SET {name} = '{value}'" for name, value in PATIENCE.items()).encode())
    connection.commit()
    return connection


@event.listens_for(Engine, "begin")
def _begin_sqlite(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def begin_writing() -> None:
    """Open the session's transaction as a writing one: on SQLite it waits for other writers now, not at its end."""
    db.session.connection(execution_options={"writes": True})


def revision_of(engine: Engine) -> str | None:
    """The revision of the tables in a database; None where there are no tables yet."""
    from alembic.runtime.migration import MigrationContext

    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


COPIED_AT_ONCE = 1000
"""Rows that are in memory at a time while everything is copied."""


def copy_everything(source: Connection) -> dict[str, int]:
    """Write every row of another database with the same tables into the session, as it is; gives how many, by table.

    The tables must be empty, and `source` may be of another kind. Nothing is committed.
    """
    counts = {}
    for table in Base.metadata.sorted_tables:
        # Who is pointed to comes before who points, also within a table.
        own = [each.parent.is_not(None) for each in table.foreign_keys if each.column.table is table]
        found = source.execution_options(yield_per=COPIED_AT_ONCE).execute(
            select(table).order_by(*own, *table.primary_key)
        )
        counts[table.name] = 0
        for rows in found.mappings().partitions():
            db.session.execute(insert(table), [dict(row) for row in rows])
            counts[table.name] += len(rows)
        if counts[table.name] and db.engine.dialect.name == "postgresql":
            # The next new row gets the number after the last one that came.
            last = select(func.max(table.c.id)).scalar_subquery()
            db.session.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), last)))
    return counts
