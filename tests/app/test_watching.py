"""What everybody at the table sees on their own phone."""

from __future__ import annotations

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
    assert rows == ["Ada 1 0", "Bruno 0 0", "Chiara 2 needs 1 more 0", "Dmitri 1 0"]
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
