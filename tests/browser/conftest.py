"""A real Chromium, and the scorebook served to it by a process of its own."""

from __future__ import annotations

import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    WebError,
    expect,
)
from playwright.sync_api import TimeoutError as NoAnswer

PATIENCE = 10  # seconds, for a page, an expectation, a start of the server


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium, quiet: nothing it does by itself may reach a network."""
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.fail("Chromium is missing; `make system` says how to install it.", pytrace=False)
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": [
            "--no-sandbox",  # which root, in a container, cannot have
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    }


class Server:
    """A scorebook with an empty database, as `make run` would serve it; it can be stopped, and started again.

    A process of its own: in a thread it would share Python's lock with Playwright. `app` is the file that makes it.
    """

    def __init__(self, root: Path, folder: Path, app: str = "app.py") -> None:
        self.flask = [sys.executable, "-m", "flask", "--app", app]
        self.data = folder / "data"
        self.log = folder / "log"
        self.where: dict[str, Any] = {
            "cwd": root,
            "env": {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
            | {"SCOREBOOK_DATA": str(self.data)},
            "stderr": subprocess.STDOUT,
        }
        self.process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.run("migrate")

    @property
    def address(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self.port}"

    def run(self, *command: str) -> str:
        """Run a command of flask on its database; gives what it prints."""
        done = subprocess.run(
            [*self.flask, *command], check=False, stdout=subprocess.PIPE, text=True, **self.where
        )
        if done.returncode:
            pytest.fail(f"flask {command[0]} failed: {done.stdout}", pytrace=False)
        return done.stdout

    def start(self) -> Server:
        """Serve, and wait until it answers."""
        with self.log.open("a") as log:
            command = [*self.flask, "serve", "--host", "127.0.0.1", "--port", str(self.port)]
            self.process = subprocess.Popen(command, stdout=log, **self.where)
        deadline = time.monotonic() + PATIENCE
        while not answers(self.port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"flask serve did not start: {self.log.read_text()}", pytrace=False)
            time.sleep(0.05)
        return self

    def update(self) -> None:
        """Start it as a newer version: other scripts, another style sheet, another format of what a phone is told."""
        newer = self.data.parent / "newer"
        skipped = shutil.ignore_patterns(".*", "tests", "__pycache__", "data")
        shutil.copytree(self.where["cwd"], newer, ignore=skipped)
        for name in ("views/offline.py", "static/offline.js"):
            source = (newer / name).read_text("utf-8")
            assert source.count("FORMAT = 1") == 1
            (newer / name).write_text(source.replace("FORMAT = 1", "FORMAT = 2"), "utf-8")
        with (newer / "static/scorebook/01-tokens.css").open("a") as style:
            style.write("/* newer */")
        self.where["cwd"] = newer
        self.start()

    def stop(self) -> None:
        """Let it finish what it does, and end."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """As a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="session")
def server(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scorebook with an empty database."""
    served = Server(pytestconfig.rootpath, tmp_path_factory.mktemp("served")).start()
    yield served.address
    served.stop()


@pytest.fixture(scope="session")
def new_server(pytestconfig: pytest.Config) -> Callable[..., Server]:
    """Makes a server in a folder; with `app`, of a file that makes another app than usual."""
    return functools.partial(Server, pytestconfig.rootpath)


def answers(port: int) -> bool:
    """Whether somebody on this computer listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


SMALL_PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 1,
    "has_touch": True,
    "is_mobile": True,
    "locale": "en-GB",
}


class Complaints(list[str]):
    """What pages complained of, as sentences."""

    def forgive(self, *words: str) -> None:
        """A test walked into this on purpose: forget what has one of these words in it."""
        self[:] = [each for each in self if not any(word in each for word in words)]


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """What the pages of this test complained of: errors on the console or in a script, strangers asked.

    There must be none at its end that the test has not forgiven.
    """
    heard = Complaints()
    yield heard
    if heard:
        pytest.fail("the page complained:\n" + "\n".join(heard), pytrace=False)


@pytest.fixture
def phone(browser: Browser, server: str, complaints: list[str]) -> Iterator[Page]:
    """An empty page on a small phone; `phone.goto("/")` opens the scorebook."""
    with phone_context(browser, server, complaints) as context:
        yield context.new_page()


@pytest.fixture
def plain_phone(browser: Browser, server: str, complaints: list[str]) -> Iterator[Page]:
    """The same phone with scripts switched off."""
    with phone_context(browser, server, complaints, java_script_enabled=False) as context:
        yield context.new_page()


@contextmanager
def phone_context(
    browser: Browser, server: str, complaints: list[str], **options: Any
) -> Iterator[BrowserContext]:
    """One more phone, with cookies of its own; `options` are those of Playwright's new_context."""
    phone: dict[str, Any] = {
        **SMALL_PHONE,
        "base_url": server,
        # Playwright does not see what a service worker asks; with one, test_offline.py plays.
        "service_workers": "block",
    }
    context = browser.new_context(**(phone | options))
    context.set_default_timeout(PATIENCE * 1000)
    expect.set_options(timeout=PATIENCE * 1000)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"console: {message.text} ({message.location.get('url')})")

    def on_error(error: WebError) -> None:
        complaints.append(f"script: {error.error}")

    def on_request(request: Request) -> None:
        if not request.url.startswith((f"{server}/", "data:", "blob:")):
            complaints.append(f"stranger: {request.url}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    context.on("request", on_request)
    try:
        yield context
    finally:
        context.close()


class Thumb:
    """One thumb on a phone: it taps what the page shows and waits for what the tap brings.

    A button is named by its `data-key`, a link by its words. Where scripts run, a button that is new on the
    page is deaf to a thumb that has just tapped; the thumb lets that time pass on the page's clock, which
    costs the test none. Bids and tricks are told in seat order.
    """

    REST = 350  # milliseconds

    def __init__(self, page: Page, *, scripted: bool = True) -> None:
        self.page = page
        self.scripted = scripted
        self.taps = 0
        self.is_quick = False
        """Click without looking whether a thumb could: for long games, once other tests have looked."""
        if scripted:
            page.clock.install()

    # Taps

    def open(self, address: str) -> Thumb:
        """Open an address."""
        self.page.goto(address)
        return self.rest()

    def reload(self) -> Thumb:
        """Load the page anew."""
        self.page.reload()
        return self.rest()

    def tap(self, key: str, *, barred: bool = False) -> Thumb:
        """Tap the button with that key, and wait for the page that follows. `barred`: it says it is disabled."""
        return self.press(self.button(key), force=barred)

    def follow(self, words: str) -> Thumb:
        """Tap the link with these words."""
        return self.press(self.page.get_by_role("link", name=words, exact=True))

    def press(self, target: Locator, *, force: bool = False) -> Thumb:
        """Tap something, and wait for the page that follows."""
        self.mark()
        self.taps += 1
        for patience in (4_000, 10_000):
            if self.is_quick:
                target.dispatch_event("click")
            else:
                target.tap(force=force)
            # A key that only just came under the thumb is deaf for a moment; whoever meets that taps again.
            with suppress(NoAnswer):
                return self.wait(patience)
        return self.wait()

    def button(self, key: str) -> Locator:
        """The button with that key."""
        return self.page.locator(f'button[data-key="{key}"]')

    def mark(self) -> None:
        """Remember the page that is shown, to know the one that follows from it."""
        self.page.evaluate("() => { document.querySelector('[data-page]').dataset.old = '' }")

    def wait(self, patience: float = 10_000) -> Thumb:
        """Wait for the page that follows the marked one, so many milliseconds at the most."""
        self.page.wait_for_function(
            "() => { const page = document.querySelector('[data-page]'); return page && !('old' in page.dataset) }",
            timeout=patience,
        )
        return self.rest()

    def rest(self) -> Thumb:
        """Wait until new buttons listen."""
        if self.scripted:
            self.page.clock.fast_forward(self.REST)
        return self

    # Setting up

    def start(self, *names: str, dealer: int = 0, **switches: str | bool) -> Thumb:
        """Seat players, set what the rules are to be, and start.

        `switches` are fields of the form: the value of a choice, the text of a field, True or False for a tick.
        """
        self.open("/new")
        self.page.locator("#newcomers").fill(", ".join(names))
        self.tap("add")
        if variant := switches.pop("variant", None):
            self.choose("variant", str(variant))
            if not self.scripted:
                self.tap("show")
        self.choose("dealer", str(dealer), sends=False)
        for field, value in switches.items():
            self.choose(field, value)
        self.tap("start")
        self.taps = 0
        return self.expect("deal", "bids")

    def choose(self, field: str, value: str | bool, *, sends: bool = True) -> Thumb:
        """Make one choice of the set-up; with scripts, most choices are sent as they are made."""
        found = self.page.locator(f"input[name={field}]")
        kind = found.first.get_attribute("type")
        self.mark()
        if kind is None or kind == "text":
            found.fill(str(value))
            found.blur()
        else:
            if kind == "radio":
                found = self.page.locator(f'input[name={field}][value="{value}"]')
            if found.is_checked() == bool(value):
                return self
            if not found.is_visible():
                found.locator("xpath=ancestor::details/summary").tap()
            found.tap()
        return self.wait() if self.scripted and sends else self

    # A hand

    @property
    def code(self) -> str:
        """The code of the game at hand, from the address."""
        return urlsplit(self.page.url).path.split("/")[2]

    @property
    def hand(self) -> int:
        """The number of the hand on the page, from the address."""
        return int(urlsplit(self.page.url).path.rpartition("/")[2])

    @property
    def phase(self) -> str:
        """The phase that the page shows; empty on a page that is no hand."""
        kinds = (self.page.locator("body").get_attribute("class") or "").split()
        return next((kind.removeprefix("phase-") for kind in kinds if kind.startswith("phase-")), "")

    def expect(self, *phases: str) -> Thumb:
        """The page shows a hand in one of these phases."""
        pattern = re.compile("|".join(rf"\bphase-{phase}\b" for phase in phases))
        expect(self.page.locator("body")).to_have_class(pattern)
        return self

    @property
    def bidder(self) -> int | None:
        """The seat that the page asks to bid; None when everybody has."""
        field = self.page.locator("form:has(.keys) input[name=seat]")
        return int(field.input_value()) if field.count() else None

    def seat(self, name: str) -> Locator:
        """The row of a player in the hand."""
        return self.page.locator(".seat").filter(has=self.page.get_by_text(name, exact=True))

    def bid(self, *bids: int) -> Thumb:
        """Everybody who has not bid bids, in the order the page asks."""
        while (seat := self.bidder) is not None:
            self.tap(f"bid-{seat}-{bids[seat]}")
        return self.expect("play")

    def tally(self, *tricks: int) -> Thumb:
        """Count tricks while the hand is played."""
        for seat, count in enumerate(tricks):
            for _trick in range(count):
                self.tap(f"tally-{seat}")
        return self

    def over(self) -> Thumb:
        """The last trick is played."""
        return self.tap("over").expect("tricks")

    def shown(self) -> dict[int, int]:
        """The tricks that the page proposes, by seat."""
        pairs = self.page.locator("input[name^=tricks-]").evaluate_all(
            "fields => fields.map(field => [field.name, field.value])"
        )
        return {int(name.removeprefix("tricks-")): int(value) for name, value in pairs}

    def took(self, *tricks: int) -> Thumb:
        """Put the tricks of everybody right, one tap at a time, and save."""
        while wrong := [(seat, now) for seat, now in self.shown().items() if now != tricks[seat]]:
            seat, now = wrong[0]
            self.tap(f"{'more' if now < tricks[seat] else 'less'}-{seat}")
        self.tap("save")
        # Where everybody made it and nobody was touched, the page asks.
        return self.tap("confirm") if self.button("confirm").count() else self

    def play(self, bids: Sequence[int], tricks: Sequence[int], trump: str | None = "hearts") -> Thumb:
        """One whole hand, from wherever it is in its bids."""
        if self.phase == "deal":
            self.tap(f"trump-{trump}")
        return self.bid(*bids).over().took(*tricks)

    # What the page says

    def last(self) -> list[tuple[str, ...]]:
        """The hand before, as it stands above the next one: player, bid, took, points, total, place."""
        return self._cells(".last tbody tr")

    def standings(self) -> list[tuple[str, ...]]:
        """The ranking on the sheet: place, player, total, and how far behind."""
        return self._cells(".standings li")

    def totals(self) -> list[int]:
        """The totals at the foot of the sheet, in seat order."""
        return [int(text.replace("−", "-")) for text in self.page.locator(".grid tfoot td").all_inner_texts()]

    def _cells(self, rows: str) -> list[tuple[str, ...]]:
        found = self.page.locator(rows).evaluate_all(
            "rows => rows.map(row => [...row.children].map(cell => cell.textContent.trim()))"
        )
        return [tuple(cells) for cells in found]


@pytest.fixture
def thumb(phone: Page) -> Thumb:
    """A thumb on a phone as most people have it."""
    return Thumb(phone)


@pytest.fixture
def plain_thumb(plain_phone: Page) -> Thumb:
    """A thumb on a phone with scripts switched off."""
    return Thumb(plain_phone, scripted=False)


@pytest.fixture
def take_phone(browser: Browser, server: str, complaints: list[str]) -> Iterator[Callable[..., Thumb]]:
    """Takes one more phone in hand; what is told about it are the options of Playwright's new_context."""
    with ExitStack() as phones:

        def take(**options: Any) -> Thumb:
            return Thumb(
                phones.enter_context(phone_context(browser, server, complaints, **options)).new_page()
            )

        yield take


@pytest.fixture
def own_server(pytestconfig: pytest.Config, tmp_path: Path) -> Iterator[Server]:
    """A server that the test may stop and start again."""
    served = Server(pytestconfig.rootpath, tmp_path).start()
    yield served
    served.stop()


class Installed:
    """A phone with its own profile on disk: its browser can be closed and opened again, and has a service worker."""

    def __init__(self, launch: Callable[[], BrowserContext], browser: Browser, complaints: list[str]) -> None:
        self.launch, self.browser, self.complaints = launch, browser, complaints
        self.context: BrowserContext

    def open(self, scripts: Sequence[str] = ()) -> Thumb:
        """Open the browser, with a thumb on its only page; `scripts` run before those of each page."""
        self.context = self.launch()
        self.context.set_default_timeout(PATIENCE * 1000)
        expect.set_options(timeout=PATIENCE * 1000)
        self.context.on("weberror", lambda error: self.complaints.append(f"script: {error.error}"))
        for script in scripts:
            self.context.add_init_script(script)
        return Thumb(self.context.pages[0])

    def close(self) -> None:
        """As one swipes an app away."""
        self.context.close()

    @contextmanager
    def another(self, server: Server) -> Iterator[Thumb]:
        """A second phone with the same right to write."""
        with phone_context(self.browser, server.address, self.complaints) as context:
            context.add_cookies(self.context.cookies())  # type: ignore[arg-type]
            yield Thumb(context.new_page())


@pytest.fixture
def installed(
    browser: Browser,
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, Any],
    tmp_path: Path,
    own_server: Server,
    complaints: list[str],
) -> Iterator[Installed]:
    """A phone whose browser can be closed, before `own_server`."""
    profile = str(tmp_path / "profile")
    options: dict[str, Any] = {**browser_type_launch_args, **SMALL_PHONE, "base_url": own_server.address}
    phone = Installed(lambda: browser_type.launch_persistent_context(profile, **options), browser, complaints)
    yield phone
    phone.close()


LOOK = (Path(__file__).parent / "look.js").read_text("utf-8")
"""What is wrong with how a page lies and what its colours are; the numbers of the targets stand before each fault."""

AXE = """async (rules) => (await axe.run(document, rules)).violations.map(
  ({ id, help, nodes }) => `${id} (${help}) at ${nodes.map((node) => node.target).join("; ")}`)"""
"""What axe finds wrong with a page into which it was put."""

NARROW, USUAL, HEIGHT = 320, 360, 740
"""A very small phone and a small one, in CSS pixels."""


class Eyes:
    """Looks at pages as many people do, and gathers what is wrong with them (WCAG 2.2 AA, P2-P4 and P7).

    Both themes and both widths; text of twice the size, as the browser can be set to; and the rules of axe.
    A picture of each theme goes to test-results/screens/ for a person to look at.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[str] = []
        self.least: dict[str, float] = {}
        self.seen: set[str] = set()
        """The paths of all pages looked at."""

    def look(self, page: Page, screen: str) -> None:
        """Look at the page as it is now, under the name of the screen."""
        self.seen.add(urlsplit(page.url).path)
        everything = {"resultTypes": ["violations"], "preload": False}
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        # Only colours differ between the themes.
        colours = {**everything, "runOnly": ["color-contrast"]}
        for theme, rules, width in (("light", everything, NARROW), ("dark", colours, USUAL)):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            where = f"{screen}, {theme} at {width}"
            page.screenshot(path=self.folder / f"{screen}-{width}-{theme}.png", scale="css")
            self._measure(page, where)
            self.faults += [f"{where}: P7: {fault}" for fault in page.evaluate(AXE, rules)]
        browser = page.context.new_cdp_session(page)
        browser.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
        for width in (USUAL, NARROW):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            self._measure(page, f"{screen}, 200 % text at {width}", is_large=True)
        browser.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        browser.detach()
        page.set_viewport_size({"width": USUAL, "height": HEIGHT})

    def _measure(self, page: Page, where: str, *, is_large: bool = False) -> None:
        told = page.evaluate(LOOK, {"pad": 44, "other": 24, "apart": 8, "isLarge": is_large})
        self.faults += [f"{where}: {fault}" for fault in told["faults"]]
        for what, least in told["least"].items():
            if least is not None:
                self.least[what] = min(least, self.least.get(what, least))


@pytest.fixture
def eyes(pytestconfig: pytest.Config, capsys: pytest.CaptureFixture[str]) -> Iterator[Eyes]:
    """Eyes for pages; at the end of the test they must have found nothing wrong."""
    folder = pytestconfig.rootpath / "test-results" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    eyes = Eyes(folder)
    yield eyes
    figures = ", ".join(f"{what} {least:.2f}" for what, least in sorted(eyes.least.items()))
    with capsys.disabled():
        print(f"\n{len(eyes.seen)} addresses looked at; the least of each: {figures}", file=sys.stderr)
    if eyes.faults:
        pytest.fail("\n".join(eyes.faults), pytrace=False)
