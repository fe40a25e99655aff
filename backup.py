"""Backup and restore: the whole scorebook as one SQLite file, from either database and into either.

A backup is made while others save, and is one moment of all tables: SQLite writes it itself (VACUUM INTO, which also
leaves behind what was deleted), PostgreSQL is read in one snapshot. It holds the session secret, too, so that after a
disk is lost every phone goes on as if nothing had been. It is readable by its owner alone, checked before it gets its
name, and of no use to whoever has half of it: there is no half.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask, current_app
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError

import models
from database import Base, copy_everything, db, reason_of, revisions, sqlite_path, trouble, upgrade

DATED = "scorebook-%Y%m%dT%H%M%SZ.sqlite"
"""What a backup in a folder is called."""
IS_DATED = re.compile(r"scorebook-\d{8}T\d{6}Z\.sqlite")
UNFINISHED = ".unfinished"
COUNTED = ("book", "game", "hand")
"""Tables whose rows are told to the operator."""


class CannotBackUp(Exception):
    """Why there is no backup, or why it is not brought back, in plain words."""


@dataclass(frozen=True)
class Contents:
    """What a checked backup holds: when it was made, at which revision, and how much of everything."""

    made: datetime
    revision: str
    secret: str
    rows: dict[str, int]

    def __str__(self) -> str:
        """For the operator."""
        counts = ", ".join(f"{self.rows[name]} {name}s" for name in COUNTED)
        return f"{counts}; made {self.made:%Y-%m-%d %H:%M:%S} UTC at revision {self.revision}"


# Backup


def back_up(target: Path, at: datetime) -> tuple[Path, Contents]:
    """Make a backup in the folder or under the name `target`; gives the file and what it holds.

    Raises CannotBackUp.
    """
    if target.suffix != ".sqlite" and not target.is_dir():
        raise CannotBackUp(f"There is no folder {target}. A single file has a name that ends in .sqlite.")
    path = target / at.strftime(DATED) if target.is_dir() else target
    if path.exists():
        raise CannotBackUp(f"{path} exists already.")
    if (found := trouble()) is not None and (found.kind != "older" or sqlite_path(db.engine.url) is None):
        raise CannotBackUp(found.words)
    unfinished = path.with_name(f".{path.name}{UNFINISHED}")
    with _in_plain_words(path, str(path)):
        # Made here, so that it is never anybody else's to read.
        os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
        try:
            _copy_out(unfinished, at)
            contents = check(unfinished)
            _to_disk(unfinished)
            unfinished.rename(path)
            _to_disk(path.parent)
        finally:
            for left in (unfinished, *path.parent.glob(f"{unfinished.name}-*")):
                left.unlink(missing_ok=True)
    return path, contents


@contextmanager
def _in_plain_words(place: Path, what: str) -> Iterator[None]:
    """Say what the disk or the database refuse: which file, or else what that means."""
    try:
        yield
    except OSError as refusal:
        raise CannotBackUp(f"{refusal.filename or place}: {refusal.strerror}") from None
    except sqlite3.Error as refusal:
        raise CannotBackUp(f"{what}: {refusal}") from None
    except DBAPIError as refusal:
        raise CannotBackUp(f"{what}: {reason_of(refusal)}") from None


def drop_old(folder: Path, before: datetime) -> list[Path]:
    """Delete the backups in a folder that were made before that moment, by their names; gives which.

    And what a backup that was cut off a day ago left behind.
    """
    old = sorted(path for path in folder.iterdir() if (made := _made(path)) and made < before)
    for left in folder.glob(f".scorebook-*{UNFINISHED}*"):
        if left.stat().st_mtime < time.time() - 24 * 60 * 60:
            left.unlink(missing_ok=True)
    for path in old:
        path.unlink()
    return old


def _made(path: Path) -> datetime | None:
    """When a backup was made, by its name; None for any other name, and for a day that is none."""
    if not IS_DATED.fullmatch(path.name):
        return None
    try:
        return datetime.strptime(path.name, DATED).replace(tzinfo=UTC)
    except ValueError:
        return None


def _copy_out(path: Path, at: datetime) -> None:
    """Write all tables as they stand at this moment, and what belongs to them, into an empty SQLite file."""
    if sqlite_path(db.engine.url) is not None:
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.connection.execute("VACUUM INTO ?", (str(path),))
    else:
        with _snapshot() as source, _file(path) as copy:
            Base.metadata.create_all(copy)
            revision = source.scalar(text("SELECT version_num FROM alembic_version"))
            copy.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
            copy.execute(text("INSERT INTO alembic_version VALUES (:it)"), {"it": revision})
            copy_everything(source, copy)
    secret = current_app.config["DATA_FOLDER"] / "secret"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE backup (made TEXT NOT NULL, secret TEXT NOT NULL)")
        kept = secret.read_text(encoding="ascii").strip() if secret.exists() else ""
        # One from the environment is the operator's to keep.
        kept = kept if kept == current_app.config["SECRET_KEY"] else ""
        file.execute("INSERT INTO backup VALUES (?, ?)", (at.isoformat(), kept))


@contextmanager
def _snapshot() -> Iterator[Connection]:
    """PostgreSQL as it stands at this moment, however long one reads."""
    with db.engine.connect().execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True, stream_results=True
    ) as connection:
        yield connection


@contextmanager
def _file(path: Path) -> Iterator[Connection]:
    """An SQLite file in one transaction."""
    engine = create_engine(f"sqlite:///{path}")
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _to_disk(path: Path) -> None:
    """Wait until a file, or what a folder says of its files, would outlast a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Check


def check(path: Path) -> Contents:
    """What a backup holds, after a look at each of its pages. Raises CannotBackUp where it is damaged or none."""
    if not path.is_file():
        raise CannotBackUp(f"There is no file {path}.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as file:
            damage = [row[0] for row in file.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
            damage += [
                f"{row[0]} {row[1]} misses its {row[2]}" for row in file.execute("PRAGMA foreign_key_check")
            ]
            if damage:
                raise CannotBackUp(f"{path} is damaged: {'; '.join(damage[:5])}")
            told = file.execute("SELECT made, secret, version_num FROM backup, alembic_version").fetchall()
            rows = {name: file.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in COUNTED}  # noqa: S608
    except sqlite3.Error as refusal:
        raise CannotBackUp(f"{path} is damaged, or no backup of a scorebook: {refusal}") from None
    try:
        ((made, secret, revision),) = told
        return Contents(datetime.fromisoformat(made), revision, secret, rows)
    except (TypeError, ValueError):
        raise CannotBackUp(f"{path} is damaged: it does not tell when it was made.") from None


# Restore


def restore(path: Path, *, replace: bool = False) -> Contents:
    """Bring a backup into the database of the settings, migrated if it is of an earlier release.

    All of it or, where anything fails, none of it; a database that holds games is left alone unless `replace` is set.
    Raises CannotBackUp.
    """
    contents = check(path)
    if contents.revision not in revisions():
        raise CannotBackUp(
            f"The backup is of a newer release, at {contents.revision}; this one knows it up to {revisions()[-1]}."
        )
    folder = Path(current_app.config["DATA_FOLDER"])
    with _in_plain_words(folder, "The database was left as it was"):
        if not replace and (books := _books_there()):
            raise CannotBackUp(
                f"The database holds {books} books already. To lose them for the backup: --replace"
            )
        with tempfile.TemporaryDirectory(dir=folder, prefix=".restore-") as room:
            ready = Path(room) / "ready.sqlite"
            _copy_file(path, ready)
            _bring_up_to_date(ready)
            _copy_in(ready)
        if contents.secret and not os.environ.get("SECRET_KEY"):
            _keep_secret(folder / "secret", contents.secret)
    return contents


def _books_there() -> int:
    """How many books the database of the settings holds now."""
    found = trouble()
    if found is not None and found.kind == "empty":
        return 0
    if found is not None and found.kind == "silent":
        raise CannotBackUp(found.words)
    with db.engine.connect() as connection:
        return connection.scalar(text("SELECT count(*) FROM book")) or 0


def _copy_file(path: Path, ready: Path) -> None:
    """A copy to work on, without what is in backups alone."""
    shutil.copyfile(path, ready)
    with closing(sqlite3.connect(ready)) as file, file:
        file.execute("DROP TABLE backup")


def _bring_up_to_date(ready: Path) -> None:
    """Migrate a file, as an app of its own."""
    from app import create_app

    settings = {name: current_app.config[name] for name in ("DATA_FOLDER", "SECRET_KEY")}
    app: Flask = create_app(
        settings | {"SQLALCHEMY_DATABASE_URI": f"sqlite:///{ready}", "RATELIMIT_ENABLED": False}
    )
    with app.app_context():
        upgrade()
        models.Game.settle_rest()
        db.session.remove()
        db.engine.dispose()


def _copy_in(ready: Path) -> None:
    """Put what the file holds in place of what the database held, in one transaction."""
    if (path := sqlite_path(db.engine.url)) is not None:
        with closing(sqlite3.connect(ready)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)
        return
    if (found := trouble()) is not None:
        if found.kind == "newer":
            raise CannotBackUp(found.words)
        upgrade()
    with db.engine.begin() as target, _file(ready) as source:
        tables = Base.metadata.sorted_tables
        quoted = target.dialect.identifier_preparer.format_table
        target.execute(text(f"TRUNCATE {', '.join(map(quoted, tables))}"))
        copy_everything(source, target)


def _keep_secret(path: Path, secret: str) -> None:
    """The session secret of the backup becomes this installation's."""
    beside = path.with_name(".secret")
    beside.unlink(missing_ok=True)
    with os.fdopen(
        os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii"
    ) as file:
        file.write(secret)
    _to_disk(beside)
    beside.rename(path)
    _to_disk(path.parent)
