"""Without a network: the app on the home screen, its service worker, and what a phone must know to go on by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify, render_template, request, url_for

from files import joined, smallest
from language import gettext, locale, unfilled
from rules.plan import deal_order
from rules.sheet import Hand, Sheet
from rules.variants import EvenTable, Ties
from views import keepers_only, load_game, now

bp = Blueprint("offline", __name__)

FORMAT = 1
"""Grows when the scripts on the phone can no longer read what an older server told them."""

HANDS_AHEAD = 30
"""So many hands a phone is told of where the game goes on until somebody reaches a target."""

MOST_PAID = 10_000
"""So many points, by bid and tricks, a phone is told of all coming hands: as many as up to 29 cards and down have."""

ONLY_HERE = {"bids", "trump"}
"""Words in a formula whose value is not settled by the size of the hand, a bid and its tricks."""


@bp.before_request
def load_kept_game() -> None:
    """What a phone goes on with is for those who may write."""
    if request.endpoint == "offline.game":
        load_game()
        keepers_only()


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    """What the scorebook is on a home screen. It opens on the running game."""
    icons = [("icon-192.png", "192x192", "any"), ("icon-512.png", "512x512", "any")]
    icons += [("icon-maskable-512.png", "512x512", "maskable")]
    answer = jsonify(
        id="/",
        name=gettext("Scorebook"),
        short_name=gettext("Scorebook"),
        lang=locale().language,
        dir=locale().text_direction,
        start_url=url_for("home.home", resume=""),
        scope="/",
        display="standalone",
        background_color="#f5eedd",
        theme_color="#0f1f19",
        icons=[
            {"src": url_for("static", filename=name), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for name, sizes, purpose in icons
        ],
    )
    answer.mimetype = "application/manifest+json"
    return answer


@bp.get("/worker.js")
def worker() -> Response:
    """The service worker: one file, at the root, because it may answer for every page."""
    folder = Path(current_app.static_folder or "")
    return smallest(
        joined(folder / name for name in ("hand.js", "offline.js", "worker.js")), "text/javascript"
    )


@bp.get("/offline")
def away() -> str:
    """What the service worker shows where it has no page: kept on the phone for that day."""
    return render_template("offline/away.html")


@bp.get("/g/<code>/offline.json")
def game() -> Response:
    """All that a keeper's phone needs to go on with the game by itself, to its end."""
    sheet: Sheet = g.game.sheet()
    return jsonify(
        format=FORMAT,
        code=g.game.code,
        version=g.game.version,
        at=now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        locale=str(locale()).replace("_", "-"),
        parts=parts(sheet),
        **known(sheet),
    )


def known(sheet: Sheet) -> dict[str, Any]:
    """The rules, the coming hands and where the game stands, as plain data. Facts by seat are lists."""
    rules, hand = sheet.rules, sheet.open_hand
    coming = list(coming_hands(sheet))
    return {
        "names": sheet.names,
        "rules": {
            "trump": rules.trump,
            "asksTrumpFirst": sheet.asks_trump_first,
            "first": rules.first_bidder,
            "leads": rules.leads,
            "even": rules.even_table if rules.simultaneous else EvenTable.ANNOUNCE,
            "blindBids": rules.blind_bids,
            "target": rules.target,
            "lowestWins": rules.lowest_wins,
        },
        "isOpenEnded": sheet.is_open_ended,
        "planned": len(sheet.plan),
        "hands": [told(sheet, each) for each in coming],
        "pays": paid(sheet, coming),
        # Bonuses for runs and ties are left to the server.
        "isExact": rules.streak is None and rules.ties is Ties.SHARED,
        "totals": sheet.totals,
        "zeros": [zeros_in_a_row(sheet, seat) for seat in range(len(sheet.names))],
        "last": last_row(sheet),
        "now": hand and facts(hand),
    }


def facts(hand: Hand) -> dict[str, Any]:
    """What is written down of the open hand."""
    return {
        "number": hand.number,
        "trump": hand.trump,
        "namedBy": hand.named_by,
        "bids": hand.bids,
        "took": hand.took,
        "tally": hand.tally,
        "blind": sorted(hand.blind),
        "isOver": hand.is_over,
    }


def coming_hands(sheet: Sheet) -> Iterator[Hand]:
    """The open hand and all that follow while the table stays as it is."""
    hand = sheet.open_hand
    last = sheet.hands[-1].number + HANDS_AHEAD if hand and sheet.is_open_ended else 0
    while hand is not None and (not last or hand.number <= last):
        yield hand
        dealt = tuple(each for each in sheet.hands if each.number != hand.number or each.is_void)
        sheet = replace(sheet, hands=(*dealt, replace(hand, is_closed=True)))
        hand = sheet.next_hand()


def told(sheet: Sheet, hand: Hand) -> dict[str, Any]:
    """One coming hand: who deals how much, what the rules say of its trump and its bids."""
    rules, players = sheet.rules, len(hand.playing)
    around = deal_order(hand.table, hand.dealer, rules.direction)
    return {
        "number": hand.number,
        "cards": hand.cards,
        "dealer": hand.dealer,
        "around": [seat for seat in around if seat not in hand.absent],
        "trump": rules.trump_of(hand.number, sheet.plan, players),
        "isCardLeft": rules.card_is_left(hand.cards, players),
        "hook": sheet.bidding(hand).hook,
        "zeros": rules.zeros_in_a_row if players >= rules.zeros_counted_from else 0,
        "isForehead": rules.is_on_forehead(hand.cards),
        "pays": pays_key(sheet, hand),
    }


def paid(sheet: Sheet, coming: Iterable[Hand]) -> dict[str, list[list[int]] | None]:
    """What bids pay in the coming hands by `pays_key`, as `pays` has it; None as well for what is too much to tell."""
    told: dict[str, list[list[int]] | None] = {}
    left = MOST_PAID
    for hand in coming:
        if (key := pays_key(sheet, hand)) not in told:
            table = pays(sheet, hand) if (hand.cards + 1) ** 2 <= left else None
            left -= sum(map(len, table or ()))
            told[key] = table
    return told


def pays_key(sheet: Sheet, hand: Hand) -> str:
    """What hands of one table share: the same bid and tricks pay the same in them."""
    number = hand.number if "hand" in sheet.rules.scoring.words else 0
    return f"{hand.cards}-{len(hand.playing)}-{number}"


def pays(sheet: Sheet, hand: Hand) -> list[list[int]] | None:
    """The points by bid and tricks; None where they depend on more, so that only the server knows."""
    rules, words = sheet.rules, sheet.rules.scoring.words
    if words & ONLY_HERE or ("blind" in words and rules.blind_bids):
        return None
    counts = range(hand.cards + 1)
    return [
        [
            rules.scoring.points(
                bid=bid,
                tricks=tricks,
                cards=hand.cards,
                players=len(hand.playing),
                largest=max(sheet.plan),
                blind=rules.is_on_forehead(hand.cards),
                hand=hand.number,
                hands=len(sheet.plan),
            )
            for tricks in counts
        ]
        for bid in counts
    ]


def zeros_in_a_row(sheet: Sheet, seat: int) -> int:
    """How many of the last bids of a seat were zero without another in between."""
    bids = [hand.bids[seat] for hand in sheet.played if hand.bids[seat] is not None]
    return next((run for run, bid in enumerate(reversed(bids)) if bid), len(bids))


def last_row(sheet: Sheet) -> dict[str, Any] | None:
    """The hand before: what stands above the next deal."""
    if not sheet.rows:
        return None
    row = sheet.rows[-1]
    return {
        "number": row.hand.number,
        "bids": row.hand.bids,
        "took": row.hand.took,
        "points": [None if cell.points is None else cell.points + cell.bonus for cell in row.cells],
    }


def parts(sheet: Sheet) -> dict[str, str]:
    """The pages of a hand in pieces, in the reader's language, with places such as %(player)s for the phone to fill."""
    sizes = sorted({hand.cards for hand in coming_hands(sheet)})
    written = render_template(
        "offline/hand.html", sheet=sheet, game=g.game, sizes=sizes, _=unfilled, ngettext=unfilled
    )
    pieces = re.findall(r"<!-- part: ([\w-]+) -->\n(.*?)\s*(?=<!-- part|\Z)", written, re.DOTALL)
    return {"page": render_template("offline/page.html"), **dict(pieces)}
