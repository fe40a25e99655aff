"""The scorebook for those who do not look, do not touch, or do not want things to move."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@pytest.fixture
def table(thumb):
    """Four players before the first of three hands of five cards; Dmitri deals, Ada bids first."""
    return thumb.start(*FOUR, dealer=3, hook=True, order="own", plan="5,5,5", no_trump_on="never")


# By keyboard

FOCUS = """() => {
  const [each, style] = [document.activeElement, getComputedStyle(document.activeElement)];
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const [ring, ground] = [style.outlineColor, getComputedStyle(document.documentElement).backgroundColor].map(light);
  const { left, top, width, height } = each.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return {
    key: each.dataset.key ?? each.id ?? "",
    tag: each.tagName,
    ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    contrast: Math.max(ring, ground) / Math.min(ring, ground),
    isSeen: each.contains(hit) && top >= 0 && top + height <= innerHeight,
  };
}"""
"""What has the focus: its key, how wide its ring is and how it stands out, and whether nothing lies on it."""


def focused(thumb) -> str:
    """The key of what has the focus, which is seen, and seen to have it (WCAG 2.4.7, 2.4.11, 1.4.11)."""
    focus = thumb.page.evaluate(FOCUS)
    assert focus["tag"] != "BODY", "the focus is lost"
    assert focus["isSeen"], f"{focus} is hidden"
    assert focus["ring"] >= 2, f"{focus} has no ring"
    assert focus["contrast"] >= 3, f"the ring of {focus} is too pale"
    return focus["key"]


def walk(thumb, key: str, step: str = "Tab") -> list[str]:
    """Walk to a control by keyboard alone; gives the keys on the way."""
    way = []
    while (now := thumb.page.evaluate(FOCUS)["key"]) != key:
        assert len(way) < 60, f"the keyboard does not reach {key} by {way}"
        thumb.page.keyboard.press(step)
        way.append(now)
    focused(thumb)
    return way


def press(thumb, key: str, step: str = "Tab", stroke: str = "Enter") -> None:
    """Walk to a button, and press it."""
    walk(thumb, key, step)
    thumb.mark()
    thumb.page.keyboard.press(stroke)
    thumb.wait()


@pytest.mark.target("P7")
def test_a_hand_is_played_by_keyboard_alone(thumb):
    """From the empty book to the scored hand: the focus goes as the bidding does, is always seen and never lost."""
    thumb.open("/").page.keyboard.press("Tab")
    while thumb.page.evaluate("() => document.activeElement.textContent.trim()") != "New game":
        thumb.page.keyboard.press("Tab")
    with thumb.page.expect_navigation():
        thumb.page.keyboard.press("Enter")
    thumb.rest()
    walk(thumb, "newcomers")
    thumb.page.keyboard.type("Ada, Bruno, Chiara, Dmitri")
    thumb.mark()
    thumb.page.keyboard.press("Enter")
    thumb.wait()
    assert focused(thumb) == "newcomers", "for the next name"
    press(thumb, "down-0", "Shift+Tab", "Space")
    assert focused(thumb) == "down-0", "the same button may be wanted again"
    press(thumb, "up-1")
    # A choice by arrow: Ada deals, the first of five.
    while thumb.page.evaluate("() => document.activeElement.name") != "dealer":
        thumb.page.keyboard.press("Tab")
    thumb.page.keyboard.press("ArrowDown")
    expect(thumb.page.locator("input[name=dealer]:checked")).to_have_value("0")
    thumb.mark()
    walk(thumb, "start")
    thumb.page.keyboard.press("Enter")
    thumb.wait().expect("deal", "bids")
    if thumb.phase == "deal":
        assert focused(thumb) == "trump-spades", "the first of what is asked"
        thumb.page.keyboard.press("Tab")
        press(thumb, "trump-hearts", stroke="Space")
    order = []
    for _bidder in FOUR:
        seat = thumb.bidder
        order.append(seat)
        assert focused(thumb) == f"bid-{seat}-0", "the focus follows the bidding"
        assert walk(thumb, f"bid-{seat}-1") == [f"bid-{seat}-0"], "from number to number"
        walk(thumb, f"bid-{seat}-0", "Shift+Tab")
        press(thumb, f"bid-{seat}-0", stroke="Space" if seat else "Enter")
    assert order == [1, 2, 3, 0], "whoever sits after the dealer begins, the dealer ends"
    assert focused(thumb.expect("play")) == "over"
    press(thumb, "over")
    assert focused(thumb.expect("tricks")) == "save"
    press(thumb, "more-2", "Shift+Tab")
    assert focused(thumb) in ("more-2", "save"), "the same button may be wanted again"
    press(thumb, "save")
    assert thumb.expect("deal", "bids").hand == 2
    assert focused(thumb)
    assert thumb.open(f"/g/{thumb.code}").totals() == [10, 10, 0, 10]


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


def test_the_focus_stays_when_another_phone_writes(table, take_phone):
    """A page that is made fresh under the keyboard leaves it on the next pad."""
    table.tap("trump-hearts")
    other = take_phone(storage_state=table.page.context.storage_state()).open(table.page.url)
    other.button("bid-0-0").focus()
    table.tap("bid-0-2")
    deadline = time.monotonic() + 10
    while other.bidder == 0 and time.monotonic() < deadline:
        other.page.clock.run_for(1300)
        other.page.wait_for_timeout(100)
    assert other.bidder == 1
    assert other.page.evaluate("() => document.activeElement.dataset.key") == "bid-1-0"


# By ear


def controls(thumb) -> dict[str, tuple[str, str]]:
    """What a screen reader has of every control of the page: by role and name, its description and its group."""
    session = thumb.page.context.new_cdp_session(thumb.page)
    nodes = {node["nodeId"]: node for node in session.send("Accessibility.getFullAXTree")["nodes"]}
    session.detach()

    def text(node, field):
        return " ".join(str(node.get(field, {}).get("value", "")).split())

    def group(node):
        while node := nodes.get(node.get("parentId")):
            if text(node, "role") in ("group", "list"):
                return text(node, "name")
        return ""

    return {
        f"{text(node, 'role')} {text(node, 'name')}": (text(node, "description"), group(node))
        for node in nodes.values()
        if text(node, "role") in ("button", "link", "checkbox", "radio", "textbox") and not node["ignored"]
    }


@pytest.mark.target("P7")
def test_every_control_says_player_phase_and_value(table):
    """As Chromium tells it to a screen reader; a barred number says so, with its reason, and can be reached."""
    deal = controls(table)
    suits = ("spades", "hearts", "diamonds", "clubs", "no trump")
    assert [deal[f"button {suit}"] for suit in suits] == [("", "What is trump?")] * 5
    table.tap("trump-hearts").tap("bid-0-2").tap("bid-1-1").tap("bid-2-0")
    bids = controls(table)
    reason = "2 is barred: the bids would add up to the 5 cards."
    assert bids["button Dmitri, bid 2: barred"] == (reason, "Dmitri bids")
    assert [bids[f"button Dmitri, bid {bid}"] for bid in (0, 1, 3, 4, 5)] == [("", "Dmitri bids")] * 5
    assert bids["link Ada"] == ("2", "Bids")
    assert bids["link Dmitri dealer"] == ("no bid yet", "Bids")
    assert table.button("bid-3-2").get_attribute("aria-disabled") == "true"
    table.tap("bid-3-1").tap("tally-0")
    play = controls(table.expect("play"))
    assert play["button Ada: one trick more"] == ("bid 2 needs 1 more", "Bids")
    assert play["button Chiara: one trick more"] == ("bid 0 just right", "Bids")
    table.over()
    tricks = controls(table)
    for name, bid in zip(FOUR, (2, 1, 0, 1), strict=True):
        assert tricks[f"button {name}: one trick more"] == (f"bid {bid} took {bid}", "Tricks")
        assert tricks[f"button {name}: one trick less"] == (f"bid {bid} took {bid}", "Tricks")
    for page in (deal, bids, play, tricks):
        assert not [control for control in page if not control.partition(" ")[2]], "every control has a name"


@pytest.mark.target("P7")
def test_the_sheet_is_a_table_to_listen_to(table):
    """Rows, columns and their headings, as Chromium tells them; how a bid went and the suits are words."""
    table.play([2, 1, 0, 1], [2, 1, 1, 1]).open(f"/g/{table.code}")
    grid = table.page.get_by_role("table", name="All hands: bid and tricks taken, points, total")
    assert grid.get_by_role("columnheader").all_inner_texts() == ["Cards and trump", *FOUR]
    first, total = grid.get_by_role("rowheader").all()
    expect(first).to_have_text("Hand 15hearts")
    expect(total).to_have_text("Total")
    row = grid.get_by_role("row").nth(1).get_by_role("cell")
    assert [cell.get_by_role("img").get_attribute("aria-label") for cell in row.all()] == [
        *("made", "made", "too many", "made")
    ]


LISTEN = """() => {
  window.heard = [];
  const note = (text) => text.trim() && window.heard.push(text.trim().replace(/\\s+/g, " "));
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if ((target.closest ?? (() => 0)).call(target, "[data-announcer]")) note(target.textContent);
      else for (const each of addedNodes) if (each.querySelectorAll)
        for (const live of each.querySelectorAll("[role=alert], [role=status], [aria-live], output"))
          if (live.checkVisibility()) note(live.textContent);
    }
  }).observe(document.body, { childList: true, subtree: true });
}"""
"""Keeps what live regions say from now on: ours, and those that come onto the page."""


@pytest.mark.target("P7")
def test_what_changed_is_announced_once(table, complaints):
    """A bid, its sum, a refusal, tricks, and the result are each told once, in the words of the table."""
    table.page.evaluate(LISTEN)

    def heard():
        table.page.wait_for_timeout(50)
        return table.page.evaluate("() => window.heard.splice(0)")

    table.tap("trump-hearts")
    heard()
    table.tap("bid-0-2")
    assert heard() == ["Ada bids 2. 2 of 5 tricks bid."]
    table.tap("bid-1-0")
    assert heard() == ["Bruno bids 0."], "the sum is what it was"
    table.tap("bid-2-1").tap("bid-3-2", barred=True)
    assert heard()[-1:] == ["2 is barred: the bids would add up to the 5 cards."]
    table.tap("bid-3-1")
    assert heard() == ["4 of 5 tricks bid under by 1. Dmitri bids 1."]
    table.tap("tally-0")
    assert "Ada: needs 1 more." in heard()[0]
    table.tap("undo").over()
    heard()
    table.tap("more-1")
    assert heard() == ["Bruno takes 1. 5 of 5 tricks."]
    table.tap("save").expect("deal")
    told = heard()
    assert len(told) == 1
    assert told[0].startswith("Ada: +12, 12 in all.")
    assert told[0].endswith("Ada shuffles and deals 5 cards each.")
    assert told[0].count("Bruno:") == 1
    complaints.forgive("422")


# Without motion, with few colours


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


EDGES = """(selector) => [...document.querySelectorAll(selector)].map((each) => {
  const style = getComputedStyle(each);
  return [style.borderTopWidth, style.borderTopStyle, style.borderTopColor, style.textDecorationLine].join(" ");
})"""
"""What is left of a control where a phone brings its own few colours."""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_forced_colours_keep_every_state(table, pytestconfig, theme):
    """Barred, chosen, now and disabled differ by more than a colour of ours; so do made and missed."""
    page = table.page
    folder = pytestconfig.rootpath / "test-results" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    page.emulate_media(forced_colors="active", color_scheme=theme)

    def picture(screen):
        page.screenshot(path=folder / f"forced-{screen}-{theme}.png", scale="css")

    def edges(selector):
        return set(page.evaluate(EDGES, selector))

    table.tap("trump-hearts").follow("hearts")
    picture("trump")
    chosen, other = edges(".key-suit[aria-pressed=true]"), edges(".key-suit:not([aria-pressed])")
    assert (len(chosen), len(other)) == (1, 1)
    assert chosen != other
    table.tap("trump-hearts").tap("bid-0-2").tap("bid-1-1").tap("bid-2-0")
    picture("bids")
    barred, open_ = edges(".key.is-barred"), edges(".key:not(.is-barred)")
    assert (len(barred), len(open_)) == (1, 1)
    assert barred != open_
    assert "line-through" in barred.pop()
    now = page.evaluate(
        "() => getComputedStyle(document.querySelector('.is-now'), '::before').backgroundColor"
    )
    assert now != page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    table.tap("bid-3-1").over()
    picture("tricks")
    assert edges(".step:disabled").isdisjoint(edges(".step:not(:disabled)"))
    table.tap("more-2").tap("save").expect("deal")
    picture("deal")
    shapes = page.locator(".result").evaluate_all(
        "all => new Set(all.map((each) => getComputedStyle(each).clipPath + getComputedStyle(each).borderRadius)).size"
    )
    assert shapes == 2, "made and too many differ by shape"
