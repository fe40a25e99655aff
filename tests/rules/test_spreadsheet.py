"""CSV: sheets that were typed, what is said of those that cannot be read, and games written for spreadsheets."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from rules import spreadsheet
from rules.record import Record, RecordError
from rules.sheet import Adjustment
from rules.variants import Trump, classic

HEAD = "cards;Ada bid;Ada took;Bruno bid;Bruno took"


def read(text, **rules):
    """The one game of a sheet, at a table that plays the base game."""
    file = spreadsheet.read(text, rules or {"variant": "classic"})
    (game,) = file.games
    return game, [str(each) for each in file.warnings]


def refused(text):
    """What is said of a sheet that cannot be read."""
    with pytest.raises(RecordError) as error:
        spreadsheet.read(text, {"variant": "classic"})
    return [str(each) for each in error.value.problems]


@pytest.mark.parametrize("between", [";", ",", "\t"])
def test_a_sheet_may_tell_all_of_a_game(between):
    """Facts in front; dealer, trump, notes, blind bids, a misdeal, uneven tricks and a bonus by their columns."""
    game, warnings = read(
        """name:;Friday
played on;2026-01-31
where;The Crown
rules;Up and Down the River
no;cards;suit;dealer;Ada bid;Ada took;Ada blind;Bruno bid;Bruno took;notes;misdeal;uneven

1;2;♥;Ada;1;1;yes;1;1;;;
2;1;nt;Bruno;0;-;;1;-;a card was up;x;
2;1;;Bruno;0;0;;0;0;one fell down;;yes
""".replace(";", between)
    )
    assert (game.name, game.played_on, game.place) == ("Friday", "2026-01-31", "The Crown")
    first, void, last = game.sheet.hands
    assert (first.trump, first.dealer, first.blind) == (Trump.HEARTS, 0, {0})
    assert (void.is_void, void.note, void.trump) == (True, "a card was up", Trump.NONE)
    assert (last.is_uneven, last.note, last.trump) == (True, "one fell down", None)
    assert "up-and-down" in game.sheet.rules.id
    assert any("line 9" in each for each in warnings), "uneven tricks are told with their line"


def test_a_line_with_points_and_no_cards_is_an_adjustment():
    """A penalty belongs to the hand above it, misdeals not counted, and its note is the reason; the end must agree."""
    game, _ = read(
        """cards;Ada bid;Ada took;Ada points;Ada total;Bruno bid;Bruno took;Bruno points;Bruno total;note;void
1;1;1;11;11;0;0;10;10;;
1;1;1;;;0;0;;;;yes
1;0;1;;;0;0;;;;
;;;-5;6;;;;20;looked at a card;
Total;;;;6;;;;20;;
"""
    )
    assert game.sheet.adjustments == (Adjustment(2, 0, -5, "looked at a card"),)
    assert game.sheet.totals == (6, 20)


def test_totals_that_do_not_follow_are_refused():
    """What stands in the last line is not what the hands give."""
    said = refused("cards;Ada bid;Ada took;Ada total;Bruno bid;Bruno took;Bruno total\n1;1;1;50;0;0;10\n")
    assert said
    assert all(each.startswith("totals") for each in said)


def test_names_may_stand_above_their_columns():
    """A name holds until the next one; a sheet with such a line may have facts above it."""
    game, _ = read("name;Friday\n;Ada;;Bruno;\ncards;bid;took;bid;took\n2;1;1;1;1\n")
    assert (game.name, game.sheet.names, game.sheet.totals) == ("Friday", ("Ada", "Bruno"), (11, 11))


def test_a_column_nobody_knows_is_left_out_and_told():
    """The weather is no part of the game; an empty heading is nothing to tell."""
    game, warnings = read(f"{HEAD};weather;\n1;1;1;0;0;rain;\n")
    assert game.sheet.totals == (11, 10)
    assert [each for each in warnings if "column" in each] == [
        "line 1: this column is not known and is left out: weather"
    ]


def test_the_rules_of_the_table_may_be_named():
    """What the sheet calls the rules is known as a variant, or is the name of the rules it is read by."""
    ours = {"name": "Ours", "scoring": {"made": "5", "missed": "0"}}
    assert read(f"rules;OURS\n{HEAD}\n1;1;1;0;0\n", **ours)[0].sheet.totals == (5, 5)
    assert read(f"rules;classic\n{HEAD}\n1;1;1;0;0\n", **ours)[0].sheet.rules == classic()


def test_a_lone_total_stands_for_a_whole_game():
    """Minus signs of print are minus signs."""
    game, _ = read("player;total\nAda;83\nBruno;−7\n")
    assert game.sheet.given == (83, -7)


def test_a_typed_apostrophe_that_guards_nothing_stays():
    """Only in front of what a spreadsheet would work out it is a mark and no part of the text."""
    assert read(f"name;'t Kroegje\nplace;'=1\n{HEAD}\n1;1;1;0;0\n")[0].name == "'t Kroegje"
    assert read(f"name;'t Kroegje\nplace;'=1\n{HEAD}\n1;1;1;0;0\n")[0].place == "=1"


REFUSED = {
    "no heading": ("3;1;1\n", ["line 1: no heading was found"]),
    "no CSV": (f"{HEAD}\n1;1;1;0;0\n" + "x" * 200_000, ["line 3: this is no CSV"]),
    "no such fact": (f"weather;rain\n{HEAD}\n1;1;1;0;0\n", ["line 1: weather is no fact of a game"]),
    "no such rules": (f"rules;bridge\n{HEAD}\n1;1;1;0;0\n", ["line 1: no rules are called bridge here"]),
    "no number": (
        f"{HEAD}\n1;one;1;0;x1\n",
        ["line 2, Ada bid: one is no n", "line 2, Bruno took: x1 is no n"],
    ),
    "no column": ("cards;Ada bid;Bruno took\n1;1;1\n", ["Ada has no column took", "Bruno has no column bid"]),
    "no cards": (f"{HEAD}\n;1;1;0;0\n", ["line 2: the cards are missing"]),
    "no total": ("who;sum\nAda;1\nBruno;-\n", ["line 3, Bruno: the total is missing"]),
    "too many tricks": (f"{HEAD}\n2;1;1;1;1\n\n2;1;0;1;7\n", ["line 4, Bruno: 7 with 2 cards"]),
    "no such trump": ("trump;" + HEAD + "\nred;1;1;1;0;0\n", ["line 2: "]),
    "a player too few": ("cards;Ada bid;Ada took\n1;1;1\n", ["players: "]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_told_with_its_line(name):
    """Every mistake at once, in lines of the sheet and columns of its players."""
    text, beginnings = REFUSED[name]
    said = refused(text)
    assert [each[: len(start)] for each, start in zip(said, beginnings, strict=True)] == beginnings


# Writing


def rows(text):
    """What another program finds in the cells."""
    return list(csv.reader(io.StringIO(text, newline="")))


def test_points_outside_the_hands_have_a_line_of_their_own(play):
    """After the hand they belong to, with their reason; what was begun and not finished is not there."""
    sheet = play("1/1 0/0", "1/0 1/1", plan=[1, 1, 2])
    bonus = Adjustment(1, 1, -5, "looked at a card")
    sheet = replace(sheet, hands=(*sheet.hands, sheet.next_hand()), adjustments=(bonus,))
    heading, first, after, second = rows(spreadsheet.game_csv(Record(sheet)))[1:]
    columns = ("hand", "cards", "Ada points", "Ada total", "Bruno points", "Bruno total", "note")
    cells = [[row[heading.index(name)] for name in columns] for row in (first, after, second)]
    assert cells == [
        ["1", "1", "11", "11", "10", "10", ""],
        ["1", "", "", "", "-5", "5", "looked at a card"],
        ["2", "1", "0", "11", "11", "16", ""],
    ]
    long = rows("".join(spreadsheet.games_csv([Record(sheet)])))
    assert [row[5] for row in long] == ["hand", "1", "1", "2", "2"]


def test_who_was_not_there_has_no_line(play):
    """In the long table Chiara begins with the hand she joined in, or with the points she was given before it."""
    sheet = play("1/1 0/0 -", "0/0 0/0 1/1", plan=[1, 1])
    late = replace(sheet, hands=(replace(sheet.hands[0], table=(0, 1), absent=frozenset()), sheet.hands[1]))
    heading, *lines = rows("".join(spreadsheet.games_csv([Record(late)])))
    player, hand = heading.index("player"), heading.index("hand")
    assert [(row[hand], row[player]) for row in lines if row[player] == "Chiara"] == [("2", "Chiara")]
    given = replace(late, adjustments=(Adjustment(1, 2, 5, "start"),))
    _, *lines = rows("".join(spreadsheet.games_csv([Record(given)])))
    assert [row[hand] for row in lines if row[player] == "Chiara"] == ["1", "2"]


def test_a_game_of_totals_only_is_written_as_such():
    """Player and total in the paper layout; one line a player in the long one, with its place."""
    game, _ = read("player;total\nAda;83\nBruno;71\n")
    assert rows(spreadsheet.game_csv(game))[-3:] == [["player", "total"], ["Ada", "83"], ["Bruno", "71"]]
    heading, *lines = rows("".join(spreadsheet.games_csv([game])))
    told = [heading.index(name) for name in ("player", "total", "place at the end", "hand", "note")]
    assert [[row[at] for at in told] for row in lines] == [
        ["Ada", "83", "1", "", "totals only"],
        ["Bruno", "71", "2", "", "totals only"],
    ]
