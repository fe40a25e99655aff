"""Fill databases with books to measure: one book of 100 games, and one of 2,000 among many with 100,000 in all.

    python -m bench.books [FOLDER]        GAMES=100000 is the number of games of the large database

Every game is legal: bids and tricks are chosen among what the rules allow, points and places are what `rules.sheet`
makes of them. Some evenings have a late joiner, somebody who leaves, a penalty, a misdeal, an uneven hand, or are not
over yet. So many thousand evenings would take hours to play, so a few hundred are played and each is kept many times,
by other people on other days. The log is left empty.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from sqlalchemy import Connection, func, insert, select

from app import create_app
from codes import hashed, new_code, new_key
from database import db, writing
from models import Adjustment as AdjustmentRow
from models import Book, Entry, Game, Player, Seat
from models import Hand as HandRow
from models import Keeper as KeeperRow
from rules import names
from rules.plan import sequence
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Rules, Trump, variants
from sitting import Sitting

SMALL, LARGE = 100, 2_000
"""Games of the two books that are compared."""
PLAYERS = 40
"""Players of the large book."""
USUAL = (60, 9)
"""Games and players of all other books."""
EVENINGS = 400
"""Evenings that are played; all games are copies of them."""
BATCH = 500
"""Games that are written at a time."""
LAST_DAY = datetime(2026, 1, 31, 19, 30, tzinfo=UTC)
FOLDER = Path("test-results/bench")
PLAYED = (
    "classic",
    "up-and-down-the-river",
    "nomination-whist",
    "romanian-whist",
    "boerenbridge",
    "kachuful",
    "wizard",
    "podrida",
    "lowest-wins",
    "selbu-whist",
)
SUITS = (Trump.SPADES, Trump.HEARTS, Trump.DIAMONDS, Trump.CLUBS)
CALLED = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Farid", "Greta")
PLACES = ("", "", "", "", "The Crown", "At Greta's", "Lake house")
NOTES = (
    "",
    "",
    "",
    "",
    "",
    "",
    "Rain all weekend.",
    "The rematch of last month, and nobody had asked for it.",
)


# One evening


def evening(chance: random.Random) -> Sheet:
    """A game as a table might have played it, to its end or up to some bid."""
    rules = variants()[chance.choice(PLAYED)]
    fewest, most = max(rules.players[0], 3), min(rules.players[1], 7)
    players = chance.choice([size for size in (3, 4, 4, 4, 5, 5, 6, 7) if fewest <= size <= most])
    sheet = Sheet(rules, CALLED[:players], _plan(rules, players, chance))
    seats = tuple(range(players))
    joins = chance.randint(2, 4) if players > fewest and chance.random() < 0.08 else 0
    leaves = chance.randint(3, 6) if players > max(fewest, 3) and chance.random() < 0.04 else 0
    stops = chance.randint(1, len(sheet.plan)) if chance.random() < 0.05 else 0
    ends = chance.randint(2, len(sheet.plan)) if len(sheet.plan) > 2 and chance.random() < 0.03 else 0
    table = seats[:-1] if joins else seats
    hand: Hand | None = replace(sheet.first_hand(chance.choice(table)), table=table)
    while hand is not None:
        if hand.number == stops:
            bids = chance.randrange(len(hand.playing))
            return replace(sheet, hands=(*sheet.hands, _bid(sheet, hand, chance, bids)))
        played = _take(_bid(sheet, hand, chance), chance)
        voided = (replace(hand, is_void=True),) if chance.random() < 0.01 else ()
        sheet = replace(sheet, hands=(*sheet.hands, *voided, played))
        if chance.random() < 0.01:
            sheet = _given(sheet, hand.number, chance.choice(hand.playing), -10, "spoke")
        table = hand.table
        if hand.number + 1 == joins:
            table = seats
            sheet = _given(sheet, joins, seats[-1], min(sheet.totals[:-1]), "start")
        if hand.number + 1 == leaves:
            table = tuple(seat for seat in table if seat != 1)
        if hand.number == ends:
            return replace(sheet, ended_early=True)
        hand = sheet.next_hand(table)
    return sheet


def _plan(rules: Rules, players: int, chance: random.Random) -> tuple[int, ...]:
    """The usual plan of these rules, or a short one of the table."""
    if chance.random() < 0.6:
        return rules.plan(players)
    largest = rules.largest_hand(players)
    written = chance.choice(("1..5", "5..1", "1..5,4..1", "7..1"))
    return tuple(min(size, largest) for size in sequence(written, largest=largest, players=players))


def _bid(sheet: Sheet, hand: Hand, chance: random.Random, most: int | None = None) -> Hand:
    """The hand with its trump and with so many bids, or with all of them, each one that the rules allow."""
    if hand.trump is None and sheet.asks_trump_first:
        hand = replace(hand, trump=chance.choice(SUITS))
    bidding = sheet.bidding(hand)
    while (seat := bidding.next_bidder) is not None and len(bidding.bids) != most:
        fair = hand.cards / len(hand.playing)
        legal = bidding.legal_bids(seat)
        bidding = bidding.place(seat, min(legal, key=lambda bid: abs(bid - chance.gauss(fair, 1))))
    bids = tuple(bidding.bids.get(seat) for seat in range(len(sheet.names)))
    return replace(hand, bids=bids)


def _take(hand: Hand, chance: random.Random) -> Hand:
    """The hand played: the tricks are given away one by one, more of them to those who still need some."""
    took = dict.fromkeys(hand.playing, 0)
    is_uneven = hand.cards > 1 and chance.random() < 0.005
    for _trick in range(hand.cards - is_uneven):
        needs = [0.3 + max((hand.bids[seat] or 0) - tricks, 0) for seat, tricks in took.items()]
        took[chance.choices(hand.playing, needs)[0]] += 1
    return replace(
        hand,
        took=tuple(took.get(seat) for seat in range(len(hand.bids))),
        is_over=True,
        is_closed=True,
        is_uneven=is_uneven,
    )


def _given(sheet: Sheet, hand: int, seat: int, points: int, reason: str) -> Sheet:
    return replace(sheet, adjustments=(*sheet.adjustments, Adjustment(hand, seat, points, reason)))


# Many evenings in a database


@dataclass(frozen=True)
class Played:
    """An evening with what is stored of it: the final totals and places, or nothing while it goes on."""

    sheet: Sheet
    rules: dict[str, Any]
    totals: Sequence[int | None]
    places: Sequence[int | None]

    @classmethod
    def of(cls, sheet: Sheet) -> Played:
        """What `Sitting.settle` would store."""
        nothing = (None,) * len(sheet.names)
        over = sheet.outcome is not None
        return cls(
            sheet, sheet.rules.write(), sheet.totals if over else nothing, sheet.places if over else nothing
        )


class Rows:
    """Rows that wait to be written many at a time, with numbers of their own from what the database has on."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.waiting: dict[Any, list[dict[str, Any]]] = {
            table: [] for table in (Game, Seat, HandRow, Entry, AdjustmentRow)
        }
        self.numbers = {
            table: count((connection.scalar(select(func.max(table.id))) or 0) + 1) for table in self.waiting
        }

    def add(self, table: Any, **columns: Any) -> int:
        """Remember a row; gives its number."""
        number = next(self.numbers[table])
        self.waiting[table].append({"id": number, **columns})
        return number

    def write(self) -> None:
        """Write what waits."""
        for table, rows in self.waiting.items():
            if rows:
                self.connection.execute(insert(table), rows)
                if self.connection.dialect.name == "postgresql":
                    # It counts by itself what it is not told, and is to go on from here.
                    counter = func.pg_get_serial_sequence(table.__tablename__, "id")
                    self.connection.execute(select(func.setval(counter, rows[-1]["id"])))
                rows.clear()


def fill(connection: Connection, books: Sequence[tuple[int, int]], seed: int = 1) -> Iterator[int]:
    """Write books of so many games and players each; gives after each batch how many games there are by now."""
    chance = random.Random(seed)
    played = [Played.of(evening(chance)) for _ in range(min(EVENINGS, sum(games for games, _ in books)))]
    # A book has few running games, however many it has in all.
    finished = [each for each in played if each.sheet.outcome]
    done = 0
    rows = Rows(connection)
    for games, players in books:
        book, people = _book(connection, players)
        for at in range(games):
            day = LAST_DAY - timedelta(days=4 * (games - 1 - at), minutes=chance.randrange(60))
            among = played if games - at <= 40 else finished
            _keep(rows, book, people, chance.choice(among), day, chance)
            done += 1
            if done % BATCH == 0:
                rows.write()
                yield done
    rows.write()
    yield done


def _book(connection: Connection, players: int) -> tuple[int, list[int]]:
    """A book that nobody keeps yet, and its players."""
    start = LAST_DAY - timedelta(days=10_000)
    book = connection.execute(
        insert(Book).values(code=new_code(), name="", created=start, is_shared=False)
    ).inserted_primary_key
    assert book is not None
    connection.execute(
        insert(KeeperRow).values(
            book_id=book[0], key_hash=hashed(new_key()), name="", created=start, seen=start
        )
    )
    letters = ("", *(f" {letter}." for letter in ascii_uppercase))
    called = [f"{CALLED[at % len(CALLED)]}{letters[at // len(CALLED)]}" for at in range(players)]
    connection.execute(
        insert(Player), [{"book_id": book[0], "name": each, "key": names.key(each)} for each in called]
    )
    people = connection.scalars(select(Player.id).where(Player.book_id == book[0]).order_by(Player.id)).all()
    return book[0], list(people)


def _keep(
    rows: Rows, book: int, people: list[int], played: Played, day: datetime, chance: random.Random
) -> None:
    """One evening as a game of that book, by some of its people."""
    sheet, code = played.sheet, new_code()
    end = day + timedelta(minutes=2 + 9 * len(sheet.hands))
    game = rows.add(
        Game,
        book_id=book,
        code=code,
        action=hashed(code),
        identity=code,
        name="Final" if chance.random() < 0.02 else "",
        note=chance.choice(NOTES),
        place=chance.choice(PLACES),
        rules=played.rules,
        rules_name=sheet.rules.name,
        plan=list(sheet.plan),
        played_on=day.date(),
        started=day,
        touched=end,
        finished=end if sheet.outcome else None,
        ended_early=sheet.ended_early,
        deleted=None,
        version=1,
    )
    # The first of a book come most often.
    sat = chance.sample(
        people[: max(len(sheet.names), len(people) // (1 + chance.randrange(3)))], len(sheet.names)
    )
    seats = [
        rows.add(
            Seat,
            game_id=game,
            player_id=player,
            number=number,
            total=played.totals[number],
            place=played.places[number],
        )
        for number, player in enumerate(sat)
    ]
    voided: dict[int, int] = {}
    for hand in sheet.hands:
        if hand.is_void:
            voided[hand.number] = voided.get(hand.number, 0) + 1
        row = rows.add(
            HandRow,
            game_id=game,
            number=hand.number,
            voided=voided[hand.number] if hand.is_void else 0,
            cards=hand.cards,
            dealer_id=seats[hand.dealer],
            trump=hand.trump and str(hand.trump),
            named_by_id=None,
            is_over=hand.is_over,
            is_closed=hand.is_closed,
            is_uneven=hand.is_uneven,
            note="",
        )
        for place, seat in enumerate(hand.table):
            rows.add(
                Entry,
                hand_id=row,
                seat_id=seats[seat],
                place=place,
                bid=hand.bids[seat],
                tally=None,
                took=hand.took[seat],
                is_blind=False,
                is_absent=False,
            )
    for each in sheet.adjustments:
        rows.add(
            AdjustmentRow,
            game_id=game,
            hand=each.hand,
            seat_id=seats[each.seat],
            points=each.points,
            reason=each.reason,
        )


def books_of(games: int) -> list[tuple[int, int]]:
    """The books of the large database, each with its games and players: the large one, and many usual ones."""
    large = min(LARGE, games)
    usual = [USUAL] * ((games - large) // USUAL[0])
    rest = (games - large) % USUAL[0]
    return [(large, PLAYERS), *usual, *([(rest, USUAL[1])] if rest else [])]


def make(folder: Path, books: Sequence[tuple[int, int]]) -> None:
    """A database with these books in a folder, unless it is there already."""
    wanted = sum(games for games, _ in books)
    app = create_app(
        {"DATA_FOLDER": folder, "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder.absolute()}/scorebook.sqlite"}
    )
    app.test_cli_runner().invoke(args=["migrate"], catch_exceptions=False)
    with app.app_context():
        there = db.session.scalar(select(func.count(Game.id))) or 0
        db.session.rollback()
        if there == wanted:
            print(f"{folder}: {there:,} games are there already")
            return
        if there:
            raise SystemExit(f"{folder} has {there:,} games instead of {wanted:,}: remove it first")
        began = time.monotonic()
        with writing(), db.engine.connect() as connection:
            for done in fill(connection, books):
                connection.commit()
                print(f"\r{folder}: {done:,} of {wanted:,} games", end="", flush=True)
        settle_largest()
        print(f", {time.monotonic() - began:.0f} s")
        db.engine.dispose()


def settle_largest() -> None:
    """Let the app itself write what statistics stand on, in the book that is measured."""
    games = select(Game.book_id).group_by(Game.book_id).order_by(func.count(Game.id).desc()).limit(1)
    largest = games.scalar_subquery()
    found = select(Game.code).where(Game.book_id == largest, Game.finished.is_not(None))
    for at, code in enumerate(db.session.scalars(found).all(), start=1):
        game = Sitting.find(code)
        if game is not None and game.finished is not None:
            game.settle(game.finished)
        if at % BATCH == 0:
            db.session.commit()
            db.session.expunge_all()
    db.session.commit()


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    make(where / "small", [(SMALL, USUAL[1])])
    make(where / "large", books_of(int(os.environ.get("GAMES", "100000"))))
