"""Who can still win in the last hands, and what they need.

Before the very last hand the answer is exact: every way the hand may go is looked at, under the hook and with the
tricks adding up. With more hands to come it is a bound that never promises too little: who is said to be out is out.
Points outside the hands, misdeals and changes of the table are nobody's to foresee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import NamedTuple

from rules.bidding import Bidding
from rules.sheet import Hand, Sheet
from rules.variants import Ties, Trump

MOST_TO_COME = 3
"""With more hands to come nothing is said."""

MOST_WAYS = 15_000
"""So many ways for the hands to go are looked at: less than a tenth of a second, whatever a table plays."""


@dataclass(frozen=True)
class Chance:
    """What one seat can still come to."""

    seat: int
    can_win: bool
    """Alone or with others."""
    needs: int | None
    """The points it must score in all hands to come, should everybody else do as badly as they can; where the lowest
    total wins, the points it may score at the most. None for who is out."""
    is_sure: bool
    """Whatever happens, nobody comes before it. Where bids are open only a leader is ever said to be sure."""


@dataclass(frozen=True)
class Chances:
    """Everybody's chances before the last hands."""

    hands: int
    """To come, the open one included."""
    is_exact: bool
    seats: tuple[Chance, ...]

    @property
    def winners(self) -> tuple[Chance, ...]:
        """Who can still win."""
        return tuple(each for each in self.seats if each.can_win)

    @property
    def out(self) -> tuple[Chance, ...]:
        """Who cannot any more."""
        return tuple(each for each in self.seats if not each.can_win)


def chances(sheet: Sheet) -> Chances | None:
    """Who can still win; None while many hands are to come, before the first result, and where no end is in sight.

    None as well where the hands are so large, or the formulas such, that there are too many ways to look at.
    """
    hand = sheet.open_hand
    if hand is None or not sheet.played or sheet.is_open_ended:
        return None
    to_come = len(sheet.plan) - hand.number + 1
    if not 1 <= to_come <= MOST_TO_COME:
        return None
    bidding = sheet.bidding(hand)
    if to_come == 1 and _is_foreseeable(sheet, hand, bidding):
        return Chances(1, True, _exact(sheet, hand, bidding))
    later = range(hand.number + 1, len(sheet.plan) + 1)
    bounds = _bounds(sheet, [hand, *(_dealt_later(sheet, hand, each) for each in later)])
    return Chances(to_come, False, bounds) if bounds else None


def _dealt_later(sheet: Sheet, hand: Hand, number: int) -> Hand:
    """A hand to come, with everybody at the table."""
    nothing = (None,) * len(sheet.names)
    blank = replace(hand, bids=nothing, took=nothing, tally=nothing, absent=frozenset(), blind=frozenset())
    return replace(blank, number=number, cards=sheet.cards_of(number), trump=None)


def _is_foreseeable(sheet: Sheet, hand: Hand, bidding: Bidding) -> bool:
    """Whether what a hand may pay depends on nothing but the bids and tricks of each player, and these are few."""
    says = sheet.rules.scoring.words
    unknown = ("bids" in says and not bidding.is_complete) or ("trump" in says and hand.trump is None)
    is_small = (len(sheet.names) * (hand.cards + 1)) ** 2 <= MOST_WAYS
    return is_small and not unknown and not bidding.must_not_zero


def _options(sheet: Sheet, hand: Hand, seat: int) -> Iterator[tuple[bool, int, int]]:
    """Every way this hand may go for a seat: whether it bids blind, what it bids, what it takes."""
    noted = hand.bids[seat]
    may_be_blind = noted is None and sheet.rules.blind_bids
    blinds = {sheet.is_blind(hand, seat), *((True,) if may_be_blind else ())}
    counts = range(hand.cards + 1)
    return product(blinds, counts if noted is None else (noted,), counts)


def _points(sheet: Sheet, hand: Hand, option: tuple[bool, int, int], bids: int, trump: Trump | None) -> int:
    """What a hand pays for one of the options, when all bids add up to `bids` and that is trump."""
    blind, bid, tricks = option
    return sheet.rules.scoring.points(
        bid=bid,
        tricks=tricks,
        cards=hand.cards,
        players=len(hand.playing),
        largest=max(sheet.plan),
        bids=bids,
        blind=blind,
        hand=hand.number,
        hands=len(sheet.plan),
        trump=trump.number if trump else 0,
    )


# The last hand, exactly


_Worth = tuple[int, int]
"""What a seat is ranked by in the end, more being better."""


class _Final(NamedTuple):
    """One way the last hand may go for a seat."""

    bid: int
    tricks: int
    worth: _Worth


_Reach = tuple[_Worth, int]
"""A worth, and the sum of the bids it comes with."""

_Best = Callable[[Iterable[_Reach]], _Reach]


def _exact(sheet: Sheet, hand: Hand, bidding: Bidding) -> tuple[Chance, ...]:
    everybody = range(len(sheet.names))
    finals = [_finals(sheet, hand, seat, bidding.total) for seat in everybody]
    worst, best = ([_by_tricks(each, end) for each in finals] for end in (min, max))
    barred = hand.cards if _must_differ(bidding) else None
    sign = -1 if sheet.rules.lowest_wins else 1

    # While bids are open everybody can do what everybody can, so that only a leader may be sure.
    may_be_sure = everybody if bidding.is_complete else sheet.leaders

    def ahead(
        seat: int, ends: Sequence[Mapping[int, Sequence[_Reach]]], end: _Best
    ) -> Iterator[tuple[_Worth, _Worth]]:
        """What a seat comes to in every way, each with the least or the most that the best of the others has then."""
        others = [ends[other] for other in everybody if other != seat]
        reached = _together(others, hand.cards, end)
        for own in finals[seat]:
            fits = reached.get(hand.cards - own.tricks, ())
            for worth, bids in fits:
                if bids + own.bid != barred:
                    yield own.worth, worth
                    break

    def chance(seat: int) -> Chance:
        wins = [own for own, others in ahead(seat, worst, min) if own >= others]
        if not wins:
            return Chance(seat, False, None, False)
        is_sure = seat in may_be_sure and all(own >= others for own, others in ahead(seat, best, max))
        return Chance(seat, True, min(wins)[0] * sign - sheet.totals[seat], is_sure)

    return tuple(map(chance, everybody))


def _must_differ(bidding: Bidding) -> bool:
    """Whether the bids, some of them still open, may not add up to the cards."""
    bars = bidding.hook or bidding.even_changes is not None or bidding.even_repeats
    return bars and not bidding.is_complete


def _finals(sheet: Sheet, hand: Hand, seat: int, bids: int) -> tuple[_Final, ...]:
    """Every way the last hand may go for a seat, with what it is ranked by in the end."""
    total, tie = sheet.worth(seat)
    if seat not in hand.playing:
        return (_Final(0, 0, (total, tie)),)
    streak, results = sheet.rules.streak, [each.result(seat) for each in sheet.played]
    bonus = {True: 0, False: 0}
    if streak is not None:
        before = [
            None if result is None else (each.cards, result == "made")
            for each, result in zip(sheet.played, results, strict=True)
        ]
        bonus = {made: streak.bonuses([*before, (hand.cards, made)])[-1] for made in (True, False)}
    sign = -1 if sheet.rules.lowest_wins else 1

    def final(option: tuple[bool, int, int]) -> _Final:
        _blind, bid, tricks = option
        made = bid == tricks
        counts = {Ties.MOST_MADE: 1, Ties.MADE_BIDS: bid}.get(sheet.rules.ties, 0) if made else 0
        points = _points(sheet, hand, option, bids, hand.trump) + bonus[made]
        return _Final(bid, tricks, (total + sign * points, tie + counts))

    return tuple(map(final, _options(sheet, hand, seat)))


def _by_tricks(finals: Iterable[_Final], end: _Best) -> dict[int, list[_Reach]]:
    """The least or the most, as `end` says, that a seat comes to by the tricks it takes; see `_two`."""
    ways: dict[int, list[_Reach]] = {}
    for final in finals:
        ways.setdefault(final.tricks, []).append((final.worth, final.bid))
    return {tricks: _two(each, end) for tricks, each in ways.items()}


def _together(
    seats: Sequence[Mapping[int, Sequence[_Reach]]], cards: int, end: _Best
) -> Mapping[int, Sequence[_Reach]]:
    """The least or the most that the best of these seats comes to, by the tricks they take together."""
    reached, *rest = seats
    for ways in rest:
        after: dict[int, list[_Reach]] = {}
        for (tricks, before), (more, then) in product(reached.items(), ways.items()):
            if tricks + more <= cards:
                after.setdefault(tricks + more, []).extend(
                    (max(worth, other), bids + bid) for worth, bids in before for other, bid in then
                )
        reached = {tricks: _two(each, end) for tricks, each in after.items()}
    return reached


def _two(reached: Sequence[_Reach], end: _Best) -> list[_Reach]:
    """The one at that end, and the one with another sum of bids: whatever is bid on top, one of them is not barred."""
    first = end(reached)
    others = [each for each in reached if each[1] != first[1]]
    return [first, end(others)] if others else [first]


# More hands to come: bounds


def _bounds(sheet: Sheet, hands: Sequence[Hand]) -> tuple[Chance, ...] | None:
    everybody = range(len(sheet.names))
    sign = -1 if sheet.rules.lowest_wins else 1
    now = [sheet.worth(seat)[0] for seat in everybody]
    ranges = _ranges(sheet, hands)
    if ranges is None:
        return None
    least = [now[seat] + sum(low for low, _ in ranges[seat]) for seat in everybody]
    most = [now[seat] + sum(high for _, high in ranges[seat]) for seat in everybody]
    shares = sheet.rules.ties is Ties.SHARED

    def chance(seat: int) -> Chance:
        others = [other for other in everybody if other != seat]
        floor, ceiling = max(least[other] for other in others), max(most[other] for other in others)
        can_win = most[seat] >= floor
        needs = sign * (max(floor, least[seat]) - now[seat]) if can_win else None
        return Chance(seat, can_win, needs, least[seat] > ceiling or (shares and least[seat] == ceiling))

    return tuple(map(chance, everybody))


def _ranges(sheet: Sheet, hands: Sequence[Hand]) -> list[list[tuple[int, int]]] | None:
    """The least and the most that each hand can add by seat, more being better; None for too many ways to look at."""
    if sum((hand.cards + 1) ** 2 for hand in hands) > MOST_WAYS:
        return None
    sign = -1 if sheet.rules.lowest_wins else 1
    streak = sheet.rules.streak
    bonuses = (0, sign * streak.made, sign * streak.missed) if streak else (0,)
    left = MOST_WAYS
    # Before they bid, all who play a hand can do the same.
    known: dict[tuple[int, bool, int | None, bool], tuple[int, int]] = {}
    ranges: list[list[tuple[int, int]]] = [[] for _ in sheet.names]
    for seat, hand in product(range(len(sheet.names)), hands):
        if seat not in hand.table:
            ranges[seat].append((0, 0))
            continue
        alike = (hand.number, seat in hand.playing, hand.bids[seat], sheet.is_blind(hand, seat))
        if alike not in known:
            worths = [sign * points for points in islice(_points_of(sheet, hand, seat), left + 1)]
            left -= len(worths)
            if left < 0:
                return None
            known[alike] = (min(worths) + min(bonuses), max(worths) + max(bonuses))
        ranges[seat].append(known[alike])
    return ranges


def _points_of(sheet: Sheet, hand: Hand, seat: int) -> Iterator[int]:
    """All that a hand may pay to a seat, each way once that a formula can tell from the others."""
    if seat not in hand.playing:
        yield 0
        return
    told = set()
    for option in _options(sheet, hand, seat):
        blind, bid, tricks = option
        formula = sheet.rules.scoring.formula(bid, tricks)
        says = formula.words
        facts = {"blind": blind, "bid": bid, "tricks": tricks, "off": abs(tricks - bid)}
        heard = (formula, *(fact for word, fact in facts.items() if word in says))
        if heard in told:
            continue
        told.add(heard)
        sums = range(hand.cards * len(hand.playing) + 1) if "bids" in says else (0,)
        trumps = (*Trump, None) if "trump" in says and hand.trump is None else (hand.trump,)
        for bids, trump in product(sums, trumps):
            yield _points(sheet, hand, option, bids, trump)
