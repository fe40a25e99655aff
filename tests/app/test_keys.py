"""The phones that keep a book: how one more is added, and how the right is lost, handed over and got back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

import views.keepers
import views.keys
from codes import SPOKEN_ALPHABET
from models import Book, Game, Keeper, db, new_spoken_code

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests put forward: `clock(minutes=11)`."""
    moved = timedelta()

    def forward(**time):
        nonlocal moved
        moved += timedelta(**time)

    for module in (views, views.keys, views.keepers):
        monkeypatch.setattr(module, "now", lambda: datetime.now(UTC) + moved)
    return forward


@pytest.fixture
def game(table):
    """Four players before the first bid of a game of two hands; kept on `table.phone`."""
    return table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked", hook=False)


def book_of(table):
    """The code of the book of the table's game."""
    with table.phone.client.application.app_context():
        return table.game().book.code


def make(table, what="invite"):
    """Press a button of the keepers' page that makes a link; the path in the link, and the code beside it."""
    table.phone.get(f"/b/{book_of(table)}/keepers")
    table.phone.tap(what)
    return shown(table.phone)


def shown(phone):
    """The path of the link on the page, and the code beside it."""
    address = phone.page.select_one(".share-address").get_text(strip=True)
    code = phone.page.select_one(".spoken-code .unseen")
    path = re.fullmatch(r"http://localhost(/\S+)", address).group(1)
    return path, code and code.get_text(strip=True)


def may_write(table, phone):
    """Whether the page of the hand has anything to press on that phone."""
    phone.get(f"/g/{table.code}/now")
    return bool(phone.page.select("main form"))


def type_code(phone, code, status=200):
    """Type a code where the first page leads to."""
    phone.get("/")
    phone.follow("Have a code?")
    phone.send(phone.button("code"), status, code=code)


# One more phone


def test_a_phone_is_added_by_the_link(game, other_phone):
    """One button makes link and code; looking uses nothing up; the link works once, and both keep one book then."""
    path, code = make(game)
    assert f'data-share="http://localhost{path}"' in str(game.phone.page)
    assert "it works once, within 24 hours" in game.phone.text
    assert game.phone.page.select_one("svg.qr path[fill='#fff']")
    for _look in range(2):
        other_phone.get(path)
    assert not may_write(game, other_phone)
    other_phone.get(path)
    other_phone.tap("accept")
    assert other_phone.address == "/"
    assert may_write(game, other_phone)
    game.phone.get(f"/b/{book_of(game)}/keepers/link")
    assert "A phone has used this invitation" in game.phone.text
    type_code(other_phone, code.replace(" ", ""), 422)
    assert "Nothing goes by this code now." in other_phone.text


def test_an_address_too_long_for_a_picture_stands_alone(game):
    """Whoever asks under a name of three thousand letters is shown the link as text, and no QR code."""
    make(game)
    host, client = ".".join(["x" * 60] * 50), game.phone.client
    client.set_cookie("scorebook", client.get_cookie("scorebook").value, domain=host)
    for page in (f"/g/{game.code}/share", f"/b/{book_of(game)}/keepers/link"):
        answer = client.get(page, base_url=f"http://{host}")
        assert answer.status_code == 200
        assert f'class="code share-address" dir="ltr">http://{host}/' in answer.text
        assert "qr-frame" not in answer.text


def test_a_phone_is_added_by_a_spoken_code(game, other_phone, app):
    """Typed in small letters with blanks it leads to one button, which works once; the link is used up with it."""
    path, code = make(game)
    assert len(code.replace(" ", "")) == 6
    assert set(code) - {" "} <= set(SPOKEN_ALPHABET)
    type_code(other_phone, f" {code.lower()} ")
    assert other_phone.page.h1.get_text(strip=True) == "Keep this book"
    assert not may_write(game, other_phone)
    type_code(other_phone, code)
    other_phone.tap("accept")
    assert may_write(game, other_phone)
    third = type(other_phone)(app)
    type_code(third, code, 422)
    third.post("/watch", {"code": code, "keep": "y"}, 404)
    third.get(path, 404)
    third.post(path, {}, 404)


def test_a_double_tap_on_the_button_is_no_error(game, other_phone):
    """The phone that has just used an invitation sends it once more: it is where it was going."""
    path, code = make(game)
    for _again in range(2):
        other_phone.post(path, {})
        assert other_phone.address == "/"
        other_phone.post("/watch", {"code": code, "keep": "y"})
        assert other_phone.address == "/"


@pytest.mark.pages
@pytest.mark.parametrize(("minutes", "by_link", "by_code"), [(9, 200, 200), (11, 200, 422), (1441, 404, 422)])
def test_the_code_ends_after_ten_minutes_and_the_link_after_a_day(
    game, other_phone, clock, minutes, by_link, by_code
):
    """A code is said for now, a link may wait for the other phone."""
    path, code = make(game)
    clock(minutes=minutes)
    type_code(other_phone, code, by_code)
    other_phone.get(path, by_link)
    game.phone.get(f"/b/{book_of(game)}/keepers/link")
    assert ("Or say this code" in game.phone.text) is (by_code == 200)
    assert ("worth nothing any more" in game.phone.text) is (by_link == 404)


@pytest.mark.pages
def test_a_link_is_shown_until_one_goes_on(game, rows, other_phone):
    """A reload shows it again; back at the list it is forgotten, and the database only ever had hashes."""
    path, code = make(game)
    game.phone.get(game.phone.address)
    assert shown(game.phone) == (path, code)
    stored = str(rows())
    assert path.removeprefix("/k/") not in stored
    assert code.replace(" ", "") not in stored
    game.phone.follow("Done")
    game.phone.get(f"/b/{book_of(game)}/keepers/link")
    assert game.phone.address.endswith("/keepers")


@pytest.mark.pages
@pytest.mark.parametrize("typed", ["", "ABC", "ABCDE0", "ABCD1F", "ABCDEFG", "²²²²²²", "\0", "ABC DEI"])
def test_what_is_no_code_is_told(phone, typed):
    """The sentence says what a code is made of, beside the field, which keeps what was typed."""
    type_code(phone, typed, 422)
    assert "six letters and digits" in phone.page.select_one("#code-error").get_text()
    assert phone.page.select_one("#code")["value"] == typed
    assert phone.page.title.get_text().startswith("Error:")


@pytest.mark.pages
def test_a_pasted_link_leads_where_it_would(game, other_phone):
    """An app on a home screen has no line for addresses: links are pasted where codes are typed, of any host."""
    invitation, _code = make(game)
    type_code(other_phone, f" Look: http://localhost{invitation} ")
    assert other_phone.address == invitation
    type_code(other_phone, f"https://elsewhere.example/g/{game.code}/share")
    assert other_phone.address == f"/g/{game.code}/hands/1"
    type_code(other_phone, f"https://elsewhere.example{invitation}x", 422)


# Watching by code


def test_a_game_is_watched_by_its_code_while_it_runs(game, other_phone):
    """The code stands with the QR code of the game, leads to the hand, and gives no more than a look."""
    game.phone.get(f"/g/{game.code}")
    game.phone.follow("Share")
    path, code = shown(game.phone)
    assert path == f"/g/{game.code}"
    type_code(other_phone, code)
    assert other_phone.address == f"/g/{game.code}/hands/1"
    assert not other_phone.page.select("main form")
    other_phone.get(f"/g/{game.code}/share")
    assert not other_phone.page.select(".spoken-code"), "the code is the keepers' to give"
    game.open(1).play(bids=[1, 0, 0, 0], tricks=[1, 1, 0, 0]).play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    type_code(other_phone, code, 422)
    game.phone.get(f"/g/{game.code}/share")
    assert not game.phone.page.select(".spoken-code")
    game.phone.get(f"/g/{game.code}")
    game.undo()
    type_code(other_phone, code)
    game.phone.get(f"/g/{game.code}/delete")
    game.phone.tap("delete")
    type_code(other_phone, code, 422)


@pytest.mark.pages
def test_codes_are_random_and_unlike_each_other(app, game, monkeypatch):
    """A code that a game has is not given again."""
    with app.app_context():
        taken = db.session.scalar(db.select(Game.watch_code).where(Game.code == game.code))
        drawn = iter(taken + "ABCDEF")
        monkeypatch.setattr("codes.secrets.choice", lambda _: next(drawn))
        assert new_spoken_code() == "ABCDEF"
        db.session.remove()


# Never locked out


@pytest.mark.pages
def test_the_recovery_link_is_offered_after_the_first_game(game, other_phone, app):
    """Once, quietly, on the sheet of the first finished game; it makes keepers of phones until it is replaced."""
    game.play(bids=[1, 0, 0, 0], tricks=[1, 1, 0, 0])
    assert "recovery link" not in game.phone.get(f"/g/{game.code}").get_text()
    game.open(2).play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    other_phone.get(f"/g/{game.code}")
    assert "recovery link" not in other_phone.text
    game.phone.follow("recovery link")
    game.phone.tap("recovery")
    path, code = shown(game.phone)
    assert code is None
    assert "until it is replaced" in game.phone.text
    third = type(other_phone)(app)
    for phone in (other_phone, third):
        phone.get(path)
        phone.tap("accept")
        phone.get(f"/g/{game.code}/table")
    assert "recovery link" not in game.phone.get(f"/g/{game.code}").get_text()
    later, _ = make(game, "recovery")
    fourth = type(other_phone)(app)
    fourth.get(path, 404)
    fourth.post(path, {}, 404)
    fourth.get(later)


def test_the_last_phone_stays_unless_there_is_a_way_back(game, other_phone, rows):
    """Alone it is told why it may not stop; with a recovery link it may, and comes back by it."""
    at = f"/b/{book_of(game)}/keepers"
    (mine,) = [row[0] for row in rows("keeper")["keeper"]]
    game.phone.get(at)
    game.phone.tap(f"remove-{mine}", 422)
    assert "This is the only phone that keeps the book" in game.phone.text
    path, _ = make(game, "recovery")
    game.phone.get(at)
    game.phone.tap(f"remove-{mine}")
    assert game.phone.address == "/"
    assert not may_write(game, game.phone)
    game.phone.get(path)
    game.phone.tap("accept")
    assert may_write(game, game.phone)


# Taking the right back


def test_a_phone_is_named_and_its_right_taken_back(game, other_phone, rows):
    """The list tells the phones apart; one loses its right at its next request, and may still look."""
    game.kept_on(other_phone)
    mine, other = [row[0] for row in rows("keeper")["keeper"]]
    at = f"/b/{book_of(game)}/keepers"
    game.phone.get(at)
    game.phone.send(game.phone.button(f"name-{other}"), name=" Anna's  phone ")
    listed = [" ".join(each.get_text(" ").split()) for each in game.phone.page.select(".people h2")]
    assert listed == ["Phone 1 this phone", "Anna's phone"]
    game.phone.send(game.phone.button(f"name-{mine}"), 422, name="x" * 41)
    assert game.phone.page.select_one("#phone-error")
    assert game.phone.page.select_one("input[aria-invalid]")["value"] == "x" * 41
    other_phone.get(at)
    assert "Phone 1" in other_phone.text
    page = other_phone.get(f"/g/{game.code}/now")
    game.phone.get(at)
    game.phone.tap(f"remove-{other}")
    assert len(rows("keeper")["keeper"]) == 1
    other_phone.page = page
    other_phone.tap("bid-0-1", 404)
    assert "may look at the game but not write in it" in other_phone.text
    other_phone.get(at, 404)
    assert not may_write(game, other_phone)


def test_who_lost_the_right_does_not_come_back_by_an_invitation_of_their_own(game, other_phone, rows, app):
    """It is dead, and so is the code beside it; where a phone goes by itself, what it left open stays good."""
    game.kept_on(other_phone)
    mine, other = [row[0] for row in rows("keeper")["keeper"]]
    at = f"/b/{book_of(game)}/keepers"

    def invite_from(phone):
        phone.get(at)
        phone.tap("invite")
        return shown(phone)[0]

    path = invite_from(other_phone)
    game.phone.get(at)
    game.phone.tap(f"remove-{other}")
    other_phone.get(path, 404)
    other_phone.post(path, {}, 404)
    assert not may_write(game, other_phone)

    game.open(1).kept_on(other_phone)
    path = invite_from(game.phone)
    game.phone.get(at)
    game.phone.tap(f"remove-{mine}")
    third = type(other_phone)(app)
    third.get(path)
    third.tap("accept")
    assert may_write(game, third)


def test_a_right_taken_back_twice_is_not_that_of_the_next_phone(game, other_phone, app):
    """The form of a phone that is gone already finds nobody."""
    game.kept_on(other_phone)
    game.phone.get(f"/b/{book_of(game)}/keepers")
    last = game.phone.page.select("button[data-key^=remove-]")[-1]
    game.phone.send(last)
    next_phone = type(other_phone)(app)
    game.open(1).kept_on(next_phone)
    game.phone.send(last, 404)
    assert not may_write(game, other_phone)
    assert may_write(game, next_phone)


def test_a_book_is_handed_over(game, other_phone, rows):
    """The other phone is invited, then this one stops; the game goes on there."""
    path, _ = make(game)
    other_phone.get(path)
    other_phone.tap("accept")
    game.phone.get(f"/b/{book_of(game)}/keepers")
    game.phone.tap(f"remove-{rows('keeper')['keeper'][0][0]}")
    assert not may_write(game, game.phone)
    other_phone.follow("Go on")
    other_phone.tap("bid-0-1")


@pytest.mark.target("S3")
def test_replaced_keys_are_dead_at_the_next_request(game, other_phone, app):
    """Other keepers, invitations, codes and the recovery link end; who watches notices nothing."""
    game.kept_on(other_phone)
    hand = other_phone.page
    recovery, _ = make(game, "recovery")
    path, code = make(game)
    watcher = type(other_phone)(app)
    watcher.get(f"/g/{game.code}")
    seen = watcher.text
    game.phone.get(f"/b/{book_of(game)}/keepers")
    game.phone.tap("replace")
    assert "1 phone may write in this book." in game.phone.text
    other_phone.page = hand
    other_phone.tap("bid-0-1", 404)
    third = type(other_phone)(app)
    for dead in (path, recovery):
        third.get(dead, 404)
        third.post(dead, {}, 404)
    third.post("/watch", {"code": code, "keep": "y"}, 422)
    watcher.get(f"/g/{game.code}")
    assert watcher.text == seen
    assert may_write(game, game.phone)


def test_when_a_phone_was_seen_is_written_when_it_writes(game, rows, clock):
    """At most once an hour, and never by looking."""

    def seen():
        return dict(
            zip([c.name for c in Keeper.__table__.columns], rows("keeper")["keeper"][0], strict=True)
        )["seen"]

    first = seen()
    clock(minutes=50)
    game.bid_one(1)
    assert seen() == first
    clock(minutes=20)
    for path in (f"/g/{game.code}", f"/b/{book_of(game)}/keepers", "/"):
        game.phone.get(path)
    assert seen() == first
    game.open(1).bid_one(0)
    assert timedelta(minutes=69) < seen() - first < timedelta(minutes=71)


# Several books


@pytest.mark.pages
def test_one_phone_keeps_several_books(game, rows):
    """A second book is named, chosen for a new game, and brings its own players; both go on from the first page."""
    first = book_of(game)
    game.phone.get(f"/b/{first}/keepers")
    game.phone.send(game.phone.button("name-book"), name="Family")
    game.phone.send(game.phone.button("name-book"), 422, name="x" * 81)
    assert game.phone.page.select_one("#book-error")
    game.phone.get(f"/b/{first}/keepers")
    game.phone.follow("Start a book for another group")
    game.phone.send(game.phone.button("start-book"), 422, name=" ")
    assert "Type a name." in game.phone.page.select_one("#name-error").get_text()
    game.phone.send(game.phone.button("start-book"), name="Thursday club")
    second = game.phone.address.split("/")[2]
    assert second != first
    assert len(rows("book")["book"]) == 2
    game.phone.get("/new")
    choice = game.phone.page.select("input[name=book]")
    assert [each["value"] for each in choice] == [first, second]
    assert [each.has_attr("checked") for each in choice] == [True, False], "the book of the last game"
    assert game.phone.has("add-Ada")
    game.phone.send(game.phone.button("show"), book=second)
    assert not game.phone.has("add-Ada")
    game.phone.send(game.phone.button("add"), newcomers="Eline,Farid,Greta")
    assert game.phone.page.select_one("input[name=book][checked]")["value"] == second
    game.phone.send(game.phone.button("start"), dealer=0)
    with game.phone.client.application.app_context():
        book = Book.find(second)
        assert [len(each.seats) for each in book.games] == [3]
        db.session.remove()
    game.phone.get("/")
    said = [" ".join(each.get_text(" ").split()) for each in game.phone.page.select(".running")]
    assert "Thursday club" in said[0]
    assert "Family" in said[1]
    game.phone.get("/new")
    assert game.phone.page.select_one("input[name=book][checked]")["value"] == second


def test_a_book_is_opened_to_watchers_and_closed_again(game, other_phone, rows):
    """The switch is a keeper's; what it opens, never includes the keepers' own pages."""
    at = f"/b/{book_of(game)}/keepers"
    game.phone.get(at)
    game.phone.tap("share")
    assert "may look through the whole book" in game.phone.text
    before = rows()
    other_phone.get(at, 404)
    other_phone.post(f"{at}/sharing", {"act": "a-tap-of-its-own"}, 404)
    other_phone.post(f"{at}/invite", {"act": "a-tap-of-its-own"}, 404)
    assert rows() == before
    game.phone.get(at)
    game.phone.tap("share")
    assert "Who watches one game sees no other." in game.phone.text
