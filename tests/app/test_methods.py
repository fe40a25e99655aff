"""How a table comes by its trump, its bids and its lead, each by the method of its rules."""

from __future__ import annotations

import pytest

from rules import record

pytestmark = pytest.mark.pages

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
ADA, BRUNO, CHIARA, DMITRI = range(4)


@pytest.fixture
def by(table):
    """Seats four at a table with house rules, the fields of whose form are told; Dmitri deals first."""

    def start(plan="3,2", start="classic", dealer=DMITRI, **fields):
        usual = {"name": "Ours", "order": "own", "plan": plan, "no_trump_on": "never"}
        table.phone.house_rules(start, **(usual | fields))
        table.phone.send(table.phone.button("add"), newcomers=",".join(FOUR))
        table.phone.send(table.phone.button("start"), dealer=dealer)
        table.code = table.phone.address.split("/")[2]
        return table

    return start


def asked(table, bids):
    """Everybody bids; who was asked, in order."""
    order = []
    while (seat := table.bidder) is not None:
        order.append(seat)
        table.bid_one(bids[seat])
    return order


def row(table, name):
    """What the page says of a player."""
    found = next(each for each in table.phone.page.select(".seat") if each.bdi.get_text() == name)
    return " ".join(found.get_text(" ").split())


def prompts(table):
    """What the page tells the table to do."""
    return [" ".join(each.get_text(" ").split()) for each in table.phone.page.select(".prompt, .question")]


def suit(table):
    """The trump that the page shows; None where it is not named yet."""
    shown = table.phone.page.select_one(".facts-trump .suit")
    return shown and shown["class"][1].removeprefix("suit-")


def barred(table):
    """The numbers that may not be bid now, each with the reason that stands on the page."""
    return {
        int(key["value"]): table.phone.page.find(id=key["aria-describedby"]).get_text(strip=True)
        for key in table.phone.page.select(".keys .key[aria-disabled]")
    }


def leader(table):
    """Who leads to the first trick, as the page of the play says."""
    return [
        seat.bdi.get_text()
        for seat in table.phone.page.select(".seat")
        if "leads" in seat.small.get_text(" ").replace(",", " ").split()
    ]


def written(app, table):
    """The hands as they are exported."""
    with app.app_context():
        return record.write(table.game().record())["hands"]


# Trump

TURN = "Turn the next card: its suit is trump. The rest is set aside."
SHOW = "No card is left to turn: the dealer shows the last card dealt, and its suit is trump."


@pytest.mark.parametrize(
    ("deck", "no_trump_on", "first", "second"),
    [
        (52, "never", TURN, TURN),
        (52, "exhausted", TURN, TURN),
        (52, "largest", None, TURN),
        (52, "last", TURN, None),
        (8, "never", SHOW, TURN),
        (8, "exhausted", None, TURN),
        (8, "largest", None, TURN),
        (8, "last", None, None),
    ],
)
def test_a_card_is_turned_where_there_is_one_and_the_rules_want_it(by, deck, no_trump_on, first, second):
    """Two cards and then one for four, from 52 cards or from 8, of which the first hand leaves none to turn."""
    table = by("2,1", deck=deck, no_trump_on=no_trump_on)
    for prompt in (first, second):
        if prompt:
            assert table.phase == "deal"
            assert prompt in prompts(table)
        else:
            assert (table.phase, suit(table)) == ("bids", "none")
            assert "No trump in this hand: do not turn a card." in prompts(table)
        table.play(bids=[0, 0, 0, 0], tricks=[0, 0, 1, 0] if table.hand == 2 else [0, 0, 2, 0])


def test_one_suit_for_ever_needs_no_tap(by):
    """Where diamonds are always trump, every hand says so and begins with the bids."""
    table = by("1,1", trump="fixed", suit="diamonds")
    for _hand in range(2):
        assert (table.phase, suit(table)) == ("bids", "diamonds")
        table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])


def test_suits_in_turn_begin_again_after_the_last(by):
    """Four suits and no trump take turns, the sixth hand has the first suit again, all without a tap."""
    table = by("1*6", trump="rotation", turns="spades,hearts,clubs,diamonds,none")
    seen = []
    for _hand in range(6):
        assert table.phase == "bids"
        seen.append(suit(table))
        table.play(bids=[0, 0, 0, 0], tricks=[1, 0, 0, 0])
    assert seen == ["spades", "hearts", "clubs", "diamonds", "none", "spades"]


def test_the_dealer_names_the_trump(by):
    """The page says who, one tap names it, and the bids follow."""
    table = by(trump="dealer")
    assert table.phase == "deal"
    assert prompts(table) == ["Dmitri looks at the cards and names the trump."]
    table.trump("clubs")
    assert (table.phase, suit(table)) == ("bids", "clubs")


@pytest.mark.parametrize(
    ("dealer", "bids", "who"),
    [
        (DMITRI, (1, 2, 0, 1), "Bruno"),
        (DMITRI, (2, 1, 0, 2), "Ada"),
        (BRUNO, (2, 0, 2, 1), "Chiara"),
        (DMITRI, (0, 0, 0, 0), "Ada"),
    ],
)
def test_the_highest_bidder_names_the_trump_after_the_bids(by, other_phone, dealer, bids, who):
    """Of equal bids the first that was made counts; the page says who, and play waits for the suit."""
    table = by(trump="highest-bidder", dealer=dealer)
    assert (table.phase, suit(table)) == ("bids", None)
    table.bid(*bids)
    assert table.phase == "naming"
    assert prompts(table) == [f"{who} bid highest and names the trump."]
    watcher = table.watched_on(other_phone)
    assert prompts(watcher) == prompts(table)
    assert not other_phone.page.select("main form")
    table.trump("spades")
    assert (table.phase, suit(table)) == ("play", "spades")
    assert table.undo().phase == "naming"


def test_the_winner_of_the_auction_bids_and_leads_first(by):
    """Who won and the suit are one tap; then Chiara bids first and leads, though Ada bids more."""
    table = by(trump="auction", first_bidder="highest-bidder", leads="highest-bidder")
    assert prompts(table) == ["The trump is bid for. Who won, and with which suit?"]
    table.phone.send(table.phone.button("trump-hearts"), named_by=CHIARA)
    assert suit(table) == "hearts"
    assert asked(table, (3, 0, 2, 0)) == [CHIARA, DMITRI, ADA, BRUNO]
    assert leader(table) == ["Chiara"]
    table.phone.follow("hearts")
    ticked = table.phone.page.select_one("input[name=named_by][checked]")
    assert ticked.find_parent("label").get_text(strip=True) == "Chiara"


def test_an_auction_that_nobody_noted_leaves_the_usual_order(by):
    """Without a winner the player after the dealer bids first, and the highest bid leads."""
    table = by(trump="auction", first_bidder="highest-bidder", leads="highest-bidder").trump("hearts")
    assert asked(table, (0, 3, 2, 0)) == [ADA, BRUNO, CHIARA, DMITRI]
    assert leader(table) == ["Bruno"]


def test_a_winner_who_does_not_play_is_refused(by, rows):
    """A seat that is not there cannot have won the auction."""
    table = by(trump="auction")
    before = rows()
    table.phone.send(table.phone.button("trump-hearts"), 422, named_by=7)
    assert rows() == before
    assert table.phase == "deal"


def test_a_turned_jester_or_wizard_is_explained(by):
    """At Wizard the deal says what to do with the cards that have no suit."""
    table = by(start="wizard")
    assert prompts(table) == [
        TURN,
        "If a jester is turned, there is no trump.",
        "If a wizard is turned, the dealer names the suit.",
    ]
    table.trump("none")
    assert (table.phase, suit(table)) == ("bids", "none")


def test_a_game_without_trump_never_asks_for_it(by):
    """Every hand begins with its bids and says that there is no trump; no card is spoken of."""
    table = by(trump="none")
    assert (table.phase, suit(table)) == ("bids", "none")
    assert prompts(table) == []


# Bids at once


def test_bids_made_at_once_are_shown_to_all_when_all_are_in(by, other_phone):
    """Until then who watches sees who has bid, not what; who keeps the score sees the numbers."""
    table = by(simultaneous=True).trump("hearts")
    assert "All bid at once: fists, a count of three, fingers." in prompts(table)
    table.bid_one(3).bid_one(2).bid_one(0)
    assert row(table, "Ada") == "Ada 3"
    for question in ("", "?seat=0", "?show=bids", "?show=trump"):
        watcher = table.watched_on(other_phone)
        other_phone.get(f"/g/{table.code}/hands/1{question}")
        if not question.startswith("?show=trump"):
            assert [row(watcher, name) for name in FOUR[:3]] == [f"{name} has bid" for name in FOUR[:3]]
            assert row(watcher, "Dmitri") == "Dmitri dealer – no bid yet"
        assert "tricks bid" not in other_phone.text
    table.bid_one(1)
    watcher = table.watched_on(other_phone)
    assert [row(watcher, name).split()[-1] for name in FOUR] == ["3", "2", "0", "1"]
    assert "6 of 3 tricks bid over by 3" in other_phone.text


def test_an_even_table_is_put_right_by_the_player_after_the_dealer(by, other_phone):
    """The page says who must change; the number that would leave it even is barred, any other opens the play."""
    table = by(simultaneous=True, even_table="left-changes").trump("hearts")
    for bid in (1, 1, 1, 0):
        table.bid_one(bid)
    said = "The bids add up to the cards: Ada must change."
    assert (table.phase, table.bidder) == ("bids", ADA)
    assert said in prompts(table)
    assert said in prompts(table.watched_on(other_phone))
    assert barred(table) == {1: "1 is barred: the bids would add up to the 3 cards."}
    table.bid_one(1)
    assert said in prompts(table), "the same number again is no change"
    table.phone.post(f"/g/{table.code}/hands/1/over", {"act": "a-tap-of-its-own"}, 422)
    table.open(1).bid_one(2)
    assert table.phase == "play"
    assert "4 of 3 tricks bid over by 1" in table.phone.text


def test_an_even_table_may_bid_again(by, rows):
    """All bids are taken back by one tap, and by undo the bids are there again; then it is bid as before."""
    table = by(simultaneous=True, even_table="rebid").trump("hearts")
    for bid in (1, 1, 1, 0):
        table.bid_one(bid)
    assert table.bidder is None
    assert "The bids add up to the cards: all bid again." in prompts(table)
    assert not table.phone.has("over")
    even = rows("entry")
    table.phone.tap("rebid")
    assert [row(table, name).split()[-1] for name in FOUR] == ["yet"] * 4
    table.undo()
    assert rows("entry") == even
    table.phone.tap("rebid")
    table.bid(1, 1, 0, 0)
    assert table.phase == "play"


# The order of the bids


def test_the_dealer_may_bid_first(by):
    """Then the others follow around the table."""
    table = by(first_bidder="dealer").trump("hearts")
    assert asked(table, (0, 0, 0, 0)) == [DMITRI, ADA, BRUNO, CHIARA]


def test_bids_lead_and_deal_may_go_the_other_way(by):
    """Counter-clockwise the player to the dealer's right bids and leads first, and deals next."""
    table = by(direction="counter-clockwise").trump("hearts")
    assert asked(table, (0, 0, 0, 0)) == [CHIARA, BRUNO, ADA, DMITRI]
    assert leader(table) == ["Chiara"]
    table.over().took(3, 0, 0, 0)
    assert "Chiara shuffles and deals" in table.phone.text


# The hook, and zeros


def test_the_hook_may_bind_from_a_size_on(by):
    """With three cards it binds, with two it does not."""
    table = by("2,3", hook=True, hook_from=3).trump("hearts").bid_one(1).bid_one(1).bid_one(0)
    assert barred(table) == {}
    table.bid_one(0).over().took(2, 0, 0, 0)
    table.trump("hearts").bid_one(1).bid_one(1).bid_one(0)
    assert barred(table) == {1: "1 is barred: the bids would add up to the 3 cards."}


def test_the_hook_may_spare_the_last_hand(by):
    """The first of two hands may not be even, the second may."""
    table = by("2,2", hook=True, hook_spares_last=True).trump("hearts").bid_one(1).bid_one(1).bid_one(0)
    assert barred(table) == {0: "0 is barred: the bids would add up to the 2 cards."}
    table.bid_one(1).over().took(2, 0, 0, 0)
    table.trump("hearts").bid_one(1).bid_one(1).bid_one(0)
    assert barred(table) == {}


def test_too_many_zeros_in_a_row_are_refused_with_the_reason(by, rows):
    """Who bid zero before must bid something; who did not may bid zero, and after one bid zero is free again."""
    table = by("2,2,2", zeros_in_a_row=1).trump("hearts").bid(1, 0, 1, 1).over().took(1, 0, 1, 0)
    table.trump("hearts")
    assert table.bidder == BRUNO
    assert barred(table) == {0: "Zero was bid too often in a row."}
    before = rows()
    table.bid_one(0, status=422)
    assert "Zero was bid too often in a row." in table.phone.text
    assert rows() == before
    table.bid_one(1)
    assert barred(table) == {}
    table.bid(1, 1, 0, 1).over().took(1, 0, 0, 1)
    table.trump("hearts")
    while table.bidder != BRUNO:
        table.bid_one(1)
    assert barred(table) == {}


def test_a_zero_and_the_hook_may_both_be_barred(by):
    """The last bidder is told both reasons."""
    table = by("2,2", zeros_in_a_row=1, hook=True).trump("hearts").bid(0, 1, 1, 1).over().took(0, 1, 1, 0)
    table.trump("hearts")
    for bid in (1, 0, 0):
        table.bid_one(bid)
    assert (table.bidder, barred(table)) == (
        ADA,
        {
            0: "Zero was bid too often in a row.",
            1: "1 is barred: the bids would add up to the 2 cards.",
        },
    )


# Blind bids


def test_a_bid_before_looking_is_marked_and_paid_as_such(by, app):
    """Ada bids two blind and makes them, Bruno two with open eyes: 22 and 12, and Ada's are marked in the export."""
    formula = "20 + tricks if blind else 10 + tricks"
    table = by("4,3", blind_bids=True, pattern="own", made=formula, missed="0").trump("hearts")
    table.phone.send(table.phone.button("bid-0-2"), blind="y")
    table.bid_one(2)
    assert row(table, "Ada") == "Ada blind 2"
    assert row(table, "Bruno") == "Bruno 2"
    table.bid_one(1).bid_one(0)
    assert "blind" in row(table, "Ada")
    assert "blind" not in row(table, "Bruno")
    table.over().took(2, 2, 0, 0)
    result = table.phone.page.select(".last tbody tr")
    assert [each.bdi.get_text() for each in result if "blind" in each.get_text()] == ["Ada"]
    table.open(1)
    scored = table.phone.page.select(".scores tbody tr")
    assert [each.bdi.get_text() for each in scored if "blind" in each.get_text()] == ["Ada"]
    assert table.totals() == [22, 12, 0, 10]
    assert [hand["blind"] for hand in written(app, table)] == [["Ada"]]


def test_a_blind_bid_may_be_put_right(by, app):
    """The same number, not blind after all, is a change of its own, and undo takes it back."""
    table = by(blind_bids=True).trump("hearts")
    table.phone.send(table.phone.button("bid-0-2"), blind="y")
    table.phone.follow("Ada")
    assert table.phone.page.select_one("input[name=blind]").has_attr("checked")
    fields = table.phone.filled(table.phone.button("bid-0-2").find_parent("form"))
    fields.pop("blind")
    table.phone.post(f"/g/{table.code}/hands/1/bids", {**fields, "bid": "2"})
    assert row(table, "Ada") == "Ada 2"
    assert row(table.undo(), "Ada") == "Ada blind 2"


def test_a_card_on_the_forehead_makes_every_bid_blind(by, app):
    """The hand of one card says how to hold it, asks nobody whether they looked, and pays as blind."""
    formula = "20 + tricks if blind else 10 + tricks"
    table = by("1,2", forehead=True, pattern="own", made=formula, missed="0").trump("hearts")
    assert prompts(table)[-1] == "Hold your card on your forehead: you see everybody's but your own."
    assert "before looking" not in table.phone.text
    table.play(bids=[1, 0, 0, 0], tricks=[0, 1, 0, 0])
    assert table.totals() == [0, 0, 20, 20]
    assert written(app, table)[0]["blind"] == list(FOUR)
    table.open(2).trump("hearts")
    assert "forehead" not in " ".join(prompts(table))
    table.play(bids=[1, 0, 0, 0], tricks=[1, 1, 0, 0])
    assert table.totals() == [11, 0, 30, 30]


# The lead


@pytest.mark.parametrize(
    ("leads", "bids", "who"),
    [
        ("after-dealer", (0, 2, 0, 2), "Ada"),
        ("dealer", (0, 2, 0, 2), "Dmitri"),
        ("highest-bidder", (0, 1, 0, 2), "Dmitri"),
        ("highest-bidder", (0, 2, 0, 2), "Bruno"),
    ],
)
def test_the_page_of_the_play_says_who_leads(by, other_phone, leads, bids, who):
    """After the dealer, the dealer, or who bid most, the first of several; watchers see it too."""
    table = by(leads=leads).trump("hearts").bid(*bids)
    assert leader(table) == [who]
    assert leader(table.watched_on(other_phone)) == [who]


# Tricks that are meant not to add up


def test_uneven_tricks_are_refused_first_and_offered_then(by, app, rows):
    """Two of three tricks: refused, then kept as meant and marked wherever the hand is shown; undo opens it again."""
    table = by("3,2").trump("hearts").bid(1, 0, 1, 0).over()
    for key in ("more-3", "less-0"):
        table.phone.tap(key)
    assert not table.phone.has("uneven")
    before = rows("hand", "entry")
    table.save(422)
    assert "2 of 3 tricks: 1 is missing." in table.phone.text
    assert rows("hand", "entry") == before
    table.phone.tap("uneven")
    assert table.hand == 2
    assert "2 of 3 tricks, as the table means it." in prompts(table)
    table.open(1)
    assert "2 of 3 tricks, as the table means it." in prompts(table)
    assert table.totals() == [0, 10, 11, 0]
    assert [each.get_text(strip=True) for each in table.phone.page.select(".uneven")] == ["2 of 3"]
    assert [hand["uneven"] for hand in written(app, table)] == [True]
    table.open(2).undo()
    assert (table.hand, table.phase) == (1, "tricks")
    assert rows("hand", "entry") == before
    table.phone.tap("more-2")
    table.save()
    assert ["uneven" in hand for hand in written(app, table)] == [False]


def test_uneven_tricks_of_a_table_that_made_it_are_asked_about_once(by, app):
    """Nobody touched a number: uneven is meant, everybody made it, and the second answer keeps the first."""
    table = by("3,2").trump("hearts").bid(1, 0, 1, 0).over().save(422)
    table.phone.tap("uneven", 422)
    assert prompts(table) == ["Did everybody really make their bid?"]
    table.phone.tap("confirm")
    assert table.totals() == [11, 10, 11, 10]
    assert [hand["uneven"] for hand in written(app, table)] == [True]


def test_tricks_that_add_up_are_never_marked_uneven(by, app):
    """Whoever says uneven with tricks that do add up after all is not taken at their word."""
    table = by("3,2").trump("hearts").bid(1, 0, 1, 0).over()
    table.phone.send(table.phone.button("save"), **{"tricks-0": 2, "uneven": "y"})
    assert ["uneven" in hand for hand in written(app, table)] == [False]
