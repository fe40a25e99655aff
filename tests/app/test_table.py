"""What happens at tables: every form of it does what it says, refuses in words, and can be taken back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from log import Change
from models import Adjustment, db

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def seated(table, plan="3,2,1", **switches):
    """Four at the table without trump, Dmitri deals first, so that they bid in the order of their names."""
    return table.start(*FOUR, dealer=3, order="own", plan=plan, **{"trump": "untracked", **switches})


def played(table, plan="3,2,1", **switches):
    """The same, one hand later: 11, 10, 0 and 10 points."""
    return seated(table, plan, **switches).play(bids=[1, 0, 1, 0], tricks=[1, 0, 2, 0])


def finished(table):
    """A game of one hand, won by Ada with 11."""
    return played(table, "3")


def at_table(table):
    """Open the page of all that can be changed."""
    table.phone.get(f"/g/{table.code}/table")
    return table


def press(table, key, status=200, **typed):
    """Press a button with something typed or chosen in its form, as `bid_0=1` for the field `bid-0`."""
    fields = {name.replace("_", "-"): value for name, value in typed.items()}
    return table.phone.send(table.phone.button(key), status, **fields)


def correct(table, number, status=200, **facts):
    """Put facts of a hand right by its form."""
    table.phone.get(f"/g/{table.code}/hands/{number}/correct")
    return press(table, "correct", status, **facts)


def kept(table, key):
    """What stands in the fields of the form that has this button."""
    return table.phone.filled(table.phone.button(key).find_parent("form"))


def alert(table):
    """What the page objects to or asks."""
    return " ".join(" ".join(each.get_text(" ").split()) for each in table.phone.page.select("[role=alert]"))


def log_of(table):
    """The log, the latest first, as lines of text."""
    page = table.phone.get(f"/g/{table.code}/log")
    return [" ".join(each.get_text(" ").split()) for each in page.select(".log li")]


def bidders(table):
    """Who bids in the hand that the page shows, the first one first."""
    return [each.get_text() for each in table.phone.page.select(".seats .seat .name")]


# Where it is found


def test_the_screens_of_a_hand_show_none_of_it(table):
    """In every phase there is nothing to tap but what the hand needs, and one word leads to the rest."""
    seated(table, no_trump_on="never", trump="turned")
    phases = []
    for step in (lambda: table.trump("hearts"), lambda: table.bid(1, 0, 1, 0), table.over, lambda: None):
        others = [each for each in table.phone.page.select("form") if "/hands/" not in each["action"]]
        assert {each["action"].rpartition("/")[2] for each in others} <= {"undo"}
        phases.append(table.phase)
        step()
    assert phases == ["deal", "bids", "play", "tricks"]
    table.phone.follow("Sheet")
    table.phone.follow("More")
    assert table.phone.address == f"/g/{table.code}/table"


def test_what_happens_at_tables_is_no_business_of_a_watcher(table, other_phone, rows):
    """A phone that only looks gets the log, and none of the pages that change something."""
    played(table)
    for page in ("table", "delete", "hands/1/correct"):
        other_phone.get(f"/g/{table.code}/{page}", 404)
        assert "may look at the game but not write in it" in other_phone.text
    other_phone.get(f"/g/{table.code}")
    other_phone.follow("Log")
    assert "saved" in other_phone.text
    assert not other_phone.page.select("form, button")


def test_a_watcher_learns_no_bid_from_the_log_before_all_are_in(table, other_phone):
    """Where all bid at once, the log is as silent as the screen until the last bid is down."""
    seated(table, simultaneous=True).bid_one(2)
    other_phone.get(f"/g/{table.code}/log")
    assert "→ 2" not in other_phone.text
    assert any("→ 2" in line for line in log_of(table)), "a keeper wrote it, and may read it"
    table.open(1).bid(2, 0, 0, 0)
    other_phone.get(f"/g/{table.code}/log")
    assert "Ada bid – → 2" in other_phone.text


def test_a_watcher_learns_no_bid_from_the_log_that_was_taken_back_with_its_hand(table, other_phone):
    """The bid has no row any more once the hand before is open again, and stays secret when the deal comes anew."""

    def told():
        other_phone.get(f"/g/{table.code}/log")
        return "→ 2" in other_phone.text

    seated(table, plan="1,3", simultaneous=True).play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    table.bid_one(2).undo().undo()
    assert not told()
    assert any("→ 2" in line for line in log_of(table))
    table.open(1).took(0, 0, 1, 0)
    assert not told()
    table.bid(0, 0, 0, 0)
    assert told(), "all are in, so there is nothing to hide"


# Corrections


def test_the_form_of_a_correction_shows_what_is_stored(table):
    """Every fact of the hand stands in the form; saving it untouched changes nothing."""
    played(table)
    before = log_of(table)
    table.sheet()
    table.phone.get(table.phone.page.select_one("a.grid-total")["href"])
    stored = {name: value for name, value in kept(table, "correct").items() if not name.startswith("was-")}
    del stored["act"]
    expected = {"cards": "3", "dealer": "3", "trump": ""}
    for seat, (bid, took) in enumerate(((1, 1), (0, 0), (1, 2), (0, 0))):
        expected |= {f"bid-{seat}": str(bid), f"took-{seat}": str(took)}
    assert stored == expected
    table.phone.tap("correct")
    assert table.totals() == [11, 10, 0, 10]
    assert log_of(table) == before


def test_trump_dealer_and_cards_are_facts_like_any_other(table, app):
    """They are put right by the same form, the later hands keep theirs, and the log names them in words."""
    played(table, trump="turned", no_trump_on="never")
    correct(table, 1, 422, trump="spades", dealer=2, cards=4)
    assert "3 of 4 tricks: 1 is missing." in alert(table)
    assert kept(table, "confirm")["cards"] == "4"
    press(table, "correct", took_2=3)
    with app.app_context():
        sheet = table.game().sheet()
        assert sheet.plan == (4, 2, 1)
        assert [(hand.cards, hand.dealer, hand.trump) for hand in sheet.hands] == [
            (4, 2, "spades"),
            (2, 0, None),
        ]
    line = log_of(table)[0]
    assert "hand 1" in line
    for said in ("trump hearts → spades", "dealer Dmitri → Chiara", "cards 3 → 4", "Chiara took 2 → 3"):
        assert said in line


def test_tricks_that_do_not_add_up_are_told_with_what_would_mend_them(table, rows):
    """Two of three: one is missing; each single change that would do is listed, and nothing is saved unasked."""
    played(table)
    before = rows()
    correct(table, 1, 422, took_2=1)
    assert "2 of 3 tricks: 1 is missing." in alert(table)
    mends = table.phone.page.select_one(".dock .quiet-line").get_text()
    assert " ".join(mends.split()).endswith("add up: Ada 2, Bruno 1, Chiara 2, Dmitri 1")
    assert kept(table, "correct")["took-2"] == "1"
    assert rows() == before
    press(table, "confirm")
    assert "2 of 3" in table.sheet().select_one(".grid .uneven").get_text()


def test_a_question_that_was_answered_otherwise_is_asked_anew(table, rows):
    """Who changes the numbers after the question and saves is asked about the new ones."""
    played(table)
    before = rows()
    correct(table, 1, 422, took_2=1)
    press(table, "correct", 422, took_2=0)
    assert "1 of 3 tricks: 2 are missing." in alert(table)
    assert rows() == before


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"cards": "many"}, "The cards are a whole number from 1 up."),
        ({"cards": ""}, "The cards are a whole number from 1 up."),
        ({"cards": "0"}, "The cards are a whole number from 1 up."),
        ({"cards": "1"}, "Tricks are a number from 0 to 1."),
        ({"bid_0": ""}, "Ada has yet to bid."),
    ],
)
def test_a_correction_that_no_table_can_mean_is_refused(table, rows, typed, said):
    """It says why, changes nothing, and what was typed stands there still."""
    played(table)
    before = rows()
    correct(table, 1, 422, took_0=0, took_1=1, **typed)
    assert said in alert(table)
    assert not table.phone.has("confirm")
    shown = kept(table, "correct")
    for name, value in {"took_0": "0", "took_1": "1", **typed}.items():
        assert shown[name.replace("_", "-")] == value
    assert rows() == before


def test_the_open_hand_is_corrected_without_leaving_it(table):
    """A bid of the hand at the table is put right, and the page of the hand follows."""
    seated(table).bid(1, 0, 1, 0)
    correct(table, 1, bid_0=2)
    assert (table.hand, table.phase) == (1, "play")
    assert "Ada leads 2 bid 2 Bruno 0" in table.phone.text


def test_a_bid_that_was_none_is_asked_for_before_tricks_are_counted(table, other_phone):
    """Taken out of a hand that is over, it is to be bid again, and the tricks that were noted wait."""
    seated(table).bid(1, 0, 1, 0).over().phone.tap("less-0")
    correct(table, 1, bid_1="")
    assert (table.hand, table.phase, table.bidder) == (1, "bids", 1)
    assert table.watched_on(other_phone).phase == "bids"
    table.bid(1, 1, 1, 0).over()
    assert (table.phase, table.shown()[0]) == ("tricks", 0)


def test_a_finished_game_is_corrected_and_its_winner_follows(table, app):
    """After the end a trick goes from Ada to Bruno: the places, the winner and the list of games follow."""
    finished(table)
    correct(table, 1, took_0=0, took_2=1, took_3=2, bid_3=2)
    assert table.totals() == [0, 10, 11, 12]
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == ["Dmitri"]
    with app.app_context():
        assert [(seat.total, seat.place) for seat in table.game().seats] == [
            (0, 4),
            (10, 3),
            (11, 2),
            (12, 1),
        ]
    table.phone.get("/")
    assert "Dmitri 12" in " ".join(table.phone.page.select_one(".games-won").get_text(" ").split())


def test_a_hand_that_was_not_dealt_cannot_be_corrected(table):
    """There is nothing to correct yet, and the page says so."""
    seated(table)
    for address in ("/hands/2/correct", "/hands/99/correct"):
        table.phone.get(f"/g/{table.code}{address}", 404)
        assert "This hand has not been dealt yet." in table.phone.text


# Back and forth


def test_undo_and_redo_go_step_by_step_to_the_start_and_back(table, rows):
    """Every step is taken back and done again by button; the rows at each stop are the same both ways."""
    played(table)
    correct(table, 1, bid_2=2)
    at_table(table)
    press(table, "leave-3")
    facts = ("game", "seat", "hand", "entry", "adjustment")

    def now():
        stored = rows(*facts)
        stored.pop("game")
        return stored

    stops = [now()]
    while at_table(table).phone.has("undo"):
        table.phone.tap("undo")
        stops.append(now())
    assert (table.open(1).hand, table.bidder) == (1, 0)
    assert len(stops) == 1 + 4 + 1 + 1 + 1 + 1 + 1, (
        "four bids, the end of the hand, its tricks, correction, leaver"
    )
    for stop in reversed(stops[:-1]):
        at_table(table)
        table.phone.tap("redo")
        assert now() == stop
    assert not at_table(table).phone.has("redo")


def test_redo_ends_where_something_new_is_done(table):
    """A new bid after an undo is the way on; what was taken back stays in the log alone."""
    seated(table).bid_one(1).bid_one(0).undo().bid_one(2)
    assert not at_table(table).phone.has("redo")
    lines = log_of(table)
    assert "Bruno bid – → 2" in lines[0]
    assert "Bruno bid – → 0" in lines[2]
    assert "taken back later" in lines[2]


def test_redo_that_was_meant_for_another_step_does_nothing(table, rows):
    """An old page cannot do again what was overtaken."""
    seated(table).bid_one(1).bid_one(0).undo().undo()
    at_table(table)
    old = table.phone.button("redo").find_parent("form")
    sent = table.phone.filled(old)
    table.phone.tap("redo")
    before = rows()
    table.phone.post(old["action"], {**sent, "act": "a-tap-of-its-own"}, 409)
    assert "Something else was done since" in table.phone.text
    assert rows() == before


def penalty(table, **fields):
    """Five points off for Ada, unless told otherwise."""
    press(at_table(table), "adjust", **{"seat": 0, "points": 5, **fields})


def without_penalty(table):
    """The same, and then it is taken away."""
    penalty(table)
    table.phone.send(table.phone.page.select_one("button[data-key^=drop-]"))


STEPS = {
    "the next hand is dealt": lambda table: table.open(2).play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0]),
    "somebody joins": lambda table: press(at_table(table), "join", name="Eline", points=8),
    "somebody leaves": lambda table: press(at_table(table), "leave-3"),
    "a penalty": penalty,
    "a penalty less": without_penalty,
}


@pytest.mark.parametrize("step", STEPS)
def test_what_happens_at_another_table_is_in_nobody_s_way(table, app, step):
    """However many rows other games get meanwhile, each step is taken back and done again as it was."""

    def meanwhile():
        other = played(type(table)(table.phone))
        for each in ("somebody joins", "a penalty"):
            STEPS[each](other)

    def now():
        with app.app_context():
            return table.game().sheet()

    STEPS[step](played(table))
    done = now()
    meanwhile()
    at_table(table).undo()
    undone = now()
    assert undone != done
    meanwhile()
    at_table(table).phone.tap("redo")
    assert now() == done
    meanwhile()
    at_table(table).undo()
    assert now() == undone


def test_a_number_that_an_older_release_gave_away_is_told(table, app, rows):
    """A penalty taken back cannot come again where another game has its row: the page says so, and nothing changes."""
    penalty(played(table))
    at_table(table).undo()
    other = type(table)(table.phone)
    penalty(played(other))
    with app.app_context():
        taken = db.session.scalar(db.select(Change.steps).where(Change.kind == "adjust").order_by(Change.id))[
            0
        ][1]
        db.session.execute(db.update(Adjustment).values(id=taken))
        db.session.commit()
    before = rows()
    at_table(table).phone.tap("redo", 409)
    assert rows() == before


def test_an_old_page_takes_away_no_other_penalty(table):
    """The penalty that it shows was taken back; the one noted since stays."""
    penalty(seated(table))
    old = table.phone.page.select_one("button[data-key^=drop-]")
    at_table(table).undo()
    penalty(table, seat=1)
    told = table.totals()
    table.phone.send(old)
    assert table.totals() == told


@pytest.mark.parametrize(
    ("game", "stands"), [(seated, "Hand 1 of 3"), (finished, "Final score")], ids=["open", "finished"]
)
def test_an_undo_that_would_seat_one_person_twice_is_refused_where_the_game_stands(table, rows, game, stands):
    """Bruno's seat was handed on, and he is Ada by now: that he cannot come back says the open hand, or the sheet."""
    game(table)
    handed_on = {"act": "handed-on", "seat": "1", "name": "Farid"}
    table.phone.post(f"/g/{table.code}/take-over", handed_on)
    people(table)
    options = table.phone.button(key_of(table, "merge", "Bruno")).find_parent("form").find_all("option")
    ada = next(each["value"] for each in options if each.get_text() == "Ada")
    press(table, key_of(table, "merge", "Bruno"), person=ada)
    before = rows()
    table.phone.get(f"/g/{table.code}/now")
    table.phone.tap("undo", 422)
    assert alert(table) == "Ada is at the table already."
    assert table.phone.page.h1.get_text(strip=True) == stands
    assert rows() == before


# The log


def test_the_log_says_who_when_before_and_after(table, other_phone):
    """Each line has a time, the phone, the hand, the player and the fact in words."""
    seated(table, trump="turned", no_trump_on="never").trump("hearts")
    table.kept_on(other_phone).bid_one(1)
    first, second = reversed(log_of(table))
    assert "trump" in first
    assert "trump – → hearts" in first
    assert "this phone" in first
    assert "hand 1" in first
    assert "phone 2" in second
    assert "Ada bid – → 1" in second
    assert re.match(r"\d{1,2}:\d\d", second)


# Hands and dealers


def test_an_old_misdeal_or_dealer_does_not_touch_the_hand_that_came_after(table, rows):
    """A form of hand 1, sent while hand 2 is played, is refused."""
    seated(table)
    at_table(table)
    forms = []
    for key in ("void", "dealer"):
        form = table.phone.button(key).find_parent("form")
        forms.append((form["action"], {**table.phone.filled(form), "seat": "1"}))
    table.open(1).play(bids=[1, 0, 1, 0], tricks=[1, 0, 2, 0])
    before = rows()
    for address, sent in forms:
        table.phone.post(address, sent, 409)
        assert "That hand is closed" in table.phone.text
    assert rows() == before


def test_two_phones_with_another_dealer_see_both(table, other_phone):
    """The second one is shown who stands there by name, and may put its own."""
    seated(table)
    second = at_table(table.kept_on(other_phone))
    at_table(table)
    press(table, "dealer", seat=1)
    press(second, "dealer", 409, seat=2)
    assert [each.get_text(strip=True) for each in other_phone.page.select(".versions dd")] == [
        "Bruno",
        "Chiara",
    ]
    other_phone.tap("mine")
    assert "Chiara deals" in other_phone.text


# Players


def test_a_player_sits_a_hand_out_and_plays_after_all(table):
    """Who is away for a hand is not asked, and is asked again once back."""
    seated(table)
    press(at_table(table), "sit-out-1")
    assert bidders(table) == ["Ada", "Chiara", "Dmitri"]
    press(at_table(table), "sit-out-1")
    assert bidders(table) == list(FOUR)
    press(at_table(table), "sit-out-1")
    table.bid(1, None, 0, 0).over().took(1, None, 1, 1)
    assert bidders(table) == ["Bruno", "Chiara", "Dmitri", "Ada"], "the next hand is everybody's"
    assert any("Bruno sits out or plays" in line and "plays → sits out" in line for line in log_of(table))


def test_two_must_stay(table, rows):
    """Neither sitting out nor leaving may leave one alone at the table."""
    table.start("Ada", "Bruno", "Chiara", dealer=1, order="own", plan="3", trump="untracked")
    press(at_table(table), "leave-2")
    before = rows()
    for key in ("sit-out-0", "leave-1"):
        press(at_table(table), key, 422)
        assert alert(table) == "A hand needs at least 2 players."
    assert rows() == before


def test_somebody_who_left_may_come_back(table):
    """The old seat with its old points, at the place that is named."""
    played(table, "3,2,2,1")
    press(at_table(table), "leave-1")
    table.bid(0, None, 0, 0).over().took(1, None, 1, 0)
    press(at_table(table), "join", name="bruno", after=3, points=0)
    assert bidders(table) == ["Dmitri", "Bruno", "Ada", "Chiara"]
    assert table.totals()[1] == 10


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "name"), ("x" * 41, "40"), ("ada", "Ada is at the table already.")],
)
def test_a_newcomer_that_cannot_be_seated_is_told_why(table, rows, name, said):
    """The name, the place and the points stay as they were chosen."""
    played(table)
    before = rows("seat", "entry", "adjustment", "player")
    press(at_table(table), "join", 422, name=name, after=1, points=8)
    assert said in alert(table)
    section = table.phone.page.find(id="players").parent
    assert section.select_one("[role=alert]"), "It stands where the form is, not at the top of the page."
    assert section.find("form", action=re.compile("/join#players$"))
    shown = kept(table, "join")
    assert (shown["name"], shown["after"], shown["points"]) == (name, "1", "8")
    assert kept(table, "take-over")["name"] == ""
    assert rows("seat", "entry", "adjustment", "player") == before


def test_a_newcomer_too_many_for_the_cards_stays_where_it_was_put(table):
    """The question about smaller hands keeps the name, the place and the points."""
    played(table, "3,12,1")
    press(at_table(table), "join", 422, name="Eline", after=0, points=8)
    assert "5 × 12 cards = 60" in alert(table)
    press(table, "fits")
    assert bidders(table) == ["Eline", "Bruno", "Chiara", "Dmitri", "Ada"]
    assert table.totals()[4] == 8


def test_another_person_takes_a_seat_over(table):
    """The seat and its points go on under another name; who plays already is refused with what was typed."""
    played(table)
    press(at_table(table), "take-over", 422, seat=1, name="chiara")
    assert alert(table) == "Chiara is at the table already."
    assert (kept(table, "take-over")["seat"], kept(table, "take-over")["name"]) == ("1", "chiara")
    assert kept(table, "join")["name"] == ""
    press(table, "take-over", name="Farid")
    assert table.totals() == [11, 10, 0, 10]
    assert [each.get_text() for each in table.sheet().select(".grid thead bdi")] == [
        "Ada",
        "Farid",
        "Chiara",
        "Dmitri",
    ]
    assert "seat Bruno → Farid" in log_of(table)[0]


def test_swapping_a_seat_with_itself_changes_nothing(table, rows):
    """Who is chosen twice stays where they are."""
    seated(table)
    before = rows()
    press(at_table(table), "swap", seat=1, other=1)
    assert rows() == before


def test_the_newcomer_is_named_in_the_log_also_when_taken_back(table):
    """The log says who joined, not whom they sat down beside."""
    seated(table)
    press(at_table(table), "join", name="Eline")
    assert "Eline joins" in log_of(table)[0]
    at_table(table).phone.tap("undo")
    lines = log_of(table)
    assert "taken back: joins" in lines[0]
    assert "Eline joins" in lines[1]
    assert "taken back later" in lines[1]


# Points


@pytest.mark.parametrize("points", ["", "ten", "-10", "0", "1000000", "1.5"])
def test_points_that_are_none_are_refused_in_words(table, rows, points):
    """The sentence says what is wanted, and player, sign, reason and number stand there still."""
    played(table)
    before = rows()
    press(at_table(table), "adjust", 422, seat=2, points=points, sign="+", reason="sang", hand=1)
    assert alert(table) == "The points are a whole number from 1 to 100,000; choose minus or plus."
    shown = kept(table, "adjust")
    assert [shown[name] for name in ("seat", "points", "sign", "reason", "hand")] == [
        "2",
        points,
        "+",
        "sang",
        "1",
    ]
    assert rows() == before


def test_a_penalty_that_comes_again_much_later_counts_once(table):
    """The same form, sent once more when the next hand is played, is known."""
    seated(table)
    at_table(table)
    form = table.phone.button("adjust").find_parent("form")
    sent = {**table.phone.filled(form), "points": "5"}
    table.phone.post(form["action"], sent)
    table.open(1).play(bids=[1, 0, 1, 0], tricks=[1, 0, 2, 0])
    table.phone.post(form["action"], sent)
    assert table.totals() == [6, 10, 0, 10]


def test_a_bonus_is_a_choice_too(table):
    """Plus is chosen, not typed; a finished game takes it as well and its winner follows."""
    finished(table)
    press(at_table(table), "adjust", seat=2, points=20, sign="+")
    assert table.totals() == [11, 10, 20, 10]
    assert [each.get_text() for each in table.phone.page.select(".winner bdi")] == ["Chiara"]


# How long it goes on


def test_the_hands_to_come_are_inserted_dropped_and_resized(table, app):
    """Hands that were played stay; the others are as the list says."""
    played(table)
    assert kept(at_table(table), "plan")["plan"] == "2,1"
    press(table, "plan", plan="4, 4, 1")
    with app.app_context():
        assert table.game().sheet().plan == (3, 4, 4, 1)
    assert "4 cards" in table.open(2).phone.text
    assert "plan 3 2 1 → 3 4 4 1" in log_of(table)[0]


@pytest.mark.parametrize(
    ("plan", "said"),
    [("4,x", ""), ("14", "4 × 14 cards = 56, the pack has 52."), ("", "A game needs at least 1 hand.")],
)
def test_a_plan_that_cannot_be_is_refused(table, rows, plan, said):
    """It says why, and what was typed stands there still."""
    played(table)
    before = rows()
    press(at_table(table), "plan", 422, plan=plan)
    assert said in alert(table)
    assert alert(table)
    assert kept(table, "plan")["plan"] == plan
    assert rows() == before


def test_one_more_hand_after_the_end(table):
    """A finished game takes one more: it is played and counts, and the game is over again."""
    finished(table)
    press(at_table(table), "plan", plan="1")
    assert table.hand == 2
    table.bid(0, 0, 0, 0).over().took(0, 1, 0, 0)
    assert table.totals() == [21, 10, 10, 20]
    assert table.phone.page.h1.get_text(strip=True) == "Final score"


def test_a_game_is_ended_early_and_goes_on(table):
    """The open hand counts nothing; after going on it is where it was."""
    played(table).bid_one(1)
    press(at_table(table), "end")
    assert table.phone.page.h1.get_text(strip=True) == "Final score"
    assert table.totals() == [11, 10, 0, 10]
    press(at_table(table), "reopen")
    assert table.hand == 2
    assert table.bidder == 2
    assert "ended" in log_of(table)[1]
    assert "goes on" in log_of(table)[0]


# Deleting


def test_a_game_is_deleted_in_two_steps_and_brought_back(table, other_phone, rows):
    """It is gone from the first page and for everybody who looks; its keeper brings it back whole."""
    played(table)
    before = rows("hand", "entry", "change")
    at_table(table)
    table.phone.follow("Delete this game")
    assert rows("game")["game"], "asking deletes nothing"
    table.phone.get("/")
    assert "Go on" in table.phone.text
    table.phone.get(f"/g/{table.code}/delete")
    table.phone.tap("delete")
    assert table.phone.address == "/"
    assert "Go on" not in table.phone.text
    for page in ("", "/hands/2", "/log", "/rules"):
        other_phone.get(f"/g/{table.code}{page}", 404)
        assert "Ada" not in other_phone.text
        assert not other_phone.page.select("form")
    table.phone.get(f"/g/{table.code}", 404)
    assert table.phone.page.h1.get_text(strip=True) == "This game was deleted"
    table.phone.tap("restore")
    assert table.totals() == [11, 10, 0, 10]
    assert rows("hand", "entry", "change") == before
    table.phone.get("/")
    table.phone.follow("Go on")
    assert table.hand == 2


def test_a_finished_game_that_was_deleted_is_gone_from_the_list(table):
    """The list of played games forgets it too."""
    finished(table)
    table.phone.get(f"/g/{table.code}/delete")
    table.phone.tap("delete")
    assert not table.phone.page.select(".games")


# The players of the book


def people(table):
    """Open the list of players, from the first page."""
    table.phone.get("/")
    table.phone.follow("Players")
    return table


def key_of(table, kind, name):
    """The key of a button of that player."""
    found = next(each for each in table.phone.page.select(".people > li") if each.h2.bdi.get_text() == name)
    return found.select_one(f"[data-key^={kind}-]")["data-key"]


def test_a_player_is_renamed_in_every_game(table):
    """The new name stands in the hand, on the sheet and in the list of games."""
    finished(table)
    press(people(table), key_of(table, "rename", "Ada"), name="Adele")
    table.phone.get("/")
    assert "Adele 11" in " ".join(table.phone.text.split())
    assert table.sheet().select_one(".grid thead bdi").get_text() == "Adele"


@pytest.mark.parametrize(
    ("name", "said"), [("", "name"), ("BRUNO", "BRUNO is in the book already."), ("x" * 41, "40")]
)
def test_a_name_that_cannot_be_is_refused(table, rows, name, said):
    """It says why, and what was typed stands in the form, which is open."""
    finished(table)
    before = rows()
    key = key_of(people(table), "rename", "Ada")
    press(table, key, 422, name=name)
    assert said in alert(table)
    assert kept(table, key)["name"] == name
    assert table.phone.button(key).find_parent("details").has_attr("open")
    assert sorted(each.get_text() for each in table.phone.page.select("h2 bdi")) == sorted(FOUR)
    assert rows() == before


def test_two_names_of_one_person_are_merged_and_parted(table):
    """The games of both stand under one name, and apart again when that was wrong."""
    finished(table)
    code = table.code
    table.phone.get("/new")
    for _seat in range(len(table.phone.page.select("input[name^=players-]"))):
        table.phone.send(table.phone.page.find("button", attrs={"value": "out:0"}))
    table.phone.send(table.phone.button("add"), newcomers="Adele,Farid,Greta")
    table.phone.send(table.phone.button("start"), dealer=0)
    other = table.phone.address
    people(table)
    options = table.phone.button(key_of(table, "merge", "Adele")).find_parent("form").find_all("option")
    ada = next(each["value"] for each in options if each.get_text() == "Ada")
    press(table, key_of(table, "merge", "Adele"), person=ada)
    assert "also called Adele" in table.phone.text
    table.phone.get(other)
    assert "Ada" in table.phone.text
    assert "Adele" not in table.phone.text
    people(table)
    table.phone.tap(table.phone.page.select_one("[data-key^=part-]")["data-key"])
    table.phone.get(other)
    assert "Adele" in table.phone.text
    assert "Ada" in table.phone.get(f"/g/{code}").get_text()


def test_two_who_sat_at_one_table_are_two(table, rows):
    """They cannot be one person, and the page says so."""
    finished(table)
    before = rows()
    people(table)
    options = table.phone.button(key_of(table, "merge", "Ada")).find_parent("form").find_all("option")
    bruno = next(each["value"] for each in options if each.get_text() == "Bruno")
    press(table, key_of(table, "merge", "Ada"), 422, person=bruno)
    assert alert(table) == "Ada and Bruno have sat at one table."
    assert rows() == before


def test_the_players_of_a_book_are_for_its_keepers(table, other_phone):
    """A phone that only looks at a game learns nothing of the book."""
    finished(table)
    people(table)
    other_phone.get(table.phone.address, 404)
    other_phone.get(f"/g/{table.code}")
    other_phone.get(table.phone.address, 404)
    assert "Ada" not in other_phone.text


# Who keeps the score


def test_another_phone_that_wrote_a_moment_ago_is_told_for_two_minutes(table, other_phone, monkeypatch):
    """Only the other phone is told, with the time, and not for ever."""
    seated(table)
    second = table.kept_on(other_phone)
    table.bid_one(1)
    second.open(1)
    assert "Another phone wrote here at" in other_phone.text
    assert "Another phone wrote here at" not in table.open(1).phone.text
    for minutes, is_told in ((1.9, True), (2.1, False)):
        later = datetime.now(UTC) + timedelta(minutes=minutes)
        monkeypatch.setattr("views.play.now", lambda later=later: later)
        second.open(1)
        assert ("Another phone wrote here at" in other_phone.text) is is_told


def test_the_hand_after_a_misdeal_says_so_until_somebody_bids(table):
    """Everybody sees why the same dealer deals again."""
    seated(table)
    said = "After a misdeal: the same dealer deals again."
    assert said not in table.phone.text
    press(at_table(table), "void")
    assert said in table.phone.text
    assert said not in table.bid_one(1).phone.text
