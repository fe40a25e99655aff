"""Every sentence of the rules and every settled ambiguity has a test that bears its number."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
NAMED = re.compile(r"^def (test_([rq]\d\d)_\w+)\(", re.MULTILINE)
WANTED = [*(f"r{number:02}" for number in range(1, 34)), *(f"q{number:02}" for number in range(1, 19))]

SCREENS = {
    "r05": "test_r05_before_the_deal_the_table_is_reminded_to_shuffle",
    "r11": "test_r11_the_rest_of_the_pack_is_set_aside",
    "r15": "test_r15_a_bid_is_labelled_as_tricks",
    "r17": "test_r17_players_are_reminded_to_follow_suit",
    "r18": "test_r18_players_are_reminded_what_wins_a_trick",
    "r20": "test_r20_bids_are_written_down_one_at_a_time_in_order",
    "r21": "test_r21_bids_of_all_stay_on_the_screen_during_play",
    "q14": "test_q14_the_first_dealer_is_drawn_or_picked",
    "q16": "test_q16_any_number_of_phones_may_write",
}
"""What only a screen can show, by the test of the app that shows it; r05 and r21 have a test of the rules too."""


def named() -> dict[str, str]:
    """All tests that bear a number, with the file each is in."""
    return {
        name: path.relative_to(TESTS).as_posix()
        for path in sorted(TESTS.rglob("test_*.py"))
        for name, _ in NAMED.findall(path.read_text(encoding="utf-8"))
    }


def test_every_requirement_has_a_test():
    """R1 to R33 and Q1 to Q18 are each tested, on the rules or on a screen, and no test bears another number."""
    assert {name[5:8] for name in [*named(), *SCREENS.values()]} == set(WANTED)


def test_what_only_a_screen_shows_is_tested_there():
    """The tests of the screens that are promised here exist, in the tests of the app or of the browser."""
    files = named()
    there = {name: files.get(name, "").partition("/")[0] for name in SCREENS.values()}
    assert {name: folder for name, folder in there.items() if folder not in ("app", "browser")} == {}
