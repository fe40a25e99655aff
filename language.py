"""What is said to the person, in their language: gettext for sentences, Babel for dates.

Only `en` is complete today; a language is added by its catalogue in translations/ (see CONTRIBUTING.md).
"""

from __future__ import annotations

import gettext as catalogues
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time
from babel.units import format_unit
from flask import Flask, g, has_request_context, request

from rules.problem import Problem

LANGUAGES = ("en",)
"""The languages people can choose, the fallback first."""

TRANSLATIONS = Path(__file__).parent / "translations"


def init_app(app: Flask) -> None:
    """Give the templates `_`, `trans` and the locale's ways to write dates and lists."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(_plain, _plural, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.filters.update(say=say, day=day, clock=clock, month=month, weekday=weekday, lasted=lasted)
    app.jinja_env.globals.update(
        language=lambda: locale().language, direction=lambda: locale().text_direction
    )


def locale() -> Locale:
    """The reader's locale: the first of the browser's languages that there is a catalogue for, with its country."""
    if not has_request_context():
        return Locale.parse(LANGUAGES[0])
    if "locale" not in g:
        g.locale = next(
            filter(None, map(_known, request.accept_languages.values())), Locale.parse(LANGUAGES[0])
        )
    return g.locale


def _known(code: str) -> Locale | None:
    """The locale of a language code, if there is a catalogue for it."""
    try:
        found = Locale.parse(code, sep="-")
    except (ValueError, UnknownLocaleError):
        return None
    return found if found.language in LANGUAGES else None


def gettext(text: str, **values: object) -> str:
    """The sentence in the reader's language, its places filled."""
    return _plain(text) % values if values else _plain(text)


def ngettext(singular: str, plural: str, count: int, **values: object) -> str:
    """The sentence in the form its number asks for; `%(num)d` is the number."""
    return _plural(singular, plural, count) % {"num": count, **values}


def say(problem: Problem) -> str:
    """What the rules object to, in the reader's language and as a sentence."""
    one_form = not problem.plural
    text = _plain(problem.text) if one_form else _plural(problem.text, problem.plural, problem.count)
    sentence = text % dict(problem.values)
    return sentence[:1].upper() + sentence[1:] + "."


def day(value: date) -> str:
    """A calendar date as people there write it."""
    return format_date(value, "full", locale=locale())


def month(value: date) -> str:
    """The month of a date, with its year."""
    return format_skeleton("yMMMM", value, locale=locale())


def weekday(value: date) -> str:
    """A date below the heading of its month: the day of the week and of the month."""
    return format_skeleton("MMMEd", value, locale=locale())


def lasted(value: timedelta) -> str:
    """How long something took, in hours and minutes; at least a minute."""
    hours, minutes = divmod(value // timedelta(minutes=1), 60)
    parts = [(hours, "hour"), (minutes, "minute")]
    return " ".join(format_unit(count, unit, "short", locale=locale()) for count, unit in parts if count)


def clock(value: datetime) -> str:
    """A time of day as people there write it."""
    return format_time(value, "short", locale=locale())


def _plain(text: str) -> str:
    return _catalogue(locale().language).gettext(text)


def _plural(singular: str, plural: str, count: int) -> str:
    return _catalogue(locale().language).ngettext(singular, plural, count)


@cache
def _catalogue(language: str) -> catalogues.NullTranslations:
    return catalogues.translation("messages", TRANSLATIONS, [language], fallback=True)
