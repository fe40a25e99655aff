"""What is said to the person, in their language: gettext for sentences, Babel for dates.

A language is added by its catalogue in translations/ and its line in LANGUAGES (see CONTRIBUTING.md). The settings
LANGUAGES and TRANSLATIONS say otherwise: tests let the pages speak languages that nobody does.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Callable
from contextvars import ContextVar
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import bidirectional

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit
from flask import Flask, current_app, g, has_request_context, request, session
from markupsafe import Markup

from rules.problem import Problem

LANGUAGES = ("en", "ro", "hr", "pl", "hi", "es")
"""The languages people can choose, the fallback first."""

TRANSLATIONS = Path(__file__).parent / "translations"


def init_app(app: Flask) -> None:
    """Give the templates `_`, `pgettext`, `trans` and the locale's ways to write dates and lists."""
    app.config.setdefault("LANGUAGES", LANGUAGES)
    app.config.setdefault("TRANSLATIONS", TRANSLATIONS)
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(_plain, _plural, newstyle=True, pgettext=_in_context)  # type: ignore[attr-defined]
    # Half of what a page costs are its sentences: little stands between them and the catalogue.
    app.jinja_env.globals.update(_=_in_page, ngettext=_in_page_plural)
    app.before_request(forget)
    app.teardown_request(lambda _error: forget())
    dates = (day, short_day, noted_day, month, weekday, clock, lasted)
    app.jinja_env.filters.update({each.__name__: each for each in dates})
    others = (say, percent, decimal, suit_word, signed, plain)
    app.jinja_env.filters.update({each.__name__: each for each in others})
    app.jinja_env.globals.update(
        suit_words=suit_words,
        language=lambda: locale().language,
        language_name=lambda: dict(own_names())[locale().language],
        direction=lambda: locale().text_direction,
    )


def locale() -> Locale:
    """The reader's locale: as this phone has chosen, or as its browser asks for, with the browser's country."""
    if not has_request_context():
        return Locale.parse(LANGUAGES[0])
    if "locale" not in g:
        chosen = session.get("language", "auto")
        asked = [*filter(None, map(_known, request.accept_languages.values())), Locale.parse(LANGUAGES[0])]
        spoken = [each for each in asked if chosen in ("auto", each.language)]
        g.locale = spoken[0] if spoken else _known(chosen) or asked[0]
    return g.locale


def forget() -> None:
    """Ask for the locale anew: another request comes, or the phone has just chosen another language."""
    g.pop("locale", None)
    _reader.set(None)


def own_names() -> list[tuple[str, str]]:
    """Each language by its code, with its name as its own speakers write it."""
    return [(code, _own_name(code)) for code in current_app.config["LANGUAGES"]]


@cache
def _own_name(code: str) -> str:
    name = Locale.parse(code).get_display_name(code) or code
    return name[:1].upper() + name[1:]


def _known(code: str) -> Locale | None:
    """The locale of a language code, if there is a catalogue for it."""
    try:
        found = Locale.parse(code, sep="-")
    except (ValueError, UnknownLocaleError):
        return None
    return found if found.language in current_app.config["LANGUAGES"] else None


def gettext(text: str, **values: object) -> str:
    """The sentence in the reader's language, its places filled."""
    return _plain(text) % values if values else _plain(text)


def ngettext(singular: str, plural: str, count: int, **values: object) -> str:
    """The sentence in the form its number asks for; `%(num)d` is the number."""
    return _plural(singular, plural, count) % {"num": count, **values}


def pgettext(context: str, text: str, **values: object) -> str:
    """The same for a word with more than one sense in English: `context` tells translators, and nobody else, which."""
    return _in_context(context, text) % values if values else _in_context(context, text)


def unfilled(singular: str, plural: str = "", count: int = 1) -> str:
    """The sentence in the reader's language with its places still open, for a phone that fills them by itself."""
    return _plural(singular, plural, count) if plural else _plain(singular)


def say(problem: Problem) -> str:
    """What the rules object to, in the reader's language and as a sentence."""
    one_form = not problem.plural
    text = _plain(problem.text) if one_form else _plural(problem.text, problem.plural, problem.count)
    sentence = text % {key: _fenced(value) for key, value in problem.values}
    return gettext("%(sentence)s.", sentence=sentence[:1].upper() + sentence[1:])


def _fenced(value: object) -> object:
    """A name that runs the other way than the sentence around it, kept apart as `<bdi>` would in a page."""
    against = ("L",) if locale().text_direction == "rtl" else ("R", "AL")
    runs_against = isinstance(value, str) and any(bidirectional(letter) in against for letter in value)
    return f"\u2068{value}\u2069" if runs_against else value


_SUIT_WORDS: dict[str, Callable[[], str]] = {
    "spades": lambda: gettext("spades"),
    "hearts": lambda: gettext("hearts"),
    "diamonds": lambda: gettext("diamonds"),
    "clubs": lambda: gettext("clubs"),
    "none": lambda: gettext("no trump"),
}


def suit_word(trump: str) -> str:
    """What a trump is called."""
    return _SUIT_WORDS[trump]()


def suit_words() -> list[tuple[str, str]]:
    """Every trump with its word."""
    return [(trump, suit_word(trump)) for trump in _SUIT_WORDS]


def day(value: date) -> str:
    """A calendar date as people there write it."""
    return _date(value.year, value.month, value.day, "full", str(locale()))


def short_day(value: date) -> str:
    """The same in few characters, for tables."""
    return _date(value.year, value.month, value.day, "medium", str(locale()))


def noted_day(value: str) -> str:
    """A date as a game record has it, 2026-01-31, in few characters as people there write it."""
    return short_day(date.fromisoformat(value))


def percent(share: float) -> str:
    """A share from 0 to 1 in whole percents."""
    return format_percent(share, locale=locale())


def decimal(value: float) -> str:
    """A number with one decimal; a real minus, which stays ahead of it from right to left."""
    return _kept_together(format_decimal(value, "#,##0.0", locale=locale()).replace("-", "−"))


def signed(points: int) -> str:
    """Points with their sign, a real minus."""
    return _kept_together(f"{points:+d}".replace("-", "−") if points else "0")


def plain(points: int) -> str:
    """Points as they add up, a real minus where they are below zero."""
    return _kept_together(f"{points:d}".replace("-", "−"))


def _kept_together(number: str) -> str:
    """From right to left, what is not seen around a number keeps the sign ahead of it."""
    return f"\u2066{number}\u2069" if _spoken().is_rtl else number


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
    return _time(value.hour, value.minute, str(locale()))


@lru_cache(maxsize=2048)
def _date(year: int, month: int, day: int, width: Literal["full", "medium"], spoken: str) -> str:
    return format_date(date(year, month, day), width, locale=spoken)


@lru_cache(maxsize=4096)
def _time(hour: int, minute: int, spoken: str) -> str:
    return format_time(time(hour, minute), "short", locale=spoken)


def _plain(text: str) -> str:
    return _spoken().catalogue.gettext(text)


def _plural(singular: str, plural: str, count: int) -> str:
    return _spoken().catalogue.ngettext(singular, plural, count)


def _in_context(context: str, text: str) -> str:
    return _spoken().catalogue.pgettext(context, text)


def _in_page(text: str, **values: object) -> Markup:
    """The sentence in a page, where values are escaped unless they are markup."""
    if not values:
        return _whole(_spoken().catalogue, text)
    return Markup(_spoken().catalogue.gettext(text)) % values  # noqa: S704 - our own sentences


def _in_page_plural(singular: str, plural: str, count: int, **values: object) -> Markup:
    """The same for sentences that count."""
    text = _spoken().catalogue.ngettext(singular, plural, count)
    return Markup(text) % {"num": count, **values}  # noqa: S704


class Reader(NamedTuple):
    """How this request is answered, looked up once."""

    catalogue: catalogues.NullTranslations
    is_rtl: bool


_reader: ContextVar[Reader | None] = ContextVar("reader", default=None)


def _spoken() -> Reader:
    if (known := _reader.get()) is not None:
        return known
    if not has_request_context():
        return Reader(catalogues.NullTranslations(), is_rtl=False)
    spoken = locale()
    found = Reader(_read(current_app.config["TRANSLATIONS"], spoken.language), spoken.text_direction == "rtl")
    _reader.set(found)
    return found


@lru_cache(maxsize=10_000)
def _whole(catalogue: catalogues.NullTranslations, text: str) -> Markup:
    """A sentence without places; `%%` in it stands for one sign."""
    return Markup(catalogue.gettext(text)) % {}  # noqa: S704 - our own sentences


@cache
def _read(folder: Path, language: str) -> catalogues.NullTranslations:
    return catalogues.translation("messages", folder, [language], fallback=True)
