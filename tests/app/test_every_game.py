"""Whole recorded games of many kinds, kept again through the pages, and their rules played again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.pages

GAMES = Path(__file__).parents[1] / "data" / "games"
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def read(stem):
    """One of the records."""
    return json.loads((GAMES / f"{stem}.json").read_text(encoding="utf-8"))


def replay(table, hands):
    """Keep these hands as their table played them; uneven ones are insisted on."""
    for number, hand in enumerate(hands, 1):
        assert table.hand == number
        if table.phase == "deal":
            table.trump(hand["trump"])
        table.bid(*hand["bids"]).over()
        # Where everybody made it, the page asks once more.
        asks = hand["bids"] == hand["tricks"]
        if hand.get("uneven"):
            table.put_right(*hand["tricks"]).save(422).phone.tap("uneven", 422 if asks else 200)
        else:
            tricks = {f"tricks-{seat}": tricks for seat, tricks in enumerate(hand["tricks"])}
            table.phone.send(table.phone.button("save"), 422 if asks else 200, **tricks)
        if asks:
            table.phone.tap("confirm")


def ranking(phone):
    """The standings on the sheet: place and total by name."""
    return {
        each.bdi.get_text(): (
            int(each.select_one(".standings-place").get_text().rstrip(".")),
            int(each.select_one(".standings-total").get_text().replace("−", "-")),
        )
        for each in phone.page.select(".standings li")
    }


def recorded(record):
    """Place and total by name, of a game where the highest total wins."""
    totals = record["totals"]
    return {
        name: (1 + sum(other > total for other in totals), total)
        for name, total in zip(record["players"], totals, strict=True)
    }


def rules_of(app, table):
    """The rules and the plan of the game."""
    with app.app_context():
        sheet = table.game().sheet()
        return sheet.rules, sheet.plan


@pytest.mark.parametrize(
    ("stem", "house", "switches"),
    [
        (
            "syn02-basic-5p-7down-7up",
            {},
            {"order": "H..1,2..H", "largest": 7, "hook": True, "missed": "tricks", "no_trump_on": "never"},
        ),
        ("syn03-wizardscore-3p-1to15", {"pattern": "wizard", "no_trump_on": "never"}, {}),
        (
            "syn05-ohsc-6p-8down-8up",
            {
                "order": "down-up",
                "hook": True,
                "no_trump_on": "never",
                "pattern": "own",
                "made": "10 + tricks",
                "missed": "tricks if tricks < bid else -10",
            },
            {},
        ),
        ("syn06-five-3p-1to10to1", {}, {"variant": "boerenbridge", "largest": 10}),
        (
            "rec03-wizard-4p-17rounds",
            {"start": "wizard", "deck": 68, "largest": 17, "trump": "untracked"},
            {},
        ),
    ],
)
def test_a_recorded_game_is_kept_again(table, stem, house, switches):
    """Hand by hand it comes to the totals and the places of its record, and its uneven hands stay marked."""
    record = read(stem)
    if house:
        table.phone.house_rules(name="Theirs", **house)
        switches = {"variant": table.phone.chosen}
    table.start(*record["players"], dealer=0, **switches)
    replay(table, record["hands"])
    assert table.phone.page.h1.get_text(strip=True) == "Final score"
    assert ranking(table.phone) == recorded(record)
    assert table.totals() == record["totals"]
    assert [each.get_text(strip=True) for each in table.phone.page.select(".uneven")] == [
        f"{sum(hand['tricks'])} of {hand['cards']}" for hand in record["hands"] if hand.get("uneven")
    ]
    winners = [name for name, (place, _total) in recorded(record).items() if place == 1]
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == winners


# The rules of last time


@pytest.mark.parametrize(
    ("house", "switches"),
    [
        ({}, {"variant": "german-bridge"}),
        ({}, {"variant": "classic", "hook": True, "missed": "tricks", "trump": "untracked"}),
        ({}, {"variant": "podrida", "order": "own", "plan": "1..6,7*9,6..1"}),
        ({"pattern": "own", "made": "bid * 3", "missed": "-off", "trump": "auction"}, {}),
    ],
)
def test_last_times_rules_are_one_press_after_the_players(table, app, house, switches):
    """The form has them already: once the players sit, *start* is all it takes."""
    if house:
        table.phone.house_rules(name="Ours", **house)
        switches = {"variant": table.phone.chosen}
    table.start(*FOUR, dealer=0, **switches)
    before = rules_of(app, table)
    phone = table.phone
    phone.get("/new")
    phone.send(phone.button("add"), newcomers=",".join(FOUR))
    phone.tap("start")
    table.code = phone.address.split("/")[2]
    assert rules_of(app, table) == before


def test_the_last_table_plays_again_in_two_presses(table, app):
    """Players, seats, rules and plan are there: *play again* and *start* are all it takes."""
    table.phone.house_rules(name="Ours", pattern="wizard", hook=True, no_trump_on="never")
    table.start(*FOUR, variant=table.phone.chosen, dealer=0, largest=2)
    before = rules_of(app, table)
    table.play(bids=[0, 1, 1, 0], tricks=[0, 1, 0, 0])
    table.play(bids=[0, 1, 1, 1], tricks=[0, 1, 1, 0])
    table.phone.follow("Play again")
    table.phone.tap("start")
    table.code = table.phone.address.split("/")[2]
    assert rules_of(app, table) == before
    assert table.hand == 1
