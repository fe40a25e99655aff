"""Home: what is being played, what was played, and where a new game begins."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from models import Book
from views import phone

bp = Blueprint("home", __name__)

THEMES = ("auto", "light", "dark")
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
        with_deleted=[book for book in books if book.deleted_games()],
        running=[(game, game.sheet()) for game in running],
        finished=sorted(finished, key=lambda game: (game.finished, game.id), reverse=True)[:RECENT],
    )


@bp.post("/theme")
def theme() -> Response:
    """Remember light, dark, or as the phone has it; back to where one was."""
    session.permanent = True
    wanted = request.form.get("theme")
    session["theme"] = wanted if wanted in THEMES else "auto"
    return redirect(url_for("home.home"))


@bp.get("/robots.txt")
def robots() -> Response:
    """No page here is for search engines."""
    return Response("User-agent: *\nDisallow: /\n", mimetype="text/plain")
