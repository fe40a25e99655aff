"""Setting up a game: the people, their seats, the rules, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from models import Book, Game, db
from rules import record
from rules.variants import NoTrumpOn, TrumpMethod, find_variant, variants

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
SEVEN = (*FOUR, "Eline", "Farid", "Greta")


def seat(phone, *names):
    """Open the form and add these names."""
    phone.get("/new")
    return phone.send(phone.button("add"), newcomers=", ".join(names))


def seats(phone):
    """The names on the chairs, in order."""
    return [chair["value"] for chair in phone.page.select(".chair-name")]


def dealer(phone):
    """Who is ticked to deal first, by name, or `by chance`."""
    ticked = phone.page.select_one("input[name=dealer][checked]")
    return ticked.find_parent("label").get_text(strip=True)


def beside(phone, name):
    """What the page objects to, right at that field."""
    field = phone.page.select_one(f"[name='{name}']")
    assert field.get("aria-invalid") == "true"
    return phone.page.find(id=field["aria-describedby"]).get_text(strip=True)


def rules_of(app, table):
    """The rules and the plan that the game was started with."""
    with app.app_context():
        sheet = table.game().sheet()
        return sheet.rules, sheet.plan


def games(app):
    """How many games there are."""
    with app.app_context():
        return db.session.scalar(db.select(db.func.count(Game.id)))


# The people


def test_several_players_are_added_in_one_line(phone):
    """Names are parted by commas, tidied, and sit in the order they were typed."""
    seat(phone, "  Ada ", "Bruno", "", "Chiara   Maria")
    assert seats(phone) == ["Ada", "Bruno", "Chiara Maria"]
    assert phone.page.select_one("#newcomers")["value"] == ""


def test_seats_are_moved_and_the_dealer_stays_the_same_person(phone):
    """Up, down and out move one player; whoever was to deal still is, unless they left."""
    seat(phone, *FOUR)
    phone.send(phone.button("up-2"), dealer=2)
    assert seats(phone) == ["Ada", "Chiara", "Bruno", "Dmitri"]
    assert dealer(phone) == "Chiara"
    phone.tap("down-1")
    assert seats(phone) == ["Ada", "Bruno", "Chiara", "Dmitri"]
    phone.tap("out-0")
    assert seats(phone) == ["Bruno", "Chiara", "Dmitri"]
    assert dealer(phone) == "Chiara"
    phone.tap("out-1")
    assert seats(phone) == ["Bruno", "Dmitri"]
    assert dealer(phone) == "by chance"


def test_known_players_are_offered_once_each(table):
    """The players of the book are there to tap, except those who sit already."""
    table.start(*FOUR, order="own", plan="1")
    table.phone.get("/new")
    assert [chip.get_text() for chip in table.phone.page.select(".known .chip")] == list(FOUR)
    table.phone.tap("add-Chiara")
    assert seats(table.phone) == ["Chiara"]
    assert [chip.get_text() for chip in table.phone.page.select(".known .chip")] == ["Ada", "Bruno", "Dmitri"]


@pytest.mark.case("A19")
def test_names_of_all_kinds_are_shown_as_they_are(table):
    """Emoji, mark-up and other scripts are kept, shown literally, and stand in a bdi."""
    names = ["Zoë 🐺", "Ada", "<b>Bo</b>", "נועה"]
    table.start(*names, dealer=3, order="own", plan="1", trump="untracked")
    table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])
    for page in (table.phone.page, table.phone.get("/"), seat(table.phone, *names)):
        assert page.find("b", string="Bo") is None
        shown = [each.get_text() for each in page.select("bdi")]
        assert set(names) <= set(shown)


@pytest.mark.case("A19")
def test_the_same_name_twice_is_refused_beside_the_field(phone, app):
    """`ada` is `Ada` to people, so the second one is refused where it stands."""
    seat(phone, "  Ada  ", "Bruno", "ada")
    phone.tap("start", 422)
    assert beside(phone, "players-2") == "Ada is at the table already."
    assert seats(phone) == ["Ada", "Bruno", "ada"]
    assert phone.page.title.get_text().startswith("Error: ")
    assert games(app) == 0


@pytest.mark.case("A19")
def test_a_name_that_is_too_long_is_refused_with_its_length(phone, app):
    """200 characters are refused where they were typed, and stay there to be shortened."""
    seat(phone, *FOUR[:3], "x" * 200)
    assert beside(phone, "newcomers") == "A name may have 40 characters, this one has 200."
    assert phone.page.select_one("#newcomers")["value"] == "x" * 200
    phone.tap("start", 422)
    assert beside(phone, "newcomers") == "A name may have 40 characters, this one has 200."
    assert games(app) == 0


def test_a_name_of_blanks_is_refused(phone):
    """A chair without a name is pointed out."""
    seat(phone, *FOUR)
    phone.send(phone.button("start"), 422, **{"players-1": " \u200b "})
    assert beside(phone, "players-1") == "A name is missing."


def test_a_name_still_in_the_line_plays_too(table, app):
    """Who is typed but not added when the game starts was meant to play."""
    seat(table.phone, "Ada", "Bruno")
    table.phone.send(table.phone.button("start"), newcomers="Chiara")
    table.code = table.phone.address.split("/")[2]
    with app.app_context():
        assert table.game().sheet().names == ("Ada", "Bruno", "Chiara")


def test_twelve_players_are_the_most(phone):
    """A thirteenth is left in the line and told why."""
    seat(phone, *(f"Player {number}" for number in range(1, 14)))
    assert len(seats(phone)) == 12
    assert beside(phone, "newcomers") == "12 players at the most."
    assert phone.page.select_one("#newcomers")["value"] == "Player 13"


# The rules


@pytest.mark.parametrize(
    ("order", "plan"),
    [
        ("1..H", (1, 2, 3)),
        ("H..1", (3, 2, 1)),
        ("1..H,H-1..1", (1, 2, 3, 2, 1)),
        ("H..1,2..H", (3, 2, 1, 2, 3)),
    ],
)
def test_the_four_orders_give_their_hands(table, app, order, plan):
    """Up, down, up and down, down and up, here with three cards at the most."""
    table.start(*FOUR, order=order, largest=3)
    assert rules_of(app, table)[1] == plan


def test_a_game_is_cut_to_the_number_of_hands(table, app):
    """Four hands of a longer plan are its first four."""
    table.start(*FOUR, order="H..1", hands=4)
    assert rules_of(app, table)[1] == (13, 12, 11, 10)


def test_a_typed_plan_is_played_as_it_is(table, app):
    """Seven at Podrida with `1..6,7*9,6..1` play 21 hands, dealt counter-clockwise."""
    table.start(*SEVEN, variant="podrida", order="own", plan="1..6,7*9,6..1", trump="untracked")
    rules, plan = rules_of(app, table)
    assert plan == (1, 2, 3, 4, 5, 6, *[7] * 9, 6, 5, 4, 3, 2, 1)
    assert len(plan) == 21
    assert (rules.id, rules.trump) == ("podrida", TrumpMethod.UNTRACKED)
    assert "Greta bids" in table.phone.text


@pytest.mark.parametrize(
    ("switch", "field", "value"),
    [
        ({"hook": True}, "hook", True),
        ({"hook": False}, "hook", False),
        ({"simultaneous": True}, "simultaneous", True),
        ({"must_trump": True}, "reminders", ("must-trump",)),
        ({"trump": "none"}, "trump", TrumpMethod.NONE),
        ({"trump": "untracked"}, "trump", TrumpMethod.UNTRACKED),
        *(({"no_trump_on": str(each)}, "no_trump_on", each) for each in NoTrumpOn),
    ],
)
def test_a_switch_reaches_the_rules_of_the_game(table, app, switch, field, value):
    """What was ticked is what the game is played by."""
    table.start(*FOUR[:3], order="own", plan="1", **switch)
    assert getattr(rules_of(app, table)[0], field) == value


@pytest.mark.parametrize(
    ("switch", "slot", "formula"),
    [
        ({"missed": "tricks"}, "missed", "tricks"),
        ({"missed": "0"}, "missed", "0"),
        ({"made_zero": "5 + cards"}, "made_zero", "5 + cards"),
        ({"made_zero": ""}, "made_zero", ""),
    ],
)
def test_what_a_miss_and_a_zero_pay_reaches_the_scoring(table, app, switch, slot, formula):
    """The two payments that tables differ in."""
    table.start(*FOUR[:3], order="own", plan="1", **switch)
    assert getattr(rules_of(app, table)[0].scoring, slot) == formula


def test_another_variant_sets_its_switches(phone):
    """Choosing Romanian Whist shows its order, its payment and its reminder."""
    phone.get("/new")
    phone.send(phone.button("show"), variant="romanian-whist")
    shown = phone.filled(phone.page.select_one("form.setup"))
    romanian = find_variant("romanian-whist")
    assert shown["order"] == romanian.sequence
    assert shown["missed"] == romanian.scoring.missed
    assert shown["no_trump_on"] == romanian.no_trump_on
    assert shown["must_trump"] == "y"
    phone.send(phone.button("show"), variant="classic")
    assert "must_trump" not in phone.filled(phone.page.select_one("form.setup"))


def test_a_variant_picked_without_scripts_is_never_lost(table, app):
    """Start with another variant just ticked shows its switches first; the next tap starts it."""
    seat(table.phone, *FOUR)
    table.phone.send(table.phone.button("start"), 422, variant="wizard")
    assert games(app) == 0
    table.phone.tap("start")
    table.code = table.phone.address.split("/")[2]
    assert rules_of(app, table)[0].id == "wizard"


@pytest.mark.parametrize("variant", variants())
def test_every_variant_starts_as_it_is(phone, app, rows, variant):
    """Each named variant, chosen and started with as few players as it takes, is played by its own rules."""
    rules = find_variant(variant)
    players = [f"Player {number}" for number in range(1, rules.players[0] + 1)]
    fields = {"act": "a-tap-of-its-own", "variant": variant, "shown_variant": "classic", "do": "show"}
    fields |= {f"players-{number}": name for number, name in enumerate(players)}
    phone.post("/new", fields)
    phone.tap("start")
    with app.app_context():
        game = db.session.scalar(db.select(Game))
        assert game.sheet().rules == rules
        assert game.sheet().plan == rules.plan(len(players))


def test_the_preview_shows_every_hand_and_what_it_pays(phone):
    """Before the game starts its hands and its points can be seen."""
    seat(phone, *FOUR)
    phone.send(phone.button("preview"), order="own", plan="1..3,5*2", missed="tricks")
    assert [each.get_text() for each in phone.page.select(".sizes span")] == ["1", "2", "3", "5", "5"]
    paid = [[cell.get_text() for cell in row.select("td")] for row in phone.page.select(".pays tbody tr")]
    assert paid[2] == ["0", "1", "12", "3"]


# What is refused


@pytest.mark.parametrize(
    ("players", "fields", "at", "said"),
    [
        (4, {"plan": "1..x"}, "plan", "X has no meaning in a plan."),
        (4, {"plan": "3,,2"}, "plan", "A number, H or P is missing here."),
        (4, {"plan": "1*200"}, "plan", "A game may have 120 hands."),
        (4, {"plan": ""}, "plan", "A number, H or P is missing here."),
        (7, {"plan": "1..8"}, "plan", "7 × 8 cards = 56, the pack has 52."),
        (4, {"order": "1..H", "largest": "1"}, "largest", "The largest hand has 2 cards or more."),
        (4, {"order": "1..H", "hands": "0"}, "hands", "A game has 1 to 120 hands."),
        (4, {"order": "1..H", "hands": "121"}, "hands", "A game has 1 to 120 hands."),
        (4, {"order": "1..H", "hands": "many"}, "hands", "A whole number goes here."),
    ],
)
def test_what_cannot_be_played_is_refused_beside_its_field(phone, app, players, fields, at, said):
    """The message stands once, at the field it is about, and what was typed is kept."""
    seat(phone, *SEVEN[:players])
    sent = {"order": "own", **fields}
    phone.send(phone.button("start"), 422, **sent)
    assert beside(phone, at) == said
    shown = phone.filled(phone.page.select_one("form.setup"))
    assert {name: shown[name] for name in sent} == sent
    assert games(app) == 0


def test_eight_players_are_too_many_for_the_classic_game(phone, app):
    """Classic is for three to seven; the form says so and keeps everybody."""
    seat(phone, *SEVEN, "Hedda")
    phone.tap("start", 422)
    assert "3 to 7 players can play this." in phone.page.find(id="players-error").get_text()
    assert len(seats(phone)) == 8
    assert games(app) == 0


@pytest.mark.parametrize(
    ("names", "said"), [((), "Who plays? Add the names first."), (("Ada",), "3 to 7 players can play this.")]
)
def test_one_player_is_no_table(phone, app, names, said):
    """Nobody plays alone, and that is said where the thumb has tapped."""
    seat(phone, *names)
    phone.tap("start", 422)
    assert said in phone.page.select_one(".dock .message").get_text()
    assert games(app) == 0


# Starting


def test_a_dealer_by_chance_is_one_of_the_table(table, monkeypatch):
    """Chance picks a seat, each as likely as the other."""
    asked = []
    monkeypatch.setattr("secrets.randbelow", lambda players: asked.append(players) or 1)
    table.start(*FOUR, dealer="random", order="own", plan="1")
    assert asked == [4]
    assert "Bruno deals" in table.phone.text


def test_the_first_game_makes_a_book(table, app):
    """Nobody signs up: the phone that starts a game keeps its book from then on."""
    table.start(*FOUR, order="own", plan="1")
    table.start(*FOUR[:3], order="own", plan="1")
    with app.app_context():
        book = db.session.scalars(db.select(Book)).one()
        assert len(book.games) == 2
        assert len(book.players) == 4


def test_a_double_start_makes_one_game(phone, other_phone, app):
    """The same tap on Start sent twice gives one game, even from a browser that has no cookie yet."""
    seat(phone, *FOUR)
    button = phone.button("start")
    fields = {**phone.filled(button.find_parent("form")), "do": "start"}
    phone.post("/new", fields)
    started = phone.address
    phone.post("/new", fields)
    assert phone.address == started
    other_phone.post("/new", fields)
    assert other_phone.address == started
    assert not other_phone.page.select("main form")
    with app.app_context():
        book = db.session.scalars(db.select(Book)).one()
        assert len(book.games) == 1


def test_a_form_that_one_went_back_to_starts_another_game(phone, app):
    """With other people, other rules or another dealer it is one more; sent as it was, the game that is there."""
    seat(phone, *FOUR)
    form = {**phone.filled(phone.button("start").find_parent("form")), "do": "start"}
    started = []
    for sent in (
        form,
        {**form, "players-3": "Eline"},
        {**form, "missed": "tricks"},
        {**form, "dealer": "2"},
        form,
    ):
        phone.post("/new", sent)
        started.append(phone.address)
    assert started[0] == started[-1]
    assert len(set(started)) == games(app) == 4


def test_what_replaces_a_game_nobody_has_bid_in_is_started_once(table, app):
    """The same tap once more finds its game, although the one that it was set up from is gone since."""
    table.start(*FOUR, order="own", plan="3,2")
    with app.app_context():
        game = table.game()
        # Rules that no switch has: the form starts from those of the game itself.
        game.rules, game.version = {**game.rules, "reserve": 1}, game.version + 1
        db.session.commit()
    table.phone.get(f"/new?again={table.code}&instead={table.code}")
    form = {**table.phone.filled(table.phone.button("start").find_parent("form")), "do": "start"}
    assert form["shown_variant"] == f"game-{table.code}"
    table.phone.post("/new", form)
    started = table.phone.address
    table.phone.post("/new", form)
    assert table.phone.address == started
    assert games(app) == 2


def test_playing_again_fills_in_the_table_and_its_rules(table, app):
    """A rematch has the same seats, the same rules and plan, and the next dealer."""
    table.start(
        *FOUR, dealer=1, order="1..H", largest=4, hands=2, hook=True, missed="tricks", no_trump_on="never"
    )
    before = rules_of(app, table)
    table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0]).play(bids=[0, 0, 1, 0], tricks=[1, 0, 1, 0])
    table.phone.follow("Play again")
    assert seats(table.phone) == list(FOUR)
    assert dealer(table.phone) == "Dmitri"
    table.phone.tap("start")
    table.code = table.phone.address.split("/")[2]
    assert rules_of(app, table) == before
    assert "Dmitri shuffles and deals" in table.phone.text


def test_playing_again_keeps_a_plan_of_the_tables_own(table, app):
    """A typed plan is there again as it was typed."""
    table.start(*FOUR[:3], order="own", plan="1,1*1", trump="untracked")
    before = rules_of(app, table)
    table.phone.get(f"/new?again={table.code}")
    assert table.phone.page.select_one("#plan")["value"] == "1,1*1"
    table.phone.tap("start")
    table.code = table.phone.address.split("/")[2]
    assert rules_of(app, table) == before


def test_another_books_table_is_not_shown(table, other_phone):
    """Knowing the address of a game does not fill anybody else's form with its people."""
    table.start(*FOUR, order="own", plan="1")
    other_phone.get(f"/new?again={table.code}")
    assert seats(other_phone) == []
    assert not other_phone.page.select(".known")


def test_a_deleted_game_is_not_there_to_be_played_again(app, table):
    """Its names are not shown, and the moment of its deletion stays, whoever set it up otherwise."""
    table.start(*FOUR, dealer=2, order="own", plan="3,2")
    deleted = table.code
    table.phone.get(f"/new?again={deleted}&instead={deleted}")
    waiting = table.phone.filled(table.phone.button("start").find_parent("form"))
    table.phone.get(f"/g/{deleted}/delete")
    table.phone.tap("delete")
    with app.app_context():
        moment = table.game().deleted
    table.phone.get(f"/new?again={deleted}")
    assert seats(table.phone) == []
    table.phone.post("/new", {**waiting, "do": "start"})
    assert f"/g/{deleted}/" not in table.phone.address
    with app.app_context():
        assert table.game().deleted == moment


def test_a_game_nobody_has_bid_in_is_set_up_otherwise(app, table):
    """The rules page of a game just started leads back to its set-up; the new game takes its place."""
    table.start(*FOUR, dealer=2, order="own", plan="3,2")
    old = table.code
    assert "change players or rules" in table.phone.follow("Rules").get_text()
    table.phone.follow("Nobody has bid yet: change players or rules")
    assert seats(table.phone) == list(FOUR)
    assert dealer(table.phone) == "Chiara"
    table.phone.send(table.phone.button("start"), hook="y")
    table.code = table.phone.address.split("/")[2]
    assert rules_of(app, table)[0].hook
    assert table.code != old
    table.phone.get(f"/g/{old}", 404)
    table.open(1).bid_one(1)
    assert "change players or rules" not in table.phone.get(f"/g/{table.code}/rules").get_text()


def test_a_game_somebody_has_bid_in_stays(app, table):
    """A page of the set-up that waited while the first bid was made starts another game beside it."""
    table.start(*FOUR, dealer=2, order="own", plan="3,2")
    old = table.code
    table.bid_one(1)
    table.phone.get(f"/new?again={old}&instead={old}")
    table.phone.send(table.phone.button("start"))
    table.phone.get(f"/g/{old}")


def test_a_rematch_seats_who_sat_there_last_as_they_sat(table):
    """Who left is not seated again, and swapped seats stay swapped."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2")
    sent = {"act": "one-of-them", "seat": "1"}
    table.phone.post(f"/g/{table.code}/leave", sent)
    table.phone.post(
        f"/g/{table.code}/swap", {"act": "another-one", "seat": "0", "other": "2", "table": "0,2,3"}
    )
    table.phone.get(f"/new?again={table.code}")
    assert seats(table.phone) == ["Chiara", "Ada", "Dmitri"]
    assert dealer(table.phone) == "Chiara"


def test_a_rematch_of_more_than_their_rules_are_for_shows_the_hands_as_they_were(table):
    """Two sat down since, and the sequence has no hand for six: its sizes stand there, and who can play beside them."""
    nine_less = {"order": "own", "plan": "1..H-9"}
    table.phone.house_rules(name="Nine less", fewest=3, most=4, trump="none", **nine_less)
    table.phone.send(table.phone.button("add"), newcomers=",".join(FOUR))
    table.phone.send(table.phone.button("start"), dealer=3)
    table.code = table.phone.address.split("/")[2]
    for newcomer in ("Eline", "Farid"):
        joins = {"act": f"{newcomer} joins", "name": newcomer, "after": "0", "points": "0"}
        table.phone.post(f"/g/{table.code}/join", joins)
    table.phone.get(f"/new?again={table.code}")
    assert len(seats(table.phone)) == 6
    assert table.phone.page.select_one("#plan")["value"] == "1,2,3,4"
    table.phone.tap("start", 422)
    assert "3 to 4 players can play this." in table.phone.page.find(id="players-error").get_text()


@pytest.mark.parametrize("rules", [{"reserve": 60}, {"sequence": "what"}, {"deck": 8}], ids=str)
def test_a_rematch_by_rules_that_have_no_plan_shows_the_hands_as_they_were(table, rules):
    """A recorded game may be of a pack that goes round for nobody, or of a plan that nobody can read."""
    table.start(*FOUR, order="own", plan="1")
    hand = {"cards": 1, "bids": [0] * 9, "tricks": [1] + [0] * 8, "overdealt": True}
    people = [f"Player {number}" for number in range(9)]
    with table.phone.client.application.app_context():
        read = record.read({"format": record.FORMAT, "rules": rules, "players": people, "hands": [hand]})
        table.code = table.game().book.keep_record(read, datetime.now(UTC)).code
        db.session.commit()
    table.phone.get(f"/new?again={table.code}")
    assert seats(table.phone) == people
    assert table.phone.page.select_one("#plan")["value"] == "1"
