"""What is carried from book to book: one game, several, or a whole book, as plain data. See docs/records.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules import names
from rules.problem import Problem, RulesError, problem
from rules.record import Record, RecordError, write
from rules.record import read as read_game
from rules.variants import Rules

FORMAT = "oh-hell-book/1"
"""The version of the book's format that is read and written."""

LONGEST_BOOK_NAME = 80
MOST_GAMES = 20_000
MOST_LISTED = 5_000
"""A list of players, of their other names or of house rules may be this long."""


@dataclass(frozen=True)
class Person:
    """A player of a book: the name, other names of the same person, and the date of the first game."""

    name: str
    aliases: tuple[str, ...] = ()
    since: str = ""


@dataclass(frozen=True)
class BookFile:
    """What a file holds. A file of single games has neither a name nor players of its own."""

    name: str = ""
    players: tuple[Person, ...] = ()
    house_rules: tuple[Rules, ...] = ()
    games: tuple[Record, ...] = ()
    warnings: tuple[Problem, ...] = ()
    """What the rules do not allow but the tables did."""


def parse(text: str) -> Any:
    """JSON as plain data. Raises RecordError with the line and column where it stops being JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RecordError(problem("this is no JSON: %(reason)s", place, reason=error.msg)) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(problem("this is no JSON: %(reason)s", reason=str(error)[:80])) from None


def read(data: object) -> BookFile:
    """What plain data holds: a game record, a list of them, or a book.

    Raises RecordError with every problem and its place; recorded totals that do not follow from the hands are one.
    Keys that are not part of the format mean nothing: no file carries a right.
    """
    if isinstance(data, Mapping) and data.get("format") == FORMAT:
        return _Reader(data).book()
    reader = _Reader({})
    if isinstance(data, list):
        games = reader.games(data, "")
    elif isinstance(data, Mapping) and "players" in data and "games" in data:
        raise RecordError(problem("the format of a book is %(known)s", "format", known=FORMAT))
    else:
        games = reader.games([data], None)
    return reader.done(BookFile(games=games))


class _Reader:
    """Reads one book, gathering problems, so that all of them can be told at once."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.found: list[Problem] = []
        self.warnings: list[Problem] = []

    def done(self, file: BookFile) -> BookFile:
        """The file with its warnings. Raises RecordError if anything was wrong."""
        if self.found:
            raise RecordError(*dict.fromkeys(self.found))
        return replace(file, warnings=tuple(self.warnings))

    def book(self) -> BookFile:
        """A whole book."""
        name = self.data.get("name") or ""
        if not isinstance(name, str) or len(name) > LONGEST_BOOK_NAME or not names.is_storable(name):
            self.found.append(
                problem("this is a text of at most %(most)d characters", "name", most=LONGEST_BOOK_NAME)
            )
            name = ""
        return self.done(
            BookFile(
                name=names.tidy(name),
                players=self._players(),
                house_rules=self._house_rules(),
                games=self.games(self._list(self.data, "games", most=MOST_GAMES), "games"),
            )
        )

    def _list(
        self, data: Mapping[str, Any], key: str, place: str = "", *, most: int = MOST_LISTED
    ) -> list[Any]:
        given = data.get(key)
        if given is None:
            return []
        if not isinstance(given, list) or len(given) > most:
            self.found.append(problem("this is a list of at most %(most)d", place or key, most=most))
            return []
        return given

    def _players(self) -> tuple[Person, ...]:
        people = []
        taken: dict[str, str] = {}
        for at, raw in enumerate(self._list(self.data, "players")):
            place = f"players[{at}]"
            if not isinstance(raw, Mapping):
                self.found.append(problem("this is an object", place))
                continue
            called = [self._name(raw.get("name"), f"{place}.name", taken)]
            aliases = self._list(raw, "aliases", f"{place}.aliases")
            called += [
                self._name(alias, f"{place}.aliases[{number}]", taken) for number, alias in enumerate(aliases)
            ]
            people.append(Person(called[0], tuple(called[1:])))
        return tuple(people)

    def _name(self, raw: object, place: str, taken: dict[str, str]) -> str:
        name = names.tidy(raw) if isinstance(raw, str) else ""
        if trouble := names.name_problem(name, place):
            self.found.append(trouble)
        elif (key := names.key(name)) in taken:
            self.found.append(problem("%(name)s is in the list already", place, name=taken[key]))
        else:
            taken[key] = name
        return name

    def _house_rules(self) -> tuple[Rules, ...]:
        kept = []
        taken: dict[str, str] = {}
        for at, raw in enumerate(self._list(self.data, "house_rules")):
            place = f"house_rules[{at}]"
            try:
                rules = Rules.read(raw if isinstance(raw, Mapping) else {"sequence": None})
            except RulesError as error:
                self.found += [
                    replace(each, place=f"{place}.{each.place.removeprefix('rules.')}")
                    for each in error.problems
                ]
                continue
            if trouble := rules.suits_missing():
                self.found.append(replace(trouble, place=f"{place}.{trouble.place}"))
            self._name(rules.name, f"{place}.name", taken)
            kept.append(replace(rules, name=names.tidy(rules.name)))
        return tuple(kept)

    def games(self, given: list[Any], place: str | None) -> tuple[Record, ...]:
        """The games of a list; `place` is what the list is called, None where there is only one game."""
        read_ones = []
        for at, raw in enumerate(given):
            front = "" if place is None else f"{place}[{at}]."
            try:
                game = read_game(raw)
            except RulesError as error:
                self.found += [
                    replace(each, place=(front + each.place).strip(".")) for each in error.problems
                ]
                continue
            self.found += [replace(each, place=front + each.place) for each in game.disagreements()]
            self.warnings += [replace(each, place=(front + each.place).strip(".")) for each in game.warnings]
            read_ones.append(game)
        return tuple(read_ones)


def game_text(record: Record) -> str:
    """One game as a file: always the same bytes for the same game."""
    return json.dumps(write(record), ensure_ascii=False, indent=1) + "\n"


def book_lines(file: BookFile, games: Iterable[Record]) -> Iterator[str]:
    """A book as a file, piece by piece: its head from `file`, then a line for each of `games`, in their order."""
    head = {
        "format": FORMAT,
        "name": file.name,
        "players": [_written(person) for person in file.players],
        "house_rules": [rules.write() for rules in file.house_rules],
    }
    lists = [
        f'"{key}": {_lines(value)}' if isinstance(value, list) else f'"{key}": {_json(value)}'
        for key, value in head.items()
    ]
    yield "{" + ",\n".join(lists) + ',\n"games": ['
    comma = "\n"
    for game in games:
        yield comma + _json(write(game))
        comma = ",\n"
    yield "\n]}\n" if comma != "\n" else "]}\n"


def _written(person: Person) -> dict[str, Any]:
    written: dict[str, Any] = {"name": person.name}
    if person.aliases:
        written["aliases"] = list(person.aliases)
    if person.since:
        written["since"] = person.since
    return written


def _lines(values: list[Any]) -> str:
    return "[\n" + ",\n".join(map(_json, values)) + "\n]" if values else "[]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
