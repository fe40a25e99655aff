"""The scorebook for those who do not look, do not touch, or do not want things to move."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.fixture
def table(thumb):
    """Four players before the first of three hands of five cards; Dmitri deals, Ada bids first."""
    return thumb.start(*FOUR, dealer=3, hook=True, order="own", plan="5,5,5", no_trump_on="never")


def faults(thumb, screen: str) -> list[str]:
    """What axe finds wrong with the page, contrast included, in both themes."""
    found = []
    # Only colours differ between the themes.
    everything = {"resultTypes": ["violations"]}
    contrast = {**everything, "runOnly": ["color-contrast"]}
    for theme, rules in (("light", everything), ("dark", contrast)):
        thumb.page.emulate_media(color_scheme=theme)
        for violation in Axe().run(thumb.page, options=rules).response["violations"]:
            where = "; ".join(str(node["target"]) for node in violation["nodes"])
            found.append(f"{screen}, {theme}: {violation['id']} ({violation['help']}) at {where}")
    return found


def test_axe_finds_nothing_in_any_phase(table, complaints):
    """Every phase of a hand and the sheet pass the rules of axe in both themes."""
    table.play([1, 1, 1, 1], [2, 1, 1, 1])
    found = faults(table.expect("deal"), "deal")
    table.tap("trump-hearts").tap("bid-1-1").tap("bid-2-0").tap("bid-3-1")
    found += faults(table, "bids, one of them barred")
    found += faults(table.tap("bid-0-3", barred=True), "a barred bid refused")
    found += faults(table.tap("bid-0-2").expect("play"), "play")
    found += faults(table.tap("tally-0"), "play with a tally")
    found += faults(table.over(), "tricks")
    found += faults(table.tap("save").expect("tricks"), "tricks that do not add up")
    found += faults(table.took(1, 2, 1, 1).expect("deal"), "the result above the next deal")
    expect(table.page.locator(".moved").first).to_be_visible()
    found += faults(table.open(f"/g/{table.code}/hands/2").expect("scored"), "scored")
    found += faults(table.open(f"/g/{table.code}"), "sheet")
    assert not found, "\n".join(found)
    complaints.forgive("422")


def test_axe_finds_nothing_beside_the_hand(thumb, complaints):
    """Home, set-up with and without mistakes, the rules, a finished game and an error pass the rules of axe."""
    found = faults(thumb.open("/"), "home, empty")
    found += faults(thumb.open("/new"), "new game, empty")
    thumb.page.locator("#newcomers").fill("Ada, ada")
    found += faults(thumb.tap("add"), "new game")
    found += faults(thumb.tap("start"), "new game with a mistake")
    thumb.start(*FOUR, dealer=3, hook=True, order="own", plan="1", no_trump_on="never")
    found += faults(thumb.open(f"/g/{thumb.code}/rules"), "rules")
    found += faults(thumb.open("/"), "home with a game")
    thumb.page.get_by_role("link", name="Go on").tap()
    thumb.rest().expect("deal").play([0, 0, 0, 0], [1, 0, 0, 0])
    expect(thumb.page.locator(".winner")).to_be_visible()
    found += faults(thumb, "sheet of a finished game")
    found += faults(thumb.open(f"/g/{thumb.code}/card"), "card of a finished game")
    found += faults(thumb.open(f"/g/{thumb.code}/me"), "who one is")
    thumb.tap("me-1")
    found += faults(thumb, "a sheet with the own column")
    found += faults(thumb.open(f"/g/{thumb.code}/board"), "board of a finished game")
    found += faults(thumb.open("/"), "home with a finished game")
    found += faults(thumb.open("/g/nowhere"), "error")
    assert not found, "\n".join(found)
    complaints.forgive("404", "422")


def focused(thumb) -> str:
    """The key of the button that has the focus."""
    return thumb.page.evaluate("() => document.activeElement.dataset.key ?? ''")


def press(thumb, key: str, step: str = "Tab") -> None:
    """Walk to a button by keyboard alone, and press it."""
    for _step in range(40):
        if focused(thumb) == key:
            break
        thumb.page.keyboard.press(step)
    assert focused(thumb) == key, f"the keyboard does not reach {key}"
    thumb.mark()
    thumb.page.keyboard.press("Enter")
    thumb.wait()


def test_a_hand_is_played_by_keyboard_alone(table):
    """Tab and Enter play a whole hand, and the focus is on the next pad after each tap."""
    press(table, "trump-hearts")
    for seat, bid in enumerate([2, 1, 0, 1]):
        assert focused(table) == f"bid-{seat}-0", "the focus follows the bidding"
        press(table, f"bid-{seat}-{bid}")
    assert focused(table.expect("play")) == "over"
    press(table, "over")
    assert focused(table.expect("tricks")) == "save"
    press(table, "more-2", "Shift+Tab")
    assert focused(table) == "more-2", "the same button may be wanted again"
    press(table, "save")
    assert table.expect("deal").hand == 2
    assert focused(table).startswith("trump-")
    assert table.open(f"/g/{table.code}").totals() == [12, 11, 0, 11]


def test_choices_are_made_by_keyboard_alone(thumb):
    """The arrows go through the choices of set-up one by one, though each of them shows the page anew."""
    thumb.open("/new")
    orders = thumb.page.locator("input[name=order]")
    values = orders.evaluate_all("all => all.map(each => each.value)")
    at = values.index(thumb.page.locator("input[name=order]:checked").input_value())
    orders.nth(at).focus()
    for value in (*values, *values)[at + 1 : at + 3]:
        thumb.mark()
        thumb.page.keyboard.press("ArrowRight")
        thumb.wait()
        expect(thumb.page.locator(f"input[name=order][value='{value}']")).to_be_focused()
        expect(thumb.page.locator(f"input[name=order][value='{value}']")).to_be_checked()


def test_what_changed_is_spoken(table, complaints):
    """A screen reader hears the sum of the bids after each bid, and why a tap was refused."""
    spoken = table.page.locator("[role=status][data-announcer]")
    table.tap("trump-hearts").tap("bid-0-2")
    expect(spoken).to_contain_text("2 of 5")
    table.tap("bid-1-1").tap("bid-2-0")
    expect(spoken).to_contain_text("3 of 5")
    table.tap("bid-3-2", barred=True)
    expect(spoken).to_contain_text("barred")
    table.tap("bid-3-1")
    expect(spoken).to_contain_text("under by 1")
    table.over().tap("save")
    expect(spoken).to_contain_text("4 of 5 tricks")
    complaints.forgive("422")


MOVING = """() => {
  document.querySelector("[data-page]").classList.add("is-sending");
  const moving = (style) => style.animationName !== "none" || /[1-9]/.test(style.transitionDuration);
  return [...document.querySelectorAll("*")].flatMap((each) =>
    [null, "::before", "::after"].filter((part) => moving(getComputedStyle(each, part)))
      .map((part) => `${each.tagName}.${each.className}${part ?? ""}`));
}"""
"""Everything on the page that an animation or a transition is set for, while a tap is on its way."""


def test_nothing_moves_for_those_who_want_it_still(take_phone):
    """With reduced motion no animation and no transition is left; without the wish, the cursor settles."""
    for wish, is_still in (("reduce", True), ("no-preference", False)):
        thumb = take_phone(reduced_motion=wish).start(*FOUR, dealer=3, hook=True, no_trump_on="never")
        thumb.tap("trump-hearts").expect("bids")
        assert (thumb.page.evaluate(MOVING) == []) is is_still
