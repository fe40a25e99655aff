"""Commands for the operator and for those who have records of games: `flask --help` lists them."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import click
from flask import Flask, current_app, url_for
from flask.cli import with_appcontext

from rules import record
from rules.problem import RulesError
from rules.variants import Rules, variants


def init_app(app: Flask) -> None:
    """Hang the commands into `flask`."""
    for command in (
        migrate,
        move,
        run_server,
        score,
        list_variants,
        demo,
        export,
        import_files,
        keeper,
        recount,
        backup,
        restore,
    ):
        app.cli.add_command(command)


@click.command()
@click.option(
    "--new", is_flag=True, help="Start an empty scorebook where the data folder says that there was one."
)
@click.option(
    "--to",
    "revision",
    default="",
    help="Another revision than the newest: an older release wants its own.",
)
@click.option("--yes", is_flag=True, help="Go back also where something is lost by it.")
@with_appcontext
def migrate(new: bool, revision: str, yes: bool) -> None:
    """Bring the database up to date, the first time make it; or bring it back to where an older release wants it.

    All of it happens or nothing does: whatever stops it leaves the database as it was.
    """
    from database import revisions, trouble, upgrade
    from models import Game

    wanted = revision or revisions()[-1]
    if wanted not in revisions():
        raise click.ClickException(f"There is no revision {wanted}. There are: {' '.join(revisions())}.")
    found = trouble()
    if found is not None and found.kind in ("silent", "newer"):
        raise click.ClickException(found.words)
    if found is not None and found.kind == "empty":
        if _mark().exists() and not new:
            raise click.ClickException(
                f"{found.words}\nThe data folder {_mark().parent} belongs to a scorebook whose database is gone. Is a "
                "disk not mounted, or DATABASE_URL not set? A backup is brought back by: flask restore FILE\n"
                "To start an empty scorebook all the same: flask migrate --new"
            )
        click.echo(f"A new scorebook was started. The data lies: {_data_place()}")
    if not _go_back(wanted, yes):
        upgrade(wanted)
    if wanted == revisions()[-1]:
        Game.settle_rest()
    _put_mark()


def _go_back(wanted: str, yes: bool) -> bool:
    """Bring the database back to an earlier revision, after saying what is lost; False where it is no later one."""
    from database import db, lost_below, revision_of, revisions, upgrade

    at = revision_of(db.engine)
    if at is None or revisions().index(at) <= revisions().index(wanted):
        return False
    if lost := lost_below(wanted):
        click.echo(f"Going back to {wanted} loses:\n" + "\n".join(f"- {line}" for line in lost), err=True)
        if not yes:
            raise click.ClickException("Nothing was done. With a copy of the database kept, say --yes.")
    upgrade(wanted)
    click.echo(f"The database went back from revision {at} to {wanted}.")
    return True


def _mark() -> Path:
    """What tells a data folder that was used from one that is new, should the database be gone."""
    return Path(current_app.config["DATA_FOLDER"]) / "in-use.txt"


def _put_mark() -> None:
    told = f"The games of this scorebook lie: {_data_place()}\nNo empty one is started in their place by mistake.\n"
    if not _mark().exists() or _mark().read_text(encoding="utf-8") != told:
        _mark().write_text(told, encoding="utf-8")


def _data_place() -> str:
    from serve import data_place

    return data_place(current_app)


@click.command()
@click.argument("source")
@with_appcontext
def move(source: str) -> None:
    """Copy everything from the database SOURCE into the empty one of the settings, such as from SQLite to PostgreSQL.

    SOURCE is the file of an SQLite database, or the address of another. Games, logs, keepers and all addresses stay
    as they are. It is kept only if every book is exported from both as the same file. SOURCE itself is only read.
    """
    from sqlalchemy import select

    from app import create_app, database_url
    from database import Base, copy_everything, db, trouble

    if "://" not in source and not Path(source).is_file():
        raise click.ClickException(f"There is no file {source}.")
    url = database_url(source, Path()) if "://" in source else f"sqlite:///{Path(source).absolute()}"
    kept = {name: current_app.config[name] for name in ("DATA_FOLDER", "SECRET_KEY")}
    there = create_app({**kept, "SQLALCHEMY_DATABASE_URI": url})
    with there.app_context():
        old = db.engine
    try:
        with there.app_context():
            apart = trouble()
        if apart or trouble():
            raise click.ClickException(
                "Bring both databases up to date first: flask migrate, with each in the settings."
            )
        if any(db.session.execute(select(table).limit(1)).first() for table in Base.metadata.sorted_tables):
            raise click.ClickException(
                "The database of the settings holds rows already, and this fills an empty one."
            )
        db.session.rollback()
        # First, since PostgreSQL leaves no transaction open for minutes in which nothing is asked.
        with there.app_context():
            files = _files()
        with old.connect() as connection:
            counts = copy_everything(connection, db.session.connection())
        if _files() != files:
            raise click.ClickException(
                "Nothing was kept: a book would be another one there. Did somebody write?"
            )
        db.session.commit()
    finally:
        db.session.rollback()
        old.dispose()
    click.echo(f"{counts['book']} books, {counts['game']} games, {counts['keeper']} keepers are there now.")
    click.echo("Every book is exported from both as the same file.")


def _files() -> dict[str, str]:
    """The digest of every book's file, by its code."""
    from sqlalchemy import select

    import archive
    from database import db
    from models import Book

    digests = {}
    for book in db.session.scalars(select(Book).order_by(Book.id)).all():
        digest = hashlib.sha256()
        for line in archive.book_json(book):
            digest.update(line.encode())
        digests[book.code] = digest.hexdigest()
    return digests


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, help="The port to listen on.")
@with_appcontext
def run_server(host: str, port: int) -> None:
    """Serve the scorebook, and say where to open it. Its database must be there: `flask migrate` makes it."""
    from database import trouble
    from serve import serve

    if (found := trouble(by_writing=True)) is not None:
        raise click.ClickException(found.words)
    serve(current_app._get_current_object(), host, port)  # type: ignore[attr-defined]


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def score(files: tuple[Path, ...], as_json: bool) -> None:
    """Print the totals of game records in FILES, and whether they agree with the recorded ones.

    Exit status 1 if a file disagrees or cannot be read. Needs no database.
    """
    good = True
    for path in files:
        answer = _scored(path)
        good = good and answer["agrees"] is not False and "error" not in answer
        click.echo(json.dumps(answer, ensure_ascii=False) if as_json else _in_words(answer))
    sys.exit(0 if good else 1)


def _scored(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = {"file": str(path)}
    try:
        game = _read(path)
    except RulesError as error:
        return answer | {"agrees": False, "error": [str(each) for each in error.problems]}
    sheet = game.sheet
    wrong = game.disagreements()
    return answer | {
        "players": list(sheet.names),
        "totals": list(sheet.totals),
        "places": list(sheet.places),
        "agrees": not wrong,
        "warnings": [str(each) for each in (*game.warnings, *wrong)],
    }


def _in_words(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return f"{answer['file']}: cannot be read\n" + "\n".join(f"  {each}" for each in answer["error"])
    pairs = zip(answer["players"], answer["totals"], strict=True)
    totals = ", ".join(f"{name} {total}" for name, total in pairs)
    verdict = "agrees" if answer["agrees"] else "DISAGREES"
    lines = [f"{answer['file']}: {totals} ({verdict})"]
    return "\n".join(lines + [f"  {each}" for each in answer["warnings"]])


def _read(path: Path) -> record.Record:
    """The record in a file; RulesError in words for whatever is wrong with it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise RulesError(record.problem("%(reason)s", reason=str(error))) from None
    return record.read(data)


@click.command("variants")
@click.option("--json", "as_json", is_flag=True, help="All of them as one JSON list, with their plans.")
def list_variants(as_json: bool) -> None:
    """List the variants known by name: id, name and how many can play. Needs no database."""
    if as_json:
        click.echo(json.dumps([_described(rules) for rules in variants().values()], ensure_ascii=False))
        return
    for rules in variants().values():
        players = "-".join(str(each) for each in sorted(set(rules.players)))
        click.echo(f"{rules.id:<22} {rules.name:<24} {players}")


def _described(rules: Rules) -> dict[str, Any]:
    """A variant as other programs may want it: what it is called, and all plans it can have."""
    fewest, most = rules.players
    counts = range(fewest, most + 1)
    packs = {str(players): rules.deck.of(players) for players in counts}
    return {
        "id": rules.id,
        "name": rules.name,
        "aliases": list(rules.aliases),
        "players": {"min": fewest, "max": most},
        "deck": packs if len(set(packs.values())) > 1 else packs[str(fewest)],
        "direction": str(rules.direction),
        "hook": rules.hook,
        "plans": {str(players): list(rules.plan(players)) for players in counts},
        "scoring": {
            "made": rules.scoring.made,
            "made_zero": rules.scoring.made_zero,
            "missed": rules.scoring.missed,
        },
        "winner": "lowest" if rules.lowest_wins else "highest",
    }


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@with_appcontext
def demo(files: tuple[Path, ...]) -> None:
    """Fill a book with the games recorded in FILES, two of them still running, and print its links.

    Running it again makes no second copies.
    """
    from sqlalchemy import select

    from codes import new_key
    from database import db
    from models import Book

    now = datetime.now(UTC)
    book = db.session.scalar(select(Book).where(Book.name == DEMO))
    if book is None:
        book = Book.start(new_key(), now, DEMO)
        db.session.flush()
    for path in files:
        game = book.keep_record(_read(path), now)
        click.echo(f"{_address('sheet.sheet', code=game.code)}  {path.stem}")
    for path, played in ((files[-1], 4), (files[0], 1)):
        game = book.keep_record(_beginning(_read(path), played), now)
        hand = game.sheet().open_hand
        if hand is not None:
            click.echo(
                f"{_address('play.hand', code=game.code, number=hand.number)}  {path.stem}, still running"
            )
    key = book.invite(now)
    db.session.commit()
    click.echo(f"{_address('keys.invitation', key=key)}  open this first, to keep these games on a phone")


DEMO = "Demo"


def _beginning(whole: record.Record, played: int) -> record.Record:
    """The same game when so many of its hands were played: its plan goes on."""
    from dataclasses import replace

    sheet = replace(whole.sheet, hands=whole.sheet.hands[:played])
    return replace(whole, id=f"{whole.name}-after-{played}", name="", sheet=sheet, totals=None)


@click.command()
@click.argument("code")
@click.option("--csv", "as_csv", is_flag=True, help="For a spreadsheet, instead of the record.")
@click.option("--bom", is_flag=True, help="CSV with the mark that tells older spreadsheets that it is UTF-8.")
@with_appcontext
def export(code: str, as_csv: bool, bom: bool) -> None:
    """Print a book or a game, by its CODE, as JSON (or CSV), to be kept and to be imported anywhere."""
    import archive
    from models import Game
    from rules import bookfile, spreadsheet

    lines: Iterable[str]
    if (game := Game.find(code)) is not None:
        kept = game.record()
        lines = [spreadsheet.game_csv(kept) if as_csv else bookfile.game_text(kept)]
    else:
        book = _book(code)
        lines = spreadsheet.games_csv(book.records()) if as_csv else archive.book_json(book)
    # As bytes: the same on every system, whatever its terminal makes of texts.
    for line in chain([spreadsheet.BOM] if as_csv and bom else [], lines):
        click.echo(line.encode(), nl=False)


@click.command("import")
@click.argument("code")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--rules", default="classic", show_default=True, help="The variant of a CSV that names none.")
@with_appcontext
def import_files(code: str, files: tuple[Path, ...], rules: str) -> None:
    """Bring the games in FILES into the book with that CODE; `new` makes a book and prints an invitation to it.

    JSON (a game, a list, a book) or CSV, as docs/records.md describes. All is checked first: with one problem nothing
    is brought in. What is there already is left as it is. Others may save meanwhile.
    """
    import archive
    from codes import new_key
    from database import db
    from models import Book

    if rules not in variants():
        raise click.ClickException(f"No variant is called {rules}; flask variants lists them.")
    read, wrong = [], 0
    for path in files:
        try:
            read.append(archive.read(archive.text_of(path.read_bytes()), variants()[rules].write()))
        except RulesError as error:
            wrong += len(error.problems)
            for each in error.problems:
                click.echo(f"{path}: {each}", err=True)
    if wrong:
        raise click.ClickException(f"Nothing was brought in ({wrong} problems).")
    now = datetime.now(UTC)
    is_new = code == "new"
    book = Book.start(new_key(), now) if is_new else _book(code)
    db.session.flush()
    try:
        arrival = archive.weigh(book, archive.together(read))
    except RulesError as error:
        told = "\n".join(str(each) for each in error.problems)
        raise click.ClickException(f"{told}\nNothing was brought in.") from None
    db.session.commit()
    code, number = book.code, book.id
    with click.progressbar(length=len(arrival.games), label="Games", file=sys.stderr) as bar:
        archive.take_in(book, arrival, now, lambda done: bar.update(done - bar.pos))
    click.echo(f"{len(arrival.games)} games brought in, {sum(arrival.is_there)} there already")
    if is_new:
        key = db.session.get_one(Book, number).invite(now)
        db.session.commit()
        click.echo(f"{_address('keys.invitation', key=key)}  open this to keep the book {code} on a phone")


def _book(told: str) -> Any:
    """The book of a code or of an address, its own or that of a game in it."""
    from models import Book, Game

    code = address[1] if (address := re.search(r"/[bg]/(\w+)", told)) else told
    found = Book.find(code)
    if found is None and (game := Game.find(code)) is not None:
        found = game.book
    if found is None:
        raise click.ClickException(f"No book and no game has the code {code}.")
    return found


@click.command()
@click.argument("book")
@with_appcontext
def keeper(book: str) -> None:
    """Print an invitation that makes one phone a keeper of BOOK (its code or address, or that of a game in it).

    It works once, within 24 hours.
    """
    from database import db

    key = _book(book).invite(datetime.now(UTC), timedelta(hours=24))
    db.session.commit()
    click.echo(_address("keys.invitation", key=key))


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--keep",
    default=30,
    show_default=True,
    type=click.IntRange(min=1),
    help="Days after which backups in the folder are deleted, once there is a new one.",
)
@with_appcontext
def backup(target: Path, keep: int) -> None:
    """Write a checked backup into the folder TARGET, or to a new file TARGET.sqlite, while others go on saving.

    First, what was deleted a week ago is deleted for good.
    """
    from sqlalchemy.exc import DBAPIError

    from backup import CannotBackUp, back_up, drop_old
    from database import begin_writing, db, reason_of, trouble
    from models import Game

    now = datetime.now(UTC)
    if trouble() is None:
        try:
            begin_writing()
            Game.purge(now)
            db.session.commit()
        except DBAPIError as refusal:
            db.session.rollback()
            click.echo(f"What was deleted a week ago is still there: {reason_of(refusal)}", err=True)
    try:
        path, contents = back_up(target, now)
    except CannotBackUp as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"{path}: {contents}")
    if target.is_dir():
        for old in drop_old(target, now - timedelta(days=keep)):
            click.echo(f"{old}: deleted, it was older than {keep} days")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Lose what the database holds now.")
@click.option(
    "--check", "only_check", is_flag=True, help="Only look whether the file is whole, and tell what it holds."
)
@click.pass_context
@with_appcontext
def restore(context: click.Context, file: Path, replace: bool, only_check: bool) -> None:
    """Bring the backup FILE into a new, empty scorebook: all of it or nothing. Then count every game anew."""
    from backup import CannotBackUp, check
    from backup import restore as bring_back

    try:
        contents = check(file) if only_check else bring_back(file, replace=replace)
    except CannotBackUp as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"{file}: {contents}")
    if only_check:
        return
    _put_mark()
    if contents.secret:
        click.echo(
            "The phones stay keepers. The servers can be started now; one that runs must be started anew."
        )
    else:
        click.echo(
            "The session secret was not in the backup: the phones stay keepers with the SECRET_KEY of then."
        )
    context.invoke(recount, fix=False)


BATCH = 100
"""Games that are read at a time by `recount`."""


@click.command()
@click.option("--fix", is_flag=True, help="Store what the hands give where something else is stored.")
@with_appcontext
def recount(fix: bool) -> None:
    """Compute what is stored of every finished game anew from its hands, and tell where something else is stored.

    Others may go on writing meanwhile: only a game that is put right is locked, and only for that moment.
    Exit status 1 if something differed and was left so.
    """
    from sqlalchemy import func, select

    from database import begin_writing, db
    from models import Game
    from sitting import Sitting

    games = db.session.scalar(select(func.count(Game.id)).where(Game.finished.is_not(None))) or 0
    last, counted, wrong = 0, 0, 0
    with click.progressbar(length=games, label=f"{games} games", file=sys.stderr) as progress:
        while True:
            found = select(Game).where(Game.id > last, Game.finished.is_not(None))
            batch = db.session.scalars(found.order_by(Game.id).limit(BATCH)).all()
            if not batch:
                break
            last = batch[-1].id
            counted += len(batch)
            told = _miscounted(batch)
            # Nothing read is kept: neither memory nor the database's own log grows with the number of games.
            db.session.rollback()
            db.session.expunge_all()
            progress.update(len(batch))
            for code, lines in told:
                wrong += 1
                click.echo("\n".join(lines))
                if fix:
                    begin_writing()
                    if game := Sitting.find(code, writing=True):
                        game.settle(datetime.now(UTC))
                    db.session.commit()
    verdict = "nothing differs" if not wrong else f"{wrong} put right" if fix else f"{wrong} differ"
    click.echo(f"{counted} games counted, {verdict}")
    sys.exit(1 if wrong and not fix else 0)


def _miscounted(games: Sequence[Any]) -> list[tuple[str, list[str]]]:
    """Which finished games are stored otherwise than their hands give them: the code, and a line a seat."""
    from kept import read, stored_results

    ids = [game.id for game in games]
    kept, stored = read(ids), stored_results(ids)
    return [(game.code, lines) for game in games if (lines := _differences(game, kept[game.id], stored))]


def _differences(game: Any, kept: Any, stored: Mapping[str, Mapping[int, Any]]) -> list[str]:
    from kept import results
    from rules.results import scored_as

    sheet, given = kept.sheet, results(kept)
    if sheet.outcome is None:
        return [f"{game.code}: stored as finished, and its hands say that it goes on"]
    lines = []
    for name, wanted in zip(sheet.names, given["seat"], strict=True):
        there, keys = stored["seat"][wanted["row"]], ("total", "place")
        if any(there[key] != wanted[key] for key in keys):
            lines.append(
                f"{game.code} {name}: {there['total']} points and place {there['place']} are stored, "
                f"the hands give {wanted['total']} and {wanted['place']}"
            )
    differs = any(dict(stored[name][row["row"]]) != row for name, rows in given.items() for row in rows)
    if not lines and (differs or game.scored_as != scored_as(sheet.rules)):
        lines = [f"{game.code}: what statistics need is stored otherwise than the hands give it"]
    return lines


def _address(endpoint: str, **values: Any) -> str:
    """The address of a page at the host of the settings; without one for a person at this computer, to be changed."""
    host = next(iter(current_app.config["HOSTS"]), "127.0.0.1:8000")
    scheme = "https" if current_app.config["HTTPS"] else "http"
    with current_app.test_request_context(base_url=f"{scheme}://{host}"):
        return url_for(endpoint, **values, _external=True)
