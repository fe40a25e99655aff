"""From one release to the next and back, with games in the database, and stopped at any moment.

`schema-0001.sql` is what the code of the first release wrote (commit 7a9db87, the last one with the first tables
alone): all records by its `flask demo`, and five games tapped through its pages, four of which are still being played.
`schema-0001.json` is what its sheets showed of them, with the keys of the two phones that kept them.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory
from sqlalchemy import event

from app import create_app
from database import db, revision_of
from models import Book, Game

ROOT = Path(__file__).parents[2]
DUMP = ROOT / "tests" / "data" / "schema-0001.sql"
OLD = json.loads(DUMP.with_suffix(".json").read_text(encoding="utf-8"))
KEPT, (FIRST_PHONE, SECOND_PHONE) = OLD["kept"], OLD["phones"]
REVISIONS = [each.revision for each in ScriptDirectory(str(ROOT / "migrations")).walk_revisions()][::-1]

BOTH = pytest.mark.parametrize("kind", ["sqlite", "postgresql"])


@pytest.fixture
def start(empty_database):
    """Makes an app on a database of that kind, with nothing in it; its connections are closed afterwards."""
    made = []

    def make(kind, url=None, **settings):
        settings = {"TESTING": True, "RATELIMIT_ENABLED": False, "SECRET_KEY": "x" * 40} | settings
        app = create_app(settings | {"SQLALCHEMY_DATABASE_URI": url or empty_database(kind)})
        made.append(app)
        with app.app_context():
            if kind == "sqlite":
                # Not what is tried here, and every step would wait for the disk.
                event.listen(db.engine, "connect", lambda each, _: each.execute("PRAGMA synchronous = OFF"))
        return app

    yield make
    for app in made:
        with app.app_context():
            db.engine.dispose()


@pytest.fixture
def first_release(start):
    """An app of today on a database of that kind as the first release left it."""

    def make(kind):
        app = start(kind)
        with app.app_context():
            (load_sqlite if kind == "sqlite" else load_postgresql)(app)
            assert revision_of(db.engine) == REVISIONS[0]
        return app

    return make


def load_sqlite(app):
    """The dump, as SQLite reads it."""
    with closing(sqlite3.connect(db.engine.url.database)) as file:
        file.executescript(DUMP.read_text(encoding="utf-8"))


def load_postgresql(app):
    """The tables as the first migration makes them there, the rows of the dump in the types of PostgreSQL."""
    assert migrate(app, "--to", REVISIONS[0]).exit_code == 0
    typed = {
        sa.DateTime: datetime.fromisoformat,
        sa.Date: date.fromisoformat,
        sa.Boolean: bool,
        sa.JSON: json.loads,
    }
    tables = sa.MetaData()
    tables.reflect(db.engine)
    with closing(sqlite3.connect(":memory:")) as file, db.engine.begin() as connection:
        file.executescript(DUMP.read_text(encoding="utf-8"))
        file.row_factory = sqlite3.Row
        for table in tables.sorted_tables:
            if table.name == "alembic_version":
                continue
            rows = [dict(row) for row in file.execute(f"SELECT * FROM {table.name}")]
            for column in table.columns:
                read = next((read for kind, read in typed.items() if isinstance(column.type, kind)), None)
                for row in rows if read else ():
                    row[column.name] = row[column.name] and read(row[column.name])
                    if read is bool:
                        row[column.name] = bool(row[column.name])
            if rows:
                connection.execute(table.insert(), rows)
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), max(id)) FROM {table.name}"
                )


def migrate(app, *arguments):
    """`flask migrate`, as an operator types it."""
    return app.test_cli_runner().invoke(args=["migrate", *arguments])


def columns_of_the_first_release():
    """The columns of each table, as they were."""
    with closing(sqlite3.connect(":memory:")) as file:
        file.executescript(DUMP.read_text(encoding="utf-8"))
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            table: [name for _, name, *_ in file.execute(f"PRAGMA table_info({table})")]
            for table in tables
            if table != "alembic_version"
        }


FIRST_COLUMNS = columns_of_the_first_release()


def facts(app, *without):
    """Every row of the first tables, in the columns they had."""
    with app.app_context(), db.engine.connect() as connection:
        return {
            table: connection.exec_driver_sql(
                f"SELECT {', '.join(columns)} FROM {table} ORDER BY id"  # noqa: S608 - names of our own
            ).all()
            for table, columns in FIRST_COLUMNS.items()
            if table not in without
        }


def exports(app):
    """Every book as a file, by its code."""
    with app.app_context():
        codes = db.session.scalars(sa.select(Book.code).order_by(Book.id)).all()
    run = app.test_cli_runner()
    return {code: run.invoke(args=["export", code]).stdout_bytes for code in codes}


def assert_kept(app, table_of):
    """Every total is what the old sheets showed, every page opens, what statistics need is there and right."""
    for code, shown in OLD["sheets"].items():
        table = table_of(app, code)
        assert table.totals() == shown["totals"]
        page = table.phone.page
        assert [each.get_text() for each in page.select(".grid thead bdi")] == shown["players"]
        assert standings(page) == [tuple(each) for each in shown["standings"]]
    for code in KEPT.values():
        phone = table_of(app, code, FIRST_PHONE).phone
        page = phone.get(f"/g/{code}")
        hands = {a["href"] for a in page.select(f'a[href*="/g/{code}/hands/"]') if "correct" not in a["href"]}
        for address in (*hands, f"/g/{code}/log", f"/g/{code}/table", f"/g/{code}/board", f"/g/{code}/print"):
            phone.get(address)
    recounted = app.test_cli_runner().invoke(args=["recount"])
    finished = sum(shown["finished"] for shown in OLD["sheets"].values())
    assert recounted.output.splitlines()[-1] == f"{finished} games counted, nothing differs"
    with app.app_context():
        unsettled = sa.select(sa.func.count(Game.id)).where(
            Game.finished.is_not(None), Game.scored_as.is_(None)
        )
        assert db.session.scalar(unsettled) == 0


def standings(page):
    """Place, name and total, as the sheet ranks them."""
    return [
        (
            int(each.select_one(".standings-place").get_text().rstrip(".")),
            each.bdi.get_text(),
            int(each.select_one(".standings-total").get_text().replace("−", "-")),
        )
        for each in page.select(".standings li")
    ]


@pytest.mark.target("T8")
@BOTH
def test_the_first_release_comes_up_step_by_step_and_in_one_go(first_release, table_of, kind):
    """All totals are what it showed, no fact differs at any revision, and both ways lead to the same files."""
    app = first_release(kind)
    before = facts(app)
    assert len(before["game"]) == len(OLD["sheets"]) == 19
    assert migrate(app).exit_code == 0
    assert facts(app) == before
    assert_kept(app, table_of)
    steps = first_release(kind)
    for revision in REVISIONS[1:]:
        assert migrate(steps, "--to", revision).exit_code == 0
        assert facts(steps) == before, revision
    assert exports(steps) == exports(app)
