"""Settings of one phone: the language, the colours, the size of the letters. They lie in its cookie."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from flask import Blueprint, redirect, render_template, request, session, url_for
from flask.globals import request_ctx
from werkzeug.wrappers import Response

import language
from forms.book import SettingsForm

bp = Blueprint("settings", __name__, url_prefix="/settings")


@bp.get("")
def settings() -> str:
    """What this phone has chosen."""
    chosen = {
        **SettingsForm.DEFAULTS,
        **{key: session[key] for key in SettingsForm.DEFAULTS if key in session},
    }
    return render_template("settings.html", form=SettingsForm(data=chosen), back=_page_at(_came_from()))


@bp.post("")
def choose() -> Response:
    """Remember what was chosen; whatever is none of the choices changes nothing."""
    form = SettingsForm(request.form)
    session.permanent = True
    for field in form:
        if field.data and field.validate(form):
            session[field.name] = field.data
    language.forget()
    return redirect(_page_at(request.form.get("back", "")) or url_for(".settings"))


def _came_from() -> str:
    """The address of ours that this page was opened from; "" for none."""
    try:
        referrer = urlsplit(request.referrer or "")
    except ValueError:
        return ""
    return referrer.path if referrer.netloc == request.host else ""


def _page_at(path: str) -> str | None:
    """The address, where it is one of a page of ours but this: nobody is sent elsewhere, nor from here to here."""
    addresses = request_ctx.url_adapter
    is_ours = OURS.fullmatch(path) and addresses is not None and addresses.test(path, method="GET")
    return path if is_ours and path != request.path else None


OURS = re.compile(r"/(?!/)[\w./-]*", re.ASCII)
"""An address on this host, which no browser reads as one elsewhere."""
