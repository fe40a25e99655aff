"""How often one network address may try: guessing addresses and codes, starting games and books, adding phones.

Flask-Limiter keeps the counts: in memory, or where RATELIMIT_STORAGE_URI says. They go by themselves when their time
is over; where that storage does not answer, each process counts for itself, and nobody at a table waits for it. Looking
at what exists is never counted, so that any number of phones may watch behind one address.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import Flask, current_app, request
from flask_limiter import Limiter
from limits import RateLimitItem, parse
from limits.errors import ConfigurationError
from limits.storage import MemoryStorage
from limits.strategies import STRATEGIES, RateLimiter
from werkzeug.exceptions import TooManyRequests

import journal

Told = TypeVar("Told")


@dataclass(frozen=True)
class Limit:
    """So many in so long a time by one neighbour, which is an IPv6 /64 or an IPv4 network of that many bits.

    `spares_this_computer`: nobody is limited who sits at the server itself.
    """

    name: str
    rate: RateLimitItem
    bits: int = 32
    spares_this_computer: bool = False


GUESSES = Limit("guesses", parse("30 per minute"))
"""Addresses and codes that nobody has."""
STARTS = Limit("starts", parse("10 per hour"), bits=24, spares_this_computer=True)
"""Games and books."""
PHONES = Limit("phones", parse("20 per hour"), spares_this_computer=True)
"""Invitations and recovery links."""
NOT_ASKED_FOR = 10.0
"""Seconds in which a storage that did not answer is not asked again."""


@dataclass
class Spare:
    """The counts of this process alone, used until that moment (of `time.monotonic`)."""

    counts: RateLimiter
    until: float = 0.0


def init_app(app: Flask) -> None:
    """Give the app its counts. Raises SystemExit in plain words for a storage that there is not."""
    limiter = Limiter(lambda: neighbour(32))
    # Known to the app before it is begun, it hangs no hooks of its own into every request: what is counted says so.
    app.extensions["limiter"] = {limiter}
    try:
        limiter.init_app(app)
    except ConfigurationError as wrong:
        raise SystemExit(
            "RATELIMIT_STORAGE_URI cannot be used: it is memory:// (or not set), or a storage shared by several "
            f"servers such as redis://host:6379 with its package installed. {str(wrong).partition(':')[0]}"
        ) from None
    app.extensions["limiter-spare"] = Spare(STRATEGIES[app.config["RATELIMIT_STRATEGY"]](MemoryStorage()))


def refuse(limit: Limit) -> None:
    """Stop the request where its neighbour has used the limit up. Raises 429, which says when to come again."""
    who = neighbour(limit.bits)
    if _ask(limit, lambda counts: counts.test(limit.rate, limit.name, who)) is not False:
        return
    again = _ask(limit, lambda counts: counts.get_window_stats(limit.rate, limit.name, who).reset_time)
    raise TooManyRequests(limit.name, retry_after=max(1, math.ceil((again or 0) - time.time())))


def take(limit: Limit) -> None:
    """What is limited happens once more: stop the request where that is too often, count it otherwise."""
    refuse(limit)
    count(limit)


def count(limit: Limit) -> None:
    """One more by this neighbour."""
    _ask(limit, lambda counts: counts.hit(limit.rate, limit.name, neighbour(limit.bits)))


def neighbour(bits: int) -> str:
    """Who asks, as a network: an IPv6 household has a /64 to itself, an IPv4 one an address or a few."""
    try:
        address = ipaddress.ip_address((request.remote_addr or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return str(ipaddress.ip_network((address, bits if address.version == 4 else 64), strict=False))


def _ask(limit: Limit, question: Callable[[RateLimiter], Told]) -> Told | None:
    """What the counts say; None where nothing is counted."""
    limiter = _counts(limit)
    if limiter is None:
        return None
    spare: Spare = current_app.extensions["limiter-spare"]
    if time.monotonic() >= spare.until:
        try:
            return question(limiter.limiter)
        except Exception as error:  # noqa: BLE001 - each storage has errors of its own
            spare.until = time.monotonic() + NOT_ASKED_FOR
            journal.write(
                "the storage of RATELIMIT_STORAGE_URI does not answer, each process counts for itself",
                logging.WARNING,
                error=type(error).__name__,
            )
    return question(spare.counts)


def _counts(limit: Limit) -> Limiter | None:
    """Where it is counted; None where it is not."""
    counts: Limiter | None = next(iter(current_app.extensions.get("limiter", ())), None)
    if counts is None or not counts.enabled:
        return None
    spared = limit.spares_this_computer and request.remote_addr in ("127.0.0.1", "::1")
    return None if spared else counts
