"""The cases that people who keep score reported: what goes wrong in an evening, and how it is put right."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rules import record

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
FIVE = (*FOUR, "Eline")
TESTS = Path(__file__).parents[1]


def seated(table, plan, *called, dealer=0, **switches):
    """A table without trump, by the rules of the cases: the hook, and a miss that scores nothing."""
    usual = {"hook": True, "order": "own", "trump": "untracked"}
    return table.start(*(called or FOUR), dealer=dealer, plan=plan, **{**usual, **switches})


def hand(table, bids, tricks):
    """One hand played to its end, each number entered."""
    table.bid(*bids).over()
    if list(bids) == list(tricks):
        return table.save(422).phone.tap("confirm")
    return table.took(*tricks)


def at_table(table):
    """The page of all that can be changed."""
    return table.phone.get(f"/g/{table.code}/table")


def correct(table, number, status=200, **facts):
    """Put facts of a hand right by its form, as `bid_0=1`."""
    table.phone.get(f"/g/{table.code}/hands/{number}/correct")
    return press(table, "correct", status, **facts)


def press(table, key, status=200, **facts):
    """Press a button with something typed or chosen in its form, as `bid_0=1` for the field `bid-0`."""
    typed = {name.replace("_", "-"): value for name, value in facts.items()}
    return table.phone.send(table.phone.button(key), status, **typed)


def alert(table):
    """What the page objects to or asks."""
    return " ".join(" ".join(each.get_text(" ").split()) for each in table.phone.page.select("[role=alert]"))


def log_of(table):
    """The log, the latest first, as lines of text."""
    page = table.phone.get(f"/g/{table.code}/log")
    return [" ".join(each.get_text(" ").split()) for each in page.select(".log li")]


def dealer(table):
    """Who deals the hand that the page shows."""
    return table.phone.page.select_one(".seat:has(small) .name").get_text()


def bidders(table):
    """Who bids in the hand that the page shows, the first one first."""
    return [each.get_text() for each in table.phone.page.select(".seats .seat .name")]


def places(table):
    """The place and the total of each player on the sheet."""
    return {
        row.select_one(".name").get_text(): (
            row.select_one(".standings-place").get_text(),
            int(row.select_one(".standings-total").get_text()),
        )
        for row in table.sheet().select(".standings li")
    }


def written(table, app):
    """The game as it is exported."""
    with app.app_context():
        return record.write(table.game().record())


def test_every_case_is_settled_by_some_test():
    """Each of the twenty cases is named by the mark of a test somewhere under tests/."""
    marked = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.case":
                marked.add(ast.literal_eval(node.args[0]))
    assert {f"A{number}" for number in range(1, 21)} <= marked


# A6: a mistake found three hands later

EVENING = (
    ((1, 1, 0, 1), (1, 2, 0, 1)),
    ((1, 0, 1, 0), (1, 1, 1, 0)),
    ((0, 1, 0, 0), (0, 1, 1, 0)),
    ((0, 0, 1, 1), (0, 0, 1, 0)),
)


@pytest.mark.case("A6")
@pytest.mark.parametrize(
    ("missed", "before", "after", "first"),
    [
        ("0", [42, 21, 32, 31], [31, 32, 32, 31], {"Bruno", "Chiara"}),
        ("tricks", [42, 24, 33, 31], [33, 33, 33, 31], {"Ada", "Bruno", "Chiara"}),
    ],
)
def test_a_mistake_of_three_hands_ago_is_put_right(table, app, missed, before, after, first):
    """The tricks of hand 1 change, all totals and places follow, and nothing else of the game does."""
    seated(table, "4,3,2,1,1", missed=missed)
    for bids, tricks in EVENING:
        hand(table, bids, tricks)
    assert table.totals() == before
    old = written(table, app)["hands"]
    correct(table, 1, took_0=2, took_1=1)
    assert table.totals() == after
    assert {name for name, (place, _) in places(table).items() if place == "1."} == first
    new = written(table, app)["hands"]
    assert new[0].pop("tricks") == [2, 1, 0, 1]
    assert old[0].pop("tricks") == [1, 2, 0, 1]
    assert new == old
    assert [each["dealer"] for each in new[:4]] == list(FOUR)
    line = log_of(table)[0]
    assert "hand 1" in line
    assert "corrected" in line
    assert "Ada took 1 → 2" in line
    assert "Bruno took 2 → 1" in line


# A7: a bid heard wrong, found while the hand is played


@pytest.mark.case("A7")
def test_a_bid_corrected_during_play_asks_about_the_hook_and_keeps_the_tricks(table, rows):
    """Three becomes two: the hook would be broken, which is asked first; the tricks typed so far stay."""
    seated(table, "5,4", dealer=3)
    table.bid(1, 3, 0, 2).over()
    table.phone.tap("more-0")
    table.phone.tap("less-0")
    table.phone.tap("less-1")
    assert {seat: table.shown()[seat] for seat in (0, 1)} == {0: 1, 1: 2}
    before = rows()
    correct(table, 1, 422, bid_1=2)
    assert "the bids add up to the 5 cards" in alert(table).casefold()
    assert table.phone.button("confirm").get_text() == "Save it all the same"
    assert rows() == before
    press(table, "confirm")
    assert (table.hand, table.phase) == (1, "tricks")
    assert {seat: table.shown()[seat] for seat in (0, 1)} == {0: 1, 1: 2}
    assert "bid 2" in table.phone.page.select(".seats .seat")[1].get_text()
    assert "Bruno bid 3 → 2" in log_of(table)[0]


# A8: a misdeal


@pytest.mark.case("A8")
def test_a_misdeal_is_dealt_again_by_the_same_dealer(table, app):
    """Hand 6 is void: it starts anew under the same dealer, and the totals are what they were."""
    seated(table, "1,1,1,1,1,5,4", dealer=0, trump="none")
    for tricks, bids in (
        ((1, 0, 0, 0), (1, 0, 0, 1)),
        ((0, 1, 0, 0), (0, 1, 1, 1)),
        ((0, 0, 1, 0), (0, 1, 1, 0)),
        ((1, 0, 0, 0), (1, 1, 1, 1)),
        ((0, 0, 1, 0), (1, 1, 0, 0)),
    ):
        hand(table, bids, tricks)
    totals = table.totals()
    table.open(6)
    assert dealer(table) == "Bruno"
    table.bid_one(1).bid_one(2)
    at_table(table)
    table.phone.tap("void")
    assert table.hand == 6
    assert dealer(table) == "Bruno"
    assert table.bidder == 2
    assert not table.phone.page.select(".seat b.seat-bid")
    assert table.totals() == totals
    assert "misdeal" in log_of(table)[0]
    hands = written(table, app)["hands"]
    assert [each.get("voided", False) for each in hands] == [False] * 5 + [True]
    with app.app_context():
        sheet = table.game().sheet()
        assert len(sheet.played) == 5, "what does not count is counted nowhere"
        assert sheet.made(2) == sum(each.result(2) == "made" for each in sheet.played)


# A9: a penalty


@pytest.mark.case("A9")
def test_a_penalty_needs_no_minus_key_and_stands_apart(table, app):
    """Ten points less for Ada in hand 8, as a number and a choice; it is told apart, exported, and taken back."""
    seated(table, ",".join("1" * 9))
    for bids, tricks in (
        *[((1, 1, 0, 0), (1, 0, 0, 0))] * 3,
        *[((0, 0, 0, 0), (0, 1, 0, 0))] * 3,
        *[((1, 1, 0, 0), (0, 1, 0, 0))] * 2,
    ):
        hand(table, bids, tricks)
    assert table.totals()[0] == 63
    at_table(table)
    field = table.phone.page.select_one("input[name=points]")
    assert field["inputmode"] == "numeric"
    assert [each["value"] for each in table.phone.page.select("input[name=sign]")] == ["-", "+"]
    press(table, "adjust", points=10, reason="dealt out of turn", hand=8)
    assert table.totals()[0] == 53
    cell = table.sheet().select(".grid tbody tr")[7].select("td")[0]
    assert cell.select_one(".grid-adjusted").get_text() == "−10"
    assert cell.select_one(".grid-total").get_text() == "53"
    assert written(table, app)["adjustments"] == [
        {"hand": 8, "player": "Ada", "points": -10, "reason": "dealt out of turn"}
    ]
    assert "Ada points – → −10" in log_of(table)[0]
    assert "dealt out of turn" in log_of(table)[0]
    at_table(table)
    table.phone.tap(next(each["data-key"] for each in table.phone.page.select("[data-key^=drop-]")))
    assert table.totals()[0] == 63


# A10: the wrong dealer


@pytest.mark.case("A10")
def test_the_dealer_is_put_right_from_this_hand_on(table, app):
    """Eline dealt hand 3: the deal goes on from her, Ada bids first, and hands 1 and 2 stay as they were."""
    seated(table, "2,1,1,1,1", *FIVE, dealer=1)
    hand(table, (1, 0, 0, 0, 0), (1, 1, 0, 0, 0))
    hand(table, (1, 0, 0, 1, 0), (1, 0, 0, 0, 0))
    old = written(table, app)["hands"][:2]
    assert dealer(table.open(3)) == "Dmitri"
    at_table(table)
    press(table, "dealer", seat=4)
    assert table.hand == 3
    assert dealer(table) == "Eline"
    assert bidders(table)[0] == "Ada"
    dealers = [dealer(table)]
    for _hand in (3, 4):
        table.bid(0, 0, 0, 0, 0).over()
        table.took(1, 0, 0, 0, 0)
        dealers.append(dealer(table))
    assert dealers == ["Eline", "Ada", "Bruno"]
    hands = written(table, app)["hands"]
    assert hands[:2] == old
    assert [each["dealer"] for each in hands] == ["Bruno", "Chiara", "Eline", "Ada", "Bruno"][: len(hands)]
    assert "dealer put right" in " ".join(log_of(table))


# A11: somebody joins


@pytest.mark.case("A11")
def test_a_late_joiner_starts_with_the_lowest_total(table):
    """Eline comes after Dmitri with 10; three hands show a dash for her, and the fourth asks five bids."""
    seated(table, "10,9,8,7,6")
    hand(table, (1, 9, 2, 2), (1, 3, 2, 4))
    hand(table, (0, 9, 0, 2), (0, 3, 4, 2))
    hand(table, (0, 0, 0, 0), (1, 0, 4, 3))
    assert table.totals() == [21, 10, 12, 12]
    at_table(table)
    offered = [each.get_text() for each in table.phone.page.select("select[name=points] option")]
    assert offered == ["the worst total, 10", "the average, 14", "nothing"]
    press(table, "join", name="Eline")
    assert table.hand == 4
    assert dealer(table) == "Dmitri"
    assert bidders(table) == ["Eline", *FOUR]
    table.bid(0, 0, 0, 0, 0).over().took(2, 2, 1, 1, 1)
    assert dealer(table) == "Eline"
    cells = [row.select("td")[4] for row in table.sheet().select(".grid tbody tr")]
    assert [cell.select_one(".grid-bid").find(string=True).strip() for cell in cells] == ["–", "–", "–", "0"]
    assert table.totals()[4] == 10


@pytest.mark.case("A11")
def test_a_hand_too_large_for_five_is_told_when_the_fifth_comes(table):
    """With 11 cards to come, the arithmetic is shown; the hand is only made smaller when the table says so."""
    seated(table, "1,11,2")
    at_table(table)
    press(table, "join", 422, name="Eline", after=1, points=0)
    assert "5 × 11 cards = 55, the pack has 52" in alert(table)
    press(table, "fits")
    assert bidders(table) == ["Bruno", "Eline", "Chiara", "Dmitri", "Ada"]
    at_table(table)
    assert table.phone.page.select_one("input[name=plan]")["value"] == "1,10,2"


# A12: somebody leaves


@pytest.mark.case("A12")
def test_a_leaver_keeps_the_total_and_holds_nobody_up(table, app):
    """Bruno goes after hand 5: four bid, the deal passes over him, and he stays in the list with his points."""
    seated(table, ",".join("1" * 8), *FIVE, dealer=0)
    for number in range(5):
        hand(table, (0, 1, 0, 0, 1) if number < 3 else (1, 0, 0, 0, 1), (0, 1, 0, 0, 0))
    total = table.totals()[1]
    at_table(table)
    table.phone.tap("leave-1")
    assert table.hand == 6
    assert dealer(table) == "Ada"
    assert bidders(table) == ["Chiara", "Dmitri", "Eline", "Ada"]
    table.bid(0, None, 0, 0, 0).over().took(1, None, 0, 0, 0)
    assert (table.hand, dealer(table)) == (7, "Chiara")
    assert places(table)["Bruno"][1] == total == 33
    with app.app_context():
        assert sum(each.bids[1] is not None for each in table.game().sheet().played) == 5
    assert any("Bruno leaves" in line for line in log_of(table))


# A13: two swap seats


@pytest.mark.case("A13")
def test_two_players_swap_seats_from_the_next_hand_on(table, app):
    """Bruno and Eline swap: the deal follows the new seats, and the hands before look as they did."""
    seated(table, ",".join("1" * 12), *FIVE, dealer=0)
    for _number in range(8):
        hand(table, (0, 0, 0, 0, 0), (1, 0, 0, 0, 0))
    old, totals = written(table, app)["hands"][:8], table.totals()
    assert old[7]["dealer"] == "Chiara"
    at_table(table)
    press(table, "swap", seat=1, other=4)
    dealers = [dealer(table)]
    for _number in range(3):
        table.bid(0, 0, 0, 0, 0).over().took(1, 0, 0, 0, 0)
        dealers.append(dealer(table))
    assert dealers == ["Dmitri", "Bruno", "Ada", "Eline"]
    assert written(table, app)["hands"][:8] == old
    assert table.totals()[1:] == [total + 30 for total in totals[1:]]
    assert any("Bruno" in line and "Eline" in line and "seats swapped" in line for line in log_of(table))


# A16: an old form of a closed hand


@pytest.mark.case("A16")
def test_an_old_form_of_a_closed_hand_says_where_to_correct_it(table, rows):
    """Back to hand 3 while hand 5 is played: its form changes nothing and leads to its correction."""
    seated(table, "2,2,2,2,2,2")
    forms = []
    for _number in range(4):
        table.bid(0, 0, 0, 0).over()
        button = table.phone.button("save")
        forms.append((button.find_parent("form")["action"], table.phone.filled(button.find_parent("form"))))
        table.took(1, 1, 0, 0)
    before = rows()
    address, sent = forms[2]
    told = {**sent, "act": "a-tap-of-its-own", "tricks-0": "0", "tricks-1": "0", "tricks-2": "2"}
    table.phone.post(address, told, 409)
    assert "Hand 3 is closed." in table.phone.text
    assert rows() == before
    table.phone.follow("Correct hand 3")
    assert table.phone.address == f"/g/{table.code}/hands/3/correct"
    table.phone.post(address.replace("score", "bids"), {"act": "another-tap", "seat": "0", "bid": "1"}, 409)
    table.phone.follow("Correct hand 3")
    assert table.open(9).hand == 5
    assert rows() == before


# A17: two phones


@pytest.mark.case("A17")
def test_two_phones_that_close_a_hand_otherwise_see_both_and_choose(table, other_phone):
    """The hand is closed as the first phone says; the second sees both versions and may put its own."""
    seated(table, "1,1,1,4,3")
    for _number in range(3):
        hand(table, (0, 0, 0, 0), (1, 0, 0, 0))
    table.bid(1, 1, 0, 1).over()
    second = table.kept_on(other_phone)
    other_form = other_phone.button("save").find_parent("form")
    table.took(1, 1, 1, 1)
    totals = table.totals()
    sent = {
        **other_phone.filled(other_form),
        "tricks-0": "2",
        "tricks-1": "0",
        "tricks-2": "1",
        "tricks-3": "1",
    }
    other_phone.post(other_form["action"], sent, 409)
    versions = [" ".join(each.get_text(" ").split()) for each in other_phone.page.select(".versions dd")]
    assert versions == ["Ada 1 Bruno 1 Chiara 1 Dmitri 1", "Ada 2 Bruno 0 Chiara 1 Dmitri 1"]
    assert table.totals() == totals
    other_phone.get(f"/g/{table.code}/hands/5")
    assert table.totals() == totals, "looking away chooses nothing"
    other_phone.post(other_form["action"], {**sent, "act": "once-more-on-purpose"}, 409)
    other_phone.tap("mine")
    assert second.totals() == [0, 30, 30, 41]
    lines = log_of(second)
    assert "corrected" in lines[0]
    assert "this phone" in lines[0]
    assert "Ada took 1 → 2" in lines[0]
    assert "Bruno took 1 → 0" in lines[0]
    assert "saved" in lines[1]
    assert "phone 1" in lines[1]


@pytest.mark.case("A17")
def test_two_phones_that_correct_the_same_fact_see_both_and_choose(table, other_phone):
    """A correction is no exception: the second one is shown what stands there and must choose."""
    seated(table, "2,1", hook=False)
    hand(table, (0, 0, 0, 0), (1, 1, 0, 0))
    second = table.kept_on(other_phone)
    other_phone.get(f"/g/{table.code}/hands/1/correct")
    correct(table, 1, took_1=0, took_2=1)
    press(second, "correct", 422, took_1=0, took_3=1)
    assert "3 of 2 tricks: 1 too many." in alert(second), "both corrections together are asked about"
    assert table.totals() == [0, 10, 0, 10]
    correct(table, 1, bid_0=1)
    other_phone.get(f"/g/{table.code}/hands/1/correct")
    correct(table, 1, bid_0=2)
    press(second, "correct", 409, bid_0=0)
    versions = [each.get_text(strip=True) for each in other_phone.page.select(".versions dd")]
    assert versions == ["2", "0"]
    other_phone.tap("mine")
    assert "Ada bid 2 → 0" in log_of(second)[0]


# A18: somebody who only looks


@pytest.mark.case("A18")
def test_whoever_only_looks_has_no_way_to_write(app, table, other_phone, rows):
    """Every page of the game has neither form nor link for a watcher, and every POST of it is refused."""
    seated(table, "2,1,1")
    hand(table, (0, 0, 0, 0), (1, 1, 0, 0))
    before = rows()
    for page in ("", "/hands/1", "/hands/2", "/log", "/rules"):
        other_phone.get(f"/g/{table.code}{page}")
        assert not other_phone.page.select("form, button, input, select")
        links = [link["href"] for link in other_phone.page.select("a")]
        assert not [
            link for link in links if link.endswith(("/table", "/correct", "/delete")) or "/k/" in link
        ]
    for rule in app.url_map.iter_rules():
        # Who one is at the table is a matter of one's own phone.
        if "POST" in rule.methods and rule.rule.startswith("/g/<code>") and rule.endpoint != "sheet.me":
            address = rule.rule.replace("<code>", table.code).replace("<int:number>", "2")
            other_phone.post(address, {"act": "a-tap-of-its-own", "seat": "0", "bid": "0"}, 404)
            assert "may look at the game but not write in it" in other_phone.text
    assert rows() == before


# A20: a tie


@pytest.mark.case("A20")
def test_a_tie_corrected_by_one_point_leaves_one_winner(table, app):
    """Ada and Bruno share the win with 50; a trick less for Bruno, and the finished game has one winner."""
    seated(table, "2,2", missed="tricks")
    hand(table, (1, 0, 1, 1), (0, 0, 1, 1))
    hand(table, (1, 0, 0, 2), (0, 2, 0, 0))
    scored = table.totals()
    for seat, goal in enumerate((50, 50, 40, 30)):
        at_table(table)
        press(
            table, "adjust", seat=seat, points=goal - scored[seat], sign="+", reason="from the last evening"
        )
    assert table.totals() == [50, 50, 40, 30]
    assert [place for place, _ in places(table).values()] == ["1.", "1.", "3.", "4."]
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == ["Ada", "Bruno"]
    with app.app_context():
        assert [seat.place for seat in table.game().seats] == [1, 1, 3, 4]
    correct(table, 2, took_1=1, took_3=1)
    assert table.totals() == [50, 49, 40, 31]
    assert [each.get_text() for each in table.sheet().select(".winner bdi")] == ["Ada"]
    with app.app_context():
        assert [(seat.total, seat.place) for seat in table.game().seats] == [
            (50, 1),
            (49, 2),
            (40, 3),
            (31, 4),
        ]
    table.phone.get("/")
    assert [each.get_text() for each in table.phone.page.select(".games-won bdi")] == ["Ada"]
