"""What a phone is told so that it can go on without a network, and what it is on the home screen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest
from sqlalchemy import select

from language import day
from models import Game, Keeper, db
from rules.scoring import Streak
from rules.sheet import Sheet
from rules.variants import Ties, classic
from views.offline import MOST_PAID, known

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def told(phone, table):
    """What the phone is told of the game."""
    answer = phone.client.get(f"/g/{table.code}/offline.json")
    assert answer.status_code == 200
    return answer.json


def sheet(table):
    """The game as the rules see it."""
    with table.phone.client.application.app_context():
        return table.game().sheet()


@pytest.mark.parametrize(
    ("rules", "is_exact"),
    [
        (classic(), True),
        (replace(classic(), ties=Ties.MOST_MADE), False),
        (replace(classic(), streak=Streak()), False),
    ],
    ids=["classic", "ties", "runs"],
)
def test_places_are_left_to_the_server_where_they_take_more_than_totals(rules, is_exact):
    """Bonuses for runs and ways to break ties are not known on the phone, which then calls nobody the winner."""
    assert known(Sheet(rules=rules, names=FOUR, plan=(2, 1)))["isExact"] is is_exact


def test_coming_hands_are_told_as_they_will_be_dealt(table):
    """Size, dealer, order and hook of every hand to come are those that the game then has."""
    table.start(*FOUR, dealer=2, hook=True, order="own", plan="3,1,2,1", trump="untracked")
    table.play([1, 1, 0, 0], [1, 2, 0, 0])
    coming = told(table.phone, table)["hands"]
    assert [hand["number"] for hand in coming] == [2, 3, 4]
    for hand in coming:
        open_hand, bidding = sheet(table).open_hand, sheet(table).bidding(sheet(table).open_hand)
        assert (hand["number"], hand["cards"]) == (open_hand.number, open_hand.cards)
        assert (hand["dealer"], tuple(hand["around"])) == (open_hand.dealer, bidding.order)
        assert hand["hook"] is bidding.hook
        # One cannot: with the hook nobody is even.
        table.play([0, 0, 0, 0], [hand["cards"], 0, 0, 0])
    assert told(table.phone, table)["now"] is None


def test_points_are_told_where_a_bid_and_its_tricks_settle_them(table):
    """Each table holds what the rules pay; where the sum of the bids matters, only the server knows."""
    table.start(*FOUR, dealer=3, hook=False, order="own", plan="3,2", missed="tricks", trump="untracked")
    data = told(table.phone, table)
    scoring = sheet(table).rules.scoring
    for hand in data["hands"]:
        pays = data["pays"][hand["pays"]]
        numbers = range(hand["cards"] + 1)
        assert pays == [
            [scoring.points(bid=bid, tricks=took, cards=hand["cards"]) for took in numbers] for bid in numbers
        ]
    table.start(*FOUR, variant="israeli-whist", order="own", plan="13")
    assert set(told(table.phone, table)["pays"].values()) == {None}


def test_of_a_huge_pack_a_phone_is_told_what_small_hands_pay(table):
    """Each size is told once, as long as that stays within bounds; the rest the server alone knows."""
    table.phone.house_rules(name="Twenty packs", deck=1040, order="own", plan="1")
    table.start(*FOUR, variant=table.phone.chosen, order="own", plan="200*99,90,91,9,9", trump="untracked")
    pays = told(table.phone, table)["pays"]
    assert {key: bool(points) for key, points in pays.items()} == {
        "200-4-0": False,
        "90-4-0": True,
        "91-4-0": False,
        "9-4-0": True,
    }
    assert sum(len(row) for points in pays.values() for row in points or ()) <= MOST_PAID


def test_where_the_game_stands_is_told(table):
    """Bids, tally, tricks, totals and the zeros bid in a row, so that the phone goes on from there."""
    table.start(*FOUR, dealer=3, hook=False, order="own", plan="2,2,2", trump="untracked")
    table.play([0, 1, 1, 2], [0, 1, 1, 0]).play([0, 0, 1, 1], [0, 0, 2, 0])
    table.bid_one(1).bid_one(0)
    data = told(table.phone, table)
    assert data["now"]["bids"] == list(sheet(table).open_hand.bids)
    assert data["totals"] == list(sheet(table).totals)
    assert data["zeros"] == [2, 1, 0, 0]
    assert (data["last"]["number"], data["last"]["took"]) == (2, [0, 0, 2, 0])
    table.bid(0, 0, 0, 1).over().put_right(0, 1, 1, 0)
    stored = sheet(table).open_hand
    now = told(table.phone, table)["now"]
    assert (now["isOver"], now["took"]) == (True, list(stored.took))


@pytest.mark.pages
def test_only_keepers_are_told(table, other_phone):
    """A phone that may only look is given nothing to go on with, and neither is one whose right was taken away."""
    table.start(*FOUR, order="own", plan="2")
    other_phone.get(f"/g/{table.code}/offline.json", 404)
    told(table.phone, table)
    with table.phone.client.application.app_context():
        db.session.delete(db.session.scalar(select(Keeper)))
        db.session.commit()
    table.phone.get(f"/g/{table.code}/offline.json", 404)


@pytest.mark.pages
def test_pieces_have_only_places_that_a_phone_fills(table):
    """No piece of a page has anything left in it that only a template understands; names stand in bdi."""
    table.start(*FOUR, order="own", plan="3,2")
    parts = told(table.phone, table)["parts"]
    assert not [name for name, piece in parts.items() if "{{" in piece or "<!--" in piece or not piece]
    assert "<bdi" in parts["name"]
    # A data-tap form sends the id that makes its tap one.
    for name, piece in parts.items():
        assert piece.count("<form") == piece.count('name="act"'), name


@pytest.mark.pages
def test_the_home_screen_gets_its_icons(phone):
    """The manifest names icons that are there, a maskable one among them, and opens the running game."""
    manifest = phone.client.get("/manifest.webmanifest")
    assert manifest.mimetype == "application/manifest+json"
    assert (manifest.json["lang"], manifest.json["dir"]) == ("en", "ltr")
    icons = manifest.json["icons"]
    assert {icon["purpose"] for icon in icons} == {"any", "maskable"}
    for icon in icons:
        image = phone.client.get(icon["src"], buffered=True)
        width = int.from_bytes(image.data[16:20], "big")  # where a PNG says how wide it is
        assert (image.mimetype, f"{width}x{width}") == ("image/png", icon["sizes"])
    phone.get(manifest.json["start_url"])


@pytest.mark.pages
def test_the_start_page_of_the_app_is_the_running_game(table):
    """From the home screen one is where the game touched last stands; without one, on the first page."""
    table.phone.get("/?resume=")
    assert table.phone.address == "/"
    assert "recovery link or an invitation" in table.phone.text
    table.start(*FOUR, dealer=3, order="own", plan="1,1", hook=False, trump="untracked")
    first = table.code
    table.start(*FOUR, dealer=3, order="own", plan="1,1", hook=False, trump="untracked")
    table.phone.get("/?resume=")
    assert table.phone.address == f"/g/{table.code}/hands/1"
    table.phone.get(f"/g/{first}/hands/1")
    table.play([0, 0, 0, 0], [1, 0, 0, 0])
    table.phone.get("/?resume=")
    assert table.phone.address == f"/g/{first}/hands/2"


@pytest.mark.pages
def test_the_service_worker_is_one_file_at_the_root(phone):
    """It may answer for every page, and browsers ask each time whether it has changed."""
    answer = phone.client.get("/worker.js")
    assert answer.mimetype == "text/javascript"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    order = [answer.text.index(start) for start in ("const hands =", "const offline =", "addEventListener(")]
    assert order == sorted(order)


# The day of a game


def played_on(table):
    """The day the game counts as."""
    with table.phone.client.application.app_context():
        return db.session.scalar(select(Game.played_on).where(Game.code == table.code))


@pytest.mark.parametrize("days", [-1, 0, 1])
def test_a_game_belongs_to_the_day_at_the_table(table, days):
    """The phone tells its date, which may be a day from the server's; a game past midnight keeps the day it began."""
    there = datetime.now(UTC).date() + timedelta(days=days)
    table.start(*FOUR, order="own", plan="1", today=there.isoformat())
    assert played_on(table) == there


@pytest.mark.pages
@pytest.mark.parametrize("today", ["", "yesterday", "2020-01-01", "9999-12-31"])
def test_a_date_that_cannot_be_is_the_servers(table, today):
    """Without scripts, or with a clock that is years off, the server's own date counts."""
    before = datetime.now().astimezone().date()
    table.start(*FOUR, order="own", plan="1", today=today)
    assert played_on(table) in (before, datetime.now().astimezone().date())


@pytest.mark.pages
def test_moments_are_told_so_that_a_phone_can_put_them_into_its_zone(table):
    """The log has each moment in UTC for scripts, and says so to those without."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    before = datetime.now(UTC)
    table.bid_one(1)
    log = table.phone.get(f"/g/{table.code}/log")
    moment = log.select_one("ol.log time")
    at = datetime.fromisoformat(moment["datetime"])
    assert before.replace(microsecond=0) <= at <= datetime.now(UTC)
    assert moment.get_text().endswith("UTC")


@pytest.mark.pages
def test_a_game_past_midnight_keeps_the_day_it_began(table, monkeypatch):
    """What happens on the next day is in the log with that day; sheet and list have the day of the first hand."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    began = played_on(table)
    later = datetime.combine(began + timedelta(days=1), time(0, 20), UTC)
    monkeypatch.setattr("views.now", lambda: later)
    table.bid_one(1)
    monkeypatch.undo()
    assert played_on(table) == began
    told = table.phone.get(f"/g/{table.code}/log").select_one("ol.log time")
    assert (told["datetime"], told["data-day"]) == (later.isoformat(), began.isoformat())
    with table.phone.client.application.test_request_context():
        days = {each: day(each) for each in (began, later.date())}
    assert days[later.date()] in told.get_text()
    assert days[began] in table.sheet().select_one(".about").get_text()
