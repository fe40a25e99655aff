"""The game record: one game as plain data, in and out. The format is described in docs/rules.md.

The notation of this project: exports, imports, tests, the demo and bug reports all use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from rules import names
from rules.plan import MOST_HANDS, MOST_PLAYERS, next_dealer
from rules.problem import Problem, RulesError, problem
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Rules, Trump

FORMAT = "oh-hell-game/1"
"""The version of the format that is read and written."""

LONGEST_TEXT = 500
"""A note, a place or a reason may have this many characters."""


class RecordError(RulesError):
    """A record that cannot be taken, with every problem and its place."""


@dataclass(frozen=True)
class Record:
    """One game with what was noted around it. Instants are ISO 8601 texts, `played_on` a calendar date."""

    sheet: Sheet
    id: str = ""
    name: str = ""
    note: str = ""
    place: str = ""
    started: str = ""
    finished: str = ""
    played_on: str = ""
    totals: tuple[int, ...] | None = None
    """The totals as recorded; None when the record has none."""
    warnings: tuple[Problem, ...] = ()
    """What the rules do not allow but the table did."""

    def disagreements(self) -> tuple[Problem, ...]:
        """Recorded totals that do not follow from the hands, with the player and both numbers."""
        if self.totals is None:
            return ()
        return tuple(
            problem(
                "%(player)s: the hands give %(computed)d, the record says %(recorded)d",
                f"totals[{seat}]",
                player=name,
                computed=computed,
                recorded=recorded,
            )
            for seat, (name, computed, recorded) in enumerate(
                zip(self.sheet.names, self.sheet.totals, self.totals, strict=True)
            )
            if computed != recorded
        )


def read(data: object) -> Record:
    """The record in plain data (as `json.loads` gives it).

    Totals that disagree are no error here: ask `disagreements`. Raises RecordError with every problem found.
    """
    return _Reader(data).record()


class _Reader:
    """Reads one record, gathering problems, so that all of them can be told at once."""

    def __init__(self, data: object) -> None:
        if not isinstance(data, Mapping):
            raise RecordError(problem("a game record is an object"))
        if data.get("format") != FORMAT:
            raise RecordError(
                problem(
                    "the format is %(found)s, this reads %(known)s",
                    "format",
                    found=str(data.get("format"))[:60],
                    known=FORMAT,
                )
            )
        self.data: Mapping[str, Any] = data
        self.found: list[Problem] = []

    def record(self) -> Record:
        rules = self._rules()
        self.names = self._names()
        self._stop_if_wrong()
        tables = _Tables(self)
        hands = self._hands(rules, tables)
        adjustments = self._adjustments()
        totals = self._totals()
        texts = {
            key: self._text(self.data, key)
            for key in ("id", "name", "note", "place", "started", "finished", "played_on")
        }
        self._stop_if_wrong()
        plan = tuple(hand.cards for hand in hands if not hand.is_void)
        sheet = Sheet(rules, self.names, plan, hands, adjustments)
        warnings = self._judge(sheet)
        return Record(sheet, **texts, totals=totals, warnings=warnings)

    def _stop_if_wrong(self) -> None:
        if self.found:
            raise RecordError(*self.found)

    def _wrong(self, text: str, place: str, **values: object) -> None:
        self.found.append(problem(text, place, **values))

    def _rules(self) -> Rules:
        given = self.data.get("rules", {})
        if not isinstance(given, Mapping):
            self._wrong("the rules are an object", "rules")
            return Rules()
        try:
            return Rules.read(given)
        except RulesError as error:
            self.found += error.problems
            return Rules()

    def _names(self) -> tuple[str, ...]:
        given = self.data.get("players")
        if not isinstance(given, list) or not 2 <= len(given) <= MOST_PLAYERS:
            self._wrong("a game has 2 to %(most)d players", "players", most=MOST_PLAYERS)
            return ()
        tidied = []
        for seat, name in enumerate(given):
            place = f"players[{seat}]"
            tidied.append(names.tidy(name) if isinstance(name, str) else "")
            if trouble := names.name_problem(tidied[-1], place):
                self.found.append(trouble)
        for earlier, later in names.twins(tidied):
            self._wrong("%(name)s is at the table already", f"players[{later}]", name=tidied[earlier])
        return tuple(tidied)

    def _hands(self, rules: Rules, tables: _Tables) -> tuple[Hand, ...]:
        given = self.data.get("hands")
        if not isinstance(given, list) or not 1 <= len(given) <= MOST_HANDS:
            self._wrong("a game record has 1 to %(most)d hands", "hands", most=MOST_HANDS)
            return ()
        hands: list[Hand] = []
        number = 1
        for at, raw in enumerate(given):
            place = f"hands[{at}]"
            if not isinstance(raw, Mapping):
                self._wrong("a hand is an object", place)
                continue
            hand = self._hand(raw, place, number, tables.before(number), rules, hands)
            if hand is not None:
                hands.append(hand)
                number += not hand.is_void
        return tuple(hands)

    def _hand(
        self,
        raw: Mapping[str, Any],
        place: str,
        number: int,
        table: tuple[int, ...],
        rules: Rules,
        earlier: Sequence[Hand],
    ) -> Hand | None:
        cards = raw.get("cards")
        if not _is_count(cards) or not 1 <= cards <= 1040:
            self._wrong("the cards are a whole number from 1 up", f"{place}.cards")
            return None
        void = self._flag(raw, "voided", place)
        bids = self._counts(raw, "bids", cards, place, optional=void)
        took = self._counts(raw, "tricks", cards, place, optional=void)
        for seat, (bid, tricks) in enumerate(zip(bids, took, strict=True)):
            if not void and (bid is None) != (tricks is None):
                self._wrong("%(player)s has a bid or tricks, but not both", place, player=self.names[seat])
            if bid is not None and seat not in table:
                self._wrong(
                    "%(player)s is not at the table", f"{place}.bids[{seat}]", player=self.names[seat]
                )
        absent = frozenset() if void else frozenset(seat for seat in table if bids[seat] is None)
        if len(table) - len(absent) < 2:
            self._wrong("a hand needs at least 2 players", place)
            return None
        return Hand(
            number=number,
            cards=cards,
            dealer=self._dealer(raw, place, table, absent, rules, earlier),
            table=table,
            bids=bids,
            took=took,
            absent=absent,
            trump=self._trump(raw, place),
            blind=self._blind(raw, place),
            is_over=not void,
            is_closed=not void,
            is_void=void,
            is_uneven=self._flag(raw, "uneven", place),
            note=self._text(raw, "note", place),
        )

    def _flag(self, raw: Mapping[str, Any], key: str, place: str) -> bool:
        given = raw.get(key, False)
        if not isinstance(given, bool):
            self._wrong("this is true or false", f"{place}.{key}")
        return given is True

    def _text(self, raw: Mapping[str, Any], key: str, place: str = "") -> str:
        given = raw.get(key)
        if given is None:
            return ""
        if not isinstance(given, str) or len(given) > LONGEST_TEXT:
            self._wrong(
                "this is a text of at most %(most)d characters",
                f"{place}.{key}" if place else key,
                most=LONGEST_TEXT,
            )
            return ""
        return given

    def _counts(
        self, raw: Mapping[str, Any], key: str, cards: int, place: str, *, optional: bool
    ) -> tuple[int | None, ...]:
        nothing = (None,) * len(self.names)
        given = raw.get(key)
        if given is None and optional:
            return nothing
        if not isinstance(given, list) or len(given) != len(self.names):
            self._wrong(
                "here stand %(count)d numbers, one for each player", f"{place}.{key}", count=len(self.names)
            )
            return nothing
        for seat, count in enumerate(given):
            if count is None:
                continue
            if not _is_count(count) or count < 0:
                self._wrong("this is a whole number from 0 up, or null", f"{place}.{key}[{seat}]")
            elif count > cards:
                self._wrong(
                    "%(count)d with %(cards)d cards dealt", f"{place}.{key}[{seat}]", count=count, cards=cards
                )
        return tuple(count if _is_count(count) else None for count in given)

    def _dealer(
        self,
        raw: Mapping[str, Any],
        place: str,
        table: tuple[int, ...],
        absent: frozenset[int],
        rules: Rules,
        earlier: Sequence[Hand],
    ) -> int:
        if "dealer" in raw:
            seat = self.seat(raw["dealer"], f"{place}.dealer")
            if seat in table:
                return seat
            if seat is not None:
                self._wrong("%(player)s is not at the table", f"{place}.dealer", player=self.names[seat])
            return table[0]
        if not earlier:
            return table[0]
        last = earlier[-1]
        if last.is_void and last.dealer in table:
            return last.dealer
        return next_dealer(last.table, last.dealer, rules.direction, table, absent)

    def _trump(self, raw: Mapping[str, Any], place: str) -> Trump | None:
        given = raw.get("trump")
        if given is None:
            return None
        if not isinstance(given, str) or given not in list(Trump):
            self._wrong("%(trump)s is no trump", f"{place}.trump", trump=str(given)[:60])
            return None
        return Trump(given)

    def _blind(self, raw: Mapping[str, Any], place: str) -> frozenset[int]:
        given = raw.get("blind", [])
        if not isinstance(given, list):
            self._wrong("this is a list of names", f"{place}.blind")
            return frozenset()
        seats = [self.seat(name, f"{place}.blind[{at}]") for at, name in enumerate(given)]
        return frozenset(seat for seat in seats if seat is not None)

    def seat(self, name: object, place: str) -> int | None:
        """The seat of a player by name; notes a problem and gives None when nobody is called that."""
        wanted = names.key(name) if isinstance(name, str) else ""
        for seat, known in enumerate(self.names):
            if names.key(known) == wanted:
                return seat
        self._wrong("nobody here is called %(name)s", place, name=str(name)[:60])
        return None

    def _adjustments(self) -> tuple[Adjustment, ...]:
        read_ones = []
        for raw, place in self.objects("adjustments"):
            seat = self.seat(raw.get("player"), f"{place}.player")
            points, hand = raw.get("points"), raw.get("hand", 1)
            if not _is_count(points) or abs(points) > 1_000_000:
                self._wrong("the points are a whole number", f"{place}.points")
                continue
            if not _is_count(hand) or not 1 <= hand <= MOST_HANDS:
                self._wrong("there is no such hand", f"{place}.hand")
                continue
            if seat is not None:
                read_ones.append(Adjustment(hand, seat, points, self._text(raw, "reason", place)))
        return tuple(read_ones)

    def objects(self, key: str) -> list[tuple[Mapping[str, Any], str]]:
        """The objects of a list with their places; notes a problem for whatever else stands there."""
        given = self.data.get(key, [])
        if not isinstance(given, list) or len(given) > 1000:
            self._wrong("this is a list", key)
            return []
        fit = []
        for at, raw in enumerate(given):
            if isinstance(raw, Mapping):
                fit.append((raw, f"{key}[{at}]"))
            else:
                self._wrong("this is an object", f"{key}[{at}]")
        return fit

    def _totals(self) -> tuple[int, ...] | None:
        given = self.data.get("totals")
        if given is None:
            return None
        if (
            not isinstance(given, list)
            or len(given) != len(self.names)
            or not all(_is_count(each) for each in given)
        ):
            self._wrong("here stand %(count)d numbers, one for each player", "totals", count=len(self.names))
            return None
        return tuple(given)

    def _judge(self, sheet: Sheet) -> tuple[Problem, ...]:
        """Raise for what no table can mean; what the table did against its rules is a warning."""
        fewest, most = sheet.rules.players
        warnings = []
        if not fewest <= len(self.names) <= most:
            warnings.append(
                problem("%(fewest)d to %(most)d players can play this", "players", fewest=fewest, most=most)
            )
        uneven = {f"hands[{at}].tricks" for at, hand in enumerate(sheet.hands) if hand.is_uneven}
        for trouble in sheet.problems():
            declared = trouble.place in uneven or trouble.place.endswith("].bids")
            (warnings if declared else self.found).append(trouble)
        self._stop_if_wrong()
        return tuple(warnings)


class _Tables:
    """Who sits at the table, clockwise, before each hand, from the seat changes of a record."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.changes = reader.objects("seat_changes")
        joining = {
            reader.seat(raw.get("player"), f"{place}.player")
            for raw, place in self.changes
            if raw.get("event") == "joins"
        }
        self.table = [seat for seat in range(len(reader.names)) if seat not in joining]
        self.done: set[str] = set()

    def before(self, number: int) -> tuple[int, ...]:
        """The table at that hand."""
        for raw, place in self.changes:
            if raw.get("before_hand") == number and place not in self.done:
                self.done.add(place)
                self._apply(raw, place)
        return tuple(self.table)

    def _apply(self, raw: Mapping[str, Any], place: str) -> None:
        reader, event = self.reader, raw.get("event")
        if event == "swap":
            players = raw.get("players")
            pair = players if isinstance(players, list) and len(players) == 2 else [None, None]
            seats = [reader.seat(name, f"{place}.players[{at}]") for at, name in enumerate(pair)]
            if all(seat in self.table for seat in seats):
                first, second = (self.table.index(seat) for seat in seats if seat is not None)
                self.table[first], self.table[second] = self.table[second], self.table[first]
            return
        seat = reader.seat(raw.get("player"), f"{place}.player")
        if seat is None or event == "sits_out":
            return
        if event == "leaves" and seat in self.table:
            self.table.remove(seat)
        elif event == "joins" and seat not in self.table:
            after = reader.seat(raw["after"], f"{place}.after") if "after" in raw else None
            at = self.table.index(after) + 1 if after in self.table else len(self.table)
            self.table.insert(at, seat)
        else:
            reader.found.append(problem("%(event)s cannot be done here", place, event=str(event)[:60]))


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def write(record: Record) -> dict[str, Any]:
    """The record as plain data, its keys in the order of the format's table; `read` is the inverse.

    Only hands that count or are void are written: an open hand is nobody's past yet.
    """
    sheet = replace(
        record.sheet, hands=tuple(each for each in record.sheet.hands if each.is_closed or each.is_void)
    )
    texts = {
        key: getattr(record, key)
        for key in ("name", "note", "place", "started", "finished", "played_on")
        if getattr(record, key)
    }
    changes = _seat_changes(sheet)
    written: dict[str, Any] = {"id": record.id} if record.id else {}
    written |= {"format": FORMAT, **texts, "rules": sheet.rules.write(), "players": list(sheet.names)}
    written["hands"] = [_written_hand(hand, sheet) for hand in sheet.hands]
    if sheet.adjustments:
        written["adjustments"] = [
            {
                "hand": each.hand,
                "player": sheet.names[each.seat],
                "points": each.points,
                "reason": each.reason,
            }
            for each in sheet.adjustments
        ]
    if changes:
        written["seat_changes"] = changes
    written["totals"] = list(sheet.totals)
    return written


def _written_hand(hand: Hand, sheet: Sheet) -> dict[str, Any]:
    written: dict[str, Any] = {"cards": hand.cards, "dealer": sheet.names[hand.dealer]}
    if hand.trump is not None:
        written["trump"] = str(hand.trump)
    written |= {"bids": list(hand.bids), "tricks": list(hand.took)}
    if hand.blind:
        written["blind"] = [sheet.names[seat] for seat in sorted(hand.blind)]
    if hand.is_void:
        written["voided"] = True
    if hand.is_uneven:
        written["uneven"] = True
    if hand.note:
        written["note"] = hand.note
    return written


def _seat_changes(sheet: Sheet) -> list[dict[str, Any]]:
    """What happened to the table between the hands, derived from how each hand was seated."""
    changes: list[dict[str, Any]] = []
    if not sheet.hands:
        return changes
    table = [seat for seat in range(len(sheet.names)) if seat in sheet.hands[0].table]
    for hand in sheet.hands:
        changes += _changes_between(table, hand, sheet.names)
        table = list(hand.table)
    return changes


def _changes_between(table: list[int], hand: Hand, called: Sequence[str]) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = []
    table = list(table)
    for seat in [each for each in table if each not in hand.table]:
        changes.append({"before_hand": hand.number, "event": "leaves", "player": called[seat]})
        table.remove(seat)
    for seat in [each for each in hand.table if each not in table]:
        at = hand.table.index(seat)
        after = hand.table[at - 1]
        changes.append(
            {"before_hand": hand.number, "event": "joins", "player": called[seat], "after": called[after]}
        )
        table.insert(table.index(after) + 1 if after in table else len(table), seat)
    for at, seat in enumerate(hand.table):
        if table[at] != seat:
            other = table.index(seat)
            changes.append(
                {"before_hand": hand.number, "event": "swap", "players": [called[table[at]], called[seat]]}
            )
            table[at], table[other] = table[other], table[at]
    for seat in sorted(hand.absent):
        changes.append({"before_hand": hand.number, "event": "sits_out", "player": called[seat]})
    return changes
