"""The book: its games, by date."""

from __future__ import annotations

from itertools import groupby

from flask import Blueprint, abort, g, render_template, request

from forms.book import FindForm
from listing import Choices, Key, page
from views import add_book, load_book

bp = Blueprint("book", __name__, url_prefix="/b/<code>")
bp.before_request(load_book)
bp.url_defaults(add_book)


@bp.get("")
def games() -> str | tuple[str, int]:
    """The front page: all games or those that are looked for, the running ones first, then by date, in pages."""
    choices = Choices.of(g.book)
    form = FindForm(request.args)
    form.offer(choices)
    if not form.validate():
        return render_template("book/games.html", book=g.book, form=form, running=(), months=()), 422
    after = _after(request.args.get("after", ""))
    shown = page(g.book, form.wanted(), choices, after)
    finished = [game for game in shown.games if game.finished]
    return render_template(
        "book/games.html",
        book=g.book,
        form=form,
        is_first=after is None,
        running=[game for game in shown.games if game.finished is None],
        months=[
            (first, list(month))
            for first, month in groupby(finished, lambda game: game.played_on.replace(day=1))
        ],
        following=shown.following,
    )


def _after(written: str) -> Key | None:
    """The key that a page begins after; none on the first page; 404 for what is no key."""
    try:
        return Key.read(written) if written else None
    except ValueError:
        abort(404)
