"""The book: its games, by date; its players, and which of their names are one person."""

from __future__ import annotations

from itertools import groupby

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from database import db
from forms import FindForm, NameForm, PersonForm, TapForm
from language import say
from listing import Choices, Key, page
from models import Player
from rules.problem import RulesError
from views import add_book, keepers_only, load_book, tap

bp = Blueprint("book", __name__, url_prefix="/b/<code>")
bp.before_request(load_book)
bp.url_defaults(add_book)


@bp.before_request
def keepers_alone() -> None:
    """Everything but the list of games is for those who keep the book."""
    if request.endpoint != "book.games":
        keepers_only()


@bp.get("")
def games() -> str | tuple[str, int]:
    """The front page: all games or those that are looked for, the running ones first, then by date, in pages."""
    choices = Choices.of(g.book)
    form = FindForm(request.args)
    form.offer(choices)
    if not form.validate():
        return render_template("book/games.html", book=g.book, form=form, running=(), months=()), 422
    after = _after(request.args.get("after", ""))
    shown = page(g.book, form.wanted(), choices, after)
    finished = [game for game in shown.games if game.finished]
    return render_template(
        "book/games.html",
        book=g.book,
        form=form,
        is_first=after is None,
        running=[game for game in shown.games if game.finished is None],
        months=[
            (first, list(month))
            for first, month in groupby(finished, lambda game: game.played_on.replace(day=1))
        ],
        following=shown.following,
    )


def _after(written: str) -> Key | None:
    """The key that a page begins after; none on the first page; 404 for what is no key."""
    try:
        return Key.read(written) if written else None
    except ValueError:
        abort(404)


@bp.get("/players")
def players() -> str:
    """Everybody in the book, with their other names."""
    return _page()


@bp.post("/players/<int:number>/name")
def rename(number: int) -> Response | tuple[str, int]:
    """Call a player otherwise, in every game."""
    form = NameForm(request.form)
    player = _player(number)
    if form.act.data and not form.validate():
        return _page(messages=[*form.name.errors]), 422
    tap(form)
    g.book.rename(player, form.name.data)
    return _done()


@bp.post("/players/<int:number>/merge")
def merge(number: int) -> Response:
    """Take this name and another for one person."""
    form = PersonForm(request.form)
    tap(form)
    player, person = _player(number), _player(form.person.data)
    # The same tap once more finds it done.
    if player.alias_of is not person:
        g.book.merge(player, person)
    return _done()


@bp.post("/players/<int:number>/part")
def part(number: int) -> Response:
    """Take them for two persons again."""
    tap(TapForm(request.form))
    g.book.part(_player(number))
    return _done()


def _player(number: int) -> Player:
    player = g.book.player_of(number)
    if player is None:
        abort(404)
    return player


def _done() -> Response:
    db.session.commit()
    return redirect(url_for(".players"))


@bp.errorhandler(RulesError)
def refused(error: RulesError) -> tuple[str, int]:
    """The same page with what cannot be done."""
    return _page(messages=[say(each) for each in error.problems]), 422


def _page(**more: list[str]) -> str:
    db.session.rollback()
    everybody = g.book.everybody()
    people = [player for player in everybody if player.alias_of_id is None]
    aliases = {person: [each for each in everybody if each.alias_of_id == person.id] for person in people}
    return render_template("book/players.html", book=g.book, people=people, aliases=aliases, **more)
