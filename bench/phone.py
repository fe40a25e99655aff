"""What somebody waits for on a slow phone in a slow network: `python -m bench.phone`.

The server as `make run` starts it, and pages of running games in Chromium: as they first come, with nothing kept, and
once more. The network is slow 3G, the processor four times slower than this one. Exit status 1 where a page weighs
more than it may, or is usable later.

Usable is a page that is painted and whose taps are taken by `taps.js`; without that script its buttons work as soon as
they are there. Chromium slows down requests and not connections, so what it takes to connect comes on top of the first
page: once the latency over http, twice over https. Whatever else this computer does comes on top, too: the best of some
rounds is told.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from bench.load import NAMES, Phone, scorebook

SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Slow 3G: an answer begins 400 ms after it was asked for, and 400 kbit/s are 50,000 bytes a second."""
SLOWER = 4
"""So many times slower than this computer is the processor of the phone."""
MOST_SECONDS, MOST_BYTES = 2.0, 60 * 1024
"""When a page must be usable, and what it may weigh with all that comes after it."""
ROUNDS = 3
LATER, SETTLED = 1, 2
"""Seconds after which the scripts that can wait have come, and, of the service worker, all it keeps of a game."""
SMALL: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

HEARD = """
    new MutationObserver((_, observer) => {
      if (!document.documentElement?.classList.contains("scripted")) return;
      window.heard = performance.now();
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""When taps.js listens: it says so by a class."""
USABLE = """
    () => {
      const [painted] = performance.getEntriesByName("first-contentful-paint");
      return painted && window.heard && Math.max(painted.startTime, window.heard);
    }
"""


@dataclass(frozen=True)
class View:
    """One page as it came: seconds until it was usable, and what had come over the wire by then."""

    usable: float
    requests: int
    bytes: int


def look(page: Page, address: str, slower: float = SLOWER) -> View:
    """Open an address on a phone `slower` times slower than this computer, in a slow network."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    with noted(page.context) as came:
        page.goto(address)
        usable = page.wait_for_function(USABLE).json_value()
        until = page.evaluate("performance.timeOrigin") + usable
    devtools.detach()
    sizes = [size for each in came if each.timing["startTime"] < until and (size := weight(each))]
    return View(usable / 1000, len(sizes), sum(sizes))


def weigh(page: Page, address: str) -> tuple[int, int]:
    """Requests and bytes of a page with all that comes after it, the service worker's included; without polls."""
    with noted(page.context) as came:
        page.goto(address)
        page.wait_for_function("() => Boolean(navigator.serviceWorker.controller)")
        page.wait_for_timeout(SETTLED * 1000)
    sizes = [size for each in came if not each.url.endswith("/version") and (size := weight(each))]
    return len(sizes), sum(sizes)


@contextmanager
def noted(context: BrowserContext) -> Iterator[list[Request]]:
    """The answers that have come meanwhile."""
    came: list[Request] = []

    def note(request: Request) -> None:
        came.append(request)

    context.on("requestfinished", note)
    yield came
    context.remove_listener("requestfinished", note)


def weight(request: Request) -> int:
    """The bytes of an answer and its headers on the wire; 0 for one that the phone had kept."""
    answer, sizes = request.response(), request.sizes()
    if answer is None or answer.from_service_worker or sizes["responseBodySize"] < 0:
        return 0
    # Of the worker's own script Chromium tells too little.
    length = int(answer.headers.get("content-length", sizes["responseBodySize"]))
    return length + sizes["responseHeadersSize"]


@contextmanager
def opened(browser: Browser, port: int, cookie: str, **options: Any) -> Iterator[Page]:
    """A phone with nothing kept but a keeper's cookie, its browser open at something else."""
    with browser.new_context(**SMALL, **options) as context:
        name, _equals, value = cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{port}"}])
        context.add_init_script(HEARD)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/manifest.webmanifest")
        yield page


def twice(browser: Browser, port: int, cookie: str, path: str) -> tuple[View, View]:
    """A page as it first comes, and once more.

    Without a service worker, as in a home network: Chromium would not slow down what that asks for.
    """
    address = f"http://127.0.0.1:{port}{path}"
    with opened(browser, port, cookie, service_workers="block") as page:
        first = look(page, address)
        page.wait_for_timeout(LATER * 1000)
        return first, look(page, address)


def played(phone: Phone, names: Sequence[str], hands: int, more: int) -> str:
    """A game with so many hands played and more to come; its code."""
    plan = ",".join("7" * (hands + more))
    fields = {"variant": "classic", "shown_variant": "classic", "order": "own", "plan": plan, "missed": "0"}
    fields |= {f"players-{seat}": name for seat, name in enumerate(names)}
    fields |= {"trump": "untracked", "no_trump_on": "never", "dealer": "0", "do": "start"}
    code = post(phone, "/new", fields).split("/")[2]
    for number in range(1, hands + 1):
        around = [(number + turn) % len(names) for turn in range(len(names))]
        hand = f"/g/{code}/hands/{number}"
        for turn, seat in enumerate(around):
            post(phone, f"{hand}/bids", {"seat": seat, "bid": (turn + number) % 3, "was": ""})
        post(phone, f"{hand}/over", {})
        took = {f"tricks-{seat}": 0 for seat in around} | {f"was-{seat}": "" for seat in around}
        for trick in range(7):
            took[f"tricks-{around[trick * number % len(around)]}"] += 1  # type: ignore[operator]
        post(phone, f"{hand}/score", took)
    return code


_acts = iter(range(10**9))
_loop = asyncio.new_event_loop()


def post(phone: Phone, path: str, fields: dict[str, Any]) -> str:
    """One tap, which must be taken; where it leads."""
    fields = {"act": f"phone-{next(_acts):09}", **fields}
    status, headers, text = _loop.run_until_complete(phone.ask("POST", path, fields))
    if status != 302:
        raise SystemExit(f"{path} was answered {status}: {text.decode()}")
    return headers["location"]


def main() -> int:
    """Serve, play, look, and say by the exit status whether every page is light and soon usable."""
    chromium = shutil.which("chromium")
    if not chromium:
        raise SystemExit("Chromium is missing; `make system` says how to install it.")
    with scorebook() as started, ExitStack() as stack:
        ((port, _server),) = started
        phone = Phone(port)
        hand = f"/g/{played(phone, NAMES, 5, 5)}/hands/6"
        sheet = f"/g/{played(phone, (*NAMES, 'Farid'), 20, 1)}"
        pages = {"hand": hand, "sheet": sheet, "new game": "/new", "home": "/"}
        for path in pages.values():
            # The first of all has its template compiled.
            _loop.run_until_complete(phone.ask("GET", path))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        weights, views = {}, {}
        for name, path in pages.items():
            with opened(browser, port, phone.cookie) as page:
                weights[name] = weigh(page, f"http://127.0.0.1:{port}{path}")
            views[name] = [twice(browser, port, phone.cookie, path) for _round in range(ROUNDS)]
        browser.close()
    print(f"{'':<10} first view: usable, requests, bytes   once more: usable, requests, bytes   in all")
    good = True
    for name, rounds in views.items():
        first, again = (min(seen, key=lambda view: view.usable) for seen in zip(*rounds, strict=True))
        requests, heavy = weights[name]
        is_good = max(first.usable, again.usable) <= MOST_SECONDS and heavy <= MOST_BYTES
        good = good and is_good
        print(
            f"{name:<10} {first.usable:>18.2f} s {first.requests:>8} {first.bytes:>7}"
            f" {again.usable:>19.2f} s {again.requests:>8} {again.bytes:>7} {requests:>4} {heavy:>6}"
            f"{'' if is_good else '  too much'}"
        )
    print(
        f"at most {MOST_SECONDS:.1f} s, and {MOST_BYTES} bytes in all; best of {ROUNDS}, without connecting"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
