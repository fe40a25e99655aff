"""The tables, and the verbs that change a game, in the game's words.

Rows hold facts only: who sat where, who dealt, what was bid and taken. Points are computed by `rules.sheet`; the one
stored result is each seat's final total and place, written by `Game.settle` and nowhere else.

Every verb takes an `Act` (which tap, by whom, when). A tap has its effect once, however often it is sent, and is
refused as `Stale` where the fact it was based on has changed since. What a verb did to the rows is kept as the steps of
a `Change` in log.py, so that it can be undone exactly.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    Select,
    String,
    UniqueConstraint,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.orm import Mapped, load_only, mapped_column, relationship, selectinload

from database import Base, Instant, db
from log import Act, Change, do_again, take_back, watched
from rules import names
from rules.bidding import IllegalBid
from rules.bookfile import BookFile, Person
from rules.plan import MOST_CARDS, MOST_HANDS, MOST_PLAYERS, largest_that_fits, next_dealer, overdealt
from rules.problem import Problem, RulesError, counted_problem, problem
from rules.record import LONGEST_TEXT, MOST_GIVEN, Record
from rules.results import HandResult, SeatResult, scored_as
from rules.sheet import Adjustment as AdjustmentValue
from rules.sheet import Hand as HandValue
from rules.sheet import Sheet
from rules.variants import Rules, Trump

CODE_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
CODE_LENGTH = 26
"""26 base-32 characters are 130 bits: nobody guesses an address."""
SPOKEN_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
SPOKEN_LENGTH = 6
"""A code to be told across the table, without 0 O 1 I. 30 bits are enough for a short time and few guesses only."""
INVITED_FOR = timedelta(hours=24)
SPOKEN_FOR = timedelta(minutes=10)
SEEN_EVERY = timedelta(hours=1)
"""When a phone was last seen is written down no more often than this."""
LONGEST_SITTING = timedelta(hours=12)
"""Two moments further apart say nothing about how long a game took."""
PORTION = 50
"""So many whole games are read at a time where all are wanted."""
WITH_WORDS = ("adjust", "unadjust", "join")
"""The kinds of changes that hold words which somebody wrote."""
KEPT_DELETED = timedelta(days=7)
"""So long a deleted game can be brought back."""
LARGEST_ID = 2**31 - 1
"""PostgreSQL refuses to look for a larger one."""


class Stale(Exception):
    """The fact a tap was based on has changed since.

    `what` names the fact (`bid`, `trump`, `took`, `hand` ...), `stored` is its value now, `sent` what came.
    """

    def __init__(self, what: str, stored: object, sent: object, seat: int | None = None) -> None:
        super().__init__(what)
        self.what, self.stored, self.sent, self.seat = what, stored, sent, seat


class NeedsConfirming(Exception):
    """Legal or not, this is seldom meant: the person is asked. `what` names the question, `problems` say why."""

    def __init__(self, what: str, *problems: Problem) -> None:
        super().__init__(what)
        self.what, self.problems = what, problems


@dataclass(frozen=True)
class Facts:
    """What is written down of one hand, to be put right. Bids and tricks are by seat, None where there is nothing."""

    cards: int
    dealer: int
    trump: Trump | None
    bids: Mapping[int, int | None]
    took: Mapping[int, int | None]

    @classmethod
    def of(cls, hand: HandValue) -> Facts:
        """The facts as they are stored."""
        return cls(
            hand.cards,
            hand.dealer,
            hand.trump,
            {seat: hand.bids[seat] for seat in hand.playing},
            {seat: hand.took[seat] for seat in hand.playing},
        )

    def items(self) -> dict[tuple[str, int | None], Any]:
        """Each single fact by its name and seat."""
        single: dict[tuple[str, int | None], Any] = {
            ("cards", None): self.cards,
            ("dealer", None): self.dealer,
            ("trump", None): self.trump,
        }
        single |= {("bid", seat): bid for seat, bid in self.bids.items()}
        return single | {("took", seat): took for seat, took in self.took.items()}


@dataclass(frozen=True)
class About:
    """What is told of an evening beside the score."""

    name: str
    place: str
    note: str
    played_on: date

    @classmethod
    def of(cls, game: Game) -> About:
        """What is stored, each text as the line that can be typed."""
        return cls(names.tidy(game.name), names.tidy(game.place), names.tidy(game.note), game.played_on)

    def facts(self) -> list[str]:
        """All of it as texts."""
        return [self.name, self.place, self.note, self.played_on.isoformat()]


class Book(Base):
    """One group's scorebook: its players and games, and the phones that may write in it."""

    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(CODE_LENGTH), unique=True)
    name: Mapped[str] = mapped_column(String(80), default="")
    created: Mapped[datetime] = mapped_column(Instant)
    is_shared: Mapped[bool] = mapped_column(default=False)
    """Whether anybody who has its address may look at it, and pages of its games lead there."""
    recovery_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    """Of the key in the recovery link, which makes phones keepers until it is replaced."""
    recovery_made: Mapped[datetime | None] = mapped_column(Instant)
    keepers: Mapped[list[Keeper]] = relationship(back_populates="book", cascade="all, delete-orphan")
    players: Mapped[list[Player]] = relationship(back_populates="book", cascade="all, delete-orphan")
    games: Mapped[list[Game]] = relationship(back_populates="book", cascade="all, delete-orphan")

    @classmethod
    def start(cls, phone: str, at: datetime, name: str = "") -> Book:
        """A new book, kept by that phone (its secret key, of which only a hash is stored)."""
        book = cls(code=new_code(), name=name, created=at)
        book.keepers.append(Keeper(key_hash=hashed(phone), created=at, seen=at))
        db.session.add(book)
        return book

    @classmethod
    def find(cls, code: str, *, writing: bool = False) -> Book | None:
        """The book of an address. For writing it is locked until the transaction ends."""
        found = select(cls).where(cls.code == code)
        if writing:
            found = found.with_for_update(of=cls)
        return db.session.scalar(found) if _is_code(code) else None

    @classmethod
    def recovered_by(cls, key: str) -> Book | None:
        """The book whose recovery link has that key."""
        return db.session.scalar(select(cls).where(cls.recovery_hash == hashed(key)))

    @classmethod
    def kept_by(cls, phone: str) -> Sequence[Book]:
        """The books a phone keeps, the first one first."""
        found = select(cls).join(Keeper).where(Keeper.key_hash == hashed(phone)).order_by(Keeper.id)
        return db.session.scalars(found).all()

    def keeper(self, phone: str) -> Keeper | None:
        """The phone's right to write in this book; None if it has none."""
        found = select(Keeper).where(Keeper.book_id == self.id, Keeper.key_hash == hashed(phone))
        return db.session.scalar(found)

    def phones(self) -> Sequence[Keeper]:
        """The phones that keep the book, the first one first."""
        return db.session.scalars(select(Keeper).where(Keeper.book_id == self.id).order_by(Keeper.id)).all()

    def phone_of(self, number: int) -> Keeper | None:
        """The phone with that number, if it keeps this book."""
        found = select(Keeper).where(Keeper.book_id == self.id, Keeper.id == min(number, LARGEST_ID))
        return db.session.scalar(found)

    def welcome(self, phone: str, at: datetime) -> None:
        """Make a phone a keeper, unless it is one."""
        if self.keeper(phone) is None:
            self.keepers.append(Keeper(key_hash=hashed(phone), created=at, seen=at))

    def invite(self, at: datetime, valid: timedelta = INVITED_FOR, *, spoken: str | None = None) -> str:
        """A new single-use key that makes one more phone a keeper. Only its hash is stored.

        `spoken` is a code (see `new_spoken_code`) that does the same, instead of the key, for `SPOKEN_FOR`.
        """
        db.session.execute(delete(Invitation).where(Invitation.expires < at))
        key = new_key()
        invitation = Invitation(book=self, key_hash=hashed(key), expires=at + valid)
        if spoken:
            invitation.code_hash, invitation.code_expires = hashed(spoken), at + SPOKEN_FOR
        db.session.add(invitation)
        return key

    def new_recovery(self, at: datetime) -> str:
        """The key of a new recovery link, which may be used more than once. The one before is dead."""
        key = new_key()
        self.recovery_hash, self.recovery_made = hashed(key), at
        return key

    def remove(self, keeper: Keeper) -> None:
        """Take the right to write from a phone. Raises RulesError where nobody could ever write again."""
        if self.recovery_hash is None and len(self.phones()) == 1:
            raise RulesError(
                problem(
                    "this is the only phone that keeps the book: add another, or make a recovery link first"
                )
            )
        db.session.delete(keeper)

    def replace_keys(self, keeper: Keeper) -> None:
        """Leave this keeper alone the right to write: other phones, invitations, recovery link are dead."""
        db.session.execute(delete(Keeper).where(Keeper.book_id == self.id, Keeper.id != keeper.id))
        db.session.execute(delete(Invitation).where(Invitation.book_id == self.id))
        self.recovery_hash = self.recovery_made = None

    def wants_recovery(self) -> bool:
        """Whether it is time to offer a recovery link: after the first finished game, until there is one."""
        return self.recovery_hash is None and len(self.finished_games(2)) == 1

    def player(self, name: str) -> Player:
        """The player of that name, new if the book does not know it. The name must be tidied and legal."""
        found = select(Player).where(Player.book_id == self.id, Player.key == names.key(name))
        player = db.session.scalar(found)
        if player is None:
            player = Player(book=self, name=name, key=names.key(name))
            db.session.add(player)
        return player.person

    def everybody(self) -> Sequence[Player]:
        """All names of the book."""
        return db.session.scalars(
            select(Player)
            .where(Player.book_id == self.id)
            .order_by(Player.key)
            .options(selectinload(Player.alias_of))
        ).all()

    def player_of(self, number: int) -> Player | None:
        """The player with that number, if it is one of this book."""
        found = select(Player).where(Player.book_id == self.id, Player.id == min(number, LARGEST_ID))
        return db.session.scalar(found)

    def rename(self, player: Player, name: str) -> None:
        """Call a player otherwise, everywhere. Raises RulesError when somebody else has that name: merge them then."""
        taken = select(Player).where(
            Player.book_id == self.id, Player.key == names.key(name), Player.id != player.id
        )
        if db.session.scalar(taken) is not None:
            raise RulesError(problem("%(name)s is in the book already", name=name))
        player.name, player.key = name, names.key(name)

    def merge(self, player: Player, person: Player) -> None:
        """Take two names for one person, who is then shown as `person`; `part` undoes it.

        Raises RulesError when both sat at one table, or one of them is merged already.
        """
        if player is person or player.alias_of_id or person.alias_of_id:
            raise RulesError(problem("these names are one already"))
        both = (
            (player.id,),
            (person.id, *db.session.scalars(select(Player.id).where(Player.alias_of_id == person.id))),
        )
        tables = [select(Seat.game_id).where(Seat.player_id.in_(each)) for each in both]
        aliases = select(Player.id).where(Player.alias_of_id == player.id)
        if db.session.scalar(aliases) is not None:
            raise RulesError(problem("%(name)s has other names itself", name=player.name))
        if db.session.scalar(tables[0].intersect(tables[1])) is not None:
            raise RulesError(
                problem(
                    "%(player)s and %(person)s have sat at one table", player=player.name, person=person.name
                )
            )
        player.alias_of = person

    def part(self, player: Player) -> None:
        """Undo a merge: the name is a person of its own again."""
        player.alias_of = None

    def house_rules(self) -> Sequence[HouseRules]:
        """The house rules of the book by name, each in its latest version."""
        latest = select(func.max(HouseRules.id)).where(HouseRules.book_id == self.id).group_by(HouseRules.key)
        found = select(HouseRules).where(HouseRules.id.in_(latest)).order_by(HouseRules.key)
        return db.session.scalars(found).all()

    def keep_rules(self, rules: Rules, at: datetime) -> HouseRules:
        """Keep rules under their name: as a new version where the book has that name, unless nothing differs."""
        key = names.key(rules.name)
        last = next((each for each in self.house_rules() if each.key == key), None)
        if last is not None and last.value() == rules:
            return last
        kept = HouseRules(
            book=self,
            name=rules.name,
            key=key,
            version=last.version + 1 if last else 1,
            rules=rules.write(),
            created=at,
        )
        db.session.add(kept)
        db.session.flush()
        return kept

    def known_players(self, most: int = 24) -> Sequence[Player]:
        """The book's players, who sat in the latest games first."""
        last = (
            select(func.max(Seat.game_id))
            .where(Seat.player_id == Player.id)
            .correlate(Player)
            .scalar_subquery()
        )
        found = (
            select(Player)
            .where(Player.book_id == self.id, Player.alias_of_id.is_(None))
            .order_by(last.desc(), Player.id)
            .limit(most)
        )
        return db.session.scalars(found).all()

    def games_on_page(self, page: int, size: int) -> tuple[Sequence[Game], int]:
        """One page (from 1) of all games with their seats, the latest first, and how many pages there are."""
        there = (Game.book_id == self.id, Game.deleted.is_(None))
        count = db.session.scalar(select(func.count(Game.id)).where(*there)) or 0
        found = (
            listed_games()
            .where(*there)
            .order_by(Game.played_on.desc(), Game.id.desc())
            .limit(size)
            .offset((page - 1) * size)
        )
        return db.session.scalars(found).all(), max(1, -(-count // size))

    def count_games(self) -> int:
        """How many games it has, deleted ones too."""
        return db.session.scalar(select(func.count(Game.id)).where(Game.book_id == self.id)) or 0

    def running_games(self, most: int | None = None) -> Sequence[Game]:
        """The games that are not over with all their rows, the one touched last first; `most` of them at the most."""
        return db.session.scalars(
            whole_games()
            .where(Game.book_id == self.id, Game.finished.is_(None), Game.deleted.is_(None))
            .order_by(Game.touched.desc())
            .limit(most)
        ).all()

    def finished_games(self, most: int) -> Sequence[Game]:
        """The latest finished games by the day they were played on, with their seats and what a list shows."""
        found = (
            listed_games()
            .where(Game.book_id == self.id, Game.finished.is_not(None), Game.deleted.is_(None))
            .order_by(Game.played_on.desc(), Game.id.desc())
            .limit(most)
        )
        return db.session.scalars(found).all()

    def start_game(
        self,
        called: Sequence[str],
        rules: Rules,
        dealer: int,
        act: Act,
        *,
        plan: Sequence[int] | None = None,
        played_on: date | None = None,
    ) -> Game:
        """A new game with its first hand dealt; the one already there if this very tap has started it.

        `called` are tidied names in seat order, clockwise; `dealer` is a seat. Raises RulesError when these rules do
        not allow that many players or that plan.
        """
        if game := Game.started_by(act):
            return game
        Game.purge(act.at)
        plan = tuple(plan) if plan is not None else None
        if problems := rules.problems(len(called), plan):
            raise RulesError(*problems)
        game = self._new_game(called, rules, plan or rules.plan(len(called)), act.at, act.key("game"))
        game.played_on = played_on or act.at.date()
        game.open_hand(game.sheet().first_hand(dealer))
        return game

    def keep_record(self, record: Record, at: datetime) -> Game:
        """The game of a record, with all its hands; the one already there if the book has it."""
        identity = _identity(record)
        found = select(Game).where(Game.book_id == self.id, Game.identity == identity)
        if (game := db.session.scalar(found)) is not None:
            # Whoever brings a deleted game into the book again wants it back.
            game.deleted = None
            return game
        sheet = record.sheet
        on = date.fromisoformat(record.played_on) if record.played_on else None
        day = datetime(on.year, on.month, on.day, tzinfo=UTC) if on else None
        started = _instant(record.started) or day or at
        key = hashlib.sha256(json.dumps(["record", self.code, identity]).encode()).hexdigest()
        game = self._new_game(sheet.names, sheet.rules, sheet.plan, started, key)
        game.identity, game.ended_early = identity, sheet.ended_early
        game.given = list(sheet.given) if sheet.given else None
        game.name, game.note, game.place = record.name, record.note, record.place
        game.played_on = on or started.date()
        for hand in sheet.hands:
            game.write_hand(hand)
        for each in sheet.adjustments:
            seat = game.seats[each.seat]
            game.adjustments.append(
                Adjustment(hand=each.hand, seat=seat, points=each.points, reason=each.reason)
            )
        db.session.flush()
        game.settle(_instant(record.finished) or day or at)
        if following := game.sheet().next_hand(record.table):
            game.open_hand(following)
        return game

    def _new_game(
        self, called: Sequence[str], rules: Rules, plan: Sequence[int], at: datetime, key: str
    ) -> Game:
        code = new_code()
        game = Game(
            book=self,
            code=code,
            identity=new_code(),
            watch_code=new_spoken_code(),
            action=key,
            rules=rules.write(),
            rules_name=rules.name[:LONGEST_TEXT],
            plan=list(plan),
            started=at,
            touched=at,
            played_on=at.date(),
        )
        db.session.add(game)
        for number, name in enumerate(called):
            game.seats.append(Seat(number=number, player=game.newcomer(name)))
            db.session.flush()
        return game

    # Carried to other books, and back

    def people(self) -> tuple[Person, ...]:
        """Everybody in the book as other books may know them: names, other names, the day of the first game."""
        person = func.coalesce(Player.alias_of_id, Player.id)
        first = (
            select(person, func.min(Game.played_on))
            .join(Seat, Seat.player_id == Player.id)
            .join(Game, Game.id == Seat.game_id)
            .where(Player.book_id == self.id, Game.deleted.is_(None))
            .group_by(person)
        )
        days = {number: day for number, day in db.session.execute(first)}  # noqa: C416 - rows are no pairs
        everybody = sorted(self.everybody(), key=lambda player: player.key)
        return tuple(
            Person(
                player.name,
                tuple(each.name for each in everybody if each.alias_of_id == player.id),
                days[player.id].isoformat() if player.id in days else "",
            )
            for player in everybody
            if player.alias_of_id is None
        )

    def file(self) -> BookFile:
        """The book as a file holds it, but for its games."""
        return BookFile(self.name, self.people(), tuple(kept.value() for kept in self.house_rules()))

    def records(self) -> Iterator[Record]:
        """All its games, the first one first, read in portions: also of thousands, few are in memory at a time."""
        there = select(Game.played_on, Game.started, Game.identity, Game.id).where(
            Game.book_id == self.id, Game.deleted.is_(None)
        )
        # As records tell moments, by the second, so that the order is the same in every book.
        order = sorted(
            (day, at.replace(microsecond=0), identity, number)
            for day, at, identity, number in db.session.execute(there)
        )
        numbers = [number for *_, number in order]
        for at in range(0, len(numbers), PORTION):
            portion = numbers[at : at + PORTION]
            games = {each.id: each for each in db.session.scalars(whole_games().where(Game.id.in_(portion)))}
            for number in portion:
                if (game := games.get(number)) is not None:
                    yield game.record()
            for game in games.values():
                db.session.expunge(game)

    def has(self, records: Sequence[Record]) -> list[bool]:
        """Which of these games the book has already, by their identity."""
        there = select(Game.identity).where(Game.book_id == self.id, Game.deleted.is_(None))
        known = set(db.session.scalars(there))
        found = []
        for record in records:
            identity = _identity(record)
            found.append(identity in known)
            known.add(identity)
        return found

    def problems_with(self, file: BookFile) -> tuple[Problem, ...]:
        """What of a file this book cannot take: two names at one table that are one person here."""
        persons = {player.key: player.person.key for player in self.everybody()}
        for person in file.players:
            for alias in person.aliases:
                key = names.key(person.name)
                persons.setdefault(names.key(alias), persons.get(key, key))
        found = []
        for at, record in enumerate(file.games):
            seated: dict[str, str] = {}
            for seat, name in enumerate(record.sheet.names):
                key = persons.get(names.key(name), names.key(name))
                if key in seated:
                    found.append(
                        problem(
                            "%(player)s and %(person)s are one person in this book",
                            f"games[{at}].players[{seat}]",
                            player=name,
                            person=seated[key],
                        )
                    )
                seated.setdefault(key, name)
        return tuple(found)

    def keep_people(self, file: BookFile, at: datetime) -> None:
        """Take over from a file whom and which house rules the book does not have. What it has stays as it is."""
        if not self.name:
            self.name = file.name
        known = {player.key for player in self.everybody()}
        known |= {names.key(each.name) for each in file.players}
        for each in file.players:
            person = self.player(each.name)
            for alias in each.aliases:
                if names.key(alias) not in known:
                    known.add(names.key(alias))
                    db.session.add(
                        Player(book=self, name=alias, key=names.key(alias), alias_of=person.person)
                    )
        kept = {rules.key for rules in self.house_rules()}
        for rules in file.house_rules:
            if names.key(rules.name) not in kept:
                kept.add(names.key(rules.name))
                self.keep_rules(rules, at)
        db.session.flush()

    def has_deleted_games(self) -> bool:
        """Whether any game can still be brought back."""
        found = select(Game.id).where(Game.book_id == self.id, Game.deleted.is_not(None)).limit(1)
        return db.session.scalar(found) is not None

    def deleted_games(self) -> Sequence[Game]:
        """The games that were deleted and can still be brought back, the latest first."""
        return db.session.scalars(
            listed_games()
            .where(Game.book_id == self.id, Game.deleted.is_not(None))
            .order_by(Game.deleted.desc())
        ).all()

    # Gone for good

    def forget(self, player: Player, called: Callable[[int], str]) -> None:
        """Take a person's name, and all its other names, out of everything that is written down; scores stay.

        `called` makes the name that takes its place from a number, the first one that nobody has.
        """
        rows = [player, *(each for each in self.everybody() if each.alias_of_id == player.id)]
        seated = select(Seat.game_id).where(Seat.player_id.in_([each.id for each in rows]))
        games = db.session.scalars(whole_games().where(Game.id.in_(seated))).all()
        for each in rows:
            name, number = each.name, 1
            taken = {names.key(other.name) for other in self.everybody()}
            while names.key(called(number)) in taken:
                number += 1
            each.name = called(number)
            each.key = names.key(each.name)
            for game in games:
                game.replace_name(name, each.name)
            db.session.flush()

    def erase(self) -> None:
        """The book is gone: its games with their logs, its players, its house rules, every right to write in it."""
        games = select(Game.id).where(Game.book_id == self.id)
        hands = select(Hand.id).where(Hand.game_id.in_(games))
        players = update(Player).where(Player.book_id == self.id).values(alias_of_id=None)
        # What is pointed at goes last; the rights and the house rules go with the row of the book.
        for statement in (
            delete(Change).where(Change.game_id.in_(games)),
            delete(Adjustment).where(Adjustment.game_id.in_(games)),
            delete(Entry).where(Entry.hand_id.in_(hands)),
            delete(Hand).where(Hand.game_id.in_(games)),
            delete(Seat).where(Seat.game_id.in_(games)),
            delete(Game).where(Game.book_id == self.id),
            players,
            delete(Player).where(Player.book_id == self.id),
            delete(Book).where(Book.id == self.id),
        ):
            db.session.execute(statement.execution_options(synchronize_session=False))


def _instant(written: str) -> datetime | None:
    return datetime.fromisoformat(written).astimezone(UTC) if written else None


def _identity(record: Record) -> str:
    """What a game is called in every book."""
    return record.id or hashlib.sha256(json.dumps(_content(record)).encode()).hexdigest()


def _content(record: Record) -> list[Any]:
    """What makes two records without an id the same game."""
    sheet = record.sheet
    hands = [[hand.cards, hand.bids, hand.took, hand.dealer] for hand in sheet.hands]
    given = [sheet.given] if sheet.given else []
    return [sheet.names, sheet.rules.write(), hands, record.played_on, record.started, *given]


class Keeper(Base):
    """The right of one phone to write in one book. The phone holds the key; here lies its hash."""

    __tablename__ = "keeper"
    __table_args__ = (UniqueConstraint("book_id", "key_hash"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id", ondelete="CASCADE"))
    key_hash: Mapped[str] = mapped_column(String(64), index=True)
    name: Mapped[str] = mapped_column(String(40), default="")
    created: Mapped[datetime] = mapped_column(Instant)
    seen: Mapped[datetime] = mapped_column(Instant)
    book: Mapped[Book] = relationship(back_populates="keepers")

    def note(self, at: datetime) -> None:
        """The phone writes: remember when, roughly."""
        if at - self.seen > SEEN_EVERY:
            self.seen = at


class Invitation(Base):
    """A key that makes one phone a keeper, once, before it expires; for a while also a code to be spoken."""

    __tablename__ = "invitation"
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id", ondelete="CASCADE"), index=True)
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires: Mapped[datetime] = mapped_column(Instant)
    used: Mapped[datetime | None] = mapped_column(Instant)
    code_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    code_expires: Mapped[datetime | None] = mapped_column(Instant)
    book: Mapped[Book] = relationship()

    @classmethod
    def find(cls, key: str, at: datetime, *, writing: bool = False) -> Invitation | None:
        """The invitation with that key, used or not, before it expires. For writing it is locked."""
        return cls._one(writing, cls.key_hash == hashed(key), cls.expires > at)

    @classmethod
    def find_spoken(cls, code: str, at: datetime, *, writing: bool = False) -> Invitation | None:
        """The invitation with that code, used or not, before the code expires. For writing it is locked."""
        return cls._one(writing, cls.code_hash == hashed(code), cls.code_expires > at)

    @classmethod
    def _one(cls, writing: bool, *conditions: ColumnElement[bool]) -> Invitation | None:
        found = select(cls).where(*conditions)
        return db.session.scalar(found.with_for_update(of=cls) if writing else found)

    def accept(self, phone: str, at: datetime) -> None:
        """Make the phone a keeper and use the invitation up, with its code."""
        self.used = at
        self.book.welcome(phone, at)


class HouseRules(Base):
    """The rules of a table under a name of its own. Changed rules are a new version: games keep theirs."""

    __tablename__ = "house_rules"
    __table_args__ = (UniqueConstraint("book_id", "key", "version"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(names.LONGEST_NAME))
    key: Mapped[str] = mapped_column(String(3 * names.LONGEST_NAME))
    """The name as it is compared: rules of one key are versions of each other."""
    version: Mapped[int]
    rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    created: Mapped[datetime] = mapped_column(Instant)
    book: Mapped[Book] = relationship()

    def value(self) -> Rules:
        """The rules as the game sees them."""
        return _rules(json.dumps(self.rules))


class Player(Base):
    """A person of a book, by a name that nobody else there has."""

    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("book_id", "key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(names.LONGEST_NAME))
    # Folding the case can make a text longer (ß becomes ss, ΐ three characters).
    key: Mapped[str] = mapped_column(String(3 * names.LONGEST_NAME))
    alias_of_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"), index=True)
    """The player that this one was found to be; games keep the row they were played under."""
    book: Mapped[Book] = relationship(back_populates="players")
    alias_of: Mapped[Player | None] = relationship(remote_side="Player.id")

    @property
    def person(self) -> Player:
        """Who this is, under whichever name a game was kept."""
        return self.alias_of or self

    @property
    def shown(self) -> str:
        """The name to show: that of the person."""
        return self.person.name


class Game(Base):
    """One sitting with one set of rules."""

    __tablename__ = "game"
    __table_args__ = (
        UniqueConstraint("book_id", "identity"),
        CheckConstraint("version >= 1", name="version"),
        # What lists ask: a page by date, the running ones, the names to choose from.
        Index("ix_game_by_date", "book_id", "played_on", "id"),
        Index("ix_game_running", "book_id", "finished", "played_on", "id"),
        Index("ix_game_by_rules", "book_id", "rules_name"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id", ondelete="CASCADE"))
    code: Mapped[str] = mapped_column(String(CODE_LENGTH), unique=True)
    action: Mapped[str] = mapped_column(String(64), unique=True)
    """The key of the tap that started it, or of the record it came from."""
    identity: Mapped[str] = mapped_column(String(500))
    """What the game is called in records, here and in every book it is taken to."""
    name: Mapped[str] = mapped_column(String(500), default="")
    note: Mapped[str] = mapped_column(String(500), default="")
    place: Mapped[str] = mapped_column(String(500), default="")
    rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    rules_name: Mapped[str] = mapped_column(String(500), default="")
    """What the rules are called, once more by itself: no list reads the rules of every game for it."""
    plan: Mapped[list[int]] = mapped_column(JSON)
    """The sizes of all hands, played and to come."""
    played_on: Mapped[date]
    started: Mapped[datetime] = mapped_column(Instant)
    touched: Mapped[datetime] = mapped_column(Instant)
    finished: Mapped[datetime | None] = mapped_column(Instant)
    ended_early: Mapped[bool] = mapped_column(default=False)
    scored_as: Mapped[str | None] = mapped_column(String(16))
    """What games have in common whose points can be compared; empty before the end."""
    names_in_previews: Mapped[bool] = mapped_column(default=False)
    """Whether a messenger that shows a preview of the game's link may name its players."""
    watch_code: Mapped[str | None] = mapped_column(String(SPOKEN_LENGTH), unique=True)
    """To be told to who wants to watch; it leads here while the game runs."""
    given: Mapped[list[int] | None] = mapped_column(JSON(none_as_null=True))
    """The final totals by seat of a game without hands, whose totals are all that anybody knows."""
    deleted: Mapped[datetime | None] = mapped_column(Instant, index=True)
    version: Mapped[int] = mapped_column(default=1)
    """Grows with every change; a second writer who slipped past the lock fails on it."""
    book: Mapped[Book] = relationship(back_populates="games")
    seats: Mapped[list[Seat]] = relationship(
        back_populates="game", cascade="all, delete-orphan", order_by="Seat.number"
    )
    hands: Mapped[list[Hand]] = relationship(
        back_populates="game", cascade="all, delete-orphan", order_by="Hand.id"
    )
    adjustments: Mapped[list[Adjustment]] = relationship(
        back_populates="game", cascade="all, delete-orphan", order_by="Adjustment.id"
    )
    changes: Mapped[list[Change]] = relationship(
        cascade="all, delete-orphan", order_by=Change.id, lazy="select"
    )
    __mapper_args__ = {"version_id_col": version, "version_id_generator": False}  # noqa: RUF012 - SQLAlchemy's form

    @classmethod
    def find(cls, code: str, *, writing: bool = False) -> Game | None:
        """The game at an address, with all its rows. For writing it is locked until the transaction ends."""
        # No address of ours is anything but these characters, and PostgreSQL chokes on some others.
        if not _is_code(code):
            return None
        found = whole_games().where(cls.code == code)
        if writing:
            found = found.with_for_update(of=cls)
        return db.session.scalar(found)

    @classmethod
    def version_of(cls, code: str) -> int | None:
        """How often a game has changed: one read of one row, for all the phones that watch.

        It is asked for every second by each of them, so it is put to the driver itself: a fifth of the time.
        """
        if not _is_code(code):
            return None
        connection = db.engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute(_VERSION[db.engine.dialect.paramstyle], (code,))
            found = cursor.fetchone()
        finally:
            connection.close()
        return found and int(found[0])

    @classmethod
    def watched_by(cls, code: str) -> Game | None:
        """The running game with that code to watch it."""
        found = select(cls).where(cls.watch_code == code, cls.finished.is_(None), cls.deleted.is_(None))
        return db.session.scalar(found)

    @classmethod
    def started_by(cls, act: Act) -> Game | None:
        """The game that this very tap has started."""
        return db.session.scalar(select(cls).where(cls.action == act.key("game")))

    # The game as a value

    def sheet(self) -> Sheet:
        """The whole game as the rules see it."""
        seat_numbers = {seat.id: seat.number for seat in self.seats}
        return Sheet(
            rules=_rules(json.dumps(self.rules)),
            names=tuple(seat.player.shown for seat in self.seats),
            plan=tuple(self.plan),
            hands=tuple(hand.value(seat_numbers, len(self.seats)) for hand in self.hands),
            adjustments=tuple(
                AdjustmentValue(each.hand, seat_numbers[each.seat_id], each.points, each.reason)
                for each in self.adjustments
            ),
            ended_early=self.ended_early,
            given=tuple(self.given) if self.given else None,
        )

    @property
    def lasted(self) -> timedelta | None:
        """How long it took; None while it goes on, and where the two moments tell of something else."""
        if self.finished is None:
            return None
        took = self.finished - self.started
        return took if timedelta(minutes=1) <= took <= LONGEST_SITTING else None

    def record(self) -> Record:
        """The game as it is exported."""
        return Record(
            sheet=self.sheet(),
            id=self.identity,
            name=self.name,
            note=self.note,
            place=self.place,
            started=self.started.isoformat(timespec="seconds"),
            finished=self.finished.isoformat(timespec="seconds") if self.finished else "",
            played_on=self.played_on.isoformat(),
        )

    # The verbs

    def name_trump(
        self, act: Act, number: int, trump: Trump, *, was: Trump | None, named_by: int | None = None
    ) -> None:
        """Say what is trump in the open hand, and who won the auction for it where there is one.

        Raises RulesError for a seat that does not play; Stale when another trump stands there by now.
        """
        with self._step(act, "trump", number, named_by, trump) as new:
            if not new:
                return
            hand = self._open(number)
            if _changes("trump", hand.trump, str(trump), was):
                hand.trump = str(trump)
            if named_by is not None:
                hand.named_by = hand.entry(named_by).seat

    def bid(
        self,
        act: Act,
        number: int,
        seat: int,
        bid: int,
        *,
        was: int | None,
        blind: bool = False,
        insist: bool = False,
    ) -> None:
        """Note a bid in the open hand, or change one; `blind` says that the player has not looked.

        Raises IllegalBid; Stale when another bid stands there by now; NeedsConfirming when a bid put right out of
        turn would make the table even against the hook, unless the table insists.
        """
        with self._step(act, "bid", number, seat, [bid, blind]) as new:
            if not new:
                return
            entry = self._open(number).entry(seat)
            if not _changes("bid", entry.bid, bid, was, seat) and entry.is_blind == blind:
                return
            sheet = self.sheet()
            bidding = sheet.bidding(sheet.hands[-1])
            if bidding.hook and bid == bidding.barred(seat) and seat != bidding.last_bidder:
                if not insist:
                    raise NeedsConfirming("hook")
            else:
                bidding.place(seat, bid)
            entry.bid, entry.is_blind = bid, blind

    def rebid(self, act: Act, number: int) -> None:
        """Take all bids of the open hand back, because they came out even and the table bids again."""
        with self._step(act, "rebid", number) as new:
            if not new:
                return
            hand, sheet = self._open(number), self.sheet()
            if sheet.bidding(sheet.hands[-1]).must_rebid:
                for entry in hand.entries:
                    entry.bid, entry.is_blind = None, False

    def count(self, act: Act, number: int, seat: int, tricks: int, *, was: int | None) -> None:
        """Tally tricks while the hand is played. Raises RulesError outside 0 to the cards; Stale."""
        with self._step(act, "tally", number, seat, tricks) as new:
            if not new:
                return
            hand = self._open(number)
            entry = hand.entry(seat)
            if _changes("tally", entry.tally, tricks, was, seat):
                others = sum(each.tally or 0 for each in hand.entries if each is not entry)
                if not 0 <= tricks <= hand.cards - others:
                    raise RulesError(problem("all %(cards)d tricks are given away", cards=hand.cards))
                entry.tally = tricks

    def hand_over(self, act: Act, number: int) -> None:
        """The last trick of the open hand is played. Raises RulesError while somebody has yet to bid."""
        with self._step(act, "over", number) as new:
            if new and not (hand := self._open(number)).is_over:
                self._check_bids_stand()
                hand.is_over = True

    def take(self, act: Act, number: int, seat: int, took: int, *, was: int | None) -> None:
        """Note the tricks of one player; the hand stays open. Raises RulesError outside 0 to the cards; Stale."""
        with self._step(act, "took", number, seat, took) as new:
            if not new:
                return
            hand = self._open(number)
            entry = hand.entry(seat)
            if _changes("took", entry.took, took, was, seat):
                if not 0 <= took <= hand.cards:
                    raise RulesError(problem("tricks are a number from 0 to %(cards)d", cards=hand.cards))
                entry.took = took

    def score(
        self,
        act: Act,
        number: int,
        took: Mapping[int, int],
        *,
        was: Mapping[int, int | None],
        confirmed: bool = False,
        uneven: bool = False,
    ) -> None:
        """Settle the tricks of the open hand and open the next one; `uneven` says that they are meant not to add up.

        Raises RulesError when somebody has yet to bid or the tricks do not add up; NeedsConfirming when everybody is
        said to have made it and nobody has touched a number; Stale when other tricks stand there by now, or the hand
        is closed otherwise.
        """
        with self._step(act, "score", number, None, sorted(took.items())) as new:
            if not new:
                return
            hand = self._dealt(number)
            playing = [entry for entry in hand.entries if not entry.is_absent]
            if hand.is_closed:
                stored = {entry.seat.number: entry.took for entry in playing}
                if stored != dict(took):
                    raise Stale("hand", stored, dict(took))
                return
            if self.ended_early:
                raise Stale("hand", "closed", number)
            self._check_bids_stand()
            for entry in [hand.entry(seat) for seat in took]:
                seat = entry.seat.number
                _changes("took", entry.took, took.get(seat), was.get(seat), seat)
            value = self._value(hand)
            results = tuple(took.get(seat) for seat in range(len(self.seats)))
            if problems := replace(value, is_uneven=uneven).tricks_problems(results):
                raise RulesError(*problems)
            untouched = all(entry.took is None and entry.tally is None for entry in playing)
            if untouched and not confirmed and all(entry.bid == took[entry.seat.number] for entry in playing):
                raise NeedsConfirming("everybody-made-it")
            for entry in playing:
                entry.took = took[entry.seat.number]
            hand.is_uneven = uneven and sum(took.values()) != hand.cards
            hand.is_over = hand.is_closed = True

    # Putting things right

    def correct(self, act: Act, number: int, facts: Facts, *, was: Facts, confirmed: bool = False) -> None:
        """Put the facts of a hand right, of a closed one too. Later hands keep theirs; all points follow.

        Only what differs from `was` is changed, so that two phones may correct different things. Raises Stale where a
        fact is neither what was seen nor what is sent; NeedsConfirming with the problems when the hand then breaks the
        rules; RulesError for what no table can mean, such as more tricks than cards.
        """
        with self._step(act, "correct", number, None, sorted(map(str, facts.items().items()))) as new:
            if not new:
                return
            hand, sheet = self._dealt(number), self.sheet()
            value = self._value(hand)
            stored, seen = Facts.of(value).items(), was.items()
            changed = {
                key: sent
                for key, sent in facts.items().items()
                if sent != seen.get(key) and _changes(key[0], stored.get(key), sent, seen.get(key), key[1])
            }
            if not changed:
                return
            right = self._put_right(value, changed)
            problems = [each for each in sheet.hand_problems(right) if each not in sheet.hand_problems(value)]
            if problems and not confirmed:
                raise NeedsConfirming("correction", *problems)
            hand.dealer = self.seats[right.dealer]
            hand.trump = right.trump and str(right.trump)
            hand.is_uneven = right.is_closed and right.tricks_taken != right.cards
            for entry in hand.entries:
                entry.bid, entry.took = right.bids[entry.seat.number], right.took[entry.seat.number]
                if sum(count or 0 for count in right.tally) > right.cards:
                    entry.tally = None
            if right.cards != hand.cards:
                hand.cards = right.cards
                plan = self._sizes(number)
                self.plan = [*plan[: number - 1], right.cards, *plan[number:]]

    def _put_right(self, hand: HandValue, changed: Mapping[tuple[str, int | None], Any]) -> HandValue:
        """The hand with these facts put right. Raises RulesError for what no table can mean."""

        def by_seat(what: str, stored: Sequence[int | None]) -> tuple[int | None, ...]:
            return tuple(changed.get((what, seat), count) for seat, count in enumerate(stored))

        right = replace(
            hand,
            cards=changed.get(("cards", None), hand.cards),
            dealer=self._seat(changed.get(("dealer", None), hand.dealer)).number,
            trump=changed.get(("trump", None), hand.trump),
            bids=by_seat("bid", hand.bids),
            took=by_seat("took", hand.took),
        )
        if not 1 <= right.cards <= MOST_CARDS:
            raise RulesError(problem("the cards are a whole number from 1 up", "cards"))
        seats = [seat for _, seat in changed if seat is not None]
        for seat in (right.dealer, *seats):
            name = self._seat(seat).player.shown
            if seat not in right.table:
                raise RulesError(problem("%(player)s is not at the table", player=name))
            if seat in right.absent and seat in seats:
                raise RulesError(problem("%(player)s sits this hand out", player=name))
        missing = [seat for seat in right.playing if right.bids[seat] is None]
        if right.is_closed and missing:
            raise RulesError(problem("%(player)s has yet to bid", player=self.seats[missing[0]].player.shown))
        took = right.took if right.is_closed else [count or 0 for count in right.took]
        found = (*self.sheet().bidding(right).problems(), *right.tricks_problems(took))
        if impossible := [each for each in found if "[" in each.place]:
            raise RulesError(*impossible)
        return right

    def void(self, act: Act, number: int, *, seen: int | None = None) -> None:
        """A misdeal: the open hand counts nothing, and the same dealer deals it again.

        `seen` are the misdeals of this hand that were seen before, None for not told; Stale when it was dealt again
        since: two phones that tell of one misdeal do it once.
        """
        with self._step(act, "void", number) as new:
            if not new:
                return
            hand = self._open(number)
            dealt = sum(each.number == number for each in self.hands)
            if seen is not None and seen != dealt - 1:
                raise Stale("hand", dealt - 1, seen)
            hand.voided = dealt

    def put_dealer(self, act: Act, number: int, seat: int, *, was: int) -> None:
        """Put right who deals the open hand; the deal goes on from there."""
        with self._step(act, "dealer", number, seat) as new:
            if new and _changes("dealer", (hand := self._open(number)).dealer.number, seat, was, seat):
                hand.dealer = hand.entry(seat).seat

    def adjust(self, act: Act, number: int, seat: int, points: int, reason: str) -> None:
        """A penalty or a bonus outside the hands, from hand `number` on.

        Raises RulesError for a hand that was not dealt, a seat that is not there, or points beyond a million.
        """
        with self._step(act, "adjust", number, seat, [points, reason]) as new:
            if not new:
                return
            if all(each.number != number for each in self.hands):
                raise RulesError(problem("there is no such hand"))
            self._give(number, self._seat(seat), points, reason)

    def _give(self, number: int, seat: Seat, points: int, reason: str) -> None:
        if abs(points) > MOST_GIVEN:
            raise RulesError(problem("the points are a whole number"))
        if len(reason) > LONGEST_TEXT:
            raise RulesError(problem("this is a text of at most %(most)d characters", most=LONGEST_TEXT))
        self.adjustments.append(Adjustment(hand=number, seat=seat, points=points, reason=reason))

    def drop_adjustment(self, act: Act, adjustment_id: int) -> None:
        """Take a penalty or a bonus away again."""
        with self._step(act, "unadjust", 0, None, adjustment_id) as new:
            for each in self.adjustments if new else ():
                if each.id == adjustment_id:
                    self.adjustments.remove(each)
                    break

    # Who sits at the table

    def join(self, act: Act, name: str, after: int, points: int, reason: str, *, fits: bool = False) -> None:
        """Seat a player after another, with points to start from; somebody who left may come back.

        Who comes when bids are down plays from the next hand. Raises RulesError when the table is full or the player
        is there; NeedsConfirming when coming hands get too large for the pack, which `fits` makes smaller.
        """
        with self._step(act, "join", None, after, [names.key(name), points]) as new:
            if not new:
                return
            hand = self._last_open()
            player = self.book.player(name)
            seat = next((each for each in self.seats if each.player.person is player), None)
            if seat is not None and any(entry.seat is seat for entry in hand.entries):
                raise RulesError(problem("%(name)s is at the table already", name=player.name))
            if seat is None:
                if len(self.seats) >= MOST_PLAYERS:
                    raise RulesError(problem("a game may have %(most)d players", most=MOST_PLAYERS))
                seat = Seat(number=len(self.seats), player=player)
                self.seats.append(seat)
            place = hand.entry_of(after).place + 1
            for entry in hand.entries:
                entry.place += entry.place >= place
            hand.entries.append(Entry(seat=seat, place=place, is_absent=hand.has_bids))
            if points:
                self._give(hand.number, seat, points, reason)
            db.session.flush()
            self._fit_plan(fits)

    def _fit_plan(self, fits: bool) -> None:
        """Make the coming hands fit the pack, if that is wanted."""
        hand, rules = self._last_open(), self.sheet().rules
        players = len(hand.entries)
        most = largest_that_fits(rules.deck.of(players), players)
        first = hand.number if hand.has_bids else hand.number - 1
        plan = self._sizes(first)
        largest = max(plan[first:], default=0)
        if largest <= most:
            return
        trouble = overdealt(1 if most < 1 else largest, players, rules.deck.of(players))
        if trouble and most < 1:
            raise RulesError(trouble)
        if not fits:
            raise NeedsConfirming("plan", *([trouble] if trouble else []))
        self._plan_anew([*plan[:first], *(min(size, most) for size in plan[first:])])

    def _sizes(self, first: int) -> list[int]:
        """The plan, and where the game goes on beyond it, the hands up to the one after hand `first`."""
        sheet = self.sheet()
        last = min(first + 1, MOST_HANDS) if sheet.is_open_ended else 0
        return [sheet.cards_of(number) for number in range(1, max(len(self.plan), last) + 1)]

    def _plan_anew(self, plan: list[int]) -> None:
        """Take another plan; the open hand follows it while nobody has bid."""
        hand, before = self.sheet().open_hand, self.plan
        self.plan = plan
        if hand is None or self.hand(hand.number).has_bids:
            return
        row, rules, players = self.hand(hand.number), self.sheet().rules, len(hand.playing)
        row.cards = rules.cards_of(hand.number, plan)
        # A trump that the table said stays, unless the rules now say something else about a hand of that size.
        trump = rules.trump_of(hand.number, plan, players)
        if trump != rules.trump_of(hand.number, before, players):
            row.trump = trump and str(trump)

    def leave(self, act: Act, seat: int) -> None:
        """A player goes: out of the open hand and of all that come, but not out of the list.

        Raises RulesError when fewer than 2 would stay.
        """
        with self._step(act, "leave", None, seat) as new:
            if not new:
                return
            hand, gone = self._last_open(), self._seat(seat)
            if all(each.seat is not gone for each in hand.entries):
                return
            entry = hand.entry_of(seat)
            if sum(not each.is_absent for each in hand.entries if each is not entry) < 2:
                raise RulesError(problem("a hand needs at least 2 players"))
            if hand.dealer is entry.seat:
                value, direction = self._value(hand), self.sheet().rules.direction
                dealer = next_dealer(value.table, seat, direction, value.table, value.absent)
                hand.dealer = self.seats[dealer]
            if hand.named_by is entry.seat:
                hand.named_by = None
            hand.entries.remove(entry)

    def sit_out(self, act: Act, seat: int, *, out: bool) -> None:
        """A player sits the open hand out, or plays it after all.

        Raises RulesError when fewer than 2 would play, or more than the pack goes round for.
        """
        with self._step(act, "sit-out", None, seat, out) as new:
            if not new:
                return
            hand = self._last_open()
            entry = hand.entry_of(seat)
            if entry.is_absent == out:
                return
            entry.is_absent = out
            players = sum(not each.is_absent for each in hand.entries)
            if players < 2:
                raise RulesError(problem("a hand needs at least 2 players"))
            if out:
                entry.bid = entry.tally = entry.took = None
                entry.is_blind = False
                if hand.named_by is entry.seat:
                    hand.named_by = None
            elif trouble := overdealt(hand.cards, players, self.sheet().rules.deck.of(players)):
                raise RulesError(trouble)
            else:
                # Whoever comes back has yet to bid.
                hand.is_over = False

    def swap(self, act: Act, seat: int, other: int, *, was: Sequence[int]) -> None:
        """Two players swap seats from the open hand on; `was` are the seats around the table as they were seen.

        Raises Stale when they sit otherwise by now: two phones that swap the same pair do it once.
        """
        with self._step(act, "swap", None, seat, [other, *was]) as new:
            if not new:
                return
            hand = self._last_open()
            first, second = hand.entry_of(seat), hand.entry_of(other)
            swapped = [{seat: other, other: seat}.get(each, each) for each in was]
            if _changes("table", list(self._value(hand).table), swapped, list(was)):
                first.place, second.place = second.place, first.place

    def hand_seat_to(self, act: Act, seat: int, name: str, *, was: str | None = None) -> None:
        """Another person takes a seat over, with its points; `was` is who was seen there, None for not told.

        Raises RulesError when that one plays already, Stale when another one sits there by now.
        """
        with self._step(act, "take-over", 0, seat, names.key(name)) as new:
            if not new:
                return
            sits = self._seat(seat).player
            if was is not None and sits.shown != was:
                raise Stale("player", sits.shown, name, seat)
            player = self.newcomer(name)
            db.session.flush()
            self._seat(seat).player = player

    def newcomer(self, name: str) -> Player:
        """The player of that name. Raises RulesError when that one has a seat already, under whatever name."""
        player = self.book.player(name)
        if any(each.player.person is player for each in self.seats):
            raise RulesError(problem("%(name)s is at the table already", name=player.name))
        return player

    # How long it goes on

    def replan(
        self, act: Act, coming: Sequence[int], *, was: Sequence[int] | None = None, over: bool | None = None
    ) -> None:
        """Set the sizes of all hands not yet bid for; a finished game goes on if there are any.

        `was` are the sizes that were seen, `over` whether the game was seen finished; None for not told. Raises
        RulesError with the arithmetic where the pack is too small, and for no hands at all; Stale for other sizes by
        now, or a game that ended or goes on by now.
        """
        with self._step(act, "replan", 0, None, list(coming)) as new:
            if not new:
                return
            sheet, last = self.sheet(), self.hands[-1] if self.hands else None
            is_open = last is not None and not last.is_closed and not last.voided
            settled = len(sheet.played) + (is_open and last is not None and last.has_bids)
            if over is not None and over != bool(sheet.outcome):
                raise Stale("over", bool(sheet.outcome), over)
            if was is not None and (stored := list(sheet.plan[settled:])) not in (list(was), list(coming)):
                raise Stale("plan", ",".join(map(str, stored)), ",".join(map(str, coming)))
            plan = [*self._sizes(settled)[:settled], *coming]
            players = len(last.entries) if last else len(self.seats)
            if problems := [each for each in sheet.rules.problems(players, plan) if each.place != "players"]:
                raise RulesError(*problems)
            if is_open and settled == len(sheet.played) and not coming:
                raise RulesError(problem("a game needs at least 1 hand", "sequence"))
            self.ended_early = False
            self._plan_anew(plan)

    def end(self, act: Act) -> None:
        """End the game now; the hand that is open counts nothing. A game that is over stays as it is."""
        with self._step(act, "end", 0) as new:
            if new and self.finished is None:
                self.ended_early = True

    def reopen(self, act: Act) -> None:
        """Go on with a game that was ended early."""
        with self._step(act, "reopen", 0) as new:
            if new:
                self.ended_early = False

    def tell(self, act: Act, told: About, *, was: About) -> None:
        """Write down what the evening was: its name, place and note, and the day. Only what differs from `was`.

        Raises Stale where a fact is neither what was seen nor what is sent.
        """
        with self._step(act, "about", 0, None, told.facts()) as new:
            if not new:
                return
            stored, seen = vars(About.of(self)), vars(was)
            for fact, sent in vars(told).items():
                if sent != seen[fact] and _changes(fact, stored[fact], sent, seen[fact]):
                    setattr(self, fact, sent)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing but the trump of its first hand was said: such a game can still be set up otherwise."""
        return len(self.hands) == 1 and not self.hands[0].has_bids and not self.adjustments

    def delete(self, at: datetime) -> None:
        """Take the game out of the book. It can be brought back for `KEPT_DELETED`, and is then gone for good."""
        self.deleted = at

    @classmethod
    def purge(cls, at: datetime) -> None:
        """Remove what was deleted long ago, with all its rows and its log."""
        for game in db.session.scalars(select(cls).where(cls.deleted < at - KEPT_DELETED)):
            db.session.delete(game)

    # Back and forth

    def undo(self, act: Act, change_id: int) -> Change | None:
        """Take back the last step, if it is the one meant. Gives the step taken back.

        Raises Stale when something else was done since; RulesError when two seats would be one person by now.
        """
        return self._back_or_forth(act, "undo", self.last_step(), change_id)

    def redo(self, act: Act, change_id: int) -> Change | None:
        """Do the step that was taken back last once more, if it is the one meant.

        Raises Stale when something else was done since, RulesError as `undo` does.
        """
        return self._back_or_forth(act, "redo", self.next_step(), change_id)

    def _back_or_forth(self, act: Act, kind: str, step: Change | None, change_id: int) -> Change | None:
        key = act.key(kind, change_id)
        if self._has(key):
            return None
        if step is None or step.id != change_id:
            raise Stale("step", step and step.id, change_id)
        (take_back if kind == "undo" else do_again)(step.steps)
        step.is_undone = kind == "undo"
        db.session.flush()
        # Everything anew with a few queries, not row by row.
        db.session.expire_all()
        db.session.scalar(whole_games().where(Game.id == self.id))
        for seat in self.seats:
            if any(seat.player.person is each.player.person for each in self.seats[: seat.number]):
                raise RulesError(problem("%(name)s is at the table already", name=seat.player.shown))
        self._log(act, key, kind, step.hand, step.seat, [])
        return step

    def last_step(self) -> Change | None:
        """The step that undo would take back."""
        return db.session.scalar(
            select(Change)
            .where(Change.game_id == self.id, Change.kind.not_in(("undo", "redo")), ~Change.is_undone)
            .order_by(Change.id.desc())
            .limit(1)
        )

    def next_step(self) -> Change | None:
        """The step that redo would do again: the first of those taken back since anything new was done."""
        return db.session.scalar(
            select(Change)
            .where(Change.game_id == self.id, Change.is_undone, ~Change.is_past)
            .order_by(Change.id)
            .limit(1)
        )

    # What the verbs stand on

    def hand(self, number: int) -> Hand:
        """The hand of that number that counts or is open. Raises LookupError if it was not dealt yet."""
        for hand in self.hands:
            if hand.number == number and not hand.voided:
                return hand
        raise LookupError(number)

    def _dealt(self, number: int) -> Hand:
        """The hand of that number. Raises Stale when the step that dealt it was taken back."""
        try:
            return self.hand(number)
        except LookupError:
            raise Stale("hand", None, number) from None

    def _open(self, number: int) -> Hand:
        """The open hand, if that is its number. Raises Stale when it is closed or the game is over."""
        hand = self._dealt(number)
        if hand.is_closed or self.ended_early:
            raise Stale("hand", "closed", number)
        return hand

    def _last_open(self) -> Hand:
        """The open hand. Raises Stale when there is none."""
        if not self.hands or self.hands[-1].is_closed or self.ended_early:
            raise Stale("hand", None, None)
        return self.hands[-1]

    def _seat(self, number: int) -> Seat:
        """A seat of the game. Raises RulesError when there is none of that number."""
        if not 0 <= number < len(self.seats):
            raise RulesError(problem("there is no such seat"))
        return self.seats[number]

    def _value(self, hand: Hand) -> HandValue:
        return hand.value({each.id: each.number for each in self.seats}, len(self.seats))

    def _deal_next(self) -> None:
        """Open the hand that follows, unless one is open or the game is over."""
        if any(not each.is_closed and not each.voided for each in self.hands):
            return
        if following := self.sheet().next_hand():
            self.open_hand(following)

    def open_hand(self, hand: HandValue) -> Hand:
        """Write down a hand with everybody at the table, and give it its number in the database."""
        row = self.write_hand(hand)
        db.session.flush()
        return row

    def write_hand(self, hand: HandValue) -> Hand:
        """Write down a hand with everybody at the table."""
        row = Hand(
            number=hand.number,
            voided=sum(each.number == hand.number for each in self.hands) + 1 if hand.is_void else 0,
            cards=hand.cards,
            dealer=self.seats[hand.dealer],
            trump=hand.trump and str(hand.trump),
            named_by=None if hand.named_by is None else self.seats[hand.named_by],
            is_over=hand.is_over,
            is_closed=hand.is_closed,
            is_uneven=hand.is_uneven,
            note=hand.note,
        )
        for place, seat in enumerate(hand.table):
            row.entries.append(
                Entry(
                    seat=self.seats[seat],
                    place=place,
                    bid=hand.bids[seat],
                    tally=hand.tally[seat] if hand.tally else None,
                    took=hand.took[seat],
                    is_blind=seat in hand.blind,
                    is_absent=seat in hand.absent,
                )
            )
        self.hands.append(row)
        return row

    def replace_name(self, name: str, called: str) -> None:
        """Put another name for a name in all that was written beside the numbers, in the log too."""
        # Where one letter is a name, only the letter as it is written is meant.
        mentioned = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE if len(name) > 2 else 0)

        def without(text: str, longest: int = LONGEST_TEXT) -> str:
            return mentioned.sub(lambda _: called, text)[:longest]

        self.name, self.note, self.place = map(without, (self.name, self.note, self.place))
        for hand in self.hands:
            hand.note = without(hand.note)
        for each in self.adjustments:
            each.reason = without(each.reason)
        written = select(Change).where(Change.game_id == self.id, Change.kind.in_(WITH_WORDS))
        for change in db.session.scalars(written):
            change.steps = [
                [table, row, *(columns and _with_words(columns, without) for columns in facts)]
                for table, row, *facts in change.steps
            ]
        self.version += 1

    def _check_bids_stand(self) -> None:
        """Raise IllegalBid while somebody has yet to bid in the open hand, or must change an even table."""
        sheet = self.sheet()
        bidding = sheet.bidding(sheet.hands[-1])
        if missing := bidding.missing:
            called = ", ".join(sheet.names[seat] for seat in missing)
            raise IllegalBid(
                counted_problem(
                    "%(players)s has yet to bid", "%(players)s have yet to bid", len(missing), players=called
                )
            )
        if not bidding.is_settled:
            raise IllegalBid(problem("the bids add up to the %(cards)d cards", cards=bidding.cards))

    @contextmanager
    def _step(
        self, act: Act, kind: str, hand: int | None, seat: int | None = None, value: object = None
    ) -> Iterator[bool]:
        """Do one thing to the rows, deal the hand that follows from it, and log it.

        Gives False when this very tap has been there before. No `hand`: whichever is the last when the tap comes first.
        """
        key = act.key(kind, hand, seat, value)
        if self._has(key):
            yield False
            return
        if hand is None and self.hands:
            hand = self.hands[-1].number
        with watched() as steps:
            yield True
            db.session.flush()
            self._deal_next()
        if steps:
            # What was taken back before is in the log, but can no longer be done again.
            undone = update(Change).where(Change.game_id == self.id, Change.is_undone)
            db.session.execute(undone.values(is_past=True))
            self._log(act, key, kind, hand, seat, steps)

    def _has(self, key: str) -> bool:
        found = select(Change.id).where(Change.game_id == self.id, Change.action == key)
        return db.session.scalar(found) is not None

    def _log(
        self, act: Act, key: str, kind: str, hand: int | None, seat: int | None, steps: list[Any]
    ) -> None:
        db.session.add(
            Change(
                game_id=self.id,
                action=key,
                kind=kind,
                hand=hand,
                seat=seat,
                at=act.at,
                keeper_id=act.keeper_id,
                steps=steps,
            )
        )
        self.touched = act.at
        self.version += 1
        self.settle(act.at)

    def settle(self, at: datetime) -> None:
        """Store the results of a game that is over: each seat's final total and place, and what statistics ask for.

        They are taken away again when it goes on.
        """
        sheet = self.sheet()
        if sheet.outcome and self.finished is None:
            self.finished = at
        if not sheet.outcome:
            self.finished = None
        for seat in self.seats:
            seat.total = sheet.totals[seat.number] if sheet.outcome else None
            seat.place = sheet.places[seat.number] if sheet.outcome else None
        # While a game goes on there is nothing to take away either, tap after tap.
        if sheet.outcome or self.scored_as is not None:
            self._keep_results(sheet)

    def _keep_results(self, sheet: Sheet) -> None:
        """Store what statistics need and only the rules can tell, for a game that is over; nothing of any other."""
        self.scored_as = scored_as(sheet.rules) if sheet.outcome else None
        for seat in self.seats:
            seat.keep(SeatResult.of(sheet, seat.number) if sheet.outcome else None)
        for hand, value in zip(self.hands, sheet.hands, strict=True):
            hand.keep(HandResult.of(sheet, value) if sheet.outcome and value.counts else None)

    @classmethod
    def settle_rest(cls) -> None:
        """Settle the finished games that have no results yet: they were over before statistics had their columns."""
        found = select(cls.code).where(cls.finished.is_not(None), cls.scored_as.is_(None)).order_by(cls.id)
        for code in db.session.scalars(found).all():
            game = cls.find(code, writing=True)
            if game is not None and game.finished is not None:
                game.settle(game.finished)
            db.session.commit()
            db.session.expunge_all()

    def is_miscounted(self) -> bool:
        """Whether anything stored of a finished game is not what its hands give; the session then holds that."""
        with db.session.no_autoflush:
            self.settle(self.finished or self.touched)
            return any(map(db.session.is_modified, self._rows()))

    def _rows(self) -> Iterator[Base]:
        """The rows that hold results."""
        yield self
        yield from self.seats
        for hand in self.hands:
            yield hand
            yield from hand.entries


class Seat(Base):
    """A player's place in one game. What follows from the hands is empty before the end: `Game.settle` writes it."""

    __tablename__ = "seat"
    __table_args__ = (
        UniqueConstraint("game_id", "number"),
        UniqueConstraint("game_id", "player_id"),
        Index("ix_seat_by_player", "player_id", "game_id"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"))
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    number: Mapped[int]
    """From 0, clockwise as they first sat down."""
    total: Mapped[int | None]
    place: Mapped[int | None]
    bids: Mapped[int | None]
    made: Mapped[int | None]
    run_start: Mapped[int | None]
    """Bids made in a row, as `rules.results.Run` has them."""
    run_best: Mapped[int | None]
    run_end: Mapped[int | None]
    behind: Mapped[int | None]
    """Points behind the leader at the worst."""
    game: Mapped[Game] = relationship(back_populates="seats")
    player: Mapped[Player] = relationship()

    def keep(self, result: SeatResult | None) -> None:
        """Store what the game came to for this player; nothing while it goes on."""
        run = result.run if result else None
        self.made = result.made if result else None
        self.behind = result.behind if result else None
        self.bids = run.tries if run else None
        self.run_start, self.run_best, self.run_end = (
            (run.start, run.best, run.end) if run else (None, None, None)
        )


class Hand(Base):
    """The facts of one hand. From `over` on they are results, written by `Game.settle` as those of a seat are."""

    __tablename__ = "hand"
    __table_args__ = (
        UniqueConstraint("game_id", "number", "voided"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("cards >= 1", name="cards"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"))
    number: Mapped[int]
    voided: Mapped[int] = mapped_column(default=0)
    """0 when it counts; otherwise the how-manieth misdeal of this number it was."""
    cards: Mapped[int]
    # Looked up whenever a seat goes, to see that nothing points to it: without an index that reads every hand.
    dealer_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    trump: Mapped[str | None] = mapped_column(String(8))
    named_by_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"), index=True)
    """Who won the auction for the trump."""
    is_over: Mapped[bool] = mapped_column(default=False)
    is_closed: Mapped[bool] = mapped_column(default=False)
    is_uneven: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str] = mapped_column(String(500), default="")
    over: Mapped[int | None]
    bidders: Mapped[int | None]
    made: Mapped[int | None]
    zeros: Mapped[int | None]
    zeros_made: Mapped[int | None]
    hook_made: Mapped[bool | None]
    """Whether the last bidder made it with a number barred by the hook; empty when none was."""
    game: Mapped[Game] = relationship(back_populates="hands")
    dealer: Mapped[Seat] = relationship(foreign_keys=dealer_id)
    named_by: Mapped[Seat | None] = relationship(foreign_keys=named_by_id)
    entries: Mapped[list[Entry]] = relationship(
        back_populates="hand", cascade="all, delete-orphan", order_by="Entry.place"
    )

    def keep(self, result: HandResult | None) -> None:
        """Store what the hand came to for the whole table; nothing while the game goes on, or of a misdeal."""
        self.over = result.over if result else None
        self.bidders, self.made = (result.bidders, result.made) if result else (None, None)
        self.zeros, self.zeros_made = (result.zeros, result.zeros_made) if result else (None, None)
        self.hook_made = result.hook_made if result else None
        for entry in self.entries:
            entry.turn = result.turns.get(entry.seat.number) if result else None
            entry.is_hooked = result.hooked == entry.seat.number if result else None

    def entry(self, seat: int) -> Entry:
        """What a seat did in this hand. Raises IllegalBid when it does not play it."""
        entry = self.entry_of(seat)
        if entry.is_absent:
            raise IllegalBid(problem("this player does not bid in this hand"))
        return entry

    def entry_of(self, seat: int) -> Entry:
        """The place of a seat at the table, playing or not. Raises IllegalBid when it is not there."""
        for entry in self.entries:
            if entry.seat.number == seat:
                return entry
        raise IllegalBid(problem("this player does not bid in this hand"))

    @property
    def has_bids(self) -> bool:
        """Whether anybody has bid."""
        return any(entry.bid is not None for entry in self.entries)

    def value(self, seat_numbers: Mapping[int, int], seats: int) -> HandValue:
        """The hand as the rules see it."""
        seated = sorted(self.entries, key=lambda entry: entry.place)
        by_seat = {seat_numbers[entry.seat_id]: entry for entry in seated}
        at = [by_seat.get(seat) for seat in range(seats)]
        return HandValue(
            number=self.number,
            cards=self.cards,
            dealer=seat_numbers[self.dealer_id],
            table=tuple(by_seat),
            bids=tuple(each.bid if each else None for each in at),
            took=tuple(each.took if each else None for each in at),
            tally=tuple(each.tally if each else None for each in at),
            absent=frozenset(seat for seat, each in by_seat.items() if each.is_absent),
            trump=Trump(self.trump) if self.trump else None,
            named_by=None if self.named_by_id is None else seat_numbers[self.named_by_id],
            blind=frozenset(seat for seat, each in by_seat.items() if each.is_blind),
            is_over=self.is_over,
            is_closed=self.is_closed,
            is_void=bool(self.voided),
            is_uneven=self.is_uneven,
            note=self.note,
        )


class Entry(Base):
    """One player in one hand: where they sat, what they bid, what they took. NULL is "not yet", zero is zero."""

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("hand_id", "seat_id"),
        CheckConstraint("bid >= 0", name="bid"),
        CheckConstraint("took >= 0", name="took"),
        CheckConstraint("tally >= 0", name="tally"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    hand_id: Mapped[int] = mapped_column(ForeignKey("hand.id", ondelete="CASCADE"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    place: Mapped[int]
    """Clockwise around the table in this hand, from 0."""
    bid: Mapped[int | None]
    tally: Mapped[int | None]
    took: Mapped[int | None]
    is_blind: Mapped[bool] = mapped_column(default=False)
    is_absent: Mapped[bool] = mapped_column(default=False)
    turn: Mapped[int | None]
    """Players after the dealer, who is 0. This and the next are results, written by `Game.settle`."""
    is_hooked: Mapped[bool | None]
    hand: Mapped[Hand] = relationship(back_populates="entries")
    seat: Mapped[Seat] = relationship()


class Adjustment(Base):
    """Points outside the hands, with a reason."""

    __tablename__ = "adjustment"
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"), index=True)
    hand: Mapped[int]
    """The number of the hand it counts from."""
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    points: Mapped[int]
    reason: Mapped[str] = mapped_column(String(500), default="")
    game: Mapped[Game] = relationship(back_populates="adjustments")
    seat: Mapped[Seat] = relationship()


def _with_words(columns: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The columns of a row with the words that somebody wrote changed."""
    return {key: change(value) if key in ("reason", "note") else value for key, value in columns.items()}


def _changes(what: str, stored: Any, sent: Any, was: Any, seat: int | None = None) -> bool:
    """Whether a tap changes a fact. Raises Stale when the fact is neither what was seen nor what is sent."""
    if stored == sent:
        return False
    if stored != was:
        raise Stale(what, stored, sent, seat)
    return True


_VERSION = {
    style: f"SELECT version FROM game WHERE code = {place} AND deleted IS NULL"  # noqa: S608 - a mark, no value
    for style, place in (("qmark", "?"), ("pyformat", "%s"))
}
"""Asks for the version of a game by its code, as each driver wants it."""


def whole_games() -> Select[Game]:
    """Games with all their rows but the log, in a handful of queries."""
    return select(Game).options(
        selectinload(Game.seats).joinedload(Seat.player).joinedload(Player.alias_of),
        selectinload(Game.hands).selectinload(Hand.entries),
        selectinload(Game.adjustments),
    )


def listed_games() -> Select[Game]:
    """Games with what a list shows of them and nothing else: a page reads two queries, however long the games were."""
    return select(Game).options(
        load_only(
            Game.book_id,
            Game.code,
            Game.name,
            Game.note,
            Game.given,
            Game.place,
            Game.rules_name,
            Game.played_on,
            Game.started,
            Game.finished,
        ),
        selectinload(Game.seats).joinedload(Seat.player).joinedload(Player.alias_of),
    )


@lru_cache(maxsize=256)
def _rules(written: str) -> Rules:
    return Rules.read(json.loads(written))


def _is_code(code: str) -> bool:
    return set(code) <= set(CODE_ALPHABET)


def new_code() -> str:
    """A fresh unguessable address."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def new_spoken_code() -> str:
    """A fresh code to be told: no game and no invitation has it."""
    while True:
        code = "".join(secrets.choice(SPOKEN_ALPHABET) for _ in range(SPOKEN_LENGTH))
        games = select(Game.id).where(Game.watch_code == code)
        invitations = select(Invitation.id).where(Invitation.code_hash == hashed(code))
        if db.session.scalar(games) is None and db.session.scalar(invitations) is None:
            return code


def new_key() -> str:
    """A fresh secret of 192 bits."""
    return secrets.token_urlsafe(24)


def hashed(key: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(key.encode()).hexdigest()
