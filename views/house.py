"""House rules: a table's own, from a variant or from what it kept before, with what they pay always in sight."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, render_template, request, url_for
from flask import redirect as go_to
from werkzeug.wrappers import Response

from database import db
from forms import HOUSE, HouseRulesForm
from models import Book, HouseRules, new_key
from rules.problem import RulesError
from rules.variants import Rules, variants
from views import now, phone

bp = Blueprint("house", __name__, url_prefix="/house-rules")


@bp.get("")
def listed() -> str:
    """The house rules of this phone's books, and the variants to start new ones from."""
    return render_template("house/listed.html", kept=_kept(Book.kept_by(phone())), variants=variants())


@bp.get("/new")
def new() -> str:
    """The form, set as the rules named by `start` have it."""
    start = request.args.get("start", "classic")
    base = _base(start)
    name = base.name if start.startswith(HOUSE) else ""
    return _page(HouseRulesForm.fresh(new_key(), start, base, name))


@bp.post("/new")
def keep() -> str | Response | tuple[str, int]:
    """Show what the rules come to, or keep them under their name."""
    form = HouseRulesForm.sent(request.form, _base(request.form.get("start", "classic")))
    if request.form.get("do") != "keep":
        return _page(form)
    if not form.validate():
        return _page(form), 422
    try:
        rules = form.rules()
    except RulesError:
        # The page reads the rules again and puts each problem beside its field.
        return _page(form), 422
    if _problems(rules):
        return _page(form), 422
    books = Book.kept_by(phone())
    book = books[0] if books else Book.start(phone(), now())
    kept = book.keep_rules(rules, now())
    db.session.commit()
    return go_to(url_for("games.new", rules=f"{HOUSE}{kept.id}"))


def _kept(books: Sequence[Book]) -> dict[str, HouseRules]:
    return {f"{HOUSE}{kept.id}": kept for book in books for kept in book.house_rules()}


def _base(start: str) -> Rules:
    """The rules that a key stands for: a variant, or house rules of this phone. 404 for anything else."""
    if (rules := variants().get(start)) is not None:
        return rules
    kept = _kept(Book.kept_by(phone())).get(start)
    if kept is None:
        abort(404, "variant")
    return kept.value()


def _problems(rules: Rules) -> tuple:
    """What bars these rules from being played by as many as they say."""
    return next(
        (
            found
            for players in range(rules.players[0], rules.players[1] + 1)
            if (found := rules.problems(players))
        ),
        (),
    )


def _page(form: HouseRulesForm) -> str:
    rules = plan = pays = None
    players = min(max(4, form.fewest.data or 2), form.most.data or 12)
    try:
        rules = form.rules()
        form.blame(_problems(rules))
        plan = rules.plan(players)
        pays = rules.pays(plan, players)
    except RulesError as error:
        form.blame(error.problems)
    return render_template(
        "house/form.html",
        form=form,
        rules=rules,
        plan=plan,
        pays=pays,
        players=players,
        wrong=form.wrong_formulas(),
    )
