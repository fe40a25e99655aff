"""Keys: how a phone becomes a keeper, or a watcher by a code.

The one kind of address that carries a right is `/k/<key>`: an invitation, which works once, or a recovery link.
"""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from database import db
from forms.book import BookForm, CodeForm
from models import Book, Game, Invitation
from views import check_guess, limits, now, phone, tap

bp = Blueprint("keys", __name__)


@bp.get("/k/<key>")
def invitation(key: str) -> str:
    """What the invitation offers, with one button. Looking uses nothing up."""
    book = Book.recovered_by(key)
    invited = None if book else Invitation.find(key, now())
    check_guess(book is not None or invited is not None)
    if book is None:
        book = _open(invited).book
    return render_template("keys/invitation.html", key=key, book=book, once=invited is not None)


@bp.post("/k/<key>")
def accept(key: str) -> Response:
    """Make this phone a keeper of the book."""
    if book := Book.recovered_by(key, writing=True):
        check_guess(True)
        book.welcome(phone(), now())
        return _home()
    return _join(Invitation.find(key, now(), writing=True))


@bp.get("/watch")
def watch() -> str:
    """Where a code is typed that somebody says across the table."""
    return render_template("keys/watch.html", form=CodeForm())


@bp.post("/watch")
def coded() -> str | Response | tuple[str, int]:
    """The game of a code; or, where it makes a keeper, one button that does. A pasted link leads where it would."""
    form = CodeForm(request.form)
    if link := form.pasted():
        return redirect(url_for("keys.invitation" if "key" in link else "sheet.now_played", **link))
    good = form.validate()
    code = form.code.data or ""
    invited = Invitation.find_spoken(code, now(), writing=True)
    game = Game.watched_by(code)
    if good and invited and "keep" in request.form:
        return _join(invited)
    hit = game is not None or (invited is not None and invited.used is None)
    check_guess(hit)
    if good and not hit:
        form.refuse()
    if not good or not hit:
        return render_template("keys/watch.html", form=form), 422
    if game is not None:
        return redirect(url_for("sheet.now_played", code=game.code))
    return render_template("keys/invitation.html", code=code, book=_open(invited).book, once=True)


def _join(invited: Invitation | None) -> Response:
    """Use the invitation up. The same tap once more finds it done."""
    check_guess(invited is not None)
    if invited is None or invited.used is None or invited.book.keeper(phone()) is None:
        _open(invited).accept(phone(), now())
    return _home()


def _open(invited: Invitation | None) -> Invitation:
    if invited is None or invited.used is not None:
        abort(404, "invitation")
    return invited


def _home() -> Response:
    db.session.commit()
    return redirect(url_for("home.home"))


@bp.get("/books")
def another_book() -> str:
    """Where another book is given its name."""
    return render_template("keys/book.html", form=BookForm())


@bp.post("/books")
def start_book() -> Response | tuple[str, int]:
    """Start another book on this phone; the one of that name where it keeps one."""
    form = BookForm(request.form)
    if form.act.data and not form.validate():
        return render_template("keys/book.html", form=form), 422
    tap(form)
    name = form.name.data
    book = next((each for each in Book.kept_by(phone()) if each.name == name), None)
    if book is None:
        limits.take(limits.STARTS)
        book = Book.start(phone(), now(), name)
    db.session.commit()
    return redirect(url_for("keepers.keepers", code=book.code))
