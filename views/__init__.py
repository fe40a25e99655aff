"""The pages: one blueprint for each audience. What they share is here: who is looking, and how a page is answered."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Flask, abort, g, request, session
from wtforms import Form

from log import Act
from models import Book, Game, Keeper, new_key

WHILE_DELETED = ("table.restore", "record.ask_erase", "record.erase")
"""What can be done with a game that was deleted."""


def init_app(app: Flask) -> None:
    """Hang every blueprint into the app."""
    from views import archive, book, games, home, house, keys, play, rules, sheet, table

    for blueprint in (home.bp, games.bp, rules.bp, house.bp, play.bp, sheet.bp, table.bp, book.bp, keys.bp):
        app.register_blueprint(blueprint)
    for blueprint in (archive.bp, archive.record):
        app.register_blueprint(blueprint)
    app.jinja_env.globals.update(new_act=new_key)
    app.context_processor(lambda: {"theme": session.get("theme", "auto")})


def phone() -> str:
    """The secret of this phone, from its signed cookie; made now if it has none. Sets the cookie anew on each use."""
    session.permanent = True
    return session.setdefault("phone", new_key())


def load_game() -> None:
    """Find the game of an address, and whether this phone may write in it, as `g.game` and `g.keeper`; 404 for none.

    Everything else of a game is reached through it, never by an id of its own.
    """
    writing = request.method == "POST"
    game = Game.find((request.view_args or {}).pop("code"), writing=writing)
    if game is None:
        abort(404, "game")
    g.game = game
    g.keeper = game.book.keeper(phone()) if "phone" in session else None
    if game.deleted and request.endpoint not in WHILE_DELETED:
        abort(404, "deleted" if g.keeper else "game")
    if writing and g.keeper is None:
        abort(404, "keeper")


def add_code(_endpoint: str, values: dict[str, object]) -> None:
    """Put the code of the game at hand into every address built from its pages."""
    if "game" in g:
        values.setdefault("code", g.game.code)


def load_book() -> None:
    """Find the book of an address as `g.book`, and whether this phone may write in it as `g.keeper`; 404 for none.

    Somebody who is no keeper may look, and only at a book that its keepers share.
    """
    book = Book.find((request.view_args or {}).pop("code"))
    if book is None:
        abort(404)
    g.book = book
    g.keeper = book.keeper(phone()) if "phone" in session else None
    if g.keeper is None and (request.method == "POST" or not book.is_shared):
        abort(404)


def add_book(_endpoint: str, values: dict[str, object]) -> None:
    """Put the code of the book at hand into every address built from its pages."""
    if "book" in g:
        values.setdefault("code", g.book.code)


def keepers_only() -> None:
    """Show a page to the book's keepers alone, shared or not; 404 for everybody else."""
    if g.keeper is None:
        abort(404)


def tap(form: Form) -> Act:
    """The tap a form stands for, now and by this phone. The form must have been sent whole; 400 otherwise."""
    if not form.validate():
        abort(400, "form")
    keeper: Keeper | None = g.get("keeper")
    return Act(form["act"].data, now(), keeper.id if keeper else None)


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)
