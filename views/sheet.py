"""The score sheet: for anyone who has the address of the game."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from models import Game
from rules.chances import chances
from rules.sheet import Sheet
from views import add_code, load_game
from views.chart import Chart

bp = Blueprint("sheet", __name__, url_prefix="/g/<code>")


@bp.before_request
def load_all_but_version() -> None:
    """The version is asked for every second or two by everybody at the table, and needs no game."""
    if request.endpoint != "sheet.version":
        load_game()


bp.url_defaults(add_code)


@bp.get("")
def sheet() -> str:
    """Standings, the grid of all hands, the chart of the totals."""
    whole: Sheet = g.game.sheet()
    return render_template(
        "sheet/sheet.html",
        game=g.game,
        sheet=whole,
        chart=Chart.of(whole),
        chances=chances(whole),
        last_step=g.game.last_step() if g.keeper else None,
    )


@bp.get("/version")
def version(code: str) -> Response:
    """The number of the latest change, as an ETag: 304 for whoever knows it."""
    number = Game.version_of(code)
    if number is None:
        abort(404, "game")
    answer = Response(str(number), mimetype="text/plain")
    answer.set_etag(str(number))
    return answer.make_conditional(request)


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
    hand = whole.open_hand
    bidding = whole.bidding(hand) if hand else None
    hidden = whole.rules.simultaneous and bidding is not None and not bidding.is_complete
    return render_template(
        "sheet/board.html", game=g.game, sheet=whole, hand=hand, bidding=bidding, bids_hidden=hidden
    )


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
