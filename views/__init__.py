"""The pages: one blueprint for each audience. What they share is here: who is looking, and how a page is answered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Flask, abort, current_app, g, request, session, url_for
from wtforms import Form

from codes import new_key
from log import Act
from models import Book, Keeper, Player
from sitting import Sitting
from views import limits
from views.drawn import fixed

MOST_SEATS = 6
"""Games in which a phone remembers whose it is: more would make its cookie large."""

WHILE_DELETED = ("table.restore", "record.ask_erase", "record.erase")
"""What can be done with a game that was deleted."""


def init_app(app: Flask) -> None:
    """Hang every blueprint into the app."""
    from views import (
        archive,
        book,
        games,
        health,
        home,
        house,
        keepers,
        keys,
        offline,
        play,
        players,
        rules,
        settings,
        sheet,
        table,
    )

    audiences = (
        home,
        games,
        rules,
        house,
        play,
        sheet,
        table,
        book,
        players,
        keepers,
        keys,
        archive,
        offline,
        settings,
        health,
    )
    for blueprint in (each.bp for each in audiences):
        app.register_blueprint(blueprint)
    app.register_blueprint(archive.record)
    limits.init_app(app)
    app.jinja_env.globals.update(new_act=new_key, now=now, url_for=address_of, fixed=fixed)
    # Once for all: a template that imports them costs as much at each request as drawing a seat.
    app.jinja_env.globals["m"] = app.jinja_env.get_template("_macros.html").module
    app.context_processor(
        lambda: {"theme": session.get("theme", "auto"), "letters": session.get("letters", "usual")}
    )


def address_of(endpoint: str, **values: Any) -> str:
    """The address of a page, for templates: like `url_for`, which takes three times as long to find it again."""
    if endpoint.startswith(".") or "_external" in values:
        return url_for(endpoint, **values)
    # Beside what it is asked for, it depends on the game or the book at hand: see `add_code`.
    key = (request.script_root, g.get("code"), endpoint, *values.items())
    if (known := _ADDRESSES.get(key)) is not None:
        return known
    if len(_ADDRESSES) >= MOST_ADDRESSES:
        _ADDRESSES.clear()
    return _ADDRESSES.setdefault(key, url_for(endpoint, **values))


MOST_ADDRESSES = 5000
_ADDRESSES: dict[Any, str] = {}


def phone() -> str:
    """The secret of this phone, from its signed cookie; made now if it has none. The cookie is renewed once a day."""
    today = now().toordinal()
    if session.get("day") != today:
        session.permanent = True
        session["day"] = today
    if "phone" not in session:
        session["phone"] = new_key()
    return str(session["phone"])


def load_game(*, writing: bool | None = None) -> None:
    """Find the game of an address, and whether this phone may write in it, as `g.game` and `g.keeper`; 404 for none.

    `g.me` is the seat of the person with this phone, where they said so. A POST is taken for writing unless told
    otherwise. Everything else of a game is reached through it, never by an id of its own.
    """
    if writing is None:
        writing = request.method == "POST"
    key = phone() if "phone" in session else None
    game = Sitting.find((request.view_args or {}).pop("code"), phone=key, writing=writing)
    g.keeper = game and game.keeper
    check_guess(game is not None)
    if game is None:
        abort(404, "game")
    g.game, g.code = game, game.code
    if game.deleted and request.endpoint not in WHILE_DELETED:
        abort(404, "deleted" if g.keeper else "game")
    if writing and g.keeper is None:
        abort(404, "keeper")
    if writing:
        g.keeper.note(now())
    g.me = dict(session.get("seats", ())).get(_seat_key())


def remember_me(seat: int | None) -> None:
    """Keep in this phone's cookie who its person is in the game at hand; None: forget it. The last few games only."""
    session.permanent = True
    others = [each for each in session.get("seats", ()) if each[0] != _seat_key()]
    session["seats"] = ([] if seat is None else [(_seat_key(), seat)]) + others[: MOST_SEATS - 1]


def _seat_key() -> str:
    """Enough of a code to tell a few games apart, and too little to open one."""
    return str(g.game.code[:6])


def add_code(_endpoint: str, values: dict[str, object]) -> None:
    """Put the code of the game at hand into every address built from its pages."""
    if "game" in g:
        values.setdefault("code", g.game.code)


def load_book() -> None:
    """Find the book of an address as `g.book`, and whether this phone may write in it as `g.keeper`; 404 for none.

    Somebody who is no keeper may look, and only at a book that its keepers share.
    """
    writing = request.method == "POST"
    book = Book.find((request.view_args or {}).pop("code"), writing=writing)
    g.keeper = book.keeper(phone()) if book and "phone" in session else None
    check_guess(book is not None)
    if book is None:
        abort(404)
    g.book, g.code = book, book.code
    if g.keeper is None and (writing or not book.is_shared):
        abort(404)
    if writing:
        g.keeper.note(now())


def check_guess(hit: bool) -> None:
    """Count an address or a code that nobody has, and stop whoever has guessed too often, hit or not; 429 then.

    A keeper is never stopped: what somebody else behind the same address does is not for the table to suffer.
    """
    if g.get("keeper") is None:
        limits.refuse(limits.GUESSES)
    if not hit:
        limits.count(limits.GUESSES)


def add_book(_endpoint: str, values: dict[str, object]) -> None:
    """Put the code of the book at hand into every address built from its pages."""
    if "book" in g:
        values.setdefault("code", g.book.code)


def keepers_only() -> None:
    """Show a page to the book's keepers alone, shared or not; 404 for everybody else."""
    if g.keeper is None:
        abort(404)


def player_of(number: int) -> Player:
    """The player of the book at hand with that number; 404 for none."""
    found: Player | None = g.book.player_of(number)
    if found is None:
        abort(404)
    return found


def shared_address(endpoint: str, **values: str) -> str:
    """The whole address of a page, to be sent to somebody. The host is one of ours: see `app.refuse_other_hosts`."""
    scheme = "https" if current_app.config["HTTPS"] else None
    return url_for(endpoint, _external=True, _scheme=scheme, **values)


def tap(form: Form) -> Act:
    """The tap a form stands for, now and by this phone. The form must have been sent whole; 400 otherwise."""
    if not form.validate():
        abort(400, "form")
    keeper: Keeper | None = g.get("keeper")
    return Act(form["act"].data, now(), keeper.id if keeper else None)


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)
