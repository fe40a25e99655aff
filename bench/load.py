"""A full house: 200 phones that watch and 20 that save, against the server as `make run` starts it.

`python -m bench.load` takes a minute (SECONDS=10 for less) and stops by itself. It serves itself on this computer
alone, with a database in a folder of its own, and measures what a phone would: from the first byte sent to the last
one received. The phones need processor time, too, which is told beside the server's: on two cores they share it.
SERVERS=2 with the DATABASE_URL of an empty PostgreSQL database starts two servers for it, each for half the phones.
Exit status 1 when any request failed or a figure is missed.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

HERE = Path(__file__).parent.parent
SECONDS = float(os.environ.get("SECONDS", "60"))
SERVERS = int(os.environ.get("SERVERS", "1"))
WATCHERS, KEEPERS = 200, 20
EVERY = 1.2
"""Seconds between two polls of a phone, as in static/live.js."""
THINKING, PLAYING = 2.0, 20.0
"""Seconds between two taps of a keeper and those while the cards are played, on average: a table takes longer."""
NAMES = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline")
HANDS = 60
MOST_SAVE = {95: 0.3, 99: 0.8}
"""Seconds that a save may take, by percentile."""


def new_game() -> dict[str, object]:
    """The form that starts a game of five players and sixty hands of five cards."""
    fields: dict[str, object] = {"variant": "classic", "shown_variant": "classic", "order": "own"}
    fields |= {f"players-{seat}": name for seat, name in enumerate(NAMES)}
    fields |= {"plan": ",".join("5" * HANDS), "trump": "untracked", "no_trump_on": "never", "missed": "0"}
    return {**fields, "dealer": "0", "do": "start", "act": secrets.token_hex(8)}


def taps() -> Iterator[tuple[str, dict[str, object]]]:
    """Such a game as its keeper taps it: where each form goes, and its fields but for the `act`."""
    for number in range(1, HANDS + 1):
        for turn in range(5):
            yield f"hands/{number}/bids", {"seat": (number + turn) % 5, "bid": turn % 2, "was": ""}
        yield f"hands/{number}/over", {}
        took = {f"tricks-{seat}": 5 if seat == number % 5 else 0 for seat in range(5)}
        yield f"hands/{number}/score", {**took, **{f"was-{seat}": "" for seat in range(5)}}


class Phone:
    """One phone with its cookie and one connection; notes how long each answer took."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""
        self.took: list[float] = []
        self.errors: list[str] = []
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, fields: Mapping[str, object] | None = None, tag: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        """One request and its answer: status, headers, body; 0 for none, which is an error of the measurement."""
        body = urlencode(fields).encode() if fields is not None else b""
        head = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Accept-Encoding: gzip"]
        head += [f"Cookie: {self.cookie}"] * bool(self.cookie) + [f"If-None-Match: {tag}"] * bool(tag)
        if fields is not None:
            head += [f"Origin: http://127.0.0.1:{self.port}", f"Content-Length: {len(body)}"]
            head += ["Content-Type: application/x-www-form-urlencoded"]
        began = time.perf_counter()
        try:
            status, headers, text = await asyncio.wait_for(
                self._exchange("\r\n".join([*head, "", ""]).encode() + body), 20
            )
        except (OSError, EOFError, TimeoutError) as error:
            await self.hang_up()
            self.errors.append(f"{method} {path}: {error!r}")
            return 0, {}, b""
        self.took.append(time.perf_counter() - began)
        if cookie := headers.get("set-cookie"):
            self.cookie = cookie.partition(";")[0]
        return status, headers, text

    async def hang_up(self) -> None:
        """End the connection, if there is one."""
        if self.streams is not None:
            _reader, writer = self.streams
            self.streams = None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _exchange(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        text = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            await self.hang_up()
        return int(head[0].split()[1]), headers, text


class Watcher(Phone):
    """Asks for the version, and for the page when it has changed."""

    def __init__(self, port: int, code: str) -> None:
        super().__init__(port)
        self.code, self.tag = code, ""
        self.pages: list[float] = []

    async def look(self) -> None:
        """Ask for the version, and for the page when there is a new one."""
        status, headers, _text = await self.ask("GET", f"/g/{self.code}/version", tag=self.tag)
        if status == 200:
            self.tag = headers["etag"]
            status = (await self.ask("GET", f"/g/{self.code}"))[0]
            # What a page costs is told apart from what a poll costs.
            self.pages += self.took[-1:]
            del self.took[-1:]
        if status not in (200, 304):
            self.errors.append(f"answered {status}")

    async def go(self, until: float) -> None:
        """Look on until then."""
        await asyncio.sleep(random.uniform(0, EVERY))
        while time.monotonic() < until:
            await self.look()
            await asyncio.sleep(EVERY)


class Keeper(Phone):
    """Keeps a game: five bids a hand, hand over, save."""

    code = ""

    async def start(self) -> None:
        """Start the game; SystemExit when there is none."""
        _status, headers, text = await self.ask("POST", "/new", new_game())
        if "location" not in headers:
            raise SystemExit(f"no game was started: {text[:300]!r} {self.errors}")
        self.code = headers["location"].split("/")[2]
        self.took.clear()

    async def go(self, until: float) -> None:
        """Write until then."""
        await asyncio.sleep(random.uniform(0, THINKING))
        for part, fields in taps():
            if time.monotonic() >= until:
                return
            status, _headers, text = await self.ask(
                "POST", f"/g/{self.code}/{part}", {"act": secrets.token_hex(8), **fields}
            )
            if status != 302:
                self.errors.append(f"{part}: {status} {text[:200]!r}")
                return
            thinking = PLAYING if part.endswith("over") else THINKING
            await asyncio.sleep(min(until - time.monotonic(), random.uniform(0.5, 1.5) * thinking))


def main(
    seconds: float = SECONDS,
    watchers: int = WATCHERS,
    keepers: int = KEEPERS,
    *,
    servers: int = SERVERS,
    database: str = os.environ.get("DATABASE_URL", ""),
    most: Mapping[int, float] = MOST_SAVE,
) -> int:
    """Serve, load, measure, stop; gives the exit status. A save may take `most` seconds, by percentile."""
    with scorebook(servers, database if servers > 1 else "") as started:
        return asyncio.run(load(started, seconds, watchers, keepers, most))


@contextmanager
def scorebook(servers: int = 1, database: str = "") -> Iterator[list[tuple[int, int]]]:
    """Servers of a scorebook of its own, without a game; gives the port and the process of each."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        environment = os.environ | {"SCOREBOOK_DATA": folder, "DATABASE_URL": database}
        flask = [sys.executable, "-m", "flask", "--app", "app.py"]
        subprocess.run([*flask, "migrate"], cwd=HERE, env=environment, check=True, capture_output=True)
        yield [stack.enter_context(served(flask, environment)) for _each in range(servers)]


@contextmanager
def served(flask: list[str], environment: dict[str, str]) -> Iterator[tuple[int, int]]:
    """A server on a port of its own, stopped afterwards; gives the port and the number of the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (Path(environment["SCOREBOOK_DATA"]) / f"log-{port}").open("wb") as log:
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
            server.wait(30)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers; SystemExit when it does not."""
    for _try in range(600):
        if server.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server did not start")


async def load(
    servers: list[tuple[int, int]], seconds: float, watchers: int, keepers: int, most: Mapping[int, float]
) -> int:
    """Let everybody at it, and tell what came of it."""
    ports = [port for port, _process in servers]
    writing = [Keeper(ports[each % len(ports)]) for each in range(keepers)]
    for keeper in writing:
        await keeper.start()
    looking = [Watcher(ports[each % len(ports)], writing[each % keepers].code) for each in range(watchers)]
    for watcher in looking:
        # Nobody opens the page all at once.
        await watcher.look()
        watcher.took.clear()
        watcher.pages.clear()
    began, worked, own = time.monotonic(), [cpu_seconds(process) for _port, process in servers], own_seconds()
    phones: list[Keeper | Watcher] = [*writing, *looking]
    ends = await asyncio.gather(*(each.go(began + seconds) for each in phones), return_exceptions=True)
    for phone in phones:
        await phone.hang_up()
    lasted, own = time.monotonic() - began, own_seconds() - own
    worked = [cpu_seconds(process) - before for (_port, process), before in zip(servers, worked, strict=True)]
    # Whatever stopped a phone before its time is an error of this measurement.
    errors = [error for phone in phones for error in phone.errors]
    errors += [f"stopped by {end!r}" for end in ends if end is not None]
    saves = [took for phone in writing for took in phone.took]
    print(f"{watchers} watchers and {keepers} keepers for {lasted:.0f} s, servers: {len(servers)}")
    polls = [took for phone in looking for took in phone.took]
    pages = [took for phone in looking for took in phone.pages]
    for what, measured in (("save", saves), ("poll", polls), ("page", pages)):
        figures = "  ".join(f"p{part} {percentile(measured, part) * 1000:6.1f} ms" for part in (50, 95, 99))
        print(f"{what}  {len(measured):>6}  {figures}")
    told = " + ".join(f"{each / lasted:.0%}" for each in worked)
    print(f"CPU, in parts of one core: servers {told}, phones {own / lasted:.0%}")
    print(f"errors: {len(errors)}, of them locked: {sum('locked' in error for error in errors)}")
    for error in errors[:10]:
        print(f"  {re.sub('<[^>]*>', ' ', error)}", file=sys.stderr)
    slow = [part for part, limit in most.items() if percentile(saves, part) > limit]
    if slow:
        print(f"too slow: {', '.join(f'p{part} of a save' for part in slow)}", file=sys.stderr)
    return 1 if errors or slow else 0


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


def own_seconds() -> float:
    """What this process has worked so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
