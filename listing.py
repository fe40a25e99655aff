"""A book's games as a list: which of them are wanted, page by page.

First the games that go on, then those that are over, each by the day they were played on, the latest first. A page
begins after the key of the last game of the page before. Nothing is counted or skipped, so page 80 costs what page 1
does, and a game that is added meanwhile neither repeats another nor hides it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, extract, func, or_, select, tuple_

from database import db
from models import LARGEST_ID, Book, Game, Player, Seat, listed_games
from rules import names

PAGE = 25
"""Games on a page."""
MOST_WORDS = 8
"""Words of a search that are looked for."""
KEY = re.compile("([gf])([0-9]{4}-[0-9]{2}-[0-9]{2})[.]([0-9]{1,10})")
"""The key of a game in an address: whether it goes on or is finished, its day, its number."""


class Key(NamedTuple):
    """Where a game stands in the list."""

    is_running: bool
    played_on: date
    id: int

    @classmethod
    def of(cls, game: Game) -> Key:
        """The key of a game."""
        return cls(game.finished is None, game.played_on, game.id)

    @classmethod
    def read(cls, written: str) -> Key:
        """The key that an address names. Raises ValueError when that is none."""
        if not (found := KEY.fullmatch(written)):
            raise ValueError(written)
        return cls(found[1] == "g", date.fromisoformat(found[2]), min(int(found[3]), LARGEST_ID))

    def __str__(self) -> str:
        return f"{'g' if self.is_running else 'f'}{self.played_on.isoformat()}.{self.id}"


class Name(NamedTuple):
    """A name of the book and whose it is: `person` is the number of the player it is shown as."""

    id: int
    name: str
    key: str
    person: int


@dataclass(frozen=True)
class Choices:
    """What there is to choose from in one book."""

    names: tuple[Name, ...]
    rules: tuple[str, ...]
    years: tuple[int, ...]
    """The latest first."""

    @classmethod
    def of(cls, book: Book) -> Choices:
        """The names of the book, merged ones too; the rules it was played by; the years it was played in."""
        columns = (Player.id, Player.name, Player.key, func.coalesce(Player.alias_of_id, Player.id))
        called = db.session.execute(
            select(*columns).where(Player.book_id == book.id).order_by(Player.key)
        ).all()
        rules = select(Game.rules_name).where(Game.book_id == book.id).distinct().order_by(Game.rules_name)
        year = extract("year", Game.played_on)
        years = select(year).where(Game.book_id == book.id).distinct().order_by(year.desc())
        return cls(
            names=tuple(Name(*each) for each in called),
            rules=tuple(db.session.scalars(rules)),
            years=tuple(map(int, db.session.scalars(years))),
        )

    @property
    def people(self) -> tuple[Name, ...]:
        """Everybody once, by the name that is shown."""
        return tuple(each for each in self.names if each.id == each.person)

    def called(self, word: str) -> set[int]:
        """The people with a name, their own or a merged one, in which this word is."""
        return {each.person for each in self.names if names.key(word) in each.key}

    def rows_of(self, people: set[int]) -> list[int]:
        """The players that games of these people may be kept under."""
        return [each.id for each in self.names if each.person in people]


@dataclass(frozen=True)
class Wanted:
    """Which games somebody wants to see: all of these hold. None, or no text, asks for nothing."""

    text: str = ""
    """Each word is in the name of a player, or of the game, or in its place or note."""
    person: int | None = None
    rules: str | None = None
    year: int | None = None
    running: bool | None = None


@dataclass(frozen=True)
class Page:
    """Some games of a list, and the key after which the next page begins; None on the last."""

    games: tuple[Game, ...]
    following: Key | None


def page(book: Book, wanted: Wanted, choices: Choices, after: Key | None = None, most: int = PAGE) -> Page:
    """The games of a book that are wanted, from the first of the list on or from the one after a key."""
    games: list[Game] = []
    for running in (True, False):
        if wanted.running is (not running) or (running and after and not after.is_running):
            continue
        found = _wanted(book, wanted, choices)
        found = found.where(Game.finished.is_(None) if running else Game.finished.is_not(None))
        if after and after.is_running is running:
            found = found.where(tuple_(Game.played_on, Game.id) < tuple_(after.played_on, after.id))
        found = found.order_by(Game.played_on.desc(), Game.id.desc()).limit(most + 1 - len(games))
        games += db.session.scalars(found)
    return Page(tuple(games[:most]), Key.of(games[most - 1]) if len(games) > most else None)


def _wanted(book: Book, wanted: Wanted, choices: Choices) -> Select[Game]:
    found = listed_games().where(Game.book_id == book.id, Game.deleted.is_(None))
    for word in names.tidy(wanted.text).split()[:MOST_WORDS]:
        texts = (func.lower(each).contains(word.lower(), autoescape=True) for each in _TEXTS)
        found = found.where(or_(*texts, _with(choices.rows_of(choices.called(word)))))
    if wanted.person is not None:
        found = found.where(_with(choices.rows_of({wanted.person})))
    if wanted.rules is not None:
        found = found.where(Game.rules_name == wanted.rules)
    if wanted.year is not None:
        first, last = date(wanted.year, 1, 1), date(wanted.year, 12, 31)
        found = found.where(Game.played_on.between(first, last))
    return found


_TEXTS = (Game.name, Game.place, Game.note)


def _with(players: Sequence[int]) -> ColumnElement[bool]:
    """Games in which one of these players had a seat."""
    return Game.id.in_(select(Seat.game_id).where(Seat.player_id.in_(players)))
