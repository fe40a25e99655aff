"""The games the scorebook knows by name, and the rules of each in plain words."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from rules.variants import variants

bp = Blueprint("rules", __name__, url_prefix="/rules")


@bp.get("")
def variants_list() -> str:
    """Every variant by its name and its other names."""
    return render_template("rules/variants.html", variants=variants())


@bp.get("/<id>")
def variant(id: str) -> str:  # noqa: A002 - what it is called everywhere else
    """The rules of one variant, for the number of players asked for."""
    rules = variants().get(id)
    if rules is None:
        abort(404, "variant")
    fewest, most = rules.players
    players = min(max(request.args.get("players", 4, type=int), fewest), most)
    plan = rules.plan(players)
    return render_template(
        "rules/variant.html",
        rules=rules,
        counts=range(fewest, most + 1),
        players=players,
        plan=plan,
        pays=rules.pays(plan, players),
    )
