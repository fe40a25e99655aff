"""Out of the book and into it: export, import, print, past games; and what is deleted for good."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from flask import (
    Blueprint,
    Response,
    abort,
    g,
    redirect,
    render_template,
    request,
    stream_with_context,
    url_for,
)
from werkzeug.wrappers import Response as Answer

import archive
from codes import CODE_LENGTH
from database import LOCK, db
from forms import TapForm
from forms.book import ForgetForm, PastGameForm
from forms.games import HOUSE
from language import gettext as _
from language import say
from rules import bookfile, names, spreadsheet
from rules.plan import MOST_PLAYERS
from rules.problem import Problem, RulesError
from rules.record import FORMAT, Record
from rules.record import read as read_record
from rules.sheet import Sheet
from rules.variants import Rules, variants
from views import add_book, add_code, keepers_only, load_book, load_game, now, player_of, tap

bp = Blueprint("archive", __name__, url_prefix="/b/<code>")
bp.url_defaults(add_book)
record = Blueprint("record", __name__, url_prefix="/g")
record.before_request(load_game)
record.url_defaults(add_code)

FOR_ALL = (
    "archive.export",
    "archive.as_json_file",
    "archive.as_csv_file",
    "archive.games",
    "archive.players",
)
"""What everybody may see of a book that its keepers share."""
PAGE = 100
"""Games or players on a page of JSON."""
MOST_AT_ONCE = 2000
"""New games that a page brings in; it takes a minute for a thousand."""
MOST_TOLD = 50
"""Problems that are told at once."""


@bp.before_request
def load() -> None:
    """The book of the address. Everything that writes is for its keepers; only they may send more than a form."""
    load_book()
    if request.endpoint not in FOR_ALL:
        keepers_only()
    if request.endpoint == "archive.take_in":
        request.max_content_length = request.max_form_memory_size = archive.LARGEST_FILE


# One game


@record.get("/<code>/export")
def ways() -> str:
    """The ways to take a game along."""
    return render_template("archive/game.html", game=g.game, sheet=g.game.sheet())


@record.get("/<code>.json")
def as_json() -> Response:
    """The game as a record; `?download` as a file to keep."""
    answer = Response(
        bookfile.game_text(_seen(g.game.row.record(g.game.sheet()))), mimetype="application/json"
    )
    return _named(answer, _called(g.game.row), "json") if "download" in request.args else answer


@record.get("/<code>.csv")
def as_csv() -> Response:
    """The game for a spreadsheet; `?bom` for those that take UTF-8 for something else."""
    text = spreadsheet.game_csv(_seen(g.game.row.record(g.game.sheet())))
    return _named(Response(_marked() + text, mimetype="text/csv"), _called(g.game.row), "csv")


@record.get("/<code>/print")
def printed() -> str:
    """The classic sheet on paper, what is still to come left empty; `?blank` without what was played."""
    sheet: Sheet = g.game.sheet()
    blank = request.args.get("blank")
    rows = {} if blank is not None else {row.hand.number: row for row in sheet.rows}
    hands = len(sheet.plan) if blank is not None or not sheet.outcome else len(rows)
    return render_template(
        "archive/print.html",
        game=g.game,
        sheet=sheet,
        blank=blank,
        lines=[(sheet.cards_of(number), rows.get(number)) for number in range(1, max(hands, len(rows)) + 1)],
    )


def _seen(game: Record) -> Record:
    """A game as this phone may know it: a misdeal that is taken back has its secret bids still."""
    return game if g.keeper else replace(game, sheet=game.sheet.as_watched())


def _called(game: Any) -> str:
    return f"{game.played_on.isoformat()} {game.name or _('game')}"


def _marked() -> str:
    return spreadsheet.BOM if "bom" in request.args else ""


def _named(answer: Response, name: str, kind: str) -> Response:
    """The answer as a file to be kept, under a name that every system can keep."""
    kept = "".join(each if each.isalnum() else " " for each in unicodedata.normalize("NFC", name))
    kept = "-".join(kept.split())[:60] or "scorebook"
    simple = kept.encode("ascii", "ignore").decode().strip("-") or "scorebook"
    answer.headers["Content-Disposition"] = (
        f"attachment; filename=\"{simple}.{kind}\"; filename*=UTF-8''{quote(f'{kept}.{kind}', safe='')}"
    )
    return answer


# The whole book


@bp.get("/export")
def export() -> str:
    """The ways to take the book along, to bring games in, and to throw it away."""
    return render_template("archive/book.html", book=g.book)


@bp.get("/book.json")
def as_json_file() -> Response:
    """The whole book as a file."""
    lines = bookfile.book_lines(g.book.file(), map(_seen, g.book.records()))
    return _named(_streamed(lines, "application/json"), _title(), "json")


@bp.get("/book.csv")
def as_csv_file() -> Response:
    """Every hand of every game for a spreadsheet."""
    lines = spreadsheet.games_csv(map(_seen, g.book.records()))
    return _named(_streamed(lines, "text/csv", _marked()), _title(), "csv")


def _title() -> str:
    return " ".join((_("Scorebook"), g.book.name, now().date().isoformat()))


def _streamed(lines: Iterable[str], mimetype: str, front: str = "") -> Response:
    """An answer that is sent while it is made, a good piece at a time."""

    def pieces() -> Iterator[str]:
        piece = [front]
        for line in lines:
            piece.append(line)
            if sum(map(len, piece)) > 32_000:
                yield "".join(piece)
                piece = []
        yield "".join(piece)

    return Response(stream_with_context(pieces()), mimetype=mimetype)


@bp.get("/games.json")
def games() -> Response:
    """The games of the book, the latest first, in pages."""
    page = _page_number()
    found, pages = g.book.games_on_page(page, PAGE)
    listed = [
        {
            "address": url_for("sheet.sheet", code=game.code),
            "record": url_for("record.as_json", code=game.code),
            "name": game.name,
            "played_on": game.played_on.isoformat(),
            "finished": game.finished.isoformat(timespec="seconds") if game.finished else None,
            "rules": game.rules_name,
            "totals_only": game.given is not None,
            "players": [
                {
                    "name": seat.player.shown,
                    "total": seat.total,
                    "place": seat.place if game.winners else None,
                }
                for seat in game.seats
            ],
        }
        for game in found
    ]
    return _paged("games", listed, page, pages)


@bp.get("/players.json")
def players() -> Response:
    """The players of the book by name, in pages."""
    page = _page_number()
    people = g.book.people()
    listed = [
        {"name": person.name, "aliases": list(person.aliases), "since": person.since or None}
        for person in people[(page - 1) * PAGE : page * PAGE]
    ]
    return _paged("players", listed, page, max(1, -(-len(people) // PAGE)))


def _page_number() -> int:
    typed = request.args.get("page", "1")
    return int(typed) if typed.isascii() and typed.isdecimal() and 0 < len(typed) < 6 and int(typed) else 1


def _paged(what: str, listed: list[dict[str, Any]], page: int, pages: int) -> Response:
    following = url_for(request.endpoint or "", page=page + 1) if page < pages else None
    answer = {what: listed, "page": page, "pages": pages, "next": following}
    return Response(json.dumps(answer, ensure_ascii=False), mimetype="application/json")


# Into the book


@bp.get("/import")
def ask_file() -> str:
    """Where a file is chosen or a text pasted."""
    return _import_page()


@bp.post("/import")
def take_in() -> Answer | str | tuple[str, int]:
    """Show what a file would bring, or, once that was seen, bring it in: all or nothing."""
    code = g.book.code
    # Reading may take its time, and others save meanwhile.
    db.session.rollback()
    try:
        text = _sent_text()
        if text is None:
            return _import_page(messages=[_("Choose a file, or paste its text.")]), 422
        arrival = archive.weigh(g.book, archive.read(text, _rules_of_sheet()))
    except RulesError as error:
        return _import_page(problems=error.problems), 422
    if len(arrival.games) > MOST_AT_ONCE:
        trouble = _(
            "More than %(most)d new games at once are for the command: flask import.", most=MOST_AT_ONCE
        )
        return _import_page(messages=[trouble]), 422
    if request.form.get("do") != "keep":
        return _import_page(arrival=arrival, packed=archive.pack(text))
    if not arrival.is_nothing:
        archive.take_in(g.book, arrival, now())
    # Nothing is asked of the database any more: a question that failed would have what is in told as not saved.
    g.pop("book")
    return redirect(url_for(".brought", code=code, games=len(arrival.games)))


@bp.get("/import/done")
def brought() -> str:
    """How many games came in."""
    typed = request.args.get("games", "")
    count = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 6 else 0
    return render_template("archive/brought.html", book=g.book, count=count)


def _sent_text() -> str | None:
    """What was sent: the file, the pasted text, or what was seen before; None for nothing."""
    if packed := request.form.get("packed"):
        try:
            return archive.unpack(packed)
        except ValueError:
            abort(400, "form")
    file = request.files.get("file")
    if file and (content := file.read()):
        return archive.text_of(content)
    return request.form.get("text", "").strip() or None


def _bases() -> dict[str, Rules]:
    """The rules that a sheet or a past game can be played by: the house rules of the book, and the variants."""
    return {**{f"{HOUSE}{kept.id}": kept.value() for kept in g.book.house_rules()}, **variants()}


def _rules_of_sheet() -> Mapping[str, Any]:
    bases = _bases()
    return bases.get(request.form.get("rules", ""), bases["classic"]).write()


def _import_page(*, problems: tuple[Problem, ...] = (), **more: Any) -> str:
    db.session.rollback()
    return render_template(
        "archive/import.html",
        book=g.book,
        bases=_bases(),
        sent=request.form,
        problems=problems[:MOST_TOLD],
        untold=max(0, len(problems) - MOST_TOLD),
        **{"arrival": None, **more},
    )


# A game of the past, of which only the totals are known


@bp.get("/past")
def ask_past() -> str:
    """The form for it."""
    return _past_page(PastGameForm())


@bp.post("/past")
def past() -> Answer | tuple[str, int]:
    """Write it down."""
    form = PastGameForm(request.form)
    lines = form.lines()
    if form.act.data and (not form.validate() or any(points is None for _line, _name, points in lines)):
        return _past_page(form), 422
    act = tap(form)
    rules = _bases().get(form.rules.data or "") or variants()["classic"]
    told = {
        "format": FORMAT,
        "name": form.title.data,
        "place": form.place.data,
        "note": form.note.data,
        "played_on": form.played_on.data,
        "rules": rules.write(),
        "players": [name for _line, name, _points in lines],
        "hands": [],
        "totals": [points for _line, _name, points in lines],
        "totals_only": True,
    }
    try:
        # The same tap is the same game, and two evenings that ended alike are two.
        game = read_record({**told, "id": act.key(told)[:CODE_LENGTH]})
        # The same tap at the same moment waits for this one, and finds the game.
        db.session.refresh(g.book, with_for_update=LOCK)
        kept = g.book.keep_record(game, act.at)
    except RulesError as error:
        return _past_page(form, _blame(form, lines, error.problems)), 422
    db.session.commit()
    return redirect(url_for("sheet.sheet", code=kept.code))


def _blame(
    form: PastGameForm, lines: list[tuple[int, str, int | None]], problems: Iterable[Problem]
) -> list[str]:
    """Put each problem beside its line; what belongs to none is given back."""
    rest = []
    for each in problems:
        at = each.place.removeprefix("players[").removesuffix("]")
        if at.isdecimal() and int(at) < len(lines):
            form.players[lines[int(at)][0]].errors = [say(each)]
        else:
            rest.append(say(each))
    return rest


def _past_page(form: PastGameForm, messages: Iterable[str] = ()) -> str:
    db.session.rollback()
    filled = [line for line, *_typed in form.lines()] if request.method == "POST" else []
    return render_template(
        "archive/past.html",
        book=g.book,
        form=form,
        messages=[*messages],
        bases=_bases(),
        chairs=min(MOST_PLAYERS, max([5, *filled]) + 1),
        known=[player.name for player in g.book.known_players()],
        today=now().astimezone().date().isoformat(),
    )


# Gone for good


@bp.get("/deleted")
def deleted() -> str:
    """The games that can still be brought back."""
    return render_template("archive/deleted.html", book=g.book, games=g.book.deleted_games())


@record.get("/<code>/erase")
def ask_erase() -> str | Answer:
    """The last step before a deleted game is gone."""
    if g.keeper is None:
        abort(404, "game")
    if not g.game.deleted:
        return redirect(url_for("table.ask_delete"))
    return render_template("archive/erase.html", game=g.game.row)


@record.post("/<code>/erase")
def erase() -> Answer:
    """Remove a deleted game, with all its rows and its log."""
    tap(TapForm(request.form))
    if not g.game.deleted:
        abort(404, "game")
    book = g.game.book_code
    db.session.delete(g.game.row)
    db.session.commit()
    return redirect(url_for("archive.deleted", code=book))


@bp.get("/players/<int:number>/forget")
def ask_forget(number: int) -> str:
    """What it means to take a name out of the book."""
    return render_template("archive/forget.html", book=g.book, player=player_of(number))


@bp.post("/players/<int:number>/forget")
def forget(number: int) -> Answer:
    """Take the name out of everything."""
    form = ForgetForm(request.form)
    tap(form)
    player = player_of(number)
    # The same tap once more finds another name there.
    if player.name == form.name.data:
        g.book.forget(player, lambda number: _("Player %(number)d", number=number))
    db.session.commit()
    return redirect(url_for("players.listed"))


@bp.get("/delete")
def ask_delete() -> str:
    """What goes with the book, and the word that says one means it."""
    return _delete_page()


@bp.post("/delete")
def delete() -> Answer | tuple[str, int]:
    """Remove the book with everything in it, at once."""
    tap(TapForm(request.form))
    typed = names.key(request.form.get("word", ""))
    if typed not in {names.key(word) for word in ("DELETE", _("DELETE"), g.book.name) if word}:
        return _delete_page(messages=[_("Type the word as it stands above.")]), 422
    g.book.erase()
    db.session.commit()
    return redirect(url_for("home.home"))


def _delete_page(**more: list[str]) -> str:
    db.session.rollback()
    return render_template("archive/delete.html", book=g.book, count=g.book.count_games(), **more)
