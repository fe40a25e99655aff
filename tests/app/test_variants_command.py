"""The list of variants an operator or another program can ask for."""

from __future__ import annotations

import json

from click.testing import CliRunner

from cli import list_variants
from rules.variants import variants


def printed(*options: str) -> str:
    """What the command prints."""
    done = CliRunner().invoke(list_variants, options)
    assert done.exit_code == 0
    return done.output


def test_the_variants_are_listed():
    """One line a variant, in the order of the book: what to call it, its name, and how many can play."""
    lines = [line.split() for line in printed().splitlines()]
    assert [words[0] for words in lines] == [*variants()]
    assert lines[0] == ["classic", "Classic", "3-7"]
    assert ["serbian-whist", "Serbian", "Whist", "4"] in lines


def test_the_variants_as_json():
    """One list for another program, with a plan for every number of players that is allowed."""
    listed = {each["id"]: each for each in json.loads(printed("--json"))}
    assert [*listed] == [*variants()]
    assert listed["classic"] == {
        "id": "classic",
        "name": "Classic",
        "aliases": ["Oh Hell", "Oh Pshaw", "Blackout"],
        "players": {"min": 3, "max": 7},
        "deck": 52,
        "direction": "clockwise",
        "hook": False,
        "plans": {
            str(players): [*range(1, most + 1)]
            for players, most in zip("34567", (15, 13, 10, 8, 7), strict=True)
        },
        "scoring": {"made": "10 + tricks", "made_zero": "", "missed": "0"},
        "winner": "highest",
    }
    assert listed["romanian-whist"]["aliases"] == ["Whist românesc"]
    assert listed["romanian-whist"]["deck"] == {"3": 24, "4": 32, "5": 40, "6": 48}
    assert listed["pocha"]["direction"] == "counter-clockwise"
    assert listed["pocha"]["deck"]["3"] == 36
    assert listed["plump"]["scoring"]["made_zero"] == "5"
    assert listed["lowest-wins"]["winner"] == "lowest"
    for key, each in listed.items():
        fewest, most = variants()[key].players
        assert [*each["plans"]] == [str(players) for players in range(fewest, most + 1)]
