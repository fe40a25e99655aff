"""How much work an answer is, against an empty answer of Flask in the same process: `python bench/speed.py`.

Ratios of CPU time mean the same on every machine. Nothing listens anywhere; the data lies in a folder of its own.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

sys.path.insert(0, str(Path(__file__).parent.parent))

from app import create_app

NAMES = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline")
HANDS = 10
"""Hands played before anything is measured."""
MOST_POLL = 5.0
"""An unchanged poll may cost so many empty answers."""
ROUNDS, ENOUGH = 25, 0.03
"""The best of so many rounds of so many seconds: what else the machine does only ever adds."""


def main() -> int:
    """Measure, print a table, and say by the exit status whether the poll is cheap enough."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app({"DATA_FOLDER": Path(folder), "TESTING": True})
        app.test_cli_runner().invoke(args=["migrate"])
        keeper, code = start_game(app)
        play(keeper, code, HANDS)
        hand = f"/g/{code}/hands/{HANDS + 1}"
        version = keeper.get(f"/g/{code}/version").headers["ETag"]
        cookie = keeper.get_cookie("scorebook")
        with_cookie = {"HTTP_COOKIE": f"scorebook={cookie.value}" if cookie else ""}
        unchanged = {"HTTP_IF_NONE_MATCH": version}
        requests: dict[str, Callable[[], Any]] = {
            "empty answer of Flask": asked(empty(), "/"),
            "poll, unchanged, watcher": asked(app, f"/g/{code}/version", **unchanged),
            "poll, unchanged, keeper": asked(app, f"/g/{code}/version", **unchanged, **with_cookie),
            "hand, watcher": asked(app, hand),
            "hand, keeper": asked(app, hand, **with_cookie),
            "board": asked(app, f"/g/{code}/board"),
            "sheet, watcher": asked(app, f"/g/{code}"),
            "save (one bid)": bids(keeper, code, HANDS + 1),
        }
        costs = best(requests)
    least = costs["empty answer of Flask"]
    for name, cost in costs.items():
        print(f"{name:<26} {cost * 1000:8.3f} ms CPU {cost / least:8.1f} x")
    ratio = max(costs[f"poll, unchanged, {who}"] for who in ("watcher", "keeper")) / least
    print(f"an unchanged poll costs {ratio:.1f} empty answers; at most {MOST_POLL:.0f} are meant")
    return 0 if ratio <= MOST_POLL else 1


def empty() -> Flask:
    """An app that answers nothing."""
    app = Flask("empty")
    app.add_url_rule("/", view_func=lambda: "")
    return app


def asked(app: Flask, path: str, **headers: str) -> Callable[[], None]:
    """One request, straight into the app as a server would hand it over."""

    def begin(*_told: object) -> Callable[[bytes], object]:
        return sys.stderr.buffer.write

    def ask() -> None:
        environ = {
            "REQUEST_METHOD": "GET",
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

    return ask


def best(requests: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """CPU seconds of each request, measured in turn so that a slow moment meets them all."""
    found = dict.fromkeys(requests, float("inf"))
    for _round in range(ROUNDS):
        for name, request in requests.items():
            request()
            count, began = 0, time.process_time()
            while time.process_time() - began < ENOUGH:
                request()
                count += 1
            found[name] = min(found[name], (time.process_time() - began) / count)
    return found


def start_game(app: Flask) -> tuple[FlaskClient, str]:
    """A phone that keeps a fresh game, and the code of that game."""
    client = app.test_client()
    client.environ_base["HTTP_ORIGIN"] = "http://localhost"
    fields = {"variant": "classic", "order": "own", "plan": ",".join("5" * (HANDS + 1)), "trump": "untracked"}
    players = {f"players-{seat}": name for seat, name in enumerate(NAMES)}
    sent = {**fields, **players, "act": "start-the-game", "dealer": "0", "do": "start"}
    answer = client.post(
        "/new", data={**sent, "no_trump_on": "never", "missed": "0", "shown_variant": "classic"}
    )
    return client, answer.headers["Location"].split("/")[2]


def play(client: FlaskClient, code: str, hands: int) -> None:
    """So many hands of five cards, in each of which one player takes them all."""
    seats = range(len(NAMES))
    for number in range(1, hands + 1):
        for seat in seats:
            post(client, f"/g/{code}/hands/{number}/bids", seat=(seat + number) % len(NAMES), bid=0, was="")
        post(client, f"/g/{code}/hands/{number}/over")
        took = {f"tricks-{seat}": 5 if seat == number % 5 else 0 for seat in seats}
        post(client, f"/g/{code}/hands/{number}/score", **took, **{f"was-{seat}": "" for seat in seats})


def bids(client: FlaskClient, code: str, number: int) -> Callable[[], None]:
    """One bid changed, to and fro."""
    path, seat = f"/g/{code}/hands/{number}/bids", (HANDS + 1) % len(NAMES)
    post(client, path, seat=seat, was="", bid=0)
    stored = [0]

    def bid() -> None:
        was, stored[0] = stored[0], 1 - stored[0]
        post(client, path, seat=seat, was=was, bid=stored[0])

    return bid


_acts = iter(range(10**9))


def post(client: FlaskClient, path: str, **fields: object) -> None:
    """One tap, which must be taken."""
    answer = client.post(path, data={"act": f"bench-{next(_acts):09}", **fields})
    if answer.status_code != 302:
        raise SystemExit(f"{path} was answered {answer.status_code}: {answer.text}")


if __name__ == "__main__":
    sys.exit(main())
