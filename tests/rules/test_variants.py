"""House rules as data: the named variants, and every switch of them."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.plan import ByPlayers, Direction
from rules.problem import RulesError
from rules.scoring import Scoring, Streak, common_rules
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
    read_variants,
    variants,
)

quietly = settings(database=None, deadline=None, derandomize=True, max_examples=40)
SPADES, HEARTS, DIAMONDS, CLUBS, NONE = Trump


def trumps(rules: Rules, players: int) -> list[Trump | None]:
    """The trump of every hand as far as the rules alone decide it."""
    plan = rules.plan(players)
    return [rules.trump_of(number, plan, players) for number in range(1, len(plan) + 1)]


@pytest.mark.parametrize(
    ("called", "found"),
    [
        ("Oh Pshaw", "classic"),
        ("blackout", "classic"),
        (" OH HELL ", "classic"),
        ("wizard", "wizard"),
        ("La Podrida", "podrida"),
        ("Whist românesc", "romanian-whist"),
        ("Judgement", "kachuful"),
        ("L'Ascenseur", "ascenseur"),
        ("bondebridge", "selbu-whist"),
        ("Negative Oh Hell", "lowest-wins"),
    ],
)
def test_r01_the_game_goes_by_many_names(called, found):
    """Whatever a table calls the game, it is found; Wizard is one of the family."""
    assert find_variant(called) is variants()[found]


def test_a_name_that_nobody_knows():
    """Bridge is another game."""
    assert find_variant("Bridge") is None
    assert find_variant("") is None


def test_no_two_variants_share_a_name():
    """Ids, names and aliases are unique across the file."""
    called = [
        name.casefold()
        for each in variants().values()
        for name in dict.fromkeys((each.id, each.name.casefold(), *each.aliases))
    ]
    assert len(called) == len(set(called))


def test_r02_three_to_seven_play_the_base_game():
    """Three to seven players are accepted without a word."""
    assert [players for players in range(1, 13) if not classic().problems(players)] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("players", [2, 8])
def test_r02_two_or_eight_do_not(players):
    """One fewer or one more is refused, with the numbers that can play."""
    assert [str(each) for each in classic().problems(players)] == ["players: 3 to 7 players can play this"]


def test_a_game_for_four_says_so():
    """Where there is only one number of players, the refusal names that one."""
    assert [str(each) for each in variants()["serbian-whist"].problems(5, [3])] == [
        "players: exactly 4 players can play this"
    ]


def test_r03_the_pack_has_52_cards():
    """The base game is played with one standard pack, however many play."""
    assert {classic().deck.of(players) for players in range(3, 8)} == {52}


def test_r04_the_highest_total_wins_the_base_game():
    """Most points win; the lowest only where the rules say so."""
    assert classic().lowest_wins is False


@pytest.mark.parametrize("players", range(3, 8))
def test_r10_the_last_hand_has_no_trump(players):
    """In the base game no card is turned in the last hand, and a card is turned in every other."""
    assert trumps(classic(), players) == [None] * (len(classic().plan(players)) - 1) + [NONE]


@pytest.mark.parametrize("variant", ["podrida", "romanian-whist"])
def test_r29_who_cannot_follow_must_trump(variant):
    """The tables that must trump are reminded of it; the base game is not."""
    assert "must-trump" in variants()[variant].reminders
    assert classic().reminders == ()


def test_r33_every_switch_stands_by_itself():
    """Changing one field of the rules leaves all others as they were."""
    other = {
        "hook": True,
        "simultaneous": True,
        "sequence": "H..1",
        "direction": "counter-clockwise",
        "lowest_wins": True,
        "scoring": {"made": "10 + tricks", "missed": "tricks", "made_zero": "5 + cards"},
        "no_trump_on": "never",
        "ties": "most-made",
        "streak": {"length": 3, "made": 9, "missed": 0, "one_card": "count"},
    }
    for key, value in other.items():
        changed = Rules.read({"variant": "classic", key: value})
        differing = [
            each.name
            for each in fields(Rules)
            if getattr(changed, each.name) != getattr(classic(), each.name)
        ]
        assert differing == [key]
    together = Rules.read({"variant": "classic", **other})
    assert all(
        getattr(together, key) == getattr(Rules.read({key: value}), key) for key, value in other.items()
    )


def test_q01_no_trump_falls_on_every_largest_hand():
    """By default the largest hands have no trump: the middle, or both ends, of a two-way game."""
    up_and_down = replace(classic(), sequence="1..H,H-1..1")
    down_and_up = replace(classic(), sequence="H..1,2..H")
    assert classic().no_trump_on is NoTrumpOn.LARGEST
    assert [at for at, trump in enumerate(trumps(up_and_down, 5)) if trump] == [9]
    assert [at for at, trump in enumerate(trumps(down_and_up, 5)) if trump] == [0, 18]


@pytest.mark.parametrize(
    ("where", "players", "without_trump"),
    [
        (NoTrumpOn.LAST, 5, [18]),
        (NoTrumpOn.LAST, 4, [12, 24]),
        (NoTrumpOn.EXHAUSTED, 5, []),
        (NoTrumpOn.EXHAUSTED, 4, [12]),
        (NoTrumpOn.NEVER, 4, []),
    ],
)
def test_q01_other_places_for_no_trump(where, players, without_trump):
    """There and back at four the hand of 13 leaves nothing to turn; the last hand and never are choices."""
    rules = replace(classic(), sequence="1..H,H-1..1", no_trump_on=where)
    assert [at for at, trump in enumerate(trumps(rules, players)) if trump] == without_trump


def test_q02_a_full_deal_without_a_card_to_turn():
    """Four times thirteen is no-trump, unless the dealer's last card, the dealer or an auction decides."""
    assert trumps(classic(), 4)[-1] is NONE
    for changed in (
        {"no_trump_on": NoTrumpOn.NEVER},
        {"trump": TrumpMethod.DEALER},
        {"trump": TrumpMethod.AUCTION},
    ):
        assert trumps(replace(classic(), **changed), 4)[-1] is None


def test_q12_a_custom_game_takes_two_to_twelve():
    """Rules that spell out their own players are not held to three to seven."""
    rules = Rules.read({"players": [2, 10]})
    assert [players for players in range(1, 13) if not rules.problems(players)] == list(range(2, 11))


def test_trumps_in_turn():
    """Kachuful names its trumps one after the other; Nomination Whist has no-trump as the fifth."""
    assert trumps(variants()["kachuful"], 5)[:6] == [SPADES, DIAMONDS, CLUBS, HEARTS, SPADES, DIAMONDS]
    assert trumps(variants()["nomination-whist"], 4)[:6] == [SPADES, HEARTS, CLUBS, DIAMONDS, NONE, SPADES]


def test_one_suit_for_ever_or_none():
    """A fixed suit is trump in every hand, and a game without trumps has none in any."""
    fixed = replace(classic(), trump=TrumpMethod.FIXED, rotation=(SPADES,))
    assert set(trumps(fixed, 4)) == {SPADES}
    assert set(trumps(replace(classic(), trump=TrumpMethod.NONE), 4)) == {NONE}


@pytest.mark.parametrize("method", [TrumpMethod.ROTATION, TrumpMethod.FIXED])
def test_trumps_in_turn_need_suits(method):
    """A rotation of nothing is refused, and until then breaks nothing."""
    empty = replace(classic(), trump=method)
    assert [each.place for each in empty.problems(4)] == ["rotation"]
    assert set(trumps(empty, 4)) == {None}


def test_wizard_is_without_trump_in_its_last_hand():
    """All sixty cards are out in the last hand, whatever the number of players."""
    for players in (3, 4, 5, 6):
        assert trumps(variants()["wizard"], players)[-2:] == [None, NONE]


def test_suits_have_numbers_for_formulas():
    """No trump is 0, and the suits go down from spades."""
    assert [each.number for each in (NONE, SPADES, HEARTS, DIAMONDS, CLUBS)] == [0, 1, 2, 3, 4]


def test_every_variant_pays_by_its_published_rule():
    """The formulas of each variant are those of the common rule that its sources describe."""
    published = {
        "classic": "seed-base",
        "up-and-down-the-river": "seed-base",
        "nomination-whist": "basic10",
        "romanian-whist": "romanian",
        "serbian-whist": "basic10",
        "plump": "plump-wikibooks",
        "selbu-whist": "selbu",
        "boerenbridge": "boeren5",
        "ascenseur": "basic10",
        "rikiki": "rikiki-2",
        "stiche-raten": "basic10",
        "pocha": "pocha",
        "podrida": "podrida-33",
        "kachuful": "kachuful-add",
        "judgement-times-ten": "kachuful-mul",
        "german-bridge": "square-square",
        "wizard": "wizard",
        "skull-king": "skull-king",
        "israeli-whist": "israeli",
        "estimativa": "estimativa",
        "lowest-wins": "golf-tri",
        "planowanie": "seed-base",
    }
    assert {key: variants()[key].scoring for key in published} == {
        key: common_rules()[name] for key, name in published.items()
    }
    assert [key for key in published if variants()[key].lowest_wins] == ["lowest-wins"]


def test_selbu_whist_has_its_trumps_in_one_long_row():
    """Three hands without trump at either end, and in between the suits from clubs on, over and over."""
    between = [CLUBS, DIAMONDS, HEARTS, SPADES] * 4
    for players in (2, 5):
        assert trumps(variants()["selbu-whist"], players) == [NONE] * 3 + between[:14] + [NONE] * 3


def test_every_example_pays_what_it_says():
    """The worked example of each variant is a hand it can have, and its own scoring pays that."""
    for key, rules in variants().items():
        assert rules.example is not None, key
        assert rules.worked_example == rules.example, key
        assert rules.example.cards in rules.plan(rules.players[0]), key


def test_an_example_follows_the_scoring():
    """A table that changes what a bid pays sees the example of its variant with its own points."""
    changed = replace(variants()["wizard"], scoring=Scoring("0", "-off"))
    assert changed.worked_example == replace(changed.example, points=-2)
    assert Rules.read({}).worked_example is None


def test_wizard_may_turn_a_card_without_a_suit():
    """A jester or a wizard can be turned there, and in the base game only cards with a suit."""
    assert variants()["wizard"].turn_ups == (TurnUp.JESTER, TurnUp.WIZARD)
    assert classic().turn_ups == ()


def test_only_a_hand_of_one_card_goes_on_the_forehead():
    """Two cards cannot be held there, and without the switch one is held in the hand."""
    held = replace(classic(), forehead=True)
    assert [cards for cards in range(1, 14) if held.is_on_forehead(cards)] == [1]
    assert not classic().is_on_forehead(1)


def test_every_objection_is_told_at_once():
    """Too many players and a plan too large for the pack are two problems, not one after the other."""
    found = [str(each) for each in classic().problems(8, [6, 7])]
    assert found == ["players: 3 to 7 players can play this", "sequence: 8 × 7 cards = 56, the pack has 52"]


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ([], "a game needs at least 1 hand"),
        ([3, 0], "a hand needs at least 1 card"),
        ([1] * 121, "a game may have 120 hands"),
        ([14], "4 × 14 cards = 56, the pack has 52"),
    ],
)
def test_a_plan_made_by_hand_is_judged_too(plan, sentence):
    """A plan that the table changed must still be one that can be dealt."""
    assert [str(each) for each in classic().problems(4, plan)] == [f"sequence: {sentence}"]


def test_a_sequence_that_cannot_be_read_is_a_problem():
    """The rules never break on a bad sequence: they say what is wrong with it."""
    assert [str(each) for each in replace(classic(), sequence="1..").problems(4)] == [
        "sequence: a number, H or P is missing here"
    ]


def test_a_variant_is_written_out_whole():
    """What is kept with a game does not lean on the variant, which may change after it was played."""
    for key, rules in variants().items():
        written = rules.write()
        assert written["variant"] == key
        assert {each.name for each in fields(Rules)} - {"id"} == written.keys() - {"variant"}
        assert Rules.read(written) == rules


FIELDS = {
    "name": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
    "aliases": st.lists(st.sampled_from(["Rats", "Nommy"]), max_size=2).map(tuple),
    "players": st.tuples(st.integers(2, 6), st.integers(6, 12)),
    "direction": st.sampled_from(Direction),
    "deck": st.sampled_from([ByPlayers(60), ByPlayers(each=8), ByPlayers(40, table=((3, 36),))]),
    "largest": st.sampled_from([ByPlayers(), ByPlayers(10), ByPlayers(table=((3, 15), (4, 13)))]),
    "reserve": st.integers(0, 1),
    "sequence": st.sampled_from(["1..H", "H..1", "1*P,2..H"]),
    "other_sequences": st.sampled_from([(), ("H..1",)]),
    "trump": st.sampled_from(TrumpMethod),
    "rotation": st.lists(st.sampled_from(Trump), max_size=5).map(tuple),
    "turn_ups": st.lists(st.sampled_from(TurnUp), max_size=2).map(tuple),
    "no_trump_on": st.sampled_from(NoTrumpOn),
    "simultaneous": st.booleans(),
    "even_table": st.sampled_from(EvenTable),
    "blind_bids": st.booleans(),
    "forehead": st.booleans(),
    "first_bidder": st.sampled_from(First),
    "leads": st.sampled_from(First),
    "hook": st.booleans(),
    "hook_from": st.integers(1, 5),
    "hook_spares_last": st.booleans(),
    "zeros_in_a_row": st.integers(0, 5),
    "zeros_counted_from": st.integers(2, 6),
    "scoring": st.sampled_from([Scoring("10 + bid", "0"), Scoring("20 + 10 * tricks", "-10 * off", "5")]),
    "streak": st.sampled_from([None, Streak(), Streak(3, 10, 0, "reset")]),
    "target": st.sampled_from([0, 100]),
    "lowest_wins": st.booleans(),
    "ties": st.sampled_from(Ties),
    "reminders": st.sampled_from([(), ("must-trump",)]),
    "disagree": st.sampled_from([(), ("forehead-option",)]),
    "sources": st.sampled_from([(), ("SEED",)]),
    "example": st.sampled_from([None, Example(5, 3, 2, 0)]),
}


def test_every_field_can_be_written():
    """A field added to the rules needs a strategy here, and so a way in and out."""
    assert {each.name for each in fields(Rules)} == {"id", *FIELDS}


@quietly
@given(st.sampled_from([*variants()]) | st.none(), st.fixed_dictionaries({}, optional=FIELDS))
def test_any_rules_are_read_as_they_were_written(variant, changes):
    """Rules go through JSON and come back the same, whatever they started from."""
    start = variants()[variant] if variant else Rules.read({})
    rules = replace(start, **changes)
    assert Rules.read(json.loads(json.dumps(rules.write()))) == rules


def test_what_is_left_out_is_as_in_the_base_game():
    """Rules without a variant are the base game without its name."""
    rules = Rules.read({"name": "house rules"})
    assert (rules.id, rules.name, rules.aliases) == ("custom", "house rules", ())
    assert rules.largest == classic().largest


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"variant": "bridge"}, "rules.variant"),
        ({"variant": ["classic"]}, "rules.variant"),
        ({"colour": "red"}, "rules.colour"),
        ({"id": "podrida"}, "rules.id"),
        ({"hook": "yes"}, "rules.hook"),
        ({"hook": 1}, "rules.hook"),
        ({"hook_from": -1}, "rules.hook_from"),
        ({"hook_from": True}, "rules.hook_from"),
        ({"target": 10**9}, "rules.target"),
        ({"players": []}, "rules.players"),
        ({"players": [3]}, "rules.players"),
        ({"players": [7, 3]}, "rules.players"),
        ({"players": [1, 99]}, "rules.players"),
        ({"players": 4}, "rules.players"),
        ({"players": {"3": 7}}, "rules.players"),
        ({"deck": 0}, "rules.deck"),
        ({"deck": -52}, "rules.deck"),
        ({"deck": {}}, "rules.deck"),
        ({"deck": "52"}, "rules.deck"),
        ({"deck": {"each": 8, "3": 4}}, "rules.deck"),
        ({"largest": -5}, "rules.largest"),
        ({"sequence": 5}, "rules.sequence"),
        ({"even_table": "again"}, "rules.even_table"),
        ({"turn_ups": ["joker"]}, "rules.turn_ups"),
        ({"forehead": "yes"}, "rules.forehead"),
        ({"blind_bids": 1}, "rules.blind_bids"),
        ({"disagree": "hook-option"}, "rules.disagree"),
        ({"example": 5}, "rules.example"),
        ({"example": {"cards": 5, "bid": 3, "took": 3}}, "rules.example"),
        ({"example": {"cards": 5, "bid": 6, "took": 3, "points": 0}}, "rules.example"),
        ({"example": {"cards": 0, "bid": 0, "took": 0, "points": 0}}, "rules.example"),
        ({"example": {"cards": 5, "bid": 3, "took": "3", "points": 0}}, "rules.example"),
        ({"sequence": "1" * 201}, "rules.sequence"),
        ({"name": "A\0"}, "rules.name"),
        ({"name": "A\ud800"}, "rules.name"),
        ({"direction": "left"}, "rules.direction"),
        ({"direction": []}, "rules.direction"),
        ({"rotation": ["red"]}, "rules.rotation"),
        ({"rotation": "spades"}, "rules.rotation"),
        ({"reminders": [1]}, "rules.reminders"),
        ({"scoring": 5}, "rules.scoring"),
        ({"scoring": []}, "rules.scoring"),
        ({"scoring": {"made": "10"}}, "rules.scoring"),
        ({"scoring": {"made": "1", "missed": "0", "half": "2"}}, "rules.scoring"),
        ({"scoring": {"made": "luck", "missed": "0"}}, "rules.scoring.made"),
        ({"streak": 5}, "rules.streak"),
        ({"streak": {"length": 5}}, "rules.streak"),
        ({"streak": {"length": 0, "made": 5, "missed": 5, "one_card": "skip"}}, "rules.streak.length"),
        ({"streak": {"length": 5, "made": 5, "missed": 5, "one_card": "skip", "x": 1}}, "rules.streak"),
    ],
)
def test_rules_that_cannot_be_read_name_the_field(data, place):
    """Each mistake is told with the field it is in."""
    with pytest.raises(RulesError) as refused:
        Rules.read(data)
    assert [each.place for each in refused.value.problems] == [place]


def test_all_mistakes_in_the_rules_are_told_at_once():
    """Three wrong fields are three problems."""
    with pytest.raises(RulesError) as refused:
        Rules.read({"hook": "yes", "deck": 0, "scoring": {"made": "luck", "missed": "fate"}})
    assert len(refused.value.problems) == 4


def test_what_is_quoted_in_a_problem_is_short():
    """A list a thousand deep or half a surrogate pair is quoted without harm."""
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    for value in (deep, {"a": deep}, "\ud800" * 500):
        with pytest.raises(RulesError) as refused:
            Rules.read({"direction": value})
        str(refused.value).encode()
        assert len(str(refused.value)) < 120


FILE = Path(__file__).parents[2] / "rules" / "variants.toml"
NEW_VARIANT = """
[two-by-two]
name = "Two by Two"
aliases = ["Pairs"]
players = [2, 12]
deck = 104
sequence = "2..H:2"
no_trump_on = "exhausted"
scoring = { made = "5 * tricks", missed = "-bid" }
sources = ["SEED"]
example = { cards = 4, bid = 2, took = 2, points = 10 }
"""


def test_one_block_of_toml_is_a_variant():
    """The recipe for a new variant: a block at the end of the file, and nothing else."""
    known = read_variants(FILE.read_text(encoding="utf-8") + NEW_VARIANT)
    assert [*known] == [*variants(), "two-by-two"]
    rules = known["two-by-two"]
    assert (rules.id, rules.name, rules.aliases) == ("two-by-two", "Two by Two", ("Pairs",))
    assert rules.plan(12) == (2, 4, 6, 8)
    assert [players for players in range(1, 14) if not rules.problems(players)] == [*range(2, 13)]
    assert rules.worked_example == rules.example
    assert Rules.read(rules.write() | {"variant": "classic"}) == replace(rules, id="classic")


def test_a_block_with_a_slip_is_refused():
    """A key that does not exist and a formula that cannot be read are told with their places."""
    with pytest.raises(RulesError) as refused:
        read_variants('[slip]\ncolour = "red"\nscoring = { made = "luck", missed = "0" }')
    assert [each.place for each in refused.value.problems] == ["rules.colour", "rules.scoring.made"]


def test_what_a_table_pays_is_shown_for_up_to_three_tricks():
    """At most five cards, bids and tricks from 0 to 3, as far as there are cards, and one bid too few on the table."""
    rules = replace(classic(), scoring=Scoring(made="10 * bid + bids", missed="-off"))
    shown = rules.pays((2, 7, 13), 4)
    assert shown.cards == 5
    assert shown.rows == ((4, -1, -2, -3), (-1, 14, -1, -2), (-2, -1, 24, -1), (-3, -2, -1, 34))
    assert rules.pays((2, 1), 4).rows == ((1, -1, -2), (-1, 11, -1), (-2, -1, 21))
    assert rules.pays((), 4).cards == 5, "while a plan is typed there may be none"
