"""One hand at the table, as its keeper sees it."""

from __future__ import annotations

import re

import pytest

from models import Change, db
from rules import record

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


def seated(table, plan="3,2", **switches):
    """Four at the table, Dmitri deals first, so that they bid in the order of their names."""
    usual = {"dealer": 3, "hook": True, "order": "own", "plan": plan, "no_trump_on": "never"}
    return table.start(*FOUR, **{**usual, **switches})


def bids_shown(table):
    """What stands beside each name: a bid, or a dash."""
    return {
        row.select_one(".name").get_text(): row.select_one(".seat-bid").find(string=True).get_text(strip=True)
        or row.select_one(".seat-bid [aria-hidden]").get_text()
        for row in table.phone.page.select(".seats .seat")
    }


def alert(table):
    """What the page objects to or asks."""
    return " ".join(" ".join(each.get_text(" ").split()) for each in table.phone.page.select("[role=alert]"))


def fields(table, key):
    """What the button with that key would send, and where to."""
    button = table.phone.button(key)
    form = button.find_parent("form")
    sent = table.phone.filled(form)
    if button.get("name"):
        sent[button["name"]] = button["value"]
    return form["action"], sent


# One hand


@pytest.mark.case("A1")
@pytest.mark.parametrize(("missed", "points"), [("0", [11, 10, 0, 10]), ("tricks", [11, 10, 2, 10])])
def test_a_plain_hand_is_scored_and_the_deal_moves_on(table, missed, points):
    """Bids and tricks of one hand give the points of the rules, and the next player deals."""
    seated(table, missed=missed)
    table.play(bids=[1, 0, 1, 0], tricks=[1, 0, 2, 0])
    assert table.hand == 2
    assert "Ada shuffles and deals 2 cards each" in table.phone.text
    last = [
        [cell.get_text(strip=True) for cell in row.find_all(["th", "td"])]
        for row in table.phone.page.select(".last tbody tr")
    ]
    assert {row[0]: row[1:3] for row in last} == {
        "Ada": ["1", "1"],
        "Bruno": ["0", "0"],
        "Chiara": ["1", "2"],
        "Dmitri": ["0", "0"],
    }
    assert table.totals() == points


@pytest.mark.case("A2")
def test_the_hook_bars_one_number_and_keeps_the_other_bids(table):
    """The last bidder's barred number is refused by name; every other number would do."""
    seated(table, plan="5,4").trump("hearts").bid_one(2).bid_one(0).bid_one(1)
    keys = table.phone.page.select(".keys .key")
    assert [key["value"] for key in keys if not key.has_attr("aria-disabled")] == ["0", "1", "3", "4", "5"]
    table.bid_one(2, status=422)
    assert alert(table) == "2 is barred: the bids would add up to the 5 cards."
    assert bids_shown(table) == {"Ada": "2", "Bruno": "0", "Chiara": "1", "Dmitri": "–"}
    table.bid_one(5)
    assert table.phase == "play"


@pytest.mark.case("A2")
def test_the_hook_bars_nothing_once_the_others_bid_too_much(table):
    """After 3, 1 and 2 no bid of the dealer makes 5, so every number will do."""
    seated(table, plan="5,4").trump("hearts").bid_one(3).bid_one(1).bid_one(2)
    assert not table.phone.page.select(".keys .key[aria-disabled]")


@pytest.mark.case("A2")
def test_without_the_hook_an_even_table_is_accepted(table):
    """With the hook switched off the dealer may make the bids add up to the cards."""
    seated(table, plan="5,4", hook=False).trump("hearts").bid_one(2).bid_one(0).bid_one(1).bid_one(2)
    assert table.phase == "play"


@pytest.mark.case("A3")
def test_zero_is_a_bid_and_nothing_is_a_dash(table, app):
    """Who has not bid shows a dash and is named when play shall begin; zeros are kept as zeros."""
    seated(table, plan="4,3", hook=False).trump("hearts").bid_one(0)
    for name, bid in (("Chiara", 1), ("Dmitri", 2)):
        table.phone.follow(name)
        table.bid_one(bid)
    assert bids_shown(table) == {"Ada": "0", "Bruno": "–", "Chiara": "1", "Dmitri": "2"}
    table.phone.post(f"/g/{table.code}/hands/1/over", {"act": "a-tap-of-its-own"}, 422)
    assert alert(table) == "Bruno has yet to bid."
    table.open(1).bid_one(0)
    assert table.phase == "play"
    table.over().took(0, 0, 2, 2)
    with app.app_context():
        assert record.write(table.game().record())["hands"][0]["bids"] == [0, 0, 1, 2]


@pytest.mark.case("A4")
def test_tricks_that_do_not_add_up_are_not_saved(table):
    """Six tricks of seven are refused with what is missing; with the seventh the hand is closed."""
    seated(table, plan="7,6").trump("hearts").bid(2, 1, 3, 0).over().save(status=422)
    assert "6 of 7 tricks: 1 is missing." in alert(table)
    table.phone.tap("more-3")
    table.save()
    assert table.hand == 2


@pytest.mark.case("A5")
def test_tricks_that_are_meant_not_to_add_up_are_refused_too(table, rows):
    """Insisting does not help: the hand is refused with the reason and nothing is saved unmarked."""
    seated(table, plan="7,6").trump("hearts").bid(2, 1, 3, 0).over()
    before = rows()
    address, sent = fields(table, "save")
    table.phone.post(address, {**sent, "confirmed": "y"}, 422)
    assert "6 of 7 tricks: 1 is missing." in alert(table)
    assert rows() == before


def test_a_hand_is_not_saved_before_everybody_has_bid(table, rows):
    """A page of tricks from before an undo cannot close a hand that lacks a bid."""
    seated(table).trump("hearts").bid(1, 0, 1, 0).over()
    table.phone.tap("more-2")
    address, sent = fields(table, "save")
    table.undo().undo().undo()
    assert table.bidder == 3
    before = rows()
    table.phone.post(address, sent, 422)
    assert "Dmitri has yet to bid" in alert(table)
    assert rows() == before


# The same tap twice, reload, Back


@pytest.mark.case("A14")
@pytest.mark.parametrize("key", ["bid-3-0", "over", "save"])
def test_a_tap_that_is_sent_three_times_has_one_effect(table, rows, key):
    """A double tap and a reload of the answer change nothing more, and every answer shows the same."""
    seated(table).trump("hearts").bid_one(1).bid_one(0).bid_one(1)
    if key != "bid-3-0":
        table.bid_one(0)
    if key == "save":
        table.over().phone.tap("more-2")
    address, sent = fields(table, key)
    table.phone.post(address, sent)
    after, shown = rows(), (table.phone.address, table.phone.text)
    for _again in range(2):
        table.phone.post(address, sent)
        assert (table.phone.address, table.phone.text) == shown
    assert rows() == after


def test_a_tap_that_comes_again_much_later_has_no_second_effect(table, rows):
    """A bid that a phone sends once more after the hand was closed is known and changes nothing."""
    seated(table).trump("hearts")
    address, sent = fields(table, "bid-0-1")
    table.bid(1, 0, 1, 0).over().took(1, 0, 2, 0)
    before = rows()
    table.phone.post(address, sent)
    assert table.hand == 2
    assert rows() == before


@pytest.mark.case("A15")
def test_bids_survive_a_killed_tab(table, app):
    """The phone opens the address again: the bids are there and the next player is asked."""
    table.start(*FOUR, "Eline", dealer=4, order="own", plan="4,3", trump="untracked")
    table.bid_one(1).bid_one(0).bid_one(2)
    cookie = table.phone.client.get_cookie("scorebook")
    again = type(table.phone)(app)
    again.client.set_cookie("scorebook", cookie.value)
    again.get("/")
    again.follow("Go on")
    table.phone = again
    assert bids_shown(table) == {"Ada": "1", "Bruno": "0", "Chiara": "2", "Dmitri": "–", "Eline": "–"}
    assert table.bidder == 3


@pytest.mark.case("A16")
def test_an_old_form_of_a_closed_hand_changes_nothing(table, rows):
    """Back and an old form of hand 1 while hand 3 is played: the person is told, and it is still hand 3."""
    table.start("Ada", "Bruno", "Chiara", dealer=2, order="own", plan="1,1,1", trump="untracked")
    old_bid = fields(table, "bid-0-1")
    table.bid(0, 1, 0).over()
    old_save = fields(table, "save")
    table.save(status=422).phone.tap("confirm")
    table.play(bids=[1, 0, 1], tricks=[1, 0, 0])
    before = rows()
    address, sent = old_bid
    table.phone.post(address, {**sent, "act": "a-tap-of-its-own"}, 409)
    assert "That hand is closed" in table.phone.text
    address, sent = old_save
    table.phone.post(address, {**sent, "act": "a-tap-of-its-own", "tricks-0": "1", "tricks-1": "0"}, 409)
    assert "Nothing was overwritten" in table.phone.text
    table.phone.follow("Keep what it says")
    assert table.hand == 3
    assert rows() == before


# The tricks, filled in


def test_the_tricks_come_filled_in_with_the_bids(table):
    """Most people make what they bid, so that is what stands there first."""
    seated(table).trump("hearts").bid(2, 0, 1, 1).over()
    assert table.shown() == {0: 2, 1: 0, 2: 1, 3: 1}


def test_with_the_hook_nobody_can_accept_the_bids_as_result(table):
    """The filled-in numbers do not add up, so somebody's has to be touched."""
    seated(table).trump("hearts").bid(1, 1, 0, 0).over().save(status=422)
    assert "2 of 3 tricks: 1 is missing." in alert(table)
    table.phone.tap("more-2")
    table.save()
    assert table.hand == 2


def test_an_even_table_is_asked_whether_everybody_made_it(table):
    """Without the hook the bids may add up, so saving them untouched takes a second tap."""
    seated(table, hook=False).trump("hearts").bid(1, 1, 1, 0).over().save(status=422)
    assert alert(table) == "Did everybody really make their bid?"
    table.phone.tap("confirm")
    assert table.hand == 2
    assert table.totals() == [11, 11, 11, 10]


def test_when_all_but_one_were_touched_the_last_follows(table):
    """Three players put right leave the rest of the tricks to the fourth."""
    seated(table).trump("hearts").bid(1, 1, 0, 0).over()
    for key in ("less-0", "less-1", "more-2"):
        table.phone.tap(key)
    assert table.shown() == {0: 0, 1: 0, 2: 1, 3: 2}


def test_a_number_that_was_touched_is_not_filled_in_any_more(table):
    """Up and down again leaves the number that was chosen, not the bid."""
    seated(table).trump("hearts").bid(1, 1, 0, 0).over()
    for key in ("more-0", "less-0", "less-1"):
        table.phone.tap(key)
    assert table.shown() == {0: 1, 1: 0, 2: 0, 3: 0}


def test_tricks_stay_within_the_cards(table):
    """Nobody is shown a button to less than nothing or more than the cards."""
    seated(table, plan="1,2").trump("hearts").bid(0, 1, 1, 1).over()
    assert table.phone.button("less-0").has_attr("disabled")
    assert table.phone.button("more-1").has_attr("disabled")
    address, sent = fields(table, "more-0")
    table.phone.post(address, {**sent, "tricks": "2"}, 422)
    assert "Tricks are a number from 0 to 1." in alert(table)


# The tally


def test_the_tally_says_what_everybody_still_needs(table):
    """Each tap counts a trick: more needed, just right, too many; one taken back counts less."""
    seated(table).trump("hearts").bid(2, 0, 0, 0)
    table.phone.tap("tally-0")
    assert "Ada needs 1 more" in table.phone.text
    table.phone.tap("tally-0")
    assert "Ada just right" in table.phone.text
    table.phone.tap("tally-1")
    assert "Bruno 1 too many" in table.phone.text
    assert not table.phone.has("tally-2"), "all three tricks are given away"
    table.phone.tap("tally-less-1")
    assert "Bruno just right" in table.phone.text
    assert table.phone.has("tally-2")


def test_a_complete_tally_becomes_the_result(table):
    """Every trick was tapped, so nothing is left to put right and nothing is asked."""
    seated(table).trump("hearts").bid(1, 1, 0, 0)
    for seat in (0, 2, 2):
        table.phone.tap(f"tally-{seat}")
    table.over()
    assert table.shown() == {0: 1, 1: 0, 2: 2, 3: 0}
    table.save()
    assert table.totals() == [11, 0, 0, 10]


def test_an_unfinished_tally_stays_a_reminder(table):
    """Somebody stopped tapping: the bids stand there as ever."""
    seated(table).trump("hearts").bid(1, 1, 0, 0)
    table.phone.tap("tally-2")
    assert table.over().shown() == {0: 1, 1: 1, 2: 0, 3: 0}


# Putting a bid right


def test_any_bid_may_be_changed_while_others_bid(table):
    """A tap on the name asks that player again, and then whoever is next."""
    seated(table).trump("hearts").bid_one(1).bid_one(0)
    table.phone.follow("Ada")
    assert table.bidder == 0
    table.bid_one(2)
    assert bids_shown(table)["Ada"] == "2"
    assert table.bidder == 2


def test_a_bid_may_be_changed_during_play(table, app):
    """A bid put right keeps the tally of everybody, and the log knows both values."""
    seated(table).trump("hearts").bid(2, 0, 0, 0)
    table.phone.tap("tally-0")
    table.phone.get(f"/g/{table.code}/hands/1?seat=2")
    table.bid_one(2)
    assert table.phase == "play"
    assert bids_shown(table) == {"Ada": "2", "Bruno": "0", "Chiara": "2", "Dmitri": "0"}
    assert "Ada needs 1 more" in table.phone.text
    with app.app_context():
        assert [(before, after) for _table, _id, before, after in Change.last_of(table.game().id).steps] == [
            ({"bid": 0}, {"bid": 2})
        ]


@pytest.mark.case("A7")
def test_a_changed_bid_that_makes_the_table_even_is_asked_about(table, rows):
    """Out of turn the hook cannot bar it: the table is asked, and nothing changes before it insists."""
    seated(table, plan="5,4").trump("hearts").bid(1, 3, 0, 2)
    before = rows()
    table.phone.get(f"/g/{table.code}/hands/1?seat=1")
    table.bid_one(2, status=422)
    assert alert(table).startswith("With 2 the bids add up to the cards, which the hook bars.")
    assert rows() == before
    table.phone.tap("insist")
    assert bids_shown(table)["Bruno"] == "2"
    assert "5 of 5 tricks bid even" in table.phone.text


def test_the_last_bidder_is_held_to_the_hook_during_play_too(table):
    """The bar is the dealer's own: a change to it is refused, not asked about."""
    seated(table).trump("hearts").bid(1, 1, 0, 0)
    table.phone.get(f"/g/{table.code}/hands/1?seat=3")
    table.bid_one(1, status=422)
    assert "1 is barred" in alert(table)
    assert not table.phone.has("insist")


# Trump


def test_trump_may_be_named_after_the_bids(table):
    """Who bids first names trump whenever it is known, and may change it."""
    seated(table)
    table.phone.follow("Bid first, name trump later")
    table.bid_one(1)
    assert table.phase == "bids"
    table.phone.follow("Name trump")
    table.trump("clubs")
    assert table.phone.page.select_one(".facts-trump .suit-clubs")
    assert table.bidder == 1, "the bid is kept"
    table.phone.follow("clubs")
    table.trump("spades")
    assert table.phone.page.select_one(".facts-trump .suit-spades")


def test_a_hand_may_be_played_without_naming_trump(table, app):
    """Nobody is held up by a suit that nobody wrote down."""
    seated(table)
    table.phone.follow("Bid first, name trump later")
    table.bid_one(1)
    table.bid(1, 0, 1, 0).over().took(1, 0, 2, 0)
    assert table.hand == 2
    with app.app_context():
        assert table.game().sheet().hands[0].trump is None


def test_r10_in_a_hand_without_trump_no_card_is_turned(table):
    """The hand opens with its bids, says no trump, and prompts not to turn a card."""
    seated(table, plan="1,2", no_trump_on="largest")
    table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])
    assert table.phase == "bids"
    assert "No trump in this hand: do not turn a card." in table.phone.text
    assert table.phone.page.select_one(".facts-trump .suit-none")


def test_suits_that_take_turns_need_no_tap(table):
    """With trumps in rotation the hand names its suit by itself."""
    seated(table, variant="nomination-whist", plan="1,1", trump="rotation")
    assert table.phase == "bids"
    assert table.phone.page.select_one(".facts-trump .suit-spades")
    table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])
    assert table.phone.page.select_one(".facts-trump .suit-hearts")


def test_a_table_that_notes_no_trump_is_not_asked(table):
    """Untracked trump leaves no prompt, no button and no word of it."""
    seated(table, trump="untracked")
    assert table.phase == "bids"
    assert "trump" not in table.phone.text.casefold()


# Bidding at once


@pytest.mark.parametrize(
    ("bids", "said"),
    [
        ((2, 1, 1, 1), "5 of 3 tricks bid over by 2"),
        ((1, 0, 0, 1), "2 of 3 tricks bid under by 1"),
        ((1, 1, 1, 0), "3 of 3 tricks bid even"),
    ],
)
def test_bids_made_at_once_go_in_in_any_order_and_are_announced(table, bids, said):
    """All bid on a count of three: nobody is last, no bid is barred, and the sum is told."""
    seated(table, simultaneous=True).trump("hearts")
    for name in ("Chiara", "Ada", "Dmitri", "Bruno"):
        table.phone.follow(name)
        assert not table.phone.page.select(".keys .key[aria-disabled]")
        table.bid_one(bids[FOUR.index(name)])
    assert table.phase == "play"
    announced = table.phone.page.select_one("[data-announce]").get_text(" ")
    assert " ".join(announced.split()) == said


def test_the_table_is_reminded_that_trumping_is_a_must(table):
    """The reminder stands there in play, and only where it is a rule."""
    seated(table, must_trump=True).trump("hearts").bid(0, 0, 0, 1)
    assert "Who cannot follow suit must trump." in table.phone.text
    seated(table, must_trump=False).trump("hearts").bid(0, 0, 0, 1)
    assert "must trump" not in table.phone.text


# Undo


def test_undo_goes_back_to_an_empty_first_hand(table, rows):
    """Each undo takes one step back, until nothing is left to take back."""
    seated(table)
    empty = rows("hand", "entry")
    assert not table.phone.has("undo")
    table.trump("hearts").bid_one(1)
    table.phone.follow("Ada")
    table.bid_one(2).bid_one(0)
    assert bids_shown(table.undo()) == {"Ada": "2", "Bruno": "–", "Chiara": "–", "Dmitri": "–"}
    assert bids_shown(table.undo())["Ada"] == "1"
    assert bids_shown(table.undo())["Ada"] == "–"
    table.undo()
    assert table.phase == "deal"
    assert not table.phone.has("undo")
    assert rows("hand", "entry") == empty


def test_undo_reopens_the_hand_before(table, rows):
    """The next hand is gone again, and the tricks stand there as they were saved."""
    seated(table).trump("hearts").bid(1, 0, 1, 0).over()
    table.phone.tap("more-2")
    before = rows("hand", "entry")
    table.save()
    table.undo()
    assert (table.hand, table.phase) == (1, "tricks")
    assert table.shown() == {0: 1, 1: 0, 2: 2, 3: 0}
    assert rows("hand", "entry") == before
    table.phone.get(f"/g/{table.code}/hands/2")
    assert table.hand == 1


def test_undo_takes_back_the_end_of_the_game(table, app):
    """A finished game is running again, without places, until its last hand is saved anew."""
    seated(table, plan="1").play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])
    assert table.phone.page.h1.get_text(strip=True) == "Final score"
    table.undo()
    assert (table.hand, table.phase) == (1, "tricks")
    with app.app_context():
        game = table.game()
        assert game.finished is None
        assert {(seat.total, seat.place) for seat in game.seats} == {(None, None)}
    table.took(0, 1, 0, 0)
    assert table.totals() == [10, 0, 10, 10]


def test_only_the_last_step_is_taken_back(table, rows):
    """An undo that was meant for another step does nothing and says so."""
    seated(table).trump("hearts")
    address, sent = fields(table, "undo")
    table.bid_one(1)
    before = rows()
    table.phone.post(address, sent, 409)
    assert "Something else was done since, so nothing was taken back." in table.phone.text
    assert rows() == before


def test_undo_works_however_many_steps_the_book_has_seen(table, app):
    """The number of a step has no upper bound that a busy server would reach."""
    seated(table)
    with app.app_context():
        act = {"action": "x", "kind": "undo", "at": table.game().started, "steps": []}
        db.session.add(Change(id=2_000_000, game_id=table.game().id, **act))
        db.session.commit()
    try:
        table.trump("hearts").undo()
        assert table.phase == "deal"
    finally:
        with app.app_context():
            db.session.execute(db.delete(Change))
            db.session.commit()


def test_a_double_undo_takes_back_one_step(table):
    """The same undo twice is one."""
    seated(table).trump("hearts").bid_one(1).bid_one(0)
    address, sent = fields(table, "undo")
    for _again in range(2):
        table.phone.post(address, sent)
        assert bids_shown(table) == {"Ada": "1", "Bruno": "–", "Chiara": "–", "Dmitri": "–"}


# Two phones


@pytest.mark.case("A17")
def test_two_phones_with_other_bids_see_both_and_choose(table, other_phone):
    """What stands there and what was sent are shown side by side; only a choice changes the book."""
    seated(table).trump("hearts")
    second = table.kept_on(other_phone)
    table.bid_one(1)
    second.bid_one(2, status=409)
    assert "Ada : somebody wrote here in the meantime" in other_phone.text
    assert [each.get_text() for each in other_phone.page.select(".versions dd")] == ["1", "2"]
    assert bids_shown(table.open())["Ada"] == "1"
    other_phone.tap("mine")
    assert bids_shown(table.open())["Ada"] == "2"


@pytest.mark.case("A17")
def test_two_phones_with_other_tricks_see_both_and_choose(table, other_phone, app):
    """One phone put a player right, the other saves another number for the same player."""
    seated(table).trump("hearts").bid(1, 0, 1, 0).over()
    second = table.kept_on(other_phone)
    table.phone.tap("more-1")
    other_phone.send(other_phone.button("save"), 409, **{"tricks-1": 0, "tricks-2": 2})
    assert "Bruno : somebody wrote here in the meantime" in other_phone.text
    assert [each.get_text() for each in other_phone.page.select(".versions dd")] == ["1", "0"]
    other_phone.tap("mine")
    assert second.hand == 2
    assert second.totals() == [11, 10, 0, 10]
    with app.app_context():
        assert [change.kind for change in table.game().changes][-2:] == ["took", "score"]


def test_what_the_book_says_may_be_kept(table, other_phone):
    """The other phone keeps what it reads and goes on from there."""
    seated(table).trump("hearts")
    second = table.kept_on(other_phone)
    table.bid_one(1)
    second.bid_one(2, status=409)
    other_phone.follow("Keep what it says")
    assert bids_shown(second)["Ada"] == "1"
    assert second.bidder == 1


def test_two_phones_with_another_trump_see_both(table, other_phone):
    """Trump is a fact like any other."""
    seated(table)
    table.kept_on(other_phone)
    table.trump("hearts")
    other_phone.tap("trump-clubs", 409)
    said = [" ".join(each.get_text(" ").split()) for each in other_phone.page.select(".versions dd")]
    assert said == ["hearts", "clubs"]


def test_the_same_bid_from_two_phones_is_no_conflict(table, other_phone):
    """Both heard the same, so nobody is bothered."""
    seated(table).trump("hearts")
    second = table.kept_on(other_phone)
    table.bid_one(1)
    second.bid_one(1)
    assert bids_shown(second)["Ada"] == "1"
    assert second.bidder == 1


def test_the_same_tricks_from_two_phones_are_no_conflict(table, other_phone):
    """Both save the same hand; it is closed once."""
    seated(table).trump("hearts").bid(1, 0, 1, 0).over()
    table.phone.tap("more-2")
    second = table.kept_on(other_phone)
    table.save()
    second.save()
    assert table.hand == second.hand == 2
    assert second.totals() == [11, 10, 0, 10]


def test_bids_of_different_players_never_conflict(table, other_phone):
    """Two phones write down two players, and both bids are kept."""
    seated(table).trump("hearts")
    second = table.kept_on(other_phone)
    other_phone.follow("Bruno")
    table.bid_one(1)
    second.bid_one(2)
    assert bids_shown(second) == {"Ada": "1", "Bruno": "2", "Chiara": "–", "Dmitri": "–"}


# What the rules of the game ask of the screen


def test_r20_bids_are_written_down_one_at_a_time_in_order(table):
    """The page asks from the dealer's left around to the dealer, one player at a time."""
    seated(table, dealer=1).trump("hearts")
    asked = []
    while table.bidder is not None:
        asked.append(FOUR[table.bidder])
        assert len(table.phone.page.select(".keys")) == 1
        assert table.phone.page.select_one("[aria-current] .name").get_text() == asked[-1]
        table.bid_one(0)
    assert asked == ["Chiara", "Dmitri", "Ada", "Bruno"]


def test_r21_bids_of_all_stay_on_the_screen_during_play(table, other_phone):
    """Everybody's bid stands there, in play and when the tricks are counted, on a watcher's phone too."""
    seated(table).trump("hearts").bid(2, 0, 1, 1)
    assert table.phase == "play"
    assert bids_shown(table) == {"Ada": "2", "Bruno": "0", "Chiara": "1", "Dmitri": "1"}
    assert bids_shown(table.watched_on(other_phone)) == bids_shown(table)
    table.over()
    for name, bid in zip(FOUR, (2, 0, 1, 1), strict=True):
        assert f"{name} bid {bid}" in table.phone.text


def test_r15_a_bid_is_labelled_as_tricks(table):
    """A bid is a number of tricks, and the page says so where the bids are entered."""
    seated(table).trump("hearts").bid_one(2)
    assert "2 of 3 tricks bid" in table.phone.text
    assert not re.search(r"bids? \d+ hands?", table.phone.text)


def test_r05_before_the_deal_the_table_is_reminded_to_shuffle(table):
    """Whoever deals is told to shuffle first."""
    seated(table)
    assert table.phase == "deal"
    assert "Dmitri shuffles and deals 3 cards each" in table.phone.text


def test_r11_the_rest_of_the_pack_is_set_aside(table):
    """Before the bids and in the rules it is said what happens to the cards that are left."""
    seated(table)
    assert "The rest is set aside." in table.phone.text
    table.trump("hearts").phone.follow("Rules")
    assert "the rest of the pack is set aside" in table.phone.text


def test_r17_players_are_reminded_to_follow_suit(table):
    """The rules of the game are one tap away from its hand, and begin with following suit."""
    seated(table).trump("hearts").phone.follow("Rules")
    assert "Follow suit if you can." in table.phone.text


def test_r18_players_are_reminded_what_wins_a_trick(table):
    """The rules say which card wins."""
    seated(table).trump("hearts").phone.follow("Rules")
    assert "The highest card of the suit led wins the trick, unless it is trumped" in table.phone.text
    assert "then the highest trump wins" in table.phone.text


def test_q14_the_first_dealer_is_drawn_or_picked(table, monkeypatch):
    """The first dealer is who was picked, or whoever chance says."""
    seated(table, dealer=2)
    assert "Chiara shuffles and deals" in table.phone.text
    monkeypatch.setattr("secrets.randbelow", lambda players: players - 3)
    seated(table, dealer="random")
    assert "Bruno shuffles and deals" in table.phone.text


def test_q16_any_number_of_phones_may_write(table, other_phone, app):
    """Three phones keep the same hand; each bid carries the phone it came from."""
    seated(table).trump("hearts").bid_one(0)
    second = table.kept_on(other_phone)
    second.bid_one(0)
    third = second.kept_on(type(other_phone)(app))
    third.bid_one(0)
    assert bids_shown(table.open()) == {"Ada": "0", "Bruno": "0", "Chiara": "0", "Dmitri": "–"}
    with app.app_context():
        bids = [change.keeper_id for change in table.game().changes if change.kind == "bid"]
        assert len(set(bids)) == 3
