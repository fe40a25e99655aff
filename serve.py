"""Serve the scorebook with waitress, after telling the operator where to open it.

What is printed here is for the person who started the server, in English; it is not part of any catalogue.
"""

from __future__ import annotations

import errno
import gc
import io
import ipaddress
import logging
import os
import signal
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import click
import segno
import waitress
from sqlalchemy.engine import make_url
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.task import WSGITask

import journal

if TYPE_CHECKING:
    from flask import Flask

EVERY_ADDRESS = ("", "0.0.0.0", "::")  # noqa: S104 - compared with, the choice is the operator's


THREADS = 8
"""Requests that one process answers at a time."""
MOST_KEPT = 100
"""Connections beyond which none is kept for the next question: looking after more costs more than new ones."""
LONGEST_STOP = 10.0
"""Seconds that answers under way have to get out when the server is told to stop."""


class Answer(WSGITask):
    """An answer after which a phone that asks again and again need not connect anew.

    waitress closes a connection after every answer whose length it was not told, and so after "nothing new" (304), as
    most questions for the version of a game are answered; but such an answer ends with its head.
    """

    def set_close_on_finish(self) -> None:
        """Where the length of a body matters, the other end wishes it, or many connections are open."""
        wished = self.version != "1.1" or self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or wished or len(self.channel.server.active_channels) > MOST_KEPT:
            super().set_close_on_finish()


class Channel(HTTPChannel):
    """A connection whose answers are of that kind."""

    task_class = Answer


def serve(app: Flask, host: str, port: int) -> None:
    """Serve `app` on `host` and `port` (0: any free one) until Ctrl-C or SIGTERM, then return.

    What was asked before is answered before, for `LONGEST_STOP` seconds at the most; new connections are refused
    meanwhile, so that a proxy turns to the next server. Raises SystemExit with one plain line, which is status 1, when
    the port cannot be had.
    """
    listener = listen(host, port)
    sockets: dict[int, Any] = {}
    server = waitress.create_server(
        app,
        map=sockets,
        sockets=[listener],
        threads=THREADS,
        connection_limit=500,
        # Above the app's own limit, so that its page explains and not the bare line of the server.
        max_request_body_size=32 * 1024 * 1024,
        # Where proxies stand in front, the app itself reads from their headers what it is told to trust.
        clear_untrusted_proxy_headers=not app.config.get("PROXIES"),
        ident="",
    )
    server.channel_class = Channel
    stopping = threading.Event()

    def stop(_number: int, _frame: object) -> None:
        """Wake the loop below, which then ends between two steps: a second Ctrl-C cuts nothing off either."""
        stopping.set()
        server.pull_trigger()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    # What is there by now stays: nobody at a table waits until it was looked through for what could be thrown away.
    gc.collect()
    gc.freeze()
    journal.start(app.config.get("LOG", ""))
    announce(app, host, listener.getsockname()[1])
    journal.write("started", process=os.getpid(), port=listener.getsockname()[1], threads=THREADS)
    while not stopping.is_set():
        wasyncore.loop(timeout=1, use_poll=True, map=sockets, count=1)
    began = time.monotonic()
    left = finish(server, sockets)
    server.task_dispatcher.shutdown(timeout=1)
    journal.write(
        "stopped",
        logging.WARNING if left else logging.INFO,
        seconds=round(time.monotonic() - began, 1),
        unanswered=left,
    )


def finish(server: Any, sockets: dict[int, Any]) -> int:
    """Take no new connections, and let out the answers under way; gives how many connections wait in vain."""
    server.del_channel()
    server.socket.close()
    until = time.monotonic() + LONGEST_STOP
    while server.active_channels and time.monotonic() < until:
        for channel in list(server.active_channels.values()):
            # Neither a request that is being answered nor one that is still coming in.
            if not channel.requests and channel.request is None:
                channel.close_when_flushed = True
        wasyncore.loop(timeout=0.05, use_poll=True, map=sockets, count=1)
    return len(server.active_channels)


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is announced; SystemExit says why it cannot be had."""
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=1024
        )
    except (OSError, OverflowError) as refusal:
        number = refusal.errno if isinstance(refusal, OSError) else None
        if number == errno.EADDRINUSE:
            sys.exit(f"Port {port} is taken; try: make run PORT={port + 1 if port < 65535 else 8000}")
        if number == errno.EACCES:
            sys.exit(f"Port {port} needs an administrator's rights; try: make run PORT=8000")
        reason = getattr(refusal, "strerror", None) or refusal
        sys.exit(f"Cannot listen on {host} port {port}: {reason}")


def announce(app: Flask, host: str, port: int) -> None:
    """Say where to open the scorebook here and on a phone, and where its data lies."""
    click.echo(f"Open here:     {address('127.0.0.1' if host in EVERY_ADDRESS else host, port)}")
    nearby = network_address() if host in EVERY_ADDRESS else host
    if nearby is None:
        click.echo("On a phone:    not now; this computer is in no network.")
    elif is_loopback(nearby):
        click.echo("On a phone:    not now; only this computer is served. Try: make run HOST=0.0.0.0")
    else:
        click.echo(f"On a phone:    {address(nearby, port)} (in the same network)")
        show_qr(address(nearby, port))
    click.echo(f"The data lies: {data_place(app)}")
    click.echo("Stop with Ctrl-C.")


def address(host: str, port: int) -> str:
    """The address to type into a browser; an IPv6 address goes into brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_address() -> str | None:
    """The IPv4 address of this computer in its own network, None when it is in none.

    Connecting a datagram socket sends nothing, but makes the system choose the way out. The far end is
    an address kept for documentation (RFC 5737), where nobody is.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            found = str(probe.getsockname()[0])
    except OSError:
        try:
            found = socket.gethostbyname(socket.gethostname())
        except OSError:
            return None
    return None if is_loopback(found) else found


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach `host`, an address or a name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def show_qr(text: str) -> None:
    """Draw `text` as a QR code of half blocks; nothing where the terminal has no such characters."""
    drawing = io.StringIO()
    segno.make(text, micro=False).terminal(drawing, compact=True)
    try:
        drawing.getvalue().encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return
    for line in drawing.getvalue().splitlines():
        # Light on dark in every terminal: many phones do not read a code with its colours swapped.
        click.secho(line, fg="bright_white", bg="black")


def data_place(app: Flask) -> str:
    """The data folder, or the database of another server without its password."""
    url = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
    if url.get_backend_name() == "sqlite":
        return str(app.config["DATA_FOLDER"])
    # The query may hold a password too, and says nothing about the place.
    return url.set(query={}).render_as_string(hide_password=True)
