"""What everybody at the table sees on their own phone."""

from __future__ import annotations

import pytest

from models import db

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def test_nothing_is_sent_again_while_nothing_changes(table, other_phone):
    """The small address that watchers ask answers 304 until something was done, for each of them."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", trump="untracked")
    address = f"/g/{table.code}/version"
    first = other_phone.client.get(address)
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = other_phone.client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    table.bid_one(1)
    changed = other_phone.client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (changed.status_code, changed.headers["ETag"] != first.headers["ETag"]) == (200, True)
    table.undo()
    taken_back = other_phone.client.get(address, headers={"If-None-Match": changed.headers["ETag"]})
    assert taken_back.status_code == 200


def test_the_version_of_no_game_is_nothing(phone):
    """An unknown code has no version, and neither has a deleted game."""
    phone.get("/g/abcdefghijklmnopqrstuvwxyz/version", 404)


def test_who_watches_is_led_to_what_is_played(table, other_phone):
    """One address leads to the open hand, and to the sheet when the game is over."""
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked", hook=False)
    other_phone.get(f"/g/{table.code}/now")
    assert other_phone.address == f"/g/{table.code}/hands/1"
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 0, 0])
    other_phone.get(f"/g/{table.code}/now")
    assert other_phone.address == f"/g/{table.code}"


def test_the_board_shows_trump_bids_and_totals(table, other_phone):
    """The screen in the middle of the table answers who bid what, with nothing to press."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", no_trump_on="never")
    table.trump("hearts").bid(1, 0, 2, 1).phone.tap("tally-2")
    page = other_phone.get(f"/g/{table.code}/board")
    rows = [" ".join(row.get_text(" ").split()) for row in page.select(".board-table tbody tr")]
    assert rows == [
        "Ada 1 0 1.",
        "Bruno 0 0 1.",
        "Chiara 2 needs 1 more 0 1.",
        "Dmitri 1 0 1.",
    ]
    assert "hearts" in other_phone.text
    assert "over by 1" in other_phone.text
    assert not page.find("button")
    assert not page.find("form")


def test_bids_made_at_once_stay_hidden_on_the_board(table, other_phone):
    """Where all bid at once, the board says who has bid, and what only when all are in."""
    table.start(*FOUR, dealer=3, order="own", plan="3", trump="untracked", simultaneous=True, hook=False)
    table.bid_one(2)
    other_phone.get(f"/g/{table.code}/board")
    cells = [cell.get_text(strip=True) for cell in other_phone.page.select(".board-bid")]
    assert cells == ["", "–", "–", "–"]
    table.bid(2, 0, 1, 1)
    other_phone.get(f"/g/{table.code}/board")
    assert [cell.get_text(strip=True) for cell in other_phone.page.select(".board-bid")] == [
        "2",
        "0",
        "1",
        "1",
    ]


@pytest.mark.target("S18")
def test_a_phone_hears_of_its_own_game_alone(table, other_phone, app):
    """Polling tells the version of the one game asked for; another game's changes leave its answer a 304."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", trump="untracked")
    address = f"/g/{table.code}/version"
    tag = other_phone.client.get(address).headers["ETag"]
    another = type(table)(type(other_phone)(app)).start(*FOUR, order="own", plan="3", trump="untracked")
    another.bid_one(1).bid_one(1)
    assert other_phone.client.get(address, headers={"If-None-Match": tag}).status_code == 304
    answer = other_phone.client.get(f"/g/{another.code}/version")
    with app.app_context():
        assert answer.text == str(another.game().version) != str(table.game().version)
    assert other_phone.client.get(f"/g/{table.code[:-1]}/version").status_code == 404
    for client in (other_phone.client, table.phone.client):
        assert "Set-Cookie" not in client.get(address).headers, "asking often must cost little"


@pytest.mark.pages
def test_the_address_of_a_game_shows_the_hand_as_it_happens(table, other_phone):
    """Whoever has the address sees trump, dealer, bids as they fall, the balance, and how far each is to go."""

    def seen():
        other_phone.get(f"/g/{table.code}")
        return [" ".join(row.get_text(" ").split()) for row in other_phone.page.select(".now .seat")]

    table.start(*FOUR, dealer=3, order="own", plan="3,2", no_trump_on="never", hook=False)
    assert seen() == [f"{name} – no bid yet" for name in FOUR]
    assert "Dmitri deals" in other_phone.text
    table.trump("hearts").bid_one(2).bid_one(0)
    assert seen()[:3] == ["Ada 2", "Bruno 0", "Chiara – no bid yet"]
    assert "hearts" in other_phone.page.select_one(".now").get_text()
    table.bid(2, 0, 1, 1).phone.tap("tally-0")
    assert seen() == [
        "Ada needs 1 more 2",
        "Bruno just right 0",
        "Chiara needs 1 more 1",
        "Dmitri needs 1 more 1",
    ]
    assert "over by 1" in other_phone.text
    table.phone.get(f"/g/{table.code}")
    assert not table.phone.page.select(".now"), "who keeps the score has the hand itself"


@pytest.mark.pages
def test_bids_made_at_once_stay_hidden_at_the_address_of_the_game(table, other_phone):
    """Where all bid at once, nothing that a watcher is sent gives a bid away before all are in."""
    table.start(*FOUR, dealer=3, order="own", plan="3", trump="untracked", simultaneous=True, hook=False)
    table.bid_one(2)
    for page in ("", "/hands/1", "/board"):
        other_phone.get(f"/g/{table.code}{page}")
        assert "2" not in [
            each.get_text(strip=True) for each in other_phone.page.select(".seat-bid, .board-bid")
        ]
        assert "bids 2" not in str(other_phone.page)
    table.bid(2, 0, 1, 1)
    other_phone.get(f"/g/{table.code}")
    assert "Ada bids 2." in str(other_phone.page)


@pytest.mark.pages
@pytest.mark.parametrize("plan", ["1,3", "1,3,3"], ids=["last hand", "two to come"])
def test_nothing_that_a_watcher_gets_depends_on_a_secret_bid(table, other_phone, plan):
    """Whatever Ada bids while the others have yet to, every page says the same: who can still win, too."""

    def seen():
        pages = (
            "",
            "/board",
            "/now",
            "/hands/2?seat=0",
            "/hands/2?show=trump",
            "/export",
            "/print",
            "/rules",
        )
        return [other_phone.get(f"/g/{table.code}{page}").main.get_text() for page in pages]

    table.start(*FOUR, dealer=3, order="own", plan=plan, trump="untracked", simultaneous=True, hook=False)
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    told = []
    for bid in range(4):
        table.bid_one(bid)
        told.append(seen())
        table.undo()
    assert "Who can still win" in told[0][0]
    assert told == [told[0]] * 4


@pytest.mark.pages
def test_a_misdeal_gives_no_secret_bid_away(table, other_phone):
    """It may be taken back: no file that a watcher gets has the bids of it, of a shared book neither."""
    table.start(*FOUR, dealer=3, order="own", plan="3", trump="untracked", simultaneous=True, hook=False)
    table.bid_one(2)
    table.phone.get(f"/g/{table.code}/table")
    table.phone.tap("void")
    with table.phone.client.application.app_context():
        book = table.game().book
        book.is_shared, code = True, book.code
        db.session.commit()
    files = [f"/g/{table.code}.json", f"/g/{table.code}.csv", f"/b/{code}/book.json", f"/b/{code}/book.csv"]
    for file in files:
        kept, told = (phone.client.get(file).text for phone in (table.phone, other_phone))
        assert kept.count("2,") - told.count("2,") == 1, file


@pytest.mark.pages
def test_blind_stays_in_sight_while_tricks_are_counted(table, other_phone):
    """The mark of a bid made before looking stands beside what the tally says, here and on the board."""
    table.start(
        *FOUR, dealer=3, variant="nomination-whist", order="own", plan="3", blind_bids=True, hook=False
    )
    table.phone.tap("trump-hearts") if table.phase == "deal" else None
    table.phone.send(table.phone.button("bid-0-1"), blind="y")
    table.bid(1, 0, 1, 0).phone.tap("tally-0")
    row = table.phone.page.select_one(".seats-play .seat")
    assert " ".join(row.small.get_text(" ").split()) == "just right , blind"
    other_phone.get(f"/g/{table.code}/board")
    assert "blind" in other_phone.page.select_one(".board-table tbody tr").get_text()


# I am ...


@pytest.mark.pages
def test_a_phone_remembers_who_it_belongs_to(table, other_phone, rows):
    """Without a script: one tap marks the own row and column on this phone, and on no other; another takes it back."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0])
    before = rows()
    other_phone.get(f"/g/{table.code}")
    assert not other_phone.page.select(".is-me, .you")
    other_phone.follow("I am …")
    other_phone.tap("me-2")
    assert other_phone.address == f"/g/{table.code}"
    head, *cells = other_phone.page.select(".grid .is-me")
    assert head.bdi.get_text() == "Chiara"
    assert len(cells) == 2, "one hand and the total"
    assert other_phone.page.select_one(".standings .is-me bdi").get_text() == "Chiara"
    assert other_phone.page.select_one(".now .seat:has(.you) bdi").get_text() == "Chiara"
    other_phone.follow("I am Chiara")
    assert other_phone.button("me-2")["aria-pressed"] == "true"
    table.sheet()
    assert not table.phone.page.select(".is-me")
    other_phone.tap("me-nobody")
    assert not other_phone.page.select(".is-me")
    assert rows() == before


@pytest.mark.pages
def test_only_the_last_games_are_remembered(table, other_phone):
    """A phone that watches many evenings keeps a small cookie, and a seat that there is not counts as none."""
    codes = [table.start(*FOUR, order="own", plan="1").code for _game in range(8)]
    sizes = []
    for code in codes:
        other_phone.get(f"/g/{code}/me")
        other_phone.tap("me-1")
        sizes.append(len(other_phone.client.get_cookie("scorebook").value))
    assert max(sizes) < 250
    marked = [
        code for code in codes if other_phone.get(f"/g/{code}") and other_phone.page.select(".is-me, .you")
    ]
    assert marked == codes[2:]
    for seat in ("99", "4"):
        other_phone.post(f"/g/{codes[-1]}/me", {"act": "a-tap-of-its-own", "seat": seat})
        assert not other_phone.page.select(".is-me, .you")
    other_phone.post(f"/g/{codes[-1]}/me", {"act": "a-tap-of-its-own", "seat": "x"}, 400)


# Aloud


@pytest.mark.pages
def test_what_is_read_aloud_is_a_sentence_of_the_server(table, other_phone):
    """Trump, the bids in order, the balance and who leads, for keepers and for watchers."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", no_trump_on="never", hook=False)
    table.trump("hearts").bid(1, 0, 2, 1)
    spoken = "Trump: hearts. Ada bids 1. Bruno bids 0. Chiara bids 2. Dmitri bids 1. The bids are over by 1. Ada leads."
    for phone in (table.phone, table.watched_on(other_phone).phone):
        assert " ".join(phone.page.select_one("[data-speak]")["data-speak"].split()) == spoken


# The sheet


@pytest.mark.pages
def test_a_penalty_stands_on_the_sheet_before_its_hand_is_saved(table):
    """What was noted in the open hand has a row of its own, so that the totals below add up."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", trump="untracked")
    penalty = {"act": "the-penalty", "seat": "1", "points": "5", "sign": "-"}
    table.phone.post(f"/g/{table.code}/adjustments", penalty | {"hand": "1"})
    cells = [cell.get_text(strip=True) for cell in table.sheet().select(".grid tbody tr")[-1].select("td")]
    assert cells == ["", "−5", "", ""]
    assert table.totals() == [0, -5, 0, 0]
    table.open(1).play(bids=[1, 1, 1, 1], tricks=[1, 1, 1, 0])
    assert len(table.sheet().select(".grid tbody tr")) == 1
    assert table.totals()[1] == 11 - 5


@pytest.mark.pages
def test_the_sheet_says_what_its_marks_mean(table):
    """Beside made and missed also the line under the dealer's bid has its word."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0])
    legend = table.sheet().select_one(".grid-legend")
    assert [" ".join(each.get_text(" ").split()) for each in legend.select(":scope > span")] == [
        "bid/took",
        "made",
        "too many",
        "too few",
        "dealer",
    ]
    assert legend.select_one(".is-dealer .grid-bid"), "the same line as in the grid"


@pytest.mark.pages
@pytest.mark.parametrize(
    ("names", "upright"),
    [
        (FOUR, False),
        (("Ada", "Carmen", "Chiara", "Dmitri", "Eline"), True),
        (("Ada", "Bea", "Carl", "Dora", "Emil"), False),
        (("Bartholomew", "Ada", "Bruno"), True),
    ],
)
def test_no_name_breaks_in_the_head_of_the_sheet(table, names, upright):
    """A word too long for its column stands upright instead."""
    table.start(*names, order="own", plan="1,1", trump="untracked", hook=False)
    table.play(bids=[0] * len(names), tricks=[1] + [0] * (len(names) - 1))
    assert ("is-upright" in table.sheet().select_one(".grid")["class"]) is upright


# The card


def finished(table):
    """Two hands that Ada wins, with something remarkable in them."""
    table.start(*FOUR, dealer=3, order="own", plan="3,2", trump="untracked", hook=False)
    return table.play(bids=[2, 1, 0, 1], tricks=[2, 0, 0, 1]).play(bids=[1, 0, 0, 1], tricks=[1, 0, 1, 0])


@pytest.mark.pages
def test_a_finished_game_has_a_card_worth_sending(table, other_phone):
    """Winner, standings, chart and awards on one page; until the end the address leads to the sheet."""
    table.start(*FOUR, order="own", plan="1")
    other_phone.get(f"/g/{table.code}/card")
    assert other_phone.address == f"/g/{table.code}"
    finished(table)
    other_phone.get(f"/g/{table.code}")
    other_phone.follow("Card to send")
    page = other_phone.page
    assert " ".join(page.select_one(".winner").get_text(" ").split()) == "Ada wins with 23"
    assert [each.get_text() for each in page.select(".standings bdi")] == ["Ada", "Dmitri", "Bruno", "Chiara"]
    assert page.select_one(".chart polyline")
    awards = [" ".join(each.get_text(" ").split()) for each in page.select(".awards > div")]
    assert "Most bids made Ada made 2 bids" in awards
    assert "Boldest Ada made bids of 3 tricks in all" in awards
    assert "So near Bruno , Chiara , Dmitri missed by a single trick 1 time" in awards
    assert page.select_one(".address").get_text() == f"http://localhost/g/{table.code}/card"
    assert page.select_one("[data-share]")["data-share"] == f"http://localhost/g/{table.code}/card"
    assert not page.find("form")


def preview(page):
    """What a messenger would show of a page: its title and what the tags for previews say."""
    said = [each["content"] for each in page.select('meta[property^="og:"], meta[name="description"]')]
    return " ".join([page.title.get_text(), *said])


def test_a_preview_names_nobody_unless_a_keeper_says_so(table, other_phone):
    """The title and description of the link leak no name before the tick, name everybody after it, and stop again."""
    finished(table)
    for address in ("", "/card"):
        said = preview(other_phone.get(f"/g/{table.code}{address}"))
        assert "Final score" in said
        assert "2 hands · 4 players" in said
        assert not any(name in said for name in FOUR)
    table.phone.get(f"/g/{table.code}/card")
    table.phone.tap("previews")
    assert "1. Ada 23 · 2. Dmitri" in preview(other_phone.get(f"/g/{table.code}/card"))
    table.phone.tap("previews")
    assert not any(name in preview(other_phone.get(f"/g/{table.code}/card")) for name in FOUR)
