"""Who can still win in the last hands, and what they need.

Before the very last hand the answer is exact: every way the hand may go is looked at, under the hook and with the
tricks adding up. With more hands to come it is a bound that never promises too little: who is said to be out is out.
Points outside the hands, misdeals and changes of the table are nobody's to foresee.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rules.bidding import Bidding
from rules.sheet import Hand, Sheet
from rules.variants import Ties, Trump

MOST_TO_COME = 3
"""With more hands to come nothing is said."""


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


class _Option(NamedTuple):
    """One way a hand may go for a seat: worth is what it adds to what the seat is ranked by, more being better."""

    bid: int
    tricks: int
    worth: tuple[int, int]


def chances(sheet: Sheet) -> Chances | None:
    """Who can still win; None while many hands are to come, before the first result, and where no end is in sight."""
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
    return Chances(
        to_come, False, _bounds(sheet, [hand, *(_dealt_later(sheet, hand, each) for each in later)])
    )


def _dealt_later(sheet: Sheet, hand: Hand, number: int) -> Hand:
    """A hand to come, with everybody at the table."""
    nothing = (None,) * len(sheet.names)
    blank = replace(hand, bids=nothing, took=nothing, tally=nothing, absent=frozenset(), blind=frozenset())
    return replace(blank, number=number, cards=sheet.cards_of(number), trump=None)


def _is_foreseeable(sheet: Sheet, hand: Hand, bidding: Bidding) -> bool:
    """Whether what a hand may pay depends on nothing but the bids and tricks of each player."""
    says = _formulas(sheet)
    unknown = ("bids" in says and not bidding.is_complete) or ("trump" in says and hand.trump is None)
    return not unknown and not bidding.must_not_zero


def _formulas(sheet: Sheet) -> str:
    scoring = sheet.rules.scoring
    return f"{scoring.made} {scoring.missed} {scoring.made_zero}"


def _options(sheet: Sheet, hand: Hand, seat: int, bids: int, trump: Trump | None) -> Iterator[_Option]:
    """Every way this hand may go for a seat, when all bids add up to `bids` and that is trump."""
    if seat not in hand.playing:
        yield _Option(0, 0, (0, 0))
        return
    noted, sign = hand.bids[seat], -1 if sheet.rules.lowest_wins else 1
    may_be_blind = noted is None and sheet.rules.blind_bids
    for blind in {sheet.is_blind(hand, seat), *((True,) if may_be_blind else ())}:
        for bid in range(hand.cards + 1) if noted is None else (noted,):
            for tricks in range(hand.cards + 1):
                points = sheet.rules.scoring.points(
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
                counts = {Ties.MOST_MADE: 1, Ties.MADE_BIDS: bid}.get(sheet.rules.ties, 0)
                yield _Option(bid, tricks, (sign * points, counts if bid == tricks else 0))


# The last hand, exactly


def _exact(sheet: Sheet, hand: Hand, bidding: Bidding) -> tuple[Chance, ...]:
    everybody = range(len(sheet.names))
    options = [_finals(sheet, hand, seat, bidding.total) for seat in everybody]
    barred = hand.cards if _must_differ(bidding) else None
    sign = -1 if sheet.rules.lowest_wins else 1

    # While bids are open everybody can do what everybody can, so that only a leader may be sure.
    may_be_sure = everybody if bidding.is_complete else sheet.leaders

    def chance(seat: int) -> Chance:
        others = [options[other] for other in everybody if other != seat]
        # Whoever is below the worst that somebody else can do is out, so that most worths need no closer look.
        floor = max(min(option.worth for option in each) for each in others)
        for worth in sorted({option.worth for option in options[seat]}):
            if worth < floor:
                continue
            own = [option for option in options[seat] if option.worth == worth]
            if _fits(own, [[o for o in each if o.worth <= worth] for each in others], hand.cards, barred):
                is_sure = seat in may_be_sure and _is_sure(seat, options, hand.cards, barred)
                return Chance(seat, True, worth[0] * sign - sheet.totals[seat], is_sure)
        return Chance(seat, False, None, False)

    return tuple(map(chance, everybody))


def _is_sure(seat: int, options: Sequence[Sequence[_Option]], cards: int, barred: int | None) -> bool:
    """Whether nobody else can come before a seat in any way the last hand may go."""
    alike: dict[tuple[int, tuple[int, int]], list[_Option]] = {}
    for option in options[seat]:
        alike.setdefault((option.tricks, option.worth), []).append(option)
    others = [other for other in range(len(options)) if other != seat]
    for (_, worth), own in alike.items():
        for other in others:
            ahead = [option for option in options[other] if option.worth > worth]
            rest = [options[each] for each in others if each != other]
            if ahead and _fits(ahead, [own, *rest], cards, barred):
                return False
    return True


def _must_differ(bidding: Bidding) -> bool:
    """Whether the bids, some of them still open, may not add up to the cards."""
    bars = bidding.hook or bidding.even_changes is not None or bidding.even_repeats
    return bars and not bidding.is_complete


def _finals(sheet: Sheet, hand: Hand, seat: int, bids: int) -> tuple[_Option, ...]:
    """Every way the last hand may go for a seat, with what it is ranked by in the end."""
    total, tie = sheet.worth(seat)
    streak, results = sheet.rules.streak, [each.result(seat) for each in sheet.played]
    bonus = {True: 0, False: 0}
    if streak is not None:
        before = [
            None if result is None else (each.cards, result == "made")
            for each, result in zip(sheet.played, results, strict=True)
        ]
        bonus = {made: streak.bonuses([*before, (hand.cards, made)])[-1] for made in (True, False)}
    sign = -1 if sheet.rules.lowest_wins else 1
    plays = seat in hand.playing
    return tuple(
        option._replace(
            worth=(
                total + option.worth[0] + (sign * bonus[option.bid == option.tricks] if plays else 0),
                tie + option.worth[1],
            )
        )
        for option in _options(sheet, hand, seat, bids, hand.trump)
    )


def _fits(
    own: Sequence[_Option], others: Sequence[Sequence[_Option]], cards: int, barred: int | None
) -> bool:
    """Whether everybody can have one of their options at once: the tricks are the cards, the bids not `barred`."""
    # For each sum of tricks two sums of bids tell enough: whatever comes on top, one of them is not the barred one.
    reached: dict[int, set[int]] = {0: {0}}
    for options in (own, *others):
        ways: dict[int, set[int]] = {}
        for option in options:
            _keep_two(ways.setdefault(option.tricks, set()), option.bid)
        after: dict[int, set[int]] = {}
        for tricks, sums in reached.items():
            for more, bids in ways.items():
                if tricks + more <= cards:
                    kept = after.setdefault(tricks + more, set())
                    for bid in (total + bid for total in sums for bid in bids):
                        _keep_two(kept, bid)
        reached = after
    return any(total != barred for total in reached.get(cards, ()))


def _keep_two(kept: set[int], number: int) -> None:
    if len(kept) < 2:
        kept.add(number)


# More hands to come: bounds


def _bounds(sheet: Sheet, hands: Sequence[Hand]) -> tuple[Chance, ...]:
    everybody = range(len(sheet.names))
    sign = -1 if sheet.rules.lowest_wins else 1
    now = [sheet.worth(seat)[0] for seat in everybody]
    ranges = [[_range(sheet, hand, seat) for hand in hands] for seat in everybody]
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


def _range(sheet: Sheet, hand: Hand, seat: int) -> tuple[int, int]:
    """The least and the most that a hand can add, more being better."""
    if seat not in hand.table:
        return 0, 0
    says, streak = _formulas(sheet), sheet.rules.streak
    sums = range(hand.cards * len(hand.playing) + 1) if "bids" in says else (0,)
    trumps = (*Trump, None) if "trump" in says and hand.trump is None else (hand.trump,)
    worths = [
        option.worth[0]
        for bids in sums
        for trump in trumps
        for option in _options(sheet, hand, seat, bids, trump)
    ]
    sign = -1 if sheet.rules.lowest_wins else 1
    bonuses = (0, sign * streak.made, sign * streak.missed) if streak else (0,)
    return min(worths) + min(bonuses), max(worths) + max(bonuses)
