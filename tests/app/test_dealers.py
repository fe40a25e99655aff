"""Who deals, over whole evenings, against the rule in plain words: the deal goes to the next person on the chairs."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from codes import new_key
from log import Act
from rules.plan import Direction
from rules.variants import classic
from rules.verbs import Facts

pytestmark = pytest.mark.pages

NOW = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)


class Chairs:
    """The chairs around a table as a list of people, clockwise; the oracle, which knows no seat numbers.

    After a hand the deal goes to the next chair in the direction of play. A misdeal is dealt again by the same
    person. When the dealer leaves, the next one who plays takes the cards.
    """

    def __init__(self, people, dealer, direction):
        self.people = list(people)
        self.dealer = dealer
        self.step = 1 if direction is Direction.CLOCKWISE else -1
        self.out = set()

    def after(self, person):
        """The person on the next chair."""
        return self.people[(self.people.index(person) + self.step) % len(self.people)]

    def bidders(self):
        """Everybody who plays, the one after the dealer first."""
        order = [self.after(self.dealer)]
        while len(order) < len(self.people):
            order.append(self.after(order[-1]))
        return [person for person in order if person not in self.out]

    def closed(self):
        """A hand is over."""
        self.dealer = self.after(self.dealer)
        self.out.clear()

    def left(self, person):
        """Somebody goes."""
        if person == self.dealer:
            self.dealer = next(each for each in self.bidders() if each != person)
        self.people.remove(person)
        self.out.discard(person)

    def joined(self, person, after):
        """Somebody sits down to the left of another."""
        self.people.insert(self.people.index(after) + 1, person)

    def swapped(self, one, other):
        """Two change chairs, whoever deals."""
        at, to = self.people.index(one), self.people.index(other)
        self.people[at], self.people[to] = other, one


def tap():
    """A tap like no other."""
    return Act(new_key(), NOW)


def person(seat):
    """The name of whoever sat down as that number."""
    return f"Player {seat}"


def sit_down(book, players, direction, hands):
    """A game of so many one-card hands and its chairs."""
    rules = replace(classic(), players=(2, 12), direction=direction, hook=False)
    people = [person(seat) for seat in range(players)]
    dealer = players // 2
    game = book.start_game(people, rules, dealer, tap(), plan=[1] * hands)
    return game, Chairs(people, people[dealer], direction)


def check(game, chairs):
    """The open hand is dealt and bid for as the chairs say."""
    sheet = game.sheet()
    hand = sheet.open_hand
    assert sheet.names[hand.dealer] == chairs.dealer
    assert [sheet.names[seat] for seat in sheet.order(hand)] == chairs.bidders()


def close(game, chairs):
    """Everybody bids nothing, and whoever bids first takes the trick."""
    hand = game.sheet().open_hand
    order = game.sheet().order(hand)
    was = Facts.of(hand)
    game.correct(tap(), hand.number, replace(was, bids=dict.fromkeys(order, 0)), was=was)
    took = {seat: int(seat == order[0]) for seat in order}
    game.score(tap(), hand.number, took, was=dict.fromkeys(order))
    chairs.closed()


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("players", range(2, 13))
def test_the_deal_goes_round_a_whole_plan(book, players, direction):
    """Everybody deals in turn, and then it starts over, whichever way the game goes."""
    hands = players + 3
    game, chairs = sit_down(book, players, direction, hands)
    dealers = []
    for _ in range(hands):
        check(game, chairs)
        dealers.append(chairs.dealer)
        close(game, chairs)
    assert len(set(dealers[:players])) == players
    assert dealers[players:] == (dealers * 2)[:3]
    assert game.finished


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("players", range(2, 13))
def test_the_deal_goes_on_whatever_happens_at_the_table(book, players, direction):
    """Joins, leaves, misdeals, hands sat out, swapped seats and dealers put right: the deal goes on from there."""
    chance = random.Random(100 * players + len(direction))
    game, chairs = sit_down(book, players, direction, 12)
    for _ in range(12):
        check(game, chairs)
        for _ in range(chance.randrange(3)):
            something_happens(game, chairs, chance)
            check(game, chairs)
        close(game, chairs)
    assert game.finished


def something_happens(game, chairs, chance):
    """One thing that happens between two deals."""
    seats = {seat.player.name: seat.number for seat in game.row.seats}
    number = game.sheet().open_hand.number
    playing = chairs.bidders()
    who = chance.choice(playing)
    match chance.choice(("join", "leave", "void", "sit out", "swap", "dealer")):
        case "join":
            away = [name for name in map(person, range(12)) if name not in chairs.people]
            if away:
                comer = chance.choice(away)
                game.join(tap(), comer, seats[who], 0, "")
                chairs.joined(comer, who)
        case "leave" if len(playing) > 2:
            game.leave(tap(), seats[who])
            chairs.left(who)
        case "void":
            game.void(tap(), number)
        case "sit out" if len(playing) > 2:
            game.sit_out(tap(), seats[who], out=True)
            chairs.out.add(who)
        case "swap":
            other = chance.choice(chairs.people)
            game.swap(tap(), seats[who], seats[other], was=game.sheet().hands[-1].table)
            chairs.swapped(who, other)
        case "dealer":
            game.put_dealer(tap(), number, seats[who], was=game.sheet().open_hand.dealer)
            chairs.dealer = who


@pytest.mark.parametrize("direction", Direction)
def test_the_dealer_may_sit_out(book, direction):
    """Whoever deals and sits out still deals, bids not, and the next one deals after."""
    game, chairs = sit_down(book, 4, direction, 3)
    dealer = game.sheet().open_hand.dealer
    game.sit_out(tap(), dealer, out=True)
    chairs.out.add(chairs.dealer)
    check(game, chairs)
    close(game, chairs)
    check(game, chairs)
    assert game.sheet().open_hand.absent == frozenset()
