"""The game record: read whole or refused with every place, and written so that nothing is lost."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.plan import next_dealer
from rules.record import FORMAT, MOST_OBJECTS, Record, RecordError, read, write
from rules.sheet import Adjustment, Ending, Hand, Outcome, Sheet
from rules.variants import EvenTable, Rules, Trump, TrumpMethod, variants

GAMES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parents[1] / "data" / "games").glob("*.json"))
}
LATE_JOINER = GAMES["syn08-classic-latejoin-leave-swap"]
quietly = settings(
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
ADA, BRUNO, CHIARA, DMITRI = range(4)


def game(**changes: object) -> dict:
    """A short good record with some keys replaced; `...` takes a key away."""
    record = {
        "format": FORMAT,
        "rules": {"hook": True},
        "players": ["Ada", "Bruno", "Chiara"],
        "hands": [
            {"cards": 1, "dealer": "Ada", "trump": "clubs", "bids": [0, 1, 1], "tricks": [0, 0, 1]},
            {"cards": 2, "dealer": "Bruno", "trump": "none", "bids": [1, 2, 0], "tricks": [1, 1, 0]},
        ],
        "totals": [21, 0, 21],
    }
    return {key: value for key, value in (record | changes).items() if value is not ...}


def with_hand(**changes: object) -> dict:
    """The short good record with something else in its second hand."""
    record = game()
    record["hands"][1].update(changes)
    return record


def through_json(record: Record) -> Record:
    """The record as another book would read it."""
    return read(json.loads(json.dumps(write(record))))


def tables(record: Record) -> list[tuple[int, ...]]:
    """Who sat around the table in each hand."""
    return [hand.table for hand in record.sheet.hands]


@pytest.mark.parametrize("data", GAMES.values(), ids=GAMES)
def test_recorded_games_agree(data):
    """The totals of every recorded game follow from its hands."""
    record = read(data)
    assert record.sheet.totals == tuple(data["totals"])
    assert record.disagreements() == ()


@pytest.mark.parametrize("data", GAMES.values(), ids=GAMES)
def test_recorded_games_come_back_the_same(data):
    """Written and read again every recorded game is the same value, and its second writing the same text."""
    record = read(data)
    again = through_json(record)
    assert again.sheet == record.sheet
    assert write(again) == write(record)
    assert write(record)["hands"] == [
        {"dealer": record.sheet.names[hand.dealer]} | raw
        for raw, hand in zip(data["hands"], record.sheet.hands, strict=True)
    ]


def test_wrong_totals_are_told_with_both_numbers():
    """Whose total does not follow, what follows, and what was recorded."""
    record = read(game(totals=[21, 0, 20]))
    assert [str(each) for each in record.disagreements()] == [
        "totals[2]: Chiara: the hands give 21, the record says 20"
    ]
    assert read(game(totals=...)).disagreements() == ()


@pytest.mark.parametrize("version", ["oh-hell-game/2", "oh-hell-book/1", None, 1, ["oh-hell-game/1"]])
def test_another_format_is_named(version):
    """A record of another version is refused with both versions."""
    with pytest.raises(RecordError) as refused:
        read(game(format=version))
    assert str(refused.value).startswith("format: the format is ")
    assert FORMAT in str(refused.value)
    if isinstance(version, str):
        assert version in str(refused.value)


MALFORMED = {
    "players": game(players=["Ada"]),
    "players ": game(players="Ada"),
    "players  ": game(players=[f"P{seat}" for seat in range(13)]),
    "players[1]": game(players=["Ada", "", "Chiara"]),
    "players[2]": game(players=["Ada", "Bruno", " ADA "]),
    "players[0]": game(players=[7, "Bruno", "Chiara"]),
    "rules": game(rules=[]),
    "rules.variant": game(rules={"variant": "bridge"}),
    "rules.rotation": game(rules={"trump": "fixed", "rotation": []}),
    "rules.scoring.made": game(rules={"scoring": {"made": "1 +", "missed": "0"}}),
    "rules.sequence": game(rules={"sequence": "x"}, hands=[], totals=...),
    "hands": game(hands=...),
    "hands ": game(hands={}),
    "hands  ": game(hands=[{"cards": 1, "bids": [1, 1, 1], "tricks": [1, 0, 0]}] * 121, totals=...),
    "hands[0]": game(hands=[5]),
    "hands[1].cards": with_hand(cards=0),
    "hands[1].cards ": with_hand(cards=2.5),
    "hands[1].cards  ": with_hand(cards=True),
    "hands[1].dealer": with_hand(dealer="Zoe"),
    "hands[1].dealer ": with_hand(dealer=5),
    "hands[1].trump": with_hand(trump="red"),
    "hands[1].trump ": with_hand(trump=["clubs"]),
    "hands[1].bids": with_hand(bids=[1, 2]),
    "hands[1].bids ": with_hand(bids=None),
    "hands[1].bids[1]": with_hand(bids=[1, 6, 0]),
    "hands[1].bids[1] ": with_hand(bids=[1, -1, 0]),
    "hands[1].bids[1]  ": with_hand(bids=[1, "2", 0]),
    "hands[1].tricks[0]": with_hand(tricks=[3, 0, 0]),
    "hands[1].tricks": with_hand(tricks=[1, 0, 0]),
    "hands[1]": with_hand(bids=[1, None, 0]),
    "hands[1] ": with_hand(bids=[1, None, None], tricks=[2, None, None]),
    "hands[1].blind": with_hand(blind="Ada"),
    "hands[1].blind[0]": with_hand(blind=["Zoe"]),
    "hands[1].trump_by": with_hand(trump_by="Zoe"),
    "hands[1].trump_by ": with_hand(trump_by=1),
    "hands[1].trump_by  ": with_hand(trump_by="Chiara", bids=[1, 2, None], tricks=[1, 1, None]),
    "hands[1].uneven": with_hand(uneven="yes"),
    "hands[1].voided": with_hand(voided=1),
    "hands[1].note": with_hand(note="x" * 501),
    "note": game(note=5),
    "place": game(place="\ud800"),
    "id": game(id=[]),
    "started": game(started="yesterday"),
    "started ": game(started="2026-01-31T20:00:00"),
    "finished": game(finished="0001-01-01T00:00:00+14:00"),
    "played_on": game(played_on="31.1.2026"),
    "plan": game(plan=[2, 1]),
    "plan ": game(plan=[1]),
    "plan  ": game(plan="1..3"),
    "adjustments": game(adjustments={}),
    "adjustments ": game(adjustments=[{}] * (MOST_OBJECTS + 1)),
    "adjustments[0]": game(adjustments=[5]),
    "adjustments[0].player": game(adjustments=[{"hand": 1, "player": "Zoe", "points": 5}]),
    "adjustments[0].points": game(adjustments=[{"hand": 1, "player": "Ada", "points": 0.5}]),
    "adjustments[0].hand": game(adjustments=[{"hand": 0, "player": "Ada", "points": 5}]),
    "adjustments[0].reason": game(adjustments=[{"hand": 1, "player": "Ada", "points": 5, "reason": 1}]),
    "seat_changes": game(seat_changes=7),
    "seat_changes[0]": game(seat_changes=[{"before_hand": 2, "event": "explodes", "player": "Ada"}]),
    "seat_changes[0] ": game(seat_changes=[{"before_hand": 2, "event": ["leaves"], "player": "Ada"}]),
    "seat_changes[0].before_hand": game(
        seat_changes=[{"before_hand": "2", "event": "leaves", "player": "Ada"}]
    ),
    "seat_changes[0].player": game(seat_changes=[{"before_hand": 2, "event": "leaves", "player": "Zoe"}]),
    "seat_changes[0].players[0]": game(
        seat_changes=[{"before_hand": 2, "event": "swap", "players": ["Zoe", "Ada"]}]
    ),
    "totals": game(totals=[1, 2]),
    "totals ": game(totals=[21, 0, 10**12]),
    "totals  ": game(totals="many"),
    "totals   ": game(hands=[], totals=..., totals_only=True),
    "totals_only": game(totals_only="yes"),
    "hands   ": game(totals_only=True),
    "adjustments  ": game(
        hands=[], totals_only=True, adjustments=[{"hand": 1, "player": "Ada", "points": 5}]
    ),
}


@pytest.mark.parametrize(("place", "data"), MALFORMED.items())
def test_a_malformed_record_names_the_place(place, data):
    """What cannot be taken is refused, and every problem says where it is."""
    with pytest.raises(RecordError) as refused:
        read(data)
    assert place.strip() in [each.place for each in refused.value.problems]
    assert len(set(refused.value.problems)) == len(refused.value.problems)


def test_the_short_game_is_good():
    """What the malformed records are made from is taken without a word."""
    assert read(game()).warnings == ()


def test_every_problem_is_told_at_once():
    """Three mistakes in three places come back together."""
    record = game(note=5, adjustments=[5])
    record["hands"][1]["bids"] = [1, 6, 0]
    with pytest.raises(RecordError) as refused:
        read(record)
    assert [str(each) for each in refused.value.problems] == [
        "hands[1].bids[1]: 6 with 2 cards dealt",
        "adjustments[0]: this is an object",
        "note: this is a text of at most 500 characters",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def accepted(data: object) -> Record | None:
    """The record, or None when it is refused as it should be."""
    try:
        return read(data)
    except RecordError as refused:
        places = [each.place for each in refused.problems]
        str(refused).encode()
    assert all(places) or not isinstance(data, dict)
    return None


@quietly
@given(JSON, st.dictionaries(st.sampled_from([*game(), "plan", "adjustments", "seat_changes"]), JSON))
def test_any_data_is_a_record_or_is_refused(data, keys):
    """Whatever JSON holds, and whatever stands under the keys of a record, nothing else is raised."""
    assert accepted(data) is None
    accepted({"format": FORMAT, **keys})


def mutated(data: dict, rng: Random, value: object) -> dict:
    """A copy of a record in which one thing, anywhere, is gone or something else."""
    data = deepcopy(data)
    here: dict | list = data
    while True:
        key = rng.choice([*here]) if isinstance(here, dict) else rng.randrange(len(here))
        if isinstance(here[key], dict | list) and here[key] and rng.random() < 0.8:
            here = here[key]
            continue
        if rng.random() < 0.2:
            del here[key]
        else:
            here[key] = value
        return data


@quietly
@given(
    st.sampled_from([game(adjustments=[{"hand": 1, "player": "Ada", "points": 5}]), LATE_JOINER]),
    st.randoms(use_true_random=False),
    JSON | st.integers(-1, 9) | st.sampled_from(["Ada", "Zoe", "none", [1, 0, 0]]),
)
def test_a_good_record_with_a_flaw_is_taken_or_refused(data, rng, value):
    """One flaw anywhere is refused with its place, or what was taken can be counted and written."""
    record = accepted(mutated(data, rng, value))
    if record is not None:
        again = through_json(record)
        assert again.sheet == record.sheet
        assert again.disagreements() == ()
        assert again.sheet.standings[0].place == 1


def test_a_value_without_bottom_is_refused_wherever_it_stands():
    """Lists a thousand deep, under any key and in any hand, are refused like anything else that does not fit."""
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    full = game(
        adjustments=[{"hand": 1, "player": "Ada", "points": 5}],
        seat_changes=[{"before_hand": 2, "event": "sits_out", "player": "Ada"}],
    )
    for key in full:
        assert accepted(full | {key: deep}) is None
    for part in ("hands", "adjustments", "seat_changes"):
        for key in full[part][0]:
            assert accepted(full | {part: [full[part][0] | {key: deep}]}) is None


def a_legal_game(rng: Random) -> Record:
    """A game that some table might have played: guests, absences, misdeals, penalties and all."""
    names = ["Ada", "Bruno", "Chiara", "Dmitri", "Eline"][: rng.randint(3, 5)]
    base = rng.choice(
        [*variants().values(), Rules.read({"name": "ours", "hook": True, "simultaneous": True})]
    )
    rules = replace(base, target=rng.choice([0, 0, 60]), even_table=rng.choice([*EvenTable][:2]))
    if rng.random() < 0.2:
        rules = replace(rules, sequence="2..4", trump=TrumpMethod.AUCTION, forehead=True)
    sheet = Sheet(rules, tuple(names), rules.plan(len(names)))
    table = tuple(range(len(names)))
    if len(names) == 5:
        table = table[:4]
    hands: list[Hand] = []
    dealer, number = 0, 1
    for _ in range(rng.randint(0, 8)):
        if number > len(sheet.plan) and not sheet.is_open_ended:
            break
        before = table
        table = seated_anew(table, len(names), rng)
        if hands and not hands[-1].is_void:
            dealer = next_dealer(before, dealer, rules.direction, table)
        dealer = dealer if dealer in table else table[0]
        hand = a_legal_hand(sheet, Hand(number, sheet.cards_of(number), dealer, table, (), ()), rng)
        hands.append(hand)
        number += not hand.is_void
    fined = tuple(
        Adjustment(rng.randint(1, number), rng.randrange(len(names)), rng.randint(-9, 9), "agreed")
        for _ in range(rng.randint(0, 2))
    )
    sheet = replace(sheet, hands=tuple(hands), adjustments=fined)
    finished = rng.choice(["", "2026-01-31T22:15:00+01:00"])
    ended_early = bool(finished) and sheet.outcome is None
    return Record(replace(sheet, ended_early=ended_early), id="g1", note="at home", finished=finished)


def seated_anew(table: tuple[int, ...], seats: int, rng: Random) -> tuple[int, ...]:
    """The table for the next hand: mostly the same; sometimes somebody leaves, comes or changes places."""
    seated = list(table)
    if rng.random() < 0.3:
        away = [seat for seat in range(seats) if seat not in seated]
        if away and rng.random() < 0.6:
            seated.insert(rng.randint(0, len(seated)), rng.choice(away))
        elif len(seated) > 3:
            seated.remove(rng.choice(seated))
        else:
            rng.shuffle(seated)
    return tuple(seated)


def a_legal_hand(sheet: Sheet, hand: Hand, rng: Random) -> Hand:
    """The hand bid in turn, each within the rules, and its tricks given out at random."""
    nothing = (None,) * len(sheet.names)
    absent = (
        frozenset(rng.sample(hand.table, 1)) if len(hand.table) > 3 and rng.random() < 0.2 else frozenset()
    )
    hand = replace(hand, absent=absent, bids=nothing, took=nothing)
    hand = replace(hand, trump=rng.choice([None, *Trump]), note=rng.choice(["", "loud"]))
    if rng.random() < 0.15:
        return replace(hand, is_void=True)
    bidding = sheet.bidding(hand)
    while (seat := bidding.next_bidder) is not None:
        bidding = bidding.place(seat, rng.choice(bidding.legal_bids(seat)))
    won = [rng.choice(hand.playing) for _ in range(hand.cards)]
    return replace(
        hand,
        bids=tuple(bidding.bids.get(seat) for seat in range(len(sheet.names))),
        took=tuple(won.count(seat) if seat in hand.playing else None for seat in range(len(sheet.names))),
        named_by=rng.choice(hand.playing) if sheet.rules.trump is TrumpMethod.AUCTION else None,
        blind=frozenset(rng.sample(hand.playing, rng.choice([0, 0, 1]))),
        is_over=True,
        is_closed=True,
    )


@quietly
@given(st.randoms(use_true_random=False))
def test_any_legal_game_comes_back_the_same(rng):
    """Whatever happened at a table, what is written is read as the same game, with the same totals."""
    record = a_legal_game(rng)
    again = through_json(record)
    assert again == replace(record, totals=record.sheet.totals, warnings=again.warnings)
    assert again.sheet.totals == record.sheet.totals
    assert again.sheet.outcome == record.sheet.outcome
    assert [each for each in again.warnings if each.place != "players"] == []


def test_texts_and_times_are_kept():
    """Name, note, place and times come back as they were given."""
    given_texts = {
        "id": "g1",
        "name": "Friday",
        "note": "two lines\nof it",
        "place": "at Ada's",
        "started": "2026-01-31T20:00:00+01:00",
        "finished": "2026-01-31T19:00:00Z",
        "played_on": "2026-01-31",
    }
    assert write(read(game(**given_texts))).items() >= given_texts.items()


def test_r02_a_record_of_two_players_only_warns():
    """What a table of two has played is not refused for being two."""
    record = read(
        game(players=["Ada", "Bruno"], hands=[{"cards": 1, "bids": [1, 1], "tricks": [1, 0]}], totals=...)
    )
    assert [str(each) for each in record.warnings] == ["players: 3 to 7 players can play this"]


def test_a_broken_hook_in_an_old_record_warns():
    """The table bid two for two cards: it is taken, and said."""
    record = read(with_hand(bids=[1, 1, 0]) | {"totals": [21, 11, 21]})
    assert [str(each) for each in record.warnings] == ["hands[1].bids: the bids add up to the 2 cards"]
    assert record.disagreements() == ()


def test_declared_uneven_tricks_warn():
    """One trick of two is gone, and the table meant it."""
    record = read(with_hand(tricks=[1, 0, 0], uneven=True))
    assert [each.place for each in record.warnings] == ["hands[1].tricks"]
    assert record.sheet.hands[1].is_uneven


def test_too_many_cards_for_the_pack_are_refused():
    """Three times two cards do not come from a pack of five."""
    with pytest.raises(RecordError, match="3 × 2 cards = 6, the pack has 5"):
        read(game(rules={"deck": 5}))


def test_too_many_cards_that_were_declared_only_warn():
    """A table that says it dealt more than its pack holds knows better; the next book believes it, too."""
    record = read(
        with_hand(cards=18, bids=[1, 2, 0], tricks=[9, 9, 0], overdealt=True) | {"totals": [10, 0, 21]}
    )
    assert [each.place for each in record.warnings] == ["hands[1].cards"]
    assert write(record)["hands"][1]["overdealt"] is True
    assert through_json(record).sheet == record.sheet


def test_a_game_of_totals_only_has_an_end_and_nothing_else():
    """It is over, the highest total has won, and it comes back the same."""
    record = read(game(hands=[], totals=[83, 71, 83], totals_only=True))
    assert record.sheet.given == (83, 71, 83)
    assert record.sheet.outcome == Outcome(Ending.TOTALS_ONLY, (ADA, CHIARA))
    assert record.sheet.places == (1, 3, 1)
    assert write(record)["totals_only"] is True
    assert through_json(record).sheet == record.sheet


def test_missing_dealers_are_derived():
    """The first of the players deals first, and then the deal goes round."""
    record = game()
    for hand in record["hands"]:
        hand["dealer"] = None
    assert [hand.dealer for hand in read(record).sheet.hands] == [ADA, BRUNO]
    counter = record | {"rules": {"direction": "counter-clockwise"}}
    assert [hand.dealer for hand in read(counter).sheet.hands] == [ADA, CHIARA]


def test_a_missing_trump_stays_unknown():
    """Nobody noted the trump: it is not made up, not even where the rules would tell."""
    record = game(rules={"trump": "rotation", "rotation": ["spades"]})
    del record["hands"][0]["trump"]
    read_one = read(record)
    assert read_one.sheet.hands[0].trump is None
    assert read_one.sheet.rules.trump is TrumpMethod.ROTATION
    assert "trump" not in write(read_one)["hands"][0]


def test_who_won_the_auction_is_kept():
    """The winner of the auction for trump is noted by name, and nobody where there was none."""
    record = read(with_hand(trump_by="Bruno"))
    assert [hand.named_by for hand in record.sheet.hands] == [None, BRUNO]
    assert [hand.get("trump_by") for hand in write(record)["hands"]] == [None, "Bruno"]


def test_a_game_that_went_beyond_its_plan():
    """With a target more hands are played than planned; without one, or with other sizes, that is no plan."""
    hands = [{"cards": cards, "bids": [0, 0, 0], "tricks": [cards, 0, 0]} for cards in (1, 2, 2, 2)]
    rules = {"target": 100}
    record = read(game(rules=rules, plan=[1, 2], hands=hands, totals=...))
    assert record.sheet.plan == (1, 2)
    assert record.sheet.next_hand().cards == 2
    assert through_json(record).sheet == record.sheet
    assert accepted(game(plan=[1, 2], hands=hands, totals=...)) is None
    assert accepted(game(rules=rules, plan=[1], hands=hands, totals=...)) is None


def test_an_even_table_that_should_have_changed_warns():
    """Two cards, all bid at once, and nobody changed the even bids: taken, and said."""
    rules = {"simultaneous": True, "even_table": "left-changes"}
    record = read(with_hand(bids=[1, 1, 0]) | {"rules": rules, "totals": [21, 11, 21]})
    assert [each.place for each in record.warnings] == ["hands[1].bids"]


def test_a_late_joiner_a_swap_and_a_farewell():
    """Eline comes before the sixth hand, Bruno and Chiara change places, and Bruno leaves."""
    record = read(LATE_JOINER)
    seen = tables(record)
    assert seen[4] == (0, 1, 2, 3)
    assert seen[5] == (0, 1, 2, 3, 4)
    assert seen[8] == (0, 2, 1, 3, 4)
    assert seen[11] == (0, 2, 3, 4)
    assert record.sheet.adjustments == (Adjustment(6, 4, 25, "start score of a late joiner"),)
    assert record.sheet.rows[0].cells[4].points is None


def hands_of(*bids: list) -> list[dict]:
    """Hands of one card in which the first who is there takes the trick."""
    hands = []
    for each in bids:
        first = next(seat for seat, bid in enumerate(each) if bid is not None)
        tricks = [None if bid is None else int(seat == first) for seat, bid in enumerate(each)]
        hands.append({"cards": 1, "bids": each, "tricks": tricks})
    return hands


def test_who_left_may_come_back():
    """Dmitri plays, leaves, and joins again in another place."""
    record = read(
        game(
            players=["Ada", "Bruno", "Chiara", "Dmitri"],
            hands=hands_of([1, 1, 0, 0], [1, 1, 0, None], [1, 1, 0, 0]),
            seat_changes=[
                {"before_hand": 3, "event": "joins", "player": "Dmitri", "after": "Ada"},
                {"before_hand": 2, "event": "leaves", "player": "Dmitri"},
            ],
            totals=...,
        )
    )
    assert tables(record) == [(0, 1, 2, 3), (0, 1, 2), (0, 3, 1, 2)]
    assert through_json(record).sheet == record.sheet


def test_who_sits_out_keeps_the_seat():
    """Chiara sits the second hand out: still at the table, passed over in the deal."""
    record = read(game(hands=hands_of([1, 1, 0], [1, 1, None], [1, 1, 0]), totals=...))
    assert tables(record) == [(0, 1, 2)] * 3
    assert record.sheet.hands[1].absent == {CHIARA}
    assert {"before_hand": 2, "event": "sits_out", "player": "Chiara"} in write(record)["seat_changes"]


def test_a_stranger_cannot_bid_nor_deal():
    """Who has left the table is not in the hand."""
    left = [{"before_hand": 2, "event": "leaves", "player": "Chiara"}]
    with pytest.raises(RecordError) as refused:
        read(with_hand(dealer="Chiara") | {"seat_changes": left})
    assert [str(each) for each in refused.value.problems] == [
        "hands[1].bids[2]: Chiara is not at the table",
        "hands[1].dealer: Chiara is not at the table",
    ]
    with pytest.raises(RecordError, match="swap cannot be done here"):
        read(game(seat_changes=[*left, {"before_hand": 2, "event": "swap", "players": ["Ada", "Chiara"]}]))


def test_a_void_hand_is_dealt_again_by_the_same_dealer():
    """A misdeal stands in the record, pays nothing, and has the number of the hand that follows."""
    void = {"cards": 2, "dealer": "Bruno", "voided": True}
    record = game()
    record["hands"].insert(1, void)
    del record["hands"][2]["dealer"]
    sheet = read(record).sheet
    assert [(hand.number, hand.dealer, hand.is_void) for hand in sheet.hands] == [
        (1, ADA, False),
        (2, BRUNO, True),
        (2, BRUNO, False),
    ]
    assert sheet.totals == (21, 0, 21)
    assert sheet.plan == (1, 2)


def test_a_farewell_after_a_misdeal():
    """Chiara deals wrongly and leaves: the void hand keeps her, the one dealt again does not."""
    start = read(game(hands=hands_of([1, 1, 0]), totals=...)).sheet
    nothing = (None, None, None)
    void = Hand(2, 1, CHIARA, (0, 1, 2), nothing, nothing, is_void=True)
    again = Hand(2, 1, ADA, (0, 1), (0, 0, None), (1, 0, None), is_over=True, is_closed=True)
    record = Record(replace(start, hands=(*start.hands, void, again), plan=(1, 1)))
    assert through_json(record).sheet == record.sheet


def test_a_game_still_going_on_keeps_its_plan():
    """Two of three hands are played: the third is still to come after the record was read."""
    record = read(game(plan=[1, 2, 3]))
    assert record.sheet.outcome is None
    assert (following := record.sheet.next_hand()) is not None
    assert following.cards == 3
    assert write(record)["plan"] == [1, 2, 3]
    assert "plan" not in write(read(game()))


def test_a_game_ended_early_stays_ended():
    """The plan was not played out but the game is finished: somebody ended it."""
    record = read(game(plan=[1, 2, 3], finished="2026-01-31T22:00:00+01:00"))
    assert record.sheet.outcome == Outcome(Ending.ENDED_EARLY, (ADA, CHIARA))
    assert through_json(record).sheet.outcome == record.sheet.outcome


def test_a_game_just_begun_has_the_plan_of_its_rules():
    """No hand is played yet: the record is good, and the first of the players deals."""
    record = read(game(rules={"variant": "classic"}, hands=[], totals=[0, 0, 0]))
    assert record.sheet.plan == tuple(range(1, 16))
    assert record.sheet.next_hand() == record.sheet.first_hand(ADA)
    assert through_json(record).sheet == record.sheet


def test_an_open_hand_is_not_written():
    """A hand in the middle of its bids is nobody's past; who came before it stays known."""
    sheet = read(
        game(players=["Ada", "Bruno", "Chiara", "Dmitri"], hands=hands_of([1, 1, 0, None]), totals=...)
    ).sheet
    first = replace(sheet.hands[0], table=(0, 1, 2), absent=frozenset())
    opened = Hand(2, 1, BRUNO, (0, 1, 2, 3), (0, None, None, None), (None,) * 4)
    record = Record(replace(sheet, plan=(1, 1), hands=(first, opened)))
    again = through_json(record)
    assert again.sheet.hands == (first,)
    assert again.sheet.plan == (1, 1)
    assert write(record)["seat_changes"] == [
        {"before_hand": 2, "event": "joins", "player": "Dmitri", "after": "Chiara"}
    ]


def test_formulas_that_look_at_the_whole_game_survive_its_export():
    """Points that depend on the largest hand to come are the same after half the game was written and read."""
    rules = {"scoring": {"made": "tricks + largest + 1 - cards + hands", "missed": "tricks"}}
    record = read(game(rules=rules, plan=[1, 2, 9, 8], totals=...))
    again = through_json(record)
    assert again.sheet.totals == record.sheet.totals
    assert again.disagreements() == ()
