"""The keeper at the table: one hand through its phases, each tap saved as it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from database import db
from forms import TapForm
from forms.play import BidForm, ScoreForm, TricksForm, TrumpForm, UndoForm
from kept import Step
from language import say
from rules.bidding import Bidding
from rules.problem import Problem, RulesError
from rules.sheet import Hand, Phase, Row, Sheet
from rules.variants import Trump
from rules.verbs import NeedsConfirming, Stale
from sitting import Sitting
from views import add_code, address_of, load_game, now, tap
from views.drawn import draw, drawn
from views.sheet import page as sheet_page

bp = Blueprint("play", __name__, url_prefix="/g/<code>")
bp.before_request(load_game)
bp.url_defaults(add_code)


PARTS = ("trump", "bids", "rebid", "tally", "over", "tricks", "score")
"""What of a hand a tap is sent to."""


A_MOMENT = timedelta(minutes=2)
"""So long a phone is told that another one wrote."""


@dataclass(frozen=True)
class Key:
    """One key of the pad: a number to bid and, where it is barred, why."""

    bid: int
    refusal: Problem | None


@dataclass(frozen=True)
class Count:
    """The tricks of a seat as the page shows them, with the numbers its two buttons stand for."""

    seat: int
    stored: int | None
    shown: int
    fewer: int | None
    more: int | None


@dataclass(frozen=True)
class HandPage:
    """Everything the page of a hand shows, so that its template only writes it down."""

    game: Sitting
    sheet: Sheet
    hand: Hand
    phase: Phase
    bidding: Bidding
    seat: int | None = None
    """The seat that bids now."""
    bids_hidden: bool = False
    """All bid at once and not all are in: only keepers see the numbers."""
    is_forehead: bool = False
    """The one card is held on the forehead, so every bid is blind."""
    namer: int | None = None
    """The seat that names the trump, where the rules or the bids say."""
    keys: tuple[Key, ...] = ()
    counts: Mapping[int, Count] = field(default_factory=dict)
    total: int = 0
    """The tricks shown, added up."""
    mends: tuple[tuple[int, int], ...] = ()
    """The single changes (seat, tricks) that would make the tricks shown add up."""
    last_row: Row | None = None
    """The hand before, while this one has no bid yet."""
    is_redealt: bool = False
    """A misdeal went before, and nobody has bid yet."""
    last_step: Step | None = None
    other_keeper: Step | None = None
    """The last step, where another phone took it a moment ago."""

    @classmethod
    def of(
        cls, game: Sitting, sheet: Sheet, number: int, *, chosen: int | None = None, shown: str = ""
    ) -> HandPage:
        """The page of a hand. 404 before it is dealt.

        `chosen` is a seat to bid for instead of the next one; `shown` asks for the page of `trump` or of `bids`.
        """
        hand = sheet.hand(number)
        if hand is None:
            abort(404, "hand")
        phase, bidding = sheet.phase(hand), sheet.bidding(hand)
        seat = bidding.next_bidder
        if not hand.is_over:
            if chosen in bidding.order:
                phase, seat = Phase.BIDS, chosen
            elif shown == "trump":
                phase = Phase.DEAL
            elif shown == "bids" and phase is Phase.DEAL:
                phase = Phase.BIDS
        counts = _counts(hand, phase)
        last_step = game.last_step() if g.keeper else None
        is_other = last_step is not None and last_step.keeper_id != g.keeper.id
        is_recent = last_step is not None and now() - last_step.at < A_MOMENT
        return cls(
            game=game,
            sheet=sheet,
            hand=hand,
            phase=phase,
            bidding=bidding,
            seat=seat,
            bids_hidden=sheet.hides_bids(hand) and g.keeper is None,
            is_forehead=sheet.rules.forehead and hand.cards == 1,
            namer=sheet.namer(hand),
            keys=_keys(bidding, seat) if g.keeper and phase is Phase.BIDS and seat is not None else (),
            counts=counts,
            total=sum(count.shown for count in counts.values()),
            mends=hand.mends(hand.proposed()) if phase is Phase.TRICKS else (),
            last_row=sheet.rows[-1] if sheet.rows and not bidding.bids and not hand.is_closed else None,
            is_redealt=not bidding.bids
            and any(each.is_void and each.number == number for each in sheet.hands),
            last_step=last_step,
            other_keeper=last_step if is_other and is_recent else None,
        )

    def seats(self) -> Markup:
        """Who has bid what, above the keys."""
        shows = (self.sheet.rules, self.sheet.names, self.hand, self.bidding, self.seat, self.bids_hidden)
        return self._drawn("seats", shows)

    def last(self) -> Markup:
        """What the hand before brought."""
        return self._drawn("last", (self.last_row, self.sheet.standings, self.sheet.names))

    def _drawn(self, name: str, shows: object) -> Markup:
        return drawn(name, self.hand.number, shows, partial(draw, f"play/_{name}.html", page=self))


def _keys(bidding: Bidding, seat: int) -> tuple[Key, ...]:
    return tuple(Key(bid, bidding.refusal(seat, bid)) for bid in range(bidding.cards + 1))


def _counts(hand: Hand, phase: Phase) -> dict[int, Count]:
    if phase is Phase.PLAY:
        most, stored = hand.tricks_left, hand.tally
        shown: tuple[int | None, ...] = stored
    else:
        most, stored, shown = hand.cards, hand.took, hand.proposed()
    counts = {}
    for seat in hand.playing:
        tricks = shown[seat] or 0
        room = most > 0 if phase is Phase.PLAY else tricks < most
        counts[seat] = Count(
            seat=seat,
            stored=stored[seat],
            shown=tricks,
            fewer=tricks - 1 if tricks else None,
            more=tricks + 1 if room else None,
        )
    return counts


@bp.get("/hands/<int:number>")
def hand(number: int) -> str | Response:
    """The hand as it stands; the open one instead of one that is not dealt yet."""
    sheet = g.game.sheet()
    if sheet.hand(number) is None and sheet.open_hand is not None:
        return redirect(url_for(".hand", number=sheet.open_hand.number))
    page = HandPage.of(
        g.game,
        sheet,
        number,
        chosen=request.args.get("seat", type=int),
        shown=request.args.get("show", ""),
    )
    return render_template("play/hand.html", page=page)


@bp.get("/hands/<int:number>/<part>")
def part_of_hand(number: int, part: str) -> Response:
    """The address of a tap, opened again: the page where the hand stands. 404 for anything else."""
    if part not in PARTS:
        abort(404)
    return redirect(url_for(".hand", number=number))


@bp.post("/hands/<int:number>/trump")
def trump(number: int) -> Response:
    """Say what is trump."""
    form = TrumpForm(request.form)
    act = tap(form)
    g.game.name_trump(act, number, Trump(form.trump.data), was=form.before(), named_by=form.named_by.data)
    return _saved()


@bp.post("/hands/<int:number>/bids")
def bid(number: int) -> Response:
    """Note one bid, or change one."""
    form = BidForm(request.form)
    act = tap(form)
    g.game.bid(
        act,
        number,
        form.seat.data,
        form.bid.data,
        was=form.was.data,
        blind=form.blind.data,
        insist=form.insist.data,
    )
    return _saved()


@bp.post("/hands/<int:number>/rebid")
def rebid(number: int) -> Response:
    """All bid again, because the bids came out even."""
    g.game.rebid(tap(TapForm(request.form)), number)
    return _saved()


@bp.post("/hands/<int:number>/tally")
def tally(number: int) -> Response:
    """Count a trick while the hand is played."""
    form = TricksForm(request.form)
    act = tap(form)
    g.game.count(act, number, form.seat.data, form.tricks.data, was=form.was.data)
    return _saved()


@bp.post("/hands/<int:number>/over")
def over(number: int) -> Response:
    """The last trick is played."""
    g.game.hand_over(tap(TapForm(request.form)), number)
    return _saved()


@bp.post("/hands/<int:number>/tricks")
def tricks(number: int) -> Response:
    """Put the tricks of one player right before the hand is saved."""
    form = TricksForm(request.form)
    act = tap(form)
    g.game.take(act, number, form.seat.data, form.tricks.data, was=form.was.data)
    return _saved()


@bp.post("/hands/<int:number>/score")
def score(number: int) -> Response:
    """Settle the tricks of everybody and go on to the next hand, or to the sheet when that was the last."""
    hand = g.game.sheet().hand(number)
    if hand is None:
        raise Stale("hand", None, number)
    form = ScoreForm.for_seats(hand.playing, request.form)
    act = tap(form)
    g.game.score(
        act,
        number,
        form.took(),
        was=form.before(),
        confirmed=form.confirmed.data,
        uneven=form.uneven.data,
    )
    return _saved()


@bp.post("/undo")
def undo() -> Response:
    """Take back the last step."""
    form = UndoForm(request.form)
    g.game.undo(tap(form), form.change.data)
    return _saved()


def _saved() -> Response:
    """Commit, and show where the game stands now."""
    db.session.commit()
    sheet = g.game.sheet()
    if sheet.open_hand is None:
        return redirect(url_for("sheet.sheet"))
    return redirect(address_of("play.hand", number=sheet.open_hand.number))


@bp.errorhandler(RulesError)
def refused(error: RulesError) -> tuple[str, int]:
    """The same page again with what the rules object to; nothing was changed."""
    return _again(messages=[say(each) for each in error.problems])


@bp.errorhandler(NeedsConfirming)
def asked(question: NeedsConfirming) -> tuple[str, int]:
    """The same page again with the question; a second tap says yes."""
    return _again(question=question.what)


def _again(**more: object) -> tuple[str, int]:
    db.session.rollback()
    sheet = g.game.sheet()
    number = (request.view_args or {}).get("number")
    if number is None:
        # What is taken back may be of any hand: it was tapped where the game stands.
        if sheet.open_hand is None:
            return sheet_page(**more), 422
        number = sheet.open_hand.number
    seat = request.form.get("seat", type=int) if request.endpoint == "play.bid" else None
    page = HandPage.of(g.game, sheet, number, chosen=seat)
    return render_template("play/hand.html", page=page, sent=request.form, **more), 422


@bp.errorhandler(Stale)
def stale(conflict: Stale) -> tuple[str, int]:
    """Both versions side by side: what is stored by now, and what was sent."""
    db.session.rollback()
    sheet = g.game.sheet()
    return render_template(
        "play/stale.html", game=g.game, sheet=sheet, conflict=conflict, sent=request.form
    ), 409
