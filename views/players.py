"""The people of a book: which names are one, what each has played, and what the whole table argues about."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from database import db
from forms import NameForm, TapForm
from forms.book import PersonForm
from language import say
from models import Player
from rules.problem import RulesError
from stats import Bids, Past, Person, Questions, Records, Scope, rules_of
from views import add_book, keepers_only, load_book, player_of, tap
from views.chart import Chart

MOST_POINTS = 60
"""So many points of a rating are drawn, and stand in the table behind it."""

bp = Blueprint("players", __name__, url_prefix="/b/<code>")
bp.before_request(load_book)
bp.url_defaults(add_book)


@bp.get("/players")
def listed() -> str:
    """Everybody in the book, the strongest first, with their other names."""
    return _listed()


@bp.get("/players/<int:number>")
def player(number: int) -> str | Response:
    """What one person has played."""
    who = player_of(number)
    if who.alias_of_id is not None:
        return redirect(url_for(".player", number=who.alias_of_id))
    past, scope = _asked()
    asked = past.within(scope)
    bids = Bids.of(scope, number)
    ratings = past.ratings.get(number, ())
    days = [seat.played_on for seat in past.seats.get(number, ())]
    drawn = _spread(len(ratings))
    return render_template(
        "players/player.html",
        player=who,
        past=past,
        person=Person.of(asked, number),
        bids=bids,
        rank=past.rank(number),
        rating=ratings[-1] if ratings else None,
        ratings=[(days[at], ratings[at].mean) for at in drawn],
        rating_chart=Chart.over_time([ratings[at].mean for at in drawn], [days[at] for at in drawn]),
        cards_chart=Chart.rates(
            {cards: (rate.share, rate.is_small) for cards, rate in bids.by_cards.items()}
        ),
        **_choices(past, scope),
    )


@bp.get("/questions")
def questions() -> str:
    """What tables argue about: zero bids, the hook, over and under, and who holds the records."""
    past, scope = _asked()
    choices = _choices(past, scope)
    records = Records.of(past.within(scope), choices["rules"])
    zeros = Questions.of(scope)
    return render_template(
        "players/questions.html", past=past, asked=zeros, records=records, book=g.book, **choices
    )


@bp.post("/players/<int:number>/name")
def rename(number: int) -> Response | tuple[str, int]:
    """Call a player otherwise, in every game."""
    keepers_only()
    form = NameForm(request.form)
    who = player_of(number)
    if form.act.data and not form.validate():
        return _listed(messages=[*form.name.errors]), 422
    tap(form)
    g.book.rename(who, form.name.data)
    return _done()


@bp.post("/players/<int:number>/merge")
def merge(number: int) -> Response:
    """Take this name and another for one person."""
    keepers_only()
    form = PersonForm(request.form)
    tap(form)
    who, person = player_of(number), player_of(form.person.data)
    # The same tap once more finds it done.
    if who.alias_of is not person:
        g.book.merge(who, person)
    return _done()


@bp.post("/players/<int:number>/part")
def part(number: int) -> Response:
    """Take them for two persons again."""
    keepers_only()
    tap(TapForm(request.form))
    g.book.part(player_of(number))
    return _done()


def _done() -> Response:
    db.session.commit()
    return redirect(url_for(".listed"))


@bp.errorhandler(RulesError)
def refused(error: RulesError) -> tuple[str, int]:
    """The same page with what cannot be done."""
    return _listed(messages=[say(each) for each in error.problems]), 422


def _listed(**more: list[str]) -> str:
    db.session.rollback()
    everybody = g.book.everybody()
    past = Past.of(g.book.id)
    aliases: dict[int, list[Player]] = {person: [] for person in past.names}
    for each in everybody:
        if each.alias_of_id is not None:
            aliases[each.alias_of_id].append(each)
    return render_template(
        "players/listed.html", book=g.book, past=past, standings=past.standings(), aliases=aliases, **more
    )


def _asked() -> tuple[Past, Scope]:
    """The past of the book, and which part of it the address asks about; 404 for what there never was."""
    past = Past.of(g.book.id)
    rules, year = request.args.get("rules", ""), request.args.get("year", "")
    if rules not in {"", *(game[0].scored_as for game in past.games)}:
        abort(404)
    if year not in {"", *map(str, past.years)}:
        abort(404)
    return past, Scope(g.book.id, rules, int(year) if year else None)


def _choices(past: Past, scope: Scope) -> dict[str, Any]:
    """What the links above the answers offer, and what is chosen."""
    return {"scope": scope, "rules": rules_of(past), "years": past.years}


def _spread(count: int) -> list[int]:
    """The first, the last and so many between of that many, evenly."""
    if count <= MOST_POINTS:
        return list(range(count))
    return [round(at * (count - 1) / (MOST_POINTS - 1)) for at in range(MOST_POINTS)]
