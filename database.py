"""The database: the base of all tables, moments in UTC, how SQLite is spoken to, and whether all is ready for it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    URL,
    Connection,
    DateTime,
    Engine,
    MetaData,
    Row,
    Table,
    event,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
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
    # The driver begins no transactions: see `SQLite`.
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


_writes: ContextVar[bool] = ContextVar("writes", default=False)
"""Whether a transaction that is begun now is one that will write."""


class SQLite(SQLiteDialect_pysqlite):
    """SQLite whose transactions we begin ourselves: the driver's own begin too late and lose concurrent updates.

    An event could do the same; but where an engine has one, SQLAlchemy looks for events at each statement.
    """

    supports_statement_cache = True

    def do_begin(self, dbapi_connection: Any) -> None:
        """Begin, in the writer's place where the transaction will write."""
        # To the driver itself: it is most of what an empty transaction costs.
        dbapi_connection.driver_connection.execute("BEGIN IMMEDIATE" if _writes.get() else "BEGIN")


registry.register("sqlite", __name__, "SQLite")


@contextmanager
def writing() -> Iterator[None]:
    """What is begun meanwhile is a writing transaction: on SQLite it waits for other writers now, not at its end."""
    before = _writes.set(True)
    try:
        yield
    finally:
        _writes.reset(before)


def begin_writing() -> None:
    """Open the session's transaction as a writing one."""
    with writing():
        db.session.connection()


LOCK = {"key_share": True}
"""How PostgreSQL locks a row for whoever writes: against others who do, not against new rows that point to it, or two
writers could wait for each other."""


COPIED_AT_ONCE = 2000
"""Rows that are in memory at a time while everything is copied."""


def copy_everything(source: Connection, target: Connection) -> dict[str, int]:
    """Write every row of one database into another with the same tables, as it is; gives how many, by table.

    The tables of `target` must be empty, and it may be of another kind. What is new there gets numbers that `source`
    would have given. Nothing is committed.
    """
    counts = {}
    for table in Base.metadata.sorted_tables:
        # Who is pointed to comes before who points, also within a table.
        own = [each.parent.is_not(None) for each in table.foreign_keys if each.column.table is table]
        found = source.execution_options(yield_per=COPIED_AT_ONCE).execute(
            select(table).order_by(*own, *table.primary_key)
        )
        write = _stream if target.dialect.name == "postgresql" else _insert
        counts[table.name] = write(target, table, found.partitions())
        _number_from(target, table, _last_number(source, table))
    return counts


def _last_number(connection: Connection, table: Table) -> int:
    """The last number that a table gave to a row; that row may be gone, and its number remembered."""
    if connection.dialect.name == "postgresql":
        given = text("SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(:table, 'id') AS regclass))")
    else:
        given = text("SELECT seq FROM sqlite_sequence WHERE name = :table")
    last = connection.scalar(given, {"table": table.name}) or 0
    # SQLite counts only in the tables whose numbers are remembered.
    return max(last, connection.scalar(select(func.max(table.c.id))) or 0)


def _number_from(target: Connection, table: Table, last: int) -> None:
    """Let the next new row of a table get the number after the last one."""
    if target.dialect.name == "postgresql":
        target.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), last + 1, False)))
    elif table.dialect_options["sqlite"]["autoincrement"]:
        values = {"table": table.name, "last": last}
        target.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), values)
        target.execute(text("INSERT INTO sqlite_sequence VALUES (:table, :last)"), values)


def _insert(target: Connection, table: Table, parts: Iterable[Sequence[Row[Any]]]) -> int:
    """Write rows as they are; gives how many."""
    count = 0
    for rows in parts:
        target.execute(insert(table), [dict(row._mapping) for row in rows])
        count += len(rows)
    return count


def _stream(target: Connection, table: Table, parts: Iterable[Sequence[Row[Any]]]) -> int:
    """The same for PostgreSQL, which takes a stream many times faster than statements."""
    import psycopg

    dialect, count = target.dialect, 0
    as_stored = [
        column.type.dialect_impl(dialect).bind_processor(dialect) or (lambda value: value)
        for column in table.columns
    ]
    columns = ", ".join(dialect.identifier_preparer.format_column(column) for column in table.columns)
    into = f"COPY {dialect.identifier_preparer.format_table(table)} ({columns}) FROM STDIN"
    with closing(target.connection.cursor()) as cursor:
        for rows in parts:
            # Each part by itself, so that no statement takes long.
            try:
                with cursor.copy(into) as stream:
                    for row in rows:
                        stream.write_row([store(value) for store, value in zip(as_stored, row, strict=True)])
            except psycopg.Error as refusal:
                # As all others are told, without the row in it.
                raise DBAPIError(None, None, refusal, hide_parameters=True) from None
            count += len(rows)
    return count


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


def upgrade(wanted: str = "") -> None:
    """Bring the tables of the settings' database to a revision, this release's unless told; made where there are none.

    Earlier revisions are reached backwards.
    """
    from alembic import command

    wanted, at = wanted or revisions()[-1], revision_of(db.engine)
    is_back = at is not None and revisions().index(at) > revisions().index(wanted)
    (command.downgrade if is_back else command.upgrade)(alembic_config(), wanted)


def lost_below(wanted: str) -> list[str]:
    """What going back from where the database is to an earlier revision loses, a line each."""
    from alembic.script import ScriptDirectory

    steps = ScriptDirectory.from_config(alembic_config()).iterate_revisions(revision_of(db.engine), wanted)
    with db.engine.connect() as connection:
        return [
            line for each in steps if hasattr(each.module, "lost") for line in each.module.lost(connection)
        ]


def revision_of(engine: Engine) -> str | None:
    """The revision of the tables in a database; None where there are no tables yet."""
    from alembic.runtime.migration import MigrationContext

    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def alembic_config() -> Any:
    """What Alembic must know: where the migrations lie. It takes the database from the app."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def trouble(*, by_writing: bool = False) -> Trouble | None:
    """What is wrong with the database of the settings, None when nothing is: one short look.

    `by_writing`: try whether it can be written, too; nothing is.
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
        if by_writing:
            with writing(), db.engine.connect() as connection:
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
