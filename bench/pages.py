"""How long the pages of a large book take beside those of a small one, in one process and without the network.

    python -m bench.pages [FOLDER]        after python -m bench.books [FOLDER]

The large book has twenty times the games of the small one, and its database a thousand times. Each page is asked for
in turn in both. What is told is the median of the processor's time, which on an idle computer is the time one waits,
and on a busy one does not grow with what others do. Exit status 1 when a page that must not grow with the book takes
more than half as long again in the large one, or any page there 200 ms.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from flask.testing import FlaskClient
from sqlalchemy import func, select

from app import create_app
from bench.books import FOLDER
from database import db
from models import Book, Entry, Game, Hand, Player

TIMES = 40
"""How often each page is asked for."""
MOST_RATIO, MOST_MS = 1.5, 200
COMPARED = ("home", "games", "sheet")
"""The pages that must not grow with the book. The others answer questions about all of it, within the time."""
HEADERS = {"Origin": "http://localhost"}


def pages(folder: Path) -> tuple[FlaskClient, dict[str, str]]:
    """A phone that keeps the largest book in the database of a folder, and the addresses of its pages."""
    app = create_app(
        {"DATA_FOLDER": folder, "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder.absolute()}/scorebook.sqlite"}
    )
    client = app.test_client()
    with app.app_context():
        largest = select(Game.book_id).group_by(Game.book_id).order_by(func.count(Game.id).desc()).limit(1)
        book = db.session.scalars(select(Book).where(Book.id == largest.scalar_subquery())).one()
        player = select(func.min(Player.id)).where(Player.book_id == book.id)
        # A game of the same weight in both: four players and ten hands, or what comes nearest.
        games = select(Game.code).join(Game.hands).join(Hand.entries).where(Game.book_id == book.id)
        games = games.group_by(Game.id).order_by(func.abs(func.count(Entry.id) - 40), Game.id)
        code = db.session.scalar(games.where(Game.finished.is_not(None)).limit(1))
        key = book.invite(datetime.now(UTC))
        addresses = {
            "home": "/",
            "games": f"/b/{book.code}",
            "search": f"/b/{book.code}?q=crown+ada",
            "sheet": f"/g/{code}",
            "player": f"/b/{book.code}/players/{db.session.scalar(player)}",
            "questions": f"/b/{book.code}/questions",
            "new game": "/new",
        }
        db.session.commit()
    client.post(f"/k/{key}", headers=HEADERS)
    # The last of the pages costs what the first does.
    following = f"/b/{book.code}"
    for _page in range(200):
        page = client.get(following).text
        if 'rel="next"' not in page:
            break
        following = page.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    addresses["games, last page"] = following
    return client, addresses


def compare(folder: Path) -> bool:
    """Measure and print; whether every page is fast enough."""
    (small, few), (large, many) = pages(folder / "small"), pages(folder / "large")
    good = True
    print(f"{'page':<18} {'small':>9} {'large':>9} {'ratio':>6}")
    for name in few:
        if 404 in (small.get(few[name]).status_code, large.get(many[name]).status_code):
            print(f"{name:<18} not there")
            continue
        took: tuple[list[float], list[float]] = ([], [])
        for _time in range(TIMES):
            for times, client, address in zip(took, (small, large), (few[name], many[name]), strict=True):
                began = time.process_time()
                answer = client.get(address)
                times.append((time.process_time() - began) * 1000)
                if answer.status_code != 200:
                    raise SystemExit(f"{address} answers {answer.status_code}")
        one, other = map(median, took)
        is_slow = other > MOST_MS or (name in COMPARED and other / one > MOST_RATIO)
        good = good and not is_slow
        print(
            f"{name:<18} {one:>6.1f} ms {other:>6.1f} ms {other / one:>6.2f}{'  too slow' if is_slow else ''}"
        )
    return good


if __name__ == "__main__":
    sys.exit(0 if compare(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER) else 1)
