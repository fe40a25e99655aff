"""The pages of the players and of the table's questions: who may look, what they say, where they lead."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from models import Book, db
from rules import record
from rules.sheet import Result

NOW = datetime(2025, 1, 31, 20, 0, tzinfo=UTC)
GAMES = sorted((Path(__file__).parents[1] / "data/games").glob("*.json"))


@pytest.fixture
def shared(app, empty):
    """The code of a shared book of twelve games in three years, and each player's number by name."""
    with app.app_context():
        book = Book.start("the key of a phone", NOW)
        book.is_shared = True
        for at, path in enumerate(GAMES):
            kept = record.read(json.loads(path.read_text(encoding="utf-8")))
            book.keep_record(replace(kept, played_on=""), NOW + timedelta(days=60 * at))
        db.session.commit()
        return book.code, {player.name: player.id for player in book.everybody()}


def sheets(year=None):
    """The sheets of the twelve games, or of those of a year."""
    for at, path in enumerate(GAMES):
        if year in (None, (NOW + timedelta(days=60 * at)).year):
            yield record.read(json.loads(path.read_text(encoding="utf-8"))).sheet


def heroes(page):
    """The numerals of the page with what is said about them."""
    return [
        (each.b.get_text(), " ".join(each.span.get_text(" ").split())) for each in page.select(".feats li")
    ]


def bids_of(name, year=None):
    """The results of all bids of a player."""
    return [
        result
        for sheet in sheets(year)
        if name in sheet.names
        for hand in sheet.played
        if (result := hand.result(sheet.names.index(name)))
    ]


@pytest.mark.pages
def test_a_player_has_a_page_to_show_around(shared, phone):
    """Wins, bids made and rating first; tables and pictures with their numbers behind; nothing to press."""
    code, numbers = shared
    page = phone.get(f"/b/{code}/players/{numbers['Ada']}")
    assert page.h1.get_text() == "Ada"
    wins = sum(sheet.places[sheet.names.index("Ada")] == 1 for sheet in sheets() if "Ada" in sheet.names)
    results = bids_of("Ada")
    made = results.count(Result.MADE)
    assert heroes(page)[0] == (str(wins), f"wins in {len(GAMES)} games")
    assert heroes(page)[1] == (f"{made / len(results):.0%}", f"of {len(results)} bids made")
    assert not page.select("form")
    for picture in page.select(".chart > svg"):
        assert picture["role"] == "img"
        assert picture["aria-label"]
        assert picture.find_parent("figure").select_one("details table tbody tr")
    by_cards = page.select("figure table")[1].select("tbody tr")
    shown = [row.select("td")[1].get_text(" ", strip=True).split()[:3] for row in by_cards]
    assert sum(int(hits) for hits, _, _ in shown) == made
    assert sum(int(of) for _, _, of in shown) == len(results)


@pytest.mark.pages
def test_few_are_marked(shared, phone):
    """A rate that stands on fewer than twenty bids says so, in words and by its type; others do not."""
    code, numbers = shared
    page = phone.get(f"/b/{code}/players/{numbers['Greta']}")
    rates = [row for row in page.select(".rates tbody tr") if " of " in row.get_text(" ")]
    marked = [("few" in row.get_text(), bool(row.select(".rates-share.is-small"))) for row in rates]
    assert marked
    assert all(in_words and in_type for in_words, in_type in marked)
    assert "rating, after few games" in phone.text


@pytest.mark.pages
def test_the_answers_are_for_a_year_or_one_set_of_rules(shared, phone):
    """Links choose, and combine; points are added up only where all games pay the same."""
    code, numbers = shared
    at = f"/b/{code}/players/{numbers['Ada']}"
    assert "points a game" not in phone.get(at).get_text()
    phone.follow("2026")
    in_2026 = bids_of("Ada", 2026)
    assert heroes(phone.page)[1][1] == f"of {len(in_2026)} bids made"
    phone.follow("kachuful")
    assert [each.get_text() for each in phone.page.select(".scope [aria-current]")] == ["kachuful", "2026"]
    assert "No finished game here yet." in phone.text
    phone.follow("All years")
    assert "points a game" in phone.text
    for nonsense in ("year=1", "year=x", "rules=x", "year=2026&rules=x"):
        phone.get(f"{at}?{nonsense}", 404)
    for path in ("questions", "players", "questions?year=2025"):
        phone.get(f"/b/{code}/{path}")


@pytest.mark.pages
def test_the_table_has_its_questions_answered(shared, phone):
    """Zero bids, the hook, over and under, and records that lead to the game."""
    code, _ = shared
    page = phone.get(f"/b/{code}/questions")
    zeros = [
        result
        for sheet in sheets()
        for hand in sheet.played
        for seat in hand.playing
        if hand.bids[seat] == 0 and (result := hand.result(seat))
    ]
    table = page.select_one("table.rates")
    shown = [row.select("td")[1].get_text(" ", strip=True).split()[:3] for row in table.select("tbody tr")]
    assert sum(int(hits) for hits, _, _ in shown) == zeros.count(Result.MADE)
    assert sum(int(of) for _, _, of in shown) == len(zeros)
    highest = max(max(sheet.totals) for sheet in sheets() if sheet.rules.name == "podrida")
    section = next(each for each in page.select("section") if "podrida" in each.h2.get_text())
    assert section.b.get_text() == str(highest)
    phone.get(section.select("a")[1]["href"])
    assert str(highest) in phone.text


@pytest.mark.pages
def test_a_book_is_looked_at_only_where_it_is_shared(shared, phone, app):
    """No page of a book that is not shared, and no name in what is answered; a shared one shows no forms."""
    code, numbers = shared
    pages = ["players", f"players/{numbers['Ada']}", "questions"]
    for path in pages:
        phone.get(f"/b/{code}/{path}")
        assert not phone.page.select("form")
    for verb in ("name", "merge", "part"):
        phone.post(
            f"/b/{code}/players/{numbers['Ada']}/{verb}", {"act": "a-tap-of-its-own", "name": "X"}, 404
        )
    with app.app_context():
        Book.find(code).is_shared = False
        db.session.commit()
    for path in pages:
        phone.get(f"/b/{code}/{path}", 404)
        assert "Ada" not in phone.text


@pytest.mark.pages
def test_another_name_leads_to_the_person(shared, phone, app):
    """A merged name's page is the person's, who has the games of both; a number of no player is none."""
    code, numbers = shared
    with app.app_context():
        book = Book.find(code)
        game = next(game for game in book.games if all(seat.player.name != "Greta" for seat in game.seats))
        adele = book.player("Adele")
        next(seat for seat in game.seats if seat.player.name == "Ada").player = adele
        db.session.flush()
        game.opened().settle(NOW)
        book.merge(adele, book.player("Ada"))
        db.session.commit()
        number = adele.id
    phone.get(f"/b/{code}/players/{number}")
    assert phone.address.endswith(f"/players/{numbers['Ada']}")
    assert f"in {len(GAMES)} games" in phone.text
    phone.get(f"/b/{code}/players/99999", 404)
    phone.get(f"/b/{code}/players/{2**40}", 404)


@pytest.mark.pages
def test_before_the_first_finished_game_the_pages_say_what_is_missing(table):
    """A running game is nobody's past yet."""
    table.start("Ada", "Bruno", "Chiara", order="own", plan="2,1")
    table.phone.get("/")
    table.phone.follow("Players")
    assert "no finished game yet" in table.phone.text
    address = table.phone.address
    table.phone.get(f"{address.removesuffix('players')}questions")
    assert "The answers come with the first finished game." in table.phone.text
    table.phone.get(address)
    table.phone.follow("Ada")
    assert "No finished game here yet." in table.phone.text


@pytest.mark.pages
def test_the_sheet_says_who_can_still_win(table):
    """In the last hands of a running game, and not when it is over."""
    table.start("Ada", "Bruno", "Chiara", dealer=2, order="own", plan="2,1,1", no_trump_on="never")
    assert not table.sheet().select(".chances")
    table.open(1).play((2, 0, 1), (2, 0, 0)).play((1, 0, 1), (1, 0, 0))
    told = table.sheet().select_one(".chances").get_text(" ", strip=True)
    assert "Who can still win in the last hand" in told
    assert "Ada unless somebody catches up" in told
    assert "Bruno with 10 points or more" in told
    assert "Out of reach for Chiara" in told
    table.open(3).play((1, 0, 1), (1, 0, 0))
    assert not table.sheet().select(".chances")
