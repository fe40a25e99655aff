"""Backup and restore: from either database into either, whole or not at all."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select, text
from sqlalchemy.engine import make_url

import backup
from app import create_app
from codes import new_key
from database import revisions
from log import Change
from models import Base, Game, Player, db

GAMES = sorted((Path(__file__).parents[1] / "data" / "games").glob("*.json"))
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
OURS = {"Origin": "http://localhost"}


@pytest.fixture
def flask(app, empty):
    """`flask`, where the games are."""
    return commands(app)


def commands(app):
    """`flask` for an app: its result for these arguments, which must work unless told otherwise."""

    def run(*arguments, status=0):
        done = app.test_cli_runner().invoke(args=[str(each) for each in arguments])
        assert done.exit_code == status, done.output
        return done

    return run


BOTH = pytest.mark.parametrize("clean", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def clean(request, app, tmp_path):
    """Makes the app of a clean host; called again it is the app after the next start.

    It is on the database that the test names, on that of `app` otherwise.
    """
    kind = getattr(request, "param", make_url(app.config["SQLALCHEMY_DATABASE_URI"]).get_backend_name())
    settings = {"TESTING": True, "RATELIMIT_ENABLED": False, "DATA_FOLDER": tmp_path / "clean"}
    if kind == "postgresql":
        server = request.getfixturevalue("postgresql")
        admin = create_engine(server, isolation_level="AUTOCOMMIT")
        with admin.connect() as connection:
            connection.execute(text("CREATE DATABASE clean"))
        settings["SQLALCHEMY_DATABASE_URI"] = (
            make_url(server).set(database="clean").render_as_string(hide_password=False)
        )
    made = []

    def make():
        made.append(create_app(settings))
        return made[-1]

    yield make
    for each in made:
        with each.app_context():
            db.engine.dispose()
    if kind == "postgresql":
        with admin.connect() as connection:
            connection.execute(text("DROP DATABASE clean"))
        admin.dispose()


def rows_of(app):
    """Every row of every table."""
    with app.app_context():
        return {
            name: [tuple(row) for row in db.session.execute(select(table).order_by(*table.primary_key))]
            for name, table in Base.metadata.tables.items()
        }


@BOTH
def test_a_backup_is_the_same_scorebook_on_a_clean_host(app, flask, table, clean, tmp_path):
    """Every row is there again on either database, the phone is a keeper still, and the game goes on."""
    flask("demo", *GAMES[:3])
    table.start(*FOUR, dealer=3, order="own", plan="3,2,1", trump="turned", hook=False)
    table.play(bids=[1, 0, 1, 0], tricks=[1, 0, 1, 1]).trump("spades").bid_one(1)
    with app.app_context():
        book = table.game().book
        # Somebody who is shown as a person with a later row.
        book.merge(book.player("Bob"), book.player("Eline"))
        db.session.commit()
    done = flask("backup", tmp_path)
    (path,) = tmp_path.glob("*.sqlite")
    assert done.output.startswith(f"{path}: 2 books, 6 games, ")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.glob("*.*")) == [path]
    assert "games counted, nothing differs" in commands(clean())("restore", path).output
    after = clean()
    assert rows_of(after) == rows_of(app)
    phone = type(table.phone)(after)
    kept = table.phone.client.get_cookie("scorebook")
    phone.client.set_cookie("scorebook", kept.value)
    phone.get(f"/g/{table.code}/hands/2")
    type(table)(phone, table.code).bid(0, 1, 0, 0).over()
    type(table)(phone).start("Farid", "Greta", "Ada", dealer=0, plan="1", order="own", hook=False)
    refused = commands(after)("restore", path, status=1)
    assert "holds 2 books already. To lose them for the backup: --replace" in refused.output
    commands(after)("restore", "--replace", path)
    assert rows_of(after) == rows_of(app)


@BOTH
def test_what_was_taken_back_before_a_backup_is_done_again_after_it(app, flask, table, clean, tmp_path):
    """The numbers that the log remembers are given to nobody meanwhile, on either database."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked", hook=False)
    table.phone.get(f"/g/{table.code}/table")
    for points in (5, 10):
        table.phone.send(table.phone.button("adjust"), seat=0, points=points)
    told = table.totals()
    table.phone.get(f"/g/{table.code}/table")
    table.undo().undo()
    flask("backup", tmp_path / "taken-back.sqlite")
    commands(clean())("restore", tmp_path / "taken-back.sqlite")
    phone = type(table.phone)(clean())
    phone.client.set_cookie("scorebook", table.phone.client.get_cookie("scorebook").value)
    other = type(table)(phone).start(*FOUR, dealer=3, order="own", plan="1")
    phone.get(f"/g/{other.code}/table")
    phone.send(phone.button("adjust"), seat=1, points=5)
    phone.get(f"/g/{table.code}/table")
    for _ in range(2):
        phone.tap("redo")
    assert type(table)(phone, table.code).totals() == told


@pytest.mark.pages
def test_a_backup_is_named_by_its_moment_and_leaves_after_30_days(app, flask, tmp_path):
    """Each night adds a file, and takes away those that are too old and what was cut off; nothing else."""
    days = {29: True, 31: False, 400: False}
    at = {each: tmp_path / (datetime.now(UTC) - timedelta(days=each)).strftime(backup.DATED) for each in days}
    cut_off = tmp_path / f".{at[31].name}{backup.UNFINISHED}"
    no_day = "scorebook-20260230T000000Z.sqlite"
    others = [tmp_path / name for name in ("notes.txt", "scorebook-before-the-move.sqlite", no_day)]
    for path in (*at.values(), *others, cut_off):
        path.write_bytes(b"")
    os.utime(cut_off, (0, 0))
    assert flask("backup", tmp_path).output.count("deleted") == 2
    assert {each: path.exists() for each, path in at.items()} == days
    assert all(path.exists() for path in others)
    assert not cut_off.exists()
    assert flask("backup", tmp_path / "one.sqlite", "--keep", 7).output.count("deleted") == 0
    assert at[29].exists()
    assert "exists already" in flask("backup", tmp_path / "one.sqlite", status=1).output
    assert "There is no folder" in flask("backup", tmp_path / "unmounted", status=1).output
    assert not (tmp_path / "unmounted").exists()


@pytest.mark.target("S20")
def test_a_deleted_name_is_in_no_backup_after_a_week(app, flask, table, tmp_path, monkeypatch):
    """The nightly backup deletes for good first, and not a byte of the name is left in its file."""
    table.start(
        "Xenophilius", "Bruno", "Chiara", dealer=0, order="own", plan="1", trump="untracked", hook=False
    )
    flask("backup", tmp_path / "before.sqlite")
    assert b"Xenophilius" in (tmp_path / "before.sqlite").read_bytes()
    with app.app_context():
        game = table.game()
        game.delete(datetime.now(UTC) - timedelta(days=7, minutes=1))
        db.session.commit()
    flask("backup", tmp_path / "after.sqlite")
    with app.app_context():
        assert Game.find(table.code) is None
        for player in db.session.scalars(select(Player)):
            db.session.delete(player)
        db.session.commit()
    flask("backup", tmp_path / "later.sqlite")
    assert b"Xenophilius" not in (tmp_path / "later.sqlite").read_bytes()


@pytest.mark.pages
def test_a_damaged_file_is_never_restored(app, flask, clean, tmp_path):
    """Cut short, overwritten, of another program or not there: it is told, and nothing is changed."""
    flask("demo", GAMES[0])
    flask("backup", tmp_path / "whole.sqlite")
    whole = (tmp_path / "whole.sqlite").read_bytes()
    flask("restore", "--check", tmp_path / "whole.sqlite")
    broken = {
        "cut.sqlite": whole[: len(whole) // 2],
        "overwritten.sqlite": whole[:30_000] + b"\xff" * 4096 + whole[34_096:],
        "notes.sqlite": b"Bring crisps.",
        "empty.sqlite": b"",
    }
    for name, content in broken.items():
        (tmp_path / name).write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as other:
        other.execute("CREATE TABLE songs (name TEXT)")
    (tmp_path / "newer.sqlite").write_bytes(whole)
    with closing(sqlite3.connect(tmp_path / "newer.sqlite")) as newer, newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    untold = {
        "silent.sqlite": "DELETE FROM backup",
        "twice.sqlite": "INSERT INTO backup SELECT * FROM backup",
        "undated.sqlite": "UPDATE backup SET made = 'last Sunday'",
        "unversioned.sqlite": "DELETE FROM alembic_version",
    }
    for name, statement in untold.items():
        (tmp_path / name).write_bytes(whole)
        with closing(sqlite3.connect(tmp_path / name)) as file, file:
            file.execute(statement)
        assert (
            "does not tell when it was made" in flask("restore", "--check", tmp_path / name, status=1).output
        )
    run = commands(clean())
    for name in (*broken, *untold, "other.sqlite", "missing.sqlite"):
        said = run("restore", tmp_path / name, status=1).output
        assert said.startswith("Error: "), said
        assert "Traceback" not in said
    assert "of a newer release, at 9999" in run("restore", tmp_path / "newer.sqlite", status=1).output
    assert (
        "Run: flask migrate" in run("serve", status=1).output
        or "flask migrate" in run("serve", status=1).output
    )


@BOTH
@pytest.mark.pages
def test_a_restore_that_fails_leaves_everything_as_it_was(app, flask, clean, tmp_path, monkeypatch):
    """The disk is full in the last step: told in a line, and the games of before are still there."""
    flask("demo", GAMES[0])
    flask("backup", tmp_path / "one.sqlite")
    run = commands(clean())
    run("restore", tmp_path / "one.sqlite")
    flask("demo", GAMES[1])
    flask("backup", tmp_path / "two.sqlite")
    stood = rows_of(clean())

    def fail(*_):
        raise sqlite3.OperationalError("database or disk is full")

    for step in ("_copy_in", "_bring_up_to_date", "_copy_file"):
        with monkeypatch.context() as patch:
            patch.setattr(backup, step, fail)
            said = run("restore", "--replace", tmp_path / "two.sqlite", status=1).output
        assert said == "Error: The database was left as it was: database or disk is full\n"
        assert rows_of(clean()) == stood


@pytest.mark.pages
@pytest.mark.parametrize("clean", ["postgresql"], indirect=True)
def test_what_postgresql_refuses_is_told_without_anybody_s_name(flask, clean, tmp_path):
    """Its disk is full in the middle of the players: told in a line, in which no player is."""
    flask("demo", GAMES[0])
    flask("backup", tmp_path / "one.sqlite")
    app = clean()
    run = commands(app)
    run("migrate")
    full = "BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END"
    with app.app_context(), db.engine.begin() as connection:
        connection.execute(text(f"CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $${full}$$"))
        connection.execute(
            text("CREATE TRIGGER fail BEFORE INSERT ON player FOR EACH ROW EXECUTE FUNCTION fail()")
        )
    said = run("restore", tmp_path / "one.sqlite", status=1).output
    assert said == "Error: The database was left as it was: could not extend file\n"
    assert not any(rows_of(app).values())


@BOTH
@pytest.mark.pages
def test_a_backup_of_an_earlier_release_is_migrated(app, flask, clean, tmp_path):
    """Its tables are brought up to date before any of it is brought in."""
    flask("demo", *GAMES[:2])
    flask("backup", tmp_path / "now.sqlite")
    older = create_app(
        {"DATA_FOLDER": tmp_path / "older", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{tmp_path / 'now.sqlite'}"}
    )
    with older.app_context():
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(Path(backup.__file__).parent / "migrations"))
        command.downgrade(config, revisions()[-3])
        db.engine.dispose()
    run = commands(clean())
    done = run("restore", tmp_path / "now.sqlite")
    assert f"at revision {revisions()[-3]}" in done.output
    assert "games counted, nothing differs" in done.output
    assert rows_of(clean())["seat"] == rows_of(app)["seat"]


@pytest.mark.target("T9")
def test_what_was_saved_before_a_backup_began_is_in_it(app, flask, table, clean, tmp_path):
    """Ten saves a second go on meanwhile, none fails, and the restored game is one that was there."""
    table.start(*FOUR, dealer=3, order="own", plan=",".join("1" * 60), trump="untracked", hook=False)
    saved, wrong, done = [], [], threading.Event()

    def keep():
        """Play hand after hand, ten taps a second."""
        for number in range(1, 61):
            bidders = [(number + 3 + step) % 4 for step in range(4)]
            took = {f"tricks-{seat}": int(seat == number % 4) for seat in range(4)}
            seen = {f"was-{seat}": "" for seat in range(4)}
            taps = [("bids", {"seat": seat, "bid": 0, "was": ""}) for seat in bidders]
            for part, fields in (*taps, ("over", {}), ("score", took | seen)):
                if done.wait(0.1):
                    return
                path = f"/g/{table.code}/hands/{number}/{part}"
                answer = table.phone.client.post(path, data={"act": new_key(), **fields}, headers=OURS)
                (saved if answer.status_code == 302 else wrong).append(path)

    writer = threading.Thread(target=keep)
    writer.start()
    before: list[int] = []
    try:
        for night in range(3):
            while len(saved) < 4 * (night + 1) and not wrong:
                time.sleep(0.02)
            before.append(len(saved))
            flask("backup", tmp_path / f"{night}.sqlite")
    finally:
        done.set()
        writer.join()
    assert not wrong
    assert 4 <= before[0] < before[-1]
    log = logged(app)
    run = commands(clean())
    for night, acknowledged in enumerate(before):
        assert "nothing differs" in run("restore", "--replace", tmp_path / f"{night}.sqlite").output
        kept = logged(clean())
        assert len(kept) >= acknowledged
        assert kept == log[: len(kept)]


def logged(app):
    """The taps that are in the log, in their order."""
    with app.app_context():
        return list(db.session.scalars(select(Change.action).order_by(Change.id)))
