"""From one release to the next and back, with games in the database, and stopped at any moment.

`schema-0001.sql` is what the code of the first release wrote (commit 7a9db87, the last one with the first tables
alone): all records by its `flask demo`, and five games tapped through its pages, four of which are still being played.
`schema-0001.json` is what its sheets showed of them, with the keys of the two phones that kept them.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory
from sqlalchemy import event

import archive
from app import create_app
from database import Base, db, revision_of
from models import Book, Game
from rules import record
from rules.variants import classic
from tests.service.conftest import before_statements

ROOT = Path(__file__).parents[2]
DUMP = ROOT / "tests" / "data" / "schema-0001.sql"
OLD = json.loads(DUMP.with_suffix(".json").read_text(encoding="utf-8"))
KEPT, (FIRST_PHONE, SECOND_PHONE) = OLD["kept"], OLD["phones"]
REVISIONS = [each.revision for each in ScriptDirectory(str(ROOT / "migrations")).walk_revisions()][::-1]

NOW = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)
OURS = replace(classic(), name="Ours")
pytestmark = pytest.mark.timeout(240)
KINDS = ("sqlite", "postgresql")
BOTH = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def start(new_database):
    """Makes an app on a database of that kind, empty or a copy of another's; its connections are closed afterwards."""
    made = []

    def make(kind, copied=None):
        there = ""
        if copied:
            with copied.app_context():
                db.engine.dispose()
                there = db.engine.url.database
        url = new_database(kind, there)
        app = create_app(
            {
                "TESTING": True,
                "RATELIMIT_ENABLED": False,
                "SECRET_KEY": "x" * 40,
                "SQLALCHEMY_DATABASE_URI": url,
            }
        )
        made.append(app)
        if kind == "sqlite":
            with app.app_context():
                # Not what is tried here, and every step would wait for the disk.
                event.listen(db.engine, "connect", lambda each, _: each.execute("PRAGMA synchronous = OFF"))
        return app

    yield make
    for app in made:
        with app.app_context():
            db.engine.dispose()


@pytest.fixture
def first_release(start):
    """Makes an app of today on a database of that kind as the first release left it."""

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
    assert migrate(app, "--new", "--to", REVISIONS[0]).exit_code == 0
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
            table: connection.exec_driver_sql(f"SELECT {', '.join(columns)} FROM {table} ORDER BY id").all()
            for table, columns in FIRST_COLUMNS.items()
            if table not in without
        }


def steps(app):
    """Every step in the logs of all games."""
    with app.app_context():
        logged = db.session.scalars(sa.text("SELECT steps FROM change").columns(sa.column("steps", sa.JSON)))
        return [step for each in logged for step in each]


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
    for kept in ("finished", "playing"):
        code = KEPT[kept]
        phone = table_of(app, code, FIRST_PHONE).phone
        hands = {a["href"] for a in phone.get(f"/g/{code}").select(f'a[href*="/g/{code}/hands/"]')}
        for address in (
            *sorted(hands)[-2:],
            *(f"/g/{code}/{page}" for page in ("log", "table", "board", "print")),
        ):
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
def test_the_first_release_comes_up_step_by_step_and_in_one_go(start, first_release, table_of, kind):
    """All totals are what it showed, no fact differs at any revision, and both ways lead to the same files."""
    app = first_release(kind)
    slow = start(kind, app)
    before = facts(app)
    assert len(before["game"]) == len(OLD["sheets"]) == 19
    assert migrate(app).exit_code == 0
    assert facts(app) == before
    assert_kept(app, table_of)
    for revision in REVISIONS[1:]:
        assert migrate(slow, "--to", revision).exit_code == 0
        assert facts(slow) == before, revision
    assert exports(slow) == exports(app)
    goes_on(slow, table_of)


def goes_on(app, table_of):
    """The phones of then bid, count and settle; old steps are taken back, and redone only where nothing followed."""
    assert table_of(app, KEPT["bidding"], FIRST_PHONE).open(15).bid(*[0] * 7).over().phase == "tricks"
    playing = table_of(app, KEPT["playing"], SECOND_PHONE)
    playing.phone.get(f"/g/{playing.code}/table")
    assert playing.phone.has("undo")
    assert not playing.phone.has("redo"), "something else was done since"
    play_on(playing)
    tricks = table_of(app, KEPT["tricks"], FIRST_PHONE).open(2)
    for _ in range(30):
        if not tricks.phone.has("undo"):
            break
        tricks.undo()
    assert (tricks.hand, tricks.phase) == (1, "bids"), "all the way back to the first bid"
    undone = table_of(app, KEPT["undone"], FIRST_PHONE)
    undone.phone.get(f"/g/{undone.code}/table")
    undone.phone.tap("redo")
    assert [each.get_text() for each in undone.open(1).phone.page.select("b.seat-bid")] == ["1"]


def play_on(table):
    """The hand that was played in the first release is played to its end, and pays what it must."""
    table.open(2)
    for seat in (0, 1):
        table.phone.tap(f"tally-{seat}")
    table.over()
    assert table.shown() == {0: 2, 1: 1, 2: 1, 3: 0, 4: 0}
    table.save()
    # The second made the one it bid, the last its zero.
    then = OLD["sheets"][table.code]["totals"]
    assert table.totals() == [then[0], then[1] + 11, then[2], then[3], then[4] + 10]


def shape(app):
    """Every table with its columns, keys, constraints and indexes, by their names."""
    with app.app_context():
        there = sa.inspect(db.engine)
        return {
            table: (
                {each["name"]: (str(each["type"]), each["nullable"]) for each in there.get_columns(table)},
                there.get_pk_constraint(table),
                *(
                    {each["name"]: each for each in find(table)}
                    for find in (
                        there.get_foreign_keys,
                        there.get_unique_constraints,
                        there.get_check_constraints,
                        there.get_indexes,
                    )
                ),
            )
            for table in there.get_table_names()
        }


@BOTH
def test_each_way_back_leads_to_the_very_tables_it_came_from(start, kind):
    """No copy of a table loses a constraint, a name or an index, nor what goes with the row it belongs to."""
    app, shapes = start(kind), {}
    for revision in REVISIONS:
        assert migrate(app, *(["--new"] if not shapes else []), "--to", revision).exit_code == 0
        shapes[revision] = shape(app)
    for revision in REVISIONS[::-1]:
        assert migrate(app, "--to", revision, "--yes").exit_code == 0
        assert shape(app) == shapes[revision], revision


# What the log remembers


def taken_back(table):
    """A hand that was played and somebody who joined with points: all their rows are in the log alone."""
    table.start(*"ABC", dealer=2, order="own", plan="1,1,1", variant="classic", trump="untracked", hook=False)
    table.play(bids=[1, 0, 0], tricks=[0, 1, 0])
    table.phone.get(f"/g/{table.code}/table")
    table.phone.send(table.phone.button("join"), name="D", points=8)
    told = table.totals()
    table.phone.get(f"/g/{table.code}/table")
    table.undo().undo()
    return told


def done_again(table, other):
    """The totals once that is redone, and other games got rows of the same kinds before."""
    taken_back(other)
    for each in (other, table):
        each.phone.get(f"/g/{each.code}/table")
        for _ in range(2):
            each.phone.tap("redo")
    return table.totals()


@BOTH
def test_what_was_taken_back_before_an_upgrade_is_done_again_after_it(start, table_of, kind):
    """Numbers that older releases gave a second time, and those that their `move` forgot, are given no more."""
    app = start(kind)
    assert migrate(app, "--new").exit_code == 0
    table = table_of(app, key=FIRST_PHONE)
    told = taken_back(table)
    assert migrate(app, "--to", "0009").exit_code == 0
    if kind == "postgresql":
        with app.app_context(), db.engine.begin() as connection:
            # As the `move` and the `restore` of those releases left it.
            for name in Base.metadata.tables:
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), "
                    f"coalesce(max(id), 0) + 1, false) FROM {name}"
                )
    assert migrate(app).exit_code == 0
    assert done_again(table, table_of(app, key=SECOND_PHONE)) == told


# Back to an older release, and up again


@pytest.fixture
def lived_in(first_release, table_of):
    """A database of the first release in which the newest one has stored everything that older ones do not know."""

    def make(kind):
        app = first_release(kind)
        assert migrate(app).exit_code == 0
        with app.app_context():
            kept = Game.find(KEPT["finished"], writing=True)
            book = kept.book
            kept.names_in_previews, book.is_shared = True, True
            book.new_recovery(NOW)
            book.keep_rules(OURS, NOW)
            totals_only = {"format": "oh-hell-game/1", "players": ["Ada", "Bruno", "Chiara"], "hands": []}
            totals_only |= {"totals_only": True, "totals": [70, 83, 12], "date": "2026-01-31"}
            book.keep_record(record.read(totals_only), NOW)
            book.merge(book.player("Gretel"), book.player("Greta"))
            db.session.commit()
        table = table_of(app, KEPT["tricks"], FIRST_PHONE)
        table.phone.get(f"/g/{table.code}/table")
        table.phone.send(table.phone.button("take-over"), name="Farid")
        # Dealt anew by this release: its log holds a hand with all of today's columns.
        table.phone.get(f"/g/{KEPT['bidding']}/table")
        table.phone.tap("void")
        table.phone.get(f"/g/{KEPT['undone']}/delete")
        table.phone.tap("delete")
        return app

    return make


@pytest.mark.target("T8")
@BOTH
def test_going_back_says_what_it_loses_and_loses_nothing_else(lived_in, table_of, kind):
    """Nothing is done unasked; with a yes, at every revision down and up again each fact and each total stands."""
    app = lived_in(kind)
    stood, files = facts(app, "change"), exports(app)
    refused = migrate(app, "--to", REVISIONS[0])
    assert refused.exit_code == 1
    for words in (
        "house rules, versions of them: 1;",
        "deleted games: 1;",
        "merged names: 1;",
        "games whose table was changed: 1;",
        "shared books: 1;",
        "recovery links: 1;",
        "codes to watch running games by: ",
        "games whose previews may name the players: 1;",
        "games of which only the totals are known: 1;",
    ):
        assert words in refused.output
    assert "Nothing was done." in refused.output
    assert facts(app, "change") == stood
    for revision in REVISIONS[-2::-1]:
        gone = migrate(app, "--to", revision, "--yes")
        assert gone.exit_code == 0, gone.output
        assert facts(app, "change") == stood, revision
    for table, _, *columns in steps(app):
        assert table in ("hand", "entry", "adjustment"), "the first release takes back nothing else"
        assert {name for each in columns for name in each or ()} <= set(FIRST_COLUMNS[table])
    assert migrate(app).exit_code == 0
    assert facts(app, "change") == stood
    # House rules, the other name and that a game was deleted went with their tables, as was said.
    for code, file in exports(app).items():
        now, then = json.loads(file), json.loads(files[code])
        known = {each["id"] for each in then["games"]}
        assert [each for each in now["games"] if each["id"] in known] == then["games"]
        assert now["house_rules"] == []
    assert app.test_cli_runner().invoke(args=["recount"]).exit_code == 0
    play_on(table_of(app, KEPT["playing"], FIRST_PHONE))


def test_a_database_of_a_newer_release_is_left_alone(first_release):
    """An older release knows no way from there; it says so and what to do, as it does about a revision that is none."""
    app = first_release("sqlite")
    unknown = migrate(app, "--to", "nothing")
    assert "There is no revision nothing. There are: 0001 0002" in unknown.output
    with app.app_context(), db.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for arguments in ((), ("--to", REVISIONS[0], "--yes")):
        refused = migrate(app, *arguments)
        assert refused.exit_code == 1
        assert f"left it at 9999; this one knows it up to {REVISIONS[-1]}" in refused.output


# Stopped at any moment


class PowerCut(Exception):
    """What stops a migration in these tests."""


@contextmanager
def stopped_at(app, number):
    """Statement `number` of a migration is not run any more, nor any after it; gives a list of those before."""
    seen = []

    def stop(_, statement):
        seen.append(statement)
        if len(seen) == number:
            raise PowerCut

    with before_statements(app, stop):
        try:
            yield seen
        finally:
            # As a process does that ends.
            with app.app_context():
                db.engine.dispose()


def everything(app):
    """All rows of all tables there are, but for what comes by chance: the codes to watch by."""
    with app.app_context(), db.engine.connect() as connection:
        tables = sa.MetaData()
        tables.reflect(connection)
        found = {}
        for table in tables.sorted_tables:
            columns = [each for each in table.columns if each.name != "watch_code"]
            found[table.name] = connection.execute(sa.select(*columns).order_by(*table.primary_key)).all()
        return found


def stop_everywhere(app, smooth, share, *arguments):
    """Stop a migration at one in `share` of its statements and at its commit, and let it end after that.

    Wherever it is stopped, every row and column is as before. Then results are kept game by game, and each time it is
    stopped there the next run goes on. In the end all is as where it went smoothly. Gives how often it was stopped.
    """
    with stopped_at(smooth, 0) as seen:
        assert migrate(smooth, *arguments).exit_code == 0
    commit, before, stopped = seen.index("COMMIT") + 1, everything(app), 0
    for number in {*range(1, commit, share), commit}:
        with stopped_at(app, number) as reached:
            assert isinstance(migrate(app, *arguments).exception, PowerCut)
        assert everything(app) == before, reached[-1]
        stopped += 1
    number, done = commit + 1, None
    while number == commit + 1 or isinstance(done.exception, PowerCut):
        with stopped_at(app, number):
            done = migrate(app, *arguments)
        stopped += done.exception is not None
        # From here on only results are missing, and every run settles some games more.
        number = share if number == commit + 1 else number + share
    assert done.exit_code == 0
    assert everything(app) == everything(smooth)
    return stopped


@pytest.mark.target("T8")
@BOTH
@pytest.mark.parametrize("share", [67, pytest.param(1, marks=[pytest.mark.long, pytest.mark.timeout(0)])])
def test_an_upgrade_that_is_stopped_anywhere_did_not_happen(start, first_release, kind, share, figure):
    """Whichever statement is the last, the database is as the first release left it, and the next try succeeds."""
    app = first_release(kind)
    stopped = stop_everywhere(app, start(kind, app), share)
    figure(f"T8: an upgrade on {kind} was stopped at {stopped} statements")
    assert stopped > 3


@pytest.mark.target("T8")
@BOTH
@pytest.mark.long
@pytest.mark.timeout(0)
def test_going_back_that_is_stopped_anywhere_did_not_happen(start, lived_in, kind, figure):
    """The same on the way back."""
    app = lived_in(kind)
    stopped = stop_everywhere(app, start(kind, app), 1, "--to", REVISIONS[0], "--yes")
    figure(f"T8: going back on {kind} was stopped at {stopped} statements")
    assert stopped > 3


KILLED = """
import os, signal, sys
from sqlalchemy import event
from app import create_app
from database import db

app, count = create_app(), 0

def kill(*_):
    global count
    count += 1
    if count == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

with app.app_context():
    event.listen(db.engine, "before_cursor_execute", kill)
app.test_cli_runner().invoke(args=["migrate"])
"""


@pytest.mark.target("T8")
@BOTH
def test_a_killed_upgrade_did_not_happen(first_release, kind, tmp_path):
    """Killed in the middle of its tables, without a chance to clean up; the next try succeeds."""
    app = first_release(kind)
    before = facts(app)
    with app.app_context():
        url = db.engine.url.render_as_string(hide_password=False)
        db.engine.dispose()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, "40"],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": url, "SCOREBOOK_DATA": str(tmp_path)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    with app.app_context():
        assert revision_of(db.engine) == REVISIONS[0]
    assert facts(app) == before
    assert migrate(app).exit_code == 0
    assert facts(app) == before


# From one database to another


@pytest.mark.target("T10")
@pytest.mark.parametrize(
    ("here", "there"),
    [("sqlite", "postgresql"), pytest.param("postgresql", "sqlite", marks=pytest.mark.long)],
)
def test_everything_moves_to_another_kind_of_database(start, lived_in, table_of, tmp_path, here, there):
    """Every row, key and address is there, every book is the same file, and the phones of before go on.

    A book that is exported there and imported here by itself is the same file, too.
    """
    old, new = lived_in(here), start(there)
    assert migrate(new, "--new").exit_code == 0
    with old.app_context():
        url = db.engine.url
    source = url.database if here == "sqlite" else url.render_as_string(hide_password=False)
    run = new.test_cli_runner()
    moved = run.invoke(args=["move", source])
    assert moved.exit_code == 0, moved.output
    assert "2 books, 20 games, 3 keepers are there now." in moved.output
    assert rows(new) == rows(old)
    files = exports(old)
    assert exports(new) == files
    for file in files.values():
        (tmp_path / "book.json").write_bytes(file)
        told = run.invoke(args=["import", "new", str(tmp_path / "book.json")]).output
        (copy,) = re.findall(r"keep the book (\w+) on a phone", told)
        assert run.invoke(args=["export", copy]).stdout_bytes == file
    play_on(table_of(new, KEPT["playing"], FIRST_PHONE))
    table_of(new, key=FIRST_PHONE).start(*"ABC", order="own", plan="1", variant="classic")
    again = run.invoke(args=["move", source])
    assert again.exit_code == 1
    assert "holds rows already" in again.output


@pytest.mark.parametrize(("here", "there"), [*itertools.product(KINDS, KINDS)])
def test_what_was_taken_back_before_a_move_is_done_again_after_it(start, table_of, here, there):
    """The new database goes on numbering where the old one was, not after the last row that is left."""
    old, new = start(here), start(there)
    for app in (old, new):
        assert migrate(app, "--new").exit_code == 0
    table = table_of(old, key=FIRST_PHONE)
    told = taken_back(table)
    with old.app_context():
        url = db.engine.url
    source = url.database if here == "sqlite" else url.render_as_string(hide_password=False)
    assert new.test_cli_runner().invoke(args=["move", source]).exit_code == 0
    moved = table_of(new, table.code, FIRST_PHONE)
    assert done_again(moved, table_of(new, key=SECOND_PHONE)) == told


def rows(app):
    """Every row of every table as the app reads it."""
    with app.app_context():
        tables = Base.metadata.sorted_tables
        return {
            table.name: db.session.execute(sa.select(table).order_by(*table.primary_key)).all()
            for table in tables
        }


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nothing.sqlite", "There is no file nothing.sqlite."),
        ("older", "Bring both databases up to date first"),
        ("changing", "Nothing was kept"),
    ],
)
def test_what_cannot_be_moved_leaves_nothing_behind(start, first_release, monkeypatch, source, words):
    """No file, an older release, a book that somebody still writes in: it is said, and the new database stays empty."""
    new = start("sqlite")
    assert migrate(new, "--new").exit_code == 0
    if source != "nothing.sqlite":
        old = first_release("sqlite")
        if source == "changing":
            assert migrate(old).exit_code == 0
            files = itertools.count()
            monkeypatch.setattr(archive, "book_json", lambda _: [str(next(files))])
        with old.app_context():
            source = db.engine.url.database
    refused = new.test_cli_runner().invoke(args=["move", source])
    assert refused.exit_code == 1
    assert words in refused.output
    assert not any(rows(new).values())
