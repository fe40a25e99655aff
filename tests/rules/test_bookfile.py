"""Files of several games: whole books, lists, single games, each problem with its place; and CSV as pure text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules import spreadsheet
from rules.bookfile import FORMAT, BookFile, Person, book_lines, game_text, parse, read
from rules.record import RecordError
from rules.record import read as read_game
from rules.variants import variants

GAMES = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parents[1] / "data" / "games").glob("*.json"))
]


def book(**changes):
    """A small good book with some keys replaced."""
    good = {
        "format": FORMAT,
        "name": "Friday",
        "players": [{"name": "Ada", "aliases": ["Adi"]}, {"name": "Bruno"}],
        "house_rules": [{"name": "Ours", "hook": True}],
        "games": GAMES[:2],
    }
    return good | changes


def test_a_book_is_read_whole():
    """Names, other names, rules and games, in their order."""
    file = read(book())
    assert (file.name, file.players) == ("Friday", (Person("Ada", ("Adi",)), Person("Bruno")))
    assert [rules.name for rules in file.house_rules] == ["Ours"]
    assert [game.name for game in file.games] == [game["name"] for game in GAMES[:2]]


def test_what_is_written_is_read_the_same():
    """Every game and a book of them survive their text, byte by byte."""
    games = [read_game(game) for game in GAMES]
    for game in games:
        (again,) = read(parse(game_text(game))).games
        assert game_text(again) == game_text(game)
    file = BookFile(
        "Friday", (Person("Ada", ("Adi",), "2019-12-24"), Person("Bruno")), tuple(variants().values())
    )
    for some in (games, games[:1], []):
        text = "".join(book_lines(file, some))
        told = read(parse(text))
        assert (told.name, told.house_rules) == (file.name, file.house_rules)
        assert "".join(book_lines(file, told.games)) == text


def test_a_list_and_a_single_game_are_files_too():
    """Their problems are told without the name of a list."""
    assert len(read(GAMES).games) == len(GAMES)
    assert read(GAMES[0]).players == ()
    with pytest.raises(RecordError) as refused:
        read({**GAMES[0], "players": []})
    assert [each.place for each in refused.value.problems] == ["players"]


MALFORMED = {
    "name": book(name=7),
    "name ": book(name="x" * 81),
    "name  ": book(name="a\0b"),
    "players": book(players={}),
    "players[1]": book(players=[{"name": "Ada"}, "Bruno"]),
    "players[0].name": book(players=[{"name": ""}]),
    "players[1].name": book(players=[{"name": "Ada"}, {"name": "ADA "}]),
    "players[0].aliases": book(players=[{"name": "Ada", "aliases": "Adi"}]),
    "players[0].aliases[1]": book(players=[{"name": "Ada", "aliases": ["Adi", "adi"]}]),
    "players[0].aliases[0]": book(players=[{"name": "Ada", "aliases": [None]}]),
    "house_rules": book(house_rules=7),
    "house_rules[0].sequence": book(house_rules=["classic"]),
    "house_rules[0].variant": book(house_rules=[{"variant": "bridge"}]),
    "house_rules[0].rotation": book(house_rules=[{"name": "Ours", "trump": "fixed", "rotation": []}]),
    "house_rules[1].name": book(house_rules=[{"name": "Ours"}, {"name": "ours"}]),
    "games": book(games="all"),
    "games[1]": book(games=[GAMES[0], 7]),
    "games[0].hands[0].bids[0]": book(
        games=[{**GAMES[0], "hands": [{"cards": 1, "bids": [2, 0], "tricks": [1, 0]}]}]
    ),
    "games[0].totals[1]": book(games=[{**GAMES[0], "totals": [45, 12]}]),
    "format": {"players": [], "games": []},
}


@pytest.mark.parametrize("place", MALFORMED)
def test_each_problem_is_told_with_its_place(place):
    """All or nothing: one place is enough to refuse the file."""
    with pytest.raises(RecordError) as refused:
        read(MALFORMED[place])
    assert place.strip() in [each.place for each in refused.value.problems]


@pytest.mark.parametrize("text", ["{", "[1,", '{"a": 1e}', "[" * 100_000, "9" * 5000 + "]"], ids=range(5))
def test_what_is_no_json_is_told(text):
    """Where it stops being JSON, or why it cannot be read at all."""
    with pytest.raises(RecordError, match="this is no JSON"):
        parse(text)


@pytest.mark.target("S11")
@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "＝1", "\n-1"])
def test_a_text_that_could_be_a_formula_gets_an_apostrophe(text):
    """Wherever it stands; and the import takes it off again."""
    game = read_game({**GAMES[0], "note": text, "place": text})
    assert f'"\'{text}"' in spreadsheet.game_csv(game)
    assert f'"\'{text}"' in "".join(spreadsheet.games_csv([game]))
    (again,) = spreadsheet.read(spreadsheet.game_csv(game), game.sheet.rules.write()).games
    assert again.note == text


def test_the_long_table_has_a_line_for_each_player_and_hand():
    """Every line has every column; the last hand tells the places."""
    games = [read_game(game) for game in GAMES]
    lines = list(spreadsheet.games_csv(games))
    expected = sum(len(hand.table) for game in games for hand in game.sheet.hands)
    # Whoever has points in a hand without being at its table has a line as well.
    assert expected <= len(lines) - 1 <= expected + sum(len(game.sheet.adjustments) for game in games)
    assert all(line.endswith("\r\n") for line in lines)
