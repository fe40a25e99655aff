"""Games as CSV: written so that no spreadsheet takes a text for a formula, and read from a sheet that was typed.

The layouts are described in docs/records.md.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rules import names
from rules.bookfile import BookFile
from rules.bookfile import read as read_book
from rules.problem import Problem, problem, shown
from rules.record import Record, RecordError
from rules.sheet import Hand, Sheet
from rules.variants import variants

BOM = "\ufeff"
"""In front of a file it tells older spreadsheets that this is UTF-8."""

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""With one of these in front a spreadsheet may take a text for a formula."""


def _line(values: Iterable[object]) -> str:
    return ",".join(map(_cell, values)) + "\r\n"


def _cell(value: object) -> str:
    """Numbers stand bare, nothing is nothing, and every text stands in quotes, unmistakably a text."""
    if value is None or isinstance(value, int):
        return "" if value is None else str(int(value))
    text = str(value)
    if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if text else ""


# One game: the paper sheet, a line a hand


def game_csv(record: Record) -> str:
    """One game as the paper sheet: facts in front, a line a hand, a line for points outside the hands."""
    sheet = record.sheet
    facts = {
        "date": record.played_on,
        "name": record.name,
        "place": record.place,
        "rules": sheet.rules.name,
        "note": record.note,
    }
    lines = [_line((key, text)) for key, text in facts.items() if text]
    if sheet.given:
        lines.append(_line(("player", "total")))
        lines += [_line(pair) for pair in zip(sheet.names, sheet.given, strict=True)]
        return "".join(lines)
    kinds = ("bid", "took", "blind", "points", "total")
    lines.append(
        _line(
            (
                *("hand", "cards", "trump", "dealer"),
                *(f"{name} {kind}" for name in sheet.names for kind in kinds),
                *("voided", "uneven", "note"),
            )
        )
    )
    rows = {row.hand.number: row for row in sheet.rows}
    totals = [0] * len(sheet.names)
    for hand in sheet.hands:
        if not hand.is_closed and not hand.is_void:
            continue
        row = rows[hand.number] if hand.counts else None
        cells: list[object] = []
        for seat in range(len(sheet.names)):
            cell = row.cells[seat] if row else None
            points = None if cell is None or cell.points is None else cell.points + cell.bonus
            totals[seat] += points or 0
            cells += (hand.bids[seat], hand.took[seat], _yes(seat in hand.blind), points)
            cells.append(totals[seat] if cell and cell.has_joined else None)
        lines.append(
            _line(
                (
                    *(hand.number, hand.cards, hand.trump, sheet.names[hand.dealer]),
                    *cells,
                    *(_yes(hand.is_void), _yes(hand.is_uneven), hand.note),
                )
            )
        )
        for each in sheet.adjustments if hand.counts else ():
            if each.hand == hand.number:
                totals[each.seat] += each.points
                mine = (None, None, None, each.points, totals[each.seat])
                others = [mine if seat == each.seat else (None,) * 5 for seat in range(len(sheet.names))]
                lines.append(
                    _line(
                        (
                            each.hand,
                            None,
                            None,
                            None,
                            *(cell for those in others for cell in those),
                            None,
                            None,
                            each.reason,
                        )
                    )
                )
    return "".join(lines)


def _yes(fact: bool) -> str | None:
    return "yes" if fact else None


# Many games: a line for what one player did in one hand

COLUMNS = (
    *(
        "game",
        "date",
        "name",
        "place",
        "rules",
        "hand",
        "cards",
        "trump",
        "dealer",
        "player",
        "bid",
        "took",
        "blind",
    ),
    *("points", "adjustment", "total", "place at the end", "voided", "uneven", "note"),
)
"""The heading of the long layout."""


def games_csv(games: Iterable[Record]) -> Iterator[str]:
    """Many games in the long layout: a line for what one player did in one hand, ready to be counted and filtered."""
    yield _line(COLUMNS)
    for number, record in enumerate(games, start=1):
        sheet = record.sheet
        front = (number, record.played_on, record.name, record.place, sheet.rules.name)
        yield from (_line((*front, *line)) for line in _long_lines(sheet))


def _long_lines(sheet: Sheet) -> Iterator[tuple[object, ...]]:
    places: Sequence[int | None] = sheet.places if sheet.outcome else (None,) * len(sheet.names)
    if sheet.given:
        for seat, name in enumerate(sheet.names):
            yield (
                *(None,) * 4,
                name,
                *(None,) * 5,
                sheet.given[seat],
                places[seat],
                None,
                None,
                "totals only",
            )
    last = sheet.played[-1].number if sheet.played else 0
    rows = {row.hand.number: row for row in sheet.rows}
    for hand in sheet.hands:
        if not hand.is_closed and not hand.is_void:
            continue
        for seat, name in enumerate(sheet.names):
            cell = rows[hand.number].cells[seat] if hand.counts else None
            if seat not in hand.table and not (cell and cell.adjustments):
                continue
            counts = cell is not None and cell.points is not None
            yield (
                *(hand.number, hand.cards, hand.trump, sheet.names[hand.dealer], name),
                *(hand.bids[seat], hand.took[seat], _yes(seat in hand.blind)),
                cell.points + cell.bonus if cell and counts and cell.points is not None else None,
                sum(each.points for each in cell.adjustments) if cell and cell.adjustments else None,
                cell.total if cell else None,
                places[seat] if hand.number == last and hand.counts else None,
                *(_yes(hand.is_void), _yes(hand.is_uneven)),
                _notes(hand, [each.reason for each in cell.adjustments] if cell else []),
            )


def _notes(hand: Hand, reasons: list[str]) -> str:
    return "; ".join(filter(None, (hand.note, *reasons)))


# Reading what was typed


@dataclass(frozen=True)
class _Row:
    """One line of the file that is not empty."""

    line: int
    cells: tuple[str, ...]

    def cell(self, at: int | None) -> str:
        return self.cells[at] if at is not None and at < len(self.cells) else ""


@dataclass
class _Columns:
    """What stands in which column: single ones by their word, those of a player by name and word."""

    single: dict[str, int] = field(default_factory=dict)
    by_player: dict[str, dict[str, int]] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


_SINGLE = {
    **dict.fromkeys(("hand", "no", "no.", "nr", "#", "round", "deal"), "hand"),
    **dict.fromkeys(("cards", "size", "hand size"), "cards"),
    **dict.fromkeys(("trump", "trumps", "suit"), "trump"),
    **dict.fromkeys(("dealer", "deals", "dealt by"), "dealer"),
    **dict.fromkeys(("note", "notes", "remark", "comment", "reason"), "note"),
    **dict.fromkeys(("voided", "void", "misdeal"), "voided"),
    **dict.fromkeys(("uneven",), "uneven"),
}
_OF_PLAYER = {
    **dict.fromkeys(("bid", "bids", "contract", "call"), "bid"),
    **dict.fromkeys(("took", "taken", "tricks", "won", "made", "got"), "took"),
    **dict.fromkeys(("points", "pts", "score"), "points"),
    **dict.fromkeys(("total", "sum", "running total"), "total"),
    "blind": "blind",
}
_FACTS = {
    **dict.fromkeys(("date", "played on", "played", "day"), "played_on"),
    **dict.fromkeys(("name", "game", "title"), "name"),
    **dict.fromkeys(("place", "where"), "place"),
    **dict.fromkeys(("note", "notes"), "note"),
    **dict.fromkeys(("rules", "variant"), "rules"),
}
_TRUMPS = {
    **dict.fromkeys(("s", "♠", "♠️", "spade", "spades"), "spades"),
    **dict.fromkeys(("h", "♥", "♥️", "heart", "hearts"), "hearts"),
    **dict.fromkeys(("d", "♦", "♦️", "diamond", "diamonds"), "diamonds"),
    **dict.fromkeys(("c", "♣", "♣️", "club", "clubs"), "clubs"),
    **dict.fromkeys(("n", "nt", "none", "no trump", "no trumps", "0"), "none"),
}
_NOTHING = frozenset(("", "-", "–", "—", "x", "/", "."))
_YES = frozenset(("yes", "y", "true", "1", "x", "ja", "si", "oui"))
_WHO = frozenset(("player", "players", "name", "who"))
_ENDS = frozenset(("total", "totals", "points", "score", "final", "sum"))


def read(text: str, rules: Mapping[str, Any]) -> BookFile:
    """The game in a sheet that was typed; `rules` as a record has them count where the sheet names none.

    Raises RecordError with every problem and the line it is in.
    """
    return _Typed(text, rules).read()


class _Typed:
    """Reads one typed sheet, gathering problems."""

    def __init__(self, text: str, rules: Mapping[str, Any]) -> None:
        self.text, self.rules = text, rules
        self.found: list[Problem] = []
        self.lines: list[int] = []
        """The line of each hand."""

    def read(self) -> BookFile:
        """The one game of the sheet."""
        rows = self._rows()
        at = next((at for at, row in enumerate(rows) if _is_heading(row)), None)
        if at is None:
            raise RecordError(
                problem("no heading was found: a column says cards, or player and total", "line 1")
            )
        # Names may stand in a line of their own, above "bid" and "took".
        above = rows[at - 1] if at and _has_bare_words(rows[at]) else None
        facts = self._facts(rows[: at - 1 if above else at])
        record: dict[str, Any] = {"format": "oh-hell-game/1", "rules": self.rules, **facts}
        if _totals_columns(rows[at]):
            record |= self._totals(rows[at], rows[at + 1 :])
            columns = _Columns()
        else:
            columns = _columns(rows[at], above)
            record |= self._hands(columns, rows[at + 1 :])
        if self.found:
            raise RecordError(*dict.fromkeys(self.found))
        try:
            file = read_book(record)
        except RecordError as error:
            called = [*columns.called.values()]
            raise RecordError(*(self._placed(each, called) for each in error.problems)) from None
        ignored = tuple(
            problem(
                "this column is not known and is left out: %(name)s",
                f"line {rows[at].line}",
                name=shown(name),
            )
            for name in columns.unknown
        )
        return replace(file, warnings=(*ignored, *(self._placed(each, []) for each in file.warnings)))

    def _placed(self, trouble: Problem, called: list[str]) -> Problem:
        """The problem with the line of the sheet instead of the place in the record."""
        place = re.match(r"hands\[(\d+)\](?:\.\w+\[(\d+)\])?", trouble.place)
        if not place or int(place[1]) >= len(self.lines):
            return trouble
        seat = int(place[2]) if place[2] else len(called)
        player = f", {called[seat]}" if seat < len(called) else ""
        return replace(trouble, place=f"line {self.lines[int(place[1])]}{player}")

    def _rows(self) -> list[_Row]:
        text = self.text.removeprefix(BOM)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        rows = []
        try:
            for cells in reader:
                tidied = tuple(_plain(cell) for cell in cells)
                if any(tidied):
                    rows.append(_Row(reader.line_num, tidied))
        except csv.Error as error:
            raise RecordError(
                problem("this is no CSV: %(reason)s", f"line {reader.line_num}", reason=str(error))
            ) from None
        return rows

    def _facts(self, rows: Sequence[_Row]) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        for row in rows:
            key = _FACTS.get(row.cell(0).casefold().rstrip(":"))
            text = row.cell(1)
            if key is None:
                self.found.append(
                    problem("%(word)s is no fact of a game", f"line {row.line}", word=shown(row.cell(0)))
                )
            elif key == "rules":
                if (variant := _variant(text)) is not None:
                    facts["rules"] = {"variant": variant}
                elif names.key(text) != names.key(str(self.rules.get("name", ""))):
                    self.found.append(
                        problem("no rules are called %(name)s here", f"line {row.line}", name=shown(text))
                    )
            else:
                facts[key] = text
        return facts

    def _is_last_line(self, row: _Row) -> bool:
        return any(cell.casefold() in _ENDS for cell in row.cells[:2])

    def _number(self, row: _Row, at: int | None, what: str, *, signed: bool = False) -> int | None:
        text = row.cell(at).replace("−", "-")
        if text.casefold() in _NOTHING:
            return None
        if re.fullmatch(r"[+-]?[0-9]{1,10}" if signed else r"[0-9]{1,10}", text):
            return int(text)
        self.found.append(problem("%(number)s is no number", f"line {row.line}, {what}", number=shown(text)))
        return None

    def _totals(self, heading: _Row, rows: Sequence[_Row]) -> dict[str, Any]:
        who, end = _totals_columns(heading) or (0, 1)
        called, totals = [], []
        for row in rows:
            name = row.cell(who)
            total = self._number(row, end, name, signed=True)
            if total is None and not self.found:
                self.found.append(problem("the total is missing", f"line {row.line}, {name}"))
            called.append(name)
            totals.append(total)
        return {"players": called, "hands": [], "totals": totals, "totals_only": True}

    def _hands(self, columns: _Columns, rows: Sequence[_Row]) -> dict[str, Any]:
        hands: list[dict[str, Any]] = []
        adjustments: list[dict[str, Any]] = []
        totals: dict[str, int] = {}
        counted = 0
        for name, kinds in columns.by_player.items():
            for kind in ("bid", "took"):
                if kind not in kinds:
                    self.found.append(
                        problem("%(player)s has no column %(kind)s", player=columns.called[name], kind=kind)
                    )
        for row in rows:
            read = {
                (name, kind): self._number(
                    row, at, f"{columns.called[name]} {kind}", signed=kind in ("points", "total")
                )
                for name, kinds in columns.by_player.items()
                for kind, at in kinds.items()
                if kind != "blind"
            }
            totals |= {
                name: total for (name, kind), total in read.items() if kind == "total" and total is not None
            }
            if self._is_last_line(row):
                continue
            note = row.cell(columns.single.get("note"))
            cards = self._number(row, columns.single.get("cards"), "cards")
            if cards is None:
                if any(value is not None for (_, kind), value in read.items() if kind in ("bid", "took")):
                    self.found.append(problem("the cards are missing", f"line {row.line}"))
                adjustments += [
                    {
                        "hand": max(counted, 1),
                        "player": columns.called[name],
                        "points": points,
                        "reason": note,
                    }
                    for (name, kind), points in read.items()
                    if kind == "points" and points is not None
                ]
                continue
            self.lines.append(row.line)
            hand = self._hand(columns, row, cards, read)
            counted += not hand.get("voided")
            hands.append(hand | ({"note": note} if note else {}))
        record: dict[str, Any] = {"players": [*columns.called.values()], "hands": hands}
        if adjustments:
            record["adjustments"] = adjustments
        if hands and totals.keys() == columns.called.keys():
            record["totals"] = [totals[name] for name in columns.called]
        return record

    def _hand(
        self, columns: _Columns, row: _Row, cards: int, read: Mapping[tuple[str, str], int | None]
    ) -> dict[str, Any]:
        hand: dict[str, Any] = {
            "cards": cards,
            "bids": [read.get((name, "bid")) for name in columns.called],
            "tricks": [read.get((name, "took")) for name in columns.called],
        }
        if dealer := row.cell(columns.single.get("dealer")):
            hand["dealer"] = dealer
        trump = row.cell(columns.single.get("trump")).casefold()
        if trump not in _NOTHING - {"x"}:
            hand["trump"] = _TRUMPS.get(trump, trump)
        for key in ("voided", "uneven"):
            if row.cell(columns.single.get(key)).casefold() in _YES:
                hand[key] = True
        blind = [
            columns.called[name]
            for name, kinds in columns.by_player.items()
            if row.cell(kinds.get("blind")).casefold() in _YES
        ]
        return hand | ({"blind": blind} if blind else {})


def _plain(cell: str) -> str:
    """The text of a cell, without the mark that keeps a spreadsheet from taking it for a formula."""
    text = cell.strip()
    return text[1:] if text[:1] == "'" and text[1:].lstrip().startswith(_FORMULA) else text


def _separator(text: str) -> str:
    """What stands between the cells: the one that the first lines have most of."""
    beginning = re.sub(r'"[^"]*"', "", text[:4000])
    return max(",;\t", key=beginning.count)


def _words(row: _Row) -> list[str]:
    return [names.tidy(cell).casefold() for cell in row.cells]


def _is_heading(row: _Row) -> bool:
    words = _words(row)
    return any(_SINGLE.get(word) == "cards" for word in words) or bool(_totals_columns(row))


def _totals_columns(row: _Row) -> tuple[int, int] | None:
    words = _words(row)
    who = next((at for at, word in enumerate(words) if word in _WHO), None)
    end = next((at for at, word in enumerate(words) if word in _ENDS), None)
    return None if who is None or end is None else (who, end)


def _has_bare_words(row: _Row) -> bool:
    return sum(word in _OF_PLAYER and word not in ("total", "score") for word in _words(row)) > 1


def _columns(heading: _Row, above: _Row | None) -> _Columns:
    """What each column of a heading holds, its names in the line above where they stand there."""
    columns = _Columns()
    current = ""
    for at, word in enumerate(_words(heading)):
        current = above.cell(at) or current if above else ""
        bare = _OF_PLAYER.get(word) if current else None
        words = re.fullmatch(r"(.+?)[\s:_/-]+([^\s:_/-]+)", heading.cells[at])
        if bare:
            _take(columns, current, bare, at)
        elif word in _SINGLE:
            columns.single.setdefault(_SINGLE[word], at)
        elif words and words[2].casefold() in _OF_PLAYER:
            _take(columns, words[1], _OF_PLAYER[words[2].casefold()], at)
        elif word:
            columns.unknown.append(heading.cells[at])
    return columns


def _take(columns: _Columns, name: str, kind: str, at: int) -> None:
    key = names.key(name)
    columns.called.setdefault(key, name)
    columns.by_player.setdefault(key, {}).setdefault(kind, at)


def _variant(text: str) -> str | None:
    """The id of the variant that is called so."""
    wanted = names.key(text)
    for rules in variants().values():
        if wanted in map(names.key, (rules.id, rules.name, *rules.aliases)):
            return rules.id
    return None
