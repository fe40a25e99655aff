"""Setting up a game: who plays, in which order, by which rules."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from flask import Blueprint, render_template, request, url_for
from flask import redirect as go_to
from sqlalchemy.exc import IntegrityError
from werkzeug.wrappers import Response

from codes import new_key
from database import db
from forms.games import HOUSE, PAST_GAME, NewGameForm
from log import Act
from models import Book, Game
from rules.plan import next_dealer
from rules.problem import RulesError
from rules.variants import Rules, classic, variants
from sitting import Sitting
from views import limits, now, phone

bp = Blueprint("games", __name__)


@bp.get("/new")
def new() -> str:
    """An empty table, or the table and the rules of the last game or of the one named by `again`."""
    books = Book.kept_by(phone())
    last = _model_game(books)
    form = NewGameForm.fresh(new_key(), _bases(books))
    if last is not None:
        sheet = last.sheet()
        form.instead.data = request.args.get("instead", "")
        form.book.data = last.book_code
        if not form.show_rules(sheet.rules):
            form.bases = {f"{PAST_GAME}{last.code}": sheet.rules, **form.bases}
            form.show_rules(sheet.rules)
        if request.args.get("again"):
            # Of some past games only the totals are known.
            around = sheet.hands[-1].table if sheet.hands else tuple(range(len(sheet.names)))
            for seat in around:
                form.players.append_entry(sheet.names[seat])
            if sheet.hands:
                hand = sheet.hands[-1]
                following = next_dealer(around, hand.dealer, sheet.rules.direction, around)
                form.dealer.data = str(around.index(hand.dealer if form.instead.data else following))
                form.show_plan(sheet.plan)
    if (wanted := request.args.get("rules", "")) in form.bases:
        form.show(wanted)
    return _page(form, books)


def _model_game(books: Sequence[Book]) -> Sitting | None:
    """The game whose rules the form starts from, if this phone keeps it."""
    if code := request.args.get("again"):
        return _own_game(code, books)
    games = [game for book in books for game in (*book.running_games(1), *book.finished_games(1))]
    latest = max(games, key=lambda game: (game.started, game.id), default=None)
    return Sitting.find(latest.code) if latest else None


def _own_game(code: str, books: Sequence[Book]) -> Sitting | None:
    game = Sitting.find(code, writing=request.method == "POST")
    if game is None or game.deleted or game.book_code not in [book.code for book in books]:
        return None
    return game


def _bases(books: Sequence[Book]) -> dict[str, Rules]:
    """The rules a game can start from: the house rules of this phone's books, the variants, and what was shown."""
    bases = {f"{HOUSE}{kept.id}": kept.value() for book in books for kept in book.house_rules()}
    shown = request.form.get("shown_variant", "")
    if shown.startswith(PAST_GAME) and (game := _own_game(shown.removeprefix(PAST_GAME), books)):
        bases[shown] = game.sheet().rules
    return {"classic": classic(), **bases, **variants()}


@bp.post("/new")
def set_up() -> str | Response | tuple[str, int]:
    """One step of set-up, or the start of the game."""
    what = request.form.get("do", "")
    # Of what was sent, and not of what it comes to: who deals may be left to chance, which would draw another one.
    act = Act(request.form.get("act", ""), now()).sending(sorted(request.form.items(multi=True)))
    # Asked first, because the same tap finds everything else as the game has left it.
    if what == "start" and (there := Game.started_by(act)) is not None:
        return _begun(there.code)
    books = Book.kept_by(phone())
    form = NewGameForm.sent(request.form, _bases(books))
    shown_variant = form.shown_variant.data
    # Whoever starts with a name still in the line, or another variant just picked, means that too.
    form.do("add" if what == "start" else what)
    if what != "start":
        return _page(form, books)
    if form.newcomers.errors or form.shown_variant.data != shown_variant or not form.validate():
        return _page(form, books, refused=True), 422
    try:
        game = _start(act, form, books)
    except IntegrityError:
        # The same tap came twice at once, and the other one was first.
        db.session.rollback()
        game = _start(act, form, books)
    except RulesError as error:
        form.blame(error.problems)
        return _page(form, books, refused=True), 422
    return _begun(game.code)


def _begun(code: str) -> Response:
    return go_to(url_for("play.hand", code=code, number=1))


def _start(act: Act, form: NewGameForm, books: Sequence[Book]) -> Sitting:
    if there := Game.started_by(act):
        return there.opened()
    rules, called = form.rules(), form.called()
    seat = form.seat(form.dealer.data)
    if seat is None:
        seat = secrets.randbelow(len(called))
    limits.take(limits.STARTS)
    book = _book(form, books) or Book.start(phone(), now())
    plan = form.planned(rules, len(called))
    game = book.start_game(called, rules, seat, act, plan=plan, played_on=form.day(act.at))
    if (untouched := _own_game(form.instead.data or "", books)) and untouched.is_untouched:
        untouched.row.delete(act.at)
    db.session.commit()
    return game


def _book(form: NewGameForm, books: Sequence[Book]) -> Book | None:
    """The book that the game goes into: the one chosen, or this phone's first."""
    kept = {each.code: each for each in reversed(books)}
    return kept.get(form.book.data or "") or next(iter(books), None)


def _page(form: NewGameForm, books: Sequence[Book], *, refused: bool = False) -> str:
    form.offer()
    book = _book(form, books)
    seated = {name.casefold() for name in form.called()}
    known = [player.name for player in book.known_players()] if book else []
    plan: tuple[int, ...] = ()
    pays = None
    try:
        rules, players = form.rules(), max(len(form.players), form.base().players[0])
        plan = form.planned(rules, players)
        pays = rules.pays(plan, players)
        form.blame(rules.problems(players, plan))
    except RulesError as error:
        form.blame(error.problems)
    return render_template(
        "games/new.html",
        refused=refused,
        form=form,
        books=books,
        book=book,
        known=[name for name in known if name.casefold() not in seated],
        plan=plan,
        pays=pays,
    )
