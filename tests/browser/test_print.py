"""The sheet on paper, made by a real browser."""

from __future__ import annotations

import json
import re

import pytest

TEN = ("Ada", "Bruno", "Chiara", "Dmitri", "Eline", "Farid", "Greta", "Zoë 🐺", "נועה", "x" * 40)


def record(hands):
    """A game of ten with so many hands."""
    played = [
        {"cards": 2, "trump": "hearts", "bids": [0] * 9 + [1], "tricks": [2] + [0] * 9} for _ in range(hands)
    ]
    penalty = {"hand": 3, "player": "Ada", "points": -10, "reason": "dealt out of turn"}
    rules = {"variant": "classic", "hook": False}
    told = {"format": "oh-hell-game/1", "rules": rules, "players": [*TEN], "hands": played}
    return json.dumps({**told, "adjustments": [penalty], "name": f"{hands} hands"})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ten_players_and_twenty_hands_fill_one_page(thumb, scheme):
    """Filled or blank, from a light or a dark phone, the sheet is one A4 page, black on white, nothing cut off."""
    page = thumb.page
    page.emulate_media(color_scheme=scheme)
    thumb.start("Ada", "Bruno", "Chiara", order="own", plan="1")
    page.goto("/")
    book = re.search(r"/b/(\w+)/players", page.content())[1]
    page.goto(f"/b/{book}/import")
    page.locator("#text").fill(record(20))
    page.locator("[data-key=look]").tap()
    page.locator("[data-key=keep]").tap()
    page.wait_for_url("**/import/done?games=1")
    page.goto("/")
    address = page.locator(".games a").first.get_attribute("href")
    for question in ("", "?blank", "?blank=new"):
        page.goto(f"{address}/print{question}")
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        made = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", made)) == 1
        (left, top, width, height) = map(float, re.search(rb"/MediaBox \[([\d. ]+)\]", made)[1].split())
        assert (left, top, round(width), round(height)) == (0, 0, 595, 842), "A4 in points"
        page.emulate_media(media="print", color_scheme=scheme)
        page.set_viewport_size({"width": 703, "height": 1032})
        grid = page.locator(".paper-grid").bounding_box()
        assert grid["width"] <= 703
        assert grid["height"] > 700, "the page is used"
        wide = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).length"
        assert page.locator(".paper-grid td, .paper-grid th").evaluate_all(wide) == 0
        assert (
            page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
            == "rgb(255, 255, 255)"
        )
        page.emulate_media(media="null", color_scheme=scheme)
        page.set_viewport_size({"width": 360, "height": 740})
