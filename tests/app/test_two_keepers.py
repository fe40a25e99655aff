"""Two keepers write in one game, each looking at a page that may be old: nobody overwrites what they have not seen."""

from __future__ import annotations

import random
from collections import Counter

import pytest

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
PAGES = ("now", "now", "now", "now", "table", "hands/1/correct", "hands/2/correct")
TAPS = 14


class Editor:
    """A keeper who looks now and then, and taps anything on the page that was seen last."""

    def __init__(self, table, phone, chance):
        self.table, self.phone, self.chance = table, phone, chance
        self.seen, self.forms = {}, []

    def look(self):
        """Open some page of the game: what is true by then is what this keeper knows."""
        page = self.chance.choice(PAGES)
        answer = self.phone.client.get(f"/g/{self.table.code}/{page}", follow_redirects=True)
        if answer.status_code == 200:
            self.show(answer)

    def show(self, answer):
        """A page that lies before the keeper from now on."""
        self.phone._show(answer, answer.status_code)
        self.seen = facts(self.table)
        buttons = self.phone.page.select("form[method=post][action^='/g/'] button")
        # What takes the whole game away is another story.
        self.forms = [each for each in buttons if each.get("data-key") not in ("delete", "previews", "about")]

    def tap(self, *, stay):
        """Send one of the forms, its numbers now and then changed; gives the answer's status and what changed.

        Who stays goes on with the page as it was, as after Back; otherwise the next page is looked at.
        """
        button = self.chance.choice(self.forms)
        form = button.find_parent("form")
        fields = self.phone.filled(form)
        if button.get("name"):
            fields[button["name"]] = button["value"]
        for name in fields:
            number = name.startswith(("bid", "took", "tricks", "points")) and not name.startswith("was")
            if number and self.chance.random() < 0.3:
                fields[name] = str(self.chance.randint(0, 3))
            elif name == "name" and not fields[name]:
                fields[name] = self.chance.choice(("Eline", "Farid"))
        before = facts(self.table)
        answer = self.phone.client.post(form["action"], data=fields, headers={"Origin": "http://localhost"})
        after = facts(self.table)
        changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        if form["action"].partition("#")[0].endswith(("/leave", "/sit-out")):
            # Whoever goes takes their bid along, and does not sit out any more.
            gone = ("bid", "took", "is_absent")
            changed -= {key for key in changed if key[-1] in gone and key not in after}
        if form["action"].partition("#")[0].endswith("/void"):
            # A misdeal is one of the whole hand, bids and all. It is put aside, not overwritten.
            changed -= {key for key in changed if key[0] == int(fields["was"])}
        unseen = {
            key: (self.seen.get(key), before.get(key))
            for key in changed
            if self.seen.get(key) != before.get(key)
        }
        if answer.status_code == 302 and not stay:
            self.show(self.phone.client.get(answer.location, follow_redirects=True))
        elif answer.status_code in (409, 422) and not stay:
            self.show(answer)
        return answer, changed, unseen


def facts(table):
    """Everything somebody wrote down in the game, by what it is about. What is not there is not yet."""
    with table.phone.client.application.app_context():
        game = table.game()
        told = {("plan",): tuple(game.plan), ("end",): game.ended_early}
        for seat in game.seats:
            told["seat", seat.number] = seat.player.name
        for hand in game.hands:
            key = (hand.number, hand.voided)
            told |= {(*key, name): getattr(hand, name) for name in ("cards", "dealer_id", "trump")}
            for entry in hand.entries:
                told |= {
                    (*key, entry.seat.number, name): getattr(entry, name)
                    for name in ("bid", "took", "is_absent")
                }
        for given in game.adjustments:
            told["adjustment", given.id] = (given.hand, given.seat_id, given.points)
    return {key: value for key, value in told.items() if value is not None}


def interleave(table, phone, other_phone, seed):
    """One evening of two editors who tap in any order; gives how often each status was answered."""
    chance, counts = random.Random(seed), Counter()
    table.start(*FOUR, dealer=3, order="own", plan="2,3,1", trump=chance.choice(("turned", "untracked")))
    editors = [Editor(table, phone, chance), Editor(table.kept_on(other_phone), other_phone, chance)]
    for editor in editors:
        editor.look()
    for _tap in range(TAPS):
        editor = chance.choice(editors)
        if not editor.forms or chance.random() < 0.15:
            editor.look()
            continue
        answer, changed, unseen = editor.tap(stay=chance.random() < 0.4)
        assert answer.status_code < 500
        assert answer.status_code == 302 or not changed, f"{seed}: {answer.status_code} wrote {changed}"
        assert not unseen, f"{seed}: {answer.request.path} overwrote unseen {unseen}"
        counts[answer.status_code] += 1
    return counts


@pytest.mark.target("T4")
@pytest.mark.pages
def test_two_keepers_overwrite_nothing_unseen(table, phone, other_phone):
    """Whatever two keepers tap on old pages: what is written replaces only what its keeper saw, or is refused."""
    counts = Counter()
    for seed in range(3):
        counts += interleave(table, phone, other_phone, seed)
    assert counts[302] > 10
    assert counts[409] > 1


@pytest.mark.target("T4")
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_keepers_overwrite_nothing_unseen_in_500_interleavings(table, phone, other_phone, figure):
    """The same 500 times."""
    counts = Counter()
    for seed in range(500):
        counts += interleave(table, phone, other_phone, f"long {seed}")
    figure(
        f"T4: 500 interleavings of two editors, {sum(counts.values())} taps: {counts[302]} saved, "
        f"{counts[409]} shown as stale, {counts[422]} asked or refused, 0 silent overwrites"
    )


@pytest.mark.target("T4")
@pytest.mark.pages
def test_a_plan_changed_by_another_phone_is_shown_beside_ones_own(table, phone, other_phone):
    """The second of two plans is not written over the first; who insists has seen both. Sent twice it is one."""
    table.start(*FOUR, dealer=3, order="own", plan="2,3,1", trump="untracked")
    other = table.kept_on(other_phone)
    for each in (phone, other_phone):
        each.get(f"/g/{table.code}/table")
    phone.send(phone.button("plan"), plan="4,4")
    other_phone.send(other_phone.button("plan"), 409, plan="5")
    assert "It says 4,4" in other_phone.text
    assert "You sent 5" in other_phone.text
    other_phone.tap("mine")
    assert facts(other)["plan",] == (5,)


@pytest.mark.target("T4")
@pytest.mark.pages
def test_a_game_that_another_phone_ended_does_not_go_on_unnoticed(table, phone, other_phone):
    """Hands that were planned for a running game are not played after its end."""
    table.start(*FOUR, dealer=3, order="own", plan="2,3,1", trump="untracked")
    table.kept_on(other_phone)
    for each in (phone, other_phone):
        each.get(f"/g/{table.code}/table")
    phone.tap("end")
    other_phone.send(other_phone.button("plan"), 409, plan="5,5")
    assert facts(table)["end",] is True


@pytest.mark.target("T4")
@pytest.mark.pages
def test_a_seat_that_another_phone_handed_over_is_not_handed_over_again(table, phone, other_phone):
    """Two phones give one seat to two people: the second is told who sits there by now."""
    table.start(*FOUR, dealer=3, order="own", plan="2,3,1", trump="untracked")
    table.kept_on(other_phone)
    for each in (phone, other_phone):
        each.get(f"/g/{table.code}/table")
    phone.send(phone.button("take-over"), seat=1, name="Eline")
    other_phone.send(other_phone.button("take-over"), 409, seat=1, name="Farid")
    assert "It says Eline" in other_phone.text
    assert "You sent Farid" in other_phone.text
    other_phone.tap("mine")
    assert facts(table)["seat", 1] == "Farid"


@pytest.mark.target("T4")
@pytest.mark.pages
def test_two_phones_that_tell_of_one_misdeal_do_it_once(table, phone, other_phone):
    """The hand that was dealt again meanwhile is not thrown away, too."""
    table.start(*FOUR, dealer=3, order="own", plan="2,3,1", trump="untracked")
    table.kept_on(other_phone)
    for each in (phone, other_phone):
        each.get(f"/g/{table.code}/table")
    phone.tap("void")
    table.open(1).bid_one(1)
    other_phone.tap("void", 409)
    assert facts(table)[1, 0, 0, "bid"] == 1
    other_phone.get(f"/g/{table.code}/table")
    other_phone.tap("void")
    assert (1, 0, 0, "bid") not in facts(table)
