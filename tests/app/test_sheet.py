"""The score sheet, for anyone who has the address of the game."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def standings(page):
    """The standings as place, name, total."""
    return [
        (row.select_one(".standings-place").get_text(), row.bdi.get_text(), row.b.get_text())
        for row in page.select(".standings li")
    ]


def cells(page, hand):
    """One hand of the grid: bid, tricks, points and total of each player."""
    found = []
    for cell in page.select(".grid tbody tr")[hand - 1].select("td"):
        bid = cell.select_one(".grid-bid").find(string=True).strip()
        points = cell.select(".grid-facts > span")[1].get_text()
        found.append((bid, cell.i.get_text(), points, cell.select_one(".grid-total").get_text()))
    return found


def test_a_game_that_has_just_begun_says_so(table):
    """Before the first hand is closed there is nothing to show but the way back to it."""
    page = table.start(*FOUR, order="own", plan="2,1").sheet()
    assert "The first hand is still being played." in table.phone.text
    assert not page.select(".grid")
    table.phone.follow("Go on with hand 1")
    assert table.hand == 1


def test_each_cell_has_bid_tricks_points_and_total(table):
    """The paper grid: hands down, players across, everything of a hand in sight."""
    table.start(
        *FOUR, dealer=3, variant="romanian-whist", order="own", plan="2,1,3", hook=False, trump="untracked"
    )
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0]).play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    page = table.sheet()
    assert [each.get_text() for each in page.select(".grid thead bdi")] == list(FOUR)
    assert cells(page, 1) == [
        ("1", "1", "+6", "6"),
        ("0", "0", "+5", "5"),
        ("0", "1", "−1", "−1"),
        ("0", "0", "+5", "5"),
    ]
    assert cells(page, 2) == [
        ("1", "0", "−1", "5"),
        ("0", "1", "−1", "4"),
        ("0", "0", "+5", "4"),
        ("0", "0", "+5", "10"),
    ]
    assert table.totals() == [5, 4, 4, 10]


def test_equal_totals_share_a_place_and_the_next_is_left_out(table):
    """Two firsts are followed by a third, while the game runs too."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    table.play(bids=[1, 1, 0, 1], tricks=[1, 1, 0, 0])
    assert standings(table.sheet()) == [
        ("1.", "Ada", "11"),
        ("1.", "Bruno", "11"),
        ("3.", "Chiara", "10"),
        ("4.", "Dmitri", "0"),
    ]
    assert not table.phone.page.select(".winner")


@pytest.mark.case("A20")
def test_a_tie_has_two_winners(table, app):
    """Equal totals at the end share the win; both are named, here and on the first page."""
    table.start(*FOUR, dealer=3, order="own", plan="2", trump="untracked")
    table.play(bids=[1, 1, 0, 1], tricks=[1, 1, 0, 0])
    winners = table.phone.page.select_one(".winner")
    assert [each.get_text() for each in winners.select("bdi")] == ["Ada", "Bruno"]
    assert "share the win with 11" in winners.get_text()
    with app.app_context():
        assert [seat.place for seat in table.game().seats] == [1, 1, 3, 4]
    table.phone.get("/")
    won = table.phone.page.select_one(".games-won")
    assert [each.get_text() for each in won.select("bdi")] == ["Ada", "Bruno"]


def test_a_finished_game_opens_with_its_whole_sheet(table):
    """From the list of played games, one tap shows the winner and every hand."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked")
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0]).play(bids=[1, 0, 0, 0], tricks=[1, 0, 0, 0])
    table.phone.get("/")
    table.phone.follow("Ada 22")
    page = table.phone.page
    assert page.h1.get_text(strip=True) == "Final score"
    assert " ".join(page.select_one(".winner").get_text(" ").split()) == "Ada wins with 22"
    assert len(page.select(".grid tbody tr")) == 2
    assert page.select_one(".chart")
    table.phone.get(f"/g/{table.code}/hands/1")
    assert table.phase == "scored"
    assert "Chiara 0 1" in table.phone.text


def test_a_watcher_sees_everything_and_may_touch_nothing(table, other_phone):
    """In every phase the page of a watcher has the facts and not one control."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", no_trump_on="never")

    def nothing_to_touch():
        watched = table.watched_on(other_phone)
        assert not other_phone.page.select("form button, [type=hidden], .keys")
        assert not any("seat=" in link["href"] for link in other_phone.page.select("a"))
        return watched

    assert nothing_to_touch().phase == "deal"
    table.trump("hearts").bid_one(1)
    assert nothing_to_touch().phase == "bids"
    table.bid(1, 0, 0, 0)
    assert nothing_to_touch().phase == "play"
    table.over()
    assert nothing_to_touch().phase == "tricks"
    table.took(1, 0, 1, 0).play(bids=[1, 0, 0, 0], tricks=[1, 0, 0, 0])
    page = table.sheet()
    assert table.phone.has("undo")
    other_phone.get(f"/g/{table.code}")
    assert not other_phone.page.select("main button, header button")
    assert "Play again" not in other_phone.text
    assert standings(other_phone.page) == standings(page)


def test_a_game_without_a_point_has_a_chart_too(table):
    """Two hands that nobody made: the lines lie on the ground."""
    table.start(*FOUR, dealer=3, order="own", plan="1,1,1", trump="untracked", hook=False)
    table.play(bids=[1, 1, 1, 0], tricks=[0, 0, 0, 1])
    table.play(bids=[0, 1, 1, 1], tricks=[1, 0, 0, 0])
    assert table.totals() == [0, 0, 0, 0]
    assert table.phone.page.select(".chart svg")
