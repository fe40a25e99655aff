"""The tables, and what a book can do: its phones, its people, its games.

Rows hold facts only: who sat where, who dealt, what was bid and taken. Points are computed by `rules.sheet`; stored of
them are the results of finished games, which `kept.results` works out and `Sitting.settle` writes. What is done in a
game is done by a `Sitting`: it reads the rows as one value, and writes the difference.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
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

from codes import CODE_LENGTH, SPOKEN_LENGTH, hashed, is_code, new_code, new_key, random_spoken_code
from database import LOCK, Base, Instant, db
from kept import read, rules_of
from log import Act, Change
from rules import names
from rules.bookfile import BookFile, Person
from rules.problem import Problem, RulesError, problem
from rules.record import LONGEST_TEXT, Record
from rules.sheet import Sheet
from rules.variants import Rules
from sitting import Sitting, Writer

INVITED_FOR = timedelta(hours=24)
SPOKEN_FOR = timedelta(minutes=10)
LONGEST_SITTING = timedelta(hours=12)
"""Two moments further apart say nothing about how long a game took."""
PORTION = 50
"""So many whole games are read at a time where all are wanted."""
WITH_WORDS = ("adjust", "unadjust", "join", "about")
"""The kinds of changes that hold words which somebody wrote."""
WORDS = {"game": ("name", "place", "note"), "hand": ("note",), "adjustment": ("reason",)}
"""The columns that hold them, by table."""
KEPT_DELETED = timedelta(days=7)
"""So long a deleted game can be brought back."""
LARGEST_ID = 2**31 - 1
"""PostgreSQL refuses to look for a larger one."""
NO_NUMBER_TWICE = {"sqlite_autoincrement": True}
"""For tables whose row numbers are remembered by the log, or by forms that are open on phones.

SQLite would give the number of the last row that goes to the next one that comes; PostgreSQL never does.
"""


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
            found = found.with_for_update(of=cls, **LOCK)
        return db.session.scalar(found) if is_code(code) else None

    @classmethod
    def recovered_by(cls, key: str, *, writing: bool = False) -> Book | None:
        """The book whose recovery link has that key. For writing it is locked: the link may be replaced just now."""
        found = select(cls).where(cls.recovery_hash == hashed(key))
        return db.session.scalar(found.with_for_update(of=cls, **LOCK) if writing else found)

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

    def remove(self, keeper: Keeper, by: Keeper) -> None:
        """Take the right to write from a phone. Raises RulesError where nobody could ever write again.

        Where another phone takes it, invitations are dead, too: the first one could come back by one that it made.
        """
        if self.recovery_hash is None and len(self.phones()) == 1:
            raise RulesError(
                problem(
                    "this is the only phone that keeps the book: add another, or make a recovery link first"
                )
            )
        db.session.delete(keeper)
        if keeper is not by:
            db.session.execute(delete(Invitation).where(Invitation.book_id == self.id))

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
        if player.name != name:
            player.name, player.key = name, names.key(name)
            self._show_anew(player)

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
        self._show_anew(player)

    def part(self, player: Player) -> None:
        """Undo a merge: the name is a person of its own again."""
        if player.alias_of is not None:
            player.alias_of = None
            self._show_anew(player)

    def _show_anew(self, player: Player) -> None:
        """Another name stands in the games of a player from now on: each of them has changed."""
        names_of = select(Player.id).where((Player.id == player.id) | (Player.alias_of_id == player.id))
        seated = select(Seat.game_id).where(Seat.player_id.in_(names_of))
        db.session.execute(update(Game).where(Game.id.in_(seated)).values(version=Game.version + 1))

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
            .order_by(last.desc().nulls_last(), Player.id)
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
        """The games that are not over with their seats, the one touched last first; `most` of them at the most."""
        return db.session.scalars(
            listed_games()
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
    ) -> Sitting:
        """A new game with its first hand dealt; the one already there if this very tap has started it.

        `called` are tidied names in seat order, clockwise; `dealer` is a seat. Raises RulesError when these rules do
        not allow that many players or that plan.
        """
        if game := Game.started_by(act):
            return game.opened()
        Game.purge(act.at)
        plan = tuple(plan) if plan is not None else None
        if problems := rules.problems(len(called), plan):
            raise RulesError(*problems)
        game = self._new_game(called, rules, plan or rules.plan(len(called)), act.at, act.key("game"))
        game.played_on = played_on or act.at.date()
        sitting = game.opened()
        sitting.deal(sitting.sheet().first_hand(dealer))
        return sitting

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
        # The day that it was where they played, which in UTC may be another.
        game.played_on = on or (datetime.fromisoformat(record.started) if record.started else at).date()
        sitting = game.opened()
        sitting.fill(sheet)
        sitting.settle(_instant(record.finished) or day or at)
        if following := sitting.sheet().next_hand(record.table):
            sitting.deal(following)
        # Read now what was written beside it: after the commit nothing is asked of the database any more.
        db.session.refresh(game)
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
            player = self.player(name)
            if any(each.player.person is player for each in game.seats):
                raise RulesError(problem("%(name)s is at the table already", name=player.name))
            game.seats.append(Seat(number=number, player=player))
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
            found = db.session.scalars(select(Game).where(Game.id.in_(portion)))
            games, kept = {each.id: each for each in found}, read(portion)
            for number in portion:
                if (game := games.get(number)) is not None and number in kept:
                    yield game.record(kept[number].sheet)
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
        games = db.session.scalars(select(Game).where(Game.id.in_(seated))).all()
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
    __table_args__ = (UniqueConstraint("book_id", "key_hash"), NO_NUMBER_TWICE)
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("book.id", ondelete="CASCADE"))
    key_hash: Mapped[str] = mapped_column(String(64), index=True)
    name: Mapped[str] = mapped_column(String(40), default="")
    created: Mapped[datetime] = mapped_column(Instant)
    seen: Mapped[datetime] = mapped_column(Instant)
    book: Mapped[Book] = relationship(back_populates="keepers")

    def note(self, at: datetime) -> None:
        """The phone writes: remember when, roughly."""
        Writer(self.id, self.seen).note(at)


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
        return db.session.scalar(found.with_for_update(of=cls, **LOCK) if writing else found)

    def accept(self, phone: str, at: datetime) -> None:
        """Make the phone a keeper and use the invitation up, with its code."""
        self.used = at
        self.book.welcome(phone, at)


class HouseRules(Base):
    """The rules of a table under a name of its own. Changed rules are a new version: games keep theirs."""

    __tablename__ = "house_rules"
    __table_args__ = (UniqueConstraint("book_id", "key", "version"), NO_NUMBER_TWICE)
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
        return rules_of(json.dumps(self.rules))


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
    """Grows with every change of anything that a page of the game shows: what is kept in memory is kept under it."""
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
        """The row of the game at an address. For writing it is locked until the transaction ends."""
        if not is_code(code):
            return None
        found = select(cls).where(cls.code == code)
        if writing:
            found = found.with_for_update(of=cls, **LOCK)
        return db.session.scalar(found)

    @classmethod
    def version_of(cls, code: str) -> int | None:
        """How often a game has changed: one read of one row, for all the phones that watch.

        It is asked for every second by each of them, so it is put to the driver itself: a fifth of the time.
        """
        if not is_code(code):
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

    def opened(self) -> Sitting:
        """The game as it is kept at the table."""
        db.session.flush()
        return Sitting.fresh(self.code)

    def sheet(self) -> Sheet:
        """The whole game as the rules see it, read as it is stored now."""
        return read([self.id])[self.id].sheet

    @property
    def lasted(self) -> timedelta | None:
        """How long it took; None while it goes on, and where the two moments tell of something else."""
        if self.finished is None:
            return None
        took = self.finished - self.started
        return took if timedelta(minutes=1) <= took <= LONGEST_SITTING else None

    @property
    def winners(self) -> list[Seat]:
        """Who won, of a game that is over; nobody where it was ended before a hand counted."""
        is_known = self.given is not None or any(seat.bids for seat in self.seats)
        return [seat for seat in self.seats if seat.place == 1 and is_known]

    def record(self, sheet: Sheet | None = None) -> Record:
        """The game as it is exported; `sheet` where that is known already."""
        return Record(
            sheet=sheet or self.sheet(),
            id=self.identity,
            name=self.name,
            note=self.note,
            place=self.place,
            started=self.started.isoformat(timespec="seconds"),
            finished=self.finished.isoformat(timespec="seconds") if self.finished else "",
            played_on=self.played_on.isoformat(),
        )

    def delete(self, at: datetime) -> None:
        """Take the game out of the book. It can be brought back for `KEPT_DELETED`, and is then gone for good."""
        self.deleted = at

    @classmethod
    def purge(cls, at: datetime) -> None:
        """Remove what was deleted long ago, with all its rows and its log."""
        for game in db.session.scalars(select(cls).where(cls.deleted < at - KEPT_DELETED)):
            db.session.delete(game)

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
                [table, row, *(columns and _with_words(table, columns, without) for columns in facts)]
                for table, row, *facts in change.steps
            ]
        self.version += 1

    @classmethod
    def settle_rest(cls) -> None:
        """Settle the finished games that have no results yet: they were over before statistics had their columns."""
        found = select(cls.code).where(cls.finished.is_not(None), cls.scored_as.is_(None)).order_by(cls.id)
        for code in db.session.scalars(found).all():
            sitting = Sitting.find(code, writing=True)
            if sitting is not None and sitting.finished is not None:
                sitting.settle(sitting.finished)
            db.session.commit()
            db.session.remove()


class Seat(Base):
    """A player's place in one game. What follows from the hands is empty before the end: `Sitting.settle` writes it."""

    __tablename__ = "seat"
    __table_args__ = (
        UniqueConstraint("game_id", "number"),
        UniqueConstraint("game_id", "player_id"),
        Index("ix_seat_by_player", "player_id", "game_id"),
        NO_NUMBER_TWICE,
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


class Hand(Base):
    """The facts of one hand. From `over` on they are results, written by `Sitting.settle` as those of a seat are."""

    __tablename__ = "hand"
    __table_args__ = (
        UniqueConstraint("game_id", "number", "voided"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("cards >= 1", name="cards"),
        NO_NUMBER_TWICE,
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


class Entry(Base):
    """One player in one hand: where they sat, what they bid, what they took. NULL is "not yet", zero is zero."""

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("hand_id", "seat_id"),
        CheckConstraint("bid >= 0", name="bid"),
        CheckConstraint("took >= 0", name="took"),
        CheckConstraint("tally >= 0", name="tally"),
        NO_NUMBER_TWICE,
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
    """Players after the dealer, who is 0. This and the next are results, written by `Sitting.settle`."""
    is_hooked: Mapped[bool | None]
    hand: Mapped[Hand] = relationship(back_populates="entries")
    seat: Mapped[Seat] = relationship()


class Adjustment(Base):
    """Points outside the hands, with a reason."""

    __tablename__ = "adjustment"
    __table_args__ = NO_NUMBER_TWICE
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"), index=True)
    hand: Mapped[int]
    """The number of the hand it counts from."""
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    points: Mapped[int]
    reason: Mapped[str] = mapped_column(String(500), default="")
    game: Mapped[Game] = relationship(back_populates="adjustments")
    seat: Mapped[Seat] = relationship()


def _with_words(table: str, columns: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """The columns of a row with the words that somebody wrote changed."""
    written = WORDS.get(table, ())
    return {key: change(value) if key in written else value for key, value in columns.items()}


_VERSION = {
    style: f"SELECT version FROM game WHERE code = {place} AND deleted IS NULL"  # noqa: S608 - a mark, no value
    for style, place in (("qmark", "?"), ("pyformat", "%s"))
}
"""Asks for the version of a game by its code, as each driver wants it."""


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
            Game.touched,
        ),
        selectinload(Game.seats).joinedload(Seat.player).joinedload(Player.alias_of),
    )


def new_spoken_code() -> str:
    """A fresh code to be told: no game and no invitation has it."""
    while True:
        code = random_spoken_code()
        games = select(Game.id).where(Game.watch_code == code)
        invitations = select(Invitation.id).where(Invitation.code_hash == hashed(code))
        if db.session.scalar(games) is None and db.session.scalar(invitations) is None:
            return code
