"""The score sheet: for anyone who has the address of the game."""

from __future__ import annotations

from flask import Blueprint, g, render_template

from rules.sheet import Sheet
from views import add_code, load_game
from views.chart import Chart

bp = Blueprint("sheet", __name__, url_prefix="/g/<code>")
bp.before_request(load_game)
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
        last_step=g.game.last_step() if g.keeper else None,
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
