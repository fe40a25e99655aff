"""What can be done at a table: each verb takes the whole game as a value, and gives it as it is afterwards.

Nothing is written here, and a verb that is refused changes nothing. A fact that a tap was based on is told as `was`:
where it is another one by now the verb raises Stale, unless what was sent stands there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeVar

from rules import names
from rules.bidding import IllegalBid
from rules.plan import MOST_CARDS, MOST_HANDS, MOST_PLAYERS, largest_that_fits, next_dealer, overdealt
from rules.problem import Problem, RulesError, counted_problem, problem
from rules.record import LONGEST_TEXT, MOST_GIVEN
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import Trump

_Value = TypeVar("_Value")


class Stale(Exception):
    """The fact a tap was based on has changed since.

    `what` names the fact (`bid`, `trump`, `took`, `hand` ...), `stored` is its value now, `sent` what came.
    """

    def __init__(self, what: str, stored: object, sent: object, seat: int | None = None) -> None:
        super().__init__(what)
        self.what, self.stored, self.sent, self.seat = what, stored, sent, seat


class NeedsConfirming(Exception):
    """Legal or not, this is seldom meant: the person is asked. `what` names the question, `problems` say why."""

    def __init__(self, what: str, *problems: Problem) -> None:
        super().__init__(what)
        self.what, self.problems = what, problems


@dataclass(frozen=True)
class Facts:
    """What is written down of one hand, to be put right. Bids and tricks are by seat, None where there is nothing."""

    cards: int
    dealer: int
    trump: Trump | None
    bids: Mapping[int, int | None]
    took: Mapping[int, int | None]

    @classmethod
    def of(cls, hand: Hand) -> Facts:
        """The facts as they are stored."""
        return cls(
            hand.cards,
            hand.dealer,
            hand.trump,
            {seat: hand.bids[seat] for seat in hand.playing},
            {seat: hand.took[seat] for seat in hand.playing},
        )

    def items(self) -> dict[tuple[str, int | None], Any]:
        """Each single fact by its name and seat."""
        single: dict[tuple[str, int | None], Any] = {
            ("cards", None): self.cards,
            ("dealer", None): self.dealer,
            ("trump", None): self.trump,
        }
        single |= {("bid", seat): bid for seat, bid in self.bids.items()}
        return single | {("took", seat): took for seat, took in self.took.items()}


@dataclass(frozen=True)
class About:
    """What is told of an evening beside the score, each text as the line that can be typed."""

    name: str
    place: str
    note: str
    played_on: date

    @classmethod
    def of(cls, name: str, place: str, note: str, played_on: date) -> About:
        """What is stored."""
        return cls(names.tidy(name), names.tidy(place), names.tidy(note), played_on)

    def facts(self) -> list[str]:
        """All of it as texts."""
        return [self.name, self.place, self.note, self.played_on.isoformat()]


def changes(what: str, stored: Any, sent: Any, was: Any, seat: int | None = None) -> bool:
    """Whether a tap changes a fact. Raises Stale when the fact is neither what was seen nor what is sent."""
    if stored == sent:
        return False
    if stored != was:
        raise Stale(what, stored, sent, seat)
    return True


# One hand through its phases


def name_trump(
    sheet: Sheet, number: int, trump: Trump, *, was: Trump | None, named_by: int | None = None
) -> Sheet:
    """Say what is trump in the open hand, and who won the auction for it where there is one.

    Raises RulesError for a seat that does not play; Stale when another trump stands there by now.
    """
    hand = _open(sheet, number)
    if changes("trump", hand.trump, trump, was):
        hand = replace(hand, trump=trump)
    if named_by is not None:
        _check_plays(hand, named_by)
        hand = replace(hand, named_by=named_by)
    return sheet.with_hand(hand)


def bid(
    sheet: Sheet,
    number: int,
    seat: int,
    bid: int,
    *,
    was: int | None,
    blind: bool = False,
    insist: bool = False,
) -> Sheet:
    """Note a bid in the open hand, or change one; `blind` says that the player has not looked.

    Raises IllegalBid; Stale when another bid stands there by now; NeedsConfirming when a bid put right out of
    turn would make the table even against the hook, unless the table insists.
    """
    hand = _open(sheet, number)
    _check_plays(hand, seat)
    if not changes("bid", hand.bids[seat], bid, was, seat) and (seat in hand.blind) == blind:
        return sheet
    bidding = sheet.bidding(hand)
    if bidding.hook and bid == bidding.barred(seat) and seat != bidding.last_bidder:
        if not insist:
            raise NeedsConfirming("hook")
    else:
        bidding.place(seat, bid)
    unseen = hand.blind | {seat} if blind else hand.blind - {seat}
    return sheet.with_hand(replace(hand, bids=_at(hand.bids, seat, bid), blind=unseen))


def rebid(sheet: Sheet, number: int) -> Sheet:
    """Take all bids of the open hand back, because they came out even and the table bids again."""
    hand = _open(sheet, number)
    if not sheet.bidding(hand).must_rebid:
        return sheet
    return sheet.with_hand(replace(hand, bids=(None,) * len(hand.bids), blind=frozenset()))


def count(sheet: Sheet, number: int, seat: int, tricks: int, *, was: int | None) -> Sheet:
    """Tally tricks while the hand is played. Raises RulesError outside 0 to the cards; Stale."""
    hand = _open(sheet, number)
    _check_plays(hand, seat)
    if not changes("tally", hand.tally[seat], tricks, was, seat):
        return sheet
    if not 0 <= tricks <= hand.tricks_left + (hand.tally[seat] or 0):
        raise RulesError(problem("every trick is given to somebody"))
    return sheet.with_hand(replace(hand, tally=_at(hand.tally, seat, tricks)))


def hand_over(sheet: Sheet, number: int) -> Sheet:
    """The last trick of the open hand is played. Raises RulesError while somebody has yet to bid."""
    hand = _open(sheet, number)
    if not hand.is_over:
        _check_bids_stand(sheet, hand)
        hand = replace(hand, is_over=True)
    return sheet.with_hand(hand)


def take(sheet: Sheet, number: int, seat: int, took: int, *, was: int | None) -> Sheet:
    """Note the tricks of one player; the hand stays open. Raises RulesError outside 0 to the cards; Stale."""
    hand = _open(sheet, number)
    _check_plays(hand, seat)
    if not changes("took", hand.took[seat], took, was, seat):
        return sheet
    if not 0 <= took <= hand.cards:
        raise RulesError(problem("tricks are a number from 0 to %(cards)d", cards=hand.cards))
    return sheet.with_hand(replace(hand, took=_at(hand.took, seat, took)))


def score(
    sheet: Sheet,
    number: int,
    took: Mapping[int, int],
    *,
    was: Mapping[int, int | None],
    confirmed: bool = False,
    uneven: bool = False,
) -> Sheet:
    """Settle the tricks of the open hand; `uneven` says that they are meant not to add up.

    Raises RulesError when somebody has yet to bid or the tricks do not add up; NeedsConfirming when everybody is
    said to have made it and nobody has touched a number; Stale when other tricks stand there by now, or the hand
    is closed otherwise.
    """
    hand = _dealt(sheet, number)
    playing = hand.playing
    if hand.is_closed:
        stored = {seat: hand.took[seat] for seat in playing}
        if stored != dict(took):
            raise Stale("hand", stored, dict(took))
        return sheet
    if sheet.ended_early:
        raise Stale("hand", "closed", number)
    _check_bids_stand(sheet, hand)
    for seat in took:
        _check_plays(hand, seat)
        changes("took", hand.took[seat], took.get(seat), was.get(seat), seat)
    results = tuple(took.get(seat) for seat in range(len(sheet.names)))
    if problems := replace(hand, is_uneven=uneven).tricks_problems(results):
        raise RulesError(*problems)
    untouched = all(hand.took[seat] is None and hand.tally[seat] is None for seat in playing)
    if untouched and not confirmed and all(hand.bids[seat] == took[seat] for seat in playing):
        raise NeedsConfirming("everybody-made-it")
    is_uneven = uneven and sum(took.values()) != hand.cards
    return sheet.with_hand(replace(hand, took=results, is_uneven=is_uneven, is_over=True, is_closed=True))


# Putting things right


def correct(sheet: Sheet, number: int, facts: Facts, *, was: Facts, confirmed: bool = False) -> Sheet:
    """Put the facts of a hand right, of a closed one too. Later hands keep theirs; all points follow.

    Only what differs from `was` is changed, so that two phones may correct different things. Raises Stale where a
    fact is neither what was seen nor what is sent; NeedsConfirming with the problems when the hand then breaks the
    rules; RulesError for what no table can mean, such as more tricks than cards.
    """
    hand = _dealt(sheet, number)
    stored, seen = Facts.of(hand).items(), was.items()
    changed = {
        key: sent
        for key, sent in facts.items().items()
        if sent != seen.get(key) and changes(key[0], stored.get(key), sent, seen.get(key), key[1])
    }
    if not changed:
        return sheet
    right = _put_right(sheet, hand, changed)
    problems = [each for each in sheet.hand_problems(right) if each not in sheet.hand_problems(hand)]
    if problems and not confirmed:
        raise NeedsConfirming("correction", *problems)
    if sum(each or 0 for each in right.tally) > right.cards:
        right = replace(right, tally=(None,) * len(right.tally))
    right = replace(right, is_uneven=right.is_closed and right.tricks_taken != right.cards)
    if right.cards != hand.cards:
        plan = _sizes(sheet, number)
        sheet = replace(sheet, plan=(*plan[: number - 1], right.cards, *plan[number:]))
    return sheet.with_hand(right)


def _put_right(sheet: Sheet, hand: Hand, changed: Mapping[tuple[str, int | None], Any]) -> Hand:
    """The hand with these facts put right. Raises RulesError for what no table can mean."""

    def by_seat(what: str, stored: Sequence[int | None]) -> tuple[int | None, ...]:
        return tuple(changed.get((what, seat), each) for seat, each in enumerate(stored))

    right = replace(
        hand,
        cards=changed.get(("cards", None), hand.cards),
        dealer=changed.get(("dealer", None), hand.dealer),
        trump=changed.get(("trump", None), hand.trump),
        bids=by_seat("bid", hand.bids),
        took=by_seat("took", hand.took),
    )
    _check_seat(sheet, right.dealer)
    if not 1 <= right.cards <= MOST_CARDS:
        raise RulesError(problem("the cards are a whole number from 1 up", "cards"))
    seats = [seat for _, seat in changed if seat is not None]
    for seat in (right.dealer, *seats):
        _check_seat(sheet, seat)
        if seat not in right.table:
            raise RulesError(problem("%(player)s is not at the table", player=sheet.names[seat]))
        if seat in right.absent and seat in seats:
            raise RulesError(problem("%(player)s sits this hand out", player=sheet.names[seat]))
    missing = [seat for seat in right.playing if right.bids[seat] is None]
    if right.is_closed and missing:
        raise RulesError(problem("%(player)s has yet to bid", player=sheet.names[missing[0]]))
    # Whose bid was none has yet to bid before anybody counts tricks.
    right = replace(right, is_over=right.is_over and not missing)
    took = right.took if right.is_closed else [each or 0 for each in right.took]
    found = (*sheet.bidding(right).problems(), *right.tricks_problems(took))
    if impossible := [each for each in found if "[" in each.place]:
        raise RulesError(*impossible)
    return right


def void(sheet: Sheet, number: int, *, seen: int | None = None) -> Sheet:
    """A misdeal: the open hand counts nothing, and the same dealer deals it again.

    `seen` are the misdeals of this hand that were seen before, None for not told; Stale when it was dealt again
    since: two phones that tell of one misdeal do it once.
    """
    hand = _open(sheet, number)
    misdeals = sum(each.number == number and each.is_void for each in sheet.hands)
    if seen is not None and seen != misdeals:
        raise Stale("hand", misdeals, seen)
    return sheet.with_hand(replace(hand, is_void=True))


def put_dealer(sheet: Sheet, number: int, seat: int, *, was: int) -> Sheet:
    """Put right who deals the open hand; the deal goes on from there."""
    hand = _open(sheet, number)
    if changes("dealer", hand.dealer, seat, was, seat):
        _check_plays(hand, seat)
        hand = replace(hand, dealer=seat)
    return sheet.with_hand(hand)


def adjust(sheet: Sheet, number: int, seat: int, points: int, reason: str) -> Sheet:
    """A penalty or a bonus outside the hands, from hand `number` on.

    Raises RulesError for a hand that was not dealt, a seat that is not there, or points beyond a million.
    """
    if all(each.number != number for each in sheet.hands):
        raise RulesError(problem("there is no such hand"))
    _check_seat(sheet, seat)
    return _give(sheet, number, seat, points, reason)


def _give(sheet: Sheet, number: int, seat: int, points: int, reason: str) -> Sheet:
    if abs(points) > MOST_GIVEN:
        raise RulesError(problem("the points are a whole number"))
    if len(reason) > LONGEST_TEXT or not names.is_storable(reason):
        raise RulesError(problem("this is a text of at most %(most)d characters", most=LONGEST_TEXT))
    return replace(sheet, adjustments=(*sheet.adjustments, Adjustment(number, seat, points, reason)))


def drop_adjustment(sheet: Sheet, at: int) -> Sheet:
    """Take a penalty or a bonus away again, the one at that index."""
    return replace(sheet, adjustments=(*sheet.adjustments[:at], *sheet.adjustments[at + 1 :]))


# Who sits at the table


def join(
    sheet: Sheet,
    name: str,
    seat: int | None,
    after: int,
    points: int,
    reason: str,
    *,
    fits: bool = False,
) -> Sheet:
    """Seat a player after another, with points to start from; `seat` is the one to come back to, None for a newcomer.

    Who comes when bids are down plays from the next hand. Raises RulesError when the table is full or the player
    is there; NeedsConfirming when coming hands get too large for the pack, which `fits` makes smaller.
    """
    hand = _last_open(sheet)
    if seat is not None and seat in hand.table:
        raise RulesError(problem("%(name)s is at the table already", name=name))
    if seat is None:
        if len(sheet.names) >= MOST_PLAYERS:
            raise RulesError(problem("a game may have %(most)d players", most=MOST_PLAYERS))
        seat = len(sheet.names)
        sheet = replace(
            sheet, names=(*sheet.names, name), hands=tuple(_with_one_seat_more(each) for each in sheet.hands)
        )
        hand = sheet.hands[-1]
    _check_sits(hand, after)
    place = hand.table.index(after) + 1
    table = (*hand.table[:place], seat, *hand.table[place:])
    absent = hand.absent | {seat} if _has_bids(hand) else hand.absent
    sheet = sheet.with_hand(replace(hand, table=table, absent=absent))
    if points:
        sheet = _give(sheet, hand.number, seat, points, reason)
    return _fitting(sheet, fits=fits)


def _with_one_seat_more(hand: Hand) -> Hand:
    return replace(hand, bids=(*hand.bids, None), took=(*hand.took, None), tally=(*hand.tally, None))


def leave(sheet: Sheet, seat: int) -> Sheet:
    """A player goes: out of the open hand and of all that come, but not out of the list.

    Raises RulesError when fewer than 2 would stay.
    """
    hand = _last_open(sheet)
    _check_seat(sheet, seat)
    if seat not in hand.table:
        return sheet
    if len(set(hand.playing) - {seat}) < 2:
        raise RulesError(problem("a hand needs at least 2 players"))
    dealer = hand.dealer
    if dealer == seat:
        dealer = next_dealer(hand.table, seat, sheet.rules.direction, hand.table, hand.absent)
    gone = _without_facts(hand, seat)
    table = tuple(each for each in hand.table if each != seat)
    return sheet.with_hand(replace(gone, table=table, dealer=dealer, absent=hand.absent - {seat}))


def sit_out(sheet: Sheet, seat: int, *, out: bool) -> Sheet:
    """A player sits the open hand out, or plays it after all.

    Raises RulesError when fewer than 2 would play, or more than the pack goes round for.
    """
    hand = _last_open(sheet)
    _check_sits(hand, seat)
    if (seat in hand.absent) == out:
        return sheet
    players = len(hand.playing) + (-1 if out else 1)
    if players < 2:
        raise RulesError(problem("a hand needs at least 2 players"))
    if out:
        return sheet.with_hand(replace(_without_facts(hand, seat), absent=hand.absent | {seat}))
    if trouble := overdealt(hand.cards, players, sheet.rules.deck.of(players)):
        raise RulesError(trouble)
    # Whoever comes back has yet to bid.
    return sheet.with_hand(replace(hand, absent=hand.absent - {seat}, is_over=False))


def _without_facts(hand: Hand, seat: int) -> Hand:
    """The hand with nothing written down of one seat."""
    return replace(
        hand,
        bids=_at(hand.bids, seat, None),
        took=_at(hand.took, seat, None),
        tally=_at(hand.tally, seat, None),
        blind=hand.blind - {seat},
        named_by=None if hand.named_by == seat else hand.named_by,
    )


def swap(sheet: Sheet, seat: int, other: int, *, was: Sequence[int]) -> Sheet:
    """Two players swap seats from the open hand on; `was` are the seats around the table as they were seen.

    Raises Stale when they sit otherwise by now: two phones that swap the same pair do it once.
    """
    hand = _last_open(sheet)
    _check_sits(hand, seat)
    _check_sits(hand, other)
    swapped = tuple({seat: other, other: seat}.get(each, each) for each in was)
    if not changes("table", list(hand.table), list(swapped), list(was)):
        return sheet
    return sheet.with_hand(replace(hand, table=swapped))


def take_over(sheet: Sheet, seat: int, name: str, *, was: str | None = None) -> Sheet:
    """Another person takes a seat over, with its points; `was` is who was seen there, None for not told.

    Raises Stale when another one sits there by now.
    """
    _check_seat(sheet, seat)
    if was is not None and sheet.names[seat] != was:
        raise Stale("player", sheet.names[seat], name, seat)
    return replace(sheet, names=(*sheet.names[:seat], name, *sheet.names[seat + 1 :]))


# How long it goes on


def replan(
    sheet: Sheet, coming: Sequence[int], *, was: Sequence[int] | None = None, over: bool | None = None
) -> Sheet:
    """Set the sizes of all hands not yet bid for; a finished game goes on if there are any.

    `was` are the sizes that were seen, `over` whether the game was seen finished; None for not told. Raises
    RulesError with the arithmetic where the pack is too small, and for no hands at all; Stale for other sizes by
    now, or a game that ended or goes on by now. A game of which only the totals are known has no hands.
    """
    if sheet.given:
        raise RulesError(problem("a game with totals only has none of these", "sequence"))
    last = sheet.hands[-1] if sheet.hands else None
    is_open = last is not None and not last.is_closed and not last.is_void
    settled = len(sheet.played) + (is_open and last is not None and _has_bids(last))
    if over is not None and over != bool(sheet.outcome):
        raise Stale("over", bool(sheet.outcome), over)
    if was is not None and (stored := list(sheet.plan[settled:])) not in (list(was), list(coming)):
        raise Stale("plan", ",".join(map(str, stored)), ",".join(map(str, coming)))
    plan = (*_sizes(sheet, settled)[:settled], *coming)
    players = len(last.table) if last else len(sheet.names)
    if problems := [each for each in sheet.rules.problems(players, plan) if each.place != "players"]:
        raise RulesError(*problems)
    if is_open and settled == len(sheet.played) and not coming:
        raise RulesError(problem("a game needs at least 1 hand", "sequence"))
    return _planned_anew(replace(sheet, ended_early=False), plan)


def end(sheet: Sheet) -> Sheet:
    """End the game now; the hand that is open counts nothing. A game that is over stays as it is."""
    return sheet if sheet.outcome else replace(sheet, ended_early=True)


def reopen(sheet: Sheet) -> Sheet:
    """Go on with a game that was ended early."""
    return replace(sheet, ended_early=False)


def _fitting(sheet: Sheet, *, fits: bool) -> Sheet:
    """The game with coming hands that fit the pack, if that is wanted."""
    hand, rules = _last_open(sheet), sheet.rules
    players = len(hand.table)
    most = largest_that_fits(rules.deck.of(players), players)
    first = hand.number if _has_bids(hand) else hand.number - 1
    plan = _sizes(sheet, first)
    largest = max(plan[first:], default=0)
    if largest <= most:
        return sheet
    trouble = overdealt(1 if most < 1 else largest, players, rules.deck.of(players))
    if trouble and most < 1:
        raise RulesError(trouble)
    if not fits:
        raise NeedsConfirming("plan", *([trouble] if trouble else []))
    return _planned_anew(sheet, (*plan[:first], *(min(size, most) for size in plan[first:])))


def _sizes(sheet: Sheet, first: int) -> list[int]:
    """The plan, and where the game goes on beyond it, the hands up to the one after hand `first`."""
    last = min(first + 1, MOST_HANDS) if sheet.is_open_ended else 0
    return [sheet.cards_of(number) for number in range(1, max(len(sheet.plan), last) + 1)]


def _planned_anew(sheet: Sheet, plan: tuple[int, ...]) -> Sheet:
    """The game with another plan; the open hand follows it while nobody has bid."""
    hand, before, rules = sheet.open_hand, sheet.plan, sheet.rules
    sheet = replace(sheet, plan=plan)
    if hand is None or _has_bids(hand):
        return sheet
    dealt = replace(hand, cards=rules.cards_of(hand.number, plan))
    if dealt.cards != hand.cards:
        # Tricks that somebody noted already were those of another deal.
        none = (None,) * len(hand.took)
        dealt = replace(dealt, took=none, tally=none)
    # A trump that the table said stays, unless the rules now say something else about a hand of that size.
    players = len(hand.playing)
    trump = rules.trump_of(hand.number, plan, players)
    if trump != rules.trump_of(hand.number, before, players):
        dealt = replace(dealt, trump=trump)
    return sheet.with_hand(dealt)


def tell(about: About, told: About, *, was: About) -> About:
    """Write down what the evening was: its name, place and note, and the day. Only what differs from `was`.

    Raises Stale where a fact is neither what was seen nor what is sent.
    """
    stored, seen = vars(about), vars(was)
    changed = {
        fact: sent
        for fact, sent in vars(told).items()
        if sent != seen[fact] and changes(fact, stored[fact], sent, seen[fact])
    }
    return replace(about, **changed)


# What the verbs stand on


def _dealt(sheet: Sheet, number: int) -> Hand:
    """The hand of that number. Raises Stale when the step that dealt it was taken back."""
    hand = sheet.hand(number)
    if hand is None:
        raise Stale("hand", None, number)
    return hand


def _open(sheet: Sheet, number: int) -> Hand:
    """The open hand, if that is its number. Raises Stale when it is closed or the game is over."""
    hand = _dealt(sheet, number)
    if hand.is_closed or sheet.ended_early:
        raise Stale("hand", "closed", number)
    return hand


def _last_open(sheet: Sheet) -> Hand:
    """The open hand. Raises Stale when there is none."""
    if not sheet.hands or sheet.hands[-1].is_closed or sheet.ended_early:
        raise Stale("hand", None, None)
    return sheet.hands[-1]


def _at(values: tuple[_Value, ...], at: int, value: _Value) -> tuple[_Value, ...]:
    return (*values[:at], value, *values[at + 1 :])


def _has_bids(hand: Hand) -> bool:
    """Whether anybody has bid."""
    return any(each is not None for each in hand.bids)


def _check_seat(sheet: Sheet, seat: int) -> None:
    """Raise RulesError when the game has no seat of that number."""
    if not 0 <= seat < len(sheet.names):
        raise RulesError(problem("there is no such seat"))


def _check_sits(hand: Hand, seat: int) -> None:
    """Raise IllegalBid when a seat is not at the table in this hand."""
    if seat not in hand.table:
        raise IllegalBid(problem("this player does not bid in this hand"))


def _check_plays(hand: Hand, seat: int) -> None:
    """Raise IllegalBid when a seat does not play this hand."""
    if seat not in hand.playing:
        raise IllegalBid(problem("this player does not bid in this hand"))


def _check_bids_stand(sheet: Sheet, hand: Hand) -> None:
    """Raise IllegalBid while somebody has yet to bid in the open hand, or must change an even table."""
    bidding = sheet.bidding(hand)
    if missing := bidding.missing:
        called = ", ".join(sheet.names[seat] for seat in missing)
        raise IllegalBid(
            counted_problem(
                "%(players)s has yet to bid", "%(players)s have yet to bid", len(missing), players=called
            )
        )
    if not bidding.is_settled:
        raise IllegalBid(problem("the bids add up to the %(cards)d cards", cards=bidding.cards))
