"""The questions about the past, asked of the database: who won, what was made, how strong everybody is.

Finished games count that are not deleted and had a hand that counts, or of which the totals alone are known. Misdeals
never do; a hand whose tricks were meant not to add up counts like any other. Names that were merged are one person. Few
queries each, all bounded by one book.
What SQL cannot know (who was on the hook, how far after the dealer somebody sat) `Sitting.settle` has stored. Nothing
is kept between two questions, so no answer is older than the last correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, case, func, select

from database import db
from models import Entry, Game, Hand, Player, Seat
from rules.rating import Rating, rated
from rules.results import Run
from rules.variants import Rules

FEW_BIDS = 20
"""With fewer bids a rate says little, and is marked."""
FEW_GAMES = 5
"""With fewer games a record says little, and is marked."""
FEW_OF_AN_EVENING = 5
"""An evening of fewer bids is neither the best nor the worst one."""
WIDEST = 3
"""Tables over or under by more than this are counted together."""


class Rate(NamedTuple):
    """So many of so many."""

    hits: int = 0
    of: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where there was none."""
        return self.hits / self.of if self.of else 0.0

    @property
    def is_small(self) -> bool:
        """Whether that is too few to say much."""
        return self.of < FEW_BIDS

    def plus(self, hits: int, of: int) -> Rate:
        """Both together."""
        return Rate(self.hits + hits, self.of + of)


@dataclass(frozen=True)
class Scope:
    """Which games are asked about: those of a book, by one set of rules, of one year."""

    book: int
    scored_as: str = ""
    """The key of the rules; empty: any."""
    year: int | None = None

    def of(self, query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
        """A query that has the games in it, bounded to these."""
        query = query.where(Game.book_id == self.book, Game.finished.is_not(None), Game.deleted.is_(None))
        if self.scored_as:
            query = query.where(Game.scored_as == self.scored_as)
        if self.year is not None:
            query = query.where(Game.played_on.between(date(self.year, 1, 1), date(self.year, 12, 31)))
        return query

    def has(self, seated: Seated) -> bool:
        """Whether a game is one of these."""
        return self.scored_as in ("", seated.scored_as) and self.year in (None, seated.played_on.year)


class Seated(NamedTuple):
    """One player in one finished game."""

    game: int
    code: str
    played_on: date
    scored_as: str
    person: int
    place: int
    total: int
    bids: int
    made: int
    run_start: int
    run_best: int
    run_end: int
    behind: int
    is_given: bool
    """Only the totals of the game are known."""


@dataclass(frozen=True)
class ScoredAs:
    """One set of rules that games of a book were played by."""

    key: str
    name: str
    """Empty where they have none."""
    games: int
    lowest_wins: bool
    pays: str
    """What a made bid pays, where two sets have one name; empty otherwise."""


class Standing(NamedTuple):
    """One person in the list of players."""

    person: int
    games: int = 0
    wins: int = 0
    made: Rate = Rate()
    rating: Rating = Rating()


class Versus(NamedTuple):
    """One person's games against another."""

    person: int
    ahead: int
    level: int
    behind: int

    @property
    def games(self) -> int:
        """Together at one table."""
        return self.ahead + self.level + self.behind


class Evening(NamedTuple):
    """All games of a day."""

    played_on: date
    made: Rate


class Record(NamedTuple):
    """The best anybody ever did, and in which game (empty where it spans several)."""

    person: int
    value: int
    code: str = ""
    played_on: date | None = None


@dataclass(frozen=True)
class Past:
    """All finished games of a book, in the order they were played."""

    games: tuple[tuple[Seated, ...], ...]
    names: Mapping[int, str]
    """Every person of the book."""

    @classmethod
    def of(cls, book: int) -> Past:
        """Read it: two queries."""
        results = (Seat.bids, Seat.made, Seat.run_start, Seat.run_best, Seat.run_end, Seat.behind)
        found = Scope(book).of(
            select(
                Game.id,
                Game.code,
                Game.played_on,
                Game.scored_as,
                func.coalesce(Player.alias_of_id, Player.id),
                Seat.place,
                Seat.total,
                *results,
                Game.given.is_not(None),
            )
            .join(Seat, Seat.game_id == Game.id)
            .join(Player, Player.id == Seat.player_id)
            .where(Game.scored_as.is_not(None))
            .order_by(Game.played_on, Game.started, Game.id, Seat.number)
        )
        called = select(Player.id, Player.alias_of_id, Player.name).where(Player.book_id == book)
        players = _rows(called.order_by(Player.key))
        games = (tuple(each) for _, each in groupby(map(Seated._make, _rows(found)), itemgetter(0)))
        return cls(
            tuple(game for game in games if any(seat.bids or seat.is_given for seat in game)),
            {number: name for number, alias, name in players if alias is None},
        )

    def within(self, scope: Scope) -> Past:
        """Those games alone."""
        return replace(self, games=tuple(game for game in self.games if scope.has(game[0])))

    @cached_property
    def years(self) -> tuple[int, ...]:
        """The years in which a game was played, the latest first."""
        return tuple(sorted({game[0].played_on.year for game in self.games}, reverse=True))

    @cached_property
    def seats(self) -> Mapping[int, tuple[Seated, ...]]:
        """Each person's games in order."""
        found: dict[int, list[Seated]] = {}
        for game in self.games:
            for seated in game:
                found.setdefault(seated.person, []).append(seated)
        return {person: tuple(seats) for person, seats in found.items()}

    @cached_property
    def ratings(self) -> Mapping[int, tuple[Rating, ...]]:
        """Each person's rating after each of their games."""
        now: dict[int, Rating] = {}
        lines: dict[int, list[Rating]] = {}
        for game in self.games:
            before = [now.get(seated.person) or Rating() for seated in game]
            for seated, rating in zip(game, rated(before, [seated.place for seated in game]), strict=True):
                now[seated.person] = rating
                lines.setdefault(seated.person, []).append(rating)
        return {person: tuple(line) for person, line in lines.items()}

    def standings(self) -> tuple[Standing, ...]:
        """Every person, the strongest first; who has few games comes after all others."""
        nobody: tuple[Seated, ...] = ()
        everybody = [
            Standing(
                person,
                games=len(seats := self.seats.get(person, nobody)),
                wins=sum(seat.place == 1 for seat in seats),
                made=_made(seats),
                rating=self.ratings[person][-1] if seats else Rating(),
            )
            for person in self.names
        ]
        return tuple(
            sorted(everybody, key=lambda each: (each.games < FEW_GAMES, -each.rating.mean, -each.games))
        )

    def rank(self, person: int) -> tuple[int, int] | None:
        """Somebody's place by rating, and among how many; None for few games."""
        ranked = [each.person for each in self.standings() if each.games >= FEW_GAMES]
        return (ranked.index(person) + 1, len(ranked)) if person in ranked else None


def _rows(query: Select[*tuple[Any, ...]]) -> Sequence[Row[*tuple[Any, ...]]]:
    """What the database answers, past the session, which would only look for objects in ten thousand plain rows."""
    return db.session.connection().execute(query).all()


def rules_of(past: Past) -> tuple[ScoredAs, ...]:
    """The sets of rules that were played, the most played first. One query."""
    counted = Counter(game[0].scored_as for game in past.games)
    latest = {game[0].scored_as: game[0].game for game in past.games}
    found = select(Game.scored_as, Game.rules).where(Game.id.in_(latest.values()))
    read = {key: Rules.read(rules) for key, rules in _rows(found)}
    named = Counter(rules.name for rules in read.values())
    return tuple(
        ScoredAs(
            key,
            rules.name,
            games,
            rules.lowest_wins,
            rules.scoring.made if named[rules.name] > 1 else "",
        )
        for key, games in counted.most_common()
        for rules in (read[key],)
    )


# One person


@dataclass(frozen=True)
class Person:
    """What the places say of one person, in the games asked about."""

    seats: tuple[Seated, ...]
    wins: int
    average_place: float
    average_table: float
    """Players at the table, on average."""
    made_run: int
    """Bids made in a row, at the most, from game to game too."""
    made_run_now: int
    win_run: int
    best: Evening | None
    worst: Evening | None
    """None where there is but one evening."""
    versus: tuple[Versus, ...]
    """The others, who was met most first."""
    points: float | None
    """The average total; None where the games are of different rules."""
    table_points: float | None
    """What all who sat at those tables had on average."""

    @property
    def games(self) -> int:
        """How many."""
        return len(self.seats)

    @property
    def is_small(self) -> bool:
        """Whether those are too few to say much."""
        return self.games < FEW_GAMES

    @classmethod
    def of(cls, past: Past, person: int) -> Person:
        """Somebody in these games."""
        tables = [game for game in past.games if any(seat.person == person for seat in game)]
        seats = past.seats.get(person, ())
        made, wins = _made_run(seats), Run.of(seat.place == 1 for seat in seats)
        evenings = [
            Evening(day, _made(list(those))) for day, those in groupby(seats, lambda seat: seat.played_on)
        ]
        counted = sorted(
            (each for each in evenings if each.made.of >= FEW_OF_AN_EVENING),
            key=lambda each: (-each.made.share, -each.made.of, each.played_on),
        )
        everybody = [seat.total for table in tables for seat in table]
        alike = len({seat.scored_as for seat in seats}) == 1
        return cls(
            seats=seats,
            wins=sum(seat.place == 1 for seat in seats),
            average_place=_average([seat.place for seat in seats]),
            average_table=_average([len(table) for table in tables]),
            made_run=made.best,
            made_run_now=made.end,
            win_run=wins.best,
            best=counted[0] if counted else None,
            worst=counted[-1] if len(counted) > 1 else None,
            versus=_versus(tables, person),
            points=_average([seat.total for seat in seats]) if alike else None,
            table_points=_average(everybody) if alike else None,
        )


def _versus(tables: Iterable[Sequence[Seated]], person: int) -> tuple[Versus, ...]:
    met: dict[int, list[int]] = {}
    for table in tables:
        own = next(seat.place for seat in table if seat.person == person)
        for seat in table:
            if seat.person != person:
                met.setdefault(seat.person, [0, 0, 0])[(own >= seat.place) + (own > seat.place)] += 1
    return tuple(
        sorted((Versus(other, *counts) for other, counts in met.items()), key=lambda each: -each.games)
    )


class Bid(NamedTuple):
    """Bids of one kind: how often they were made, and how they were missed."""

    cards: int
    bid: int
    off: int
    """Tricks taken less tricks bid."""
    turn: int
    is_hooked: bool
    times: int


@dataclass(frozen=True)
class Bids:
    """All bids of one person in the games asked about."""

    kinds: tuple[Bid, ...]

    @classmethod
    def of(cls, scope: Scope, person: int) -> Bids:
        """Read them: one query."""
        kind = (Hand.cards, Entry.bid, Entry.took - Entry.bid, Entry.turn, Entry.is_hooked)
        names = select(Player.id).where((Player.id == person) | (Player.alias_of_id == person))
        found = scope.of(
            select(*kind, func.count())
            .select_from(Seat)
            .join(Game, Game.id == Seat.game_id)
            .join(Entry, Entry.seat_id == Seat.id)
            .join(Hand, Hand.id == Entry.hand_id)
            .where(Seat.player_id.in_(names), Entry.turn.is_not(None))
            .group_by(*kind)
        )
        return cls(tuple(map(Bid._make, _rows(found))))

    @property
    def all(self) -> Rate:
        """Made of all bids."""
        return _rate(self.kinds)

    @property
    def by_cards(self) -> dict[int, Rate]:
        """By the size of the hand."""
        return self._by(lambda kind: kind.cards)

    @property
    def by_bid(self) -> dict[int, Rate]:
        """By what was bid."""
        return self._by(lambda kind: kind.bid)

    @property
    def by_turn(self) -> dict[int, Rate]:
        """By the seat: so many players after the dealer, who is 0 and comes last."""
        rates = self._by(lambda kind: kind.turn)
        return {turn: rates[turn] for turn in sorted(rates, key=lambda turn: (turn == 0, turn))}

    @property
    def zeros(self) -> Rate:
        """Bids of zero."""
        return _rate(kind for kind in self.kinds if not kind.bid)

    @property
    def hooked(self) -> Rate:
        """As last bidder with a number barred by the hook."""
        return _rate(kind for kind in self.kinds if kind.is_hooked)

    @property
    def too_many(self) -> Rate:
        """Of the bids that were missed, those with too many tricks."""
        missed = [kind for kind in self.kinds if kind.off]
        return Rate(sum(kind.times for kind in missed if kind.off > 0), sum(kind.times for kind in missed))

    def _by(self, key: Callable[[Bid], int]) -> dict[int, Rate]:
        found: dict[int, Rate] = {}
        for kind in self.kinds:
            hits = 0 if kind.off else kind.times
            found[key(kind)] = found.get(key(kind), Rate()).plus(hits, kind.times)
        return dict(sorted(found.items()))


# The whole table


class Balance(NamedTuple):
    """Hands whose bids were over or under the cards by as much."""

    over: int
    """Bids less cards; the outermost stand for all beyond, too."""
    hands: int
    made: Rate
    everybody: int
    """Hands in which everybody made it."""


@dataclass(frozen=True)
class Questions:
    """What a table argues about, from the hands asked about."""

    hands: int
    all: Rate
    zeros: Mapping[int, Rate]
    """Zero bids by the size of the hand."""
    hooked: Rate
    """The last bidder with a number barred by the hook."""
    others: Rate
    """Everybody else in those hands."""
    balances: tuple[Balance, ...]

    @classmethod
    def of(cls, scope: Scope) -> Questions:
        """Read them: one query, answered from a row a hand."""
        kind = (Hand.cards, Hand.over)
        everybody = case((Hand.made == Hand.bidders, Hand.id))
        hooked, hook_made = (
            case((Hand.hook_made.is_not(None), Hand.id)),
            case((Hand.hook_made.is_(True), Hand.id)),
        )
        beside = case((Hand.hook_made.is_not(None), Hand.bidders))
        beside_made = case((Hand.hook_made.is_not(None), Hand.made))
        sums = [func.sum(each) for each in (Hand.bidders, Hand.made, Hand.zeros, Hand.zeros_made)]
        counts = [func.count(each) for each in (everybody, hooked, hook_made)]
        found = scope.of(
            select(*kind, func.count(), *sums, *counts, func.sum(beside), func.sum(beside_made))
            .select_from(Game)
            .join(Hand, Hand.game_id == Game.id)
            .where(Hand.over.is_not(None))
            .group_by(*kind)
        )
        return cls._folded(_rows(found))

    @classmethod
    def _folded(cls, rows: Sequence[Row[*tuple[Any, ...]]]) -> Questions:
        hands, every, hooked, beside = 0, Rate(), Rate(), Rate()
        zeros: dict[int, Rate] = {}
        balances: dict[int, Balance] = {}
        for (
            cards,
            over,
            count,
            bids,
            made,
            zero,
            zero_made,
            all_made,
            on_hook,
            hook_made,
            near,
            near_made,
        ) in rows:
            hands += count
            every = every.plus(made, bids)
            hooked = hooked.plus(hook_made, on_hook)
            beside = beside.plus(near_made or 0, near or 0)
            if zero:
                zeros[cards] = zeros.get(cards, Rate()).plus(zero_made, zero)
            at = max(-WIDEST, min(WIDEST, over))
            so_far = balances.get(at, Balance(at, 0, Rate(), 0))
            balances[at] = Balance(
                at, so_far.hands + count, so_far.made.plus(made, bids), so_far.everybody + all_made
            )
        return cls(
            hands=hands,
            all=every,
            zeros=dict(sorted(zeros.items())),
            hooked=hooked,
            others=beside.plus(-hooked.hits, -hooked.of),
            balances=tuple(balances[at] for at in sorted(balances)),
        )


@dataclass(frozen=True)
class Records:
    """The best of all time, in the games asked about. None where nobody did it yet."""

    made_run: Record | None
    win_run: Record | None
    wins: Record | None
    games: Record | None
    perfect: Record | None
    """Most bids made in one game without missing any."""
    totals: Mapping[str, Record] = field(default_factory=dict)
    """The best total by the key of the rules; where the lowest wins, that is the lowest."""
    comebacks: Mapping[str, Record] = field(default_factory=dict)
    """Most points behind the leader in a game that was won in the end, by the key of the rules."""

    @classmethod
    def of(cls, past: Past, rules: Sequence[ScoredAs]) -> Records:
        """Of these games. Who did it first keeps the record."""
        seats = [seat for game in past.games for seat in game]
        made = {person: _made_run(those) for person, those in past.seats.items()}
        won = {person: [seat.place == 1 for seat in those] for person, those in past.seats.items()}
        by_rules = {each.key: [seat for seat in seats if seat.scored_as == each.key] for each in rules}
        sign = {each.key: -1 if each.lowest_wins else 1 for each in rules}
        return cls(
            made_run=_most((person, run.best) for person, run in made.items()),
            win_run=_most((person, Run.of(wins).best) for person, wins in won.items()),
            wins=_most((person, sum(wins)) for person, wins in won.items()),
            games=_most((person, len(those)) for person, those in past.seats.items()),
            perfect=_in_game((seat for seat in seats if seat.made == seat.bids), lambda seat: seat.made),
            totals={
                key: record
                for key, those in by_rules.items()
                if (record := _best_total((seat for seat in those if seat.bids), sign[key]))
            },
            comebacks={
                key: record
                for key, those in by_rules.items()
                if (record := _in_game((seat for seat in those if seat.place == 1), lambda seat: seat.behind))
            },
        )


def _most(counts: Iterable[tuple[int, int]]) -> Record | None:
    person, count = max(counts, key=lambda each: each[1], default=(0, 0))
    return Record(person, count) if count else None


def _in_game(seats: Iterable[Seated], value: Callable[[Seated], int]) -> Record | None:
    best = max(seats, key=value, default=None)
    return Record(best.person, value(best), best.code, best.played_on) if best and value(best) else None


def _best_total(seats: Iterable[Seated], sign: int) -> Record | None:
    best = max(seats, key=lambda seat: sign * seat.total, default=None)
    return Record(best.person, best.total, best.code, best.played_on) if best else None


def _made(seats: Sequence[Seated]) -> Rate:
    return Rate(sum(seat.made for seat in seats), sum(seat.bids for seat in seats))


def _rate(kinds: Iterable[Bid]) -> Rate:
    hits = of = 0
    for kind in kinds:
        hits, of = hits + (0 if kind.off else kind.times), of + kind.times
    return Rate(hits, of)


def _made_run(seats: Iterable[Seated]) -> Run:
    return Run.joined(Run(seat.bids, seat.run_start, seat.run_best, seat.run_end) for seat in seats)


def _average(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
