"""The questions about the past, against answers worked out from the exported records, in plain Python."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from log import Act
from models import Book, Game, db
from rules import record
from rules.record import Record
from rules.sheet import Adjustment, Hand, Sheet
from rules.variants import classic, find_variant
from rules.verbs import Facts
from stats import Bids, Past, Person, Questions, Rate, Records, Scope, rules_of

NOW = datetime(2026, 1, 31, 20, 0, tzinfo=UTC)
GAMES = sorted((Path(__file__).parents[1] / "data/games").glob("*.json"))
CAST = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Adele")


# The same answers, the plain way


@dataclass
class Told:
    """One game as its record tells it."""

    sheet: Sheet
    day: date
    rules: object
    names: tuple[str, ...]

    @property
    def hands(self):
        """The hands that count."""
        return [hand for hand in self.sheet.hands if hand.is_closed and not hand.is_void]

    def bids(self, name):
        """All bids of a person as (hand, seat), in order."""
        seat = self.names.index(name)
        return [(hand, seat) for hand in self.hands if hand.bids[seat] is not None]


def told(book, person=lambda name: name):
    """All finished games of a book, read back from what it exports, in the order they were played."""
    games = [game for game in book.games if game.finished and not game.deleted]
    found = []
    for game in sorted(games, key=lambda each: (each.played_on, each.started, each.id)):
        sheet = record.read(json.loads(json.dumps(record.write(game.record())))).sheet
        if sheet.given or any(hand.is_closed and not hand.is_void for hand in sheet.hands):
            rules = sheet.rules
            alike = (rules.name, rules.scoring, rules.streak, rules.lowest_wins)
            found.append(Told(sheet, game.played_on, alike, tuple(map(person, sheet.names))))
    return found


def is_made(hand, seat):
    """Whether a bid was made."""
    return hand.bids[seat] == hand.took[seat]


def hook_binds(game, hand):
    """The seat on the hook in this hand: the last one, where a number from 0 to the cards was barred for it."""
    bidders = [seat for seat, bid in enumerate(hand.bids) if bid is not None]
    last = max(bidders, key=lambda seat: after_dealer(hand, seat) or len(bidders))
    others = sum(hand.bids[seat] for seat in bidders if seat != last)
    return last if game.sheet.rules.hook and others <= hand.cards else None


def after_dealer(hand, seat):
    """How many players after the dealer a seat sits."""
    around = hand.table.index(hand.dealer)
    walk = [*hand.table[around + 1 :], *hand.table[: around + 1]]
    return 0 if seat == hand.dealer else [each for each in walk if each not in hand.absent].index(seat) + 1


def most_in_a_row(hits):
    """The longest run."""
    return max((len([*those]) for hit, those in groupby(hits) if hit), default=0)


def rate(hits):
    """So many of so many."""
    hits = list(hits)
    return Rate(sum(hits), len(hits))


def rates(pairs):
    """The same by a key."""
    found = {}
    for key, hit in pairs:
        found.setdefault(key, []).append(hit)
    return {key: rate(hits) for key, hits in found.items()}


def check_person(games, past, scope, person, name):
    """Everything that is said of a person follows from the games."""
    own = [game for game in games if name in game.names]
    bids = [(game, hand, seat) for game in own for hand, seat in game.bids(name)]
    places = [game.sheet.places[game.names.index(name)] for game in own]
    said, answered = Person.of(past.within(scope), person), Bids.of(scope, person)
    assert (said.games, said.wins) == (len(own), places.count(1))
    assert answered.all == rate(is_made(hand, seat) for _, hand, seat in bids)
    assert answered.by_cards == rates((hand.cards, is_made(hand, seat)) for _, hand, seat in bids)
    assert answered.by_bid == rates((hand.bids[seat], is_made(hand, seat)) for _, hand, seat in bids)
    assert answered.by_turn == rates(
        (after_dealer(hand, seat), is_made(hand, seat)) for _, hand, seat in bids
    )
    assert answered.zeros == rate(is_made(hand, seat) for _, hand, seat in bids if hand.bids[seat] == 0)
    on_hook = [is_made(hand, seat) for game, hand, seat in bids if hook_binds(game, hand) == seat]
    assert answered.hooked == rate(on_hook)
    missed = [hand.took[seat] > hand.bids[seat] for _, hand, seat in bids if not is_made(hand, seat)]
    assert answered.too_many == rate(missed)
    made = [is_made(hand, seat) for _, hand, seat in bids]
    assert said.made_run == most_in_a_row(made)
    assert said.made_run_now == (made[::-1].index(False) if False in made else len(made))
    assert said.win_run == most_in_a_row(place == 1 for place in places)
    assert {each.person: tuple(each[1:]) for each in said.versus} == head_to_head(own, name, past.names)
    assert evening(said.best) in shares(own, name, max)
    assert evening(said.worst) in shares(own, name, min)
    if own:
        assert said.average_place == pytest.approx(sum(places) / len(places))
        assert said.average_table == pytest.approx(sum(len(game.names) for game in own) / len(own))
        totals = [game.sheet.totals[game.names.index(name)] for game in own]
        alike = len({game.rules for game in own}) == 1
        assert said.points == (pytest.approx(sum(totals) / len(totals)) if alike else None)
        everybody = [total for game in own for total in game.sheet.totals]
        assert said.table_points == (pytest.approx(sum(everybody) / len(everybody)) if alike else None)


def head_to_head(own, name, names):
    """How often somebody came in before, with and after each of the others."""
    found = {}
    for game in own:
        mine = game.sheet.places[game.names.index(name)]
        for other, called in names.items():
            if called != name and called in game.names:
                theirs = game.sheet.places[game.names.index(called)]
                found.setdefault(other, []).append((theirs > mine) - (theirs < mine))
    return {other: tuple(results.count(each) for each in (1, 0, -1)) for other, results in found.items()}


def evening(found):
    """The share of an evening, as far as there was one."""
    return found and found.made.share


def shares(own, name, extreme):
    """The best or worst share of all evenings with five bids or more; None where there is none, or no other."""
    evenings = rates((game.day, is_made(hand, seat)) for game in own for hand, seat in game.bids(name))
    counted = [each.hits / each.of for each in evenings.values() if each.of >= 5]
    if len(counted) < (1 if extreme is max else 2):
        return [None]
    return [extreme(counted)]


def check_ratings(games, past):
    """Everybody's rating after each of their games is that of openskill."""
    model = PlackettLuce()
    now, lines = {}, {}
    for game in games:
        teams = [[now.get(name) or model.rating()] for name in game.names]
        after = model.rate(teams, ranks=[float(place) for place in game.sheet.places])
        for name, (rating,) in zip(game.names, after, strict=True):
            now[name] = rating
            lines.setdefault(name, []).append((rating.mu, rating.sigma))
    found = {past.names[person]: line for person, line in past.ratings.items()}
    assert found.keys() == lines.keys()
    for name, line in lines.items():
        for ours, theirs in zip(found[name], line, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-9)


def check_questions(games, scope):
    """What a table argues about follows from its hands."""
    answered = Questions.of(scope)
    hands = [(game, hand) for game in games for hand in game.hands]
    played = {id(hand): [seat for seat, bid in enumerate(hand.bids) if bid is not None] for _, hand in hands}
    bids = [(game, hand, seat) for game, hand in hands for seat in played[id(hand)]]
    assert answered.hands == len(hands)
    assert answered.all == rate(is_made(hand, seat) for _, hand, seat in bids)
    zeros = [(hand, seat) for _, hand, seat in bids if hand.bids[seat] == 0]
    assert answered.zeros == rates((hand.cards, is_made(hand, seat)) for hand, seat in zeros)
    hooked = [(game, hand, seat) for game, hand, seat in bids if hook_binds(game, hand) is not None]
    on_it = [(hand, seat) for game, hand, seat in hooked if hook_binds(game, hand) == seat]
    assert answered.hooked == rate(is_made(hand, seat) for hand, seat in on_it)
    beside = [(hand, seat) for game, hand, seat in hooked if hook_binds(game, hand) != seat]
    assert answered.others == rate(is_made(hand, seat) for hand, seat in beside)
    balances = {}
    for _, hand in hands:
        over = sum(bid for bid in hand.bids if bid is not None) - hand.cards
        made = [is_made(hand, seat) for seat in played[id(hand)]]
        balances.setdefault(min(3, max(-3, over)), []).append(made)
    assert {each.over: (each.hands, each.made, each.everybody) for each in answered.balances} == {
        over: (len(those), rate(hit for made in those for hit in made), sum(all(made) for made in those))
        for over, those in balances.items()
    }


def check_records(games, past, rules):
    """Nobody did better than whoever holds a record, and that one did as well."""
    found = Records.of(past, rules)
    everybody = {name for game in games for name in game.names}
    own = {name: [game for game in games if name in game.names] for name in everybody}
    won = {
        name: [game.sheet.places[game.names.index(name)] == 1 for game in those]
        for name, those in own.items()
    }
    made = {name: [is_made(*bid) for game in those for bid in game.bids(name)] for name, those in own.items()}
    for record_found, values in (
        (found.made_run, {name: most_in_a_row(hits) for name, hits in made.items()}),
        (found.win_run, {name: most_in_a_row(hits) for name, hits in won.items()}),
        (found.wins, {name: sum(hits) for name, hits in won.items()}),
        (found.games, {name: len(those) for name, those in own.items()}),
    ):
        best = max(values.values(), default=0)
        assert (record_found.value if record_found else 0) == best
        assert not record_found or values[past.names[record_found.person]] == best
    perfect = [
        len(game.bids(name))
        for game in games
        for name in game.names
        if all(is_made(*bid) for bid in game.bids(name))
    ]
    assert (found.perfect.value if found.perfect else 0) == max(perfect, default=0)
    totals, comebacks = {}, {}
    for game in games:
        lowest = game.sheet.rules.lowest_wins
        for seat, name in enumerate(game.names):
            if game.bids(name):
                totals.setdefault(game.rules, []).append((game.sheet.totals[seat], lowest))
            if game.sheet.places[seat] == 1:
                gaps = [
                    max((cell.total - row.cells[seat].total) * (-1 if lowest else 1) for cell in there)
                    for row in game.sheet.rows
                    if row.cells[seat].has_joined
                    for there in [[cell for cell in row.cells if cell.has_joined]]
                ]
                comebacks.setdefault(game.rules, []).append(max(gaps, default=0))
    assert sorted(each.value for each in found.totals.values()) == sorted(
        (min if those[0][1] else max)(total for total, _ in those) for those in totals.values()
    )
    assert sorted(each.value for each in found.comebacks.values()) == sorted(
        max(those) for those in comebacks.values() if max(those)
    )


def check(book, person=lambda name: name):
    """All that is answered of a book, as a whole, by rules and by year, is what its records tell."""
    db.session.commit()
    db.session.expire_all()
    games, past = told(book, person), Past.of(book.id)
    assert [game[0].played_on for game in past.games] == [game.day for game in games]
    rules = rules_of(past)
    assert sorted(each.games for each in rules) == sorted(Counter(game.rules for game in games).values())
    check_ratings(games, past)
    scopes = [Scope(book.id)]
    scopes += [Scope(book.id, each.key) for each in rules[:1]]
    scopes += [Scope(book.id, year=year) for year in past.years[:1]]
    for scope in scopes:
        within = {game[0].game for game in past.within(scope).games}
        those = [game for game, rows in zip(games, past.games, strict=True) if rows[0].game in within]
        if scope.year:
            assert those == [game for game in games if game.day.year == scope.year]
        if scope.scored_as:
            assert len({game.rules for game in those}) == 1
        check_questions(those, scope)
        check_records(those, past.within(scope), rules)
        for number, name in past.names.items():
            check_person(those, past, scope, number, name)


# Books


def test_an_empty_book_answers_nothing(book):
    """No game, no player, no division by zero."""
    db.session.flush()
    check(book)


def test_the_demo_book_answers_as_its_records_tell(book):
    """Late joiners, leavers, misdeals, uneven hands and several rules are in these twelve games."""
    for at, path in enumerate(GAMES):
        kept = replace(record.read(json.loads(path.read_text(encoding="utf-8"))), played_on="")
        book.keep_record(kept, NOW + timedelta(days=200 * at))
    check(book)
    assert len(rules_of(Past.of(book.id))) > 3


def made_game(chance, rules, who, played_on):
    """A game as chance has it: people come, go and sit out, hands are void or uneven, it ends early or goes on."""
    sheet = Sheet(rules, who, tuple(chance.choices((1, 2, 3, 4), k=chance.randint(1, 6))))
    table, dealer = tuple(range(len(who))), chance.randrange(len(who))
    for number, cards in enumerate(sheet.plan, start=1):
        if chance.random() < 0.2 and len(who) > 2:
            table = tuple(sorted(chance.sample(range(len(who)), chance.randint(2, len(who)))))
        dealer = chance.choice(table)
        absent = {chance.choice(table)} if len(table) > 2 and chance.random() < 0.2 else set()
        bids, took = [None] * len(who), [None] * len(who)
        for seat in set(table) - absent:
            bids[seat], took[seat] = chance.randint(0, cards), 0
        playing = [seat for seat in table if seat not in absent]
        for _trick in range(cards):
            took[chance.choice(playing)] += 1
        if uneven := chance.random() < 0.15:
            took[playing[0]] = chance.randint(0, cards)
        hand = Hand(
            number=number,
            cards=cards,
            dealer=dealer,
            table=table,
            bids=tuple(bids),
            took=tuple(took),
            absent=frozenset(absent),
            is_over=True,
            is_closed=True,
            is_uneven=uneven and sum(each or 0 for each in took) != cards,
        )
        misdeal = replace(hand, is_void=True, is_closed=False, is_over=False)
        sheet = replace(sheet, hands=(*sheet.hands, *([misdeal] if chance.random() < 0.15 else []), hand))
    if chance.random() < 0.3:
        points = chance.randint(-20, 20)
        sheet = replace(sheet, adjustments=(Adjustment(1, chance.randrange(len(who)), points),))
    cut = chance.randint(0, len(sheet.hands))
    if chance.random() < 0.2:
        sheet = replace(sheet, hands=sheet.hands[:cut], ended_early=chance.random() < 0.7)
    return Record(sheet, played_on=played_on.isoformat())


@settings(
    derandomize=True,
    max_examples=8,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_any_book_answers_as_its_records_tell(book, chance, games):
    """However people played, and whichever names are one: Adele is Ada, where the two never met."""
    book = Book.start("the key of a phone", NOW)
    db.session.flush()
    hooked = replace(classic(), hook=True)
    rules = (hooked, find_variant("lowest-wins"), replace(classic(), name="Free"))
    for at in range(games):
        who = chance.sample(CAST, chance.randint(2, len(CAST)))
        if {"Ada", "Adele"} <= {*who}:
            who.remove(chance.choice(("Ada", "Adele")))
        if len(who) > 1:
            day = date(2024, 12, 1) + timedelta(days=chance.randint(0, 60))
            kept = made_game(chance, chance.choice(rules), tuple(who), day)
            game = book.keep_record(replace(kept, id=f"game {at}"), NOW)
            game.deleted = NOW if chance.random() < 0.15 else None
    check(book)
    names = {player.name: player for player in book.everybody()}
    if {"Ada", "Adele"} <= names.keys():
        book.merge(names["Adele"], names["Ada"])
        check(book, lambda name: "Ada" if name == "Adele" else name)


# Never stale


def act():
    """A tap of its own."""
    return Act(f"tap {next(TAPS)}", NOW, None)


TAPS = iter(range(10**6))


def test_games_of_which_only_the_totals_are_known_count_where_totals_do(book):
    """They are games, wins, places and ratings; of bids they say nothing."""
    path = GAMES[0]
    book.keep_record(record.read(json.loads(path.read_text(encoding="utf-8"))), NOW)
    rules = {"scoring": {"made": "10 + bid", "missed": "0"}}
    raw = {"format": "oh-hell-game/1", "rules": rules, "players": ["Ada", "Bruno", "Chiara"], "hands": []}
    for day, totals in (("2019-12-24", [71, 83, 71]), ("2020-01-02", [12, -3, 40])):
        book.keep_record(record.read({**raw, "played_on": day, "totals": totals, "totals_only": True}), NOW)
    db.session.commit()
    past = Past.of(book.id)
    assert len(past.games) == 3
    check(book)


def test_a_late_correction_changes_every_answer(book):
    """Nothing is remembered from before: corrected, undone, reopened or deleted, the book answers anew."""
    for at, path in enumerate(GAMES[-3:]):
        book.keep_record(record.read(json.loads(path.read_text(encoding="utf-8"))), NOW + timedelta(days=at))
    check(book)
    game = next(each for each in book.games if "syn09" in each.identity or each.finished)
    before = answers(book)
    hand = game.sheet().played[0]
    seen = Facts.of(hand)
    seat = hand.playing[0]
    bid = 0 if hand.bids[seat] else 1
    sitting = game.opened()
    sitting.correct(
        act(), hand.number, replace(seen, bids={**seen.bids, seat: bid}), was=seen, confirmed=True
    )
    check(book)
    assert answers(book) != before
    sitting.undo(act(), sitting.last_step().id)
    db.session.expire_all()
    check(book)
    assert answers(book) == before
    game.deleted = NOW
    check(book)
    assert answers(book) != before


def answers(book):
    """Some of all answers, to be compared."""
    past = Past.of(book.id)
    return past.games, dict(past.ratings), Questions.of(Scope(book.id)), Records.of(past, rules_of(past))


def recount(app, *options):
    """What `flask recount` says last."""
    return app.test_cli_runner().invoke(args=["recount", *options]).output.splitlines()[-1]


def test_results_can_be_proven(app, book):
    """`flask recount` puts right what does not follow from the hands, and says so; then nothing is wrong."""
    for path in GAMES[-2:]:
        book.keep_record(record.read(json.loads(path.read_text(encoding="utf-8"))), NOW)
    db.session.commit()
    number = book.id
    assert recount(app) == "2 games counted, nothing differs"
    book = db.session.get(Book, number)
    game = book.games[0]
    game.seats[0].made, game.hands[0].entries[0].turn = 0, 3
    book.games[1].scored_as = None
    db.session.commit()
    Game.settle_rest()
    assert recount(app) == "2 games counted, 1 differ"
    assert recount(app, "--fix") == "2 games counted, 1 put right"
    assert recount(app) == "2 games counted, nothing differs"
    check(db.session.get(Book, number))
