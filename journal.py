"""The operator's journal: a line a request, and what went wrong, without a word of what people wrote.

An address opens a game here, and a name is a person's. So a line has the pattern of the address and never the address,
an error has its trace and never its values, and nothing anywhere says from which network somebody came.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sqlite3
import sys
import time
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, g, request
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from database import reason_of

LOG = logging.getLogger("scorebook")
KINDS = ("plain", "json", "quiet")
"""One line of words, one JSON object a line, or nothing but what went wrong."""
HERE = Path(__file__).parent
GIVEN = re.compile(r"[\w.-]{1,64}", re.ASCII)
"""What a proxy may call a request, so that its journal and ours can be put together."""

SPEAKING = re.compile(r"\S*[/%?'\"<=:.]\S*\w")
"""A part of a sentence that may be an address, a value or a name in quotes."""


def init_app(app: Flask) -> None:
    """Note every request, and every error without its values."""
    app.before_request(begin)
    app.after_request(note)
    app.log_exception = note_error  # type: ignore[method-assign, assignment]


def start(kind: str) -> None:
    """Write the journal of this process to its error output; `kind` is one of `KINDS`, "" leaves it to the terminal.

    Somebody who looks on at a terminal sees what went wrong and, above it, the code for the phones.
    """
    kind = kind or ("quiet" if sys.stderr.isatty() else "plain")
    handler = logging.StreamHandler()
    handler.setFormatter(InJson() if kind == "json" else InWords())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    # It warns of each request that waits for a moment.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    LOG.setLevel(logging.WARNING if kind == "quiet" else logging.INFO)


def write(event: str, level: int = logging.INFO, **facts: Any) -> None:
    """One line: what happened, and facts that are nobody's secret."""
    LOG.log(level, event, extra={"facts": facts})


def begin() -> None:
    """A request has come."""
    g.began = time.perf_counter()


def note(response: Response) -> Response:
    """Write down how a request was answered."""
    if response.status_code >= 500:
        response.headers["X-Request-Id"] = request_id()
    if LOG.isEnabledFor(logging.INFO):
        write(
            "request",
            method=request.method if request.url_rule or request.routing_exception else "-",
            route=request.url_rule.rule if request.url_rule else "-",
            status=response.status_code,
            ms=round((time.perf_counter() - g.began) * 1000, 1) if "began" in g else None,
            bytes=size_of(response),
            id=request_id(),
        )
    return response


def size_of(response: Response) -> int | None:
    """How long the body is; None for one that is made while it is sent."""
    if response.is_sequence:
        return len(response.get_data())
    return response.headers.get("Content-Length", type=int)


def note_error(error: tuple[type, BaseException, Any] | tuple[None, None, None]) -> None:
    """Write down an error that became a page, in place of Flask, whose line has the address in it."""
    write(
        "error",
        logging.ERROR,
        method=request.method,
        route=request.url_rule.rule if request.url_rule else "-",
        id=request_id(),
        trace=list(trace(error[1])),
    )


def request_id() -> str:
    """What this request is called in the journal: as the proxy in front says, where one is trusted, or by chance."""
    if "request_id" not in g:
        given = request.headers.get("X-Request-Id", "") if current_app.config["PROXIES"] else ""
        g.request_id = given if GIVEN.fullmatch(given) else secrets.token_hex(4)
    return str(g.request_id)


def trace(error: BaseException | None) -> Iterator[str]:
    """Where an error came from, line by line, what caused it first. No values: they are what people wrote."""
    if error is None:
        return
    yield from trace(error.__cause__ or (None if error.__suppress_context__ else error.__context__))
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{_place(frame.filename)}:{frame.lineno} {frame.name}: {frame.line}"
    yield _told(error)


def _place(path: str) -> str:
    """A file of ours by its place in the project, one of others by its place among the packages."""
    return path.removeprefix(f"{HERE}/").rpartition("site-packages/")[2]


def _told(error: BaseException) -> str:
    """An error by its kind, with what a database or the system says of itself; other texts may hold anything."""
    said = ""
    if isinstance(error, OperationalError | InterfaceError):
        said = reason_of(error)
    elif isinstance(error, sqlite3.OperationalError) and not isinstance(error, DBAPIError):
        said = str(error)
    elif isinstance(error, OSError):
        said = error.strerror or ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """A line of the journal as facts. Packages write addresses into theirs: of those, plain words and numbers stay."""
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    facts: dict[str, Any] = {"at": at, "level": record.levelname.lower()}
    if hasattr(record, "facts"):
        return facts | {"event": record.msg} | record.facts
    args = record.args if isinstance(record.args, tuple) else ()
    said = str(record.msg)
    if args and said.count("%") == len(args):
        said = said.replace("%r", "%s") % tuple(
            each if isinstance(each, int | float) else "-" for each in args
        )
    facts |= {"event": record.name, "said": SPEAKING.sub("-", said)}
    if record.exc_info and record.exc_info[1]:
        facts["trace"] = list(trace(record.exc_info[1]))
    return facts


class InJson(logging.Formatter):
    """A line as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return json.dumps(facts_of(record), ensure_ascii=False)


class InWords(logging.Formatter):
    """A line to read; the trace of an error follows it, set in."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        facts = facts_of(record)
        lines = facts.pop("trace", [])
        at, level, event = facts.pop("at"), facts.pop("level"), facts.pop("event")
        words = [at, event if level == "info" else f"{level.upper()} {event}"]
        words += [f"{name}={'-' if value is None else value}" for name, value in facts.items()]
        return "\n".join([" ".join(words), *(f"    {line}" for line in lines)])
