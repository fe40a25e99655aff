"""A whole game as one frozen value: the facts that were written down, and everything that follows from them.

Facts: rules, plan, who sat where, dealer, trump, bids, tricks, adjustments. Everything else (phase, points,
totals, places, outcome, what is wrong) is computed here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from rules.bidding import Bidding
from rules.plan import deal_order, next_dealer, overdealt
from rules.problem import Problem, counted_problem, problem
from rules.variants import EvenTable, First, Rules, Ties, Trump, TrumpMethod


class Phase(StrEnum):
    """Where a hand stands."""

    DEAL = "deal"
    """The cards are being dealt; the table has yet to say what is trump."""
    BIDS = "bids"
    """Somebody has yet to bid."""
    NAMING = "naming"
    """The bids stand, and the highest bidder has yet to name the trump."""
    PLAY = "play"
    """All bids are in, the cards are played."""
    TRICKS = "tricks"
    """The cards are played, the tricks are counted."""
    SCORED = "scored"
    """Closed: it counts."""
    VOID = "void"
    """A misdeal: it leaves no points."""


class Result(StrEnum):
    """How a player's bid went."""

    MADE = "made"
    TOO_MANY = "too-many"
    TOO_FEW = "too-few"


class Ending(StrEnum):
    """Why a game is over."""

    PLAN_FINISHED = "plan-finished"
    TARGET_REACHED = "target-reached"
    ENDED_EARLY = "ended-early"
    TOTALS_ONLY = "totals-only"
    """Nobody knows the hands, only how it ended."""


@dataclass(frozen=True)
class Outcome:
    """The end of a game: why, and the seats that won (several share a win)."""

    ending: Ending
    winners: tuple[int, ...]


@dataclass(frozen=True)
class Hand:
    """The facts of one hand. Per-seat facts are tuples by seat; None = nothing yet, or not at the table."""

    number: int
    """From 1. A voided hand has the number of the one that replaces it."""
    cards: int
    """Cards dealt to each, which is also the number of tricks."""
    dealer: int
    table: tuple[int, ...]
    """The seats around the table, clockwise."""
    bids: tuple[int | None, ...]
    took: tuple[int | None, ...]
    tally: tuple[int | None, ...] = ()
    """Tricks tapped while the hand is played: a reminder, which becomes the result only once complete."""
    absent: frozenset[int] = frozenset()
    """Seats of the table that sit this hand out."""
    trump: Trump | None = None
    """None: not known."""
    named_by: int | None = None
    """The seat that won the auction for trump; None without one, or when nobody noted it."""
    blind: frozenset[int] = frozenset()
    """Seats that bid before they looked, as noted. `Sheet.is_blind` knows of the cards on the forehead too."""
    is_over: bool = False
    """The last trick is played."""
    is_closed: bool = False
    """The tricks are settled and the hand counts."""
    is_void: bool = False
    is_uneven: bool = False
    """The tricks are meant not to add up to the cards."""
    note: str = ""

    @cached_property
    def playing(self) -> tuple[int, ...]:
        """The seats that play this hand, clockwise."""
        return tuple(seat for seat in self.table if seat not in self.absent)

    @property
    def tricks_taken(self) -> int:
        """All tricks that were given to somebody."""
        return sum(count or 0 for count in self.took)

    @property
    def counts(self) -> bool:
        """Whether this hand has points."""
        return self.is_closed and not self.is_void

    def result(self, seat: int) -> Result | None:
        """How the bid of a seat went; None where it has no bid or no tricks yet."""
        bid, took = self.bids[seat], self.took[seat]
        if bid is None or took is None:
            return None
        if took == bid:
            return Result.MADE
        return Result.TOO_MANY if took > bid else Result.TOO_FEW

    @property
    def tricks_left(self) -> int:
        """Tricks not yet given to anybody in the tally."""
        return self.cards - sum(count or 0 for count in self.tally)

    def to_go(self, seat: int) -> int | None:
        """How many tricks a seat still needs by the tally; negative: it has too many. None without a bid."""
        bid = self.bids[seat]
        return None if bid is None else bid - ((self.tally[seat] or 0) if self.tally else 0)

    def proposed(self) -> tuple[int | None, ...]:
        """The tricks to show when the hand is over, before anybody settled them.

        What was entered stands. When all but one were entered, the last follows. Otherwise a complete tally,
        or else the bids: most people make what they bid, so only those who missed need a touch.
        """
        untouched = [seat for seat in self.playing if self.took[seat] is None]
        rest = self.cards - sum(count or 0 for count in self.took)
        filled = list(self.took)
        if len(untouched) == 1 and len(self.playing) > 1:
            filled[untouched[0]] = min(max(rest, 0), self.cards)
        else:
            source = self.tally if self.tally and not self.tricks_left else self.bids
            for seat in untouched:
                filled[seat] = source[seat] or 0
        return tuple(filled)

    def tricks_problems(self, took: Sequence[int | None]) -> tuple[Problem, ...]:
        """All that is wrong with these tricks by seat: out of range, missing, not adding up to the cards."""
        found = []
        for seat in self.playing:
            tricks = took[seat]
            if tricks is None:
                found.append(problem("a number of tricks is missing", f"tricks[{seat}]"))
            elif not 0 <= tricks <= self.cards:
                found.append(
                    problem("tricks are a number from 0 to %(cards)d", f"tricks[{seat}]", cards=self.cards)
                )
        total = sum(took[seat] or 0 for seat in self.playing)
        if not found and total != self.cards and not self.is_uneven:
            found.append(_sum_problem(total, self.cards))
        return tuple(found)

    def mends(self, took: Sequence[int | None]) -> tuple[tuple[int, int], ...]:
        """The single changes (seat, tricks) that would make these tricks add up to the cards; none if they do."""
        missing = self.cards - sum(took[seat] or 0 for seat in self.playing)
        wanted = ((seat, (took[seat] or 0) + missing) for seat in self.playing)
        return tuple((seat, tricks) for seat, tricks in wanted if missing and 0 <= tricks <= self.cards)


def _sum_problem(total: int, cards: int) -> Problem:
    if total < cards:
        return counted_problem(
            "%(total)d of %(cards)d tricks: %(count)d is missing",
            "%(total)d of %(cards)d tricks: %(count)d are missing",
            cards - total,
            "tricks",
            total=total,
            cards=cards,
        )
    return counted_problem(
        "%(total)d of %(cards)d tricks: %(count)d too many",
        "%(total)d of %(cards)d tricks: %(count)d too many",
        total - cards,
        "tricks",
        total=total,
        cards=cards,
    )


@dataclass(frozen=True)
class Adjustment:
    """Points outside the hands: a penalty, a bonus, a late joiner's start. Counts from hand `hand` on."""

    hand: int
    seat: int
    points: int
    reason: str = ""


@dataclass(frozen=True)
class Cell:
    """One player in one hand, as the score sheet shows it."""

    seat: int
    bid: int | None = None
    took: int | None = None
    result: Result | None = None
    points: int | None = None
    """What the bid paid; None when not at the table."""
    bonus: int = 0
    """The streak bonus of this hand."""
    adjustments: tuple[Adjustment, ...] = ()
    total: int = 0
    """After this hand."""
    has_joined: bool = True
    """Has played a hand or has points by now."""
    blind: bool = False


@dataclass(frozen=True)
class Row:
    """One hand that counts, as the score sheet shows it: a cell for each seat of the game."""

    hand: Hand
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Standing:
    """A player's place so far. `behind` is the distance to the first, never negative."""

    place: int
    seat: int
    total: int
    behind: int
    moved: int = 0
    """Places won (positive) or lost by the last hand."""


@dataclass(frozen=True)
class Sheet:
    """A whole game."""

    rules: Rules
    names: tuple[str, ...]
    """The players by seat, in the order they sat down, clockwise."""
    plan: tuple[int, ...]
    """The sizes of all hands, played and to come."""
    hands: tuple[Hand, ...] = ()
    """In the order they were dealt, voided ones included; at most the last is open."""
    adjustments: tuple[Adjustment, ...] = field(default=())
    ended_early: bool = False
    given: tuple[int, ...] | None = None
    """The final totals by seat, where they are all that is known of the game: it has no hands then."""

    # The hands

    @cached_property
    def played(self) -> tuple[Hand, ...]:
        """The hands that count, in order."""
        return tuple(hand for hand in self.hands if hand.counts)

    @cached_property
    def open_hand(self) -> Hand | None:
        """The hand that is being dealt, bid, played or counted; None between games and after the end."""
        if self.ended_early:
            return None
        return next((hand for hand in self.hands if not hand.is_closed and not hand.is_void), None)

    def hand(self, number: int) -> Hand | None:
        """The hand of that number that counts or is open; None if it was not dealt yet."""
        return next((hand for hand in self.hands if hand.number == number and not hand.is_void), None)

    def with_hand(self, hand: Hand) -> Sheet:
        """The game with one hand as it is now. Raises LookupError for a hand that was not dealt.

        Every other hand stays the very same object, and so does what follows from them alone.
        """
        at = next((at for at, each in enumerate(self.hands) if _is_same_deal(each, hand)), None)
        if at is None:
            raise LookupError(hand.number)
        before = self.hands[at]
        if before == hand:
            return self
        changed = replace(self, hands=(*self.hands[:at], hand, *self.hands[at + 1 :]))
        if not before.counts and not hand.counts:
            # What is still open stands in no row.
            changed.__dict__.update(
                {key: self.__dict__[key] for key in ("played", "rows") if key in self.__dict__}
            )
        return changed

    def phase(self, hand: Hand) -> Phase:
        """Where a hand stands, as far as the facts tell."""
        if hand.is_void:
            return Phase.VOID
        if hand.is_closed:
            return Phase.SCORED
        if hand.is_over:
            return Phase.TRICKS
        bidding = self.bidding(hand)
        if bidding.is_settled:
            waits = hand.trump is None and self.rules.trump is TrumpMethod.HIGHEST_BIDDER
            return Phase.NAMING if waits else Phase.PLAY
        if hand.trump is None and not bidding.bids and self.asks_trump_first:
            return Phase.DEAL
        return Phase.BIDS

    @property
    def asks_trump_first(self) -> bool:
        """Whether the table says what is trump before anybody bids."""
        return self.rules.trump in (TrumpMethod.TURNED, TrumpMethod.DEALER, TrumpMethod.AUCTION)

    @property
    def is_open_ended(self) -> bool:
        """Whether the game goes on beyond its plan until somebody reaches the target."""
        return self.rules.is_open_ended

    def cards_of(self, number: int) -> int:
        """The size of hand `number` (from 1), beyond the plan too where the game goes on.

        Raises IndexError after the last hand.
        """
        return self.rules.cards_of(number, self.plan)

    def is_last(self, hand: Hand) -> bool:
        """Whether no hand comes after this one, whatever it pays."""
        return self.rules.is_last(hand.number, self.plan)

    def order(self, hand: Hand) -> tuple[int, ...]:
        """The seats that play a hand, from first bidder to last."""
        around = self._around(hand)
        match self.rules.first_bidder:
            case First.DEALER:
                return around[-1:] + around[:-1]
            # Before the bids only an auction has a highest bidder.
            case First.HIGHEST_BIDDER if (first := self._auctioneer(hand)) is not None:
                at = around.index(first)
                return around[at:] + around[:at]
        return around

    def _around(self, hand: Hand) -> tuple[int, ...]:
        """The seats that play a hand, from the one after the dealer on."""
        around = deal_order(hand.table, hand.dealer, self.rules.direction)
        return tuple(seat for seat in around if seat not in hand.absent)

    def turns(self, hand: Hand) -> dict[int, int]:
        """How many players after the dealer each seat of a hand sits: the dealer 0, the next one 1."""
        around = self._around(hand)
        return {seat: 0 if seat == hand.dealer else after for after, seat in enumerate(around, start=1)}

    def _auctioneer(self, hand: Hand) -> int | None:
        """The seat that won the auction for trump, where there is one and it was noted."""
        won = self.rules.trump is TrumpMethod.AUCTION and hand.named_by in hand.playing
        return hand.named_by if won else None

    def namer(self, hand: Hand) -> int | None:
        """The seat that names the trump; None where nobody does, or while that is not known."""
        match self.rules.trump:
            case TrumpMethod.DEALER:
                return self._around(hand)[-1]
            case TrumpMethod.AUCTION:
                return self._auctioneer(hand)
            case TrumpMethod.HIGHEST_BIDDER:
                return self._highest_bidder(hand)
        return None

    def _highest_bidder(self, hand: Hand) -> int | None:
        """The first of those who bid most; None until the bids stand."""
        bidding = self.bidding(hand)
        return max(bidding.order, key=bidding.bids.__getitem__) if bidding.is_settled else None

    def leader(self, hand: Hand) -> int | None:
        """Who leads to the first trick; None while that depends on bids yet to come."""
        match self.rules.leads:
            case First.DEALER:
                return self._around(hand)[-1]
            case First.HIGHEST_BIDDER:
                won = self._auctioneer(hand)
                return self._highest_bidder(hand) if won is None else won
        return self._around(hand)[0]

    def bidding(self, hand: Hand) -> Bidding:
        """The bids of a hand under the rules of this game."""
        order = self.order(hand)
        even = self.rules.even_table if self.rules.simultaneous else EvenTable.ANNOUNCE
        return Bidding(
            cards=hand.cards,
            order=order,
            bids={seat: bid for seat in order if (bid := hand.bids[seat]) is not None},
            hook=self.rules.hook_binds(hand.cards, last_hand=self.is_last(hand)),
            must_not_zero=self._must_not_zero(hand),
            even_changes=self._around(hand)[0] if even is EvenTable.LEFT_CHANGES else None,
            even_repeats=even is EvenTable.REBID,
        )

    def hides_bids(self, hand: Hand) -> bool:
        """Whether the bids are still secret: all bid at once, and not all are in."""
        return self.rules.simultaneous and not self.bidding(hand).is_complete

    def as_watched(self) -> Sheet:
        """The game as whoever only looks on may know it: without bids that are still secret."""
        nothing = (None,) * len(self.names)
        hands = tuple(
            replace(hand, bids=nothing, blind=frozenset()) if self.hides_bids(hand) else hand
            for hand in self.hands
        )
        return self if hands == self.hands else replace(self, hands=hands)

    def _must_not_zero(self, hand: Hand) -> frozenset[int]:
        limit = self.rules.zeros_in_a_row
        if not limit or len(hand.playing) < self.rules.zeros_counted_from:
            return frozenset()
        earlier = [each for each in self.played if each.number < hand.number]
        spent = set()
        for seat in hand.playing:
            bids = [each.bids[seat] for each in earlier if each.bids[seat] is not None]
            if len(bids) >= limit and not any(bids[-limit:]):
                spent.add(seat)
        return frozenset(spent)

    def is_blind(self, hand: Hand, seat: int) -> bool:
        """Whether a seat bid without seeing its own cards: before it looked, or with its card on the forehead."""
        return seat in hand.blind or (seat in hand.playing and self.rules.is_on_forehead(hand.cards))

    def first_hand(self, dealer: int) -> Hand:
        """The first hand, dealt by that seat, with everybody at the table."""
        return self._dealt(1, dealer, tuple(range(len(self.names))), frozenset())

    def next_hand(self, table: tuple[int, ...] = ()) -> Hand | None:
        """The hand that follows the last one; None while that is open, and when the game is over.

        After a void hand the same dealer deals it again. Where nothing says who deals first, the first seat.
        `table` are the seats around it where they are others than those of the last hand.
        """
        if self.open_hand or self.outcome:
            return None
        if not self.hands:
            table = table or tuple(range(len(self.names)))
            return self._dealt(1, table[0], table, frozenset())
        last = self.hands[-1]
        table = table or last.table
        dealer, absent = last.dealer, last.absent & set(table)
        if not last.is_void or dealer not in table:
            dealer = next_dealer(last.table, dealer, self.rules.direction, table)
        if last.is_void:
            return self._dealt(last.number, dealer, table, absent)
        return self._dealt(last.number + 1, dealer, table, frozenset())

    def _dealt(self, number: int, dealer: int, table: tuple[int, ...], absent: frozenset[int]) -> Hand:
        nothing = (None,) * len(self.names)
        return Hand(
            number=number,
            cards=self.cards_of(number),
            dealer=dealer,
            table=table,
            absent=absent,
            bids=nothing,
            took=nothing,
            tally=nothing,
            trump=self.rules.trump_of(number, self.plan, len(table) - len(absent)),
        )

    # The points

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The score sheet: a row for each hand that counts, with points and running totals."""
        totals = [0] * len(self.names)
        bonuses = [self._bonuses(seat) for seat in range(len(self.names))]
        rows = []
        joined: set[int] = set()
        for at, hand in enumerate(self.played):
            largest, bids = max(self.plan), sum(bid or 0 for bid in hand.bids)
            given = [each for each in self.adjustments if each.hand == hand.number]
            cells = []
            for seat in range(len(self.names)):
                points = self._points(hand, seat, largest, bids)
                adjusted = tuple(each for each in given if each.seat == seat)
                bonus = bonuses[seat][at]
                totals[seat] += (points or 0) + bonus + sum(each.points for each in adjusted)
                if points is not None or adjusted:
                    joined.add(seat)
                cells.append(
                    Cell(
                        seat=seat,
                        bid=hand.bids[seat],
                        took=hand.took[seat],
                        result=hand.result(seat),
                        points=points,
                        bonus=bonus,
                        adjustments=adjusted,
                        total=totals[seat],
                        has_joined=seat in joined,
                        blind=self.is_blind(hand, seat),
                    )
                )
            rows.append(Row(hand, tuple(cells)))
        return tuple(rows)

    def _points(self, hand: Hand, seat: int, largest: int, bids: int) -> int | None:
        bid, took = hand.bids[seat], hand.took[seat]
        if bid is None or took is None:
            return None
        return self.rules.scoring.points(
            bid=bid,
            tricks=took,
            cards=hand.cards,
            players=len(hand.playing),
            largest=largest,
            bids=bids,
            blind=self.is_blind(hand, seat),
            hand=hand.number,
            hands=len(self.plan),
            trump=hand.trump.number if hand.trump else 0,
        )

    def _bonuses(self, seat: int) -> tuple[int, ...]:
        if self.rules.streak is None:
            return (0,) * len(self.played)
        results = [hand.result(seat) for hand in self.played]
        return self.rules.streak.bonuses(
            [
                None if result is None else (hand.cards, result is Result.MADE)
                for hand, result in zip(self.played, results, strict=True)
            ]
        )

    @cached_property
    def pending(self) -> tuple[Adjustment, ...]:
        """The adjustments that stand in no row yet: those of the hand that is open."""
        in_rows = {row.hand.number for row in self.rows}
        return tuple(each for each in self.adjustments if each.hand not in in_rows)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The points of each seat so far, adjustments of the open hand included."""
        if self.given:
            return self.given
        counted = [cell.total for cell in self.rows[-1].cells] if self.rows else [0] * len(self.names)
        for each in self.pending:
            counted[each.seat] += each.points
        return tuple(counted)

    def made(self, seat: int) -> int:
        """How many bids a seat has made."""
        return sum(hand.result(seat) is Result.MADE for hand in self.played)

    def made_bids(self, seat: int) -> int:
        """The sum of the bids a seat has made."""
        return sum(hand.bids[seat] or 0 for hand in self.played if hand.result(seat) is Result.MADE)

    # The ranking

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The place of each seat: equal ones share it and the next is left out (1, 1, 3)."""
        return _places([self.worth(seat) for seat in range(len(self.names))])

    def worth(self, seat: int) -> tuple[int, int]:
        """What a seat is ranked by, the higher the better: the total, then what the tie rule says."""
        total = self.totals[seat]
        tie = {Ties.MOST_MADE: self.made, Ties.MADE_BIDS: self.made_bids}.get(self.rules.ties, lambda _: 0)
        return (-total if self.rules.lowest_wins else total, tie(seat))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Everybody from first to last; equal places in seat order."""
        best = min(self.totals) if self.rules.lowest_wins else max(self.totals)
        before = self._places_before()
        return tuple(
            Standing(
                place=self.places[seat],
                seat=seat,
                total=self.totals[seat],
                behind=abs(best - self.totals[seat]),
                moved=before[seat] - self.places[seat] if before else 0,
            )
            for seat in sorted(range(len(self.names)), key=lambda seat: (self.places[seat], seat))
        )

    def _places_before(self) -> tuple[int, ...] | None:
        """The places before the last hand that counts; None while that is the first."""
        if len(self.played) < 2:
            return None
        last = self.played[-1].number
        earlier = replace(
            self,
            hands=self.played[:-1],
            adjustments=tuple(each for each in self.adjustments if each.hand < last),
        )
        # The rows of earlier hands know nothing of the last one.
        earlier.__dict__["rows"] = self.rows[:-1]
        return earlier.places

    @cached_property
    def leaders(self) -> tuple[int, ...]:
        """The seats in first place."""
        return tuple(seat for seat, place in enumerate(self.places) if place == 1)

    # The end

    @cached_property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on. A game without a hand that counts has no winner."""
        ending = self._ending()
        return Outcome(ending, self.leaders if self.played or self.given else ()) if ending else None

    def _ending(self) -> Ending | None:
        if self.given:
            return Ending.TOTALS_ONLY
        if self.ended_early:
            return Ending.ENDED_EARLY
        # Where every hand was void nothing was played, and so nothing is finished.
        if not self.played:
            return None
        # Points given while a hand is open end the game only with that hand.
        if self.is_open_ended and not self.open_hand and max(self.totals) >= self.rules.target:
            return Ending.TARGET_REACHED
        if self.rules.is_last(len(self.played), self.plan):
            return Ending.PLAN_FINISHED
        return None

    # What is wrong

    def problems(self) -> tuple[Problem, ...]:
        """All in this game that its rules do not allow, each with its place; empty for a clean game."""
        return tuple(
            replace(each, place=".".join(filter(None, (f"hands[{at}]", each.place))))
            for at, hand in enumerate(self.hands)
            for each in self.hand_problems(hand)
        )

    def hand_problems(self, hand: Hand) -> tuple[Problem, ...]:
        """All in one hand that the rules of this game do not allow."""
        found: list[Problem] = []
        players = len(hand.playing)
        if trouble := overdealt(hand.cards, players, self.rules.deck.of(players), "cards"):
            found.append(trouble)
        found += self.bidding(hand).problems()
        if hand.is_closed:
            found += hand.tricks_problems(hand.took)
            if hand.is_uneven and hand.tricks_taken != hand.cards:
                found.append(_sum_problem(hand.tricks_taken, hand.cards))
        return tuple(found)


def _is_same_deal(one: Hand, other: Hand) -> bool:
    return one.number == other.number and not one.is_void


def _places(worths: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(1 + sum(other > worth for other in worths) for worth in worths)
