"""The keepers of a book: the phones that may write in it, how to add one, and how to take the right back."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from database import db
from forms import NameForm, TapForm
from forms.book import BookForm
from language import say
from models import Book, Invitation, Keeper, new_spoken_code
from rules.problem import RulesError
from views import add_book, keepers_only, limits, load_book, now, shared_address, tap
from views.qr import qr

bp = Blueprint("keepers", __name__, url_prefix="/b/<code>/keepers")
bp.before_request(load_book)
bp.before_request(keepers_only)
bp.url_defaults(add_book)


@bp.get("")
def keepers() -> str:
    """The phones that keep the book, and what can be done about them."""
    # A link that was made is shown until somebody comes back here, and no longer.
    session.pop("link", None)
    return _page()


@bp.post("/invite")
def invite() -> Response:
    """Make an invitation: a link and a code, of which one phone can use one."""
    act = tap(TapForm(request.form))
    if not _is_made(act.id):
        limits.take(limits.PHONES)
        code = new_spoken_code()
        _show(act.id, key=g.book.invite(act.at, spoken=code), spoken=code)
    return _made()


@bp.post("/recovery")
def recovery() -> Response:
    """Make a recovery link in the place of the one before."""
    act = tap(TapForm(request.form))
    if not _is_made(act.id):
        limits.take(limits.PHONES)
        _show(act.id, key=g.book.new_recovery(act.at))
    return _made()


def _is_made(act: str) -> bool:
    return bool(session.get("link", {}).get("act") == act)


def _show(act: str, **what: str) -> None:
    """Only hashes are stored: what was made is shown once, from this phone's own signed cookie."""
    session["link"] = {"act": act, "book": g.book.code, **what}


def _made() -> Response:
    db.session.commit()
    return redirect(url_for(".link"))


@bp.get("/link")
def link() -> str | Response:
    """The link that was just made, as QR code, address and code."""
    made = session.get("link", {})
    if made.get("book") != g.book.code:
        return redirect(url_for(".keepers"))
    key, at = made["key"], now()
    invited = Invitation.find(key, at)
    is_recovery = Book.recovered_by(key) is g.book
    address = shared_address("keys.invitation", key=key)
    return render_template(
        "keepers/link.html",
        book=g.book,
        is_recovery=is_recovery,
        is_used=invited is not None and invited.used is not None,
        is_open=is_recovery or (invited is not None and invited.used is None),
        address=address,
        qr=qr(address),
        spoken=made["spoken"] if invited and Invitation.find_spoken(made["spoken"], at) else None,
    )


@bp.post("/<int:number>/name")
def rename(number: int) -> Response | tuple[str, int]:
    """Say whose phone it is."""
    form = NameForm(request.form)
    keeper = _keeper(number)
    if form.act.data and not form.validate():
        return _page(form=form, keeper=keeper), 422
    tap(form)
    keeper.name = form.name.data
    return _done()


@bp.post("/<int:number>/remove")
def remove(number: int) -> Response:
    """Take the right to write from a phone; from this one, too, unless nobody could write any more."""
    tap(TapForm(request.form))
    keeper = _keeper(number)
    g.book.remove(keeper, by=g.keeper)
    db.session.commit()
    return redirect(url_for("home.home" if keeper is g.keeper else ".keepers"))


@bp.post("/replace")
def replace() -> Response:
    """Make every key of the book worthless but this phone's own."""
    tap(TapForm(request.form))
    g.book.replace_keys(g.keeper)
    return _done()


@bp.post("/sharing")
def share() -> Response:
    """Let everybody look who has the book's address, or nobody."""
    tap(TapForm(request.form))
    g.book.is_shared = "shared" in request.form
    return _done()


@bp.post("/book")
def name_book() -> Response | tuple[str, int]:
    """Call the book otherwise."""
    form = BookForm(request.form)
    if form.act.data and not form.validate():
        return _page(book_form=form), 422
    tap(form)
    g.book.name = form.name.data
    return _done()


def _keeper(number: int) -> Keeper:
    keeper = g.book.phone_of(number)
    if keeper is None:
        abort(404)
    return keeper


def _done() -> Response:
    db.session.commit()
    return redirect(url_for(".keepers"))


@bp.errorhandler(RulesError)
def refused(error: RulesError) -> tuple[str, int]:
    """The same page with what cannot be done."""
    return _page(messages=[say(each) for each in error.problems]), 422


def _page(**more: object) -> str:
    db.session.rollback()
    return render_template("keepers/keepers.html", book=g.book, phones=g.book.phones(), **more)
