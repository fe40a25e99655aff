"""The commands, as an operator types them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from app import create_app
from models import Book, Game, db

GAMES = Path(__file__).parent / "data" / "games"
RECORDS = sorted(GAMES.glob("*.json"))


@pytest.fixture
def flask(tmp_path, monkeypatch):
    """`flask`, on a database of its own: its result for these arguments."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    app = create_app({"TESTING": True, "DATA_FOLDER": tmp_path})
    runner = app.test_cli_runner()
    assert runner.invoke(args=["migrate"]).exit_code == 0

    def run(*arguments):
        return runner.invoke(args=[str(each) for each in arguments])

    run.app = app
    yield run
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def score(tmp_path, monkeypatch):
    """`flask score`, where no database can be reached."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nowhere")
    runner = create_app({"DATA_FOLDER": tmp_path}).test_cli_runner()
    return lambda *arguments: runner.invoke(args=["score", *(str(each) for each in arguments)])


# flask score


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_score_tells_the_totals_and_that_they_agree(score, path):
    """One line a file in words; the same in JSON with the places; no database is asked."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    done = score(path)
    assert done.exit_code == 0
    totals = ", ".join(f"{n} {t}" for n, t in zip(recorded["players"], recorded["totals"], strict=True))
    assert done.output.splitlines()[0] == f"{path}: {totals} (agrees)"
    told = json.loads(score("--json", path).output)
    assert list(told) == ["file", "players", "totals", "places", "agrees", "warnings"]
    assert told["file"] == str(path)
    assert told["players"] == recorded["players"]
    assert told["totals"] == recorded["totals"]
    assert told["places"] == [1 + sum(other > total for other in told["totals"]) for total in told["totals"]]
    assert told["agrees"] is True
    uneven = [f"hands[{at}].tricks" for at, hand in enumerate(recorded["hands"]) if hand.get("uneven")]
    assert [each.partition(":")[0] for each in told["warnings"] if ".tricks:" in each] == uneven


def test_score_takes_many_files_and_tells_each_on_its_line(score):
    """All twelve at once give twelve objects, in the order of the files."""
    done = score("--json", *RECORDS)
    assert done.exit_code == 0
    assert [json.loads(line)["file"] for line in done.output.splitlines()] == [str(path) for path in RECORDS]


def test_score_names_who_disagrees_with_both_numbers(score, tmp_path):
    """A total that does not follow from the hands is told, and the exit status says so."""
    recorded = json.loads(RECORDS[-1].read_text(encoding="utf-8"))
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(recorded | {"totals": [recorded["totals"][0] + 1, *recorded["totals"][1:]]}))
    done = score(path, RECORDS[0])
    assert done.exit_code == 1
    assert "(DISAGREES)" in done.output
    right = recorded["totals"][0]
    said = f"{recorded['players'][0]}: the hands give {right}, the record says {right + 1}"
    assert said in done.output
    assert "(agrees)" in done.output, "the other file is told all the same"
    told = json.loads(score("--json", path).output)
    assert told["agrees"] is False
    assert said in told["warnings"][-1]


BROKEN = {
    "no JSON": ("{", "line 1 column 2"),
    "no object": ("[]", "a game record is an object"),
    "another format": ('{"format": "oh-hell-game/2"}', "format: the format is oh-hell-game/2"),
    "a bid beyond the cards": (
        """{"format": "oh-hell-game/1", "players": ["Ada", "Bruno"],
            "hands": [{"cards": 1, "bids": [0, 2], "tricks": [1, 0]}]}""",
        "hands[0].bids[1]: 2 with 1 card dealt",
    ),
    "tricks that do not add up": (
        """{"format": "oh-hell-game/1", "players": ["Ada", "Bruno"],
            "hands": [{"cards": 2, "bids": [0, 1], "tricks": [1, 0]}]}""",
        "hands[0].tricks: 1 of 2 tricks: 1 is missing",
    ),
    "deeper than deep": ("[" * 100_000, ""),
    "no text": ("\ud800", "utf-8"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_score_tells_what_is_wrong_with_a_broken_file(score, tmp_path, name):
    """The file and the place are named, and the exit status says so."""
    written, said = BROKEN[name]
    path = tmp_path / "broken.json"
    path.write_bytes(written.encode("utf-8", "surrogatepass"))
    done = score(path)
    assert done.exit_code == 1
    assert done.output.startswith(f"{path}: cannot be read\n")
    assert said in done.output
    told = json.loads(score("--json", path).output)
    assert told["agrees"] is False
    assert any(said in each for each in told["error"])


def test_score_tells_that_a_file_is_not_there(score, tmp_path):
    """A mistyped name is told like a broken file, and the others are scored."""
    done = score(tmp_path / "nothing.json", RECORDS[0])
    assert done.exit_code == 1
    assert "nothing.json: cannot be read" in done.output
    assert "(agrees)" in done.output


# flask demo and flask keeper


def test_demo_fills_a_book_once(flask):
    """Games, two of them running, and links to open; the second time nothing is doubled."""
    first = flask("demo", *RECORDS)
    assert first.exit_code == 0
    links = re.findall(r"http://\S+", first.output)
    assert len(links) == len(RECORDS) + 3
    with flask.app.app_context():
        book = db.session.scalars(db.select(Book)).one()
        assert len(book.games) == len(RECORDS) + 2
        assert len(book.running_games()) == 2
    second = flask("demo", *RECORDS)
    assert second.exit_code == 0
    # The invitation is a new one each time, the games are the same.
    assert re.findall(r"http://\S+/g/\S+", second.output) == re.findall(r"http://\S+/g/\S+", first.output)
    with flask.app.app_context():
        assert db.session.scalar(db.select(db.func.count(Game.id))) == len(RECORDS) + 2
        assert db.session.scalar(db.select(db.func.count(Book.id))) == 1


def test_the_links_of_the_demo_open(flask):
    """Each link shows its page, and the invitation makes a keeper of the phone."""
    links = re.findall(r"http://127.0.0.1:8000(\S+)", flask("demo", *RECORDS[-2:]).output)
    client = flask.app.test_client()
    for link in links:
        assert client.get(link).status_code == 200
    assert client.post(links[-1], headers={"Origin": "http://localhost"}).status_code == 302
    assert client.get("/").text.count('class="running"') == 2


@pytest.mark.parametrize("by", ["book", "game", "address"])
def test_keeper_invites_a_phone_by_the_code_of_the_book_or_of_a_game(flask, by):
    """Who has lost every phone gets back in with an address that works once."""
    flask("demo", RECORDS[0])
    with flask.app.app_context():
        book = db.session.scalars(db.select(Book)).one()
        code = book.code if by == "book" else book.games[0].code
        code = f"https://scores.example/g/{code}/hands/3" if by == "address" else code
    done = flask("keeper", code)
    assert done.exit_code == 0
    (link,) = re.findall(r"http://127.0.0.1:8000(/k/\S+)", done.output)
    client = flask.app.test_client()
    assert client.post(link, headers={"Origin": "http://localhost"}).status_code == 302
    assert client.get(link).status_code == 404
    assert 'class="running"' in client.get("/").text


def test_keeper_knows_no_other_code(flask):
    """An unknown code is told, and no key is made."""
    done = flask("keeper", "nothing")
    assert done.exit_code == 1
    assert "No book and no game has the code nothing." in done.output


def test_recount_tells_what_is_stored_otherwise_and_puts_it_right(flask):
    """A clean book differs nowhere; a wrong total, place or end is told by name and put right only when asked to."""
    flask("demo", *RECORDS)
    clean = flask("recount")
    assert clean.exit_code == 0
    assert clean.output.splitlines()[-1] == f"{len(RECORDS)} games counted, nothing differs"
    with flask.app.app_context():
        first, second, third = db.session.scalars(
            db.select(Game).where(Game.finished.is_not(None)).order_by(Game.id).limit(3)
        )
        code, name, total, place = (
            first.code,
            first.seats[0].player.name,
            first.seats[0].total,
            first.seats[0].place,
        )
        first.seats[0].total, first.seats[0].place = total + 7, place + 1
        second.seats[-1].total = None
        third.hands[-1].is_closed, third.ended_early = False, False
        ended, again = second.finished, third.code
        db.session.commit()
    told = flask("recount")
    assert told.exit_code == 1
    assert (
        f"{code} {name}: {total + 7} points and place {place + 1} are stored, the hands give {total} and {place}"
        in told.output
    )
    assert f"{again}: stored as finished, and its hands say that it goes on" in told.output
    assert told.output.splitlines()[-1] == f"{len(RECORDS)} games counted, 3 differ"
    assert flask("recount").output == told.output, "nothing is put right unasked"
    fixed = flask("recount", "--fix")
    assert fixed.exit_code == 0
    assert fixed.output.splitlines()[-1] == f"{len(RECORDS)} games counted, 3 put right"
    assert flask("recount").output.splitlines()[-1] == f"{len(RECORDS) - 1} games counted, nothing differs"
    with flask.app.app_context():
        assert Game.find(code).seats[0].total == total
        assert db.session.get(Game, second.id).finished == ended


def test_recount_keeps_nobody_from_writing(flask, monkeypatch):
    """While it counts, and between two games it puts right, somebody else can save."""
    import cli

    flask("demo", *RECORDS)
    with flask.app.app_context():
        for game in db.session.scalars(db.select(Game).where(Game.finished.is_not(None))):
            game.seats[0].total += 1
        db.session.commit()
    saved, counted = [], cli._miscounted

    def save_meanwhile(games):
        """Another process writes, and would not wait a moment for the lock."""
        with sqlite3.connect(flask.app.config["DATA_FOLDER"] / "scorebook.sqlite", timeout=0) as other:
            saved.append(other.execute("UPDATE book SET name = 'saved meanwhile'").rowcount)
        return counted(games)

    monkeypatch.setattr(cli, "BATCH", 2)
    monkeypatch.setattr(cli, "_miscounted", save_meanwhile)
    assert flask("recount", "--fix").output.endswith(f"{len(RECORDS)} put right\n")
    assert saved == [1] * -(-len(RECORDS) // 2)


def test_migrate_may_be_run_again(flask):
    """Bringing an up-to-date database up to date does nothing."""
    assert flask("migrate").exit_code == 0


# flask export and flask import


@pytest.fixture
def exported(flask, tmp_path):
    """A book with all recorded games, and the file of it."""
    done = flask("import", "new", *RECORDS)
    assert done.exit_code == 0, done.output
    (code,) = re.findall(r"keep the book (\w+) on a phone", done.output)
    path = tmp_path / "book.json"
    path.write_bytes(flask("export", code).stdout_bytes)
    return code, path


@pytest.mark.target("T10")
def test_a_book_moves_from_one_place_to_another(flask, exported):
    """Exported and imported into a new book it is the same file again; the invitation makes a keeper."""
    code, path = exported
    done = flask("import", "new", path)
    assert f"{len(RECORDS)} games brought in, 0 there already" in done.output
    (copy,) = re.findall(r"keep the book (\w+) on a phone", done.output)
    assert copy != code
    assert flask("export", copy).stdout_bytes == path.read_bytes()
    (link,) = re.findall(r"http://127.0.0.1:8000(/k/\S+)", done.output)
    client = flask.app.test_client()
    assert client.post(link, headers={"Origin": "http://localhost"}).status_code == 302
    assert "kachuful-04" in client.get("/").text


def test_an_import_changes_nothing_the_second_time(flask, exported):
    """What is there already is told and left alone, by the code of the book or of a game in it."""
    code, path = exported
    with flask.app.app_context():
        game = db.session.scalars(db.select(Game)).first().code
    for known in (code, game):
        done = flask("import", known, path, path)
        assert done.exit_code == 0
        assert f"0 games brought in, {2 * len(RECORDS)} there already" in done.output
    assert flask("export", code).stdout_bytes == path.read_bytes()


def test_an_import_with_one_problem_brings_nothing_in(flask, exported, tmp_path):
    """File and place are told; the good files wait until all are good."""
    code, path = exported
    bad = tmp_path / "bad.csv"
    bad.write_text("cards;Ada bid;Ada took;Bruno bid;Bruno took\n2;1;1;1;0\n", encoding="utf-8")
    good = tmp_path / "good.csv"
    good.write_text("player;total\nAda;1\nBruno;2\n", encoding="utf-8")
    done = flask("import", code, good, bad)
    assert done.exit_code == 1
    assert f"{bad}: line 2: 1 of 2 tricks: 1 is missing" in done.output
    assert "Nothing was brought in (1 problems)." in done.output
    assert flask("export", code).stdout_bytes == path.read_bytes()
    assert flask("import", code, good).exit_code == 0
    assert flask("import", code, good, "--rules", "bridge").exit_code == 1


def test_export_writes_a_game_or_a_book_for_spreadsheets_too(flask, exported):
    """One game as a record or a sheet, a book as lines; the mark for Excel only where it is asked for."""
    code, _path = exported
    with flask.app.app_context():
        game = db.session.scalars(db.select(Game)).first().code
    assert json.loads(flask("export", game).stdout)["players"]
    assert flask("export", game, "--csv").stdout_bytes.count(b"\r\n") > 5
    lines = flask("export", code, "--csv", "--bom").stdout_bytes
    assert lines.startswith(b'\xef\xbb\xbf"game"')
    assert lines.count(b"\r\n") > 500


def test_export_and_import_know_no_other_code(flask):
    """An unknown code is told."""
    assert "No book and no game has the code nothing." in flask("export", "nothing").output
    assert "No book and no game has the code nothing." in flask("import", "nothing", RECORDS[0]).output
