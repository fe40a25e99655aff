"""The page about the rules cannot lie: its examples run, and no variant, word or source is missing from it."""

from __future__ import annotations

import csv
import doctest
import re
from dataclasses import fields
from pathlib import Path

import pytest

from rules.plan import sequence
from rules.scoring import FACTS
from rules.sheet import Ending
from rules.variants import EvenTable, First, NoTrumpOn, Rules, Ties, TrumpMethod, TurnUp, variants

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
EXAMPLES = Path(__file__).parents[1] / "data" / "worked-examples.csv"
TEXT = PAGE.read_text(encoding="utf-8")


def section(heading: str) -> str:
    """What stands under a heading, up to the next heading of its level or above."""
    level = heading.partition(" ")[0]
    found = re.search(
        rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", TEXT, re.MULTILINE | re.DOTALL
    )
    assert found, f"docs/rules.md has no section {heading!r}"
    return found[1]


def test_every_example_is_true():
    """The examples of the page are run, and there are many."""
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.failed == 0
    assert done.attempted > 40


def test_every_variant_has_a_section():
    """Each says its id, its other names, who can play, its scoring by example, and where it comes from."""
    assert {rules.id: missing for rules in variants().values() if (missing := not_said(rules))} == {}


def not_said(rules: Rules) -> list[str]:
    """What the section of a variant leaves out."""
    text = " ".join(section(f"### {rules.name}").split())
    wanted = [
        f"`{rules.id}`",
        " to ".join(str(each) for each in sorted(set(rules.players))) + " players",
        f'pays("{rules.id}"',
        "Hook." if rules.hook else "No hook.",
        f"Sources: {', '.join(rules.sources)}.",
        *(alias for alias in rules.aliases if alias.isascii()),
        *(() if not rules.rotation else [", ".join(str(suit) for suit in rules.rotation)]),
        *(["counter-clockwise"] if rules.direction.step == -1 else []),
    ]
    return [each for each in wanted if each not in text]


def test_every_section_is_a_variant():
    """A variant that was taken away leaves no section behind."""
    headings = re.findall(r"^### (.*)$", section("## The variants"), re.MULTILINE)
    assert headings == [rules.name for rules in variants().values()]


def test_the_sources_are_those_that_are_used():
    """Every key in variants.toml and in the worked examples is explained, and no other."""
    explained = re.findall(r"^\| ([A-Z0-9]+) \|", section("## Sources"), re.MULTILINE)
    with EXAMPLES.open(encoding="utf-8") as lines:
        used = {row["source"] for row in csv.DictReader(lines) if not row["source"].startswith("GH-")}
    used |= {key for rules in variants().values() for key in rules.sources if not key.startswith("GH-")}
    assert sorted(explained) == sorted(used)
    assert "| GH-... |" in TEXT


@pytest.mark.parametrize(
    ("heading", "field"), [("## Where tables differ", "disagree"), ("## Reminders", "reminders")]
)
def test_every_key_of_a_sentence_is_explained(heading, field):
    """Each key in the file of the variants has its sentence on the page, and no sentence is without a variant."""
    explained = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", section(heading), re.MULTILINE))
    assert {*explained} == {key for rules in variants().values() for key in getattr(rules, field)}
    assert all(sentence.endswith(".") for sentence in explained.values())


def test_every_word_of_a_formula_is_explained():
    """The table of the page has the words of the formula language, all of them."""
    words = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", section("## What a hand pays"), re.MULTILINE))
    )
    assert sorted(words) == sorted(FACTS)


def test_every_choice_is_explained():
    """Where no trump falls, how trump comes about, how ties and games end, each choice is on the page."""
    assert [each for each in NoTrumpOn if f"| `{each}` |" not in section("## No trump")] == []
    said = section("## No trump")
    assert [
        each for each in (*TrumpMethod, *TurnUp) if each is not TrumpMethod.TURNED and f"`{each}`" not in said
    ] == []
    assert [each for each in First if f"`{each}`" not in section("## One hand, step by step")] == []
    assert [each for each in EvenTable if f"| `{each}` |" not in section("## The hook")] == []
    assert [
        each for each in Ties if each is not Ties.SHARED and f"`{each}`" not in section("## The end")
    ] == []
    assert len(Ending) == 4


def test_every_switch_on_the_page_exists():
    """The page points to fields of the rules by their names."""
    known = {each.name for each in fields(Rules)} | set(FACTS) | {"made", "made_zero", "missed"}
    questions = section("## Where the base game leaves it open")
    switches = set(re.findall(r"`([a-z_]+)`", questions))
    assert switches <= known
    assert switches


def test_the_notation_of_the_page_can_be_read():
    """Each term in the table is a plan."""
    terms = [
        term
        for row in re.findall(r"^\| (`.*?) \|", section("## How many cards"), re.MULTILINE)
        for term in re.findall(r"`([^`]+)`", row)
    ]
    assert len(terms) == 6
    assert all(sequence(term, largest=13, players=4) for term in terms)
