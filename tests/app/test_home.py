"""The first page: what is being played and what was played."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def test_an_empty_book_says_what_to_do_first(phone):
    """A phone that has never been here is told in one line, and one tap away from a game."""
    phone.get("/")
    assert "Start with a new game." in phone.text
    assert not phone.page.select(".running, .games")
    phone.follow("New game")
    assert phone.address == "/new"


def test_a_running_game_comes_first(table):
    """The hand, who deals it and who is ahead; one tap goes on."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1,1", trump="untracked")
    table.phone.get("/")
    assert "hand 1 of 3" in table.phone.text
    assert "Dmitri deals" in table.phone.text
    assert "ahead" not in table.phone.text
    table.open(1).play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0])
    table.phone.get("/")
    said = " ".join(table.phone.page.select_one(".running").get_text(" ").split())
    assert "hand 2 of 3" in said
    assert "Ada deals · Ada ahead with 11" in said
    table.phone.follow("Go on")
    assert table.hand == 2


def test_everybody_ahead_is_named(table):
    """Two who lead together are both told."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    table.play(bids=[1, 1, 0, 1], tricks=[1, 1, 0, 0])
    table.phone.get("/")
    assert "Ada , Bruno ahead with 11" in table.phone.text


def test_the_game_touched_last_is_on_top(table):
    """Two games at once: the one somebody has just tapped is the one to go on with."""
    first = table.start("Ada", "Bruno", "Chiara", order="own", plan="1", trump="untracked").code
    second = table.start("Dmitri", "Eline", "Farid", order="own", plan="1", trump="untracked").code
    table.phone.get("/")
    assert [link["href"].split("/")[2] for link in table.phone.page.select(".running h2 a")] == [
        second,
        first,
    ]
    table.phone.get(f"/g/{first}/hands/1")
    table.bid_one(0)
    table.phone.get("/")
    assert [link["href"].split("/")[2] for link in table.phone.page.select(".running h2 a")] == [
        first,
        second,
    ]


def test_played_games_are_listed_with_everybodys_total(table):
    """A finished game leaves the running ones and lists everybody from first to last."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0])
    table.phone.get("/")
    assert not table.phone.page.select(".running")
    (game,) = table.phone.page.select(".games li")
    assert game.select_one(".games-won").get_text(" ", strip=True) == "Ada 11"
    assert " ".join(game.select_one(".games-rest").get_text().split()) == "Bruno 10, Dmitri 10, Chiara 0"


def test_a_game_that_ended_before_a_hand_counted_has_no_winner(table):
    """The first page and the book list everybody, and none of them in front."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    table.phone.get(f"/g/{table.code}/table")
    table.phone.tap("end")
    for page in ("/", f"/b/{book_of(table)}"):
        (game,) = table.phone.get(page).select(".games li")
        assert game.select_one(".games-won").get_text(strip=True) == ""
        assert game.select_one(".games-rest").get_text(" ", strip=True).count(" 0") == len(FOUR)
    (game,) = table.phone.client.get(f"/b/{book_of(table)}/games.json").json["games"]
    assert [seat["place"] for seat in game["players"]] == [None] * len(FOUR)


def book_of(table):
    """The code of the book that the game is in."""
    with table.phone.client.application.app_context():
        return table.game().book.code


def test_games_of_another_book_are_nobody_elses(table, other_phone):
    """Who has no key sees no game on the first page."""
    table.start(*FOUR, order="own", plan="1")
    other_phone.get("/")
    assert not other_phone.page.select(".running")
    table.kept_on(other_phone)
    other_phone.get("/")
    assert len(other_phone.page.select(".running")) == 1


def test_the_settings_lead_back_to_where_one_was(table):
    """Whoever finds the letters too small at the table gets larger ones, and is at the table again."""
    table.start("Ada", "Bruno", "Chiara", order="own", plan="3", trump="none")
    phone, hand = table.phone, f"/g/{table.code}/hands/1"
    phone.get(hand)
    phone.client.environ_base["HTTP_REFERER"] = f"http://localhost{hand}"
    phone.follow("language, colours and letters")
    button = phone.page.find("button", attrs={"data-key": "keep"})
    assert phone.page.select_one(".bar a")["href"] == hand
    phone.send(button, letters="large")
    assert (phone.address, phone.page.html["data-letters"]) == (hand, "large")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "",
        "http://localhost/settings",
        "http://localhost/nowhere",
        "http://localhost/g/some-game/keepers/drop",
        "http://localhost//elsewhere.example",
        "http://localhost/%5Celsewhere.example",
        "http://elsewhere.example/new",
        "http://[",
    ],
)
def test_the_settings_lead_home_from_anywhere_else(elsewhere, phone):
    """What is no page to be opened again, or none of ours, is no way back."""
    phone.client.environ_base["HTTP_REFERER"] = elsewhere
    phone.get("/settings")
    assert phone.page.select_one(".bar a")["href"] == "/"
    assert phone.page.select_one("[name=back]") is None


def test_the_settings_of_a_phone_stay_as_chosen(phone, other_phone):
    """Language, colours and letters hold for every page of this phone alone, and nonsense changes none of them."""
    phone.get("/")
    phone.follow("language, colours and letters")
    button = phone.page.find("button", attrs={"data-key": "keep"})
    for language, theme, letters in (("es", "dark", "large"), ("en", "light", "usual")):
        phone.send(button, language=language, theme=theme, letters=letters)
        for path in ("/settings", "/new"):
            html = phone.get(path).html
            assert (html["lang"], html["data-theme"], html["data-letters"]) == (language, theme, letters)
        phone.get("/settings")
        assert phone.page.select_one("[name=language][checked]")["value"] == language
    phone.post("/settings", {"theme": "plaid", "language": "xx", "letters": ""})
    html = phone.get("/").html
    assert (html["lang"], html["data-theme"], html["data-letters"]) == ("en", "light", "usual")
    assert other_phone.get("/").html["data-theme"] == "auto"
