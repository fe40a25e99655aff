"""The game record: one game as plain data, in and out. The format is described in docs/rules.md.

The notation of this project: exports, imports, tests, the demo and bug reports all use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, TypeGuard

from rules import names
from rules.plan import MOST_CARDS, MOST_HANDS, MOST_PLAYERS, SequenceError, next_dealer
from rules.problem import Problem, RulesError, counted_problem, problem, shown
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Rules, Trump

FORMAT = "oh-hell-game/1"
"""The version of the format that is read and written."""

LONGEST_TEXT = 500
"""A note, a place or a reason may have this many characters."""

MOST_POINTS = 1_000_000_000
"""A recorded total is not beyond this, either way."""

MOST_GIVEN = 1_000_000
"""A penalty or a bonus is not beyond this, either way."""

MOST_OBJECTS = 1000
"""A list of a record may have this many objects: hands (voided ones included), adjustments, seat changes."""


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
    table: tuple[int, ...] = field(default=(), compare=False)
    """Who sits at the table of the hand that comes next, clockwise; empty: who sat there last."""
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
                    found=shown(data.get("format")),
                    known=FORMAT,
                )
            )
        self.data: Mapping[str, Any] = data
        self.found: list[Problem] = []

    def record(self) -> Record:
        rules = self._rules()
        self.names = self._names()
        self._stop_if_wrong()
        hands, table = self._hands(rules, _Tables(self))
        plan = self._plan(rules, tuple(hand.cards for hand in hands if not hand.is_void))
        adjustments = self._adjustments()
        totals = self._totals()
        given = totals if self._flag(self.data, "totals_only") else None
        if self.data.get("totals_only") is True:
            self._check_totals_only()
        texts = {
            key: self._text(self.data, key)
            for key in ("id", "name", "note", "place", "started", "finished", "played_on")
        }
        self._check_times(texts)
        self._stop_if_wrong()
        sheet = Sheet(rules, self.names, plan, hands, adjustments, given=given)
        # A plan that was not played out, and yet the game is finished: somebody ended it.
        if texts["finished"] and sheet.outcome is None:
            sheet = replace(sheet, ended_early=True)
        warnings = self._judge(sheet)
        return Record(sheet, **texts, totals=totals, warnings=warnings, table=table)

    def _stop_if_wrong(self) -> None:
        if self.found:
            raise RecordError(*dict.fromkeys(self.found))

    def _wrong(self, text: str, place: str, **values: object) -> None:
        self.found.append(problem(text, place, **values))

    def _rules(self) -> Rules:
        given = self.data.get("rules", {})
        if not isinstance(given, Mapping):
            self._wrong("the rules are an object", "rules")
            return Rules()
        try:
            rules = Rules.read(given)
        except RulesError as error:
            self.found += error.problems
            return Rules()
        if trouble := rules.suits_missing():
            self.found.append(replace(trouble, place=f"rules.{trouble.place}"))
        return rules

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

    def _hands(self, rules: Rules, tables: _Tables) -> tuple[tuple[Hand, ...], tuple[int, ...]]:
        """The hands, and the table of the one that comes next."""
        if "hands" not in self.data:
            self._wrong("the hands are missing", "hands")
        hands: list[Hand] = []
        number, misdeals = 1, 0
        for raw, place in self.objects("hands"):
            table = tables.before(number, misdeals)
            hand = self._hand(raw, place, number=number, table=table, rules=rules, earlier=hands)
            if hand is None:
                continue
            if hand.is_void:
                hand = replace(hand, absent=tables.sitting_out(number, misdeals) & set(table))
            hands.append(hand)
            number, misdeals = (number, misdeals + 1) if hand.is_void else (number + 1, 0)
        if number - 1 > MOST_HANDS:
            self._wrong("a game may have %(most)d hands", "hands", most=MOST_HANDS)
        return tuple(hands), tables.before(number, misdeals)

    def _plan(self, rules: Rules, played: tuple[int, ...]) -> tuple[int, ...]:
        """The sizes of all hands: as given, else those that were played, else what the rules say."""
        given = self.data.get("plan")
        if given is None and played:
            return played
        if given is None:
            try:
                return rules.plan(len(self.names))
            except SequenceError as error:
                self.found += [replace(each, place="rules.sequence") for each in error.problems]
                return ()
        fits = isinstance(given, list) and 1 <= len(given) <= MOST_HANDS
        fits = fits and (len(played) <= len(given) or rules.is_open_ended)
        if not fits or not all(_is_count(size) and 1 <= size <= MOST_CARDS for size in given):
            self._wrong("the plan is a list of the cards of all hands", "plan")
        elif any(rules.cards_of(at, given) != size for at, size in enumerate(played[:MOST_HANDS], start=1)):
            self._wrong("the plan differs from the hands that were played", "plan")
        else:
            return tuple(given)
        return ()

    def _hand(
        self,
        raw: Mapping[str, Any],
        place: str,
        *,
        number: int,
        table: tuple[int, ...],
        rules: Rules,
        earlier: Sequence[Hand],
    ) -> Hand | None:
        cards = raw.get("cards")
        if not _is_count(cards) or not 1 <= cards <= MOST_CARDS:
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
            dealer=self._dealer(raw, place, table=table, absent=absent, rules=rules, earlier=earlier),
            table=table,
            bids=bids,
            took=took,
            absent=absent,
            trump=self._trump(raw, place),
            named_by=self._named_by(raw, place, playing=set(table) - absent),
            blind=self._blind(raw, place),
            is_over=not void,
            is_closed=not void,
            is_void=void,
            is_uneven=self._flag(raw, "uneven", place),
            note=self._text(raw, "note", place),
        )

    def _check_totals_only(self) -> None:
        """Where only the totals are known, they are there, and nothing else is."""
        if self.data.get("totals") is None:
            self._wrong("the totals are missing", "totals")
        for key in ("hands", "adjustments", "seat_changes"):
            if self.data.get(key):
                self._wrong("a game with totals only has none of these", key)

    def _flag(self, raw: Mapping[str, Any], key: str, place: str = "") -> bool:
        given = raw.get(key, False)
        if not isinstance(given, bool):
            self._wrong("this is true or false", f"{place}.{key}" if place else key)
        return given is True

    def _text(self, raw: Mapping[str, Any], key: str, place: str = "") -> str:
        given = raw.get(key)
        if given is None:
            return ""
        if not isinstance(given, str) or len(given) > LONGEST_TEXT or not names.is_storable(given):
            self._wrong(
                "this is a text of at most %(most)d characters",
                f"{place}.{key}" if place else key,
                most=LONGEST_TEXT,
            )
            return ""
        return given

    def _check_times(self, texts: Mapping[str, str]) -> None:
        for key in ("started", "finished"):
            if texts[key] and not _is_instant(texts[key]):
                self._wrong("this is a date and time with its offset, as in 2026-01-31T20:15:00+01:00", key)
        if texts["played_on"] and not _is_date(texts["played_on"]):
            self._wrong("this is a date, as in 2026-01-31", "played_on")

    def _counts(
        self, raw: Mapping[str, Any], key: str, cards: int, place: str, *, optional: bool
    ) -> tuple[int | None, ...]:
        nothing = (None,) * len(self.names)
        given = raw.get(key)
        if given is None and optional:
            return nothing
        if not isinstance(given, list) or len(given) != len(self.names):
            self._wrong("here stands a number for each player", f"{place}.{key}")
            return nothing
        for seat, count in enumerate(given):
            if count is None:
                continue
            if not _is_count(count) or count < 0:
                self._wrong("this is a whole number from 0 up, or null", f"{place}.{key}[{seat}]")
            elif count > cards:
                self.found.append(
                    counted_problem(
                        "%(number)d with %(count)d card dealt",
                        "%(number)d with %(count)d cards dealt",
                        cards,
                        f"{place}.{key}[{seat}]",
                        number=count,
                    )
                )
        return tuple(count if _is_count(count) else None for count in given)

    def _dealer(
        self,
        raw: Mapping[str, Any],
        place: str,
        *,
        table: tuple[int, ...],
        absent: frozenset[int],
        rules: Rules,
        earlier: Sequence[Hand],
    ) -> int:
        if raw.get("dealer") is not None:
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
            self._wrong("%(trump)s is no trump", f"{place}.trump", trump=shown(given))
            return None
        return Trump(given)

    def _named_by(self, raw: Mapping[str, Any], place: str, *, playing: set[int]) -> int | None:
        if raw.get("trump_by") is None:
            return None
        seat = self.seat(raw["trump_by"], f"{place}.trump_by")
        if seat is not None and seat not in playing:
            self._wrong("%(player)s is not at the table", f"{place}.trump_by", player=self.names[seat])
        return seat

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
        self._wrong("nobody here is called %(name)s", place, name=shown(name))
        return None

    def _adjustments(self) -> tuple[Adjustment, ...]:
        read_ones = []
        for raw, place in self.objects("adjustments"):
            seat = self.seat(raw.get("player"), f"{place}.player")
            points, hand = raw.get("points"), raw.get("hand", 1)
            if not _is_count(points) or abs(points) > MOST_GIVEN:
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
        if not isinstance(given, list) or len(given) > MOST_OBJECTS:
            self._wrong("this is a list of at most %(most)d objects", key, most=MOST_OBJECTS)
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
            or not all(_is_count(each) and abs(each) <= MOST_POINTS for each in given)
        ):
            self._wrong("here stands a number for each player", "totals")
            return None
        return tuple(given)

    def _judge(self, sheet: Sheet) -> tuple[Problem, ...]:
        """Raise for what no table can mean; what the table did against its rules is a warning."""
        miscounted = sheet.rules.miscounted(len(self.names))
        warnings = [miscounted] if miscounted else []
        uneven = {f"hands[{at}].tricks" for at, hand in enumerate(sheet.hands) if hand.is_uneven}
        # More cards than the pack has: the table was asked, and meant it.
        overdealt = {
            f"hands[{at}].cards" for at, raw in enumerate(self.data["hands"]) if raw.get("overdealt") is True
        }
        for trouble in sheet.problems():
            declared = trouble.place in uneven | overdealt or trouble.place.endswith("].bids")
            (warnings if declared else self.found).append(trouble)
        self._stop_if_wrong()
        return tuple(warnings)


class _Tables:
    """Who sits at the table, clockwise, before each hand, from the seat changes of a record."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.changes = [each for each in reader.objects("seat_changes") if self._has_number(*each)]
        self.changes.sort(key=lambda change: self._when(change[0]))
        self.table = list(range(len(reader.names)))
        # Whose first event is to join was not there before; who left may come back.
        known: set[int | None] = set()
        for raw, place in self.changes:
            if raw.get("event") in ("joins", "leaves", "sits_out"):
                seat = reader.seat(raw.get("player"), f"{place}.player")
                if raw["event"] == "joins" and seat in self.table and seat not in known:
                    self.table.remove(seat)
                known.add(seat)

    def _has_number(self, raw: Mapping[str, Any], place: str) -> bool:
        number, misdeals = raw.get("before_hand"), raw.get("misdeals", 0)
        fits = _is_count(number) and 1 <= number <= MOST_HANDS + 1 and _is_count(misdeals)
        if not fits:
            self.reader.found.append(problem("there is no such hand", f"{place}.before_hand"))
        return fits

    def _when(self, raw: Mapping[str, Any]) -> tuple[int, int]:
        """The hand a change comes before, and how many misdeals of that hand it comes after."""
        return raw["before_hand"], raw.get("misdeals", 0)

    def before(self, number: int, misdeals: int) -> tuple[int, ...]:
        """The table at that hand, when it was misdealt so many times already."""
        for change in list(self.changes):
            raw, place = change
            if self._when(raw) <= (number, misdeals) and raw.get("event") != "sits_out":
                self.changes.remove(change)
                self._apply(raw, place)
        return tuple(self.table)

    def sitting_out(self, number: int, misdeals: int) -> frozenset[int]:
        """The seats that sit a void hand out. Where a hand was played, its bids tell."""
        noted = (
            self.reader.seat(raw.get("player"), f"{place}.player")
            for raw, place in self.changes
            if raw.get("event") == "sits_out" and self._when(raw) == (number, misdeals)
        )
        return frozenset(seat for seat in noted if seat is not None)

    def _apply(self, raw: Mapping[str, Any], place: str) -> None:
        reader, event = self.reader, raw.get("event")
        if event == "swap":
            players = raw.get("players")
            pair = players if isinstance(players, list) and len(players) == 2 else [None, None]
            seats = [reader.seat(name, f"{place}.players[{at}]") for at, name in enumerate(pair)]
            if all(seat in self.table for seat in seats):
                first, second = (self.table.index(seat) for seat in seats if seat is not None)
                self.table[first], self.table[second] = self.table[second], self.table[first]
            elif None not in seats:
                reader.found.append(problem("%(event)s cannot be done here", place, event="swap"))
            return
        seat = reader.seat(raw.get("player"), f"{place}.player")
        if seat is None:
            return
        if event == "leaves" and seat in self.table:
            self.table.remove(seat)
        elif event == "joins" and seat not in self.table:
            after = reader.seat(raw["after"], f"{place}.after") if "after" in raw else None
            at = self.table.index(after) + 1 if after in self.table else len(self.table)
            self.table.insert(at, seat)
        else:
            reader.found.append(problem("%(event)s cannot be done here", place, event=shown(event)))


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_instant(text: str) -> bool:
    try:
        instant = datetime.fromisoformat(text)
        instant.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return instant.tzinfo is not None


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


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
    # Who came or went before the open hand stays known, although that hand is not written.
    changes = _seat_changes(record.sheet)
    written: dict[str, Any] = {"id": record.id} if record.id else {}
    written |= {"format": FORMAT, **texts, "rules": sheet.rules.write(), "players": list(sheet.names)}
    if sheet.plan != tuple(hand.cards for hand in sheet.played):
        written["plan"] = list(sheet.plan)
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
    if sheet.given:
        written["totals_only"] = True
    written["totals"] = list(sheet.totals)
    return written


def _written_hand(hand: Hand, sheet: Sheet) -> dict[str, Any]:
    written: dict[str, Any] = {"cards": hand.cards, "dealer": sheet.names[hand.dealer]}
    if hand.trump is not None:
        written["trump"] = str(hand.trump)
    if hand.named_by in hand.playing:
        written["trump_by"] = sheet.names[hand.named_by]
    written |= {"bids": list(hand.bids), "tricks": list(hand.took)}
    if hand.blind:
        written["blind"] = [sheet.names[seat] for seat in sorted(hand.blind)]
    if hand.is_void:
        written["voided"] = True
    if hand.is_uneven:
        written["uneven"] = True
    if any(each.place == "cards" for each in sheet.hand_problems(hand)):
        written["overdealt"] = True
    if hand.note:
        written["note"] = hand.note
    return written


def _seat_changes(sheet: Sheet) -> list[dict[str, Any]]:
    """What happened to the table between the hands, derived from how each hand was seated."""
    changes: list[dict[str, Any]] = []
    if not sheet.hands:
        return changes
    table = [seat for seat in range(len(sheet.names)) if seat in sheet.hands[0].table]
    misdeals = 0
    for hand in sheet.hands:
        moves = _changes_between(table, hand, sheet.names)
        changes += [{**move, "misdeals": misdeals} if misdeals else move for move in moves]
        table, misdeals = list(hand.table), misdeals + 1 if hand.is_void else 0
    seen = {seat for hand in sheet.hands for seat in hand.table}
    changes += [
        {"before_hand": sheet.hands[-1].number + 1, "event": "joins", "player": name}
        for seat, name in enumerate(sheet.names)
        if seat not in seen
    ]
    return changes


def _changes_between(before: Sequence[int], hand: Hand, called: Sequence[str]) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = []
    table = list(before)
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
    changes += [
        {"before_hand": hand.number, "event": "sits_out", "player": called[seat]}
        for seat in sorted(hand.absent)
    ]
    return changes
