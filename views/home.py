"""Home: what is being played, what was played, and where a new game begins."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from kept import read
from models import Book
from views import phone

bp = Blueprint("home", __name__)

RECENT = 20
"""Finished games on the page."""
RUNNING = 3
"""Running games on the page; those that nobody goes on with are in the book."""


@bp.get("/")
def home() -> str | Response:
    """The running games first, then the latest finished ones, of every book this phone keeps.

    Opened from the phone's home screen (`resume`), it goes straight on with the game touched last.
    """
    books = Book.kept_by(phone()) if "phone" in session else []
    # One more than is shown tells whether there are more.
    running = [game for book in books for game in book.running_games(RUNNING + 1)]
    running.sort(key=lambda game: game.touched, reverse=True)
    if "resume" in request.args and running:
        return redirect(url_for("sheet.now_played", code=running[0].code))
    kept = read([game.id for game in running[:RUNNING]]) if running else {}
    finished = [game for book in books for game in book.finished_games(RECENT)]
    finished.sort(key=lambda game: (game.played_on, game.id), reverse=True)
    return render_template(
        "home/home.html",
        books=books,
        with_deleted=[book for book in books if book.has_deleted_games()],
        running=[(game, kept[game.id].sheet) for game in running[:RUNNING]],
        waiting={game.book for game in running[RUNNING:]},
        finished=finished[:RECENT],
    )


@bp.get("/robots.txt")
def robots() -> Response:
    """No page here is for search engines."""
    return Response("User-agent: *\nDisallow: /\n", mimetype="text/plain")
