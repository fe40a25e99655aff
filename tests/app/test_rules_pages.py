"""The rules in plain sentences: of every variant, for every number of players, and of the game at hand."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from flask import render_template

from rules.plan import ByPlayers, Direction
from rules.scoring import Scoring, Streak
from rules.variants import (
    EvenTable,
    Example,
    First,
    NoTrumpOn,
    Rules,
    Ties,
    Trump,
    TrumpMethod,
    TurnUp,
    classic,
    find_variant,
    variants,
)

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
DOCS = Path(__file__).parents[2] / "docs" / "rules.md"


def flat(tag):
    """What a part of a page says, in one line."""
    return " ".join(tag.get_text(" ").split())


def sentences(page, heading):
    """The items of the list below a heading."""
    found = next((each for each in page.select("h3") if flat(each) == heading), None)
    return [flat(each) for each in found.find_next("ul").select("li")] if found else []


def documented(heading):
    """The sentences of the documentation by key, from the table below a heading."""
    text = DOCS.read_text(encoding="utf-8")
    below = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", below, re.MULTILINE))


@pytest.fixture
def words(app):
    """The sentences of the pages by key: `reminder_words`, `disagree_words`, `turn_up_words`."""
    with app.test_request_context():
        return app.jinja_env.get_template("rules/_words.html").make_module()


@pytest.fixture
def said(app):
    """Says rules in plain sentences, for four players."""

    def say(rules):
        plan = rules.plan(4)
        with app.test_request_context():
            page = render_template(
                "rules/variant.html",
                rules=rules,
                counts=[4],
                players=4,
                plan=plan,
                pays=rules.pays(plan, 4),
            )
        return flat(BeautifulSoup(page, "html.parser").article)

    return say


# Every variant


@pytest.mark.parametrize("variant", variants())
def test_the_rules_of_a_variant_are_said_for_every_number_of_players(phone, words, variant):
    """Its plan, trump, bids, points, worked example and whatever tables differ in, for as many as can play."""
    rules = find_variant(variant)
    for players in range(rules.players[0], rules.players[1] + 1):
        page = phone.get(f"/rules/{variant}?players={players}")
        plan = rules.plan(players)
        assert flat(page.h2) == rules.name
        assert [int(each.get_text()) for each in page.select(".sizes span")] == list(plan)
        assert f"a pack of {rules.deck.of(players)} cards" in phone.text
        headings = [flat(each) for each in page.select("h3")]
        assert headings[:5] == ["The hands", "Trump", "The bids", "The play", "The points"]
        assert all(flat(each.find_next("p")) for each in page.select("h3")[:4])
        paid = [
            [int(cell.get_text().replace("−", "-")) for cell in row.select("td")]
            for row in page.select(".pays tbody tr")
        ]
        assert paid == [list(row) for row in rules.pays(plan, players).rows]
        hand = rules.example
        example = f"with {hand.cards} cards: bid {hand.bid}, took {hand.took}, pays {hand.points}."
        assert example.replace("-", "−") in phone.text
        assert sentences(page, "Tables differ") == [words.disagree_words[key] for key in rules.disagree]
        for key in rules.reminders:
            assert words.reminder_words[key] in phone.text
        for key in rules.turn_ups:
            assert words.turn_up_words[key] in phone.text
        assert flat(page.select_one("[aria-current]")) == str(players)


@pytest.mark.parametrize(
    ("kind", "field", "heading"),
    [
        ("reminder_words", "reminders", "Reminders"),
        ("disagree_words", "disagree", "Where tables differ"),
        ("turn_up_words", "turn_ups", None),
    ],
)
def test_every_key_of_the_variants_has_its_sentence(words, kind, field, heading):
    """No key is without words, no words without a key, and the documentation says the same."""
    used = {str(key) for rules in variants().values() for key in getattr(rules, field)}
    assert set(getattr(words, kind)) == used
    if heading:
        assert getattr(words, kind) == documented(heading)


def test_all_variants_are_listed_by_all_their_names(phone):
    """Each has a link to its rules, and its other names are there to be found."""
    page = phone.get("/rules")
    links = {link["href"]: flat(link) for link in page.select(".games a")}
    assert list(links) == [f"/rules/{key}" for key in variants()]
    for key, rules in variants().items():
        assert all(name in links[f"/rules/{key}"] for name in (rules.name, *rules.aliases))


def test_a_variant_is_played_from_its_rules(phone):
    """One tap leads from the rules to a new game that has them chosen."""
    phone.get("/rules/israeli-whist")
    phone.follow("Play this")
    assert (phone.address, phone.chosen) == ("/new", "israeli-whist")


@pytest.mark.parametrize("variant", ["bridge", "Classic", "..", "classic/x", "%00", "%F0%9F%90%BA"])
def test_an_unknown_variant_is_not_found(phone, variant):
    """Rules that nobody knows by this name lead nowhere."""
    phone.get(f"/rules/{variant}", 404)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("2", 3), ("0", 3), ("-5", 3), ("8", 7), ("9" * 30, 7), ("many", 4), ("", 4), ("5", 5)],
)
def test_a_number_of_players_out_of_range_is_brought_into_it(phone, asked, shown):
    """The nearest number that can play is shown, and four for what is no number."""
    page = phone.get(f"/rules/classic?players={asked}")
    assert flat(page.select_one("[aria-current]")) == str(shown)


# Every switch


TURNED = Rules(name="Ours", no_trump_on=NoTrumpOn.NEVER, hook=False)
AT_ONCE = replace(TURNED, simultaneous=True)
HOOKED = replace(TURNED, hook=True)
LIMITED = replace(TURNED, zeros_in_a_row=2)
RUNS = replace(TURNED, streak=Streak(one_card="count"))
SWITCHES = [
    (TURNED, {"name": "Theirs"}, "Theirs"),
    (TURNED, {"aliases": ("Others",)}, "Others"),
    (
        TURNED,
        {"direction": Direction.COUNTER_CLOCKWISE},
        "The deal, the bids and the play go counter-clockwise.",
    ),
    (TURNED, {"deck": ByPlayers(40)}, "a pack of 40 cards"),
    (TURNED, {"largest": ByPlayers(9)}, "9 hands are played"),
    (TURNED, {"reserve": 1}, "1 card always stays in the pack."),
    (TURNED, {"sequence": "1,1"}, "2 hands are played"),
    (TURNED, {"trump": TrumpMethod.NONE}, "There is no trump."),
    (TURNED, {"trump": TrumpMethod.UNTRACKED}, "The scorebook does not note it."),
    (TURNED, {"trump": TrumpMethod.DEALER}, "The dealer looks at the cards and names the trump."),
    (
        TURNED,
        {"trump": TrumpMethod.AUCTION},
        "The trump is bid for before the bids, and whoever wins names it.",
    ),
    (
        TURNED,
        {"trump": TrumpMethod.HIGHEST_BIDDER},
        "Whoever bids highest names the trump; of equal bids the first counts.",
    ),
    (TURNED, {"trump": TrumpMethod.FIXED, "rotation": (Trump.CLUBS,)}, "Trump is always clubs"),
    (
        TURNED,
        {"trump": TrumpMethod.ROTATION, "rotation": (Trump.CLUBS, Trump.NONE)},
        "Trumps take turns: clubs , no trump",
    ),
    (TURNED, {"turn_ups": (TurnUp.JESTER,)}, "If a jester is turned, there is no trump."),
    (TURNED, {"no_trump_on": NoTrumpOn.LAST}, "There is no trump in the last hand, nor where"),
    (TURNED, {"no_trump_on": NoTrumpOn.LARGEST}, "There is no trump in every largest hand"),
    (TURNED, {"no_trump_on": NoTrumpOn.EXHAUSTED}, "Where no card is left to turn, there is no trump."),
    (TURNED, {"simultaneous": True}, "All bid at once, with their fingers on a count of three."),
    (AT_ONCE, {"even_table": EvenTable.LEFT_CHANGES}, "whoever sits after the dealer must change."),
    (AT_ONCE, {"even_table": EvenTable.REBID}, "If the bids add up to the cards, all bid again."),
    (TURNED, {"blind_bids": True}, "Who bids before looking says so, and it is marked."),
    (TURNED, {"forehead": True}, "In hands of one card everybody holds the card on the forehead"),
    (TURNED, {"first_bidder": First.DEALER}, "The dealer bids first."),
    (TURNED, {"first_bidder": First.HIGHEST_BIDDER}, "Whoever won the auction bids first."),
    (TURNED, {"leads": First.DEALER}, "The dealer leads to the first trick."),
    (TURNED, {"leads": First.HIGHEST_BIDDER}, "Whoever bid highest leads to the first trick."),
    (TURNED, {"hook": True}, "The bids may not add up to the number of cards"),
    (HOOKED, {"hook_from": 4}, "This holds from 4 cards on."),
    (HOOKED, {"hook_spares_last": True}, "The last hand is spared."),
    (TURNED, {"zeros_in_a_row": 3}, "Nobody may bid zero more than 3 times in a row."),
    (
        replace(LIMITED, zeros_counted_from=5),
        {"zeros_counted_from": 4},
        "Nobody may bid zero more than 2 times in a row.",
    ),
    (TURNED, {"scoring": Scoring(made="7 + bid", missed="0")}, "7 + bid"),
    (TURNED, {"streak": Streak(length=3, made=8, missed=-9)}, "3 bids made in a row pay 8 more"),
    (RUNS, {"streak": Streak(one_card="skip")}, "One-card hands neither count nor break the row."),
    (RUNS, {"streak": Streak(one_card="reset")}, "A one-card hand breaks the row."),
    (TURNED, {"target": 100}, "until somebody has 100 points."),
    (TURNED, {"lowest_wins": True}, "The lowest total wins."),
    (TURNED, {"ties": Ties.MOST_MADE}, "Between equal totals, more bids made wins."),
    (TURNED, {"ties": Ties.MADE_BIDS}, "Between equal totals, the larger sum of made bids wins."),
    (TURNED, {"reminders": ("must-trump",)}, "Who cannot follow suit must trump."),
    (TURNED, {"disagree": ("no-hook",)}, "Some play without the hook."),
    (TURNED, {"sources": ("XYZ",)}, "XYZ"),
    (TURNED, {"example": Example(cards=5, bid=2, took=2, points=0)}, "with 5 cards: bid 2, took 2, pays 12."),
]


@pytest.mark.parametrize(
    ("rules", "change", "sentence"), SWITCHES, ids=[" ".join(map(str, row[1].values())) for row in SWITCHES]
)
def test_each_switch_has_its_sentence(said, rules, change, sentence):
    """With the switch the page says so, without it the page does not."""
    assert sentence in said(replace(rules, **change))
    assert sentence not in said(rules)


def test_rules_that_miss_their_suit_are_said_without_it(said):
    """No game comes in by such rules now, and one that is there already keeps its page."""
    assert "Trump is always" not in said(replace(classic(), trump=TrumpMethod.FIXED, rotation=()))


def test_no_switch_is_forgotten():
    """Every field of the rules is among those above, but what is no rule of the one game that is shown."""
    told = {name for _rules, change, _sentence in SWITCHES for name in change}
    assert {each.name for each in fields(Rules)} - told == {"id", "players", "other_sequences"}


# At the table


def test_the_rules_are_one_tap_from_every_phase(table, other_phone):
    """Deal, bids, naming, play, tricks and a closed hand lead to the rules of this game, for whoever looks."""
    table.phone.house_rules(name="Ours", trump="highest-bidder", hook=True, order="own", plan="2,1")
    table.start(*FOUR, variant=table.phone.chosen, dealer=3)
    seen = []

    def look():
        seen.append(table.phase)
        for phone in (table.phone, other_phone):
            phone.get(f"/g/{table.code}/hands/1")
            phone.follow("Rules")
            assert phone.address == f"/g/{table.code}/rules"
            assert "Whoever bids highest names the trump" in phone.text
            phone.get(f"/g/{table.code}/hands/1")

    look()
    table.bid(1, 0, 0, 0)
    look()
    table.trump("hearts")
    look()
    table.over()
    look()
    table.took(1, 1, 0, 0).open(1)
    look()
    assert seen == ["bids", "naming", "play", "tricks", "scored"]
    table.start(*FOUR, variant="classic", dealer=3, order="own", plan="2,1", no_trump_on="never")
    assert table.phase == "deal"
    table.phone.follow("Rules")
    assert "The next card is turned up, and its suit is trump." in table.phone.text
    table.phone.follow("Hand 1")
    assert table.phase == "deal"


def test_the_rules_of_a_game_are_those_it_is_played_by(table):
    """Its own plan, its own switches and the name of its house rules, and no variant's."""
    table.phone.house_rules("podrida", name="Tuesday", hook_from=3, target=0)
    ours = table.phone.chosen
    table.start(*FOUR, variant=ours, order="own", plan="4,3,2", dealer=0)
    page = table.phone.follow("Rules")
    assert flat(page.h2) == "Tuesday"
    assert [each.get_text() for each in page.select(".sizes span")] == ["4", "3", "2"]
    assert "This holds from 3 cards on." in table.phone.text
    assert "Who cannot follow suit must trump." in table.phone.text
    assert "Tables differ" not in table.phone.text
