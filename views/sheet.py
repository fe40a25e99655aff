"""The score sheet: for anyone who has the address of the game."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from forms.play import MeForm
from models import Game
from rules.awards import awards
from rules.chances import chances
from rules.sheet import Row, Sheet
from views import add_code, check_guess, load_game, remember_me, shared_address, tap
from views.chart import Chart
from views.drawn import draw, drawn
from views.qr import qr

bp = Blueprint("sheet", __name__, url_prefix="/g/<code>")


@bp.before_request
def load_all_but_version() -> None:
    """The version is asked for every second or two by everybody at the table, and needs no game.

    Nothing here writes in the game, so that who may only look may send what there is to send.
    """
    if request.endpoint != "sheet.version":
        load_game(writing=False)


bp.url_defaults(add_code)


@bp.get("")
def sheet() -> str:
    """Standings, the grid of all hands, the chart of the totals."""
    return page()


def page(**more: object) -> str:
    """The score sheet, with what a tap is told that led back to it."""
    whole: Sheet = g.game.sheet()
    offers_recovery = bool(g.keeper and whole.outcome and g.game.book.wants_recovery())
    shows = (whole, g.game.about, g.game.is_book_shared, offers_recovery)
    return render_template(
        "sheet/sheet.html",
        game=g.game,
        sheet=whole,
        content=drawn("sheet", 0, shows, partial(_whole, whole, offers_recovery=offers_recovery)),
        last_step=g.game.last_step() if g.keeper else None,
        **more,
    )


def _whole(whole: Sheet, *, offers_recovery: bool) -> str:
    return draw(
        "sheet/_whole.html",
        game=g.game,
        sheet=whole,
        upright=stand_upright(whole.names),
        rows=[drawn("row", at, row, partial(_row, row)) for at, row in enumerate(whole.rows)],
        chart=drawn("chart", 0, (whole.rows, whole.names), partial(_chart, whole)),
        chances=chances(whole if g.keeper else whole.as_watched()),
        offers_recovery=offers_recovery,
        **_open_hand(whole),
    )


@bp.get("/share")
def share() -> str:
    """The game's address as QR code and link; for a keeper, while it runs, also the code to be told."""
    address = shared_address("sheet.sheet", code=g.game.code)
    is_running = g.game.finished is None
    return render_template(
        "sheet/share.html",
        game=g.game,
        address=address,
        qr=qr(address),
        spoken=g.game.watch_code if g.keeper and is_running else None,
    )


def _row(row: Row) -> str:
    return draw("sheet/_row.html", row=row)


def _chart(whole: Sheet) -> str:
    chart = Chart.of(whole)
    return draw("sheet/_chart.html", sheet=whole, chart=chart) if chart else ""


def stand_upright(names: tuple[str, ...]) -> bool:
    """Whether the names at the head of the grid must stand upright, to be broken in no word on a narrow phone."""
    longest = max(len(word) for name in names for word in name.split())
    return longest * len(names) > WIDE


WIDE = 28
"""Letters that stand side by side at the head of the grid, on 320 pixels."""


def _open_hand(whole: Sheet) -> dict[str, Any]:
    """What is told of the hand that is played, to whoever looks on."""
    hand = whole.open_hand
    return {
        "hand": hand,
        "bidding": whole.bidding(hand) if hand else None,
        "bids_hidden": hand is not None and whole.hides_bids(hand),
    }


@bp.get("/version")
def version(code: str) -> Response:
    """The number of the latest change, as an ETag: 304 for whoever knows it."""
    number = Game.version_of(code)
    if number is None:
        # The phones that still ask for a game which was deleted are no guessers.
        check_guess(Game.find(code) is not None)
        abort(404, "game")
    tag = str(number)
    is_known = request.if_none_match.contains(tag)
    answer = Response(status=304) if is_known else Response(tag, mimetype="text/plain")
    answer.set_etag(tag)
    return answer


@bp.get("/now")
def now_played() -> Response:
    """The hand that is being played, or the sheet: where somebody who watches wants to be."""
    open_hand = g.game.sheet().open_hand
    if open_hand is None:
        return redirect(url_for(".sheet"))
    return redirect(url_for("play.hand", number=open_hand.number))


@bp.get("/board")
def board() -> str:
    """The glance screen for a tablet in the middle: trump, who bid what, how they stand. Nothing to press."""
    whole: Sheet = g.game.sheet()
    return render_template("sheet/board.html", game=g.game, sheet=whole, **_open_hand(whole))


@bp.get("/card")
def card() -> str | Response:
    """A finished game as a page worth sending: who won, how it went, who did what nobody else did."""
    whole: Sheet = g.game.sheet()
    if whole.outcome is None:
        return redirect(url_for(".sheet"))
    return render_template(
        "sheet/card.html", game=g.game, sheet=whole, chart=Chart.of(whole), awards=awards(whole)
    )


@bp.route("/me", methods=["GET", "POST"])
def me() -> str | Response:
    """Say which of the players one is, for this phone to remember: their row and column are marked from then on."""
    whole: Sheet = g.game.sheet()
    if request.method != "POST":
        return render_template("sheet/me.html", game=g.game, sheet=whole)
    form = MeForm(request.form)
    tap(form)
    seat = form.seat.data
    remember_me(seat if seat is not None and seat < len(whole.names) else None)
    return redirect(url_for(".sheet"))


@bp.get("/rules")
def rules() -> str:
    """The rules of this game in plain words, made from its data."""
    whole: Sheet = g.game.sheet()
    players = len(whole.names)
    return render_template(
        "sheet/rules.html",
        game=g.game,
        sheet=whole,
        rules=whole.rules,
        players=players,
        plan=whole.plan,
        pays=whole.rules.pays(whole.plan, players),
    )
