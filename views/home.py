"""Home: what is being played, what was played, and where a new game begins."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, session

from models import Book
from views import phone

bp = Blueprint("home", __name__)

RECENT = 20
"""Finished games on the page."""


@bp.get("/")
def home() -> str:
    """The running games first, then the latest finished ones, of every book this phone keeps."""
    books = Book.kept_by(phone()) if "phone" in session else []
    running = [game for book in books for game in book.running_games()]
    finished = [game for book in books for game in book.finished_games(RECENT)]
    return render_template(
        "home/home.html",
        books=books,
        running=[(game, game.sheet()) for game in running],
        finished=sorted(finished, key=lambda game: (game.finished, game.id), reverse=True)[:RECENT],
    )


@bp.get("/robots.txt")
def robots() -> Response:
    """No page here is for search engines."""
    return Response("User-agent: *\nDisallow: /\n", mimetype="text/plain")
