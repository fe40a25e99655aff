"""House rules: a table's own, from a variant or from what it kept before, with what they pay always in sight."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request, url_for
from flask import redirect as go_to
from sqlalchemy.exc import IntegrityError
from werkzeug.wrappers import Response

from codes import new_key
from database import db
from forms.games import HOUSE
from forms.house import HouseRulesForm
from models import Book, HouseRules
from rules.problem import Problem, RulesError
from rules.variants import Rules, variants
from views import limits, now, phone

bp = Blueprint("house", __name__, url_prefix="/house-rules")


@bp.get("")
def listed() -> str:
    """The house rules of this phone's books, and the variants to start new ones from."""
    kept = {f"{HOUSE}{rules.id}": rules for book in Book.kept_by(phone()) for rules in book.house_rules()}
    return render_template("house/listed.html", kept=kept, variants=variants())


@bp.get("/new")
def new() -> str:
    """The form, set as the rules named by `start` have it."""
    start = request.args.get("start", "classic")
    base = _base(start)
    name = base.name if start.startswith(HOUSE) else ""
    # Known before it keeps anything: two taps on a first form are one phone's.
    phone()
    return _page(HouseRulesForm.fresh(new_key(), start, base, name))


@bp.post("/new")
def keep() -> str | Response | tuple[str, int]:
    """Show what the rules come to, or keep them under their name."""
    form = HouseRulesForm.sent(request.form, _base(request.form.get("start", "classic")))
    fits = form.validate()
    if request.form.get("do") != "keep":
        form.excuse_name()
        return _page(form)
    if not fits:
        return _page(form), 422
    try:
        rules = form.rules()
    except RulesError:
        # The page reads the rules again and puts each problem beside its field.
        return _page(form), 422
    if _problems(rules):
        return _page(form), 422
    try:
        kept = _keep(rules)
    except IntegrityError:
        # The same tap came twice at once, and the other one was first.
        db.session.rollback()
        kept = _keep(rules)
    return go_to(url_for("games.new", rules=f"{HOUSE}{kept.id}"))


def _keep(rules: Rules) -> HouseRules:
    books = Book.kept_by(phone())
    if not books:
        limits.take(limits.STARTS)
    book = books[0] if books else Book.start(phone(), now())
    kept = book.keep_rules(rules, now())
    db.session.commit()
    return kept


def _base(start: str) -> Rules:
    """The rules that a key stands for: a variant, or house rules of this phone. 404 for anything else.

    Older versions too: a page of one may still be open while another is kept.
    """
    if (rules := variants().get(start)) is not None:
        return rules
    books = [book.id for book in Book.kept_by(phone())]
    versions = db.session.scalars(db.select(HouseRules).where(HouseRules.book_id.in_(books)))
    kept = next((each for each in versions if f"{HOUSE}{each.id}" == start), None)
    if kept is None:
        abort(404, "variant")
    return kept.value()


def _problems(rules: Rules) -> tuple[Problem, ...]:
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
