"""A whole game kept on a phone, through every phase of every hand, as the rules compute it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect

from rules import record
from rules.sheet import Sheet

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
SUITS = ("spades", "hearts", "diamonds", "clubs", "none")


def chance_game(sizes: range, seed: int) -> dict[str, Any]:
    """The record of a game by chance: legal bids, tricks that mostly keep them, Dmitri deals first."""
    chance = random.Random(seed)
    hands = []
    for at, cards in enumerate(sizes):
        bids: list[int] = []
        # The hook bars an even table; a table not too far from it is how people bid.
        while not bids or not 1 <= abs(sum(bids) - cards) <= 2:
            bids = [chance.randint(0, min(cards, 1 + cards // 2)) for _ in FOUR]
        tricks = list(bids)
        while sum(tricks) != cards:
            seat = chance.randrange(len(FOUR))
            tricks[seat] = max(tricks[seat] + (1 if sum(tricks) < cards else -1), 0)
        trump = "none" if cards == max(sizes) else SUITS[at % len(SUITS)]
        dealer = FOUR[(at + 3) % len(FOUR)]
        hands.append({"cards": cards, "dealer": dealer, "trump": trump, "bids": bids, "tricks": tricks})
    rules = {"variant": "classic", "hook": True}
    return {"format": "oh-hell-game/1", "rules": rules, "players": list(FOUR), "hands": hands}


def minus(points: int) -> str:
    """A number as the page writes it."""
    return str(points).replace("-", "−")


def last_rows(sheet: Sheet, number: int) -> list[tuple[str, ...]]:
    """What stands above the deal after hand `number`: player, bid, took, points, total, place."""
    then = replace(sheet, hands=sheet.hands[:number])
    cells = then.rows[-1].cells
    return [
        (
            sheet.names[standing.seat],
            str(cells[standing.seat].bid),
            str(cells[standing.seat].took),
            f"{cells[standing.seat].points:+d}" if cells[standing.seat].points else "0",
            minus(standing.total),
            f"{standing.place}.",
        )
        for standing in then.standings
    ]


@pytest.mark.target("P5")
@pytest.mark.parametrize("scripts", ["with scripts", "without scripts"])
def test_a_whole_game_ends_as_the_rules_compute_it(request, scripts):
    """A classic game of four with the hook, kept through every phase, names the winner the rules name."""
    scripted = scripts == "with scripts"
    thumb = request.getfixturevalue("thumb" if scripted else "plain_thumb")
    facts = chance_game(range(1, 14 if scripted else 6), seed=13)
    sheet = record.read(facts).sheet
    assert not sheet.problems(), "the game by chance must be one that a table may play"
    short = {} if scripted else {"largest": "5"}
    thumb.start(*FOUR, dealer=3, hook=True, no_trump_on="largest", **short)

    for number, hand in enumerate(sheet.hands, 1):
        assert thumb.hand == number
        # Real taps for as long as there are screens that were not seen yet.
        thumb.is_quick = number > 3
        if number > 1:
            assert thumb.last() == last_rows(sheet, number - 1)
        if number == len(sheet.hands):
            # No trump falls on the largest hand, so nobody is asked for it.
            thumb.expect("bids")
            expect(thumb.page.get_by_text("do not turn a card")).to_be_visible()
        else:
            thumb.expect("deal").tap(f"trump-{hand.trump}").expect("bids")
        if number % 4 == 2:
            # The dealer says it early: any seat can be tapped.
            early = hand.dealer
            thumb.follow(f"{FOUR[early]} dealer").tap(f"bid-{early}-{hand.bids[early]}")
        thumb.bid(*hand.bids)
        if number % 3 == 2:
            thumb.tally(*hand.took)
        thumb.over()
        if number % 3 == 2:
            assert tuple(thumb.shown().values()) == tuple(hand.took[seat] for seat in sheet.order(hand))
        thumb.took(*hand.took)

    assert thumb.totals() == list(sheet.totals)
    assert [(place, name, total) for place, name, total, _behind in thumb.standings()] == [
        (f"{each.place}.", FOUR[each.seat], minus(each.total)) for each in sheet.standings
    ]
    winners = " · ".join(FOUR[seat] for seat in sheet.outcome.winners)
    expect(thumb.page.locator(".winner-who")).to_have_text(winners)
    thumb.open("/")
    expect(thumb.page.locator(".games-won").first).to_contain_text(FOUR[sheet.outcome.winners[0]])
