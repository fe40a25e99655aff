"""How much work an answer is, against an empty answer of Flask in the same process: `python -m bench.speed`.

Ratios of CPU time mean the same on every machine. Then the same through the server, as answers a second, with what a
worker takes to start and in memory. It serves this computer alone; the data lies in folders of its own.
"""

from __future__ import annotations

import gc
import http.client
import io
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from kept import memory

HERE = Path(__file__).parent.parent

NAMES = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Farid")
HANDS = 20
"""Hands played before anything is measured, of a plan that goes on."""
MOST = {
    "poll, unchanged": 5,
    "hand, watcher": 25,
    "hand, keeper": 25,
    "sheet, unchanged": 20,
    "sheet, after a bid": 60,
    "save (one bid)": 28,
}
"""What each may cost, in empty answers."""
ROUNDS, ENOUGH = 25, 0.03
"""The best of so many rounds of so many seconds: what else the machine does only ever adds."""
ASKED_FOR = 2.0
"""Seconds that each answer is asked for through the server."""

Request = Callable[[], None]


def main() -> int:
    """Measure, print both tables, and say by the exit status whether everything is cheap enough."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"DATA_FOLDER": Path(folder), "TESTING": True})
        app.test_cli_runner().invoke(args=["migrate"])
        game = Bench(app)
        # As the server does before it takes the first request.
        gc.collect()
        gc.freeze()
        costs = best(game.requests())
        least = costs["empty answer of Flask"]
        missed = []
        for name, cost in costs.items():
            ratio, most = cost / least, MOST.get(name)
            missed += [name] if most and ratio > most else []
            told = f"  at most {most} x" if most else ""
            print(f"{name:<32} {cost * 1000:8.3f} ms CPU {ratio:8.1f} x{told}")
        through_the_server(Path(folder), game)
    if missed:
        print("too much work:", ", ".join(missed))
    return 1 if missed else 0


class Bench:
    """A game of six players with twenty hands behind it, and what is asked of it."""

    def __init__(self, app: Flask) -> None:
        self.app, self.acts = app, 0
        self.client: FlaskClient = app.test_client()
        self.client.environ_base["HTTP_ORIGIN"] = "http://localhost"
        self.code = self.start()
        for number in range(1, HANDS + 1):
            self.play(number)
        self.path = f"/g/{self.code}"
        self.hand = f"{self.path}/hands/{HANDS + 1}"
        cookie = self.client.get_cookie("scorebook")
        self.cookie = f"scorebook={cookie.value}" if cookie else ""
        # Whoever bids first bids to and fro.
        self.seat, self.stored = (HANDS + 1) % len(NAMES), ""
        self.sent: dict[str, Any] = {}

    def requests(self) -> dict[str, tuple[Request | None, Request]]:
        """Each request by its name, with what goes before it unmeasured."""
        version = self.client.get(f"{self.path}/version").headers["ETag"]
        keeper = {"HTTP_COOKIE": self.cookie}
        hand, sheet = asked(self.app, self.hand), asked(self.app, self.path)
        return {
            "empty answer of Flask": (None, asked(empty(), "/")),
            "poll, unchanged": (
                None,
                asked(self.app, f"{self.path}/version", HTTP_IF_NONE_MATCH=version, **keeper),
            ),
            "hand, watcher": (None, hand),
            "hand, keeper": (None, asked(self.app, self.hand, **keeper)),
            "hand, keeper, after a bid": (self.bid, asked(self.app, self.hand, **keeper)),
            "hand, saved by another process": (memory.clear, hand),
            "board": (None, asked(self.app, f"{self.path}/board")),
            "sheet, unchanged": (None, sheet),
            "sheet, after a bid": (self.bid, sheet),
            "sheet, keeper": (self.bid, asked(self.app, self.path, **keeper)),
            "sheet, saved by another process": (memory.clear, sheet),
            "save (one bid)": (self.tap, self.send),
        }

    def bid(self) -> None:
        """One bid changed, to and fro."""
        self.tap()
        self.send()

    def tap(self) -> None:
        """What a phone does before it sends one bid changed, to and fro."""
        bid = 1 if self.stored == "0" else 0
        fields = {"act": self.act(), "seat": self.seat, "was": self.stored, "bid": bid}
        self.stored = str(bid)
        body = urlencode(fields).encode()
        self.sent = {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_ORIGIN": "http://localhost",
            "HTTP_COOKIE": self.cookie,
            "wsgi.input": io.BytesIO(body),
        }

    def send(self) -> None:
        """The bid comes in, straight into the app."""
        answered(self.app, f"{self.hand}/bids", self.sent, "302 FOUND")

    def act(self) -> str:
        """A tap like no other."""
        self.acts += 1
        return f"bench-{self.acts:09}"

    def start(self) -> str:
        """A fresh game. Gives its code."""
        fields = {"variant": "classic", "order": "own", "plan": ",".join("5" * (HANDS + 5)), "dealer": "0"}
        fields |= {f"players-{seat}": name for seat, name in enumerate(NAMES)}
        fields |= {"trump": "untracked", "no_trump_on": "never", "missed": "0", "shown_variant": "classic"}
        answer = self.client.post("/new", data={**fields, "act": "start-the-game", "do": "start"})
        return answer.headers["Location"].split("/")[2]

    def play(self, number: int) -> None:
        """One hand of five cards, in which one player takes them all."""
        seats = range(len(NAMES))
        at = f"/g/{self.code}/hands/{number}"
        for seat in seats:
            self.post(f"{at}/bids", seat=(seat + number) % len(NAMES), bid=0, was="")
        self.post(f"{at}/over")
        took = {f"tricks-{seat}": 5 if seat == number % len(NAMES) else 0 for seat in seats}
        self.post(f"{at}/score", **took, **{f"was-{seat}": "" for seat in seats})

    def post(self, path: str, **fields: object) -> None:
        """One tap, which must be taken."""
        answer = self.client.post(path, data={"act": self.act(), **fields})
        if answer.status_code != 302:
            raise SystemExit(f"{path} was answered {answer.status_code}: {answer.text}")


def empty() -> Flask:
    """An app that answers nothing."""
    app = Flask("empty")
    app.add_url_rule("/", view_func=lambda: "")
    return app


def asked(app: Flask, path: str, **headers: str) -> Request:
    """A page asked for, straight from the app as a server would ask."""
    return lambda: answered(app, path, {"REQUEST_METHOD": "GET", **headers}, "200 OK", "304 NOT MODIFIED")


def answered(app: Flask, path: str, headers: dict[str, Any], *good: str) -> None:
    """One request, which must be answered so."""

    def begin(status: str, *_told: object) -> Callable[[bytes], object]:
        if status not in good:
            raise SystemExit(f"{path} was answered {status}")
        return sys.stderr.buffer.write

    environ = {
        "PATH_INFO": path,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "HTTP_HOST": "localhost",
        "wsgi.url_scheme": "http",
        "wsgi.input": sys.stdin.buffer,
        "wsgi.errors": sys.stderr,
        **headers,
    }
    answer: Iterable[bytes] = app(environ, begin)
    for _part in answer:
        pass
    close: Callable[[], None] = getattr(answer, "close", lambda: None)
    close()


def best(requests: dict[str, tuple[Request | None, Request]]) -> dict[str, float]:
    """CPU seconds of each request, measured in turn so that a slow moment meets them all."""
    found = dict.fromkeys(requests, float("inf"))
    for _round in range(ROUNDS):
        for name, (before, request) in requests.items():
            count, took = 0, 0.0
            while took < ENOUGH:
                if before:
                    before()
                began = time.process_time()
                request()
                took += time.process_time() - began
                count += 1
            found[name] = min(found[name], took / count)
    return found


def through_the_server(folder: Path, game: Bench) -> None:
    """Print how many answers a second the server gives, one phone asking, and what a worker takes."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    began = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "flask", "--app", "app.py", "serve", "--port", str(port)],
        cwd=HERE,
        env={**os.environ, "SCOREBOOK_DATA": str(folder), "SCOREBOOK_LOG": "quiet"},
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        print(f"from start to first answer {time.perf_counter() - began:.1f} s")
        version = game.client.get(f"{game.path}/version").headers["ETag"]
        for name, path, headers in (
            ("robots.txt", "/robots.txt", {}),
            ("poll, unchanged", f"{game.path}/version", {"If-None-Match": version}),
            ("hand, watcher", game.hand, {}),
            ("hand, keeper", game.hand, {"Cookie": game.cookie}),
            ("sheet, unchanged", game.path, {}),
        ):
            print(f"{name:<32} {rate(port, path, headers):8.0f} answers a second")
        status = Path(f"/proc/{server.pid}/status")
        if status.exists():
            resident = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
            print(f"memory of the worker {int(resident.split()[1]) / 1024:.0f} MB")
    finally:
        server.terminate()
        server.wait(timeout=20)


def wait_for(port: int) -> None:
    """Return with the first answer; at most after 20 seconds."""
    until = time.monotonic() + 20
    while True:
        try:
            rate(port, "/robots.txt", {}, most=1)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def rate(port: int, path: str, headers: Mapping[str, str], most: int = 10**6) -> float:
    """Answers a second on one connection, each whole before the next is asked for."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    count, began = 0, time.perf_counter()
    while count < most and time.perf_counter() - began < ASKED_FOR:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status not in (200, 304):
            raise SystemExit(f"{path} was answered {answer.status}")
        count += 1
    connection.close()
    return count / (time.perf_counter() - began)


if __name__ == "__main__":
    sys.exit(main())
