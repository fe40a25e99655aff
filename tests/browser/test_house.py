"""House rules in a real browser: what they pay follows the typing, and nothing is lost on the way."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

FORM = "/house-rules/new"
PAGES = ("/rules", "/rules/israeli-whist", "/house-rules", FORM)
WAIT = 300
"""Milliseconds without a keystroke until the page asks what it comes to."""


@pytest.fixture
def formula(thumb):
    """The formula of a made bid, in the form of house rules on a phone with scripts."""
    thumb.open(FORM).choose("pattern", "own")
    return thumb.page.locator("#made")


def pause(thumb):
    """The fingers rest long enough for the preview."""
    thumb.page.clock.run_for(WAIT)


def paid(thumb, bid):
    """The cells of the table for a bid, by tricks taken."""
    return thumb.page.locator(".pays tbody tr").nth(bid).locator("td")


def caret(thumb):
    """The field that has the focus, and where its caret stands."""
    return thumb.page.evaluate("() => [document.activeElement.id, document.activeElement.selectionStart]")


def test_the_table_follows_the_typing_and_the_caret_stays(thumb, formula):
    """A factor typed in front of a formula pays at once; the field keeps focus, caret and text."""
    expect(paid(thumb, 2)).to_have_text(["0", "0", "12", "0"])
    formula.focus()
    formula.press("Home")
    thumb.page.keyboard.type("2 * ")
    assert caret(thumb) == ["made", 4]
    pause(thumb)
    expect(paid(thumb, 2)).to_have_text(["0", "0", "22", "0"])
    assert caret(thumb) == ["made", 4]
    expect(formula).to_have_value("2 * 10 + tricks")
    thumb.page.keyboard.type("(1+1)*")
    pause(thumb)
    expect(paid(thumb, 2)).to_have_text(["0", "0", "42", "0"])
    assert caret(thumb) == ["made", 10]


def test_a_wrong_word_is_marked_while_it_is_typed(thumb, formula):
    """The mark stands in the formula as typed so far, goes with the mistake, and never takes the focus."""
    formula.focus()
    formula.press("End")
    thumb.page.keyboard.type(" + luck")
    pause(thumb)
    expect(thumb.page.locator("mark")).to_have_text("luck")
    expect(thumb.page.locator(".formula-error code")).to_have_text("10 + tricks + luck")
    expect(thumb.page.locator(".pays")).to_have_count(0)
    assert caret(thumb) == ["made", 18]
    for _letter in " + luck":
        thumb.page.keyboard.press("Backspace")
    pause(thumb)
    expect(thumb.page.locator("mark")).to_have_count(0)
    expect(paid(thumb, 2)).to_have_text(["0", "0", "12", "0"])
    assert caret(thumb) == ["made", 11]


def test_the_hands_of_a_plan_follow_the_typing(thumb):
    """A plan shows its hands while it is typed, and in between what it lacks."""
    thumb.open(FORM).choose("order", "own")
    plan = thumb.page.locator("#plan")
    plan.focus()
    thumb.page.keyboard.type("3,2,")
    pause(thumb)
    expect(thumb.page.locator("[data-preview]")).to_contain_text("A number, H or P is missing here.")
    thumb.page.keyboard.type("1*2")
    pause(thumb)
    expect(thumb.page.locator(".sizes span")).to_have_text(["3", "2", "1", "1"])
    assert caret(thumb) == ["plan", 7]


def test_without_scripts_a_button_shows_what_it_pays(plain_thumb):
    """Preview keeps all that was typed and shows the table; with scripts there is no such button."""
    plain_thumb.open(FORM).choose("pattern", "own")
    page = plain_thumb.page
    page.locator("#name").fill("Ours")
    page.locator("#made").fill("7 * bid")
    plain_thumb.tap("preview")
    expect(paid(plain_thumb, 2)).to_have_text(["0", "0", "14", "0"])
    expect(page.locator("#name")).to_have_value("Ours")
    expect(page.locator("#made")).to_have_value("7 * bid")
    page.locator("#made").fill("7 * luck")
    plain_thumb.tap("preview")
    expect(page.locator("mark")).to_have_text("luck")
    expect(page.locator("#made")).to_have_value("7 * luck")


def test_with_scripts_there_is_no_preview_button(thumb):
    """What it pays is there anyway."""
    thumb.open(FORM)
    expect(thumb.button("preview")).to_be_hidden()
    expect(thumb.button("keep")).to_be_visible()


@pytest.mark.parametrize("kind", ["thumb", "plain_thumb"])
def test_kept_rules_start_a_game(request, kind):
    """Name, pattern, keep, players, start: the game is paid by the table's own rules, with scripts or without."""
    thumb = request.getfixturevalue(kind)
    thumb.open(FORM).choose("pattern", "wizard").choose("trump", "none").choose("name", "Friday").tap("keep")
    page = thumb.page
    expect(page.locator("h1")).to_have_text("New game")
    expect(page.locator("input[name=variant]:checked + span")).to_have_text("Friday")
    page.locator("#newcomers").fill("Ada, Bruno, Chiara")
    thumb.tap("add").choose("dealer", "2", sends=False).tap("start")
    thumb.expect("bids").bid(1, 0, 1).over().took(1, 0, 0)
    assert thumb.open(f"/g/{thumb.code}").totals() == [30, 20, -10]


def test_a_mistake_keeps_the_form_and_says_where(thumb, complaints):
    """Keep without a name and with a pack of 5 cards leaves everything there, each objection at its field."""
    thumb.open(FORM)
    thumb.page.locator("#deck").fill("5")
    thumb.tap("keep")
    expect(thumb.page.locator("#name-error")).to_have_text("A name is missing.")
    expect(thumb.page.locator("#deck-error")).to_have_text("A number from 8 to 1040.")
    expect(thumb.page.locator("#deck")).to_have_value("5")
    complaints.forgive("422")


def test_nothing_sticks_out_at_320_pixels(take_phone):
    """Rules and forms fit a very small phone, with a long name and a formula of two hundred letters."""
    thumb = take_phone(viewport={"width": 320, "height": 640})
    wide = {}

    def look(screen):
        width = thumb.page.evaluate("() => document.documentElement.scrollWidth")
        if width > 320:
            wide[screen] = width

    for address in PAGES:
        thumb.open(address)
        look(address)
    thumb.choose("pattern", "own").choose("order", "own").choose("trump", "rotation")
    thumb.choose("name", "Wwwwwwwww " * 4).choose("plan", "1*100,13,13").choose(
        "made", "+".join(["1000"] * 40)
    )
    expect(thumb.page.locator(".sizes span")).to_have_count(102)
    look("long words")
    thumb.choose("made", "+".join(["1000"] * 38) + "+" + "m" * 8)
    expect(thumb.page.locator("mark")).to_be_visible()
    look("a long wrong formula")
    thumb.choose("made", "+".join(["1000"] * 40)).tap("keep")
    look("new game")
    thumb.page.locator("#newcomers").fill("Ada, Bruno, Chiara")
    thumb.tap("add").tap("start").follow("Rules")
    look("the rules of the game")
    thumb.open("/house-rules")
    look("a long name in the list")
    assert wide == {}
