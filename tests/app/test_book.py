"""The front page of a book: its games by date, looked for and leafed through, and what is told of an evening."""

from __future__ import annotations

import random
import unicodedata
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import event

from bench.books import evening, fill
from database import db, writing
from models import Book, Game, Player
from rules.sheet import Hand, Sheet
from rules.variants import variants

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.fixture
def book(app, table):
    """The code of the book that `table.phone` keeps, with four finished games and one that goes on."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    table.phone.get("/")
    kept = [
        ("Sunday", "The Crown", "Rain all day", date(2024, 5, 6), "classic", ("Ada", "Bruno", "Eline")),
        ("", "Café Ölberg", "100% luck_", date(2025, 1, 7), "wizard", ("Ada", "Chiara", "Dmitri")),
        ("O'Hara's night", "", r"back\slash", date(2025, 1, 8), "wizard", ("Bruno", "Chiara", "Farid")),
        ("", "", "", date(2025, 3, 9), "classic", ("Ada", "Bruno", "Farid")),
    ]
    with app.app_context():
        own = table.game().book
        own.name = "Tuesday table"
        for name, place, note, day, variant, called in kept:
            game = finished_game(own, called, variant, day)
            game.name, game.place, game.note = name, place, note
        db.session.commit()
        return own.code


def finished_game(book, called, variant, day):
    """A game of one hand that the first player wins, played on a day from eight to half past nine."""
    rules = variants()[variant]
    start = datetime(day.year, day.month, day.day, 20, tzinfo=UTC)
    game = book._new_game(called, rules, (1,), start, f"{day} {variant} {called}")
    hand = Hand(1, 1, 0, (0, 1, 2), (1, 1, 1), (1, 0, 0), is_over=True, is_closed=True)
    sitting = game.opened()
    sitting.deal(hand)
    sitting.settle(start + timedelta(minutes=90))
    db.session.refresh(game)
    return game


def shown(phone):
    """The days of the games on the page, as the page writes them."""
    days = phone.page.select(".games .games-day")
    return [" ".join(day.get_text(" ").split()).partition(" · ")[0] for day in days]


ALL = ["Sun, Mar 9", "Wed, Jan 8", "Tue, Jan 7", "Mon, May 6"]


def test_the_front_page_lists_running_games_first_then_by_date(app, table, book):
    """Date, name, place, note, everybody's points, rules and duration, below the month; each leads to its sheet."""
    phone = table.phone
    phone.get(f"/b/{book}")
    assert phone.page.h1.get_text() == "Tuesday table"
    headings = [each.get_text() for each in phone.page.select("h2")]
    assert headings == ["Still running", "March 2025", "January 2025", "May 2024"]
    assert shown(phone)[1:] == ALL
    first, *_others, last = phone.page.select(".games a")
    assert first["href"] == f"/g/{table.code}"
    assert " ".join(last.get_text(" ").split()) == (
        "Mon, May 6 · Sunday · The Crown Ada 11 Bruno 0, Eline 0 Classic · 1 hr 30 min Rain all day"
    )
    for link in phone.page.select(".games a"):
        phone.get(link["href"])
        assert phone.page.h1.get_text() in ("Final score", "Score sheet")


LOOKED_FOR = (
    ({"rules": "Wizard"}, False, ALL[1:3]),
    ({"year": "2025"}, False, ALL[:3]),
    ({"state": "finished"}, False, ALL),
    ({"state": "running"}, True, []),
    ({"player": "Farid"}, False, ALL[:2]),
    ({"player": "Dmitri"}, True, ALL[2:3]),
    ({"player": "Farid", "rules": "Wizard"}, False, ALL[1:2]),
    ({"player": "Ada", "year": "2025", "state": "finished"}, False, [ALL[0], ALL[2]]),
    ({"player": "Eline", "rules": "Wizard"}, False, []),
    ({"year": "2024", "state": "running"}, False, []),
    ({"q": "farid"}, False, ALL[:2]),
    ({"q": "crown"}, False, ALL[3:]),
    ({"q": "sunday"}, False, ALL[3:]),
    ({"q": "  RAIN  ada "}, False, ALL[3:]),
    ({"q": "CAFÉ ölberg"}, False, ALL[2:3]),
    ({"q": "cafe\u0301"}, False, ALL[2:3]),
    ({"q": "ada"}, True, [ALL[0], ALL[2], ALL[3]]),
    ({"q": "ada", "year": "2025", "rules": "Classic", "state": "finished"}, False, ALL[:1]),
    ({"q": "%"}, False, ALL[2:3]),
    ({"q": "_"}, False, ALL[2:3]),
    ({"q": "'"}, False, ALL[1:2]),
    ({"q": "\\"}, False, ALL[1:2]),
    ({"q": "/"}, False, []),
    ({"q": '" OR 1=1 --'}, False, []),
    ({"q": "\0ada crown"}, False, ALL[3:]),
    ({"q": "crown bruno nobody"}, False, []),
    ({"q": " "}, True, ALL),
)
"""What is asked for, whether the game that goes on fits, and the days of the others that do."""


def test_games_are_looked_for_by_each_field_and_all_together(app, table, book):
    """What is left fits every choice and every word, whatever the characters; the form keeps what was asked."""
    phone = table.phone
    phone.get(f"/b/{book}")
    form = phone.page.select_one("form.find")
    numbers = {each.get_text(): each["value"] for each in form.select("[name=player] option")}
    for asked, goes_on, expected in LOOKED_FOR:
        sent = asked | ({"player": numbers[asked["player"]]} if "player" in asked else {})
        query = urlencode(phone.filled(form) | sent)
        phone.get(f"{form['action']}?{query}")
        headings = [each.get_text() for each in phone.page.select("h2")]
        assert ("Still running" in headings) is goes_on, asked
        assert shown(phone)[goes_on:] == expected, asked
        kept = phone.filled(phone.page.select_one("form.find"))
        assert kept == phone.filled(form) | sent | {"q": kept["q"]}, asked
        assert kept["q"].split() == unicodedata.normalize("NFC", sent.get("q", "")).translate(BLANK).split()
        if not goes_on and not expected:
            assert "No game fits." in phone.text
    phone.get(f"/b/{book}?q=crown")
    phone.follow("All games")
    assert len(shown(phone)) == 5


BLANK = {0: " "}


def test_what_nobody_can_choose_is_told_beside_its_field(table, book):
    """A choice that is not in the book, or a search longer than anybody types, lists nothing and says why."""
    phone = table.phone
    for asked in (
        "player=0",
        "player=99999999999999999999",
        "player=x",
        "year=20x5",
        "rules=Chess",
        "state=%00",
        f"q={'x' * 101}",
    ):
        phone.get(f"/b/{book}?{asked}", 422)
        assert not phone.page.select(".games")
        (wrong,) = phone.page.select("[aria-invalid]")
        assert wrong["name"] == asked.partition("=")[0]
        assert phone.page.find(id=wrong["aria-describedby"]).get_text(strip=True)


def test_an_address_with_no_key_is_not_found(table, book):
    """A paging link that nobody was given leads nowhere, without harm."""
    for after in ("x", "f2025-13-01.1", "f2025-01-01", "f2025-01-01.1' OR 1=1", "%00", "f2025-01-01.²"):
        table.phone.get(f"/b/{book}?after={after}", 404)


def test_beyond_the_last_game_there_is_a_way_back(table, book):
    """An old link behind all games says so and leads back to the first page."""
    table.phone.get(f"/b/{book}?after=f1999-01-01.9999999999")
    assert not table.phone.page.select(".games")
    table.phone.follow("Back to the latest")
    assert len(shown(table.phone)) == 5


def test_a_merged_player_is_found_under_both_names(app, table, book):
    """Who was kept under two names is one person: either name, and the choice of the person, finds all games."""
    phone = table.phone
    with app.app_context():
        own = Book.find(book)
        own.merge(own.player("Farid"), own.player("Eline"))
        db.session.commit()
        eline = own.player("Eline").id
    for asked in ("q=farid", "q=Eline", f"player={eline}"):
        phone.get(f"/b/{book}?{asked}")
        assert shown(phone) == [ALL[0], ALL[1], ALL[3]], asked
        assert "Farid" not in [each.get_text() for each in phone.page.select(".games bdi")]
    options = [each.get_text() for each in phone.page.select("[name=player] option")]
    assert options == ["anybody", *FOUR, "Eline"]


def test_a_deleted_game_is_nowhere_until_it_is_brought_back(app, table, book):
    """It is in no list, and found by nothing."""
    phone = table.phone
    phone.get(f"/b/{book}?q=crown")
    code = phone.page.select_one(".games a")["href"].split("/")[2]
    for deleted in (datetime.now(UTC), None):
        with app.app_context():
            Game.find(code).deleted = deleted
            db.session.commit()
        for asked, there in (("q=crown", 1), ("year=2024", 1), ("", 5)):
            phone.get(f"/b/{book}?{asked}")
            assert len(shown(phone)) == there - bool(deleted), asked


def test_a_shared_book_shows_its_games_to_anybody(app, table, book, other_phone):
    """Who keeps nothing sees no book that is not shared; a shared one without what only keepers may open."""
    other_phone.get(f"/b/{book}", 404)
    other_phone.get(f"/g/{table.code}")
    assert "All games" not in other_phone.text
    with app.app_context():
        Book.find(book).is_shared = True
        db.session.commit()
    other_phone.get(f"/g/{table.code}")
    other_phone.follow("All games")
    assert shown(other_phone)[1:] == ALL
    assert [link.get_text() for link in other_phone.page.select("nav a")] == [
        "Players",
        "Questions",
        "Export",
    ]
    assert not other_phone.page.select(".dock")
    other_phone.get(f"/b/{book}/keepers", 404)


def test_an_empty_book_says_what_to_do(app, phone):
    """The first line of a book without games; one without a name is headed by what it shows."""
    phone.get("/")
    phone.post("/settings", {"theme": "auto"})
    with app.app_context():
        book = Book.start("a phone", datetime.now(UTC))
        book.is_shared = True
        db.session.commit()
        code, key = book.code, book.invite(datetime.now(UTC))
        db.session.commit()
    phone.get(f"/b/{code}")
    assert "No game has been played yet." in phone.text
    phone.post(f"/k/{key}", {})
    phone.get(f"/b/{code}")
    assert phone.page.h1.get_text() == "All games"
    assert "Start with a new game." in phone.text
    assert phone.follow("New game").h1


# Leafing


def leafed(phone, address, between=None):
    """The games of all pages in order, from the first page to the last; `between` pages something may happen."""
    found, pages = [], 0
    phone.get(address)
    while True:
        found += [link["href"] for link in phone.page.select(".games a")]
        pages += 1
        following = phone.page.select_one("a[rel=next]")
        if following is None:
            return found, pages
        if between:
            between(pages)
        phone.get(following["href"])


def bench_books(*books):
    """The codes of books with so many games and players each, as the bench makes them, shared with everybody."""
    with writing(), db.engine.connect() as connection:
        assert list(fill(connection, books)) == [sum(games for games, _players in books)]
        connection.commit()
    found = db.session.scalars(db.select(Book).order_by(Book.id.desc()).limit(len(books))).all()
    for each in found:
        each.is_shared = True
    db.session.commit()
    return [each.code for each in reversed(found)]


def test_leafing_meets_every_game_once_even_while_one_is_added(app, phone):
    """Sixty games: each page begins where the last one ended, filters stay, a new game moves nothing."""
    with app.app_context():
        (code,) = bench_books((60, 7))
        games = db.session.scalars(db.select(Game)).all()
        # Several on each day, so that the day alone is no key.
        for at, game in enumerate(games):
            game.played_on = date(2023, 2, 1 + at // 15)
        db.session.commit()
        there = {f"/g/{game.code}" for game in games}
        ada = {
            f"/g/{game.code}"
            for game in games
            if game.finished and any(seat.player.name == "Ada" for seat in game.seats)
        }

    def add(page):
        with app.app_context():
            for day in (date(2026, 1, 1), date(2023, 2, 2)):
                finished_game(Book.find(code), (f"Late {page}", "Bruno", "Chiara"), "classic", day)
            db.session.commit()

    found, pages = leafed(phone, f"/b/{code}", add)
    assert pages == 3
    assert len(found) == len(set(found))
    assert there <= set(found)
    found, pages = leafed(phone, f"/b/{code}?q=ada&state=finished&year=2023")
    assert pages == 2
    assert (len(found), set(found)) == (len(ada), ada)
    phone.follow("Back to the latest")
    assert phone.filled(phone.page.select_one("form.find"))["q"] == "ada"


def test_many_running_games_are_leafed_through_and_do_not_flood_home(app, table, book):
    """Home shows the three touched last and a way to the others, in which each is met once."""
    phone = table.phone
    with app.app_context():
        own, at = Book.find(book), datetime(2025, 6, 1, 20, tzinfo=UTC)
        for number in range(27):
            started = at + timedelta(days=number // 3)
            game = own._new_game(FOUR, variants()["classic"], (1, 1), started, f"running {number}")
            game.opened().deal(game.sheet().first_hand(0))
        db.session.commit()
    phone.get("/")
    running = [link["href"] for link in phone.page.select(".running h2 a")]
    assert len(running) == 3
    assert running[0] == f"/g/{table.code}/hands/1"
    phone.follow("All running games")
    assert {each.get_text() for each in phone.page.select("h2")} == {"Still running"}
    found, pages = leafed(phone, f"/b/{book}?state=running")
    assert (len(found), len(set(found)), pages) == (28, 28, 2)
    found, _pages = leafed(phone, f"/b/{book}")
    assert (len(found), len(set(found))) == (32, 32)


def test_no_page_asks_more_of_a_longer_book(app, phone, other_phone):
    """Home, list and sheet put as many questions to the database with 130 games as with 30, and skip no rows."""
    with app.app_context():
        codes, engine = bench_books((30, 7), (130, 7)), db.engine
        keys = [Book.find(code).invite(datetime.now(UTC)) for code in codes]
        # Chance has put none in one of them.
        db.session.execute(db.update(Game).where(Game.finished.is_(None)).values(deleted=datetime.now(UTC)))
        db.session.commit()
    asked = []

    def listen(_connection, _cursor, statement, parameters, *_rest):
        asked.append((statement, parameters))

    def questions(phone, address):
        asked.clear()
        phone.get(address)
        # SQLAlchemy writes a limit for SQLite with how much is skipped: nothing.
        assert all(values[-1] == 0 for text, values in asked if "OFFSET" in text)
        return len(asked)

    counts = []
    for each, code, key in zip((phone, other_phone), codes, keys, strict=True):
        each.post(f"/k/{key}", {})
        sheet = each.get(f"/b/{code}?state=finished").select_one(".games a")["href"]
        following = each.page.select_one("a[rel=next]")["href"]
        event.listen(engine, "before_cursor_execute", listen)
        try:
            pages = ("/", f"/b/{code}", f"/b/{code}?q=ada", following, sheet)
            counts.append([questions(each, page) for page in pages])
        finally:
            event.remove(engine, "before_cursor_execute", listen)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 16


def test_home_names_the_book_where_a_phone_keeps_several(app, table, book, other_phone):
    """With one book its name would say nothing; with two each game says whose it is."""
    table.phone.get("/")
    assert "Tuesday table" not in table.phone.text
    with app.app_context():
        other = Book.start("another phone", datetime.now(UTC), "Family")
        finished_game(other, ("Greta", "Farid", "Eline"), "classic", date(2025, 2, 2))
        key = other.invite(datetime.now(UTC))
        db.session.commit()
    table.phone.post(f"/k/{key}", {})
    table.phone.get("/")
    days = [each.get_text() for each in table.phone.page.select(".games .games-day")]
    assert [day.rpartition(" · ")[2] for day in days] == ["Tuesday table", "Family", *["Tuesday table"] * 3]
    assert "Tuesday table" in table.phone.page.select_one(".running").get_text()
    table.phone.follow("Family : All games")
    assert table.phone.page.h1.get_text() == "Family"


# What is told of an evening


def test_an_evening_is_told_taken_back_and_told_again(app, table, rows):
    """Name, place, note and day stand on the sheet and in the list; undo and redo put the very rows back."""
    phone = table.start(*FOUR, order="own", plan="2", trump="untracked").phone

    def told():
        return [(row[4:7], row[10]) for row in rows("game")["game"]]

    phone.get(f"/g/{table.code}/table")
    before = rows("game", "change")["change"]
    facts = {
        "name": " Last  night ",
        "place": "The <b>Crown</b>",
        "note": "Ada dealt",
        "played_on": "2026-01-30",
    }
    phone.send(phone.button("about"), **facts)
    assert phone.address == f"/g/{table.code}"
    for said in ("Last night", "The <b>Crown</b>", "Ada dealt", "Friday, January 30, 2026"):
        assert said in phone.text
    with app.app_context():
        game = table.game()
        stored = (game.name, game.place, game.note, game.played_on)
        assert stored == ("Last night", "The <b>Crown</b>", "Ada dealt", date(2026, 1, 30))
    phone.get(f"/g/{table.code}/log")
    assert "played on" in phone.text
    assert "→ Friday, January 30, 2026" in phone.text
    assert len(rows("change")["change"]) == len(before) + 1
    for key, place, day in (("undo", "", None), ("redo", stored[1], stored[3])):
        phone.get(f"/g/{table.code}/table")
        phone.tap(key)
        with app.app_context():
            game = table.game()
            assert game.place == place
            assert game.played_on == (day or game.started.date())


def test_two_phones_tell_different_things_and_the_same_thing_is_a_conflict(app, table, other_phone):
    """Only what differs is written; where both told the same fact, both versions are shown and one is chosen."""
    table.start(*FOUR, order="own", plan="2", trump="untracked")
    other = table.kept_on(other_phone)
    for each in (table, other):
        each.phone.get(f"/g/{table.code}/table")
    ours, theirs = (each.phone.button("about") for each in (table, other))
    table.phone.send(ours, place="The Crown")
    other.phone.send(theirs, note="Rain")
    with app.app_context():
        assert (table.game().place, table.game().note) == ("The Crown", "Rain")
    other.phone.send(theirs, 409, place="Lake house")
    assert "The Crown" in other.phone.text
    assert "Lake house" in other.phone.text
    other.phone.tap("mine")
    with app.app_context():
        assert (table.game().place, table.game().note) == ("Lake house", "Rain")


@pytest.mark.parametrize("wrong", [{"played_on": "2026-02-30"}, {"played_on": ""}, {"note": "x" * 501}])
def test_what_cannot_be_told_is_kept_in_the_form(table, rows, wrong):
    """A day that is in no calendar or a text too long is told; what was typed is still there."""
    phone = table.start(*FOUR, order="own", plan="2", trump="untracked").phone
    phone.get(f"/g/{table.code}/table")
    before = rows()
    phone.send(phone.button("about"), 422, **({"place": "The Crown"} | wrong))
    assert phone.page.select(".message")
    kept = phone.filled(phone.button("about").find_parent("form"))
    assert {key: kept[key] for key in wrong} == wrong
    assert kept["place"] == "The Crown"
    assert rows() == before


def test_a_note_of_several_lines_stays_as_it_is_until_it_is_told_anew(app, table):
    """A note that came from elsewhere is shown as one line, and is no conflict when something else is told."""
    phone = table.start(*FOUR, order="own", plan="2", trump="untracked").phone
    with app.app_context():
        table.game().note = "one\n two"
        db.session.commit()
    for sent, note in (({"place": "The Crown"}, "one\n two"), ({"note": "one two three"}, "one two three")):
        phone.get(f"/g/{table.code}/table")
        phone.send(phone.button("about"), **sent)
        with app.app_context():
            assert table.game().note == note


# The books that pages are measured with


def test_the_games_of_the_bench_are_legal_and_of_many_kinds():
    """Every evening keeps to its rules; among a few hundred there is every kind that the bench is to have."""
    chance = random.Random(5)
    evenings = [evening(chance) for _ in range(250)]
    for sheet in evenings:
        wrong = [each for each in sheet.problems() if not each.place.endswith("tricks")]
        assert not wrong
        assert all(hand.is_uneven or hand.tricks_taken == hand.cards for hand in sheet.played)
    assert {len(sheet.names) for sheet in evenings} == {3, 4, 5, 6, 7}
    assert len({sheet.rules.id for sheet in evenings}) > 5
    assert len({len(sheet.plan) for sheet in evenings}) > 5
    hands = [hand for sheet in evenings for hand in sheet.hands]
    assert any(hand.is_uneven for hand in hands)
    assert any(hand.is_void for hand in hands)
    assert any(sheet.open_hand for sheet in evenings)
    assert any(sheet.ended_early for sheet in evenings)
    assert {each.reason for sheet in evenings for each in sheet.adjustments} == {"spoke", "start"}
    sizes = [(len(sheet.hands[0].table), len(sheet.hands[-1].table)) for sheet in evenings]
    assert any(first < last for first, last in sizes)
    assert any(first > last for first, last in sizes)


def test_the_bench_stores_what_the_game_itself_would(app, empty):
    """Totals, places and the end of each game written in bulk are what settling the game gives; nothing is missing."""
    with app.app_context():
        bench_books((20, 7), (10, 9))
        assert [len(book.players) for book in db.session.scalars(db.select(Book).order_by(Book.id))] == [7, 9]
        for game in db.session.scalars(db.select(Game)).all():
            stored = [(seat.total, seat.place) for seat in game.seats], game.finished
            sheet: Sheet = game.sheet()
            assert game.rules_name == sheet.rules.name
            assert bool(sheet.open_hand) is (game.finished is None)
            game.opened().settle(datetime.now(UTC))
            db.session.expire_all()
            assert ([(seat.total, seat.place) for seat in game.seats], game.finished) == stored
        assert db.session.scalar(db.select(db.func.count(Player.id))) == 16
