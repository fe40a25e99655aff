"""Export and import: what comes out goes in again, nothing comes in by halves, no text becomes a formula or mark-up."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import archive
from models import Book, Game, db
from rules import bookfile, record, spreadsheet
from rules.variants import classic

RECORDS = sorted((Path(__file__).parents[1] / "data" / "games").glob("*.json"))
GAMES = [json.loads(path.read_text(encoding="utf-8")) for path in RECORDS]
SHORT = min(GAMES, key=lambda game: len(game["hands"]))
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
NOW = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)

HOSTILE = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "<svg/onload=alert(1)>",
    "</title><script>alert(1)</script>", "</textarea><script>x()</script>", "</option></select><b>x</b>",
    "javascript:alert(1)", "{{7*7}}{% raw %}", "%(name)s %s %d", "&ltb&gt &amp &#60b",
    "</bdi></table><form action=//x>", "<!-- --><style>*{}</style>", "\\u003cscript\\u003e", "<iframe src=//x>",
    "<body onload=alert(1)>", "`${alert(1)}`", "<a href=javascript:alert(1)>x</a>", "<math><mi//xlink:href=x>",
    "<details open ontoggle=alert(1)>", '"autofocus onfocus="x', "x' OR '1'='1", "'; DROP TABLE player; --",
    "../../etc/passwd", "..\\..\\win.ini", "CON", "a/b\\c:d*e?f|g", "=1+1", '=HYPERLINK("http://x")',
    "=cmd|' /C calc'!A0", "+1+1", "-1+1", "-10", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠x", "'=1+1", ",;\t|", '"',
    '""', 'a"b,c;d', "Zoë 🐺", "נועה", "<b>Bo</b>", "İstanbul", "ﷺ", "e\u0301\u0301", "👩\u200d👧",
)  # fmt: skip
"""Names that mean something to a browser, a spreadsheet, a database or a file system."""


@pytest.fixture
def book(app, empty):
    """An empty book, inside the app's context."""
    with app.app_context():
        yield new_book()
        db.session.remove()


def new_book():
    """One more book."""
    book = Book.start(f"the key of a phone {random.random()}", NOW)
    db.session.commit()
    return book


def kept(book, *games):
    """The book with these games in it, given as plain data."""
    archive.take_in(book, archive.weigh(book, bookfile.read([*games])), NOW)
    return again(book)


def again(book):
    """The book as the database has it now."""
    db.session.rollback()
    return Book.find(book.code)


def exported(book):
    """The whole book as a file."""
    return "".join(archive.book_json(book))


def moved(text):
    """What another, empty book exports after it took this file in."""
    book = new_book()
    archive.take_in(book, archive.weigh(book, archive.read(text, {})), NOW)
    return exported(again(book))


def hostile_game(names, **more):
    """A short game of these people, with hostile words wherever words may stand."""
    count = len(names)
    last = [0] * (count - 1)
    first = {"cards": 1, "dealer": names[0], "trump": "hearts", "bids": [0] * count, "tricks": [1, *last]}
    second = {"cards": 2, "bids": [1] * count, "tricks": [*last, 2]}
    reason = "@reason <script>x</script>"
    return {
        "format": record.FORMAT,
        "name": "=name <b>",
        "place": "+place",
        "note": '-note\r\n"two"\tlines',
        "rules": {"variant": "classic", "hook": False, "name": "=rules <i>"},
        "players": [*names],
        "hands": [{**first, "note": "=note\nline 2"}, second],
        "adjustments": [{"hand": 1, "player": names[-1], "points": -10, "reason": reason}],
        **more,
    }


# Out and in again


@pytest.mark.target("T10")
@pytest.mark.parametrize("at", range(len(GAMES)), ids=[path.stem for path in RECORDS])
def test_every_recorded_game_survives_the_journey(book, at):
    """Exported, taken into an empty book and exported there, a game has the same bytes and the same totals."""
    book = kept(book, GAMES[at])
    (game,) = book.games
    first = bookfile.game_text(game.record())
    assert json.loads(first)["totals"] == GAMES[at]["totals"]
    other = new_book()
    archive.take_in(other, archive.weigh(other, archive.read(first, {})), NOW)
    (arrived,) = again(other).games
    assert bookfile.game_text(arrived.record()) == first
    assert arrived.code != game.code


@pytest.mark.target("T10")
def test_a_whole_book_survives_the_journey(book):
    """Names, other names, house rules, running games, totals only: the file of the copy has the same bytes."""
    past = {
        "players": ["Adi", "Greta"],
        "hands": [],
        "totals": [71, -3],
        "totals_only": True,
        "format": record.FORMAT,
    }
    book = kept(book, *GAMES, {**past, "played_on": "2019-12-24", "finished": "2019-12-24T23:00:00+01:00"})
    running = json.loads(json.dumps(GAMES[5]))
    running["plan"] = [hand["cards"] for hand in running["hands"]] + [4, 4]
    del running["totals"]
    book = kept(book, {**running, "id": "running"})
    book.name = "Friday"
    book.merge(book.player("Adi"), book.player("Ada"))
    book.keep_rules(classic(), NOW)
    db.session.commit()
    first = exported(book)
    assert first == exported(again(book)), "the same book has the same bytes"
    told = json.loads(first)
    assert list(told) == ["format", "name", "players", "house_rules", "games"]
    assert {"name": "Ada", "aliases": ["Adi"], "since": "2019-12-24"} in told["players"]
    assert len(told["games"]) == len(GAMES) + 2
    assert moved(first) == first


@pytest.mark.target("T10")
@pytest.mark.parametrize("part", range(0, len(HOSTILE), 12))
def test_hostile_names_and_words_survive_the_journey(book, part):
    """Whatever people are called, and whatever they write, is the same on the other side."""
    names = HOSTILE[part : part + 12]
    book = kept(book, hostile_game(names))
    first = exported(book)
    (told,) = json.loads(first)["games"]
    assert [told["players"][seat] for seat in range(len(names))] == [*map(record.names.tidy, names)]
    assert told["note"] == hostile_game(names)["note"]
    assert moved(first) == first


def test_a_file_comes_in_once(book):
    """What is there already stays as it is, by its id or, without one, by its content."""
    book = kept(book, *GAMES)
    text = exported(book)
    assert archive.weigh(book, archive.read(text, {})).is_nothing
    assert archive.weigh(book, bookfile.read(GAMES)).games == []
    before = len(book.games)
    archive.take_in(book, archive.weigh(book, archive.read(text, {})), NOW)
    assert len(again(book).games) == before
    assert exported(again(book)) == text


def test_a_file_carries_no_right(book):
    """Codes, keys, keepers and numbers of rows in a file mean nothing, and none is in one that we write."""
    book = kept(book, GAMES[0])
    told = json.loads(exported(book))
    with_rights = {
        **told,
        "code": "a" * 26, "keepers": [{"key_hash": "x"}], "id": 1, "is_shared": True, "invitations": ["x"],
        "games": [{**told["games"][0], "code": "b" * 26, "book_id": book.id, "action": "x", "version": 9}],
    }  # fmt: skip
    other = new_book()
    code, keepers = other.code, len(other.keepers)
    archive.take_in(other, archive.weigh(other, bookfile.read(with_rights)), NOW)
    other = again(other)
    assert (other.code, len(other.keepers), other.is_shared) == (code, keepers, False)
    assert (other.games[0].version, other.games[0].book_id) == (1, other.id)
    text = exported(other)
    for secret in (other.code, other.games[0].code, *(each.key_hash for each in other.keepers)):
        assert secret not in text


def test_a_new_game_is_not_called_by_its_address_in_records(table, app):
    """Who has an export cannot watch the games in it."""
    table.start(*FOUR, order="own", plan="1", trump="untracked")
    answer = table.phone.client.get(f"/g/{table.code}.json")
    assert table.code not in answer.text
    assert json.loads(answer.text)["players"] == [*FOUR]


def test_a_deleted_game_comes_back_with_its_file(book):
    """Export, delete, import: it is there again, at its address."""
    book = kept(book, GAMES[0])
    text, code = exported(book), book.games[0].code
    book.games[0].delete(NOW)
    db.session.commit()
    assert json.loads(exported(book))["games"] == []
    archive.take_in(book, archive.weigh(book, archive.read(text, {})), NOW)
    assert exported(again(book)) == text
    assert again(book).games[0].code == code


def test_two_names_of_one_person_at_one_table_are_told(book):
    """Where the book knows that Ada and Adi are one, a game with both is refused before anything is written."""
    book.merge(book.player("Adi"), book.player("Ada"))
    db.session.commit()
    game = {**GAMES[0], "players": ["Ada", "Adi"]}
    with pytest.raises(
        bookfile.RulesError, match=re.escape("games[0].players[1]: Adi and Ada are one person in this book")
    ):
        archive.weigh(book, bookfile.read([game]))


def test_others_save_while_a_large_file_comes_in(app, empty):
    """Another phone that wants to write gets its turn between two portions."""
    with app.app_context():
        code = new_book().code
        db.session.remove()
    waited, is_done = [], threading.Event()

    def other():
        with app.app_context():
            while not is_done.is_set():
                begun = time.monotonic()
                archive.begin_writing()
                db.session.commit()
                waited.append(time.monotonic() - begun)
                time.sleep(0.05)

    phone = threading.Thread(target=other)
    with app.app_context():
        phone.start()
        games = [{**GAMES[-1], "id": f"game {number}"} for number in range(25)]
        book = Book.find(code)
        told = []
        try:
            archive.take_in(book, archive.weigh(book, bookfile.read(games)), NOW, told.append)
        finally:
            is_done.set()
            phone.join()
        assert told == [5, 10, 15, 20, 25]
        assert Book.find(code).count_games() == 25
        db.session.remove()
    assert len(waited) > 3
    assert max(waited) < 3, "seconds; a phone gives up after five"


# For spreadsheets


def cells(text):
    """The cells of a CSV, line by line."""
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.pages
@pytest.mark.target("S11")
def test_no_text_is_a_formula_and_numbers_stay_numbers(book):
    """In both layouts each text that a spreadsheet would work out starts with an apostrophe, and -10 is a number."""
    for part in range(0, len(HOSTILE), 12):
        book = kept(book, hostile_game(HOSTILE[part : part + 12], id=str(part)))
    texts = [spreadsheet.game_csv(game) for game in book.records()]
    texts.append("".join(spreadsheet.games_csv(book.records())))
    for text in texts:
        assert all(len(row) == len(cells(text)[-1]) for row in cells(text)[6:])
        for cell in (cell for row in cells(text) for cell in row):
            dangerous = cell.lstrip().startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
            assert not dangerous or re.fullmatch(r"-[0-9]+", cell), cell
        assert re.search(r",-10,", text), "points stand bare, with their sign"
        # A name that looks like a number is a text all the same.
        assert '"-10' not in text
    assert '"\'-10 bid"' in "".join(texts)
    assert "'=1+1" in "".join(cell for row in cells(texts[-1]) for cell in row)


@pytest.mark.pages
def test_a_note_of_several_lines_stays_in_its_cell(book):
    """Line breaks, quotes and separators come out of a CSV as they went in."""
    book = kept(book, hostile_game(FOUR))
    rows = cells("".join(spreadsheet.games_csv(book.records())))
    notes = {row[-1] for row in rows}
    assert "'=note\nline 2" in notes
    wide = cells(spreadsheet.game_csv(next(book.records())))
    assert ["note", '\'-note\r\n"two"\tlines'] in wide


@pytest.mark.parametrize("at", range(len(GAMES)), ids=[path.stem for path in RECORDS])
@pytest.mark.pages
def test_a_game_exported_as_csv_can_be_read_again(at):
    """The paper sheet of a game gives the same hands and totals, also where players came and went."""
    game = record.read(GAMES[at])
    rules = game.sheet.rules.write()
    text = spreadsheet.game_csv(game).replace(f'"rules","{game.sheet.rules.name}"\r\n', "")
    (read,) = archive.read(text, rules).games
    assert read.sheet.totals == game.sheet.totals
    assert [hand.bids for hand in read.sheet.hands] == [hand.bids for hand in game.sheet.hands]
    assert [hand.trump for hand in read.sheet.hands] == [hand.trump for hand in game.sheet.hands]


def test_the_downloads_are_files_with_safe_names(table):
    """A spreadsheet, with or without the mark for Excel, and a record; no name of a file leads anywhere."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    with table.phone.client.application.app_context():
        game = table.game()
        game.name, book = '../Zoë\r\n";x="', game.book.code
        game.book.name = "=cmd/..\\ נועה"
        db.session.commit()
    client = table.phone.client
    for path in (
        f"/g/{table.code}.csv",
        f"/g/{table.code}.json?download",
        f"/b/{book}/book.csv",
        f"/b/{book}/book.json",
    ):
        answer = client.get(path)
        named = answer.headers["Content-Disposition"]
        assert re.fullmatch(
            r"attachment; filename=\"[\w-]+\.(csv|json)\"; filename\*=UTF-8''[\w%-]+\.(csv|json)", named
        )
        assert answer.text.count("Bruno")
    assert client.get(f"/g/{table.code}.csv?bom").data.startswith(b"\xef\xbb\xbf")
    assert client.get(f"/b/{book}/book.csv?bom").data.startswith(b"\xef\xbb\xbf")
    assert "Content-Disposition" not in client.get(f"/g/{table.code}.json").headers


# Names in every view


@pytest.mark.pages
@pytest.mark.target("S10")
@pytest.mark.parametrize("part", range(0, len(HOSTILE), 12))
def test_names_are_never_mark_up_in_what_is_exported_or_printed(keeping, app, part):
    """Preview, print, lists, questions and files show hostile names as text; nothing in them is an element."""
    names = HOSTILE[part : part + 12]
    phone, code = keeping, keeping.book.removeprefix("/b/")
    phone.get(f"/b/{code}/import")
    pages = [phone.post(f"/b/{code}/import", {"text": json.dumps([hostile_game(names)])})]
    assert record.names.tidy(names[0]) in phone.text
    phone.send(phone.button("keep"))
    with app.app_context():
        (game,) = [each for each in Book.find(code).games if each.name == "=name <b>"]
        game_code, numbers = game.code, [seat.player_id for seat in game.seats[:3]]
    pages += [
        phone.get(f"/g/{game_code}{page}")
        for page in ("", "/export", "/print", "/print?blank", "/print?blank=new", "/board", "/log")
    ]
    pages += [
        phone.get(f"/b/{code}{page}") for page in ("/export", "/past", "/import", "/players", "/delete")
    ]
    pages += [phone.get(f"/b/{code}/players/{number}/forget") for number in numbers]
    pages.append(
        phone.post(
            f"/b/{code}/past", {"act": "a-tap-of-its-own", "players-0": names[0], "totals-0": names[1]}, 422
        )
    )
    pages.append(phone.post(f"/b/{code}/import", {"text": f"player;total\n{names[0]};{names[1]}"}, 422))
    phone.get(f"/g/{game_code}/delete")
    phone.tap("delete")
    pages += [phone.page, phone.get(f"/b/{code}/deleted"), phone.get(f"/g/{game_code}/erase")]
    foreign = "img, iframe, style, math, object, embed, base, [autofocus], [onload], [onerror], [onfocus], [ontoggle]"
    for page in pages:
        assert len(page.select("script")) == len(page.select("script[src^='/static/']"))
        assert not page.select(
            f"{foreign}, form[action^='//'], a[href^='javascript'], main body, bdi b, bdi form"
        )
    for path in (f"/b/{code}/games.json", f"/b/{code}/players.json"):
        answer = phone.client.get(path)
        assert (answer.mimetype, answer.headers["X-Content-Type-Options"]) == ("application/json", "nosniff")
        json.loads(answer.text)


# Bringing games in, through the pages


@pytest.fixture
def keeping(table):
    """A phone that keeps a book, and the address of the book."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked")
    with table.phone.client.application.app_context():
        table.phone.book = f"/b/{table.game().book.code}"
    return table.phone


def test_a_file_is_looked_at_and_then_brought_in(keeping, rows):
    """Sent as a file, shown with what it would bring; only the yes writes; the second time nothing is left to do."""
    before = rows()
    keeping.get(f"{keeping.book}/export")
    keeping.follow("Import")
    file = (io.BytesIO(json.dumps(GAMES).encode("utf-8-sig")), "games.json")
    keeping.post(f"{keeping.book}/import", {"file": file, "rules": "classic", "text": ""})
    counts = [int(each.get_text()) for each in keeping.page.select(".counts dd")]
    assert counts[:2] == [len(GAMES), 0]
    assert "Eline" in keeping.text
    assert rows() == before
    keeping.tap("keep")
    assert f"{len(GAMES)} games came in." in keeping.text
    assert len(rows("game")["game"]) == len(before["game"]) + len(GAMES)
    keeping.post(f"{keeping.book}/import", {"text": json.dumps(GAMES)})
    assert "All of it is in the book already." in keeping.text
    assert not keeping.has("keep")


def spoiled(what, value):
    """A good game with one list of its second hand, or one of its own keys, replaced."""
    game = json.loads(json.dumps(GAMES[2]))
    (game["hands"][1] if what in game["hands"][1] else game)[what] = value
    return game


@pytest.mark.parametrize("page", ["import", "past"])
def test_a_double_tap_brings_a_game_in_once(keeping, app, page):
    """Two requests at the same moment have one effect, and both are answered well."""
    past = {"act": "one-and-the-same", "played_on": "2019-12-24", "players-0": "Ada", "totals-0": "1"}
    forms = {
        "import": {"do": "keep", "text": json.dumps(GAMES[:3])},
        "past": {**past, "players-1": "Eline", "totals-1": "2"},
    }
    cookie, statuses = keeping.client.get_cookie("scorebook").value, []

    def send():
        client = app.test_client()
        client.set_cookie("scorebook", cookie)
        answer = client.post(
            f"{keeping.book}/{page}", data=forms[page], headers={"Origin": "http://localhost"}
        )
        statuses.append(answer.status_code)

    phones = [threading.Thread(target=send) for _twice in range(2)]
    for each in phones:
        each.start()
    for each in phones:
        each.join()
    assert statuses == [302, 302]
    with app.app_context():
        book = Book.find(keeping.book.removeprefix("/b/"))
        assert book.count_games() == 1 + (3 if page == "import" else 1)


PROBLEMS = {
    "[1].hands[1].bids[0]": spoiled("bids", [77, 0]),
    "[1].hands[1].tricks": spoiled("tricks", [0, 0]),
    "[1].totals[0]": spoiled("totals", [1, GAMES[2]["totals"][1]]),
    "[1].format": spoiled("format", "oh-hell-game/9"),
    "[1].players[1]": spoiled("players", ["Ada", "ada"]),
}
"""Games that cannot be taken, by the place of what is wrong."""


@pytest.mark.pages
@pytest.mark.parametrize("place", PROBLEMS)
def test_one_problem_stops_the_whole_file(keeping, rows, place):
    """The place is told, what was typed stays, and not even the good game comes in."""
    games = [GAMES[0], PROBLEMS[place]]
    before = rows()
    for do in ("", "keep"):
        keeping.post(f"{keeping.book}/import", {"text": json.dumps(games), "do": do}, 422)
        assert place in [each.get_text() for each in keeping.page.select(".place")]
        assert json.loads(keeping.page.select_one("textarea").get_text()) == games
    assert rows() == before


def test_nothing_sent_is_told(keeping):
    """Neither a file nor a text."""
    keeping.post(f"{keeping.book}/import", {"text": "  "}, 422)
    assert "Choose a file, or paste its text." in keeping.text


@pytest.mark.pages
@pytest.mark.target("S14")
def test_an_import_may_be_large_but_not_endless(keeping, rows, app):
    """A file of a few MiB is read, one beyond 16 MiB is refused; a stranger sends no more than a form."""
    games = [{**GAMES[-1], "id": f"game {number}", "note": "x" * 500} for number in range(20)]
    text = json.dumps(games) + " " * 3_000_000
    keeping.post(f"{keeping.book}/import", {"text": text})
    assert keeping.page.select_one(".counts dd").get_text() == "20"
    before = rows()
    keeping.post(f"{keeping.book}/import", {"text": "x" * (archive.LARGEST_FILE + 1)}, 413)
    assert "That is too much at once" in keeping.text
    keeping.post(f"{keeping.book}/past", {"note": "x" * 70_000}, 413)
    stranger = app.test_client()
    origin = {"Origin": "http://localhost"}
    assert stranger.post(f"{keeping.book}/import", data={"text": text}, headers=origin).status_code == 404
    bomb = archive.base64.urlsafe_b64encode(archive.zlib.compress(b" " * 40_000_000, 9)).decode()
    for packed in (bomb, "x", "é", archive.pack("x")[:-4]):
        keeping.post(f"{keeping.book}/import", {"packed": packed, "do": "keep"}, 400)
    assert rows() == before


SHEETS = {
    "semicolons, and facts in front": """date;2026-01-31
name;Friday
cards;trump;dealer;Ada bid;Ada took;Bruno bid;Bruno took
2;h;Ada;1;1;1;1
1;♠;Bruno;0;0;0;1
""",
    "commas and other words": """Round,Cards,Suit,Ada call,Ada won,Bruno call,Bruno won
1,2,Hearts,1,1,1,1
2,1,S,0,0,0,1
""",
    "tabs": """cards|Ada bid|Ada tricks|Bruno bid|Bruno tricks
2|1|1|1|1
1|0|0|0|1
""".replace("|", "\t"),
    "names above the columns": """;;Ada;;Bruno;
hand;cards;bid;took;bid;took
1;2;1;1;1;1
2;1;0;0;0;1
""",
    "quotes, empty lines, totals": """\ufeff"cards";"Ada bid";"Ada took";"Ada total";Bruno bid;Bruno took;Bruno sum

2;1;1;11;1;1;11
1;0;0;21;0;1;11
Total;;;21;;;11
""".replace("\n", "\r\n"),
    "totals only": """date,2026-01-31
player,total
Ada,21
Bruno,11
""",
}
"""One game, typed in several ways."""


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.pages
def test_a_typed_sheet_comes_in(keeping, app, name):
    """Whatever stands between the cells, and however the columns are called."""
    text = SHEETS[name]
    keeping.post(f"{keeping.book}/import", {"text": text, "rules": "classic"})
    keeping.tap("keep")
    with app.app_context():
        game = db.session.scalars(db.select(Game).order_by(Game.id.desc())).first()
        sheet = game.sheet()
        assert sheet.names == ("Ada", "Bruno")
        assert sheet.totals == (21, 11)
        assert sheet.outcome.winners == (0,)
        assert (sheet.given is not None) == (name == "totals only")
        if "date" in text:
            assert game.played_on.isoformat() == "2026-01-31"


WRONG_SHEETS = {
    "no heading": ("3;1;1\n", "line 1"),
    "tricks that do not add up": (
        "cards;Ada bid;Ada took;Bruno bid;Bruno took\n2;1;1;1;1\n\n3;1;1;1;1\n",
        "line 4",
    ),
    "no number": ("cards;Ada bid;Ada took;Bruno bid;Bruno took\n2;one;1;1;1\n", "line 2, Ada bid"),
    "more tricks than cards": ("cards;Ada bid;Ada took;Bruno bid;Bruno took\n2;1;1;7;1\n", "line 2, Bruno"),
    "an unknown dealer": ("cards;dealer;Ada bid;Ada took;Bruno bid;Bruno took\n2;Eve;1;1;1;1\n", "line 2"),
    "a day that is none": ("date;31/01/2026\nplayer;total\nAda;1\nBruno;2\n", "played_on"),
    "no total": ("player;total\nAda;1\nBruno;\n", "line 3, Bruno"),
    "a fact that is none": ("weather;fine\nplayer;total\nAda;1\nBruno;2\n", "line 1"),
    "unknown rules": ("rules;bridge\nplayer;total\nAda;1\nBruno;2\n", "line 1"),
    "no cards": ("cards;Ada bid;Ada took;Bruno bid;Bruno took\n;1;1;1;1\n", "line 2"),
    "no JSON": ('{"format":\n "oh-hell-game/1", }', "line 2, column 20"),
}


@pytest.mark.parametrize("name", WRONG_SHEETS)
@pytest.mark.pages
def test_a_sheet_with_a_mistake_tells_the_line(keeping, rows, name):
    """Where to look is told in lines of what was sent, and nothing is written."""
    text, place = WRONG_SHEETS[name]
    before = rows()
    keeping.post(f"{keeping.book}/import", {"text": text, "do": "keep"}, 422)
    assert place in [each.get_text() for each in keeping.page.select(".place")]
    assert rows() == before


@pytest.mark.pages
@pytest.mark.target("T12")
@pytest.mark.timeout(120)
def test_300_mutated_imports_break_nothing(keeping, app):
    """Seeded damage to good files, as JSON and as CSV: each is looked at or refused with its place, never a failure."""
    chance = random.Random(20_260_131)
    small = sorted((json.dumps(game, ensure_ascii=False) for game in GAMES), key=len)[:5]
    book = json.dumps(
        {
            "format": bookfile.FORMAT,
            "name": "x",
            "players": [{"name": "Ada", "aliases": ["Adi"]}],
            "house_rules": [classic().write()],
            "games": [json.loads(small[0])],
        }
    )
    sources = [*small, book, *SHEETS.values(), spreadsheet.game_csv(record.read(GAMES[0]))]
    statuses = {}
    for number in range(300):
        text = chance.choice(sources)
        for _time in range(chance.randint(1, 4)):
            text = mutated(chance, text)
        answer = keeping.client.post(
            f"{keeping.book}/import",
            data={
                "text": text.encode("utf-8", "surrogatepass"),
                "do": "keep" if number % 3 == 0 else "",
                "rules": chance.choice(["classic", "wizard", "?"]),
            },
            headers={"Origin": "http://localhost"},
        )
        statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
    assert set(statuses) <= {200, 302, 422}, statuses
    assert statuses[422] > 100
    with app.app_context():
        for game in db.session.scalars(db.select(Game)):
            assert game.sheet().problems() is not None
            assert bookfile.read(json.loads(bookfile.game_text(game.record()))).games


def mutated(chance, text):
    """The text with one thing broken."""
    at = chance.randrange(len(text) + 1)
    other = chance.randrange(len(text) + 1)
    match chance.randrange(6):
        case 0:
            return text[:at] + text[at + chance.randint(1, 30) :]
        case 1:
            return (
                text[:at]
                + chance.choice(
                    [
                        "\0",
                        "\ud800",
                        "99999999999999999999",
                        "-1",
                        "null",
                        "[]",
                        "{}",
                        '"',
                        "\n",
                        ";",
                        "é",
                        "1e999",
                        "true",
                    ]
                )
                + text[at:]
            )
        case 2:
            return re.sub(
                r"\d+",
                lambda found: chance.choice([found[0], "0", "7", "121", "-3", "9" * 5000]),
                text,
                count=3,
            )
        case 3:
            return text[:at] + text[other : other + 50] + text[at:]
        case 4:
            return re.sub(
                r'"(\w+)"',
                lambda found: chance.choice([found[0], "null", "[]", '"x"', "1", "{}"]),
                text,
                count=chance.randint(1, 8),
            )
    return text[min(at, other) : max(at, other)]


# Beside the pages


@pytest.mark.pages
def test_the_lists_beside_the_pages_are_paged(app, keeping, monkeypatch):
    """Games and players as JSON, a hundred on a page, each page with the address of the next."""
    monkeypatch.setattr(archive, "TURN", 0)
    games = [{**SHORT, "id": f"game {number}", "name": f"game {number}"} for number in range(105)]
    with app.app_context():
        book = Book.find(keeping.book.removeprefix("/b/"))
        archive.take_in(book, archive.weigh(book, bookfile.read(games)), NOW)
        db.session.remove()
    first = json.loads(keeping.client.get(f"{keeping.book}/games.json").text)
    assert (first["page"], first["pages"], len(first["games"])) == (1, 2, 100)
    second = json.loads(keeping.client.get(first["next"]).text)
    assert second["next"] is None
    listed = [game["name"] for game in first["games"] + second["games"]]
    assert {f"game {number}" for number in range(105)} <= set(listed)
    assert len(listed) == 106
    one = next(game for game in first["games"] if game["name"])
    assert [player["total"] for player in one["players"]] == SHORT["totals"]
    assert json.loads(keeping.client.get(one["record"]).text)["players"] == SHORT["players"]
    assert keeping.client.get(one["address"]).status_code == 200
    people = json.loads(keeping.client.get(f"{keeping.book}/players.json").text)
    assert {"Ada", "Dmitri"} <= {player["name"] for player in people["players"]}
    for odd in ("0", "-1", "x", "9" * 30, "²", "%00"):
        assert keeping.client.get(f"{keeping.book}/games.json?page={odd}").status_code == 200


def test_a_shared_book_may_be_taken_along_but_not_changed(keeping, other_phone, app):
    """Whoever has its address gets the files and lists, and none of what writes; without sharing, nothing."""
    reading = ("/export", "/book.json", "/book.csv", "/games.json", "/players.json")
    writing = ("/import", "/past", "/deleted", "/delete", "/import/done")
    for page in (*reading, *writing):
        assert other_phone.client.get(keeping.book + page).status_code == 404
    with app.app_context():
        Book.find(keeping.book.removeprefix("/b/")).is_shared = True
        db.session.commit()
    for page in reading:
        assert other_phone.client.get(keeping.book + page, buffered=True).status_code == 200
    other_phone.get(f"{keeping.book}/export")
    assert not other_phone.page.select("form, a[href$=import], a[href$=delete]")
    for page in writing:
        assert other_phone.client.get(keeping.book + page).status_code == 404


# A past game


def test_a_past_game_is_kept_by_its_totals(keeping, other_phone, app):
    """Players, day and totals: it has winners and places, and says everywhere that the totals are all there is."""
    keeping.get(f"{keeping.book}/export")
    keeping.follow("A past game, totals only")
    lines = {
        "players-0": "Ada",
        "totals-0": "50",
        "players-2": "Eline",
        "totals-2": "−3",
        "players-3": "Bruno",
        "totals-3": "50",
    }
    keeping.send(keeping.button("keep"), played_on="2019-12-24", rules="classic", place="Split", **lines)
    code = keeping.address.removeprefix("/g/")
    assert "Ada · Bruno share the win with 50" in keeping.text
    assert "totals only" in keeping.text
    assert "24 December 2019" in keeping.text or "December 24, 2019" in keeping.text
    keeping.get("/")
    assert "totals only" in keeping.page.select_one(".games").get_text()
    for page in ("", "/export", "/print", "/print?blank", "/board", "/log", "/rules", "/table", "/version"):
        keeping.get(f"/g/{code}{page}")
    assert "totals only" in keeping.get(f"/g/{code}/print").get_text()
    keeping.get(f"/new?again={code}")
    assert "Eline" in str(keeping.page.select(".chair-name"))
    other_phone.get(f"/g/{code}")
    told = json.loads(keeping.client.get(f"/g/{code}.json").text)
    assert (told["totals_only"], told["hands"], told["totals"]) == (True, [], [50, -3, 50])
    assert told["place"] == "Split"
    assert cells(keeping.client.get(f"/g/{code}.csv").text)[-3:] == [
        ["Ada", "50"],
        ["Eline", "-3"],
        ["Bruno", "50"],
    ]
    with app.app_context():
        game = Game.find(code)
        assert [(seat.total, seat.place) for seat in game.seats] == [(50, 1), (-3, 3), (50, 1)]
        assert game.finished.date().isoformat() == "2019-12-24"


@pytest.mark.pages
def test_hands_come_after_a_game_that_has_none_unless_its_totals_are_all_there_is(keeping, rows):
    """What is known by its totals only has no hands to come; a game that was finished before its first hand goes on."""
    no_hands = {"format": record.FORMAT, "players": ["Ada", "Bruno", "Eline"], "hands": []}
    totals = {**no_hands, "totals_only": True, "totals": [50, 7, 3]}
    finished = {**no_hands, "finished": "2026-01-31T20:15:00+01:00"}
    codes = []
    for game in (totals, finished):
        keeping.post(f"{keeping.book}/import", {"text": json.dumps(game), "do": "keep"})
        codes.append(next(iter(newest_first(keeping))))
    before = rows()
    hands = {"act": "more of them", "plan": "2,1"}
    keeping.post(f"/g/{codes[0]}/plan", hands, 422)
    assert "A game with totals only has none of these." in keeping.text
    assert not keeping.has("plan")
    assert rows() == before
    keeping.post(f"/g/{codes[1]}/plan", hands)
    assert keeping.page.h1.get_text(strip=True) == "Hand 1 of 2"


def newest_first(keeping):
    """The codes of the book's games, the last one that came in first."""
    with keeping.client.application.app_context():
        return db.session.scalars(db.select(Game.code).order_by(Game.id.desc())).all()


def test_only_the_field_of_a_seat_is_one(keeping):
    """A field that only looks like a player's is no field, however long its number is, and breaks nothing."""
    ends = ("9" * 5000, "²", "٣", "12", "x", "")
    others = {f"{field}-{end}": "Fenja" for field in ("players", "totals") for end in ends}
    kept = {"players-0": "Ada", "totals-0": "5", "players-1": "Bruno", **others}
    keeping.post(f"{keeping.book}/past", {"act": "a-tap-of-its-own", "played_on": "2019-12-24", **kept}, 422)
    fields = keeping.page.select("[name^=players-]")
    assert [field["value"] for field in fields if field["value"]] == ["Ada", "Bruno"]
    keeping.post("/new", {"act": "a-tap-of-its-own", **kept})
    assert "Ada" in keeping.text
    assert "Fenja" not in keeping.text


def test_where_few_points_win_the_lowest_total_of_a_past_game_wins(keeping, app):
    """The rules of the game decide who is first."""
    rules = {"variant": "classic", "lowest_wins": True}
    game = {
        "format": record.FORMAT,
        "rules": rules,
        "players": ["Ada", "Bruno"],
        "hands": [],
        "totals": [9, 4],
        "totals_only": True,
    }
    assert record.read(game).sheet.outcome.winners == (1,)
    for spoiled in (
        {"hands": GAMES[0]["hands"]},
        {"totals": None},
        {"totals_only": 1},
        {"adjustments": [{"player": "Ada", "points": 1}]},
    ):
        with pytest.raises(record.RecordError):
            record.read({**game, **spoiled})


@pytest.mark.pages
def test_a_form_that_one_went_back_to_writes_another_past_game_down(keeping):
    """Sent as it was it is the game that is there; with another total or another day it is one more."""
    form = {"act": "a-tap-of-its-own", "played_on": "2019-12-24"}
    form |= {"players-0": "Ada", "totals-0": "50", "players-1": "Bruno", "totals-1": "7"}
    before = len(newest_first(keeping))
    made = []
    for sent in (form, {**form, "totals-1": "8"}, {**form, "played_on": "2019-12-25"}, form):
        keeping.post(f"{keeping.book}/past", sent)
        made.append(keeping.address)
    assert made[0] == made[-1]
    assert len(set(made)) == len(newest_first(keeping)) - before == 3


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"played_on": ""}, "Something is missing here."),
        ({"played_on": "24.12.2019"}, "This is a day, as in 2026-01-31."),
        ({"totals-0": "many"}, "The total is a whole number."),
        ({"totals-1": ""}, "The total is a whole number."),
        ({"players-1": "ADA"}, "Ada is at the table already."),
        ({"players-1": "", "totals-1": ""}, "A game has 2 to 12 players."),
        ({"players-1": ""}, "A name is missing."),
        ({"players-1": "x" * 41}, "A name may have 40 characters, this one has 41."),
        ({"totals-1": "9" * 12}, "The total is a whole number."),
    ],
)
@pytest.mark.pages
def test_a_past_game_that_cannot_be_is_told_beside_its_line(keeping, rows, fields, said):
    """What was typed stays, the sentence stands with it, nothing is written."""
    good = {
        "played_on": "2019-12-24",
        "players-0": "Ada",
        "totals-0": "50",
        "players-1": "Bruno",
        "totals-1": "7",
    }
    before = rows()
    sent = {"act": "a-tap-of-its-own", **good, **fields}
    keeping.post(f"{keeping.book}/past", sent, 422)
    assert said in keeping.text
    shown = keeping.filled(keeping.page.select_one("main form"))
    assert {name: shown[name] for name in good} == {name: sent[name] for name in good}
    assert rows() == before


def test_a_game_can_be_kept_hand_by_hand_under_another_day(table, app):
    """The day stands in the list and in the record; a day that is none is told."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked", played_on="2019-12-24")
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    assert json.loads(table.phone.client.get(f"/g/{table.code}.json").text)["played_on"] == "2019-12-24"
    table.phone.get("/new")
    table.phone.send(table.phone.button("add"), newcomers="Ada,Bruno")
    table.phone.send(table.phone.button("start"), 422, played_on="24.12.")
    assert "This is a day, as in 2026-01-31." in table.phone.text


# On paper


@pytest.mark.pages
def test_the_printed_sheet_holds_what_was_played_and_room_for_the_rest(table):
    """Bid, tricks, points and total of each hand; an empty line for each to come; without names for another table."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2,1", trump="untracked", hook=False)
    table.play(bids=[1, 0, 1, 0], tricks=[2, 0, 1, 0])
    table.sheet()
    table.phone.follow("Export")
    page = table.phone.follow("The sheet")
    lines = [
        [" ".join(cell.get_text(" ").split()) for cell in row.select("td")] for row in page.select("tbody tr")
    ]
    assert lines == [["1 2 0 0", "0 0 +10 10", "1 1 +11 21", "0 0 +10 20"]] or lines[0][0].endswith(" 0")
    assert lines[1:] == [[""] * 4, [""] * 4]
    assert [row.th.get_text(strip=True) for row in page.select("tbody tr")] == ["3", "2", "1"]
    table.phone.get(f"/g/{table.code}/export")
    blank = table.phone.follow("An empty sheet, same players")
    assert [cell.get_text(strip=True) for cell in blank.select("td")] == [""] * 16
    assert "Chiara" in blank.select_one("thead").get_text()
    table.phone.get(f"/g/{table.code}/export")
    assert "Chiara" not in table.phone.follow("An empty sheet, without names").get_text()


@pytest.mark.pages
def test_a_book_of_many_games_is_sent_piece_by_piece(app, keeping, monkeypatch):
    """The file of a large book arrives in many pieces, is whole JSON, and needs few games in memory at a time."""
    with app.app_context():
        monkeypatch.setattr(archive, "TURN", 0)
        book = Book.find(keeping.book.removeprefix("/b/"))
        games = [{**SHORT, "id": f"game {number}", "note": "x" * 500} for number in range(120)]
        archive.take_in(book, archive.weigh(book, bookfile.read(games)), NOW)
        book = Book.find(book.code)
        most = 0
        for _record in book.records():
            most = max(most, sum(isinstance(each, Game) for each in db.session.identity_map.values()))
        assert 0 < most <= 50
        db.session.remove()
    answer = keeping.client.get(f"{keeping.book}/book.json")
    pieces = list(answer.response)
    assert len(pieces) > 2
    assert len(json.loads(b"".join(pieces))["games"]) == 121


def test_the_page_of_a_list_is_no_page_of_ours_in_disguise(keeping):
    """JSON is JSON: no browser takes it for a page."""
    assert not BeautifulSoup(keeping.client.get(f"{keeping.book}/games.json").text, "html.parser").find(True)
