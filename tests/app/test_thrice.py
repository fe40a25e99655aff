"""Every form of the app, sent three times: it has its effect once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from models import db, new_spoken_code

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def bidding(table):
    """A hand of three cards, before the first bid."""


def bid(table):
    """All bids are in."""
    table.bid(1, 0, 1, 0)


def even(table):
    """At a table that bids again when the bids come out even, they did."""
    table.phone.house_rules(simultaneous=True, even_table="rebid", name="Ours", order="own", plan="3,2")
    table.phone.send(table.phone.button("add"), newcomers=",".join(FOUR))
    table.phone.send(table.phone.button("start"), dealer=3)
    table.code = table.phone.address.split("/")[2]
    table.bid_one(1).bid_one(1).bid_one(1).bid_one(0)


def over(table):
    """The cards are played."""
    table.bid(1, 0, 1, 0).over()


def played(table):
    """One hand is closed and the next one open."""
    over(table)
    table.took(1, 0, 2, 0)


def ended(table):
    """The game was ended early."""
    played(table)
    press(table, "/table", "end")


def adjusted(table):
    """Ada has a penalty."""
    at = f"/g/{table.code}/adjustments"
    table.phone.post(at, {"act": "the-penalty", "hand": "1", "seat": "0", "points": "5", "sign": "-"})


def undone(table):
    """One bid was taken back."""
    table.bid_one(1).undo()


def deleted(table):
    """The game is deleted, and its address opened again."""
    press(table, "/delete", "delete")


def another(table):
    """Eline was written down by mistake and taken back: the book knows the name, and no game has it."""
    table.phone.post(f"/g/{table.code}/take-over", {"act": "the-mistake", "seat": "1", "name": "Eline"})
    table.open(1).undo()


def merged(table):
    """Eline is Ada."""
    another(table)
    merge = f"/b/{book(table)}/players/{player(table, 'Eline')}/merge"
    table.phone.post(merge, {"act": "the-merger", "person": player(table, "Ada")})


def press(table, page, key):
    """Press a button of a page of the game."""
    table.phone.get(f"/g/{table.code}{page}")
    table.phone.tap(key)


def book(table):
    """The code of the book."""
    with table.phone.client.application.app_context():
        return table.game().book.code


def player(table, name):
    """The number of a player of the book."""
    with table.phone.client.application.app_context():
        return str(table.game().book.player(name).id)


def step(table, which):
    """The number of the step that undo or redo would take."""
    with table.phone.client.application.app_context():
        return str(getattr(table.game().opened(), which)().id)


def adjustment(table):
    """The number of the only penalty."""
    with table.phone.client.application.app_context():
        return str(table.game().adjustments[0].id)


def facts(**changed):
    """The form of a correction of hand 1 as it was played, with some facts changed."""
    stored = {"cards": "3", "dealer": "3", "trump": ""}
    for seat, (number, took) in enumerate(((1, 1), (0, 0), (1, 2), (0, 0))):
        stored |= {f"bid-{seat}": str(number), f"took-{seat}": str(took)}
    return {**stored, **{f"was-{key}": value for key, value in stored.items()}, **changed}


def tricks(**changed):
    """The form of the tricks of hand 1."""
    sent = {f"tricks-{seat}": str(took) for seat, took in enumerate((1, 0, 2, 0))}
    return {**sent, **{f"was-{seat}": "" for seat in range(4)}, **changed}


def new_game(table):
    """The form of a new game, filled in."""
    called = {f"players-{seat}": name for seat, name in enumerate(FOUR)}
    rules = {
        "variant": "classic",
        "shown_variant": "classic",
        "order": "own",
        "plan": "2,1",
        "trump": "untracked",
    }
    return {**called, **rules, "dealer": "0", "no_trump_on": "never", "missed": "0", "do": "start"}


def about(table, **told):
    """What is told of the evening as the page shows it, with some of it told otherwise."""
    table.phone.get(f"/g/{table.code}/table")
    return table.phone.filled(table.phone.button("about").find_parent("form")) | told


def house_rules(table):
    """The form of house rules as the page shows it, under a name."""
    table.phone.get("/house-rules/new?start=classic")
    button = table.phone.button("keep")
    sent = table.phone.filled(button.find_parent("form"))
    return {**sent, "name": "Ours", button["name"]: button["value"]}


def spoken(table):
    """A code that makes one phone a keeper."""
    with table.phone.client.application.app_context():
        code = new_spoken_code()
        table.game().book.invite(datetime.now(UTC), spoken=code)
        db.session.commit()
        return code


def kept_by_two(table):
    """Another phone keeps the book, too."""
    with table.phone.client.application.app_context():
        table.game().book.welcome("the key of another phone", datetime.now(UTC))
        db.session.commit()


PAST = "player;total\nAda;71\nEline;83\n"
"""A sheet that holds totals only."""

FORMS = {
    "/settings": (bidding, {"theme": "dark"}),
    "/new": (bidding, new_game),
    "/house-rules/new": (bidding, house_rules),
    "/k/<key>": (bidding, {}),
    "/g/<code>/hands/<int:number>/trump": (bidding, {"trump": "hearts", "was": ""}),
    "/g/<code>/hands/<int:number>/bids": (bidding, {"seat": "0", "bid": "1", "was": ""}),
    "/g/<code>/hands/<int:number>/rebid": (even, {}),
    "/g/<code>/hands/<int:number>/tally": (bid, {"seat": "0", "tricks": "1", "was": ""}),
    "/g/<code>/hands/<int:number>/over": (bid, {}),
    "/g/<code>/hands/<int:number>/tricks": (over, {"seat": "0", "tricks": "2", "was": ""}),
    "/g/<code>/hands/<int:number>/score": (over, tricks()),
    "/g/<code>/hands/<int:number>/correct": (played, facts(**{"took-0": "2", "took-2": "1"})),
    "/g/<code>/undo": (bid, lambda table: {"change": step(table, "last_step")}),
    "/g/<code>/redo": (undone, lambda table: {"change": step(table, "next_step")}),
    "/g/<code>/void": (bid, {"seat": "3", "was": "1"}),
    "/g/<code>/dealer": (bidding, {"hand": "1", "seat": "1", "was": "3"}),
    "/g/<code>/adjustments": (
        played,
        {"hand": "1", "seat": "1", "points": "10", "sign": "-", "reason": "spoke"},
    ),
    "/g/<code>/adjustments/drop": (adjusted, lambda table: {"adjustment": adjustment(table)}),
    "/g/<code>/join": (played, {"name": "Eline", "after": "3", "points": "0"}),
    "/g/<code>/leave": (bidding, {"seat": "1"}),
    "/g/<code>/sit-out": (bidding, {"seat": "1", "out": "y"}),
    "/g/<code>/swap": (bidding, {"seat": "1", "other": "2", "table": "0,1,2,3"}),
    "/g/<code>/take-over": (bidding, {"seat": "1", "name": "Eline"}),
    "/g/<code>/plan": (played, {"plan": "2,2,1"}),
    "/g/<code>/about": (bidding, lambda table: about(table, place="The Crown", played_on="2026-01-30")),
    "/g/<code>/end": (played, {}),
    "/g/<code>/reopen": (ended, {}),
    "/g/<code>/delete": (played, {}),
    "/g/<code>/restore": (deleted, {}),
    "/g/<code>/me": (bidding, {"seat": "1"}),
    "/g/<code>/previews": (played, {"names": "y"}),
    "/b/<code>/players/<int:number>/name": (bidding, {"name": "Adele"}),
    "/b/<code>/players/<int:number>/merge": (another, lambda table: {"person": player(table, "Eline")}),
    "/b/<code>/players/<int:number>/part": (merged, {}),
    "/watch": (bidding, lambda table: {"code": spoken(table), "keep": "y"}),
    "/books": (bidding, {"name": "Thursday club"}),
    "/b/<code>/keepers/invite": (bidding, {}),
    "/b/<code>/keepers/recovery": (bidding, {}),
    "/b/<code>/keepers/<int:number>/name": (kept_by_two, {"name": "Anna's phone"}),
    "/b/<code>/keepers/<int:number>/remove": (kept_by_two, {}),
    "/b/<code>/keepers/replace": (kept_by_two, {}),
    "/b/<code>/keepers/sharing": (bidding, {"shared": "y"}),
    "/b/<code>/keepers/book": (bidding, {"name": "Family"}),
    "/g/<code>/erase": (deleted, {}),
    "/b/<code>/import": (played, {"text": PAST, "do": "keep"}),
    "/b/<code>/past": (
        played,
        {
            "played_on": "2019-12-24",
            "players-0": "Ada",
            "totals-0": "71",
            "players-1": "Eline",
            "totals-1": "-3",
        },
    ),
    "/b/<code>/players/<int:number>/forget": (played, {"name": "Ada"}),
    "/b/<code>/delete": (played, {"word": "delete"}),
}
"""For each address that takes a form: what comes before, and fields that it takes."""

NO_ROW = ("/settings", "/g/<code>/me")
"""What only the phone remembers."""


def posts(app):
    """Every address that takes a form."""
    return {rule.rule for rule in app.url_map.iter_rules() if "POST" in rule.methods}


@pytest.mark.target("T5")
def test_every_form_has_fields_to_be_tried_with(app):
    """Nobody adds a form without saying here what it is sent."""
    assert posts(app) == set(FORMS)


def filled(table, route):
    """The address of a route: the game, its first hand, its book, a player of it, a fresh invitation."""
    with table.phone.client.application.app_context():
        book = table.game().book
        called = [each.id for each in book.everybody() if bool(each.alias_of_id) is route.endswith("/part")]
        places = {"<code>": table.code, "<int:number>": "1"}
        if route.startswith("/b/"):
            places = {"<code>": book.code, "<int:number>": str(called[0])}
        if "/keepers/" in route:
            places["<int:number>"] = str(book.phones()[-1].id)
        if "<key>" in route:
            places["<key>"] = book.invite(datetime.now(UTC))
            db.session.commit()
    for place, value in places.items():
        route = route.replace(place, value)
    return route


@pytest.mark.target("T5")
@pytest.mark.parametrize("route", FORMS)
def test_a_form_that_is_sent_three_times_has_one_effect(table, other_phone, rows, route):
    """A double tap and a reload: after three times every row is as after the first, and the first did something."""
    before, fields = FORMS[route]
    table.start(*FOUR, dealer=3, order="own", plan="3,2,1", trump="untracked")
    before(table)
    address = filled(table, route)
    sent = {**(fields(table) if callable(fields) else fields), "act": "a-tap-of-its-own"}
    phone = other_phone if route in ("/k/<key>", "/watch") else table.phone
    untouched = rows()

    def send():
        return phone.client.post(address, data=sent, headers={"Origin": "http://localhost"})

    first = send()
    assert first.status_code == 302, first.text
    once = rows()
    assert (once != untouched) is (route not in NO_ROW)
    for _again in range(2):
        assert send().status_code < 500
    assert rows() == once
