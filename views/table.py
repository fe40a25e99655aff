"""What happens at tables: corrections, changes of players and plan, back and forth, the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import Form

from database import db
from forms import SeatForm, TapForm
from forms.play import UndoForm
from forms.table import (
    AboutForm,
    AdjustForm,
    AdjustmentForm,
    CorrectForm,
    DealerForm,
    JoinForm,
    PlanForm,
    PreviewForm,
    SitOutForm,
    SwapForm,
    TakeOverForm,
    VoidForm,
)
from kept import Kept
from language import gettext as _
from language import say
from log import Act, Change
from rules.plan import MOST_CARDS, sequence
from rules.problem import RulesError, problem
from rules.sheet import Hand, Sheet
from rules.verbs import NeedsConfirming, Stale
from views import add_code, load_game, now, tap
from views.play import stale

bp = Blueprint("table", __name__, url_prefix="/g/<code>")
bp.before_request(load_game)
bp.url_defaults(add_code)
bp.register_error_handler(Stale, stale)


@bp.before_request
def keepers_only() -> None:
    """Everything here writes, but for the log."""
    if g.keeper is None and request.endpoint != "table.log":
        abort(404, "keeper")


@bp.get("/table")
def table() -> str:
    """All that can be changed, in one place."""
    return _page()


@bp.post("/previews")
def previews() -> Response:
    """Say whether previews of this game's link may name its players."""
    form = PreviewForm(request.form)
    tap(form)
    g.game.row.names_in_previews = form.names.data
    db.session.commit()
    return redirect(url_for("sheet.card"))


@bp.post("/void")
def void() -> Response:
    """A misdeal."""
    form = VoidForm(request.form)
    g.game.void(tap(form), form.was.data or 0, seen=form.misdeals.data)
    return _done()


@bp.post("/dealer")
def dealer() -> Response:
    """Put right who deals, from the open hand on."""
    form = DealerForm(request.form)
    act = tap(form)
    g.game.put_dealer(act, form.hand.data, form.seat.data, was=form.was.data)
    return _done()


@bp.post("/adjustments")
def adjust() -> Response:
    """A penalty or a bonus with its reason."""
    form = AdjustForm(request.form)
    act = _typed(form)
    g.game.adjust(act, form.hand.data, form.seat.data, form.signed(), form.reason.data)
    return _done("table.table")


@bp.post("/adjustments/drop")
def drop_adjustment() -> Response:
    """Take one away again."""
    form = AdjustmentForm(request.form)
    g.game.drop_adjustment(tap(form), form.adjustment.data)
    return _done("table.table")


@bp.post("/join")
def join() -> Response:
    """Seat a newcomer, or somebody who comes back."""
    form = JoinForm(request.form)
    act = _typed(form)
    g.game.join(act, form.name.data, form.after.data, form.points.data, _("start"), fits=form.fits.data)
    return _done()


@bp.post("/leave")
def leave() -> Response:
    """A player goes."""
    form = SeatForm(request.form)
    g.game.leave(tap(form), form.seat.data)
    return _done()


@bp.post("/sit-out")
def sit_out() -> Response:
    """A player sits the open hand out, or plays it after all."""
    form = SitOutForm(request.form)
    g.game.sit_out(tap(form), form.seat.data, out=form.out.data)
    return _done()


@bp.post("/swap")
def swap() -> Response:
    """Two players swap seats."""
    form = SwapForm(request.form)
    g.game.swap(tap(form), form.seat.data, form.other.data, was=form.seats())
    return _done()


@bp.post("/take-over")
def take_over() -> Response:
    """Another person takes a seat over."""
    form = TakeOverForm(request.form)
    act = _typed(form)
    g.game.hand_seat_to(act, form.seat.data, form.name.data, was=request.form.get(f"was-{form.seat.data}"))
    return _done("table.table")


@bp.post("/plan")
def plan() -> Response:
    """Set the hands to come."""
    form = PlanForm(request.form)
    act = _typed(form)
    sheet: Sheet = g.game.sheet()
    players = len(sheet.hands[-1].table if sheet.hands else sheet.names)
    typed = (form.plan.data or "").strip()
    largest = sheet.rules.largest_hand(players)
    coming = sequence(typed, largest=largest, players=players) if typed else ()
    was = form.before()
    g.game.replan(act, coming, was=was, over=None if was is None else form.over.data)
    return _done()


@bp.post("/end")
def end() -> Response:
    """End the game now."""
    g.game.end(tap(TapForm(request.form)))
    return _done("sheet.sheet")


@bp.post("/reopen")
def reopen() -> Response:
    """Go on with a game that was ended early."""
    g.game.reopen(tap(TapForm(request.form)))
    return _done()


@bp.post("/about")
def about() -> Response:
    """What is told of the evening: its name, place, note and day."""
    form = AboutForm(request.form)
    act = _typed(form)
    g.game.tell(act, form.told(), was=form.before())
    return _done("sheet.sheet")


@bp.post("/redo")
def redo() -> Response:
    """Do the step that was taken back last once more."""
    form = UndoForm(request.form)
    g.game.redo(tap(form), form.change.data)
    return _done("table.table")


@bp.get("/delete")
def ask_delete() -> str:
    """The second step before a game goes."""
    return render_template("table/delete.html", game=g.game)


@bp.post("/delete")
def delete() -> Response:
    """Take the game out of the book; it can be brought back for a time."""
    tap(TapForm(request.form))
    g.game.row.delete(now())
    db.session.commit()
    return redirect(url_for("home.home"))


@bp.post("/restore")
def restore() -> Response:
    """Bring a deleted game back."""
    tap(TapForm(request.form))
    g.game.row.deleted = None
    db.session.commit()
    return redirect(url_for("sheet.sheet"))


@bp.get("/hands/<int:number>/correct")
def correcting(number: int) -> str:
    """The facts of a hand as they are stored, to be put right."""
    return _correct_page(number)


@bp.post("/hands/<int:number>/correct")
def correct(number: int) -> Response | tuple[str, int]:
    """Put the facts of a hand right."""
    hand = g.game.sheet().hand(number)
    if hand is None:
        abort(404, "hand")
    form = CorrectForm.for_hand(hand.playing, request.form)
    if form["act"].data and not form.validate() and form["cards"].errors:
        trouble = problem("the cards are a whole number from 1 up", "cards")
        return _correct_page(number, messages=[say(trouble)]), 422
    act = tap(form)
    try:
        g.game.correct(act, number, form.facts(), was=form.facts("was-"), confirmed=form.confirmed.data)
    except NeedsConfirming as question:
        return _correct_page(number, form, question=[say(each) for each in question.problems]), 422
    except RulesError as error:
        return _correct_page(number, form, messages=[say(each) for each in error.problems]), 422
    return _done("play.hand" if not hand.is_closed else "sheet.sheet")


def _correct_page(number: int, form: CorrectForm | None = None, **more: Sequence[str]) -> str:
    db.session.rollback()
    sheet: Sheet = g.game.sheet()
    hand = sheet.hand(number)
    if hand is None:
        abort(404, "hand")
    cards, took = hand.cards, hand.took
    if form is not None:
        facts = form.facts()
        cards, took = facts.cards, tuple(facts.took.get(seat) for seat in range(len(sheet.names)))
    most = min(max(hand.cards, cards), MOST_CARDS)
    return render_template(
        "table/correct.html",
        game=g.game,
        sheet=sheet,
        hand=hand,
        counts=[("", "–"), *((count, count) for count in range(most + 1))],
        dealers=[(seat, sheet.names[seat]) for seat in hand.table],
        mends=replace(hand, cards=cards).mends(took) if hand.is_closed else (),
        sent=request.form,
        **more,
    )


@bp.get("/log")
def log() -> str:
    """Everything that was done, with before and after, the latest first; also what was taken back."""
    row = g.game.row
    changes = [change for change in reversed(row.changes) if change.kind != "tally"]
    return render_template(
        "table/log.html",
        game=g.game,
        sheet=g.game.sheet(),
        changes=changes,
        facts=_facts,
        whom=_whom,
        taken=_taken(row.changes),
        phones={
            keeper.id: at for at, keeper in enumerate(sorted(row.book.keepers, key=lambda each: each.id), 1)
        },
        players={player.id: player.shown for player in row.book.players},
    )


def _taken(changes: Sequence[Change]) -> dict[int, Change]:
    """Which step each line of going back or forth was about, by the id of the line; the oldest change comes first."""
    about: dict[int, Change] = {}
    done: list[Change] = []
    undone: list[Change] = []
    for change in changes:
        match change.kind:
            case "undo":
                undone.append(done.pop())
                about[change.id] = undone[-1]
            case "redo":
                done.append(undone.pop())
                about[change.id] = done[-1]
            case _:
                done.append(change)
                undone.clear()
    return about


def _whom(change: Change) -> list[int]:
    """The players, by their ids, that a change is about."""
    kept: Kept = g.game.kept
    by_number: dict[int | None, int] = dict(enumerate(kept.players))
    by_id = dict(zip(kept.seats, kept.players, strict=True))
    by_entry = {row: kept.players[seat] for rows in kept.entries for seat, row in rows.items()}
    match change.kind:
        case "join":
            # A newcomer who was taken back has no seat any more; the step still knows whose it was.
            by_id |= {
                row: after["player_id"] for name, row, _, after in change.steps if name == "seat" and after
            }
            seated = [
                after["seat_id"] for name, _, before, after in change.steps if name == "entry" and not before
            ]
            found = [by_id.get(seat) for seat in seated]
        case "swap":
            found = [by_entry.get(row) for name, row, *_ in change.steps if name == "entry"]
        case _:
            found = [by_number.get(change.seat)]
    return [player for player in found if player is not None]


def _facts(change: Change) -> list[tuple[str, int | None, object, object]]:
    """What a change did to single facts: the name of the fact, the seat, before and after; no bid that is secret."""
    kept: Kept = g.game.kept
    seats: dict[int | None, int] = {row: seat for seat, row in enumerate(kept.seats)}
    entries = {
        row: (seat, hand)
        for hand, rows in zip(kept.sheet.hands, kept.entries, strict=True)
        for seat, row in rows.items()
    }
    # A bid that was taken back may have lost its row, and a later hand may have got that.
    dealt = kept.sheet.hand(change.hand or 0)
    found: list[tuple[str, int | None, object, object]] = []
    for table_name, row_id, before, after in change.steps:
        seat: int | None = None
        hides_bid = False
        if table_name == "entry":
            seat, hand = entries.get(row_id, (None, dealt))
            hides_bid = _is_secret(dealt) or _is_secret(hand)
        if table_name == "adjustment":
            seat = seats.get((before or after)["seat_id"])
        elif before is None or after is None:
            continue
        for key in SHOWN_FACTS.get(table_name, ()):
            if key in (before or after) and not (key == "bid" and hides_bid):
                values = [each and each[key] for each in (before, after)]
                if key == "dealer_id":
                    values = [seats.get(value, value) for value in values]
                elif key == "played_on":
                    values = [date.fromisoformat(value) for value in values if value]
                found.append((key, seat, *values))
    return found


def _is_secret(hand: Hand | None) -> bool:
    """Whether a phone that may only look is told no bid of a hand: all bid at once, and not all have yet."""
    sheet: Sheet = g.game.sheet()
    # A hand whose deal was taken back has yet to be bid.
    return not g.keeper and sheet.rules.simultaneous and (hand is None or sheet.hides_bids(hand))


SHOWN_FACTS = {
    "entry": ("bid", "took", "is_absent"),
    "hand": ("cards", "trump", "dealer_id"),
    "game": ("plan", "name", "place", "note", "played_on"),
    "seat": ("player_id",),
    "adjustment": ("points", "reason"),
}
"""The columns whose change the log shows, by table."""


def _typed(form: Form) -> Act:
    """The tap of a form that was typed into. Raises RulesError's kin as a page when the typing does not fit."""
    if form["act"].data and not form.validate():
        raise Misread(form)
    return tap(form)


class Misread(Exception):
    """What was typed does not fit; the form knows where and why."""

    def __init__(self, form: Form) -> None:
        super().__init__("misread")
        self.form = form


@bp.errorhandler(Misread)
def misread(error: Misread) -> tuple[str, int]:
    """The same page with what is wrong, and with what was typed."""
    messages = [str(text) for field in error.form for text in field.errors]
    return _page(messages=messages), 422


@bp.errorhandler(RulesError)
def refused(error: RulesError) -> tuple[str, int]:
    """The same page with what the rules object to; nothing was changed."""
    return _page(messages=[say(each) for each in error.problems]), 422


@bp.errorhandler(NeedsConfirming)
def asked(question: NeedsConfirming) -> tuple[str, int]:
    """The same page with the question; a second tap says yes."""
    return _page(question=[say(each) for each in question.problems]), 422


def _page(**more: Sequence[str]) -> str:
    db.session.rollback()
    sheet: Sheet = g.game.sheet()
    last = sheet.hands[-1] if sheet.hands else None
    return render_template(
        "table/table.html",
        game=g.game,
        sheet=sheet,
        hand=last,
        misdeals=sum(each.is_void and each.number == last.number for each in sheet.hands) if last else 0,
        coming=_coming(sheet),
        starts=_starts(sheet),
        next_step=g.game.next_step(),
        last_step=Change.last_of(g.game.id),
        sent=request.form,
        about=g.game.about,
        **more,
    )


def _coming(sheet: Sheet) -> str:
    """The sizes of the hands that can still be changed, as they are typed."""
    hand = sheet.open_hand
    settled = len(sheet.played) + (hand is not None and bool(sheet.bidding(hand).bids))
    return ",".join(str(size) for size in sheet.plan[settled:])


def _starts(sheet: Sheet) -> dict[str, int]:
    """The points a newcomer may start with."""
    seated = [
        sheet.totals[seat] for seat in (sheet.hands[-1].table if sheet.hands else range(len(sheet.names)))
    ]
    worst = max(seated) if sheet.rules.lowest_wins else min(seated)
    return {"lowest": worst, "average": round(sum(seated) / len(seated)), "zero": 0}


def _done(endpoint: str = "play.hand") -> Response:
    """Commit, and show where the game stands now."""
    db.session.commit()
    sheet = g.game.sheet()
    if endpoint == "play.hand" and sheet.open_hand is not None:
        return redirect(url_for("play.hand", number=sheet.open_hand.number))
    return redirect(url_for(endpoint if endpoint != "play.hand" else "sheet.sheet"))
