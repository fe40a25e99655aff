"""How often one network may try, and that nobody at a table ever notices."""

from __future__ import annotations

import time
from functools import partial

import pytest
from limits.storage import MemoryStorage

from app import create_app
from codes import new_code, new_key
from models import Game, db
from views import limits

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
OURS = {"Origin": "http://localhost"}


@pytest.fixture
def limited(fresh):
    """Makes an app with limits, and one proxy in front that says where phones are."""
    return partial(fresh, TESTING=True, PROXIES=1)


@pytest.fixture(autouse=True)
def later(monkeypatch):
    """The clock of the counts stands still, ten seconds into an hour; this puts it forward by some seconds."""
    at = time.time() // 3600 * 3600 + 10

    def forward(seconds):
        nonlocal at
        at += seconds

    monkeypatch.setattr(time, "time", lambda: at)
    return forward


def ask(client, path, at, data=None):
    """The answer to a phone at that network address, to a GET, or to a POST where there are data."""
    headers = {"X-Forwarded-For": at}
    if data is None:
        return client.get(path, headers=headers)
    return client.post(path, data=data, headers=headers | OURS)


def start(client, at="127.0.0.1"):
    """The answer to the start of a new game of four."""
    fields = {"act": new_key(), "do": "start", "order": "own", "plan": "2,1", "trump": "untracked"}
    fields |= {f"players-{seat}": name for seat, name in enumerate(FOUR)}
    return ask(client, "/new", at, fields)


GUESSES = {
    "games": lambda client, at: ask(client, f"/g/{new_code()}", at),
    "versions": lambda client, at: ask(client, f"/g/{new_code()}/version", at),
    "books": lambda client, at: ask(client, f"/b/{new_code()}/players", at),
    "invitations": lambda client, at: ask(client, f"/k/{new_key()}", at),
    "invitations taken": lambda client, at: ask(client, f"/k/{new_key()}", at, {}),
    "codes": lambda client, at: ask(client, "/watch", at, {"code": "ABCDEF"}),
    "codes taken": lambda client, at: ask(client, "/watch", at, {"code": "ABCDEF", "keep": "y"}),
}


@pytest.mark.target("S15")
def test_guessing_stops_after_30_misses_a_minute(limited, later):
    """Whatever is guessed counts together; then even a hit is refused, by a page that says for how long."""
    app = limited()
    keeper, guesser = app.test_client(), app.test_client()
    code = start(keeper).location.split("/")[2]
    for at in range(30):
        answer = list(GUESSES.values())[at % len(GUESSES)](guesser, "198.51.100.7")
        assert answer.status_code in (404, 422)
    for guess in (*GUESSES.values(), lambda client, at: ask(client, f"/g/{code}", at)):
        answer = guess(guesser, "198.51.100.7")
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) == 50
    assert "Wait a moment" in answer.text
    assert "Try again in 1 minute." in answer.text
    assert ask(guesser, f"/g/{code}", "198.51.100.8").status_code == 200, "the neighbours are not to suffer"
    assert ask(guesser, "/", "198.51.100.7").status_code == 200
    assert ask(keeper, f"/g/{code}", "198.51.100.7").status_code == 200, (
        "nor is a keeper behind the same address"
    )
    later(61)
    assert ask(guesser, f"/g/{code}", "198.51.100.7").status_code == 200


@pytest.mark.target("S15")
def test_every_kind_of_guess_is_counted(limited):
    """Each alone is stopped at the 31st, a household of IPv6 as one."""
    client = limited().test_client()
    for net, (what, guess) in enumerate(GUESSES.items()):
        answers = [guess(client, f"2001:db8:1:{net}:{at:x}::{at:x}").status_code for at in range(31)]
        assert set(answers[:30]) <= {404, 422}, what
        assert answers[30] == 429, what


@pytest.mark.target("S15")
def test_eight_phones_that_watch_are_never_hindered(limited):
    """600 looks within a minute from behind one address, some at a game that is deleted meanwhile: no 429."""
    app = limited()
    keeper, watcher = app.test_client(), app.test_client()
    code = start(keeper).location.split("/")[2]
    deleted = start(keeper).location.split("/")[2]
    with app.app_context():
        game = Game.find(deleted)
        game.delete(game.started)
        db.session.commit()
    began = time.monotonic()
    looks = [ask(watcher, f"/g/{code}/version", "198.51.100.7").status_code for _ in range(530)]
    looks += [ask(watcher, f"/g/{code}", "198.51.100.7").status_code for _ in range(20)]
    assert set(looks) == {200}
    assert {ask(watcher, f"/g/{deleted}/version", "198.51.100.7").status_code for _ in range(50)} == {404}
    assert time.monotonic() - began < 60
    assert ask(watcher, f"/g/{code}", "198.51.100.7").status_code == 200


NETWORKS = {
    "198.51.100.{}": "198.51.101.1",
    "2001:db8:1:2::{}": "2001:db8:1:3::1",
    "::ffff:203.0.113.{}": "203.0.114.1",
}
"""Neighbours, and somebody who is none of them."""


@pytest.mark.target("S14")
def test_ten_games_an_hour_from_one_network(limited, later):
    """A /24 or a /64 starts ten games or books an hour; the eleventh is kept in the page to be sent again."""
    app = limited()
    book = {"act": "a-tap-of-its-own", "name": "Family"}
    for network, stranger in NETWORKS.items():
        for at in range(9):
            assert start(app.test_client(), network.format(at)).status_code == 302
        client, tenth = app.test_client(), network.format(10)
        assert ask(client, "/books", tenth, book).status_code == 302
        assert ask(client, "/books", tenth, book).status_code == 302, "the same book once more"
        other = app.test_client()
        for answer in (ask(other, "/books", tenth, book), start(other, tenth)):
            assert answer.status_code == 429
            assert int(answer.headers["Retry-After"]) == 3590
            assert "Too many games were started from your network" in answer.text
        assert 'name="players-0" value="Ada"' in answer.text
        assert ask(other, "/new", tenth, {"do": "add", "newcomers": "Ada"}).status_code == 200
        assert start(other, stranger).status_code == 302
    later(3601)
    assert start(other, tenth).status_code == 302


@pytest.mark.target("S14")
def test_house_rules_that_begin_a_book_count_as_one(limited):
    """Ten phones that kept nothing before keep rules, the eleventh does not; who has a book keeps as many as wanted."""
    app, neighbour = limited(), "198.51.100.7"

    def keep(client, name):
        fields = {"act": new_key(), "do": "keep", "name": name, "pattern": "seed-base"}
        return ask(client, "/house-rules/new", neighbour, fields).status_code

    phones = [app.test_client() for _phone in range(11)]
    assert [keep(each, "Ours") for each in phones] == [302] * 10 + [429]
    assert keep(phones[0], "Theirs") == 302


@pytest.mark.target("S14")
def test_twenty_invitations_an_hour(limited):
    """A keeper who is not who it seems cannot fill the database with keys."""
    client = limited().test_client()
    code = start(client).location.split("/")[2]
    with client.application.app_context():
        at = f"/b/{Game.find(code).book.code}/keepers"
    makes = [
        ask(client, f"{at}/{what}", "198.51.100.7", {"act": new_key()}).status_code
        for what in ("invite", "recovery") * 10
    ]
    assert set(makes) == {302}
    answer = ask(client, f"{at}/invite", "198.51.100.7", {"act": new_key()})
    assert answer.status_code == 429
    assert "Too many invitations" in answer.text


def test_who_sits_at_the_server_starts_as_many_games_as_wanted(limited):
    """A demo, a test, an evening of very short games on this very computer: nothing is counted but guesses."""
    client = limited().test_client()
    assert {start(client).status_code for _game in range(15)} == {302}


def test_the_address_is_the_phones_own_only_where_a_proxy_is_trusted(limited):
    """Without the setting a made-up header changes nothing: all guesses are counted for who really asks."""
    client = limited(PROXIES=0).test_client()
    answers = [ask(client, f"/g/{new_code()}", f"198.51.{at}.7").status_code for at in range(31)]
    assert answers == [404] * 30 + [429]


def test_an_odd_address_is_one_too(limited):
    """What a proxy passes on may be anything; the page comes."""
    client = limited().test_client()
    for at in ("", "nonsense", "1.2.3.4.5", "fe80::1%eth0", "::ffff:1.2.3.4", "1.2.3.4:80", "[::1]"):
        assert ask(client, f"/g/{new_code()}", at).status_code == 404


def test_counts_go_when_their_time_is_over(limited, later):
    """Networks that guessed once, by the hundred, leave nothing behind some minutes later."""
    app = limited()
    client = app.test_client()
    (limiter,) = app.extensions["limiter"]
    for at in range(100):
        ask(client, f"/g/{new_code()}/version", f"198.51.100.{at}")
    assert len(limiter.storage.storage) == 100
    later(180)
    ask(client, f"/g/{new_code()}/version", "203.0.113.1")
    deadline = time.monotonic() + 5
    while len(limiter.storage.storage) > 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [len(each) for each in (limiter.storage.storage, limiter.storage.expirations)] == [1, 1]
    assert not limiter.storage.events


class Away(MemoryStorage):
    """A storage that several servers share, and that is away for a while."""

    STORAGE_SCHEME = ("away",)
    asked, is_away = 0, True

    def _answer(self):
        type(self).asked += 1
        if self.is_away:
            raise ConnectionError("app:hidden@counts.example refused")

    def get_sliding_window(self, key, expiry):
        """Asked by every look at the counts."""
        self._answer()
        return super().get_sliding_window(key, expiry)

    def acquire_sliding_window_entry(self, key, limit, expiry, amount=1):
        """Asked by everything that is counted."""
        self._answer()
        return super().acquire_sliding_window_entry(key, limit, expiry, amount)


def test_a_storage_that_is_away_costs_nobody_a_page(limited, monkeypatch, caplog):
    """Each process counts for itself then, asks again after some seconds, and says so without a password."""
    client = limited(RATELIMIT_STORAGE_URI="away://app:hidden@counts.example").test_client()
    clock = time.monotonic()
    monkeypatch.setattr(limits.time, "monotonic", lambda: clock)
    assert start(client).status_code == 302
    answers = [ask(client, f"/g/{new_code()}", "198.51.100.7").status_code for _guess in range(31)]
    assert answers == [404] * 30 + [429]
    assert Away.asked == 1
    assert "does not answer" in caplog.text
    assert "hidden" not in caplog.text
    clock += limits.NOT_ASKED_FOR + 1
    monkeypatch.setattr(Away, "is_away", False)
    assert ask(client, f"/g/{new_code()}", "198.51.100.7").status_code == 404
    assert Away.asked > 1


@pytest.mark.parametrize("given", ["-1", "one", "1.5", "²", "1000"])
def test_a_wrong_number_of_proxies_stops_the_start(tmp_path, monkeypatch, given):
    """It says in plain words what is wanted."""
    monkeypatch.setenv("SCOREBOOK_PROXIES", given)
    with pytest.raises(SystemExit, match="number of proxies"):
        create_app({"DATA_FOLDER": tmp_path})
