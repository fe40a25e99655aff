"""The tables and the verbs: what is kept, what is refused, and what undo gives back."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from app import create_app
from codes import new_key
from database import Base, begin_writing, db
from log import Act, Change
from models import Book, Entry, Game, Hand, Invitation, Keeper, Player, Seat
from rules import record
from rules.problem import RulesError
from rules.sheet import Phase
from rules.variants import Trump, classic
from rules.verbs import NeedsConfirming, Stale
from sitting import Sitting

NOW = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "tests" / "data" / "games").glob("*.json"))


@pytest.fixture
def game(book):
    """Four players at three hands, hook on, Dmitri deals, so that they bid in seat order."""
    return start(book, plan=(3, 2, 1))


def start(book, plan, hook=True):
    """A game of four with that plan."""
    rules = replace(classic(), sequence=",".join(map(str, plan)), hook=hook)
    game = book.start_game(FOUR, rules, 3, tap(), plan=plan)
    db.session.commit()
    return game


def tap():
    """A tap like no other."""
    return Act(new_key(), NOW)


def play(game, number, bids, took):
    """One hand from the first bid to the next deal."""
    for seat in game.sheet().order(game.sheet().hand(number)):
        game.bid(tap(), number, seat, bids[seat], was=None)
    game.hand_over(tap(), number)
    game.score(tap(), number, dict(enumerate(took)), was=dict.fromkeys(range(len(took))), confirmed=True)
    db.session.commit()


def settled(sheet):
    """What of a sheet is past: its closed hands, without the tallies that nobody keeps."""
    closed = tuple(replace(hand, tally=()) for hand in sheet.hands if hand.is_closed or hand.is_void)
    return replace(sheet, hands=closed)


# The tables


def migrations():
    """Alembic, as `flask migrate` sets it up."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return config


def test_the_migrations_make_the_tables_of_the_models(app, empty):
    """Nothing is in the models that the migrations forgot, nor the other way round."""
    with app.app_context(), db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_the_migrations_go_back_to_nothing_and_forward_again(app, empty):
    """An operator may go back to an empty database and come up again."""
    with app.app_context():
        command.downgrade(migrations(), "base")
        assert db.inspect(db.engine).get_table_names() == ["alembic_version"]
        command.upgrade(migrations(), "head")
        assert set(db.inspect(db.engine).get_table_names()) == {"alembic_version", *Base.metadata.tables}


def test_no_migration_forgets_which_tables_give_no_number_twice(fresh):
    """SQLite changes many a table by copying it, and a copy counts like any other unless it is told."""
    with fresh().app_context():
        made = text("SELECT name FROM sqlite_schema WHERE sql LIKE '% AUTOINCREMENT,%'")
        assert set(db.session.scalars(made)) == {
            table.name
            for table in Base.metadata.sorted_tables
            if table.dialect_options["sqlite"]["autoincrement"]
        }


def test_every_pointer_to_another_row_has_an_index(app, empty):
    """A row that goes is looked for in all that may point to it: without an index that reads every game there is."""
    with app.app_context():
        there = db.inspect(db.engine)
        for table in Base.metadata.sorted_tables:
            found = (*there.get_indexes(table.name), *there.get_unique_constraints(table.name))
            firsts = {each["column_names"][0] for each in found}
            assert {key.parent.name for key in table.foreign_keys} <= firsts, table.name


def test_sqlite_is_set_up_to_lose_nothing(tmp_path):
    """Write-ahead log, every commit on the disk, foreign keys checked, writers wait for each other."""
    app = create_app({"DATA_FOLDER": tmp_path})
    with app.app_context():
        for pragma, value in {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "busy_timeout": 5000,
        }.items():
            assert db.session.scalar(text(f"PRAGMA {pragma}")) == value
        db.engine.dispose()


WRONG_ROWS = {
    "a book with the address of another": lambda game: insert(Book).values(
        code=game.row.book.code, name="", created=NOW
    ),
    "a game with the address of another": lambda game: insert(Game).values(
        **_game(game, code=game.code, action="x")
    ),
    "a game from the same tap": lambda game: insert(Game).values(
        **_game(game, code="x", action=game.row.action)
    ),
    "a game of version zero": lambda game: insert(Game).values(
        **_game(game, code="x", action="x", version=0)
    ),
    "a game in no book": lambda game: insert(Game).values(**_game(game, code="x", action="x", book_id=10**6)),
    "a player of the same name": lambda game: insert(Player).values(
        book_id=game.row.book_id, name="ADA", key="ada"
    ),
    "a person twice at the table": lambda game: insert(Seat).values(
        game_id=game.id, player_id=game.row.seats[0].player_id, number=4
    ),
    "two people on one seat": lambda game: insert(Seat).values(
        game_id=game.id, player_id=game.row.seats[0].player_id, number=1
    ),
    "a hand twice": lambda game: insert(Hand).values(**_hand(game, number=1)),
    "a hand of number zero": lambda game: insert(Hand).values(**_hand(game, number=0)),
    "a hand without cards": lambda game: insert(Hand).values(**_hand(game, cards=0)),
    "a hand that nobody deals": lambda game: insert(Hand).values(**_hand(game, dealer_id=10**6)),
    "a player twice in a hand": lambda game: insert(Entry).values(**_entry(game)),
    "a negative bid": lambda _: db.update(Entry).values(bid=-1),
    "negative tricks": lambda _: db.update(Entry).values(took=-1),
    "a negative tally": lambda _: db.update(Entry).values(tally=-1),
    "an entry of nobody": lambda _: db.update(Entry).values(seat_id=10**6),
    "a tap twice in the log": lambda game: insert(Change).values(
        [{"game_id": game.id, "action": "x", "kind": "bid", "at": NOW, "steps": [], "is_undone": False}] * 2
    ),
    "a phone twice among the keepers": lambda game: insert(Keeper).values(
        book_id=game.row.book_id, key_hash=game.row.book.keepers[0].key_hash, name="", created=NOW, seen=NOW
    ),
    "an invitation into no book": lambda _: insert(Invitation).values(
        book_id=10**6, key_hash="x", expires=NOW
    ),
}


def _game(game, **changed):
    return {
        "book_id": game.row.book_id,
        "name": "",
        "note": "",
        "place": "",
        "rules": {},
        "plan": [1],
        "played_on": NOW.date(),
        "started": NOW,
        "touched": NOW,
        "ended_early": False,
        "version": 1,
        **changed,
    }


def _hand(game, **changed):
    usual = {"game_id": game.id, "number": 2, "voided": 0, "cards": 1, "dealer_id": game.row.seats[0].id}
    return {**usual, "is_over": False, "is_closed": False, "is_uneven": False, "note": "", **changed}


def _entry(game):
    entry = game.row.hands[0].entries[0]
    usual = {"hand_id": entry.hand_id, "seat_id": entry.seat_id, "place": 9}
    return {**usual, "is_blind": False, "is_absent": False}


@pytest.mark.parametrize("wrong", WRONG_ROWS)
def test_the_database_refuses_what_cannot_be(game, wrong):
    """Whatever the code above does, these rows cannot be written."""
    with pytest.raises(IntegrityError):
        db.session.execute(WRONG_ROWS[wrong](game))


def test_a_book_takes_everything_in_it_along(game, rows):
    """Deleting a book leaves no row of its players, games, hands or log."""
    play(game, 1, [1, 0, 1, 0], [1, 0, 2, 0])
    game.row.book.invite(NOW)
    db.session.commit()
    db.session.delete(game.row.book)
    db.session.commit()
    assert {name: found for name, found in rows().items() if found} == {}


# The verbs


def test_a_tap_that_comes_twice_is_one(game):
    """Each verb, sent again with the same tap, does nothing more."""
    taps = {name: tap() for name in ("trump", "bid", "tally", "over", "took", "score")}

    def everything():
        game.name_trump(taps["trump"], 1, Trump.HEARTS, was=Trump.NONE)
        for seat, bid in enumerate((1, 0, 1, 0)):
            game.bid(taps["bid"], 1, seat, bid, was=None)
        game.count(taps["tally"], 1, 0, 1, was=None)
        game.hand_over(taps["over"], 1)
        game.take(taps["took"], 1, 2, 2, was=None)
        game.score(taps["score"], 1, {0: 1, 1: 0, 2: 2, 3: 0}, was={2: 2})
        db.session.commit()

    everything()
    sheet, version, steps = game.sheet(), game.version, len(game.row.changes)
    everything()
    db.session.expire_all()
    assert (game.sheet(), game.version, len(game.row.changes)) == (sheet, version, steps)


def test_a_tap_of_an_older_page_is_stale(game):
    """A tap that saw another value than is stored changes nothing and knows both values."""
    game.bid(tap(), 1, 0, 1, was=None)
    with pytest.raises(Stale) as conflict:
        game.bid(tap(), 1, 0, 2, was=0)
    assert (conflict.value.what, conflict.value.stored, conflict.value.sent) == ("bid", 1, 2)
    assert conflict.value.seat == 0


def test_a_closed_hand_and_one_to_come_are_stale(game):
    """Verbs reach the open hand alone."""
    play(game, 1, [1, 0, 1, 0], [1, 0, 2, 0])
    for number in (1, 3):
        with pytest.raises(Stale):
            game.bid(tap(), number, 0, 1, was=None)


@pytest.mark.parametrize("bid", [-1, 4, 10_000])
def test_a_bid_beyond_the_cards_is_refused(game, bid):
    """The model asks the rules itself, whatever the form let through."""
    with pytest.raises(RulesError, match="0 to 3"):
        game.bid(tap(), 1, 0, bid, was=None)


def test_who_does_not_sit_there_cannot_bid(game):
    """Seat five of a table of four is nobody."""
    with pytest.raises(RulesError, match="does not bid"):
        game.bid(tap(), 1, 4, 1, was=None)


@pytest.mark.parametrize("hook", [True, False])
def test_undo_gives_back_the_very_rows(book, rows, hook):
    """A long walk of taps, some refused, is taken back step by step, each to the rows from before."""
    chance = random.Random(7 + hook)
    game = start(book, (3, 2, 1, 2), hook=hook)
    before, walked = [], 0
    while walked < 50 or game.finished is None:
        walked += 1
        assert walked < 2000
        if before and chance.random() < 0.2:
            game.undo(tap(), game.last_step().id)
            db.session.commit()
            assert rows("hand", "entry") == before.pop()
            continue
        stood, step = rows("hand", "entry"), game.last_step()
        try:
            _some_tap(game, chance)
        except (RulesError, NeedsConfirming, Stale):
            db.session.rollback()
            assert rows("hand", "entry") == stood
            continue
        db.session.commit()
        if game.last_step() != step:
            before.append(stood)
        else:
            assert rows("hand", "entry") == stood
        if game.finished and walked < 50:
            game.undo(tap(), game.last_step().id)
            db.session.commit()
            before.pop()
    while before:
        game.undo(tap(), game.last_step().id)
        db.session.commit()
        assert rows("hand", "entry") == before.pop()
    assert game.last_step() is None


def _some_tap(game, chance):
    """What a table might do next, and sometimes what it should not."""
    hand = game.sheet().open_hand
    if hand is None:
        return
    seat, number = chance.randrange(4), chance.randint(0, hand.cards)
    tally, took = hand.tally[seat], hand.took[seat]
    match chance.choice(("trump", "bid", "bid", "bid", "tally", "over", "took", "score", "score")):
        case "trump":
            game.name_trump(tap(), hand.number, chance.choice(list(Trump)), was=hand.trump)
        case "bid":
            insist = chance.random() < 0.3
            game.bid(tap(), hand.number, seat, number, was=hand.bids[seat], insist=insist)
        case "tally":
            game.count(tap(), hand.number, seat, number, was=tally)
        case "over":
            game.hand_over(tap(), hand.number)
        case "took":
            game.take(tap(), hand.number, seat, number, was=took)
        case "score":
            cuts = sorted(chance.randint(0, hand.cards) for _ in range(3))
            tricks = [b - a for a, b in zip([0, *cuts], [*cuts, hand.cards], strict=True)]
            game.score(tap(), hand.number, dict(enumerate(tricks)), was=dict(enumerate(hand.took)))


def test_the_final_total_and_place_are_stored_and_taken_away(book):
    """They are there from the last hand on, and gone when it is taken back."""
    game = start(book, (1,))
    play(game, 1, [0, 0, 0, 0], [1, 0, 0, 0])
    assert game.finished == NOW
    assert [(seat.total, seat.place) for seat in game.row.seats] == [(0, 4), (10, 1), (10, 1), (10, 1)]
    game.undo(tap(), game.last_step().id)
    db.session.commit()
    assert game.finished is None
    assert {(seat.total, seat.place) for seat in game.row.seats} == {(None, None)}
    assert game.sheet().phase(game.sheet().open_hand) is Phase.TRICKS


@pytest.mark.target("S1")
def test_an_invitation_is_kept_as_a_hash_and_ends(book, rows):
    """No key lies in the database, and after a day it is worth nothing."""
    key = book.invite(NOW)
    db.session.commit()
    assert key not in str(rows())
    assert "the key of a phone" not in str(rows())
    assert Invitation.find(key, NOW + timedelta(hours=23)) is not None
    assert Invitation.find(key, NOW + timedelta(hours=25)) is None


# Records


def test_who_never_played_is_offered_last(book, game):
    """A name that came with a book, or was typed by mistake, stands after everybody who has sat at a table."""
    eline = book.player("Eline")
    db.session.commit()
    assert [each.name for each in book.known_players()] == [*FOUR, eline.name]
    assert eline.id


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_recorded_game_is_kept_whole_and_once(book, path):
    """All twelve games come back as the same sheet, with the recorded totals, and are there once."""
    game_record = record.read(json.loads(path.read_text(encoding="utf-8")))
    game = book.keep_record(game_record, NOW)
    db.session.commit()
    db.session.expire_all()
    assert settled(game.sheet()) == settled(game_record.sheet)
    assert game.sheet().totals == game_record.totals
    assert [seat.total for seat in game.seats] == list(game_record.totals)
    assert book.keep_record(game_record, NOW) is game
    assert db.session.scalar(db.select(db.func.count(Game.id))) == 1


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_game_goes_into_another_book_and_loses_nothing(book, path):
    """Written, read and kept elsewhere, a game is the same sheet on the same day."""
    game = book.keep_record(record.read(json.loads(path.read_text(encoding="utf-8"))), NOW)
    game.note, game.place = "won by a trick", "at the “Ox”"
    db.session.commit()
    written = json.loads(json.dumps(record.write(game.record())))
    other = Book.start("another phone", NOW).keep_record(record.read(written), NOW + timedelta(days=9))
    db.session.commit()
    db.session.expire_all()
    assert settled(other.sheet()) == settled(game.sheet())
    for fact in ("name", "note", "place", "started", "finished", "played_on"):
        assert getattr(other, fact) == getattr(game, fact)
    assert other.code != game.code


@pytest.mark.parametrize("started", ["2026-01-31T00:30:00+02:00", "2026-01-31T23:30:00-05:00"])
def test_a_record_that_tells_no_day_is_of_the_day_it_began_at_the_table(book, started):
    """Half an hour from midnight it is another day in UTC, before it as after it."""
    game = start(book, (3, 2, 1))
    play(game, 1, [1, 0, 1, 0], [1, 0, 2, 0])
    written = record.write(game.row.record()) | {"id": "another evening", "started": started}
    del written["played_on"]
    kept = book.keep_record(record.read(written), NOW)
    assert kept.played_on == date(2026, 1, 31)
    assert kept.started == datetime.fromisoformat(started)


def test_a_running_game_goes_on_from_its_record(book):
    """A record without its last hands is a running game whose next hand is open."""
    game = start(book, (3, 2, 1))
    play(game, 1, [1, 0, 1, 0], [1, 0, 2, 0])
    written = record.write(game.row.record())
    other = Book.start("another phone", NOW).keep_record(record.read(written), NOW).opened()
    db.session.commit()
    assert (other.finished, other.sheet().open_hand.number) == (None, 2)
    play(other, 2, [0, 0, 1, 0], [0, 2, 0, 0])
    assert other.sheet().hand(3).dealer == 1


def test_a_game_that_was_ended_early_stays_ended(book):
    """A record that is finished before its plan is no running game in the book that takes it."""
    game = start(book, (3, 2, 1))
    play(game, 1, [1, 0, 1, 0], [1, 0, 2, 0])
    written = record.write(game.row.record()) | {"finished": "2026-01-31T22:00:00+00:00"}
    other = Book.start("another phone", NOW).keep_record(record.read(written), NOW)
    db.session.commit()
    db.session.expire_all()
    assert other.finished is not None
    assert other.sheet().open_hand is None
    assert [seat.place for seat in other.seats] == [1, 2, 4, 2]


# Two at once


def at_once(*jobs):
    """Run the jobs at the same moment, each in a thread of its own, and give what each returned or raised."""
    gate, results = threading.Barrier(len(jobs)), [None] * len(jobs)

    def run(at):
        gate.wait(timeout=20)
        try:
            results[at] = jobs[at]()
        except Exception as error:  # noqa: BLE001 - the test looks at whatever came
            results[at] = error

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    return results


def bidding_on(app, code, seat, bid):
    """A job: one bid in a request of its own."""

    def job():
        with app.app_context():
            begin_writing()
            Sitting.find(code, writing=True).bid(tap(), 1, seat, bid, was=None)
            db.session.commit()

    return job


def test_bids_made_at_the_same_moment_are_all_kept(app, game):
    """Four phones write down a bid each, at once, and none is lost."""
    results = at_once(*(bidding_on(app, game.code, seat, seat) for seat in range(4)))
    assert results == [None] * 4
    game = Sitting.find(game.code)
    assert game.sheet().hands[0].bids == (0, 1, 2, 3)
    assert game.version == 5
    assert len(game.row.changes) == 4


def test_of_two_bids_for_one_player_the_second_is_told(app, game):
    """Two phones write down different bids of one player: one is kept, the other hears of it."""
    results = at_once(bidding_on(app, game.code, 0, 1), bidding_on(app, game.code, 0, 2))
    stale = [result for result in results if isinstance(result, Stale)]
    assert len(stale) == 1
    assert results.count(None) == 1
    db.session.rollback()
    assert Sitting.find(game.code).sheet().hands[0].bids[0] == stale[0].stored


def test_a_start_tapped_twice_at_the_same_moment_makes_one_game(app, phone):
    """Both answers show the one game; nothing failed on the way."""
    phone.get("/new")
    cookie = phone.client.get_cookie("scorebook").value
    fields = {"act": "the same tap", "do": "start", "order": "own", "plan": "1"}
    fields |= {f"players-{seat}": name for seat, name in enumerate(FOUR)}

    def job():
        client = app.test_client()
        client.set_cookie("scorebook", cookie)
        return client.post("/new", data=fields, headers={"Origin": "http://localhost"})

    first, second = at_once(job, job)
    assert first.status_code == second.status_code == 302
    assert first.location == second.location
    with app.app_context():
        assert db.session.scalar(db.select(db.func.count(Game.id))) == 1
        assert db.session.scalar(db.select(db.func.count(Book.id))) == 1
