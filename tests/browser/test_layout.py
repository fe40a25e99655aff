"""Nothing sticks out, nothing is covered, targets are large and digits in line on small phones with long names.

A picture of every screen goes to test-results/screens/ for a person to look at.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
SEVEN = tuple(
    f"{name} {'with a name of forty characters'[: 39 - len(name)]}".ljust(40, "m")
    for name in (*FOUR, "Eline", "Farid", "Greta")
)
NARROW, USUAL = 320, 360

LOOK = """([pad, target, apart]) => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide`);
  const name = (each) => each.dataset.key || each.ariaLabel || each.textContent.trim().slice(0, 30) || each.name;
  const seen = [...document.querySelectorAll("button, a, input:not([type=hidden]), summary")]
    .filter((each) => !each.closest(".unseen") && each.checkVisibility() && each.getClientRects().length)
    .filter((each) => !each.closest("p, td, th") || each.closest(".dock"));
  for (const each of seen) {
    const { width, height } = (each.closest("label") || each).getBoundingClientRect();
    const least = each.matches(".key, .step, .primary, .button, .chip") ? pad : target;
    if (width < least - 0.1 || height < least - 0.1)
      faults.push(`${name(each)} is ${width.toFixed(1)} x ${height.toFixed(1)}`);
  }
  const pads = seen.filter((each) => each.matches(".key, .stepper .step, .seat .step"));
  for (const [at, one] of pads.entries()) for (const other of pads.slice(at + 1)) {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    const gap = Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
    if (gap < apart - 0.1) faults.push(`${name(one)} and ${name(other)} are ${gap.toFixed(1)} apart`);
  }
  const ragged = [...document.querySelectorAll("[data-page] *")].filter((each) =>
    [...each.childNodes].some((part) => part.nodeType === 3 && /\\d/.test(part.data)) &&
    !getComputedStyle(each).fontVariantNumeric.includes("tabular-nums"));
  for (const kind of new Set(ragged.map((each) => `${each.tagName}.${each.getAttribute("class")}`)))
    faults.push(`the digits of ${kind} are not tabular`);
  const top = scrollY;
  for (const each of seen) {
    each.scrollIntoView({ block: "center" });
    const { left, top, width, height } = each.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!hit || !(each.contains(hit) || (each.labels && [...each.labels].some((label) => label.contains(hit)))))
      faults.push(`${name(each)} is covered by ${hit && (hit.className || hit.tagName)}`);
  }
  scrollTo(0, top);
  return faults;
}"""
"""What is wrong with how the page lies; told the least sizes of pad and other targets and the gap, in CSS px."""

LARGE_TEXT = """() => {
  const root = document.documentElement;
  root.style.fontSize = "200%";
  const right = (each) => Math.round(each.getBoundingClientRect().right);
  const wide = [...document.querySelectorAll("main *")].filter((each) => right(each) > root.clientWidth);
  const said = [root.scrollWidth, wide.slice(0, 6).map((each) => `${each.tagName}.${each.className} ${right(each)}`)];
  root.style.fontSize = "";
  return said;
}"""
"""How wide the page is with text twice as large, and what sticks out."""


@pytest.fixture
def look(pytestconfig):
    """Looks at the page in both widths and themes and keeps the pictures; gives what is wrong."""
    folder = Path(pytestconfig.rootpath) / "test-results" / "screens"
    folder.mkdir(parents=True, exist_ok=True)

    def looked(thumb, screen: str) -> list[str]:
        faults = []
        for width in (NARROW, USUAL):
            thumb.page.set_viewport_size({"width": width, "height": 740})
            faults += [f"{screen} at {width}: {fault}" for fault in thumb.page.evaluate(LOOK, [44, 24, 8])]
        # One picture of each width and each theme.
        for theme, width in (("light", NARROW), ("dark", USUAL)):
            thumb.page.set_viewport_size({"width": width, "height": 740})
            thumb.page.emulate_media(color_scheme=theme)
            thumb.page.screenshot(path=folder / f"{screen}-{width}-{theme}.png", scale="css")
        large, widest = thumb.page.evaluate(LARGE_TEXT)
        if large > USUAL:
            faults.append(f"{screen} with text of 200 %: the page is {large} wide on {USUAL}: {widest}")
        return faults

    return looked


@pytest.mark.parametrize("names", [FOUR, SEVEN], ids=["four", "seven"])
def test_every_phase_fits_a_small_phone(take_phone, look, complaints, names):
    """Home, set-up, every phase of a hand, the sheet and the rules fit 320 and 360 pixels."""
    thumb = take_phone(device_scale_factor=2)
    many = f"{len(names)}-"
    faults = look(thumb.open("/"), many + "home-empty")
    thumb.open("/new")
    faults += look(thumb, many + "new-empty")
    thumb.page.locator("#newcomers").fill(", ".join(names))
    faults += look(thumb.tap("add"), many + "new")
    last = len(names) - 1
    thumb.start(
        *names, dealer=last, hook=True, order="own", plan="7,6,7", no_trump_on="last", must_trump=True
    )
    hands = f"/g/{thumb.code}/hands"
    faults += look(thumb.expect("deal"), many + "hand-deal")
    faults += look(thumb.tap("trump-hearts").expect("bids"), many + "hand-bids")
    bids = [2, 1, 0, 1, 0, 1, 1][: len(names)]
    for seat in range(last):
        thumb.tap(f"bid-{seat}-{bids[seat]}")
    faults += look(thumb.expect("bids"), many + "hand-bids-hook")
    barred = 7 - sum(bids[:last])
    faults += look(thumb.tap(f"bid-{last}-{barred}", barred=True).expect("bids"), many + "hand-bids-refused")
    faults += look(thumb.tap(f"bid-{last}-{bids[last]}").expect("play"), many + "hand-play")
    if names == FOUR:
        sizes = thumb.page.locator(".seats-play .seat-bid").evaluate_all(
            "bids => bids.map(bid => parseFloat(getComputedStyle(bid).fontSize))"
        )
        assert min(sizes) >= 40, "the bids are read from a metre away"
    thumb.tally(1)
    thumb.tap("tally-2")
    faults += look(thumb, many + "hand-play-tally")
    faults += look(thumb.over(), many + "hand-tricks")
    thumb.tap("more-0").tap("more-0").tap("save").expect("tricks")
    faults += look(thumb, many + "hand-tricks-refused")
    tricks = [*bids]
    tricks[0] += 7 - sum(tricks)
    faults += look(thumb.took(*tricks).expect("deal"), many + "next-deal")
    faults += look(thumb.open(f"{hands}/1").expect("scored"), many + "hand-scored")
    faults += look(thumb.open("/"), many + "home-running")
    thumb.open(f"{hands}/2")
    low = [0] * len(names)
    six, seven = [6, *low[1:]], [3, 4, *low[2:]]
    faults += look(thumb.tap("trump-spades"), many + "next-bids")
    thumb.bid(*low).over().took(*six).expect("bids")
    faults += look(thumb, many + "no-trump-bids")
    thumb.bid(*low).over().took(*seven)
    expect(thumb.page.locator(".winner")).to_be_visible()
    faults += look(thumb, many + "sheet-final")
    faults += look(thumb.open(f"/g/{thumb.code}/card"), many + "card")
    faults += look(thumb.open(f"/g/{thumb.code}/me"), many + "me")
    faults += look(thumb.open("/"), many + "home-finished")
    complaints.forgive("422")
    assert not faults, "\n".join(faults)


def test_pages_beside_the_game_fit_a_small_phone(take_phone, look, complaints):
    """The rules of a game, a sheet without a hand, the book, no address and a stale tap fit as well."""
    thumb = take_phone(device_scale_factor=2)
    thumb.start(*SEVEN, dealer=0, hook=True)
    game = f"/g/{thumb.code}"
    faults = look(thumb.open(game), "sheet-empty")
    faults += look(thumb.open(f"{game}/rules"), "rules")
    book = thumb.open("/").page.get_by_role("link", name="All games").get_attribute("href")
    faults += look(thumb.open(str(book)), "book")
    faults += look(thumb.open(f"{book}?q=nobody&state=finished"), "book-nothing-fits")
    other = thumb.page.context.new_page()
    other.goto(f"{game}/hands/1")
    thumb.open(f"{game}/hands/1")
    other.locator('[data-key="trump-spades"]').wait_for()
    thumb.tap("trump-hearts")
    # The other page still shows the deal.
    stale = type(thumb)(other, scripted=False)
    other.wait_for_timeout(stale.REST)
    stale.tap("trump-spades")
    expect(other.locator("body")).to_have_class("stale")
    faults += look(stale, "stale")
    faults += look(thumb.open("/g/nowhere"), "error")
    complaints.forgive("404", "409")
    assert not faults, "\n".join(faults)
