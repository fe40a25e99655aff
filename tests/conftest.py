"""What every test may ask for."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import create_engine, event, make_url, select
from werkzeug.test import TestResponse

from app import create_app
from models import Base, Book, Game, db


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of an empty PostgreSQL database, on a server of its own that is gone after the tests."""
    programs = postgresql_programs()
    # Not pytest's own temporary folder: that is root's alone, and its long name does not fit a socket.
    folder = Path(tempfile.mkdtemp(prefix="scorebook-pg-"))
    # PostgreSQL refuses to run as root.
    person: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        person = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), f"--pgdata={folder / 'data'}", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **person)
        if done.returncode:
            log = folder / "log"
            pytest.fail(
                f"{program} failed: {done.stderr}{log.read_text() if log.exists() else ''}", pytrace=False
            )

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # What makes a database safe in a power cut only costs time here.
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": folder,
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    try:
        run("initdb", "--username=app", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        run("pg_ctl", "start", "--wait", "--silent", f"--log={folder / 'log'}", f"--options={options}")
        try:
            yield f"postgresql+psycopg://app@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "--mode=immediate", "--silent")
    finally:
        shutil.rmtree(folder)


def postgresql_programs() -> Path:
    """The folder of PostgreSQL's server programs; Debian keeps them off the PATH, one folder a version."""
    versions = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    with contextlib.suppress(ValueError):
        return max(versions, key=lambda path: int(path.parent.name))
    found = shutil.which("initdb")
    if not found:
        pytest.fail("PostgreSQL's initdb is missing; `make system` says how to install it.", pytrace=False)
    # The programs next to initdb belong to it, not those next to a link to it.
    return Path(found).resolve().parent


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Tells what was measured, in a line; it is printed after all tests, from whichever process it comes."""
    return lambda line: record_property("figure", line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that were measured."""
    reports = [each for every in terminalreporter.stats.values() for each in every]
    told = [
        line
        for each in reports
        if getattr(each, "when", "") == "call"
        for name, line in each.user_properties
        if name == "figure"
    ]
    if told:
        terminalreporter.section("measured")
        for line in sorted(told):
            terminalreporter.write_line(line)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Everything of the app is tried on both databases, but for what is marked to try pages alone."""
    if "app" in metafunc.fixturenames:
        pages_alone = metafunc.definition.get_closest_marker("pages")
        databases = ["sqlite"] if pages_alone else ["sqlite", "postgresql"]
        metafunc.parametrize("app", databases, indirect=True, scope="session")


@pytest.fixture(scope="session")
def app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The app, once on each database, its tables made by the migrations as an operator would make them."""
    # Tests try more than a person would; those of the limits make an app of their own.
    settings: dict[str, Any] = {"TESTING": True, "RATELIMIT_ENABLED": False}
    settings["DATA_FOLDER"] = tmp_path_factory.mktemp("data")
    if request.param == "postgresql":
        settings["SQLALCHEMY_DATABASE_URI"] = request.getfixturevalue("postgresql")
    app = create_app(settings)
    if request.param == "sqlite":
        with app.app_context():
            # What makes a database safe in a power cut only costs time here, too.
            event.listen(
                db.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous = OFF")
            )
    assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[..., Flask]]:
    """Makes an app on an SQLite database of its own; its connections are closed afterwards."""
    made = []

    def make(*, migrated: bool = True, **settings: Any) -> Flask:
        app = create_app({"DATA_FOLDER": tmp_path, **settings})
        made.append(app)
        if migrated:
            assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
        return app

    yield make
    for app in made:
        with app.app_context():
            db.engine.dispose()


@pytest.fixture(scope="session")
def new_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Makes a database on "sqlite" or "postgresql", empty or a copy of one that nobody has open; gives its URL."""
    count = itertools.count()

    def make(kind: str, copied: str = "") -> str:
        if kind == "sqlite":
            file = tmp_path_factory.mktemp("database") / "scorebook.sqlite"
            if copied:
                shutil.copy(copied, file)
            return f"sqlite:///{file}"
        server = make_url(request.getfixturevalue("postgresql"))
        name, template = f"new_{next(count)}", copied or "template1"
        engine = create_engine(server, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        engine.dispose()
        return server.set(database=name).render_as_string(hide_password=False)

    return make


@pytest.fixture
def table_of() -> Callable[..., Table]:
    """A game of another app by its code, kept on the phone that has that key; a phone that only looks has none."""

    def sit(app: Flask, code: str = "", key: str = "") -> Table:
        phone = Phone(app)
        if key:
            with phone.client.session_transaction() as cookie:
                cookie["phone"] = key
        return Table(phone, code)

    return sit


@pytest.fixture
def empty(app: Flask) -> Iterator[None]:
    """An empty database, before and after."""
    yield
    with app.app_context():
        for table in reversed(Base.metadata.sorted_tables):
            db.session.execute(table.delete())
        db.session.commit()
        db.session.remove()


@pytest.fixture
def rows(app: Flask) -> Callable[..., dict[str, list[Any]]]:
    """Reads every row of every table, or of those named: what a request changed is what differs."""

    def read(*tables: str) -> dict[str, list[Any]]:
        with app.app_context():
            return {
                name: [tuple(row) for row in db.session.execute(select(table).order_by(*table.primary_key))]
                for name, table in Base.metadata.tables.items()
                if name in (tables or Base.metadata.tables)
            }

    return read


@pytest.fixture
def book(app: Flask, empty: None) -> Iterator[Book]:
    """A book without a game, inside the app's context."""
    with app.app_context():
        book = Book.start("the key of a phone", datetime(2026, 1, 31, 20, 15, tzinfo=UTC))
        db.session.commit()
        yield book
        db.session.rollback()
        db.session.remove()


@pytest.fixture
def phone(app: Flask, empty: None) -> Phone:
    """A phone that has never been here."""
    return Phone(app)


@pytest.fixture
def other_phone(app: Flask, empty: None) -> Phone:
    """Another phone, with cookies of its own."""
    return Phone(app)


@pytest.fixture
def table(phone: Phone) -> Table:
    """A table whose score is kept on `phone`."""
    return Table(phone)


class Phone:
    """A browser without scripts: it sees pages, follows redirects, and sends the forms it was shown.

    Every page it is shown is checked for what a page of ours must always be.
    """

    def __init__(self, app: Flask) -> None:
        self.client: FlaskClient = app.test_client()
        self.page: BeautifulSoup = BeautifulSoup("", "html.parser")
        self.address = "/"
        self.status = 0
        self.headers: dict[str, str] = {}

    def get(self, address: str, status: int = 200) -> BeautifulSoup:
        """Open an address."""
        return self._show(self.client.get(address, follow_redirects=True), status)

    def post(self, address: str, data: Any, status: int = 200, **headers: str) -> BeautifulSoup:
        """Send fields to an address, as a page of ours would."""
        headers = {"Origin": "http://localhost"} | headers
        return self._show(
            self.client.post(address, data=data, headers=headers, follow_redirects=True), status
        )

    def send(self, button: Tag, status: int = 200, **typed: Any) -> BeautifulSoup:
        """Press a button of the page: its form goes off with everything in it, `typed` on top."""
        form = button.find_parent("form")
        assert form is not None
        fields = {**self.filled(form), **{name: str(value) for name, value in typed.items()}}
        if button.get("name"):
            fields[button["name"]] = button["value"]
        return self.post(form["action"], fields, status)

    def filled(self, form: Tag) -> dict[str, str]:
        """The fields of a form as the page shows them."""
        fields = {
            field["name"]: field.get("value", "")
            for field in form.find_all("input", attrs={"name": True})
            if field.get("type") not in ("radio", "checkbox") or field.has_attr("checked")
        }
        for choice in form.find_all("select"):
            options = choice.find_all("option")
            chosen = next((each for each in options if each.has_attr("selected")), options[0])
            fields[choice["name"]] = chosen.get("value", chosen.get_text())
        return fields

    def house_rules(
        self, start: str = "classic", do: str = "keep", status: int = 200, **fields: Any
    ) -> BeautifulSoup:
        """Change some fields of the form that starts from these rules, and press `keep` or `preview`.

        True and False are what is ticked or not. What was kept stands chosen on the page of a new game then.
        """
        self.get(f"/house-rules/new?start={start}")
        button = self.button(do)
        sent = self.filled(button.find_parent("form")) | {button["name"]: button["value"]}
        for name, value in fields.items():
            sent.pop(name, None)
            if value is not False:
                sent[name] = "y" if value is True else str(value)
        return self.post("/house-rules/new", sent, status)

    @property
    def chosen(self) -> str:
        """The key of the rules that are chosen on the page of a new game."""
        return str(self.page.select_one("input[name=variant][checked]")["value"])

    def button(self, key: str) -> Tag:
        """The button of the page with that `data-key`."""
        found = self.page.find("button", attrs={"data-key": key})
        assert found is not None, f"no button {key} on {self.address}: {self.text}"
        return found

    def tap(self, key: str, status: int = 200) -> BeautifulSoup:
        """Press the button with that `data-key`."""
        return self.send(self.button(key), status)

    def has(self, key: str) -> bool:
        """Whether the page has the button with that `data-key`."""
        return self.page.find("button", attrs={"data-key": key}) is not None

    def follow(self, words: str) -> BeautifulSoup:
        """Open the link that says so."""
        links = [link for link in self.page.find_all("a") if words in " ".join(link.get_text(" ").split())]
        assert links, f"no link {words!r} on {self.address}: {self.text}"
        return self.get(links[0]["href"])

    @property
    def text(self) -> str:
        """What the page says, its blanks as a browser would show them."""
        return " ".join(self.page.get_text(" ").split())

    def _show(self, answer: TestResponse, status: int) -> BeautifulSoup:
        assert answer.status_code == status, f"{answer.status_code} for {answer.request.path}: {answer.text}"
        self.address, self.status = answer.request.path, answer.status_code
        self.headers = dict(answer.headers)
        if answer.mimetype == "text/html":
            self.page = BeautifulSoup(answer.text, "html.parser")
            check_page(self.page)
        return self.page


def check_page(page: BeautifulSoup) -> None:
    """What holds for every page. Each message says what to do."""
    named: dict[str, list[Tag]] = {}
    for each in page.find_all(True):
        named.setdefault(each.name, []).append(each)
        handlers = [name for name in each.attrs if name.startswith("on") or name == "style"]
        assert not handlers, f"No script and no style in the page: {each}"
        for name in ("src", "href", "action"):
            assert not re.match(r"\w+:|//", str(each.get(name, ""))), f"Nothing from elsewhere: {each}"
        assert each.name == "bdi" or "name" not in each.get("class", ()), (
            f"A name may run the other way: it stands in a bdi. {each}"
        )
    ids = [each["id"] for those in named.values() for each in those if each.has_attr("id")]
    assert len(ids) == len(set(ids)), "An id is there once; make it from the seat or the hand."
    assert len(named["h1"]) == 1, (
        "A page has exactly one h1: give it a title block, the base makes the h1 of it."
    )
    heading = " ".join(named["h1"][0].get_text(" ").split())
    title = " ".join(named["title"][0].get_text().split())
    assert title.removeprefix("Error: ").startswith(heading), f"The title {title!r} starts with the h1."
    assert named["html"][0].get("lang"), "The page says its language."
    for form in named.get("form", ()):
        assert form.get("action"), "A form says where it goes, so that it also works from an error page."
        looks = form.get("role") == "search" and form.get("method") == "get"
        assert form.get("method") == "post" or looks, "A form of ours posts; only a search asks."
    labels = [label.get("for") for label in named.get("label", ())]
    for field in (each for kind in ("input", "select", "textarea") for each in named.get(kind, ())):
        if field.get("type") == "hidden":
            continue
        labelled = field.get("aria-label") or field.get("id") in labels or field.find_parent("label")
        assert labelled, f"Every field has a label: {field}"
        for described in str(field.get("aria-describedby", "")).split():
            assert described in ids, f"{described} describes a field, but is not there."
    for button in named.get("button", ()):
        assert button.get("aria-label") or button.get_text(strip=True), (
            f"A button says what it does: {button}"
        )
    for table in named.get("table", ()):
        assert table.find("caption"), "A table has a caption."
        assert table.find("th"), "A table has headings."
    assert all(script.get("src") for script in named.get("script", ())), "Scripts are files."
    assert "style" not in named, "Styles are files."


class Table:
    """A game at a table, kept through the pages of a phone. Bids and tricks are told in seat order."""

    def __init__(self, phone: Phone, code: str = "") -> None:
        self.phone = phone
        self.code = code

    def watched_on(self, phone: Phone) -> Table:
        """The same game on a phone that may only look, at the hand that is played."""
        phone.get(f"/g/{self.code}/hands/{self.hand}")
        return Table(phone, self.code)

    def kept_on(self, phone: Phone) -> Table:
        """The same game on a phone that was invited to keep it, too."""
        with self.phone.client.application.app_context():
            key = self.game().book.invite(datetime.now(UTC))
            db.session.commit()
        phone.get(f"/k/{key}")
        phone.send(phone.page.select_one("form.dock button"))
        return self.watched_on(phone)

    def game(self) -> Game:
        """The rows of the game; asked for in the app's context."""
        game = Game.find(self.code)
        assert game is not None
        return game

    def start(self, *names: str, dealer: int = 0, **switches: Any) -> Table:
        """Seat players and start; `switches` are fields of the form, True and False for what is ticked or not."""
        self.phone.get("/new")
        variant = switches.pop("variant", None)
        if variant:
            self.phone.send(self.phone.button("show"), variant=variant)
        self.phone.send(self.phone.button("add"), newcomers=",".join(names))
        fields = self.phone.filled(self.phone.button("start").find_parent("form"))
        for name, value in {"dealer": dealer, **switches}.items():
            fields.pop(name, None)
            if value is not False:
                fields[name] = "y" if value is True else str(value)
        self.phone.post("/new", {**fields, "do": "start"})
        self.code = self.phone.address.split("/")[2]
        return self

    @property
    def hand(self) -> int:
        """The number of the hand on the page."""
        return int(self.phone.address.rpartition("/")[2])

    @property
    def phase(self) -> str:
        """The phase that the page shows."""
        return next(
            kind.removeprefix("phase-") for kind in self.phone.page.body["class"] if kind.startswith("phase-")
        )

    def open(self, number: int | None = None) -> Table:
        """Open the page of a hand, of the one at hand if none is named."""
        self.phone.get(f"/g/{self.code}/hands/{number or self.hand}")
        return self

    def trump(self, suit: str) -> Table:
        """Say what is trump."""
        self.phone.tap(f"trump-{suit}")
        return self

    @property
    def bidder(self) -> int | None:
        """The seat that bids now; None when nobody does."""
        field = self.phone.page.select_one("form:has(.keys) input[name=seat]")
        return int(field["value"]) if field else None

    def bid(self, *bids: int) -> Table:
        """Everybody bids, in the order the page asks."""
        while (seat := self.bidder) is not None:
            self.phone.tap(f"bid-{seat}-{bids[seat]}")
        return self

    def bid_one(self, bid: int, status: int = 200) -> Table:
        """The player that the page asks bids."""
        self.phone.tap(f"bid-{self.bidder}-{bid}", status)
        return self

    def over(self) -> Table:
        """The last trick is played."""
        self.phone.tap("over")
        return self

    def shown(self) -> dict[int, int]:
        """The tricks that the page shows, by seat."""
        fields = self.phone.filled(self.phone.page.select_one("form.dock, form.dock-form"))
        prefix = "tricks-"
        return {
            int(name[len(prefix) :]): int(value) for name, value in fields.items() if name.startswith(prefix)
        }

    def took(self, *tricks: int) -> Table:
        """Put the tricks of everybody right, and save."""
        return self.put_right(*tricks).save()

    def put_right(self, *tricks: int) -> Table:
        """Put the tricks of everybody right, one tap at a time."""
        for seat in self.shown():
            # Each tap shows the page anew, and the last untouched number follows the others.
            while (now := self.shown()[seat]) != tricks[seat]:
                self.phone.tap(f"{'more' if now < tricks[seat] else 'less'}-{seat}")
        return self

    def save(self, status: int = 200) -> Table:
        """Save the tricks as the page shows them."""
        self.phone.tap("save", status)
        return self

    def play(self, bids: Sequence[int], tricks: Sequence[int], trump: str = "hearts") -> Table:
        """One whole hand."""
        if self.phase == "deal":
            self.trump(trump)
        self.bid(*bids).over()
        if list(bids) != list(tricks):
            return self.took(*tricks)
        self.save(422).phone.tap("confirm")
        return self

    def undo(self) -> Table:
        """Take back the last step."""
        self.phone.tap("undo")
        return self

    def sheet(self) -> BeautifulSoup:
        """The page of the score sheet."""
        return self.phone.get(f"/g/{self.code}")

    def totals(self) -> list[int]:
        """The totals that the sheet shows, in seat order."""
        return [
            int(cell.get_text(strip=True).replace("−", "-")) for cell in self.sheet().select(".grid tfoot td")
        ]
