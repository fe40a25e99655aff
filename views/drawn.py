"""Pieces of pages that were drawn before, for as long as what they show is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from threading import Lock

from flask import current_app, g, render_template, request, session
from markupsafe import Markup

from language import locale

MOST_LETTERS = 16_000_000
"""So much is kept in memory: some four hundred sheets of twenty hands."""


class Pieces:
    """What was drawn, each piece with what it shows."""

    def __init__(self) -> None:
        self._drawn: dict[Hashable, tuple[object, Markup]] = {}
        self._letters = 0
        self._lock = Lock()

    def get(self, key: Hashable, shows: object) -> Markup | None:
        """The piece, if it showed just this."""
        known = self._drawn.get(key)
        return known[1] if known is not None and known[0] == shows else None

    def put(self, key: Hashable, shows: object, piece: Markup) -> None:
        """Keep a piece; where there is no more room, all are drawn anew."""
        with self._lock:
            if self._letters > MOST_LETTERS:
                self._drawn.clear()
                self._letters = 0
            if (before := self._drawn.get(key)) is not None:
                self._letters -= len(before[1])
            self._drawn[key] = (shows, piece)
            self._letters += len(piece)

    def clear(self) -> None:
        """Draw everything anew."""
        with self._lock:
            self._drawn.clear()
            self._letters = 0


pieces = Pieces()


def fixed(template: str) -> Markup:
    """A piece that is the same on every page, for one language and one choice of colours."""
    key = (request.script_root, template, str(locale()), session.get("theme", "auto"))
    return _known_or_drawn(key, None, partial(render_template, template))


def drawn(name: str, number: int, shows: object, draw: Callable[[], str]) -> Markup:
    """A piece of a page of the game at hand: as it was drawn before if it showed just this, or else drawn now.

    `shows` is all that it depends on, compared as a value: a piece that shows anything else is never taken. Beside it
    there are the game, the reader's language, who reads and whether they may write.
    """
    key = (request.script_root, g.code, name, number, str(locale()), g.me, g.keeper is None)
    return _known_or_drawn(key, shows, draw)


def draw(template: str, **shown: object) -> str:
    """Draw a piece, of which no page's own context is part: neither colours nor letters may depend on it."""
    return current_app.jinja_env.get_template(template).render(shown)


def _known_or_drawn(key: Hashable, shows: object, draw: Callable[[], str]) -> Markup:
    if (known := pieces.get(key, shows)) is not None:
        return known
    piece = Markup(draw())  # noqa: S704 - a template of ours has written it, and escaped what is in it
    pieces.put(key, shows, piece)
    return piece
