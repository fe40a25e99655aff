"""Every page there is, for everybody: for large letters, for few colours, for a thumb and for a voice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app import create_app

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
GAMES = Path(__file__).parents[1] / "data" / "games"
NO_PAGES = {
    *("archive.as_csv_file", "archive.as_json_file", "archive.games", "archive.players", "record.as_csv"),
    *(
        "record.as_json",
        "offline.game",
        "offline.manifest",
        "offline.worker",
        "home.robots",
        "health.health",
        "static",
    ),
    *("sheet.version", "sheet.now_played", "play.part_of_hand"),
}
"""What is fetched but never read: files, figures for programs, and what only leads on to a page."""


@pytest.fixture
def server(own_server):
    """A scorebook of its own: somebody guesses addresses here until the network is told to wait."""
    return own_server.address


def send(thumb, key):
    """Send a form that is answered by a page of its own."""
    with thumb.page.expect_navigation():
        thumb.button(key).first.dispatch_event("click")
    return thumb.rest()


def open_all(thumb):
    """Open whatever is folded up."""
    thumb.page.evaluate("() => document.querySelectorAll('details').forEach((each) => (each.open = true))")


@pytest.mark.target("P2")
@pytest.mark.target("P3")
@pytest.mark.target("P4")
@pytest.mark.target("P7")
@pytest.mark.timeout(600)
def test_every_page_is_for_everybody(thumb, take_phone, eyes, complaints):
    """Axe, targets, contrast and 200 % text: all pages, refusals, questions and errors, in both themes."""
    page = thumb.page
    thumb.is_quick = True

    def look(*addresses, screen=""):
        for address in addresses or (None,):
            if address:
                thumb.open(address)
            open_all(thumb)
            eyes.look(page, screen or address.strip("/").replace("/", "-") or "home")

    # A phone without a book.
    look("/", "/new", "/settings", "/watch", "/books", "/offline")
    look("/?resume=", screen="home-screen")
    look("/rules", "/rules/israeli-whist", "/house-rules", "/house-rules/new")
    thumb.choose("pattern", "own").choose("order", "own").choose("trump", "rotation")
    page.locator("#made").fill("10 + luck")
    page.locator("#deck").fill("5")
    thumb.tap("keep")
    look(screen="house-rules-wrong")
    thumb.open("/house-rules/new").choose("pattern", "wizard").choose("name", "Friday").tap("keep")
    look("/house-rules", screen="house-rules-kept")
    thumb.open("/watch")
    page.locator("#code").fill("nothing")
    send(thumb, "code")
    look(screen="watch-wrong")
    thumb.open("/new")
    page.locator("#newcomers").fill("Ada, ada")
    thumb.tap("add").tap("start")
    look(screen="new-wrong")

    # A game that is over.
    thumb.start(*FOUR, dealer=3, hook=True, order="own", plan="2,1,1", no_trump_on="never")
    for bids, tricks in (((1, 1, 0, 1), (1, 1, 0, 0)), ((1, 0, 0, 1), (1, 0, 0, 0))):
        thumb.play(bids, tricks)
    look(f"/g/{thumb.code}", screen="sheet-chances")
    thumb.open(f"/g/{thumb.code}/hands/3").expect("deal").play((0, 0, 0, 0), (0, 1, 0, 0))
    over = f"/g/{thumb.code}"
    look(over, screen="sheet-over")
    for name in ("card", "board", "table", "export", "print", "rules", "log"):
        look(f"{over}/{name}", screen=f"over-{name}")
    look(f"{over}/hands/1", screen="hand-scored")

    # A game with secret bids, and what a watcher sees of it.
    thumb.start(*FOUR, dealer=3, simultaneous=True, order="own", plan="3,2", trump="untracked")
    secret = f"/g/{thumb.code}"
    thumb.tap("bid-0-1")
    look(screen="secret-bids")
    watcher = take_phone()
    for name in ("hands/1", "", "board", "me", "share"):
        watcher.open(f"{secret}/{name}".rstrip("/"))
        eyes.look(watcher.page, f"watched-{name.partition('/')[0] or 'sheet'}")

    # At the table.
    thumb.bid(1, 1, 1, 0).over().took(1, 1, 1, 0)
    look(secret, screen="sheet-running")
    for name in ("table", "log", "share", "export", "print", "delete", "me", "board"):
        look(f"{secret}/{name}", screen=f"running-{name}")
    thumb.open(f"{secret}/table")
    page.locator("input[name=name]").first.fill("Ada")
    send(thumb, "join")
    look(screen="table-refused")
    thumb.open(f"{secret}/table")
    page.locator("input[name=points]").fill("10")
    send(thumb, "adjust")
    look(screen="table-penalty")
    look(f"{secret}/hands/1/correct", screen="correct")
    page.locator("select[name=took-2]").select_option("0")
    send(thumb, "correct")
    look(screen="correct-asked")
    thumb.open(f"{secret}/hands/2").expect("bids")
    page.evaluate("() => document.querySelector('.keys').closest('form').elements.was.value = '1'")
    thumb.tap("bid-1-0")
    expect(page.locator("body")).to_have_class("stale")
    look(screen="stale")

    # The book.
    book = str(thumb.open("/").page.get_by_role("link", name="All games").get_attribute("href"))
    look("/", screen="home-running")
    look(f"{book}/import", f"{book}/past", f"{book}/keepers", screen="book")
    thumb.open(f"{book}/keepers")
    send(thumb, "invite")
    look(screen="invite")
    invitation = page.locator(".share-address").inner_text()
    other = take_phone().open(invitation)
    eyes.look(other.page, "invitation")
    thumb.open(f"{book}/keepers")
    send(thumb, "recovery")
    look(screen="recovery")
    thumb.open(f"{book}/import")
    page.locator("#text").fill("{")
    send(thumb, "look")
    look(screen="import-refused")
    games = [
        json.loads((GAMES / f"{name}.json").read_text("utf-8"))
        for name in ("kachuful-04", "syn02-basic-5p-7down-7up")
    ]
    page.locator("#text").fill(json.dumps(games))
    send(thumb, "look")
    look(screen="import-preview")
    send(thumb, "keep")
    look(screen="import-done")
    thumb.open(f"{book}/past")
    send(thumb, "keep")
    look(screen="past-refused")
    look(book, screen="book-games")
    look(f"{book}?q=nobody&state=finished", screen="book-nothing-fits")
    look(f"{book}/players", f"{book}/export", f"{book}/questions", f"{book}/delete", screen="book")
    person = (
        page.context.request.get(f"{book}/players")
        .text()
        .split(f"{book}/players/")[1]
        .split('"')[0]
        .split("/")[0]
    )
    look(f"{book}/players/{person}", f"{book}/players/{person}/forget", screen="person")
    thumb.open(f"{book}/delete")
    send(thumb, "erase")
    look(screen="book-delete-refused")

    # What is gone, and what never was.
    send(thumb.open(f"{secret}/delete"), "delete")
    look(f"{book}/deleted", f"{secret}/erase", secret, "/g/nowhere", screen="gone")
    for _guess in range(31):
        page.context.request.get("/g/nowhere")
    look("/g/nowhere-else", screen="too-many")
    expect(page.get_by_role("heading", level=1)).to_have_text("Wait a moment")

    rules = create_app({"SECRET_KEY": "k" * 32}).url_map
    addresses = rules.bind("localhost")
    seen = {addresses.match(path)[0] for path in eyes.seen if addresses.test(path, "GET")}
    assert {each.endpoint for each in rules.iter_rules() if "GET" in each.methods} - seen == NO_PAGES
    complaints.forgive("404", "409", "422", "429")
