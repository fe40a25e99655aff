"""A full house: 50 phones that watch and 5 that save, against the server as `make run` starts it.

`python bench/load.py` takes a minute (SECONDS=10 for less) and stops by itself. It serves itself on this computer
alone, with a database in a folder of its own, and measures what a phone would: from the first byte sent to the last
one received. Exit status 1 when any request failed or a figure is missed.
"""

from __future__ import annotations

import http.client
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

HERE = Path(__file__).parent.parent
SECONDS = float(os.environ.get("SECONDS", "60"))
WATCHERS, KEEPERS = 50, 5
EVERY = 1.2
"""Seconds between two polls of a phone, as in static/live.js."""
THINKING = 2.0
"""Seconds between two taps of a keeper, on average: faster than a table bids."""
NAMES = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline")
MOST_SAVE = {95: 0.3, 99: 0.8}
"""Seconds that a save may take, by percentile."""


class Phone:
    """One phone with its cookie and one connection; notes how long each answer took."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.cookie = ""
        self.took: list[float] = []
        self.errors: list[str] = []

    def ask(
        self, method: str, path: str, fields: Mapping[str, object] | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """One request and its answer: status, headers, text."""
        body = urlencode(fields) if fields is not None else None
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.connection.port}"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        began = time.perf_counter()
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.errors.append(f"{method} {path}: {error!r}")
            return 0, http.client.HTTPMessage(), ""
        self.took.append(time.perf_counter() - began)
        if set_cookie := answer.headers["Set-Cookie"]:
            self.cookie = set_cookie.partition(";")[0]
        return answer.status, answer.headers, text


class Watcher(Phone):
    """Asks for the version, and for the page when it has changed."""

    def __init__(self, port: int, code: str) -> None:
        super().__init__(port)
        self.code, self.tag, self.pages = code, "", 0

    def watch(self, until: float) -> None:
        """Look on until then."""
        time.sleep(random.uniform(0, EVERY))
        while time.monotonic() < until:
            status, headers, _text = self.ask("GET", f"/g/{self.code}/version", If_None_Match=self.tag)
            if status == 200:
                self.tag = headers["ETag"]
                # What a page costs is told apart from what a poll costs.
                page = Phone(self.connection.port)
                page.connection = self.connection
                status = page.ask("GET", f"/g/{self.code}")[0]
                self.pages += 1
            if status not in (200, 304):
                self.errors.append(f"answered {status}")
            time.sleep(EVERY)


class Keeper(Phone):
    """Keeps a game: five bids a hand, hand over, save."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.code, self.acts = "", 0
        plan = ",".join("5" * 60)
        fields = {
            "variant": "classic",
            "shown_variant": "classic",
            "order": "own",
            "plan": plan,
            "trump": "untracked",
        }
        fields |= {f"players-{seat}": name for seat, name in enumerate(NAMES)}
        fields |= {"dealer": "0", "no_trump_on": "never", "missed": "0", "do": "start"}
        _status, headers, text = self.ask("POST", "/new", {**fields, "act": f"start-{id(self):012}"})
        if "Location" not in headers:
            raise SystemExit(f"no game was started: {re.sub('<[^>]*>', ' ', text)}")
        self.code = headers["Location"].split("/")[2]
        self.took.clear()

    def keep(self, until: float) -> None:
        """Write until then."""
        for number in range(1, 61):
            taps: list[tuple[str, dict[str, object]]] = [
                ("bids", {"seat": (number + turn) % 5, "bid": 0, "was": ""}) for turn in range(5)
            ]
            took = {f"tricks-{seat}": 5 if seat == number % 5 else 0 for seat in range(5)}
            taps += [("over", {}), ("score", {**took, **{f"was-{seat}": "" for seat in range(5)}})]
            for part, fields in taps:
                if time.monotonic() >= until:
                    return
                self.acts += 1
                act = f"{self.code}-{self.acts:05}"
                status, _headers, text = self.ask(
                    "POST", f"/g/{self.code}/hands/{number}/{part}", {"act": act, **fields}
                )
                if status != 302:
                    self.errors.append(
                        f"{part} of hand {number}: {status} {re.sub('<[^>]*>', ' ', text)[:200]}"
                    )
                    return
                time.sleep(random.uniform(0.5, 1.5) * THINKING)


def main() -> int:
    """Serve, load, measure, stop."""
    with served() as (port, server):
        return load(port, server)


@contextmanager
def served() -> Iterator[tuple[int, int]]:
    """A server with an empty database in a folder of its own: its port and its process."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        environment["SCOREBOOK_DATA"] = folder
        flask = [sys.executable, "-m", "flask", "--app", "app.py"]
        subprocess.run([*flask, "migrate"], cwd=HERE, env=environment, check=True, capture_output=True)
        log = (Path(folder) / "log").open("wb")
        server = subprocess.Popen(
            [*flask, "serve", "--host", "127.0.0.1", "--port", str(port)],
            cwd=HERE,
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            wait_for(port, server)
            yield port, server.pid
        finally:
            server.terminate()
            server.wait(20)
            log.close()


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers; SystemExit when it does not."""
    for _try in range(200):
        if server.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server did not start")


def load(port: int, server: int) -> int:
    """Let everybody at it, and tell what came of it."""
    keepers = [Keeper(port) for _each in range(KEEPERS)]
    watchers = [Watcher(port, keepers[each % KEEPERS].code) for each in range(WATCHERS)]
    began, worked = time.monotonic(), cpu_seconds(server)
    until = began + SECONDS
    threads = [threading.Thread(target=run, args=(each, each.keep, until)) for each in keepers]
    threads += [threading.Thread(target=run, args=(each, each.watch, until)) for each in watchers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    worked = cpu_seconds(server) - worked
    errors = [error for phone in (*keepers, *watchers) for error in phone.errors]
    saves = [seconds for phone in keepers for seconds in phone.took]
    polls = [seconds for phone in watchers for seconds in phone.took]
    print(f"{WATCHERS} watchers and {KEEPERS} keepers for {time.monotonic() - began:.0f} s")
    for what, took in (("save", saves), ("poll", polls)):
        figures = "  ".join(f"p{part} {percentile(took, part) * 1000:6.1f} ms" for part in (50, 95, 99))
        print(f"{what}  {len(took):>6}  {figures}")
    print(f"pages fetched by watchers: {sum(each.pages for each in watchers)}")
    print(f"CPU of the server: {worked:.1f} s, {worked / SECONDS:.0%} of one core")
    print(f"errors: {len(errors)}")
    for error in errors[:10]:
        print(f"  {error}", file=sys.stderr)
    slow = [part for part, most in MOST_SAVE.items() if percentile(saves, part) > most]
    if slow:
        print(f"too slow: {', '.join(f'p{part} of a save' for part in slow)}", file=sys.stderr)
    return 1 if errors or slow else 0


def run(phone: Phone, work: Callable[[float], None], until: float) -> None:
    """One phone in a thread of its own: whatever stops it before its time is an error of this measurement."""
    try:
        work(until)
    except Exception as error:  # noqa: BLE001 - it is told with all others
        phone.errors.append(f"stopped by {error!r}")


def percentile(took: list[float], part: int) -> float:
    """The time within which so many per cent were answered; nothing measured took for ever."""
    return sorted(took)[min(len(took) - 1, len(took) * part // 100)] if took else float("inf")


def cpu_seconds(process: int) -> float:
    """What a process has worked so far, all its threads together; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
