"""How many cards, how many hands, who deals, and who speaks first."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.plan import (
    LONGEST_SEQUENCE,
    MOST_HANDS,
    MOST_PLAYERS,
    PACKS,
    ByPlayers,
    Direction,
    SequenceError,
    deal_order,
    largest_that_fits,
    next_dealer,
    overdealt,
    sequence,
)
from rules.variants import Rules, classic, variants

quietly = settings(database=None, deadline=None, derandomize=True, max_examples=60)

ORDERS = {"up": "1..H", "down": "H..1", "up and down": "1..H,H-1..1", "down and up": "H..1,2..H"}

# The catalogue of the family: sequence, largest hand, players, hands it must come to.
CATALOGUE = [
    ("1..H", 15, 3, 15),
    ("1..H", 13, 4, 13),
    ("H..1", 7, 7, 7),
    ("1..H,H-1..1", 12, 4, 23),
    ("H..1,2..H", 10, 4, 19),
    ("13..3,2*4,3..13", 13, 4, 26),
    ("1..13,12..1", 13, 4, 25),
    ("1..10,9..1", 10, 5, 19),
    ("13..2,3..13", 13, 4, 23),
    ("10..1,2..10", 10, 5, 19),
    ("4..12,13*4", 13, 4, 13),
    ("1..13,13..1", 13, 4, 26),
    ("1*P,2..7,8*P,7..2,1*P", 8, 3, 21),
    ("1*P,2..7,8*P,7..2,1*P", 8, 4, 24),
    ("8*P,7..2,1*P,2..7,8*P", 8, 6, 30),
    ("13..2,1*P,2..13", 13, 4, 28),
    ("13..1,2..13", 13, 4, 25),
    ("H..2,1*P", 17, 2, 18),
    ("H..2,1*P", 17, 3, 19),
    ("H..2,1*P", 13, 4, 16),
    ("10..2,1*P,2..10", 10, 5, 23),
    ("1..10,10..1", 10, 4, 20),
    ("10..1,1..10", 10, 4, 20),
    ("1..8,8..1", 8, 4, 16),
    ("1..H,H..1", 7, 7, 14),
    ("1*P,2..H-1,H*P,H-1..2,1*P", 10, 4, 28),
    ("1*P,2..H-1,H*P,H-1..2,1*P", 8, 5, 27),
    ("1*P,2..H-1,H*P,H-1..2,1*P", 6, 6, 26),
    ("1*P,2..H-1,H*P,H-1..2,1*P", 5, 7, 27),
    ("H..2,1*P,2..H", 17, 3, 35),
    ("H..5,4*P,5..H", 17, 3, 29),
    ("1..H,H-1..1,1", 8, 5, 16),
    ("1..8", 8, 4, 8),
    ("10..1", 10, 4, 10),
    ("12..2:2,1..13:2", 13, 4, 13),
    ("1..15:2,13..1:2", 15, 3, 15),
    ("13..1", 13, 4, 13),
    ("13*13", 13, 4, 13),
    ("1..8,9*4,8..1,9*4", 9, 4, 24),
    ("1..7,8*4,7..1", 8, 4, 18),
    ("5..13", 13, 4, 9),
    ("10", 10, 4, 1),
]

# Players: without a card left to turn, with one left, agreed in the base game (0: not played), capped at 10.
DECK_OF_52 = {
    2: (26, 25, 0, 10),
    3: (17, 17, 15, 10),
    4: (13, 12, 13, 10),
    5: (10, 10, 10, 10),
    6: (8, 8, 8, 8),
    7: (7, 7, 7, 7),
    8: (6, 6, 0, 6),
    9: (5, 5, 0, 5),
    10: (5, 5, 0, 5),
}


def sizes(text: str, largest: int = 10, players: int = 4) -> tuple[int, ...]:
    """What a sequence stands for at a table of four with at most ten cards."""
    return sequence(text, largest=largest, players=players)


@pytest.mark.parametrize(("players", "hands"), [(3, 15), (4, 13), (5, 10), (6, 8), (7, 7)])
def test_r07_number_of_hands_follows_the_number_of_players(players, hands):
    """The base game has 15, 13, 10, 8 or 7 hands, which at three players is less than the pack allows."""
    assert len(classic().plan(players)) == hands


@pytest.mark.parametrize("players", range(3, 8))
def test_r08_hand_k_has_k_cards(players):
    """One card, then two, then three, to the end."""
    plan = classic().plan(players)
    assert all(cards == number for number, cards in enumerate(plan, start=1))


@pytest.mark.parametrize("players", range(3, 8))
def test_r25_the_reversed_order_begins_with_the_largest_hand(players):
    """Reversed, the game has the same hands from the largest down to one card."""
    reversed_game = replace(classic(), sequence=ORDERS["down"])
    assert reversed_game.plan(players) == classic().plan(players)[::-1]


@pytest.mark.parametrize("order", ["up and down", "down and up"])
@pytest.mark.parametrize(("players", "hands"), [(3, 29), (4, 25), (5, 19), (6, 15), (7, 13)])
def test_r26_two_way_games(players, hands, order):
    """There and back again: 29, 25, 19, 15 or 13 hands, each one card more or less than the one before."""
    plan = replace(classic(), sequence=ORDERS[order]).plan(players)
    assert len(plan) == hands
    assert {abs(later - earlier) for earlier, later in pairwise(plan)} == {1}
    assert plan == plan[::-1]
    assert plan[0] == (1 if order == "up and down" else classic().largest_hand(players))


def test_the_base_game_offers_its_four_orders():
    """The other three orders of the base game are there to choose."""
    assert {classic().sequence, *classic().other_sequences} == set(ORDERS.values())


def test_q03_three_players_stop_at_fifteen_although_seventeen_fit():
    """Fifteen is agreed for three; a table may take it away and play up to what the pack allows."""
    assert classic().largest_hand(3) == 15
    assert replace(classic(), largest=ByPlayers()).largest_hand(3) == 52 // 3


def test_q04_seven_times_seven_cards_fit():
    """Seven players hold seven cards each, and three are left."""
    assert overdealt(7, 7, 52) is None
    assert 52 - 7 * classic().largest_hand(7) == 3


@pytest.mark.parametrize(("times", "hands"), [("1", 19), ("2", 20), ("P", 22)])
def test_q05_the_turning_point_is_played_once_twice_or_by_everybody(times, hands):
    """The plan of a two-way game says how often its turning point is dealt; once unless it says more."""
    assert len(sizes(f"10..2,1*{times},2..10")) == hands
    assert classic().other_sequences[-1] == "H..1,2..H"


@pytest.mark.parametrize("players", range(2, 11))
def test_q12_other_numbers_of_players_get_what_the_pack_allows(players):
    """Without an agreed largest hand two to ten play as many cards as the packs hold, less one to turn."""
    for decks in (1, 2):
        rules = replace(classic(), players=(2, 12), largest=ByPlayers(), deck=ByPlayers(52 * decks))
        turned = replace(rules, reserve=1)
        assert not rules.problems(players)
        assert max(rules.plan(players)) == 52 * decks // players
        assert max(turned.plan(players)) == (52 * decks - 1) // players


def test_q15_a_game_may_be_agreed_shorter():
    """Fewer hands than the pack allows are another sequence, or a lower largest hand."""
    assert replace(classic(), sequence="1..5").plan(4) == (1, 2, 3, 4, 5)
    assert replace(classic(), largest=ByPlayers(6)).plan(4) == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("players", DECK_OF_52)
def test_deck_arithmetic(players):
    """The published table of what a pack of 52 allows."""
    all_cards, one_left, agreed, capped = DECK_OF_52[players]
    assert largest_that_fits(52, players) == all_cards
    assert largest_that_fits(52, players, reserve=1) == one_left
    assert agreed in (0, classic().largest_hand(players))
    assert replace(classic(), largest=ByPlayers(10)).largest_hand(players) == capped
    assert classic().card_is_left(all_cards, players) is (52 % players != 0)


def test_nobody_at_the_table_gets_no_cards():
    """A table without players divides no pack, and one alone gets all of it."""
    assert largest_that_fits(52, 0) == 0
    assert largest_that_fits(52, 1) == 52
    assert largest_that_fits(51, 4) == 12
    assert largest_that_fits(3, 2, reserve=5) == 0


def test_too_many_cards_are_refused_with_the_arithmetic():
    """Eight players with seven cards each need 56 cards, and the sentence says so."""
    assert str(overdealt(7, 8, 52)) == "8 × 7 cards = 56, the pack has 52"
    assert str(overdealt(7, 8, 52, "hands[3]")) == "hands[3]: 8 × 7 cards = 56, the pack has 52"
    assert str(overdealt(13, 4, 52, reserve=1)) == "4 × 13 = 52, which leaves 0 of 52 cards: 1 must stay"


def test_every_sequence_of_the_family_can_be_written():
    """The whole catalogue fits the notation, and comes to the published number of hands."""
    for text, largest, players, hands in CATALOGUE:
        plan = sequence(text, largest=largest, players=players)
        assert (text, len(plan)) == (text, hands)
        assert max(plan) <= largest


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("4..1", (4, 3, 2, 1)),
        ("1..4,3..1", (1, 2, 3, 4, 3, 2, 1)),
        ("4..1,2..4", (4, 3, 2, 1, 2, 3, 4)),
        ("1..7:2", (1, 3, 5, 7)),
        ("2..6:2", (2, 4, 6)),
        ("6..4", (6, 5, 4)),
        ("2..6", (2, 3, 4, 5, 6)),
        ("3..1,2..3", (3, 2, 1, 2, 3)),
        ("3..1,1..3", (3, 2, 1, 1, 2, 3)),
        (" h .. H-2 , p+1 ", (10, 9, 8, 5)),
        ("P*2", (4, 4)),
        ("2*H-8", (2, 2)),
        ("H..P", (10, 9, 8, 7, 6, 5, 4)),
        ("P..H:3", (4, 7, 10)),
        ("5..5", (5,)),
        ("1..3:1", (1, 2, 3)),
        ("1+2..2", (3, 2)),
        ("1," * 99 + "1 ", (1,) * 100),
    ],
)
def test_the_notation(text, plan):
    """Runs either way, steps, repeats, sums, and blanks wherever one likes them."""
    assert sizes(text) == plan


def test_a_run_that_a_small_table_turns_around_is_empty():
    """With a largest hand of one card the way back up has nothing to play."""
    assert sizes("H..1,2..H", largest=1) == (1,)
    assert sizes("1*P,2..H-1,H*P", largest=2) == (1, 1, 1, 1, 2, 2, 2, 2)


@pytest.mark.parametrize(
    ("text", "column", "sentence"),
    [
        ("", 0, "a number, H or P is missing here"),
        ("   ", 3, "a number, H or P is missing here"),
        ("  ..3", 2, "a number, H or P is missing here"),
        ("1..", 3, "a number, H or P is missing here"),
        ("1,,2", 2, "a number, H or P is missing here"),
        ("1..3 4", 5, "a comma is missing here"),
        ("1..3*2", 4, "a comma is missing here"),
        ("  x..3", 2, "x has no meaning in a plan"),
        ("1, 2.5", 4, ". has no meaning in a plan"),
        ("0..3", 0, "a hand needs at least 1 card"),
        ("1, 3..0", 3, "a hand needs at least 1 card"),
        ("H-11", 0, "a hand needs at least 1 card"),
        ("1*P, 0*3", 5, "a hand needs at least 1 card"),
        ("1..9:0", 0, "a step must be 1 or more"),
        ("1*0", 0, "a game needs at least 1 hand"),
        ("1..60, 60..1, 1", 14, "a game may have 120 hands"),
        ("9*9999", 0, "a game may have 120 hands"),
        ("1" * 300, LONGEST_SEQUENCE, "a plan may be 200 characters long"),
    ],
)
def test_a_sequence_that_cannot_be_read_says_where(text, column, sentence):
    """The column is where the eye must go."""
    with pytest.raises(SequenceError) as refused:
        sizes(text)
    assert (refused.value.column, str(refused.value)) == (column, sentence)


@quietly
@given(
    st.text(max_size=LONGEST_SEQUENCE) | st.text("0123456789HPhp,.:*+- ", max_size=LONGEST_SEQUENCE),
    st.integers(0, 60),
    st.integers(2, 12),
)
def test_any_text_is_a_plan_or_is_refused(text, largest, players):
    """Whatever is typed gives 1 to 120 hands of at least one card, or a column within the text, at once."""
    begun = perf_counter()
    plan, column = None, 0
    try:
        plan = sequence(text, largest=largest, players=players)
    except SequenceError as refused:
        column = refused.column
    assert perf_counter() - begun < 0.5
    assert 0 <= column <= len(text)
    assert plan is None or (1 <= len(plan) <= MOST_HANDS and min(plan) >= 1)


@quietly
@given(st.lists(st.integers(1, 60), min_size=1, max_size=40))
def test_any_plan_can_be_written(plan):
    """Sizes with commas between them are their own notation."""
    assert list(sizes(",".join(map(str, plan)))) == plan


# The catalogue again: hands of each variant for every number of players it allows, from the fewest on.
LENGTHS = {
    "classic": {3: 15, 4: 13, 5: 10, 6: 8, 7: 7},
    "up-and-down-the-river": {3: 19, 4: 19, 5: 19, 6: 15, 7: 13},
    "nomination-whist": {3: 19, 4: 19, 5: 19, 6: 15},
    "romanian-whist": {3: 21, 4: 24, 5: 27, 6: 30},
    "serbian-whist": {4: 25},
    "plump": {2: 20, 3: 21, 4: 22, 5: 23},
    "selbu-whist": {2: 20, 3: 20, 4: 20, 5: 20},
    "boerenbridge": {3: 33, 4: 25, 5: 19, 6: 15, 7: 13},
    "ascenseur": {2: 25, 3: 25, 4: 25, 5: 19, 6: 15, 7: 13, 8: 11},
    "rikiki": {3: 33, 4: 23, 5: 19, 6: 15, 7: 13},
    "stiche-raten": {3: 41, 4: 31, 5: 23, 6: 19},
    "pocha": {3: 29, 4: 28, 5: 27, 6: 26, 7: 27, 8: 30},
    "podrida": {3: 35, 4: 28, 5: 23, 6: 20, 7: 19, 8: 18},
    "kachuful": {3: 17, 4: 13, 5: 10, 6: 8, 7: 7},
    "judgement-times-ten": {3: 17, 4: 13, 5: 10, 6: 8, 7: 7},
    "german-bridge": {3: 17, 4: 13, 5: 10, 6: 8, 7: 7},
    "wizard": {3: 20, 4: 15, 5: 12, 6: 10},
    "skull-king": dict.fromkeys(range(2, 9), 10),
    "israeli-whist": {4: 13},
    "estimativa": {3: 33, 4: 25, 5: 19, 6: 15, 7: 13, 8: 11},
    "lowest-wins": {3: 15, 4: 13, 5: 10, 6: 8, 7: 7},
    "planowanie": {2: 18, 3: 19, 4: 16},
}


def allowed(rules: Rules) -> range:
    """The numbers of players that can play a variant."""
    return range(rules.players[0], rules.players[1] + 1)


def test_variants_have_as_many_hands_as_the_catalogue_says():
    """Every named variant, for every number of players it allows, none more and none less."""
    assert {
        key: {players: len(variants()[key].plan(players)) for players in allowed(variants()[key])}
        for key in LENGTHS
    } == LENGTHS


def test_every_plan_of_every_variant_can_be_dealt():
    """Every sequence a variant is played with fits its pack at every number of players."""
    for key, rules in variants().items():
        for text in (rules.sequence, *rules.other_sequences):
            for players in allowed(rules):
                assert replace(rules, sequence=text).problems(players) == (), key


def test_skull_king_repeats_the_largest_hand_that_fits():
    """Always ten hands; where the pack gives fewer than ten cards each, the last hands have what it gives."""
    skull_king = variants()["skull-king"]
    for players in range(2, 9):
        fits = skull_king.deck.of(players) // players
        assert skull_king.plan(players) == tuple(min(cards, fits) for cards in range(1, 11))
    assert skull_king.plan(8)[-3:] == (8, 8, 8)
    small = replace(skull_king, deck=ByPlayers(66))
    assert small.plan(7)[-2:] == (9, 9)


def test_every_pack_and_every_number_of_players():
    """Two to twelve play with any pack: the plan is what the pack gives, and one card more is refused."""
    anybody = replace(classic(), players=(2, MOST_PLAYERS), largest=ByPlayers())
    for pack in (8, *PACKS, 1040):
        rules = replace(anybody, deck=ByPlayers(pack), sequence="H")
        for players in range(2, MOST_PLAYERS + 1):
            most = pack // players
            if most == 0:
                assert str(rules.problems(players)[0]).endswith(f"the pack has {pack}")
                continue
            assert rules.plan(players) == (most,)
            assert rules.problems(players) == ()
            [refused] = rules.problems(players, [most + 1])
            assert str(refused).startswith(f"sequence: {players} × {most + 1} card")
            assert str(refused).endswith(f"= {players * (most + 1)}, the pack has {pack}")


def test_the_packs_that_people_own():
    """Four suits of so many ranks, with what is in the box beside them; some play with two packs."""
    piquet, usual = 4 * 8, 4 * 13
    wizard, five_hundred, skull_king = usual + 8, usual + 4 * 2 + 2 + 1, 4 * 14 + 14
    assert set(PACKS) == {
        *(piquet, 4 * 9, 4 * 10, usual, usual + 2),
        *(wizard, five_hundred, 2 * piquet, skull_king, 2 * usual),
    }
    assert list(PACKS) == sorted(PACKS)


def test_a_pack_has_eight_cards_or_more():
    """Seven cards are no pack, and the sentence says what is."""
    tiny = replace(classic(), deck=ByPlayers(7), sequence="1")
    assert [str(each) for each in tiny.problems(4)] == ["deck: a pack has 8 to 1040 cards, this one 7"]


def test_sizes_above_the_largest_hand_become_the_largest():
    """Ten cards down to one, at seven players, is seven four times and then down."""
    assert replace(classic(), sequence="10..1").plan(7) == (7, 7, 7, 7, 6, 5, 4, 3, 2, 1)


def test_a_pack_that_does_not_go_round_gives_no_plan():
    """Twelve players cannot share ten cards, and nine not where two must stay; the arithmetic is told."""
    short = replace(classic(), players=(2, 12), deck=ByPlayers(10), sequence="5..1")
    with pytest.raises(SequenceError, match="12 × 1 card = 12, the pack has 10"):
        short.plan(12)
    assert [str(each) for each in short.problems(12)] == ["sequence: 12 × 1 card = 12, the pack has 10"]
    held_back = replace(short, reserve=2)
    assert [str(each) for each in held_back.problems(9)] == [
        "sequence: 9 × 1 = 9, which leaves 1 of 10 cards: 2 must stay"
    ]


@pytest.mark.parametrize("data", [52, {"each": 8}, {"3": 36, "other": 40}, {"3": 15, "4": 13}])
def test_a_number_by_players_is_written_as_it_was_read(data):
    """One number for all, so many for each, or a table."""
    assert ByPlayers.read(data).write() == data


def test_a_number_by_players_answers_for_each_table():
    """A table may leave out a number, which is then nothing, or whatever holds for the others."""
    assert [ByPlayers.read({"each": 8}).of(players) for players in (3, 6)] == [24, 48]
    assert [ByPlayers.read({"3": 36, "other": 40}).of(players) for players in (3, 6)] == [36, 40]
    assert ByPlayers.read({"3": 15}).of(6) == 0
    assert [ByPlayers.read({"1": 0, "12": 1040}).of(players) for players in (1, 12)] == [0, 1040]


@pytest.mark.parametrize(
    "data",
    [
        *(True, "52", None, [52], -1, 1041),
        *({"3": True, "4": 1}, {"three": 1}, {"3.5": 1}, {"each": 8, "3": 1}),
        *({"0": 8}, {"13": 8}, {"3": 1041, "4": 1}, {"3": -1, "4": 1}),
    ],
)
def test_another_thing_is_no_number_by_players(data):
    """Nothing is guessed from a text, a flag or a list."""
    with pytest.raises((TypeError, ValueError, KeyError)):
        ByPlayers.read(data)


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("players", [2, 3, 4, 7, 12])
def test_r06_the_deal_goes_round_the_table(players, direction, start, play):
    """Hand by hand the dealer is the next seat, in either direction, for a whole plan."""
    plan = (1,) * (2 * players + 3)
    lines = [" ".join(["1/1", *["0/0"] * (players - 1)])] * len(plan)
    game = play(*lines, rules=replace(classic(), direction=direction), plan=plan, dealer=players - 1)
    way = 1 if direction is Direction.CLOCKWISE else -1
    assert [hand.dealer for hand in game.hands] == [
        (players - 1 + way * k) % players for k in range(len(plan))
    ]
    assert game.next_hand() is None


def test_four_players_deal_in_turn():
    """One, two, three, four, one; and the first to bid is the one after the dealer."""
    table = (1, 2, 3, 4)
    dealers = [1]
    for _ in range(4):
        dealers.append(next_dealer(table, dealers[-1], Direction.CLOCKWISE, table))
    assert dealers == [1, 2, 3, 4, 1]
    assert deal_order(table, 1, Direction.CLOCKWISE) == (2, 3, 4, 1)


def test_q18_the_other_direction():
    """Clockwise unless the variant goes the other way, as they do in Spain and Argentina."""
    assert classic().direction is Direction.CLOCKWISE
    assert variants()["podrida"].direction is Direction.COUNTER_CLOCKWISE
    assert deal_order((0, 1, 2, 3), 1, Direction.COUNTER_CLOCKWISE) == (0, 3, 2, 1)


def test_after_a_dealer_who_left_the_next_of_the_old_table_deals():
    """Bruno dealt and went home; Chiara, who sat after him, deals."""
    assert next_dealer((0, 1, 2, 3), 1, Direction.CLOCKWISE, (0, 2, 3)) == 2
    assert next_dealer((0, 1, 2, 3), 1, Direction.COUNTER_CLOCKWISE, (0, 2, 3)) == 0


def test_who_sits_out_does_not_deal():
    """The deal passes over an empty chair, and cannot go on when all are empty."""
    table = (0, 1, 2, 3)
    assert next_dealer(table, 0, Direction.CLOCKWISE, table, absent={1, 2}) == 3
    with pytest.raises(ValueError, match="nobody is left to deal"):
        next_dealer(table, 0, Direction.CLOCKWISE, table, absent=table)


def test_a_late_joiner_takes_a_place_in_the_round():
    """Eline sits down between Ada and Bruno, and deals after Ada."""
    assert next_dealer((0, 1, 2), 0, Direction.CLOCKWISE, (0, 4, 1, 2)) == 4
