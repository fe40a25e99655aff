"""Deleting for real: a name, a game, a whole book. What is gone is gone from every page, every file and every row."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from database import Base
from models import Book, Game, db

FOUR = ("Wilhelmina", "Bruno", "Chiara", "Dmitri")


@pytest.fixture
def played(table):
    """One hand is played; Wilhelmina has a penalty whose reason names her, which was once taken away and put back."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked", no_trump_on="never")
    table.play(bids=[1, 0, 0, 0], tricks=[1, 1, 0, 0])
    reason = {"act": "the-penalty", "hand": "1", "seat": "0", "points": "5", "sign": "-"}
    table.phone.post(f"/g/{table.code}/adjustments", {**reason, "reason": "wilhelmina, WILHELMINA dealt"})
    with table.phone.client.application.app_context():
        table.book = table.game().book.code
        table.game().note = "at Wilhelmina's, not Wilhelminas"
        table.number = table.game().seats[0].player_id
        adjustment = str(table.game().adjustments[0].id)
        db.session.commit()
    table.phone.post(f"/g/{table.code}/adjustments/drop", {"act": "no-penalty", "adjustment": adjustment})
    table.phone.get(f"/g/{table.code}/table")
    table.phone.tap("undo")
    return table


def everything(app):
    """Every row of every table as one text."""
    with app.app_context():
        return json.dumps(
            [
                [list(row) for row in db.session.execute(table.select())]
                for table in Base.metadata.tables.values()
            ],
            default=str,
            ensure_ascii=False,
        )


def forget(table, name):
    """Take a name out, from the list of players on."""
    table.phone.get(f"/b/{table.book}/players")
    person = next(
        each for each in table.phone.page.select(".people > li") if each.h2.get_text(strip=True) == name
    )
    table.phone.get(next(link["href"] for link in person.select("a") if "out of the book" in link.get_text()))
    assert name in table.phone.text
    table.phone.tap("forget")


@pytest.mark.target("S20")
def test_a_name_is_gone_from_everywhere_and_the_scores_stay(played, app, other_phone):
    """Pages, log, exports and rows: a number stands where the name was, in what others wrote about it too."""
    totals = played.totals()
    with app.app_context():
        version = Game.version_of(played.code)
    assert "Wilhelmina" in everything(app)
    forget(played, "Wilhelmina")
    rest = everything(app).replace("not Wilhelminas", "")
    assert "wilhelmina" not in rest.casefold()
    assert "Player 1, Player 1 dealt" in rest
    for page in ("", "/log", "/hands/2", "/table", "/board", "/print", "/export", ".json", ".csv", "/rules"):
        for phone in (played.phone, other_phone):
            text = phone.client.get(f"/g/{played.code}{page}").text.replace("not Wilhelminas", "")
            assert "wilhelmina" not in text.casefold(), page
    for page in ("book.json", "book.csv", "players", "players.json", "games.json", "past"):
        text = played.phone.client.get(f"/b/{played.book}/{page}").text.replace("not Wilhelminas", "")
        assert "wilhelmina" not in text.casefold(), page
    assert played.totals() == totals
    played.phone.get("/")
    assert "Player 1" in played.phone.text
    with app.app_context():
        assert Game.version_of(played.code) > version, "phones that watch are told"


@pytest.mark.target("S20")
def test_what_is_undone_later_brings_no_name_back(played, app):
    """Undo and redo put rows back as the log has them, and the log does not know the name any more."""
    forget(played, "Wilhelmina")
    for step in ("undo", "undo", "redo", "redo"):
        played.phone.get(f"/g/{played.code}/table")
        played.phone.tap(step)
        assert "wilhelmina" not in everything(app).replace("not Wilhelminas", "").casefold()
    assert played.totals()[0] == 6


@pytest.mark.target("S20")
def test_what_was_told_of_the_evening_is_gone_from_its_log_too(played, app):
    """Name, place and note of the evening were typed, and each change of them lies in the log, taken back or not."""
    for told in ("Wilhelmina’s birthday", "Wilhelmina’s name day"):
        played.phone.get(f"/g/{played.code}/table")
        typed = {"name": told, "place": "at Wilhelmina’s", "note": "Wilhelmina sang"}
        played.phone.send(played.phone.button("about"), **typed)
    played.phone.get(f"/g/{played.code}/table")
    played.phone.tap("undo")
    assert "Wilhelmina’s name day" in everything(app)
    forget(played, "Wilhelmina")
    assert "wilhelmina" not in everything(app).replace("not Wilhelminas", "").casefold()
    played.phone.get(f"/g/{played.code}/log")
    assert "Player 1’s birthday" in played.phone.text
    played.phone.get(f"/g/{played.code}/table")
    played.phone.tap("redo")
    assert "Player 1’s name day" in played.sheet().get_text()


def test_other_names_of_a_person_go_too_and_numbers_are_not_taken_twice(played, app):
    """Whoever was merged goes with the person; a number that somebody has is left out."""
    with app.app_context():
        book = Book.find(played.book)
        book.player("Player 1")
        book.merge(book.player("Willa"), book.player("Wilhelmina"))
        db.session.commit()
    forget(played, "Wilhelmina")
    with app.app_context():
        called = {player.name for player in Book.find(played.book).everybody()}
        assert called == {"Bruno", "Chiara", "Dmitri", "Player 1", "Player 2", "Player 3"}
        assert played.game().seats[0].player.name == "Player 2"


def test_a_name_that_was_changed_meanwhile_stays(played, app):
    """The form names whom it means: an old page takes out nobody else."""
    with app.app_context():
        book = Book.find(played.book)
        book.rename(book.player_of(played.number), "Eline")
        db.session.commit()
    sent = {"act": "an-old-page", "name": "Wilhelmina"}
    played.phone.post(f"/b/{played.book}/players/{played.number}/forget", sent)
    assert "Eline" in played.phone.text


def delete(table):
    """Delete the game, in its two steps."""
    table.phone.get(f"/g/{table.code}/delete")
    table.phone.tap("delete")


def test_a_deleted_game_is_found_and_brought_back(played):
    """The first page leads to the list, the list has the game with its day and players, one button brings it back."""
    totals = played.totals()
    delete(played)
    assert played.phone.address == "/"
    played.phone.follow("Deleted games")
    assert "Wilhelmina" in played.phone.text
    played.phone.tap("restore-0")
    assert played.totals() == totals
    played.phone.get("/")
    assert "Deleted games" not in played.phone.text


@pytest.mark.target("S20")
def test_a_game_is_deleted_for_good(played, rows, other_phone, app):
    """From its own address or from the list, after one more question; then no row of it is left."""
    delete(played)
    played.phone.get(f"/g/{played.code}", 404)
    played.phone.follow("Delete it for good")
    other_phone.get(f"/g/{played.code}/erase", 404)
    other_phone.post(f"/g/{played.code}/erase", {"act": "a-tap-of-its-own"}, 404)
    assert rows("game")["game"]
    played.phone.tap("erase")
    assert played.phone.address == f"/b/{played.book}/deleted"
    left = rows("game", "hand", "entry", "seat", "adjustment", "change")
    assert not any(left.values())
    assert "dealt" not in everything(app)
    played.phone.get(f"/g/{played.code}", 404)
    assert "No game has this address" in played.phone.text


def test_a_game_that_is_not_deleted_is_not_erased(played, rows):
    """The last step needs the first one."""
    before = rows()
    played.phone.post(f"/g/{played.code}/erase", {"act": "a-tap-of-its-own"}, 404)
    played.phone.get(f"/g/{played.code}/erase")
    assert played.phone.address == f"/g/{played.code}/delete"
    assert rows() == before


@pytest.mark.target("S20")
@pytest.mark.parametrize("word", ["DELETE", "delete", " Friday "])
def test_a_book_is_deleted_with_everything_in_it(played, rows, other_phone, app, word):
    """Games, also deleted ones, names, merged ones too, house rules, invitations and keepers: no row is left."""
    played.phone.house_rules(name="Ours")
    with app.app_context():
        book = Book.find(played.book)
        book.name = "Friday"
        book.invite(datetime.now(UTC) + timedelta(hours=1))
        book.merge(book.player("Willa"), book.player("Wilhelmina"))
        db.session.commit()
    type(played)(other_phone).start("Ada", "Bruno", "Chiara", order="own", plan="1")
    others = len(rows("game")["game"]) - 1
    played.phone.get("/")
    played.phone.follow("All games")
    played.phone.follow("Export and import")
    played.phone.follow("Delete the book")
    assert "Friday" in played.phone.text
    played.phone.send(played.phone.button("erase"), word=word)
    assert played.phone.address == "/"
    assert "wilhelmina" not in everything(app).casefold()
    assert "Ours" not in everything(app)
    assert len(rows("game")["game"]) == others == 1
    assert {name: len(those) for name, those in rows("book", "keeper", "player").items()} == {
        "book": 1,
        "keeper": 1,
        "player": 3,
    }
    played.phone.get(f"/b/{played.book}/export", 404)
    played.phone.get(f"/g/{played.code}", 404)
    # The phone can begin anew.
    played.start("Ada", "Bruno", "Chiara", order="own", plan="1")


def test_the_rules_of_a_deleted_book_are_never_taken_for_others(played):
    """A page that still names them starts from no house rules that came since."""
    phone = played.phone
    phone.house_rules(name="Ours")
    gone = phone.chosen
    phone.get(f"/b/{played.book}/delete")
    phone.send(phone.button("erase"), word="DELETE")
    phone.house_rules(name="Theirs")
    theirs = phone.chosen
    phone.get(f"/new?rules={gone}")
    assert phone.chosen not in (gone, theirs)


@pytest.mark.parametrize("word", ["", "delet", "Saturday", "%", "no"])
def test_a_book_stays_without_the_word(played, rows, word):
    """A slip of the thumb deletes no book, and a book without a name is not deleted by typing nothing."""
    before = rows()
    played.phone.get(f"/b/{played.book}/delete")
    played.phone.send(played.phone.button("erase"), 422, word=word)
    assert "Type the word as it stands above." in played.phone.text
    assert rows() == before
