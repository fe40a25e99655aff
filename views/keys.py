"""Keys: the one kind of address that carries a right makes a phone a keeper, once."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, url_for
from werkzeug.wrappers import Response

from database import db
from models import Invitation
from views import now, phone

bp = Blueprint("keys", __name__)


@bp.get("/k/<key>")
def invitation(key: str) -> str:
    """What the invitation offers, with one button. Looking uses nothing up."""
    return render_template("keys/invitation.html", key=key, book=_find(key).book)


@bp.post("/k/<key>")
def accept(key: str) -> Response:
    """Make this phone a keeper of the book."""
    _find(key).accept(phone(), now())
    db.session.commit()
    return redirect(url_for("home.home"))


def _find(key: str) -> Invitation:
    invitation = Invitation.open_one(key, now())
    if invitation is None:
        abort(404, "invitation")
    return invitation
