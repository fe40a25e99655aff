"""Safe by default: headers, limits, secrets, and whatever anybody sends."""

from __future__ import annotations

import json
import math
import random
import re
import sqlite3
import stat
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from flask import Response, abort
from sqlalchemy.exc import OperationalError
from werkzeug.exceptions import TooManyRequests

from app import create_app
from codes import new_code, new_key
from models import Game, Hand, db
from rules import bookfile, record

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


# Headers


def check_headers(answer):
    """What every answer carries, whatever it is."""
    policy = dict(each.strip().split(" ", 1) for each in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    for name in ("object-src", "base-uri", "frame-ancestors"):
        assert policy[name] == "'none'"
    assert policy["form-action"] == "'self'"
    assert "unsafe" not in str(policy)
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "noindex" in answer.headers["X-Robots-Tag"]


@pytest.mark.target("S6")
@pytest.mark.target("S7")
def test_every_answer_carries_the_headers(table):
    """Pages, redirects, files and errors alike; only files with their content in the name are kept by caches."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    client, ours = table.phone.client, {"Origin": "http://localhost"}
    game = f"/g/{table.code}"
    answers = {
        200: [
            client.get(path)
            for path in ("/", "/new", game, f"{game}/hands/1", f"{game}/rules", "/robots.txt")
        ],
        302: [client.post("/settings", headers=ours)],
        400: [client.post(f"{game}/undo", headers=ours)],
        403: [client.post(f"{game}/undo")],
        404: [
            client.get(path) for path in ("/nothing", "/g/nothing", f"{game}/hands/3/x", "/static/nothing")
        ],
        405: [client.put("/", headers=ours), client.delete(game, headers=ours)],
        413: [client.post("/new", data={"plan": "1" * 70_000}, headers=ours)],
        422: [client.post("/new", data={"do": "start", "act": "a-tap-of-its-own"}, headers=ours)],
    }
    for status, those in answers.items():
        for answer in those:
            assert answer.status_code == status, answer.request.path
            check_headers(answer)
            assert answer.headers["Cache-Control"] == "no-store"
    stamped = table.phone.page.find("link", rel="stylesheet")["href"]
    file = client.get(stamped, buffered=True)
    check_headers(file)
    assert file.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert not file.headers.get("Set-Cookie")


def test_a_failure_of_our_own_is_a_page_too(fresh):
    """Without its tables the server says that nothing was saved, with all headers and without a trace."""
    app = fresh(migrated=False)
    answer = app.test_client().get("/g/any")
    assert answer.status_code == 500
    check_headers(answer)
    assert "Something went wrong on our side." in answer.text
    assert "Traceback" not in answer.text
    assert "sqlite" not in answer.text


@pytest.mark.target("S7")
def test_https_is_asked_for_again_only_over_https(app, empty):
    """Strict-Transport-Security is for https; on plain http it would say nothing."""
    client = app.test_client()
    assert "Strict-Transport-Security" not in client.get("/").headers
    secure = client.get("/", base_url="https://localhost")
    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"


# Errors


@pytest.mark.target("S13")
@pytest.mark.parametrize(
    ("path", "help_given"),
    [
        ("/g/nothing", "No game has this address."),
        ("/g/nothing/hands/1", "No game has this address."),
        ("/g/%00", "No game has this address."),
        ("/g/%ff%fe/hands/1", "No game has this address."),
        ("/k/nothing", "This invitation was used already, or its time is over."),
        ("/k/%00", "This invitation was used already, or its time is over."),
        ("/nothing", "The address may be mistyped."),
        ("/static/../app.py", "The address may be mistyped."),
        ("/static/%2e%2e/app.py", "The address may be mistyped."),
        ("/static/..%2fapp.py", "The address may be mistyped."),
        ("/static//etc/passwd", "The address may be mistyped."),
        ("/console", "The address may be mistyped."),
        ("/.git/config", "The address may be mistyped."),
        ("/data/secret", "The address may be mistyped."),
    ],
)
def test_an_unknown_address_is_a_page_that_helps(phone, path, help_given):
    """It says what may have happened, and leads to the first page."""
    phone.get(path, 404)
    assert help_given in phone.text
    phone.follow("To the first page")
    assert phone.address == "/"


def test_a_hand_that_is_not_dealt_yet_shows_the_one_that_is(table):
    """An address typed ahead leads to where the game stands; hand 0 is none."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    for number in (0, 2, 10**30):
        table.phone.get(f"/g/{table.code}/hands/{number}")
        assert table.hand == 1


def test_after_the_end_there_is_no_next_hand(table):
    """A finished game has no hand beyond its last."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    table.phone.get(f"/g/{table.code}/hands/2", 404)
    assert "This hand has not been dealt yet." in table.phone.text


@pytest.mark.target("S13")
@pytest.mark.parametrize("method", ["TRACE", "PUT", "PATCH", "DELETE", "CONNECT"])
def test_other_methods_are_refused(app, empty, method):
    """Looking and posting is all there is."""
    answer = app.test_client().open("/", method=method, headers={"Origin": "http://localhost"})
    assert answer.status_code == 405
    assert "That cannot be done here" in answer.text


@pytest.mark.target("S13")
def test_no_request_turns_into_another_method(table, rows):
    """A GET stays one, whatever a header or a field claims."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    before = rows()
    path = f"/g/{table.code}/hands/1/bids?_method=POST&act=a-tap-of-its-own&seat=0&bid=1"
    answer = table.phone.client.get(path, headers={"X-HTTP-Method-Override": "POST"})
    assert (answer.status_code, answer.location) == (302, f"/g/{table.code}/hands/1")
    assert rows() == before


@pytest.mark.target("S13")
def test_nothing_can_be_debugged_from_outside(app, fresh):
    """No debugger, no interactive trace."""
    assert not fresh().debug
    assert not app.debug


# Limits


@pytest.mark.target("S14")
@pytest.mark.parametrize("path", ["/new", "/settings"])
def test_a_body_beyond_64_kib_is_too_much(phone, path):
    """It is refused with a page before anybody reads it."""
    phone.post(path, {"plan": "1" * 64 * 1024}, 413)
    assert "That is too much at once" in phone.text


@pytest.mark.pages
def test_what_is_too_large_to_be_read_is_still_answered_with_a_page(phone, table, monkeypatch):
    """The database is locked, or somebody has guessed too often: the page comes, and repeats nothing of the form."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    with phone.client.application.app_context():
        book = table.game().book.code

    def locked():
        raise OperationalError("BEGIN IMMEDIATE", {}, sqlite3.OperationalError("database is locked"))

    def guessed(_limit):
        raise TooManyRequests("guesses", retry_after=50)

    phone.client.application.testing = False
    monkeypatch.setattr("app.begin_writing", locked)
    for sent, is_repeated in (({"text": "cards"}, True), ({"text": "x" * 100_000}, False)):
        phone.post(f"/b/{book}/import", sent, 500)
        assert "Not saved" in phone.text
        assert phone.has("again") == is_repeated
    monkeypatch.undo()
    phone.client.application.testing = True
    monkeypatch.setattr("views.limits.refuse", guessed)
    phone.post(f"/g/{new_code()}/undo", {"act": "x" * 70_000}, 429)
    assert "Wait a moment" in phone.text
    assert not phone.has("again")


@pytest.mark.target("S14")
def test_more_than_200_parts_are_too_many(phone):
    """A form of 201 parts is refused, one of 200 is read."""
    parts = {f"part-{number}": "1" for number in range(201)}
    phone.post("/new", parts, 413, **{"Content-Type": "multipart/form-data"})
    parts.pop("part-0")
    phone.post("/new", parts, **{"Content-Type": "multipart/form-data"})


# Secrets


@pytest.mark.target("S12")
@pytest.mark.parametrize(
    "secret",
    ["x", "x" * 31, "changeme" * 5, "dev" + "x" * 40, "SECRET" + "0" * 40, "your-secret-key-goes-here" * 2],
)
def test_a_weak_secret_stops_the_start(tmp_path, monkeypatch, secret):
    """A sample key or a short one is no key."""
    monkeypatch.setenv("SECRET_KEY", secret)
    with pytest.raises(SystemExit, match="forge a keeper's cookie"):
        create_app({"DATA_FOLDER": tmp_path})


@pytest.mark.target("S12")
def test_a_missing_secret_is_made_once_and_kept(tmp_path, monkeypatch):
    """It lies beside the database, for its owner alone, and the next start uses it again."""
    monkeypatch.delenv("SECRET_KEY", raising=False)
    first = create_app({"DATA_FOLDER": tmp_path}).config["SECRET_KEY"]
    assert len(first) >= 32
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert create_app({"DATA_FOLDER": tmp_path}).config["SECRET_KEY"] == first
    other = tmp_path / "another installation"
    assert create_app({"DATA_FOLDER": other}).config["SECRET_KEY"] != first


def test_a_secret_that_cannot_be_kept_stops_the_start(tmp_path, monkeypatch):
    """What lies there and is no file is said in plain words."""
    monkeypatch.delenv("SECRET_KEY", raising=False)
    (tmp_path / "secret").mkdir()
    with pytest.raises(SystemExit) as stop:
        create_app({"DATA_FOLDER": tmp_path})
    assert str(tmp_path) in str(stop.value)


def test_an_answer_that_was_made_is_given(fresh):
    """A refusal that brings its own answer is no error page."""
    app = fresh()
    app.add_url_rule("/own", "own", lambda: abort(Response("so be it", 418)))
    answer = app.test_client().get("/own")
    assert (answer.status_code, answer.text) == (418, "so be it")


def test_many_phones_make_room_for_others(fresh, monkeypatch):
    """What cookies said is forgotten where there are too many, and proven again."""
    monkeypatch.setattr("app.MOST_COOKIES", 1)
    app = fresh()
    for _phone in range(3):
        client = app.test_client()
        client.get("/new")
        assert client.get("/new").status_code == 200
    assert len(app.session_interface._known) == 1


def test_room_that_another_thread_makes_costs_nobody_a_page(fresh):
    """What was known of a cookie is gone the moment after somebody has asked whether it is known."""

    class Emptied(dict):
        def __contains__(self, key):
            there = super().__contains__(key)
            self.clear()
            return there

    app = fresh()
    client = app.test_client()
    client.get("/new")
    client.get("/new")
    app.session_interface._known = Emptied(app.session_interface._known)
    assert client.get("/new").status_code == 200


@pytest.mark.target("S1")
def test_secrets_are_long_and_from_chance(monkeypatch):
    """What opens something is drawn by `secrets`, with at least 128 bits; only spoken codes are short."""
    drawn = []
    monkeypatch.setattr("codes.secrets.choice", lambda among: drawn.append(len(among)) or among[0])
    monkeypatch.setattr("codes.secrets.token_urlsafe", lambda size: drawn.append(256**size) or "drawn")
    new_code()
    assert math.log2(math.prod(drawn)) >= 128
    drawn.clear()
    assert new_key() == "drawn"
    assert math.log2(math.prod(drawn)) >= 128


@pytest.mark.target("S9")
def test_no_secret_stands_where_it_does_not_belong(table, other_phone, rows, caplog):
    """Keys are on the page that hands them out, and in no title, error page, redirect, log, record or row."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked", hook=False)
    with table.phone.client.application.app_context():
        at = f"/b/{table.game().book.code}/keepers"
    said, keys = [], []
    for make in ("invite", "recovery"):
        table.phone.get(at)
        table.phone.tap(make)
        key = table.phone.page.select_one(".share-address").get_text().rpartition("/")[2]
        keys.append(key)
        said += [table.phone.page.title.get_text(), table.phone.address]
        other_phone.get(f"/k/{key}")
        said.append(other_phone.page.title.get_text())
        other_phone.tap("accept")
        said += [other_phone.address, str(other_phone.page)]
        said.append(str(table.phone.get(at)))
    other_phone.get(f"/k/{keys[0]}", 404)
    said.append(str(other_phone.page))
    table.open(1).play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    for path in ("", "/log", "/share", "/table", "/rules"):
        said.append(str(table.phone.get(f"/g/{table.code}{path}")))
    with table.phone.client.session_transaction() as cookie:
        keys.append(cookie["phone"])
    with table.phone.client.application.app_context():
        said.append(json.dumps(record.write(table.game().record())))
        hashes = [row[2] for row in rows("keeper")["keeper"]]
    said += [caplog.text, str(rows())]
    for secret in keys:
        assert not [each for each in said if secret in each], "the secret itself"
    assert not [each for each in said[:-1] if any(stored in each for stored in hashes)], (
        "what is stored of it"
    )


@pytest.mark.target("S8")
def test_our_files_ask_nobody_else():
    """No style, script or picture of ours names another host; the pages' own links are looked at by `Phone`."""
    files = [
        each
        for each in (Path(__file__).parents[2] / "static").rglob("*")
        if each.suffix in (".css", ".js", ".svg")
    ]
    assert len(files) >= 20
    for file in files:
        others = re.findall(r"(?:https?:)?//[\w.-]+\.\w+", file.read_text(encoding="utf-8"))
        assert set(others) <= {"http://www.w3.org"}, file


# Hosts


@pytest.mark.target("S17")
@pytest.mark.parametrize(
    "forged", ["elsewhere.example", "scores.example:8000", "scores.example.elsewhere.example", ""]
)
def test_a_forged_host_gets_into_no_link(fresh, forged):
    """Where the hosts are set, no other is answered, whether forged directly or through the proxy."""
    app = fresh(TESTING=True, HOSTS=["scores.example"], HTTPS=True, PROXIES=1)
    client = app.test_client()
    code = _game_by(client, "https://scores.example")
    answer = client.get(f"/g/{code}/share", base_url="https://scores.example")
    assert f"https://scores.example/g/{code}<" in answer.text
    assert client.get("/", base_url="https://SCORES.example").status_code == 200
    for base, headers in (
        (None, {"Host": forged}),
        ("https://scores.example", {"X-Forwarded-Host": forged or "elsewhere.example"}),
    ):
        answer = client.get(f"/g/{code}/share", base_url=base, headers=headers)
        assert answer.status_code == 400
        assert "does not answer under this name" in answer.text
        assert "elsewhere" not in answer.text
        assert "qr" not in answer.text


@pytest.mark.target("S17")
@pytest.mark.target("T12")
@pytest.mark.parametrize("host", ["x" * 64, "a..b"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_host_that_is_no_name_is_refused(fresh, host, method):
    """Where any host is answered, one that cannot be is told so in a line, with the headers of every answer."""
    answer = fresh(TESTING=True).test_client().open("/new", method=method, headers={"Host": host})
    assert answer.status_code in (400, 403)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.target("S17")
def test_links_of_the_commands_have_the_host_of_the_settings(fresh, monkeypatch):
    """`flask keeper` prints what the phone can open."""
    monkeypatch.setenv("SCOREBOOK_HOST", "Scores.example, 192.0.2.7:8000")
    monkeypatch.setenv("SCOREBOOK_HTTPS", "1")
    app = fresh(TESTING=True)
    code = _game_by(app.test_client(), "https://192.0.2.7:8000")
    done = app.test_cli_runner().invoke(args=["keeper", code])
    assert re.fullmatch(r"https://scores\.example/k/\S{32}\n", done.output)


# Redirects


@pytest.mark.target("S16")
@pytest.mark.parametrize(
    "target",
    ["//elsewhere.example", "/\\elsewhere.example", "https://elsewhere.example", "%2f%2felsewhere.example"],
)
def test_nobody_is_sent_elsewhere(app, empty, target):
    """No field, no header and no odd path leads to another host."""
    client = app.test_client()
    fields = dict.fromkeys(("back", "next", "url", "return", "return_to", "redirect", "theme"), target)
    answer = client.post(
        "/settings",
        data=fields,
        query_string=fields,
        headers={"Origin": "http://localhost", "Referer": target},
    )
    assert answer.location == "/settings"
    answer = client.get("/", environ_overrides={"PATH_INFO": f"/{target}"})
    assert "elsewhere.example" not in answer.headers.get("Location", "").removeprefix("http://localhost/")


# Names


XSS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title><script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{{7*7}}{% raw %}",
    "%(name)s %s %d",
    "&ltb&gt &amp &#60b",
    "</bdi></table><form action=//x>",
    "<!-- --><style>*{}</style>",
    "\\u003cscript\\u003e",
)


@pytest.mark.target("S10")
@pytest.mark.parametrize("names", [XSS[:6], XSS[6:]])
def test_names_are_never_mark_up(table, names):
    """In every phase and on every page a hostile name is text; the driver checks each page for scripts."""
    table.start(*names, dealer=5, order="own", plan="2,1", no_trump_on="never", hook=True)
    pages = [table.phone.page]

    def look(*more):
        pages.extend([table.phone.page, *more])

    table.trump("hearts").bid_one(1)
    look()
    table.phone.get(f"/g/{table.code}/hands/1?seat=0")
    look()
    table.open(1).bid(1, 0, 0, 0, 0, 0)
    look()
    table.phone.tap("tally-0")
    look()
    table.over()
    look()
    table.took(1, 0, 1, 0, 0, 0)
    look(table.phone.get(f"/g/{table.code}/hands/1"), table.sheet(), table.phone.get("/"))
    table.phone.get(f"/g/{table.code}/hands/2")
    table.play(bids=[0] * 6, tricks=[1, 0, 0, 0, 0, 0])
    look(table.phone.get("/"), table.phone.get("/new"), table.phone.get(f"/new?again={table.code}"))
    table.phone.tap("up-1")
    table.phone.send(table.phone.button("start"), 422, **{"players-2": names[0].upper()})
    look()
    for page in pages:
        assert len(page.select("script")) == len(page.select("script[src^='/static/']"))
        assert not page.select("img, iframe, form[action^='//'], style")
    assert names[0] in pages[1].get_text()


# Whatever anybody sends


HOSTILE = ("\0", "²", "9" * 5000, "-1", "1e3", "١", "\ud800", "x" * 5000, "[]", "' OR 1=1 --", "../..", "\n")


@pytest.mark.pages
@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
def test_no_field_breaks_the_set_up(phone, value):
    """Each field of the form holding each odd value is answered with a page."""
    value = value.encode("utf-8", "surrogatepass")
    phone.get("/new")
    phone.send(phone.button("add"), newcomers=",".join(FOUR))
    fields = phone.filled(phone.button("start").find_parent("form"))
    for name in (*fields, "newcomers", "do", "hook", "players-²", "players-" + "9" * 5000):
        for do in ("add", "start", "up:0", "up:" + "9" * 5000, "add:\0", "out:²"):
            sent = {**fields, "act": "", "do": do, name: value}
            answer = phone.client.post("/new", data=sent, headers={"Origin": "http://localhost"})
            assert answer.status_code in (200, 302, 422), (name, do)
            if name in ("players-²", "do", "hook"):
                break


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
def test_no_field_breaks_a_hand(table, value):
    """Each verb with each of its fields holding an odd value is answered with a page."""
    value = value.encode("utf-8", "surrogatepass")
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    usual = {
        "trump": {"trump": "hearts", "was": ""},
        "bids": {"seat": "0", "bid": "1", "was": "", "insist": ""},
        "tally": {"seat": "0", "tricks": "1", "was": ""},
        "over": {},
        "tricks": {"seat": "0", "tricks": "1", "was": ""},
        "score": {"tricks-0": "1", "was-0": "", "confirmed": ""},
    }
    for verb, fields in usual.items():
        for name in ("act", *fields):
            sent = {"act": "a-tap-of-its-own", **fields, name: value}
            answer = table.phone.client.post(
                f"/g/{table.code}/hands/1/{verb}", data=sent, headers={"Origin": "http://localhost"}
            )
            assert answer.status_code in (302, 400, 409, 422), (verb, name)
    sent = {"act": "a-tap-of-its-own", "change": value}
    answer = table.phone.client.post(
        f"/g/{table.code}/undo", data=sent, headers={"Origin": "http://localhost"}
    )
    assert answer.status_code in (302, 400, 409)


def test_no_field_of_a_page_keeps_what_no_book_can_keep(table, rows):
    """NUL in every text of every form is a blank or refused, and what is kept comes into another book."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0])
    phone, game = table.phone, f"/g/{table.code}"
    with phone.client.application.app_context():
        book = f"/b/{table.game().book.code}"
    pages = (f"{game}/table", f"{game}/hands/1/correct", f"{book}/players", f"{book}/keepers", f"{book}/past")
    for page in (*pages, "/house-rules/new", "/new"):
        for at in range(len(phone.get(page).select("main form"))):
            form = phone.get(page).select("main form")[at : at + 1]
            if form and not form[0]["action"].partition("#")[0].endswith(LEAVING):
                send_nul(phone, form[0])
    assert "\\x00" not in str(rows())
    assert str(rows("adjustment", "player", "game", "keeper", "book", "house_rules")).count("a b") >= 9
    told = phone.client.get(f"{book}/book.json").get_data(as_text=True)
    assert bookfile.read(json.loads(told)).games


LEAVING = ("/remove", "/replace", "/leave", "/undo", "/end")
"""Forms that end what others are sent to, and hold no text."""


def send_nul(phone, form):
    """Send a form with NUL in each of its texts, and whatever else it must have."""
    sent = phone.filled(form)
    for at, field in enumerate(form.select("input[name]")):
        name, value = field["name"], field.get("value", "")
        if field.get("type") == "date" or field.get("inputmode") == "numeric" or name.startswith("totals-"):
            sent[name] = value or ("2026-01-31" if field.get("type") == "date" else "1")
        elif field.get("type", "text") == "text":
            sent[name] = f"{value}a\0b {at}"
    # The last one is what a form is there for.
    sent |= {button["name"]: button["value"] for button in form.select("button[name][value]")}
    answer = phone.client.post(form["action"], data=sent, headers={"Origin": "http://localhost"})
    assert answer.status_code in (302, 400, 409, 422), (form["action"], sent)


@pytest.mark.parametrize(
    "query", ["again=%00", "again=%ff", "seat=%00", "seat=99999999999999999999", "show=%00", "players=%00"]
)
def test_no_question_breaks_a_page(table, query):
    """What stands behind the question mark of an address is used where it makes sense, and never breaks."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    for path in ("/new", f"/g/{table.code}/hands/1", f"/g/{table.code}", "/rules/classic"):
        table.phone.get(f"{path}?{query}")


@pytest.mark.long
@pytest.mark.timeout(180)
def test_2000_random_posts_break_nothing(fresh):
    """Seeded nonsense, mixed with buttons of the pages: no failure, and the log explains every row."""
    app = fresh(TESTING=True, RATELIMIT_ENABLED=False)
    chance = random.Random(20_260_131)
    client, statuses = app.test_client(), {}
    addresses = sorted(rule.rule for rule in app.url_map.iter_rules() if "POST" in rule.methods)
    names = (
        "act",
        "seat",
        "bid",
        "was",
        "insist",
        "tricks",
        "trump",
        "change",
        "confirmed",
        "do",
        "players-0",
    )
    names += (
        "players-1",
        "order",
        "plan",
        "largest",
        "hands",
        "missed",
        "dealer",
        "theme",
        "language",
        "letters",
        "tricks-0",
        "was-0",
    )
    values = (
        "",
        "0",
        "1",
        "2",
        "y",
        "hearts",
        "none",
        "start",
        "add:Ada",
        "up:0",
        "own",
        "1..3",
        *HOSTILE[:5],
        "?",
    )
    started, buttons = [_game_by(client)], []
    for at in range(2000):
        code = chance.choice(started)
        if chance.random() < 0.2:
            buttons = list(_buttons(client, code))
        if buttons and chance.random() < 0.6:
            address, fields = chance.choice(buttons)
            fields = dict(fields)
        else:
            address, fields = chance.choice(addresses), {}
        if chance.random() < 0.4:
            fields |= {chance.choice(names): chance.choice(values) for _ in range(chance.randint(1, 6))}
        for place, value in {"<code>": code, "<int:number>": str(chance.randint(1, 3)), "<key>": "x"}.items():
            address = address.replace(place, value)
        answer = client.post(address, data=fields, headers={"Origin": "http://localhost"})
        statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
        if at % 500 == 250:
            started.append(_game_by(client))
    assert set(statuses) <= {200, 302, 400, 404, 409, 422}, statuses
    assert statuses[302] > 300, "many of them reached a verb"
    with app.app_context():
        games = db.session.scalars(db.select(Game)).all()
        assert sum(len(game.changes) for game in games) > 200
        for game in games:
            _check_explained(game)


def _game_by(client, base="http://localhost"):
    """A game of four, three hands, started by that client; its code."""
    fields = {"act": new_key(), "do": "start", "order": "own", "plan": "2,1,2", "hook": "y"}
    fields |= {f"players-{seat}": name for seat, name in enumerate(FOUR)}
    answer = client.post("/new", data=fields, base_url=base, headers={"Origin": base})
    return answer.location.split("/")[2]


def _buttons(client, code):
    """All buttons that the game shows its keeper now: where each goes, and what it sends."""
    answer = client.get(f"/g/{code}/hands/9", follow_redirects=True)
    if answer.status_code == 404:
        answer = client.get(f"/g/{code}")
    page = BeautifulSoup(answer.text, "html.parser")
    for button in page.select("form[method=post] button"):
        form = button.find_parent("form")
        fields = {field["name"]: field.get("value", "") for field in form.select("input[type=hidden]")}
        yield form["action"], fields | ({button["name"]: button["value"]} if button.get("name") else {})


def _check_explained(game):
    """Every closed hand adds up, what is stored is what follows, and taking all back leaves the first deal."""
    sheet = game.sheet()
    for trouble in sheet.problems():
        assert trouble.place.endswith("].bids"), trouble
        assert any(change.kind == "bid" for change in game.changes)
    for hand in sheet.played:
        assert sum(hand.took) == hand.cards
        assert None not in hand.bids
    assert [seat.total for seat in game.seats] == (list(sheet.totals) if sheet.outcome else [None] * 4)
    assert (game.finished is None) is (sheet.outcome is None)
    stored = {("hand", hand.id): hand for hand in game.hands}
    stored |= {("entry", entry.id): entry for hand in game.hands for entry in hand.entries}
    logged = {}
    for change in game.changes:
        for table, row, before, after in change.steps if not change.is_undone else ():
            known = logged.get((table, row), {})
            assert before is None or all(known.get(column, old) == old for column, old in before.items())
            logged.setdefault((table, row), {}).update(after)
    assert set(logged) <= set(stored)
    assert [hand.number for key, hand in stored.items() if key[0] == "hand"] == sorted(
        {1} | {row["number"] for (table, _), row in logged.items() if table == "hand" and "number" in row}
    )
    for key, row in stored.items():
        first = {"is_over": False, "is_closed": False} if isinstance(row, Hand) else _NOTHING
        for column, value in (first | logged.get(key, {})).items():
            assert getattr(row, column) == value, (key, column)


_NOTHING = {"bid": None, "tally": None, "took": None, "is_blind": False, "is_absent": False}
