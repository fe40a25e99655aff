"""Who may do what: the matrix of all routes, invitations, cookies, and other sites."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app import create_app
from codes import new_code, new_key
from models import db

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")

WHO = (
    "nobody, who has no address and guesses",
    "a watcher, who has only the address",
    "the keeper of another book",
    "a keeper whose key was replaced",
    "a keeper who was removed",
    "the keeper",
)


def everybody(status):
    """What each of `WHO` is answered: the same."""
    return (status,) * len(WHO)


def with_address(status):
    """Whoever has the address, which is secret; 404 for who has not."""
    return (404,) + (status,) * (len(WHO) - 1)


def keepers(status):
    """The keepers of this very book alone; 404 for everybody else."""
    return (404,) * (len(WHO) - 1) + (status,)


ROUTES = {
    "GET /": everybody(200),
    "GET /robots.txt": everybody(200),
    "GET /health": everybody(200),
    "GET /static/<path:filename>": everybody(200),
    "GET /rules": everybody(200),
    "GET /rules/<id>": everybody(200),
    "GET /house-rules": everybody(200),
    "GET /house-rules/new": everybody(200),
    "POST /house-rules/new": everybody(200),
    "GET /new": everybody(200),
    "POST /new": everybody(200),
    "GET /g/<code>": with_address(200),
    "GET /g/<code>/rules": with_address(200),
    "GET /g/<code>/version": with_address(200),
    "GET /g/<code>/now": with_address(302),
    "GET /g/<code>/board": with_address(200),
    "GET /g/<code>/hands/<int:number>": with_address(200),
    "GET /g/<code>/hands/<int:number>/<part>": with_address(302),
    "POST /g/<code>/hands/<int:number>/trump": keepers(400),
    "POST /g/<code>/hands/<int:number>/bids": keepers(400),
    "POST /g/<code>/hands/<int:number>/rebid": keepers(400),
    "POST /g/<code>/hands/<int:number>/tally": keepers(400),
    "POST /g/<code>/hands/<int:number>/over": keepers(400),
    "POST /g/<code>/hands/<int:number>/tricks": keepers(400),
    "POST /g/<code>/hands/<int:number>/score": keepers(400),
    "POST /g/<code>/undo": keepers(400),
    "POST /g/<code>/redo": keepers(400),
    "GET /g/<code>/table": keepers(200),
    "POST /g/<code>/void": keepers(400),
    "POST /g/<code>/dealer": keepers(400),
    "POST /g/<code>/adjustments": keepers(400),
    "POST /g/<code>/adjustments/drop": keepers(400),
    "POST /g/<code>/join": keepers(400),
    "POST /g/<code>/leave": keepers(400),
    "POST /g/<code>/sit-out": keepers(400),
    "POST /g/<code>/swap": keepers(400),
    "POST /g/<code>/take-over": keepers(400),
    "POST /g/<code>/plan": keepers(400),
    "POST /g/<code>/end": keepers(400),
    "POST /g/<code>/reopen": keepers(400),
    "GET /g/<code>/hands/<int:number>/correct": keepers(200),
    "POST /g/<code>/hands/<int:number>/correct": keepers(400),
    "GET /g/<code>/log": with_address(200),
    "GET /g/<code>/delete": keepers(200),
    "POST /g/<code>/delete": keepers(400),
    "POST /g/<code>/restore": keepers(400),
    "GET /b/<code>/players": keepers(200),
    "POST /b/<code>/players/<int:number>/name": keepers(400),
    "POST /b/<code>/players/<int:number>/merge": keepers(400),
    "POST /b/<code>/players/<int:number>/part": keepers(400),
    "GET /k/<key>": with_address(200),
    "POST /k/<key>": with_address(302),
    "GET /g/<code>/share": with_address(200),
    "GET /watch": everybody(200),
    "POST /watch": everybody(422),
    "GET /books": everybody(200),
    "POST /books": everybody(400),
    "GET /b/<code>/keepers": keepers(200),
    "GET /b/<code>/keepers/link": keepers(302),
    "POST /b/<code>/keepers/invite": keepers(400),
    "POST /b/<code>/keepers/recovery": keepers(400),
    "POST /b/<code>/keepers/<int:number>/name": keepers(400),
    "POST /b/<code>/keepers/<int:number>/remove": keepers(400),
    "POST /b/<code>/keepers/replace": keepers(400),
    "POST /b/<code>/keepers/sharing": keepers(400),
    "POST /b/<code>/keepers/book": keepers(400),
    "GET /manifest.webmanifest": everybody(200),
    "GET /worker.js": everybody(200),
    "GET /offline": everybody(200),
    "GET /g/<code>/offline.json": keepers(200),
    "GET /settings": everybody(200),
    "POST /settings": everybody(302),
    "GET /g/<code>/card": with_address(302),
    "GET /g/<code>/me": with_address(200),
    "POST /g/<code>/me": with_address(400),
    "POST /g/<code>/previews": keepers(400),
    "GET /b/<code>/players/<int:number>": keepers(200),
    "GET /b/<code>/questions": keepers(200),
    "POST /g/<code>/about": keepers(400),
    "GET /b/<code>": keepers(200),
    "GET /g/<code>/export": with_address(200),
    "GET /g/<code>.json": with_address(200),
    "GET /g/<code>.csv": with_address(200),
    "GET /g/<code>/print": with_address(200),
    "GET /g/<code>/erase": keepers(302),
    "POST /g/<code>/erase": keepers(400),
    "GET /b/<code>/export": keepers(200),
    "GET /b/<code>/book.json": keepers(200),
    "GET /b/<code>/book.csv": keepers(200),
    "GET /b/<code>/games.json": keepers(200),
    "GET /b/<code>/players.json": keepers(200),
    "GET /b/<code>/import": keepers(200),
    "POST /b/<code>/import": keepers(422),
    "GET /b/<code>/import/done": keepers(200),
    "GET /b/<code>/past": keepers(200),
    "POST /b/<code>/past": keepers(400),
    "GET /b/<code>/deleted": keepers(200),
    "GET /b/<code>/players/<int:number>/forget": keepers(200),
    "POST /b/<code>/players/<int:number>/forget": keepers(400),
    "GET /b/<code>/delete": keepers(200),
    "POST /b/<code>/delete": keepers(400),
}
"""What each of `WHO` is answered when they send nothing.

A keeper's 400 says that the form was looked at; a new route must be given its line here.
"""


def routes(app):
    """Every route with each method that it answers."""
    return {
        f"{method} {rule}"
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }


@pytest.mark.target("S2")
def test_every_route_is_in_the_matrix(app):
    """Nobody adds an address without saying who may use it."""
    assert routes(app) == set(ROUTES)


@pytest.fixture
def address(table):
    """Fills in the places of a route: the game of `table`, its first hand, its book, a player, a fresh invitation."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", no_trump_on="never")
    with table.phone.client.application.app_context():
        book = table.game().book
        in_book = {"<code>": book.code, "<int:number>": str(book.everybody()[0].id)}
        phone = str(book.phones()[0].id)

    def fill(route, guessed=False):
        places = {
            "<code>": table.code,
            "<int:number>": "1",
            "<path:filename>": "scorebook.css",
            "<id>": "classic",
            "<part>": "bids",
        }
        if "<key>" in route:
            places["<key>"] = invited(table)
        if "/b/" in route:
            places |= in_book
        if "/keepers/<int:number>" in route:
            places["<int:number>"] = phone
        if guessed:
            places |= {"<code>": new_code(), "<key>": new_key()}
        method, path = route.split()
        for place, value in places.items():
            path = path.replace(place, value)
        return method, path

    return fill


def invited(table, at=None):
    """A fresh key to the book of the table's game."""
    with table.phone.client.application.app_context():
        key = table.game().book.invite(at or datetime.now(UTC))
        db.session.commit()
        return key


@pytest.mark.target("S2")
@pytest.mark.parametrize("who", WHO)
def test_the_matrix_holds(app, table, address, other_phone, who):
    """Every route answers each kind of phone as the matrix says, and shows a watcher no form of the game."""
    phone = as_(who, table, other_phone)
    for route, expected in ROUTES.items():
        # An invitation would make a keeper of the phone, so that each is taken by one of its own.
        client = app.test_client() if "/k/" in route else phone.client
        method, path = address(route, guessed=who == WHO[0])
        answer = client.open(path, method=method, headers={"Origin": "http://localhost"}, buffered=True)
        assert answer.status_code == expected[WHO.index(who)], route
        # Who one is only the phone remembers.
        if method == "GET" and "/g/" in path and who != "the keeper" and not path.endswith("/me"):
            assert "<form" not in answer.text, route


def as_(who, table, other_phone):
    """The phone of one of `WHO`, which has come to be what it is through the pages."""
    if who == "the keeper":
        return table.phone
    if who == "the keeper of another book":
        type(table)(other_phone).start(*FOUR, order="own", plan="1")
    if who in ("a keeper whose key was replaced", "a keeper who was removed"):
        table.kept_on(other_phone)
        assert other_phone.has("trump-hearts"), "it was a keeper"
        with other_phone.client.application.app_context():
            book = table.game().book
            code, last = book.code, book.phones()[-1].id
        table.phone.get(f"/b/{code}/keepers")
        table.phone.tap("replace" if "replaced" in who else f"remove-{last}")
    return other_phone


@pytest.mark.target("S2")
def test_a_shared_book_opens_nothing_of_its_keepers(app, table, address, other_phone):
    """Where the book may be looked at, whatever is the keepers' stays theirs."""
    with app.app_context():
        table.game().book.is_shared = True
        db.session.commit()
    for route, expected in ROUTES.items():
        method, path = address(route)
        if expected == keepers(expected[-1]) and (method == "POST" or "/keepers" in path):
            answer = other_phone.client.open(path, method=method, headers={"Origin": "http://localhost"})
            assert answer.status_code == 404, route


@pytest.mark.target("S2")
def test_whoever_may_not_write_changes_nothing(app, table, address, other_phone, rows):
    """Complete and legal forms, sent by a phone that may only look, leave every row as it was."""
    before = rows()
    forms = {
        "trump": {"trump": "hearts"},
        "bids": {"seat": "0", "bid": "1"},
        "tally": {"seat": "0", "tricks": "1"},
        "over": {},
        "tricks": {"seat": "0", "tricks": "1"},
        "score": {f"tricks-{seat}": str(tricks) for seat, tricks in enumerate((3, 0, 0, 0))},
    }
    for verb, fields in forms.items():
        other_phone.post(f"/g/{table.code}/hands/1/{verb}", {"act": "a-tap-of-its-own", **fields}, 404)
        assert "may look at the game but not write in it" in other_phone.text
    other_phone.post(f"/g/{table.code}/undo", {"act": "a-tap-of-its-own", "change": "1"}, 404)
    assert rows() == before


@pytest.mark.target("S1")
def test_a_forged_cookie_is_no_key(app, table, other_phone):
    """A cookie that this server did not sign counts as none."""
    table.start(*FOUR, order="own", plan="1")
    cookie = table.phone.client.get_cookie("scorebook").value
    other_phone.client.set_cookie("scorebook", cookie[:-3] + "AAA")
    other_phone.get(f"/g/{table.code}/hands/1")
    assert not other_phone.page.select("main form")


@pytest.mark.pages
@pytest.mark.target("S4")
def test_looking_changes_nothing(app, table, address, rows):
    """Messengers and search engines may fetch every address, with GET, HEAD or OPTIONS: no row changes."""
    addresses = [address(route)[1] for route in ROUTES]
    before = rows()
    for agent in (
        "facebookexternalhit/1.1",
        "WhatsApp/2.23.20.0 A",
        "TelegramBot (like TwitterBot)",
        "Googlebot/2.1",
    ):
        for client in (app.test_client(), table.phone.client):
            for path in addresses:
                for method in ("GET", "HEAD", "OPTIONS"):
                    client.open(path, method=method, headers={"User-Agent": agent}, buffered=True)
    assert rows() == before


# Invitations


def test_an_invitation_makes_one_phone_a_keeper(table, other_phone, app):
    """Looking at it uses nothing up; the button works once; then the phone may write."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    key = invited(table)
    for _look in range(3):
        other_phone.get(f"/k/{key}")
    assert "It works once." in other_phone.text
    other_phone.send(other_phone.page.select_one("form.dock button"))
    assert other_phone.address == "/"
    other_phone.follow("Go on")
    other_phone.tap("bid-0-1")
    third = type(table.phone)(app)
    third.get(f"/k/{key}", 404)
    assert "This invitation was used already, or its time is over." in third.text
    third.post(f"/k/{key}", {}, 404)
    third.get(f"/g/{table.code}/hands/1")
    assert not third.page.select("main form")


def test_an_invitation_ends_after_a_day(table, other_phone):
    """An old key opens nothing."""
    table.start(*FOUR, order="own", plan="1")
    key = invited(table, datetime.now(UTC) - timedelta(hours=25))
    other_phone.get(f"/k/{key}", 404)
    other_phone.post(f"/k/{key}", {}, 404)


def test_an_invitation_to_a_book_that_is_kept_already_does_no_harm(table, rows):
    """The keeper's own phone is not made a keeper twice."""
    table.start(*FOUR, order="own", plan="1")
    table.phone.post(f"/k/{invited(table)}", {})
    assert len(rows("keeper")["keeper"]) == 1


# Other sites


@pytest.mark.target("S5")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Origin": "http://localhost"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 403),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Origin": "http://localhost:8001"}, 403),
        ({"Origin": "http://localhost.elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "localhost"}, 403),
        ({"Origin": "http://["}, 403),
        ({}, 403),
    ],
)
def test_only_our_own_pages_may_post(table, rows, headers, status):
    """A page of another site, a null origin or none at all is refused, and nothing changes."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    before = rows()
    fields = {"act": "a-tap-of-its-own", "seat": "0", "bid": "1"}
    answer = table.phone.client.post(
        f"/g/{table.code}/hands/1/bids", data=fields, headers=headers, follow_redirects=status == 200
    )
    assert answer.status_code == status
    assert (rows() == before) is (status == 403)
    if status == 403:
        assert "did not come from a page of this scorebook" in answer.text


@pytest.mark.target("S5")
def test_no_route_at_all_takes_a_post_from_elsewhere(app, table, address, rows):
    """The guard stands in front of every address, also of those that are none."""
    addresses = [address(route)[1] for route in ROUTES] + ["/nothing", "/g/nothing"]
    before = rows()
    for path in addresses:
        answer = table.phone.client.post(path, headers={"Origin": "http://elsewhere.example"})
        assert answer.status_code == 403, path
    assert rows() == before


# Cookies


def flags(answer):
    """The cookie that an answer sets: its name, and its attributes in lower case."""
    pair, *attributes = answer.headers["Set-Cookie"].split("; ")
    return pair.partition("=")[0], {each.casefold() for each in attributes}


@pytest.mark.target("S21")
def test_the_cookie_is_for_this_site_and_no_script(app, empty):
    """Over plain http in a home network: HttpOnly, SameSite=Lax, for 400 days."""
    answer = app.test_client().get("/new")
    name, attributes = flags(answer)
    assert name == "scorebook"
    assert {"httponly", "samesite=lax", "path=/"} <= attributes
    assert "secure" not in attributes
    assert not any(each.startswith("domain") for each in attributes)
    days = datetime.now(UTC) + timedelta(days=400)
    assert any(each.startswith(f"expires={days:%a, %d %b %Y}".casefold()) for each in attributes)


@pytest.mark.target("S7")
@pytest.mark.target("S21")
def test_over_https_the_cookie_is_bound_to_the_host(tmp_path):
    """With https it is Secure and carries the __Host- prefix."""
    app = create_app({"TESTING": True, "DATA_FOLDER": tmp_path, "HTTPS": True})
    assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
    answer = app.test_client().get("/new", base_url="https://scores.example")
    name, attributes = flags(answer)
    assert name == "__Host-scorebook"
    assert {"httponly", "samesite=lax", "path=/", "secure"} <= attributes
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    with app.app_context():
        db.engine.dispose()


def test_a_watcher_gets_no_cookie(table, app):
    """Looking at a game leaves no trace on the phone."""
    table.start(*FOUR, order="own", plan="1")
    answer = app.test_client().get(f"/g/{table.code}")
    assert "Set-Cookie" not in answer.headers
