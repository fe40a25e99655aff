"""Export and import: what a file would bring into a book, and bringing it in without keeping anybody else waiting."""

from __future__ import annotations

import base64
import binascii
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from database import LOCK, begin_writing, db
from models import Book
from rules import bookfile, names, spreadsheet
from rules.bookfile import BookFile
from rules.problem import RulesError, problem
from rules.record import Record

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes that an import may have."""
PORTION = 5
"""Games that are written before other phones get their turn."""
TURN = 0.12
"""Seconds of a turn. Who waits for SQLite looks every 0.1 seconds at the latest whether it is free."""


def text_of(content: bytes) -> str:
    """The text of a file, whatever wrote it: UTF-8, what old spreadsheets call Unicode, or Western European."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read(text: str, rules: Mapping[str, Any]) -> BookFile:
    """What a text holds: records as JSON, or a typed sheet as CSV, played by `rules` if it does not say.

    Raises RulesError with every problem and its place.
    """
    text = text.lstrip("\ufeff \t\r\n")
    if not text:
        raise RulesError(problem("there is nothing in it"))
    if text.startswith(("{", "[")):
        return bookfile.read(bookfile.parse(text))
    return spreadsheet.read(text, rules)


def together(files: Sequence[BookFile]) -> BookFile:
    """Several files as one."""
    return BookFile(
        name=next((file.name for file in files if file.name), ""),
        players=tuple(person for file in files for person in file.players),
        house_rules=tuple(rules for file in files for rules in file.house_rules),
        games=tuple(game for file in files for game in file.games),
        warnings=tuple(each for file in files for each in file.warnings),
    )


@dataclass(frozen=True)
class Arrival:
    """What a file would bring into a book."""

    file: BookFile
    is_there: tuple[bool, ...]
    """For each game of the file, whether the book has it already."""
    newcomers: tuple[str, ...]
    """Names that the book does not know yet."""
    house_rules: tuple[str, ...]
    """House rules that it does not have."""

    @property
    def games(self) -> list[Record]:
        """The games that it does not have."""
        return [game for game, there in zip(self.file.games, self.is_there, strict=True) if not there]

    @property
    def is_nothing(self) -> bool:
        """Whether the book has all of it."""
        return not (self.games or self.newcomers or self.house_rules)


def weigh(book: Book, file: BookFile) -> Arrival:
    """What a file would bring into a book. Raises RulesError for what the book cannot take."""
    if problems := book.problems_with(file):
        raise RulesError(*problems)
    known = {player.key for player in book.everybody()}
    called = [name for person in file.players for name in (person.name, *person.aliases)]
    called += [name for game in file.games for name in game.sheet.names]
    newcomers = {names.key(name): name for name in reversed(called) if names.key(name) not in known}
    kept = {rules.key for rules in book.house_rules()}
    return Arrival(
        file,
        tuple(book.has(file.games)),
        tuple(newcomers[key] for key in sorted(newcomers)),
        tuple(rules.name for rules in file.house_rules if names.key(rules.name) not in kept),
    )


def take_in(
    book: Book, arrival: Arrival, at: datetime, progress: Callable[[int], None] = lambda _: None
) -> None:
    """Write down what arrived, in portions, between which others write. `progress` is told how many games are done.

    What is in hand of the session before is forgotten: ask for the book anew.
    """
    number, games = book.id, arrival.games
    db.session.commit()
    for start in range(0, max(1, len(games)), PORTION):
        begin_writing()
        # Where the database lets several write at once, the same file sent twice waits here.
        book = db.session.get_one(Book, number, with_for_update=LOCK)
        if not start:
            book.keep_people(arrival.file, at)
        for game in games[start : start + PORTION]:
            book.keep_record(game, at)
        db.session.commit()
        db.session.expunge_all()
        progress(min(start + PORTION, len(games)))
        if start + PORTION < len(games) and db.engine.dialect.name == "sqlite":
            time.sleep(TURN)


def pack(text: str) -> str:
    """A text made small, to be carried in a page from the look at it to the yes."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def unpack(packed: str) -> str:
    """What was packed. Raises ValueError if that was not done here, or if it is too much."""
    try:
        opened = zlib.decompressobj()
        content = opened.decompress(base64.urlsafe_b64decode(packed.encode()), LARGEST_FILE * 2)
    except (zlib.error, binascii.Error) as error:
        raise ValueError(packed[:20]) from error
    if not opened.eof:
        raise ValueError(packed[:20])
    return content.decode()


def book_json(book: Book) -> Iterator[str]:
    """The whole book as a file, piece by piece."""
    return bookfile.book_lines(book.file(), book.records())
