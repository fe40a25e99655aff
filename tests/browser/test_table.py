"""What happens at tables, on a small phone: corrections, back and forth, a misdeal, the log, the players."""

from __future__ import annotations

from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def seated(thumb, *called):
    """Four at the table without trump, Dmitri deals first; one hand is played: 11, 10, 0 and 10 points."""
    thumb.start(*(called or FOUR), dealer=3, order="own", plan="3,2,1", trump="untracked")
    return thumb.play([1, 0, 1, 0], [1, 0, 2, 0], trump=None).expect("bids")


def follow(thumb, words: str):
    """Tap a link that leads to a page of its own."""
    with thumb.page.expect_navigation():
        thumb.page.get_by_role("link", name=words, exact=True).tap()
    return thumb.rest()


def send(thumb, key: str):
    """Tap the button of a form that is answered by a page of its own."""
    with thumb.page.expect_navigation():
        thumb.button(key).tap()
    return thumb.rest()


def test_a_total_is_tapped_and_its_hand_put_right(thumb):
    """From the sheet to the stored facts with one tap; a trick goes from Chiara to Ada, and all totals follow."""
    seated(thumb).open(f"/g/{thumb.code}")
    assert thumb.totals() == [11, 10, 0, 10]
    with thumb.page.expect_navigation():
        thumb.page.locator("a.grid-total").nth(2).tap()
    thumb.rest()
    took = {seat: thumb.page.locator(f"select[name=took-{seat}]") for seat in range(4)}
    assert [each.input_value() for each in took.values()] == ["1", "0", "2", "0"]
    took[0].select_option("2")
    took[2].select_option("1")
    send(thumb, "correct")
    assert thumb.totals() == [0, 10, 11, 10]
    assert thumb.standings()[0][1] == "Chiara"


def test_a_question_about_a_correction_is_answered_by_a_second_tap(thumb, complaints):
    """One trick is missing: the page says so, lists what would mend it, and saves only when told again."""
    seated(thumb).open(f"/g/{thumb.code}/hands/1/correct")
    thumb.page.locator("select[name=took-2]").select_option("1")
    send(thumb, "correct")
    expect(thumb.page.locator("[role=alert]")).to_contain_text("2 of 3 tricks: 1 is missing.")
    expect(thumb.page.locator("select[name=took-2]")).to_have_value("1")
    send(thumb, "confirm")
    assert thumb.totals() == [11, 10, 11, 10]
    complaints.forgive("422")


def test_steps_are_taken_back_and_done_again(thumb):
    """Undo in the corner of the hand, redo at the table; every total is back where it was."""
    seated(thumb)
    thumb.tap("undo").expect("tricks")
    assert thumb.shown() == {0: 1, 1: 0, 2: 2, 3: 0}
    thumb.tap("undo").tap("undo").expect("play").open(f"/g/{thumb.code}/table")
    for _step in range(3):
        send(thumb, "redo")
    assert not thumb.button("redo").count()
    assert thumb.open(f"/g/{thumb.code}").totals() == [11, 10, 0, 10]


def test_a_misdeal_is_two_taps_from_the_hand(thumb):
    """The bids are gone, and the same dealer deals the same hand again."""
    seated(thumb)
    thumb.tap("bid-1-1").tap("bid-2-0")
    follow(thumb, "More")
    send(thumb, "void").expect("bids")
    assert (thumb.hand, thumb.bidder) == (2, 1)
    expect(thumb.page.locator(".seats b.seat-bid")).to_have_count(0)
    expect(thumb.seat("Ada")).to_contain_text("dealer")
