"""What is kept in memory: it is never old, and a page without it is the same page."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from markupsafe import Markup
from sqlalchemy.exc import IntegrityError

import sitting
from codes import new_key
from database import db
from kept import MOST_KEPT, Memory, memory
from log import Act
from models import Book
from rules.sheet import Sheet
from rules.variants import classic
from rules.verbs import About
from sitting import Sitting
from views.drawn import Pieces, pieces

PAGES = ("", "/hands/1", "/hands/2", "/board", "/log", "/rules", "/table")


def shown(phone, code, page):
    """A page, without what is another each time it is asked for: the ids of its forms, and the moment."""
    text = phone.client.get(f"/g/{code}{page}", follow_redirects=True).text
    text = re.sub(r'name="act" value="[^"]+"', "", text)
    return re.sub(r'data-as-of="[^"]+"|<p class="stale-note".*?</p>', "", text, flags=re.DOTALL)


@pytest.fixture
def check(table, other_phone):
    """Compares every page, for a keeper and for a watcher, with what it is without anything in memory."""
    seen = []

    def compare():
        phones = (table.phone, other_phone)
        first = [shown(phone, table.code, page) for phone in phones for page in PAGES]
        memory.clear()
        pieces.clear()
        assert [shown(phone, table.code, page) for phone in phones for page in PAGES] == first
        # Nothing that is never seen could be old.
        assert first not in seen
        seen.append(first)

    return compare


def evening(table):
    """Steps of every kind, one after the other, each of which changes what is shown."""
    table.trump("hearts")
    yield
    table.bid_one(1)
    yield
    table.undo()
    yield
    table.bid(1, 1, 0).over()
    yield
    table.took(1, 0, 1)
    yield
    for verb in (
        lambda game: game.adjust(tap(), 1, 0, -5, "late"),
        lambda game: game.drop_adjustment(tap(), game.given[0][0]),
        lambda game: game.swap(tap(), 0, 1, was=game.sheet().hands[-1].table),
        lambda game: game.join(tap(), "Dmitri", 0, 3, "start"),
        lambda game: game.leave(tap(), 2),
        lambda game: game.hand_seat_to(tap(), 1, "Eline"),
        lambda game: game.replan(tap(), (2, 1)),
        lambda game: game.tell(tap(), named("Late evening", game), was=game.about),
        lambda game: game.row.book.rename(game.row.seats[0].player, "Adele"),
        lambda game: game.row.book.merge(game.row.seats[2].player, greta(game.row.book)),
        lambda game: game.row.book.part(game.row.seats[2].player),
        lambda game: setattr(game.row.book, "is_shared", True),
        lambda game: game.row.book.forget(game.row.seats[3].player, lambda number: f"Player {number}"),
        lambda game: game.end(tap()),
        lambda game: game.undo(tap(), game.last_step().id),
        lambda game: game.redo(tap(), game.next_step().id),
        lambda game: game.reopen(tap()),
    ):
        with table.phone.client.application.app_context():
            verb(Sitting.find(table.code, writing=True))
            db.session.commit()
        yield


def tap():
    """A tap like no other."""
    return Act(new_key(), datetime.now(UTC))


def greta(book):
    """Somebody who never sat at a table with anybody."""
    player = book.player("Greta")
    db.session.flush()
    return player


def named(name, game):
    """What is told of the evening, under another name."""
    return About(name, game.about.place, game.about.note, game.about.played_on)


@pytest.mark.pages
def test_no_page_is_ever_old(table, check):
    """After each step, whoever took it, all pages are what they are when everything is read and drawn anew."""
    table.start("Ada", "Bruno", "Chiara", order="own", plan="2,3,1")
    check()
    for _step in evening(table):
        check()


def test_what_was_rolled_back_is_not_remembered(app, empty):
    """A step that was not stored for good is in nobody's memory, and the next one is taken from what is stored."""
    now = datetime.now(UTC)
    with app.app_context():
        book = Book.start("the key of a phone", now)
        code = book.start_game(("Ada", "Bruno", "Chiara"), classic(), 0, Act(new_key(), now), plan=(1,)).code
        db.session.commit()
        game = Sitting.find(code, writing=True)
        game.adjust(Act(new_key(), now), 1, 0, 5, "")
        db.session.rollback()
        assert Sitting.find(code).sheet().totals == (0, 0, 0)
        # The same version and the same moment, with other points.
        Sitting.find(code, writing=True).adjust(Act(new_key(), now), 1, 0, 7, "")
        db.session.commit()
        assert Sitting.find(code).sheet().totals == (7, 0, 0)
        db.session.remove()


def test_a_tap_twice_in_one_transaction_and_other_refusals_are_not_hushed_up(app, empty, monkeypatch):
    """What was done before in the transaction would be lost unseen; and not every refusal is a tap that came twice."""
    now, once = datetime.now(UTC), Act(new_key(), datetime.now(UTC))
    with app.app_context():
        book = Book.start("the key of a phone", now)
        code = book.start_game(("Ada", "Bruno", "Chiara"), classic(), 0, Act(new_key(), now), plan=(1,)).code
        db.session.commit()
        game = Sitting.find(code, writing=True)
        game.adjust(once, 1, 0, 5, "")
        with pytest.raises(RuntimeError, match="came twice"):
            game.adjust(once, 1, 0, 5, "")
        db.session.rollback()

        def refuse(*_):
            raise IntegrityError(None, None, ValueError("another one"))

        monkeypatch.setattr(sitting, "note", refuse)
        with pytest.raises(IntegrityError):
            Sitting.find(code, writing=True).adjust(once, 1, 0, 5, "")
        assert Sitting.find(code).sheet().totals == (0, 0, 0)
        db.session.remove()


def test_memory_is_bounded():
    """It keeps the games that were asked for last."""
    sheet = Sheet(classic(), ("Ada", "Bruno"), (1,))
    some = Memory()
    for number in range(MOST_KEPT + 1):
        some.put(f"game {number}", 1, sheet)
        some.get("game 0", 1)
    assert some.get("game 0", 1) is sheet
    assert some.get("game 1", 1) is None
    assert some.get("game 0", 2) is None


def test_a_game_that_changes_while_it_is_read_is_read_again(app, empty, monkeypatch):
    """Somebody saves between the first question and the last: what is shown has one version, the new one."""
    now = datetime.now(UTC)
    with app.app_context():
        book = Book.start("the key of a phone", now)
        code = book.start_game(("Ada", "Bruno", "Chiara"), classic(), 0, Act(new_key(), now), plan=(1,)).code
        db.session.commit()
        memory.clear()
        read, times = sitting._read, []

        def slowly(number):
            kept = read(number)
            if not times:
                times.append(number)
                Sitting.fresh(code).adjust(Act(new_key(), now), 1, 0, 5, "")
                db.session.commit()
                memory.clear()
            return kept

        monkeypatch.setattr(sitting, "_read", slowly)
        found = Sitting.find(code)
        assert (found.version, found.sheet().totals) == (2, (5, 0, 0))
        with pytest.raises(LookupError):
            Sitting.fresh("nosuchgame")
        # What is gone already is not taken away again.
        found.drop_adjustment(Act(new_key(), now), 10**6)
        assert found.sheet().totals == (5, 0, 0)
        db.session.remove()


def test_pieces_of_pages_make_room(app, monkeypatch):
    """Where there is no more room for what was drawn, all is drawn anew."""
    monkeypatch.setattr("views.drawn.MOST_LETTERS", 3)
    some = Pieces()
    some.put("a", 1, Markup("four"))
    assert some.get("a", 1) == "four"
    some.put("b", 1, Markup("five"))
    assert (some.get("a", 1), some.get("b", 1), some.get("b", 2)) == (None, "five", None)


def test_a_piece_that_is_replaced_takes_no_more_room(monkeypatch):
    """A hand is drawn anew at every bid, and the sheets of all others stay."""
    monkeypatch.setattr("views.drawn.MOST_LETTERS", 20)
    some = Pieces()
    some.put("sheet", 1, Markup("a sheet"))
    for bid in range(50):
        some.put("hand", bid, Markup("a hand"))
    assert (some.get("sheet", 1), some.get("hand", 49)) == ("a sheet", "a hand")
