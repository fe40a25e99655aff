"""What a hand pays: formulas against published examples and against Python itself, and bonuses for runs."""

from __future__ import annotations

import csv
import gc
import operator
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import FrozenInstanceError
from itertools import product
from pathlib import Path
from random import Random
from time import thread_time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rules.problem import RulesError
from rules.scoring import DEEPEST, FACTS, LIMIT, LONGEST, Formula, FormulaError, Scoring, Streak, common_rules

WORKED = list(
    csv.DictReader(
        (Path(__file__).parents[1] / "data" / "worked-examples.csv").read_text(encoding="utf-8").splitlines()
    )
)
MILD = Streak(length=5, made=5, missed=-5, one_card="skip")
STRONG = Streak(length=5, made=10, missed=-10, one_card="reset")
HAND = {
    "bid": 3,
    "tricks": 2,
    "cards": 7,
    "off": 1,
    "players": 4,
    "largest": 13,
    "bids": 8,
    "blind": 0,
    "hand": 5,
    "hands": 9,
    "trump": 2,
}

# A third of a millisecond is usual for the longest; the rest is for machines that are slower or busy.
AN_INSTANT = 0.01

quietly = settings(database=None, deadline=None, derandomize=True, max_examples=60)
seeds = st.integers(0, 2**32)


def value(text: str) -> int:
    """What a formula gives for HAND."""
    return Formula.parse(text).value(HAND)


# Published examples


def context_of(row: dict[str, str]) -> dict[str, int]:
    """What the context column says of the table, as arguments of points()."""
    context = row["context"]
    if context == "bids>cards":
        return {"bids": int(row["cards"]) + 1}
    if context == "blind":
        return {"blind": True}
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", context)}


def paid_for(row: dict[str, str]) -> int:
    """What the rule of a published hand pays for it."""
    rule = Scoring(row["made"], row["missed"], row["made_zero"])
    hand = {name: int(row[name]) for name in ("bid", "tricks", "cards")}
    return rule.points(**hand, **context_of(row))


def test_every_worked_example_pays_to_the_point():
    """Each published hand pays what its source says; the hands that do not are listed with what they pay."""
    assert len(WORKED) == 106
    assert [(row, paid_for(row)) for row in WORKED if paid_for(row) != int(row["score"])] == []


def test_every_context_of_the_examples_is_understood():
    """No example is checked with a part of its context left out."""
    for row in WORKED:
        assert bool(context_of(row)) == bool(row["context"])


def test_the_common_rules_are_the_published_ones():
    """The rules shipped under a name are those the examples of that name were worked with."""
    assert len(common_rules()) == 60
    for row in WORKED:
        assert common_rules()[row["rule"]] == Scoring(row["made"], row["missed"], row["made_zero"])


def test_a_common_rule_pays_something_sane_for_every_result():
    """Bids and tricks from nothing to all of up to 13 cards pay a whole number of at most five digits."""
    for name, rule in common_rules().items():
        for cards, bid, tricks in product((1, 2, 13), (0, 1, 2, 7, 13), (0, 1, 2, 7, 13)):
            if max(bid, tricks) <= cards:
                points = rule.points(bid=bid, tricks=tricks, cards=cards)
                assert type(points) is int, name
                assert abs(points) < 100_000, name


def test_the_common_rules_cannot_be_changed():
    """One table's rule cannot leak into another's."""
    with pytest.raises(TypeError):
        common_rules()["seed-base"] = Scoring("1", "0")


# A rule


def test_a_made_bid_of_zero_has_its_own_slot():
    """A made zero pays its own formula, and as any made bid where there is none."""
    own, common = Scoring("10 + tricks", "0", "5 + cards"), Scoring("10 + tricks", "0")
    assert own.points(bid=0, tricks=0, cards=7) == 12
    assert own.points(bid=0, tricks=1, cards=7) == 0
    assert common.points(bid=0, tricks=0, cards=7) == 10


def test_every_fact_reaches_the_formula():
    """Each word stands for the number it names."""
    facts = {
        "bid": 3,
        "tricks": 1,
        "cards": 7,
        "players": 5,
        "largest": 9,
        "bids": 8,
        "blind": True,
        "hand": 4,
        "hands": 17,
        "trump": 2,
    }
    paid = {word: Scoring("0", word).points(**facts) for word in FACTS}
    assert paid == {**facts, "off": 2, "blind": 1}


@pytest.mark.parametrize("fact", FACTS)
def test_a_scoring_tells_the_facts_that_it_depends_on(fact):
    """Each word of a formula, wherever it stands, and no other; `bid` is not said where only `bids` is."""
    assert Formula(f"max(10, {fact}) + 2 * {fact}").words == {fact}
    for slots in ({"made": fact}, {"made": "1", "missed": f"-{fact}"}, {"made": "1", "made_zero": fact}):
        assert Scoring(**{"missed": "0", **slots}).words == {fact}
    assert Scoring("10", "0").words == set()


def test_the_largest_hand_is_this_one_unless_said():
    """Without a largest hand the hand at the table is taken for it."""
    assert Scoring("largest", "0").points(bid=1, tricks=1, cards=6) == 6


def test_a_rule_names_every_slot_that_is_wrong():
    """All slots are checked at once, and each problem says where it is."""
    with pytest.raises(FormulaError) as caught:
        Scoring("10 + trikcs", "", "(5")
    assert [each.place for each in caught.value.problems] == ["made", "missed", "made_zero"]
    assert caught.value.column == 5
    assert str(caught.value).startswith("made: there is no trikcs here")


# Several hands


def played(rule: Scoring, streak: Streak, hands: list[tuple[int, int, int]]) -> list[int]:
    """The points of one player with bonuses, from (cards, bid, tricks) of each hand."""
    bonuses = streak.bonuses([(cards, bid == tricks) for cards, bid, tricks in hands])
    return [
        rule.points(bid=bid, tricks=tricks, cards=cards) + bonus
        for (cards, bid, tricks), bonus in zip(hands, bonuses, strict=True)
    ]


def test_m1_five_made_hands_pay_five_more():
    """Mild Romanian: the fifth made hand in a row pays 5 extra."""
    points = played(common_rules()["romanian"], MILD, [(2, 1, 1)] * 5)
    assert points == [6, 6, 6, 6, 11]
    assert sum(points) == 35


def test_m2_five_missed_hands_cost_five_more():
    """Mild Romanian: the fifth missed hand in a row costs 5 extra."""
    points = played(common_rules()["romanian"], MILD, [(2, 1, 0)] * 5)
    assert points == [-1, -1, -1, -1, -6]
    assert sum(points) == -10


def test_m3_a_one_card_hand_is_skipped():
    """Mild Romanian: a hand of one card is passed over, so that the sixth hand is the fifth of the run."""
    points = played(common_rules()["romanian"], MILD, [(cards, 1, 1) for cards in (2, 2, 1, 2, 2, 2)])
    assert points == [6, 6, 6, 6, 6, 11]
    assert sum(points) == 41


def test_m4_a_one_card_hand_resets():
    """Strong Romanian: a hand of one card ends the run."""
    points = played(common_rules()["romanian"], STRONG, [(cards, 1, 1) for cards in (2, 2, 1, 2, 2, 2)])
    assert sum(points) == 36


def test_m5_ten_made_hands_pay_twice():
    """Strong Romanian: the run starts anew after paying, so the fifth and the tenth hand pay."""
    assert STRONG.bonuses([(2, True)] * 10) == (0, 0, 0, 0, 10, 0, 0, 0, 0, 10)


def test_m6_a_missed_hand_ends_the_run():
    """Strong Romanian: four made hands and two missed ones pay nothing."""
    assert STRONG.bonuses([(2, True)] * 4 + [(2, False)] * 2) == (0,) * 6


def test_m11_golf_adds_up_what_was_missed():
    """Golf: being off by 0, 1 and 3 makes 0 + 1 + 6 = 7."""
    golf = common_rules()["golf-tri"]
    assert [golf.points(bid=3, tricks=3 - off, cards=8) for off in (0, 1, 3)] == [0, 1, 6]


def test_one_card_hands_may_count():
    """Where hands of one card count, they build a run like any other."""
    assert Streak(length=2, made=3, missed=-3, one_card="count").bonuses([(1, True), (1, True)]) == (0, 3)


def test_a_hand_without_the_player_keeps_the_run():
    """A hand the player sat out or that was void neither counts nor ends the run."""
    assert Streak(length=2, made=3, missed=-4).bonuses([(5, False), None, None, (4, False)]) == (0, 0, 0, -4)


def test_a_made_hand_ends_a_missed_run():
    """After a made hand a run of missed ones starts again from one."""
    short = Streak(length=2, made=3, missed=-4)
    assert short.bonuses([(5, False), (5, True), (5, False), (5, False)]) == (0, 0, 0, -4)


def test_a_streak_refuses_what_it_cannot_mean():
    """A run of no hands and an unknown word are refused together, each in its place."""
    with pytest.raises(RulesError) as caught:
        Streak(length=0, one_card="maybe")
    assert [each.place for each in caught.value.problems] == ["length", "one_card"]


# The language against Python


class OutsideError(ArithmeticError):
    """The expression leaves what both languages agree on."""


class Whole(int):
    """A number of Python's that owns up where a formula would stop at its limit or divide by zero."""


def reckoned(operation):
    """An operation of Python's that gives a Whole or is OutsideError."""

    def reckon(*values):
        if operation in (operator.floordiv, operator.mod) and not values[1]:
            raise OutsideError
        if operation is operator.pow and not 0 <= values[1] <= 20:
            raise OutsideError
        result = operation(*map(int, values))
        if abs(result) > LIMIT:
            raise OutsideError
        return Whole(result)

    return reckon


for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "neg", "abs"):
    reckon = reckoned(getattr(operator, name))
    setattr(Whole, f"__{name}__", reckon)
    if name not in ("neg", "abs"):
        setattr(Whole, f"__r{name}__", lambda right, left, reckon=reckon: reckon(left, right))


def python(text: str) -> int:
    """What Python makes of the same text, with every number, bracket and function call a Whole."""
    text = re.sub(r"(?<!min|max|abs)\(", "Whole(", text)
    text = re.sub(r"\d+", r"Whole(\g<0>)", text)
    words = {name: Whole(number) for name, number in HAND.items()}
    functions = {
        "min": lambda *values: Whole(min(values)),
        "max": lambda *values: Whole(max(values)),
        "abs": lambda only: Whole(abs(only)),
    }
    return eval(text, {"__builtins__": {}, "Whole": Whole, **functions, **words})


def phrase(dice: Random, depth: int) -> str:
    """An expression in any shape the language has, with shorter ones inside."""
    words = logic(dice, depth)
    if depth and dice.random() < 0.3:
        words += f" if {logic(dice, depth - 1)} else {phrase(dice, depth - 1)}"
    return words


def logic(dice: Random, depth: int) -> str:
    """Up to three comparisons or values, denied or not, joined by `and` and `or`."""
    parts = [
        dice.choice(("", "", "not ", "not not ")) + compared(dice, depth)
        for _ in range(dice.choice((1, 1, 1, 2, 3)))
    ]
    return chain(dice, parts, ("and", "or"))


def compared(dice: Random, depth: int) -> str:
    """A sum, or one compared with another."""
    sums = [
        chain(
            dice,
            [operand(dice, depth) for _ in range(dice.choice((1, 1, 2, 3)))],
            ("+", "-", "*", "//", "%", "**"),
        )
        for _ in range(dice.choice((1, 1, 2)))
    ]
    return chain(dice, sums, ("==", "!=", "<", "<=", ">", ">="))


def operand(dice: Random, depth: int) -> str:
    """A number, a word, or a whole expression in brackets or a function, with or without a minus."""
    shape = dice.choice(("abs({0})", "({0})", "({0})", "min({0}, {1})", "max({0}, {1}, {2})"))
    if not depth or dice.random() < 0.8:
        text = dice.choice((*FACTS, *"00112345"))
    else:
        text = shape.format(*(phrase(dice, depth - 1) for _ in range(3)))
    return dice.choice(("", "", "", "-", "--")) + text


def chain(dice: Random, parts: list[str], operators: tuple[str, ...]) -> str:
    """The parts with an operator between each two."""
    return parts[0] + "".join(f" {dice.choice(operators)} {part}" for part in parts[1:])


@quietly
@given(seeds)
def test_a_formula_means_what_python_means(seed):
    """Precedence, grouping, laziness and values are Python's wherever no limit is met."""
    text = phrase(Random(seed), depth=2)
    assume(len(text) <= LONGEST)
    try:
        expected = python(text)
    except OutsideError:
        assume(False)
    assert value(text) == expected, text


TRICKY = [
    "-2 ** 2",
    "2 ** 3 ** 2",
    "2 ** -0",
    "-bid ** 2 % 5",
    "2 * -3 ** 2",
    "7 - 3 - 2",
    "-7 // 2",
    "-7 % 3",
    "7 // -2",
    "7 % -3",
    "64 // 4 // 2",
    "8 // 4 * 2",
    "1 + 4 // 2",
    "2 + 5 % 3",
    "1 != 2 + 3",
    "2 + 3 * 4",
    "not 2 + 3 == 5",
    "not bid == 3 or 7",
    "1 or 0 and 0",
    "0 or 4 and 6",
    "3 and 0 or 9",
    "0 and 5",
    "1 if 0 else 2 if 0 else 3",
    "(1 if 0 else 0) or 4",
    "5 if not 0 else 6",
    "1 + (2 if blind else 3) * 2",
    "bid < tricks + 2 and 8",
    "--3",
    "- -3",
    "abs(-3) + min(4, 2, 3)",
]


def test_precedence_is_pythons():
    """What people get wrong about precedence comes out as in Python."""
    assert {text: value(text) for text in TRICKY} == {text: python(text) for text in TRICKY}


TOTAL = {
    "7 // 0": 0,
    "7 % 0": 0,
    "2 ** -1": 0,
    "0 ** -1": 0,
    "0 ** 0": 1,
    "999999 + 2": LIMIT,
    "-999999 - 2": -LIMIT,
    "999999 * 999999 - 1": LIMIT - 1,
    "2 ** 999999": LIMIT,
    "(-2) ** 999999": -LIMIT,
    "(-2) ** 999998": LIMIT,
    "(-1) ** 999999": -1,
    "1 ** 999999": 1,
    "0 ** 999999": 0,
    "2 ** 19": 524288,
    "9 ** 9 ** 9 ** 9": LIMIT,
    "0 and 9 ** 9": 0,
    "(3 > 2) + (2 >= 2)": 2,
    "not 7": 0,
    "  bid  ": 3,
}


def test_a_formula_always_has_a_value():
    """Where Python would fail or grow without end, a formula gives 0 or stops at the limit."""
    assert {text: value(text) for text in TOTAL} == TOTAL


# What does not parse


@pytest.mark.parametrize(
    ("text", "column", "sentence"),
    [
        ("", 0, "a formula is missing"),
        ("   ", 0, "a formula is missing"),
        ("10 + trick", 5, "there is no trick here; these words are known: bid, tricks,"),
        ("import os", 0, "there is no import here"),
        ("10 + ", 3, "something is missing after this"),
        ("min(1,", 5, "something is missing after this"),
        ("1000000", 0, "a number may have 6 digits at most"),
        ("1 + 0000001", 4, "a number may have 6 digits at most"),
        ("10 tricks", 3, "unexpected tricks"),
        ("2 * (bid + 1", 4, "this bracket is never closed"),
        ("bid + 1)", 7, "unexpected )"),
        ("(bid (", 5, "unexpected ("),
        ("% 2)", 0, "unexpected %"),
        ("1 if bid", 2, "this if needs an else"),
        ("1 if bid hand 2", 2, "this if needs an else"),
        ("1 if 2 if 3 else 4 else 5", 2, "this if needs an else"),
        ("1 else 2", 2, "unexpected else"),
        ("1 < bid < 4", 8, "two comparisons in a row need an and between them"),
        ("3 + not bid", 4, "unexpected not"),
        ("bid = 3", 4, "compare with =="),
        ("cards / 2", 6, "divide with //"),
        ("2 + abs", 4, "abs needs its values in brackets"),
        ("abs 3 bid)", 0, "abs needs its values in brackets"),
        ("abs(1, 2)", 0, "abs takes one value"),
        ("1 + max(2)", 4, "max takes two values or more"),
        ("min(1, )", 7, "unexpected )"),
        ("bid.real", 3, "unexpected ."),
        ("1.5", 1, "unexpected ."),
        ("0x10", 1, "there is no x10 here"),
        ("+3", 0, "unexpected +"),
        ("min(1 2 3)", 6, "unexpected 2"),
        ("bid\n+ 1", 3, "unexpected \n"),
        ("٣", 0, "unexpected ٣"),
        ("1" + " " * 200, 200, "a formula may have 200 characters at most"),
        ("(" * DEEPEST + "1", DEEPEST, "this is nested too deeply"),
    ],
)
def test_an_error_points_at_the_trouble(text, column, sentence):
    """What cannot be read is refused in words, at the place where the trouble is."""
    with pytest.raises(FormulaError) as caught:
        Formula.parse(text)
    assert caught.value.column == column
    assert str(caught.value).startswith(sentence)
    assert caught.value.problems[0].place == ""


def test_a_formula_may_nest_as_deep_as_promised():
    """One bracket less than too many is read."""
    deepest = DEEPEST - 1
    assert value("(" * deepest + "bid" + ")" * deepest) == HAND["bid"]


PIECES = (
    *FACTS,
    "and",
    "or",
    "not",
    "if",
    "else",
    "min",
    "max",
    "abs",
    *"+-*%(),<>=/()--",
    "//",
    "**",
    "==",
    "!=",
    "<=",
    ">=",
    "0",
    "7",
    "999999",
    "lambda",
    "__class__",
)


@contextmanager
def at_once() -> Iterator[None]:
    """What is done inside takes no more than an instant of this thread's time, other tests' garbage aside."""
    gc.disable()
    began = thread_time()
    try:
        yield
        assert thread_time() - began < AN_INSTANT
    finally:
        gc.enable()


def any_value_or_column(text: str, dice: Random) -> None:
    """Check that a text is an error within the text, or a whole number within the limit for wild facts."""
    facts = {name: dice.choice((0, 1, -7, dice.randint(-(10**9), 10**9))) for name in FACTS}
    column = result = 0
    with at_once():
        try:
            result = Formula.parse(text).value(facts)
        except FormulaError as error:
            column = error.column
    assert 0 <= column <= len(text)
    assert type(result) is int
    assert abs(result) <= LIMIT


def test_the_bounds_are_those_that_the_rules_tell():
    """A value stays within a million, a formula within 200 characters, a number within 6 digits, nesting within 32."""
    assert (value("999999 + 1"), value("999999 + 2")) == (1_000_000, 1_000_000)
    assert value("1" + " " * 199) == 1
    assert value("999999") == 999_999
    assert value("(" * 31 + "1" + ")" * 31) == 1
    nested = ["(" * 32 + "1" + ")" * 32, "1 + 1 + " + "(" * 31 + "1" + ")" * 31]
    for text in ("1" + " " * 200, "1000000", *nested):
        with pytest.raises(FormulaError):
            value(text)


def test_only_the_made_zero_may_be_left_empty():
    """A rule says what a made bid pays and what a missed one does."""
    for made, missed, slot in (("", "0", "made"), ("1", "", "missed")):
        with pytest.raises(FormulaError) as caught:
            Scoring(made, missed)
        assert [each.place for each in caught.value.problems] == [slot]


def test_after_a_hand_of_one_card_a_run_that_was_reset_begins_with_nothing():
    """Three made, one card, and five made: only the last of these pays, neither one sooner nor one later."""
    assert STRONG.bonuses([(2, True)] * 3 + [(1, True)] + [(2, True)] * 6) == (0,) * 8 + (10, 0)


def test_a_run_may_be_a_single_hand():
    """Then every hand pays its bonus."""
    assert Streak(1, 5, -5, "count").bonuses([(2, True), (1, False), None]) == (5, -5, 0)


def test_a_rule_and_a_bonus_are_values():
    """Two of the same are the same, and can be a key; neither can change."""
    assert len({Scoring("1", "0"), Scoring("1", "0"), Scoring("1", "0", "5")}) == 2
    assert len({Streak(3), Streak(3), Formula("1"), Formula("1")}) == 2
    assert Streak() == MILD
    for each in (Scoring("1", "0"), Streak(), Formula("1")):
        with pytest.raises(FrozenInstanceError):
            each.made = "2"


def test_a_hand_of_which_little_is_told_is_scored_all_the_same():
    """Four players, the first and only hand and the largest, no bids known, not blind, no trump."""
    told = Scoring("players + 10 * largest + 100 * bids + 1000 * blind", "hand + 10 * hands + 100 * trump")
    assert told.points(bid=1, tricks=1, cards=7) == 74
    assert told.points(bid=1, tricks=0, cards=7) == 11


@quietly
@given(st.text(max_size=LONGEST), seeds)
def test_any_text_has_a_value_or_a_column(text, seed):
    """Whatever is typed, it is at once a whole number within the limit or an error within the text."""
    any_value_or_column(text, Random(seed))


@quietly
@given(seeds)
def test_any_words_have_a_value_or_a_column(seed):
    """Words of the language in any order, and good formulas with a piece changed, fare no worse."""
    dice = Random(seed)
    soup = " ".join(dice.choices(PIECES, k=dice.randint(0, 60)))
    good = phrase(dice, depth=2)
    at = dice.randrange(len(good))
    for text in (
        soup,
        good,
        good[:at] + dice.choice(PIECES) + good[at:],
        good[:at] + good[at + 1 :],
        good[at:],
    ):
        any_value_or_column(text[:LONGEST], dice)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200,
        "(" * 99 + "1" + ")" * 99,
        "-" * 199 + "1",
        "2" + "**2" * 66,
        "9" + "*9" * 99,
        "1" + "+1" * 99,
        "not " * 49 + "bid",
        "1 if 0 else " * 16 + "2",
        "1 if " * 40,
        "bid or " * 28 + "1",
        "min(" * 50,
        "abs(" * 50,
        "max(" + "9**9," * 38 + "1)",
        "a" * 200,
        "9" * 200,
        "**" * 100,
        "999999**" * 24 + "999999",
        "-(" * 15 + "9**9" + ")" * 15,
    ],
    ids=lambda text: text[:12],
)
def test_the_worst_formulas_are_quick(text):
    """No formula of 200 characters holds up a page, whether it is read or refused."""
    with at_once(), suppress(FormulaError):
        value(text)


def test_formulas_are_values():
    """Two formulas of the same source are the same formula, and cannot be changed."""
    assert Formula.parse("bid + 1") == Formula("bid + 1")
    assert len({Formula("bid"), Formula("bid")}) == 1
    with pytest.raises(AttributeError):
        Formula("bid").source = "1"
