"""What is said to the person, in their language: gettext for sentences, Babel for dates.

Only `en` is complete today; a language is added by its catalogue in translations/ (see CONTRIBUTING.md).
"""

from __future__ import annotations

import gettext as catalogues
from datetime import date, datetime
from functools import cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.numbers import format_decimal, format_percent
from flask import Flask, g, has_request_context, request

from rules.problem import Problem

LANGUAGES = ("en",)
"""The languages people can choose, the fallback first."""

TRANSLATIONS = Path(__file__).parent / "translations"


def init_app(app: Flask) -> None:
    """Give the templates `_`, `trans` and the locale's ways to write dates and lists."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(_plain, _plural, newstyle=True)  # type: ignore[attr-defined]
    app.jinja_env.filters.update(
        say=say, day=day, short_day=short_day, clock=clock, percent=percent, decimal=decimal
    )
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


def short_day(value: date) -> str:
    """The same in few characters, for tables."""
    return format_date(value, "medium", locale=locale())


def percent(share: float) -> str:
    """A share from 0 to 1 in whole percents."""
    return format_percent(share, locale=locale())


def decimal(value: float) -> str:
    """A number with one decimal."""
    return format_decimal(value, "#,##0.0", locale=locale())


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
