"""Settings of one phone: the language, the colours, the size of the letters. They lie in its cookie."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for
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
    return render_template("settings.html", form=SettingsForm(data=chosen))


@bp.post("")
def choose() -> Response:
    """Remember what was chosen; whatever is none of the choices changes nothing."""
    form = SettingsForm(request.form)
    session.permanent = True
    for field in form:
        if field.data and field.validate(form):
            session[field.name] = field.data
    language.forget()
    return redirect(url_for(".settings"))
