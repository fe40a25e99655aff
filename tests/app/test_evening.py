"""A long evening on a clock of its own: ten players, one phone that falls asleep, another that looks on."""

from __future__ import annotations

import gc
import gzip
import random
import statistics
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

TEN = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Farid", "Greta", "Hugo", "Ines", "Jana")
MOST_BYTES = 100 * 1024
"""Bytes that a page of a game may have on its way, packed as every browser asks for it."""
SLOWER = 1.5
"""How many times as long a save may take in the last quarter as in the first."""


class Evening:
    """A game of so many hands in four hours; the phone that keeps it sleeps now and then."""

    def __init__(self, table, monkeypatch, hands, naps):
        self.table, self.client, self.chance = table, table.phone.client, random.Random("evening")
        self.hands, self.at = hands, datetime(2026, 1, 31, 20, 0, tzinfo=UTC)
        for module in [
            each for name, each in sys.modules.items() if name == "views" or name.startswith("views.")
        ]:
            if hasattr(module, "now"):
                monkeypatch.setattr(module, "now", lambda: self.at)
        self.pause = timedelta(hours=4) / (hands * 13)
        self.naps = set(self.chance.sample(range(hands * 12), naps))
        self.taps, self.took, self.heaviest, self.tapped = 0, [], {}, []

    def play(self):
        """The whole evening; what was tapped is in `tapped`, hand by hand."""
        table, phone = self.table, self.table.phone
        plan = ",".join("5" * self.hands)
        phone.house_rules(
            name="Ten", order="own", plan=plan, trump="turned", hook=False, most=10, no_trump_on="never"
        )
        phone.send(phone.button("add"), newcomers=",".join(TEN))
        phone.send(phone.button("start"), dealer=9)
        table.code = phone.address.split("/")[2]
        for number in range(1, self.hands + 1):
            self.look(f"/hands/{number}")
            table.open(number)
            self.tap("trump-hearts")
            bids = [self.chance.randint(0, 2) for _seat in TEN]
            while (seat := table.bidder) is not None:
                self.tap(f"bid-{seat}-{bids[seat]}")
            self.tap("over")
            tricks = [0] * 10
            for _trick in range(5):
                tricks[self.chance.randrange(10)] += 1
            self.tap("save", **{f"tricks-{seat}": taken for seat, taken in enumerate(tricks)})
            if table.phone.has("confirm"):
                self.tap("confirm")
            self.tapped.append((bids, tricks))
        for page in ("", "/log", "/table", "/board", "/card", "/print", "/now", f"/hands/{self.hands}"):
            self.look(page)

    def tap(self, key, **typed):
        """One tap, timed; before and after it the phone may sleep, and what it slept on is sent late and again."""
        phone = self.table.phone
        form = phone.button(key).find_parent("form")
        fields = phone.filled(form) | {name: str(value) for name, value in typed.items()}
        if phone.button(key).get("name"):
            fields[phone.button(key)["name"]] = phone.button(key)["value"]
        if self.taps in self.naps:
            self.at += timedelta(minutes=self.chance.randint(1, 4))
        answer = self.send(form["action"], fields)
        if self.taps in self.naps:
            self.sleep(form["action"], fields)
        self.taps += 1
        page = self.client.get(answer.location) if answer.status_code == 302 else answer
        phone._show(page, page.status_code)

    def send(self, address, fields):
        """Send a form a moment later."""
        self.at += self.pause
        began = time.process_time()
        answer = self.client.post(address, data=fields, headers={"Origin": "http://localhost"})
        self.took.append(time.process_time() - began)
        assert answer.status_code in (302, 422), answer.text
        return answer

    def sleep(self, address, fields):
        """The phone wakes and sends what it had sent, and the form of an old page with another tap on it."""
        version = self.version()
        again = self.client.post(address, data=fields, headers={"Origin": "http://localhost"})
        assert again.status_code in (302, 422)
        stale = {"act": f"an old page {self.taps}", "was": "", "seat": "0", "bid": "3"}
        old = self.client.post(
            f"/g/{self.table.code}/hands/1/bids", data=stale, headers={"Origin": "http://localhost"}
        )
        # In the first hand the page may be as old as it likes, and still not be wrong about a bid not made.
        assert old.status_code in (409, 422) or len(self.tapped) == 0
        assert self.version() == version or len(self.tapped) == 0

    def version(self):
        """How often the game was written to."""
        return self.client.get(f"/g/{self.table.code}/version").headers["ETag"]

    def look(self, page):
        """Note what a page of the game weighs."""
        answer = self.client.get(
            f"/g/{self.table.code}{page}", follow_redirects=True, headers={"Accept-Encoding": "gzip"}
        )
        assert answer.status_code == 200
        kind = "/hand" if "hands" in page else page or "/sheet"
        self.heaviest[kind] = max(self.heaviest.get(kind, (0, 0)), (len(answer.data), unpacked(answer)))

    def check(self):
        """Nothing is lost: the record has every hand as it was tapped, and no page is heavy."""
        record = self.client.get(f"/g/{self.table.code}.json").json
        assert [(hand["bids"], hand["tricks"]) for hand in record["hands"]] == self.tapped
        assert len(self.tapped) == self.hands
        heavy = {page: size for page, (size, _whole) in self.heaviest.items() if size > MOST_BYTES}
        assert not heavy

    def slower(self):
        """How many times as long a save took in the last quarter as in the first."""
        quarter = len(self.took) // 4
        return statistics.median(self.took[-quarter:]) / statistics.median(self.took[:quarter])


def unpacked(answer):
    """How many bytes a page has before it is packed."""
    return len(gzip.decompress(answer.data) if answer.content_encoding == "gzip" else answer.data)


def evening(table, monkeypatch, hands, naps):
    """Play it and check it."""
    played = Evening(table, monkeypatch, hands, naps)
    gc.collect()
    played.play()
    return played


@pytest.mark.target("T13")
@pytest.mark.pages
def test_a_phone_that_sleeps_through_a_game_loses_nothing(table, monkeypatch):
    """Three hands of ten players, five naps: each tap is there once, late and old forms change nothing."""
    evening(table, monkeypatch, hands=3, naps=5).check()


@pytest.mark.target("T13")
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_an_evening_of_sixty_hands_stays_light_and_fast(table, monkeypatch, figure):
    """Sixty hands of ten players in four hours, twenty naps; the last saves take about as long as the first."""
    played = evening(table, monkeypatch, hands=60, naps=20)
    pages = ", ".join(
        f"{page} {size / 1024:.0f} KB ({whole / 1024:.0f} unpacked)"
        for page, (size, whole) in played.heaviest.items()
    )
    figure(
        f"T13 on {table.phone.client.application.config['SQLALCHEMY_DATABASE_URI'].partition(':')[0]}: 60 hands, "
        f"{len(played.took)} saves, 20 naps; pages at most: {pages}; CPU of a save in the last quarter "
        f"{played.slower():.2f} times the first"
    )
    played.check()
    assert played.slower() < SLOWER
