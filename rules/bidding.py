"""What may be bid: the limits, the hook, and whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from rules.problem import Problem, RulesError, counted_problem, problem


class Balance(StrEnum):
    """The sum of all bids against the cards: too much was bid, too little, or just as much."""

    OVER = "over"
    UNDER = "under"
    EVEN = "even"


class IllegalBid(RulesError):
    """A bid that these rules do not allow here."""


@dataclass(frozen=True)
class Bidding:
    """The bids of one hand as they stand.

    `order` are the seats from first bidder to last, `bids` what was bid so far by seat, `hook` whether the
    bids of this hand may not add up to the cards, `must_not_zero` the seats that have bid zero as often in a
    row as their table allows.

    Where all bid at once an even table may be barred afterwards: `even_changes` is the seat that must then
    change its bid, `even_repeats` has all bid again.
    """

    cards: int
    order: tuple[int, ...]
    bids: Mapping[int, int] = field(default_factory=dict)
    hook: bool = False
    must_not_zero: frozenset[int] = frozenset()
    even_changes: int | None = None
    even_repeats: bool = False

    @property
    def total(self) -> int:
        """The sum of the bids so far."""
        return sum(self.bids.values())

    @property
    def difference(self) -> int:
        """By how much the bids so far exceed the cards; negative when tricks are left over."""
        return self.total - self.cards

    @property
    def balance(self) -> Balance:
        """Over, under or even, counting the bids so far."""
        if self.difference == 0:
            return Balance.EVEN
        return Balance.OVER if self.difference > 0 else Balance.UNDER

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats that have not bid, in bidding order. A bid of zero is a bid."""
        return tuple(seat for seat in self.order if seat not in self.bids)

    @property
    def is_complete(self) -> bool:
        """Everybody has bid."""
        return not self.missing

    @property
    def must_change(self) -> int | None:
        """The seat that must change its bid because the table is even; None when nobody has to."""
        return self.even_changes if self.is_complete and self.balance is Balance.EVEN else None

    @property
    def must_rebid(self) -> bool:
        """All must bid again because the table is even."""
        return self.even_repeats and self.is_complete and self.balance is Balance.EVEN

    @property
    def is_settled(self) -> bool:
        """Everybody has bid and the bids stand: the hand can be played."""
        return self.is_complete and self.must_change is None and not self.must_rebid

    @property
    def next_bidder(self) -> int | None:
        """The seat that bids now, or must change its bid; None when nobody has to."""
        return next(iter(self.missing), self.must_change)

    @property
    def last_bidder(self) -> int:
        """The seat that bids last: the one on the hook."""
        return self.order[-1]

    def barred(self, seat: int) -> int | None:
        """The number that is barred for this seat: the one that would make the table even.

        None while anybody else has yet to bid, without the hook, or where no legal bid makes the table even.
        The seat's own bid does not count, so a bid may be put right under the same rule. Without the hook it is
        barred for the seat that must change the bid it has.
        """
        if not (self.hook or seat == self.must_change) or any(other != seat for other in self.missing):
            return None
        rest = self.cards - sum(bid for other, bid in self.bids.items() if other != seat)
        return rest if 0 <= rest <= self.cards else None

    def legal_bids(self, seat: int) -> tuple[int, ...]:
        """Everything this seat may bid now, from low to high."""
        return tuple(bid for bid in range(self.cards + 1) if self.is_legal(seat, bid))

    def is_legal(self, seat: int, bid: int) -> bool:
        """Whether this seat may bid that now."""
        return self.refusal(seat, bid) is None

    def refusal(self, seat: int, bid: int) -> Problem | None:
        """Why this seat may not bid that; None if it may."""
        if bid not in range(self.cards + 1):
            return problem("a bid is a number from 0 to %(cards)d", cards=self.cards)
        # In a one-card hand the hook may leave nothing but zero; then zero it is.
        if bid == 0 and seat in self.must_not_zero and (self.cards, self.barred(seat)) != (1, 1):
            return problem("zero was bid too often in a row")
        if bid == self.barred(seat):
            return counted_problem(
                "%(bid)d is barred: the bids would add up to the %(count)d card",
                "%(bid)d is barred: the bids would add up to the %(count)d cards",
                self.cards,
                bid=bid,
            )
        return None

    def place(self, seat: int, bid: int) -> Bidding:
        """The bids with this one made, or changed.

        Raises IllegalBid, also when the seat does not bid in this hand.
        """
        if seat not in self.order:
            raise IllegalBid(problem("this player does not bid in this hand"))
        if refusal := self.refusal(seat, bid):
            raise IllegalBid(refusal)
        return replace(self, bids={**self.bids, seat: bid})

    @property
    def breaks_hook(self) -> bool:
        """Everybody has bid and the table is even although the hook bars that."""
        return self.hook and self.is_complete and self.balance is Balance.EVEN

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with these bids, however they came about."""
        found = [
            problem("a bid is a number from 0 to %(cards)d", f"bids[{seat}]", cards=self.cards)
            for seat, bid in self.bids.items()
            if bid not in range(self.cards + 1)
        ]
        found += [
            problem("this player does not bid in this hand", f"bids[{seat}]")
            for seat in self.bids
            if seat not in self.order
        ]
        if self.breaks_hook or self.must_change is not None or self.must_rebid:
            found.append(
                counted_problem(
                    "the bids add up to the %(count)d card",
                    "the bids add up to the %(count)d cards",
                    self.cards,
                    "bids",
                )
            )
        return tuple(found)
