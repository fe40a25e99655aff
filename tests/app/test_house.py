"""House rules: a table builds its own, sees what they pay, keeps them under a name and plays by them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import sleep

import pytest
from werkzeug.datastructures import MultiDict

from forms.house import PATTERNS, HouseRulesForm, sequence_of
from models import Book
from rules.plan import ByPlayers, Direction, sequence
from rules.scoring import Scoring, Streak, common_rules
from rules.variants import (
    EvenTable,
    First,
    NoTrumpOn,
    Rules,
    Ties,
    Trump,
    TrumpMethod,
    find_variant,
    variants,
)

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
TWELVE = (*FOUR, "Eline", "Farid", "Greta", "Hedda", "Ivo", "Jana", "Karim", "Lena")
ADDRESS = "/house-rules/new"


@pytest.fixture
def kept(rows):
    """Reads what is kept: name, version and rules, the oldest first."""

    def read():
        return [
            (name, version, Rules.read(written))
            for _id, _book, name, _key, version, written, _created in rows("house_rules")["house_rules"]
        ]

    return read


def beside(phone, name):
    """What the page objects to, right at that field."""
    field = phone.page.select_one(f"input[name={name}]")
    assert field.get("aria-invalid") == "true", f"no objection at {name}: {objections(phone)}"
    return phone.page.find(id=field["aria-describedby"]).get_text(strip=True)


def objections(phone):
    """The fields that the page objects to."""
    return {field["name"] for field in phone.page.select("[aria-invalid]")}


def typed(phone):
    """What stands in the form."""
    return phone.filled(phone.button("keep").find_parent("form"))


def pays(phone):
    """The table of what bids pay: rows are bids, columns tricks."""
    return [
        [cell.get_text().replace("−", "-") for cell in row.select("td")]
        for row in phone.page.select(".pays tbody tr")
    ]


def sizes(phone):
    """The plan as the page shows it."""
    return [int(each.get_text()) for each in phone.page.select(".sizes span")]


def rules_of(app, table):
    """The rules that the game is played by."""
    with app.app_context():
        return table.game().sheet().rules


# The form and the rules


@pytest.mark.pages
@pytest.mark.parametrize("variant", variants())
def test_every_variant_comes_back_from_the_form_as_it_was(phone, kept, variant):
    """Whoever changes nothing but the name keeps the very rules they started from."""
    phone.house_rules(variant, name="Ours")
    theirs = find_variant(variant)
    ours = replace(theirs, name="Ours", aliases=(), other_sequences=(), disagree=(), sources=())
    assert kept() == [("Ours", 1, ours)]


CLASSIC = "classic"
FIELDS = [
    (CLASSIC, {"order": "down", "low": 1, "high": 1}, "sequence", "H..1"),
    (CLASSIC, {"order": "up", "low": "P", "high": 2}, "sequence", "1*P,2..H-1,H*2"),
    (CLASSIC, {"order": "own", "plan": " 1..3,5*2 "}, "sequence", "1..3,5*2"),
    (CLASSIC, {"fewest": 2, "most": 5}, "players", (2, 5)),
    (CLASSIC, {"deck": 40}, "deck", ByPlayers(40)),
    ("romanian-whist", {"deck": 52}, "deck", ByPlayers(52)),
    (CLASSIC, {"largest": 5}, "largest", ByPlayers(5)),
    ("plump", {"largest": ""}, "largest", ByPlayers()),
    *((CLASSIC, {"direction": each}, "direction", each) for each in Direction),
    *((CLASSIC, {"trump": each}, "trump", each) for each in TrumpMethod),
    (CLASSIC, {"trump": "fixed", "suit": "diamonds"}, "rotation", (Trump.DIAMONDS,)),
    (
        CLASSIC,
        {"trump": "rotation", "turns": "spades,diamonds,clubs,hearts"},
        "rotation",
        (Trump.SPADES, Trump.DIAMONDS, Trump.CLUBS, Trump.HEARTS),
    ),
    *((CLASSIC, {"no_trump_on": each}, "no_trump_on", each) for each in NoTrumpOn),
    (CLASSIC, {"simultaneous": True}, "simultaneous", True),
    ("selbu-whist", {"simultaneous": False}, "simultaneous", False),
    *((CLASSIC, {"even_table": each}, "even_table", each) for each in EvenTable),
    *((CLASSIC, {"first_bidder": each}, "first_bidder", each) for each in First),
    *((CLASSIC, {"leads": each}, "leads", each) for each in First),
    (CLASSIC, {"hook": True}, "hook", True),
    ("podrida", {"hook": False}, "hook", False),
    (CLASSIC, {"hook": True, "hook_from": 4}, "hook_from", 4),
    ("boerenbridge", {"hook_from": ""}, "hook_from", 1),
    (CLASSIC, {"hook_spares_last": True}, "hook_spares_last", True),
    (CLASSIC, {"zeros_in_a_row": 3}, "zeros_in_a_row", 3),
    ("kachuful", {"zeros_in_a_row": 0}, "zeros_in_a_row", 0),
    (CLASSIC, {"blind_bids": True}, "blind_bids", True),
    (CLASSIC, {"forehead": True}, "forehead", True),
    *((CLASSIC, {"pattern": each}, "scoring", common_rules()[each]) for each in PATTERNS),
    (
        CLASSIC,
        {"pattern": "own", "made": "bid + 1", "missed": "-off", "made_zero": "2"},
        "scoring",
        Scoring(made="bid + 1", missed="-off", made_zero="2"),
    ),
    (
        CLASSIC,
        {"streak_length": 4, "streak_made": 10, "streak_lost": 7, "streak_one_card": "reset"},
        "streak",
        Streak(length=4, made=10, missed=-7, one_card="reset"),
    ),
    ("romanian-whist", {"streak_length": 0}, "streak", None),
    (CLASSIC, {"target": 100}, "target", 100),
    (CLASSIC, {"lowest_wins": True}, "lowest_wins", True),
    *((CLASSIC, {"ties": each}, "ties", each) for each in Ties),
    (CLASSIC, {"must_trump": True, "must_head": True}, "reminders", ("must-trump", "must-head")),
    ("pocha", {"must_trump": False}, "reminders", ("must-head",)),
]


@pytest.mark.pages
@pytest.mark.parametrize("start", sorted({row[0] for row in FIELDS}))
def test_each_field_reaches_the_rules(phone, app, start):
    """What is chosen, ticked or typed is what the table plays by."""
    phone.get(f"{ADDRESS}?start={start}")
    shown = typed(phone)
    reached = {}
    for _start, fields, attribute, value in (row for row in FIELDS if row[0] == start):
        sent = {**shown, **{name: "y" if each is True else str(each) for name, each in fields.items()}}
        data = MultiDict((name, each) for name, each in sent.items() if fields.get(name) is not False)
        with app.test_request_context():
            rules = HouseRulesForm.sent(data, find_variant(start)).rules()
        reached[str(fields)] = (getattr(rules, attribute), value)
    assert {fields: pair for fields, pair in reached.items() if pair[0] != pair[1]} == {}


def test_no_field_of_the_form_is_forgotten():
    """Every field of the form is among those that are shown to reach the rules."""
    asked = set(HouseRulesForm()._fields) - {"act", "name", "start"}
    assert asked == {name for _start, fields, _attribute, _value in FIELDS for name in fields}


ORDERS = {
    ("up", "1"): ("1234", "12344", "123444"),
    ("up", "2"): ("11234", "112344", "1123444"),
    ("up", "P"): ("111234", "1112344", "11123444"),
    ("down", "1"): ("4321", "44321", "444321"),
    ("down", "2"): ("43211", "443211", "4443211"),
    ("down", "P"): ("432111", "4432111", "44432111"),
    ("up-down", "1"): ("1234321", "12344321", "123444321"),
    ("up-down", "2"): ("112343211", "1123443211", "11234443211"),
    ("up-down", "P"): ("11123432111", "111234432111", "1112344432111"),
    ("down-up", "1"): ("4321234", "443212344", "44432123444"),
    ("down-up", "2"): ("43211234", "4432112344", "444321123444"),
    ("down-up", "P"): ("432111234", "44321112344", "4443211123444"),
}


@pytest.mark.pages
@pytest.mark.parametrize(("order", "low"), ORDERS)
def test_the_ends_of_each_order_may_be_dealt_again(order, low):
    """Three players, four cards at the most: ones and fours once, twice, or once for each player."""
    plans = [sequence(sequence_of(order, low, high), largest=4, players=3) for high in ("1", "2", "P")]
    assert tuple("".join(str(cards) for cards in plan) for plan in plans) == ORDERS[order, low]


def test_an_order_with_repeats_is_found_again_in_the_form(phone):
    """What was chosen stands chosen when the rules are opened again."""
    phone.house_rules(name="Ours", order="down-up", low="P", high="2")
    phone.get(f"{ADDRESS}?start={phone.chosen}")
    chosen = typed(phone)
    assert (chosen["order"], chosen["low"], chosen["high"]) == ("down-up", "P", "2")


# What they pay, before they are kept


def test_the_form_always_shows_what_bids_pay_and_the_hands(phone):
    """The table of points and the plan of four players stand there from the start and follow a preview."""
    phone.get(ADDRESS)
    assert pays(phone)[2] == ["0", "0", "12", "0"]
    assert sizes(phone) == list(range(1, 14))
    phone.house_rules(do="preview", pattern="wizard", order="own", plan="3,2,1")
    assert pays(phone)[2] == ["-20", "-10", "40", "-10"]
    assert sizes(phone) == [3, 2, 1]


def test_a_preview_changes_nothing(phone, rows):
    """Looking at what rules come to keeps no rules and makes no book, with a name or without."""
    phone.get(ADDRESS)
    before = rows()
    for name in ("", "Ours"):
        phone.house_rules(do="preview", name=name, deck=40, made="11", pattern="own")
        assert not objections(phone)
        assert typed(phone)["deck"] == "40"
    assert rows() == before


@pytest.mark.pages
@pytest.mark.parametrize("do", ["preview", "keep"])
@pytest.mark.parametrize(
    ("field", "formula", "wrong"),
    [
        ("made", "10 + luck", "luck"),
        ("missed", "10 +", "+"),
        ("made_zero", "bid $ 2", "$"),
        ("made", "1 < bid < 3", "<"),
        ("missed", "(bid + 1", "("),
        ("made_zero", "10 bid", "bid"),
    ],
)
def test_a_wrong_formula_shows_where(phone, rows, do, field, formula, wrong):
    """The word that cannot be read is marked in its formula, which stays as it was typed; nothing is kept."""
    fields = {"pattern": "own", "made": "10", "missed": "0", "made_zero": "", field: formula}
    phone.get(ADDRESS)
    before = rows()
    phone.house_rules(do=do, status=422 if do == "keep" else 200, name="Ours", **fields)
    marked = phone.page.select("mark")
    assert [each.get_text() for each in marked] == [wrong]
    assert marked[0].find_parent("code").get_text().rstrip("…") == formula
    assert objections(phone) == {field}
    assert beside(phone, field)
    assert typed(phone)[field] == formula
    assert rows() == before


@pytest.mark.pages
@pytest.mark.parametrize("field", ["made", "missed"])
def test_a_missing_formula_is_marked_too(phone, field):
    """Where nothing was typed, the mark stands for what is missing."""
    phone.house_rules(status=422, name="Ours", **{"pattern": "own", "made": "10", "missed": "0", field: ""})
    assert [each.get_text() for each in phone.page.select("mark")] == ["…"]
    assert beside(phone, field) == "A formula is missing."


def test_a_formula_that_is_too_long_is_refused_beside_it(phone):
    """201 characters are refused at the formula they stand in, not at the name."""
    phone.house_rules(status=422, name="Ours", pattern="own", missed="1+" * 100 + "1")
    assert objections(phone) == {"missed"}
    assert "200" in beside(phone, "missed")


def test_everything_that_is_wrong_is_told_at_once(phone):
    """Each objection stands at its own field."""
    phone.house_rules(status=422, name="Ours", pattern="own", made="?", made_zero="1+", missed="luck", deck=7)
    assert objections(phone) == {"made", "made_zero", "missed", "deck"}
    assert len(phone.page.select("mark")) == 3


def test_formulas_are_not_read_where_a_pattern_is_chosen(phone, kept):
    """What was typed before a pattern was chosen is of no account."""
    phone.house_rules(name="Ours", pattern="wizard", made="luck")
    assert kept()[0][2].scoring == common_rules()["wizard"]


@pytest.mark.pages
@pytest.mark.parametrize(
    ("fields", "at", "said"),
    [
        ({"order": "own", "plan": "1..x"}, "plan", "X has no meaning in a plan."),
        ({"order": "own", "plan": ""}, "plan", "A number, H or P is missing here."),
        ({"order": "own", "plan": "1*200"}, "plan", "A game may have 120 hands."),
        ({"fewest": 1}, "fewest", "A number from 2 to 12."),
        ({"most": 13}, "most", "A number from 2 to 12."),
        ({"fewest": 6, "most": 3}, "most", "The most players are at least the fewest."),
        ({"deck": 7}, "deck", "A number from 8 to 1040."),
        ({"deck": 1041}, "deck", "A number from 8 to 1040."),
        ({"deck": "many"}, "deck", "A whole number goes here."),
        ({"largest": 0}, "largest", "A number from 1 to 1040."),
        ({"hook_from": 0}, "hook_from", "A number from 1 to 100."),
        ({"zeros_in_a_row": 101}, "zeros_in_a_row", "A number from 0 to 100."),
        ({"streak_length": 101}, "streak_length", "A number from 0 to 100."),
        ({"streak_made": 1001}, "streak_made", "A number from 0 to 1000."),
        ({"streak_length": 5, "streak_lost": -5}, "streak_lost", "A number from 0 to 1000."),
        ({"target": -1}, "target", "A number from 0 to 1000000."),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(phone, rows, fields, at, said):
    """The sentence stands once, at the field it is about; what was typed stays, and nothing is kept."""
    phone.get(ADDRESS)
    before = rows()
    phone.house_rules(status=422, name="Ours", **fields)
    assert objections(phone) == {at}
    assert beside(phone, at) == said
    assert {name: typed(phone)[name] for name in fields} == {key: str(value) for key, value in fields.items()}
    assert rows() == before


def test_a_preview_says_what_cannot_be_too(phone):
    """Every number out of range is told where it stands before anybody tries to keep it."""
    numbers = ("fewest", "most", "deck", "largest", "hook_from", "zeros_in_a_row", "streak_length", "target")
    phone.house_rules(do="preview", **dict.fromkeys(numbers, "1000001"))
    assert objections(phone) == set(numbers)
    assert all(beside(phone, name).startswith("A number from") for name in numbers)


def test_a_pack_too_small_is_refused_with_the_arithmetic(phone):
    """Twelve players with eleven cards cannot get one each, and the page reckons it out beside the plan."""
    phone.house_rules(status=422, name="Ours", fewest=12, most=12, deck=11)
    assert objections(phone) == {"plan"}
    assert beside(phone, "plan") == "12 × 1 card = 12, the pack has 11."


def test_a_plan_too_large_for_the_pack_is_dealt_as_far_as_it_goes(phone):
    """A size above what the pack allows becomes the largest hand, as the notation has it: 32 cards for four."""
    phone.house_rules(do="preview", order="own", plan="9,4", deck=32)
    assert sizes(phone) == [8, 4]


# Kept under a name


@pytest.mark.pages
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "A name is missing."),
        (" \u200b ", "A name is missing."),
        ("x" * 41, "A name may have 40 characters, this one has 41."),
        ("x" * 201, "A name may have 40 characters, this one has 201."),
    ],
)
def test_rules_are_kept_under_a_name_of_1_to_40_characters(phone, kept, name, said):
    """Without a name, or with one that is too long, nothing is kept."""
    phone.house_rules(status=422, name=name)
    assert beside(phone, "name") == said
    assert objections(phone) == {"name"}
    assert kept() == []
    phone.house_rules(name="x" * 40)
    assert [each[0] for each in kept()] == ["x" * 40]


def test_a_version_counts_up_only_when_something_differs(phone, kept):
    """Kept again unchanged they are the same; changed, under the same name, they are the next version."""
    phone.house_rules(name="Ours")
    phone.house_rules(phone.chosen)
    assert [each[:2] for each in kept()] == [("Ours", 1)]
    phone.house_rules(phone.chosen, hook=True)
    phone.house_rules(phone.chosen, hook=True)
    assert [each[:2] for each in kept()] == [("Ours", 1), ("Ours", 2)]
    phone.get("/house-rules")
    assert [" ".join(each.get_text(" ").split()) for each in phone.page.select(".games li")] == [
        "Ours version 2"
    ]


def test_names_that_differ_in_case_are_versions_of_each_other(phone, kept):
    """`ours` is `Ours` to people, so there is one of them, in its latest spelling."""
    phone.house_rules(name="Ours")
    phone.house_rules(name="  OURS ", hook=True)
    phone.house_rules(name="Others")
    assert [each[:2] for each in kept()] == [("Ours", 1), ("OURS", 2), ("Others", 1)]
    phone.get("/house-rules")
    assert [each.get_text() for each in phone.page.select(".games-won")] == ["Others", "OURS"]


def test_a_double_tap_keeps_one_version(phone, kept):
    """The same form sent twice, for new rules and for a change of them, keeps them once."""
    phone.get(ADDRESS)
    new = {**typed(phone), "name": "Ours", "do": "keep"}
    phone.post(ADDRESS, new)
    first = phone.chosen
    phone.post(ADDRESS, new)
    assert phone.chosen == first
    phone.get(f"{ADDRESS}?start={first}")
    changed = {**typed(phone), "hook": "y", "do": "keep"}
    phone.post(ADDRESS, changed)
    second = phone.chosen
    phone.post(ADDRESS, changed)
    assert phone.chosen == second
    assert [each[:2] for each in kept()] == [("Ours", 1), ("Ours", 2)]


def test_two_taps_at_the_same_moment_keep_one_version(phone, app, kept, monkeypatch):
    """Both have looked before either writes, and yet both are answered alike: nothing failed on the way."""
    phone.house_rules(name="Others")
    cookie = phone.client.get_cookie("scorebook").value
    phone.get(ADDRESS)
    fields = {**typed(phone), "name": "Ours", "do": "keep"}
    look = Book.house_rules

    def look_slowly(book):
        found = look(book)
        sleep(0.3)
        return found

    def tap(_thumb):
        client = app.test_client()
        client.set_cookie("scorebook", cookie)
        return client.post(ADDRESS, data=fields, headers={"Origin": "http://localhost"})

    monkeypatch.setattr(Book, "house_rules", look_slowly)
    with ThreadPoolExecutor(2) as thumbs:
        first, second = thumbs.map(tap, range(2))
    assert (first.status_code, first.location) == (second.status_code, second.location)
    assert first.status_code == 302
    assert [each[:2] for each in kept()] == [("Others", 1), ("Ours", 1)]


def test_a_form_of_an_older_version_can_still_be_kept(phone, kept):
    """Back, another change, and keep: the page of version 1 makes version 3."""
    phone.house_rules(name="Ours")
    first = phone.chosen
    phone.house_rules(first, hook=True)
    phone.house_rules(first, deck=40)
    assert [each[:2] for each in kept()] == [("Ours", 1), ("Ours", 2), ("Ours", 3)]
    assert (kept()[2][2].hook, kept()[2][2].deck) == (False, ByPlayers(40))


def test_the_first_house_rules_make_a_book(phone, rows):
    """A phone that kept nothing yet keeps a book from then on, and further rules and games go into it."""
    phone.house_rules(name="Ours")
    phone.house_rules(name="Others")
    assert len(rows("book")["book"]) == 1
    phone.get("/house-rules")
    assert [each.get_text() for each in phone.page.select(".games-won")] == ["Others", "Ours"]


def test_house_rules_are_for_their_own_phones_only(phone, other_phone, rows):
    """Another phone neither sees them nor starts from them, and its own of that name are its own."""
    phone.house_rules(name="Ours", deck=40)
    theirs = phone.chosen
    other_phone.get(f"{ADDRESS}?start={theirs}", 404)
    other_phone.post(ADDRESS, {"act": "a-tap-of-its-own", "start": theirs, "name": "Ours", "do": "keep"}, 404)
    other_phone.get("/house-rules")
    assert "Ours" not in other_phone.text
    assert "Ours" not in other_phone.get("/new").get_text()
    other_phone.house_rules(name="Ours")
    assert [row[4] for row in rows("house_rules")["house_rules"]] == [1, 1]


@pytest.mark.pages
@pytest.mark.parametrize("start", ["house-1", "house-x", "house-" + "9" * 30, "nothing", "house-²", "game-1"])
def test_rules_that_nobody_has_are_not_found(phone, start):
    """An address with another start than a variant or house rules of this phone leads nowhere."""
    phone.get(f"{ADDRESS}?start={start}", 404)


# Played by


def test_a_game_keeps_its_rules_when_they_change(table, app):
    """The running game pays as it did when it was started; the next one pays by the new version."""
    table.phone.house_rules(name="Ours", pattern="own", made="7", missed="-1")
    ours = table.phone.chosen
    table.start(*FOUR, variant=ours, dealer=3, order="own", plan="1,1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    assert table.totals() == [-1, -1, 7, 7]
    before = rules_of(app, table)
    table.phone.house_rules(ours, made="9")
    changed = table.phone.chosen
    assert table.totals() == [-1, -1, 7, 7]
    assert rules_of(app, table) == before
    table.start(*FOUR, variant=changed, dealer=3, order="own", plan="1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    assert table.totals() == [-1, -1, 9, 9]


def test_nobody_starts_by_other_rules_than_they_saw(phone, rows):
    """The house rules changed while a game was set up: the page comes again with what it would play by."""
    phone.house_rules(name="Ours", pattern="wizard")
    ours = phone.chosen
    phone.send(phone.button("add"), newcomers="Ada,Bruno,Chiara")
    button = phone.button("start")
    phone.house_rules(ours, hook=True)
    phone.send(button, 422)
    assert phone.chosen == "classic"
    assert [chair["value"] for chair in phone.page.select(".chair-name")] == ["Ada", "Bruno", "Chiara"]
    assert rows("game")["game"] == []


def test_kept_rules_are_chosen_for_the_next_game(phone):
    """Keep leads to a new game with these rules chosen, and they are offered by name ever after."""
    phone.house_rules(name="Friday", pattern="wizard")
    assert phone.address == "/new"
    ticked = phone.page.select_one("input[name=variant][checked]").find_parent("label")
    assert ticked.get_text(strip=True) == "Friday"
    assert pays(phone)[2] == ["-20", "-10", "40", "-10"]
    phone.get("/new")
    offered = [each.get_text(strip=True) for each in phone.page.select(".choice label.option")]
    assert "Friday" in offered


def test_playing_again_offers_the_house_rules_of_the_game(table, app):
    """A rematch has the house rules chosen, and is played by them."""
    table.phone.house_rules(name="Friday", pattern="wizard", hook=True, order="own", plan="1")
    ours = table.phone.chosen
    table.start(*FOUR, variant=ours, dealer=3)
    before = rules_of(app, table)
    assert (before.name, before.scoring) == ("Friday", common_rules()["wizard"])
    if table.phase == "deal":
        table.trump("hearts")
    table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])
    table.phone.follow("Play again")
    assert table.phone.chosen == ours
    table.phone.tap("start")
    table.code = table.phone.address.split("/")[2]
    assert rules_of(app, table) == before


def test_a_run_of_misses_costs_what_was_typed(table):
    """Two misses in a row cost seven and two made pay four, typed without a sign."""
    table.phone.house_rules(
        name="Runs", streak_length=2, streak_made=4, streak_lost=7, streak_one_card="count", trump="none"
    )
    table.start("Ada", "Bruno", "Chiara", variant=table.phone.chosen, dealer=2, order="own", plan="1,1")
    for _hand in range(2):
        table.play(bids=[1, 0, 0], tricks=[0, 0, 1])
    assert table.totals() == [-7, 24, -7]
    assert "2 bids made in a row pay 4 more, 2 missed in a row −7." in (
        table.phone.get(f"/g/{table.code}/rules").get_text()
    )


@pytest.mark.pages
@pytest.mark.parametrize(
    ("players", "deck", "largest"),
    [
        (2, 32, 16),
        (3, 40, 13),
        (4, 52, 13),
        (5, 54, 10),
        (6, 60, 10),
        (7, 63, 9),
        (8, 104, 13),
        (9, 52, 5),
        (10, 78, 7),
        (11, 52, 4),
        (12, 52, 4),
        (12, 12, 1),
    ],
)
def test_any_pack_and_2_to_12_players(table, app, players, deck, largest):
    """Every usual pack and a free one, every number of players: the largest hand is what the pack allows."""
    table.phone.house_rules(
        "boerenbridge", name="Ours", fewest=2, most=12, deck=deck, order="down", low=1, high=1
    )
    table.start(*TWELVE[:players], variant=table.phone.chosen, dealer=0)
    with app.app_context():
        sheet = table.game().sheet()
        assert sheet.plan == tuple(range(largest, 0, -1))
        assert (sheet.rules.deck, len(sheet.names)) == (ByPlayers(deck), players)


def test_a_game_to_a_target_goes_on_beyond_its_plan_and_ends(table):
    """One hand in the plan, 30 points to reach: the fourth hand is dealt only if nobody has them."""
    table.phone.house_rules(name="Thirty", target=30, order="own", plan="1", trump="none", fewest=2)
    table.start("Ada", "Bruno", variant=table.phone.chosen, dealer=1)
    assert "Thirty" in table.phone.follow("Rules").get_text()
    assert "until somebody has 30 points" in table.phone.text
    table.open(1)
    for hand in (1, 2, 3):
        assert table.hand == hand
        assert table.phone.page.h1.get_text(strip=True) == f"Hand {hand}"
        table.play(bids=[0, 1] if hand > 1 else [1, 1], tricks=[0, 1] if hand > 1 else [1, 0])
    assert table.phone.page.h1.get_text(strip=True) == "Final score"
    assert table.totals() == [31, 22]
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == ["Ada"]


def test_the_lowest_total_is_first_everywhere(table):
    """Where the lowest wins, who has least is first after a hand, on the first page, on the sheet and at the end."""
    table.phone.house_rules(
        name="Golf", pattern="golf-tri", lowest_wins=True, trump="none", order="own", plan="3,2"
    )
    table.start("Ada", "Bruno", "Chiara", variant=table.phone.chosen, dealer=2)
    table.play(bids=[3, 1, 1], tricks=[1, 1, 1])
    result = [
        (row.th.get_text(strip=True), row.select_one(".scores-place").find(string=True).strip())
        for row in table.phone.page.select(".last tbody tr")
    ]
    assert result == [("Bruno", "1."), ("Chiara", "1."), ("Ada", "3.")]
    table.phone.get("/")
    assert "Bruno , Chiara ahead with 0" in table.phone.text
    table.sheet()
    standings = [" ".join(each.get_text(" ").split()) for each in table.phone.page.select(".standings li")]
    assert standings == ["1. Bruno 0", "1. Chiara 0", "3. Ada 3 −3"]
    table.open(2).play(bids=[1, 0, 2], tricks=[1, 1, 0])
    assert table.totals() == [3, 1, 3]
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == ["Bruno"]
    table.phone.get("/")
    assert " ".join(table.phone.page.select_one(".games-won").get_text(" ").split()) == "Bruno 1"


@pytest.mark.case("A19")
@pytest.mark.pages
@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\"><img src=x>'", "{{ 7 * 7 }} %(x)s %s"])
def test_hostile_names_and_formulas_are_text(phone, hostile):
    """Mark-up and template code in a name, a plan or a formula are shown as they were typed."""
    usual = {"script": len(phone.get(ADDRESS).select("script")), "img": 0}
    phone.house_rules(do="preview", name=hostile, pattern="own", made=hostile, order="own", plan=hostile)
    shown = typed(phone)
    assert shown["name"] == shown["made"] == shown["plan"] == hostile
    assert phone.page.select_one("mark").find_parent("code").get_text() == hostile
    assert {name: len(phone.page.select(name)) for name in usual} == usual
    phone.house_rules(name=hostile)
    for address in ("/new", "/house-rules", f"{ADDRESS}?start={phone.chosen}"):
        page = phone.get(address)
        assert hostile in [each.get_text() for each in page.select("bdi, .option span")] or (
            typed(phone)["name"] == hostile
        )
        assert {name: len(page.select(name)) for name in usual} == usual
