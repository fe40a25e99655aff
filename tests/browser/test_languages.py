"""A hand is played in every language, and in two that nobody speaks: one of longer words, one from right to left.

Nothing that is said sticks out of its place on a small phone. A picture of every screen goes to
test-results/languages/ for a person to look at.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from babel import Locale
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from app import create_app
from database import db
from language import LANGUAGES, TRANSLATIONS
from models import Game

LONG, MIRRORED = "eo", "he"
"""Whose dates and plurals the made-up languages borrow: Esperanto's for longer words, Hebrew's from right to left."""

FOUR = ("Anne-Charlotte", "Bartholomew", "Chiara", "Dmitri")
MIXED = ("Ada", "ברונו בן־דוד", "كيارا", "Dmitri")
"""Names that run either way."""

LOOK = """(names) => {
  const faults = [];
  const root = document.documentElement;
  const page = { left: 0, right: root.clientWidth };
  const said = (each) => `${each.tagName}.${each.className} "${each.textContent.trim().slice(0, 40)}"`;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide`);
  const isSeen = (each) => each.checkVisibility() && !each.closest(".unseen") && each.getClientRects().length;
  const places = "button, a, label, legend, summary, caption, th, td, dt, dd, h1, h2, h3, p, li, input, select, output";
  const seen = [...document.querySelectorAll(places)].filter(isSeen);
  const scrolls = (each) => each.closest(".grid-frame");

  // A place is as wide as what it says.
  for (const each of seen) {
    const isText = each.matches("input[type=text], input:not([type]), select, .name");
    if (!isText && each.clientWidth && each.scrollWidth > each.clientWidth + 1 && !each.matches(".grid-frame *"))
      faults.push(`${said(each)} says ${each.scrollWidth} in ${each.clientWidth}`);
  }

  // A choice is read to its end.
  const measure = document.createElement("canvas").getContext("2d");
  for (const each of document.querySelectorAll("select")) {
    const style = getComputedStyle(each);
    const chosen = each.selectedOptions[0]?.textContent.trim() ?? "";
    measure.font = style.font;
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
    if (isSeen(each) && measure.measureText(chosen).width > room) faults.push(`"${chosen}" does not fit its list`);
  }

  // No letter is outside of the page, of its control, or on another.
  const lines = [];
  const held = "button, a.button, a.primary, a.quiet, label.option, th, td";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = walker.nextNode()); ) {
    const holder = text.parentElement;
    if (!text.data.trim() || !isSeen(holder) || holder.closest("select, svg, textarea")) continue;
    const control = holder.closest(held)?.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      if (right - left < 2) continue;
      const leaves = (box) => left < box.left - 1 || right > box.right + 1;
      if (!scrolls(holder) && leaves(page)) faults.push(`${said(holder)} leaves the page`);
      if (control && leaves(control)) faults.push(`${said(holder)} leaves its control`);
      const middle = (top + bottom) / 2;
      const half = (bottom - top) / 4;
      if (!holder.closest(".dock, thead, tfoot, .grid th"))
        lines.push({ holder, left, right, top: middle - half, bottom: middle + half });
    }
  }
  for (const [at, one] of lines.entries()) for (const other of lines.slice(at + 1)) {
    const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    if (wide > 1 && high > 1) faults.push(`${said(one.holder)} stands on ${said(other.holder)}`);
  }

  // No control is on another.
  const pressed = "button, a, summary, label.option, input, select";
  const controls = seen.filter((each) => each.matches(pressed) && !scrolls(each));
  const isDocked = (each) => Boolean(each.closest(".dock"));
  for (const [at, one] of controls.entries()) for (const other of controls.slice(at + 1)) {
    if (one.contains(other) || other.contains(one) || isDocked(one) !== isDocked(other)) continue;
    for (const a of one.getClientRects()) for (const b of other.getClientRects()) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 1) faults.push(`${said(one)} lies on ${said(other)}`);
    }
  }

  // A sign stands in front of its number, whichever way the page runs.
  const sums = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = sums.nextNode()); ) {
    if (!isSeen(text.parentElement)) continue;
    for (const { index } of text.data.matchAll(/(?<!\\d)[−+]\\d/g)) {
      const [sign, digit] = [0, 1].map((step) => {
        const range = document.createRange();
        range.setStart(text, index + step);
        range.setEnd(text, index + step + 1);
        return range.getBoundingClientRect();
      });
      if (sign.left > digit.left) faults.push(`the sign is behind the number in ${said(text.parentElement)}`);
    }
  }

  // A name runs its own way and leaves alone what stands beside it.
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = words.nextNode()); ) {
    const name = names.find((each) => text.data.includes(each));
    const fence = text.parentElement.closest("bdi, option, [dir=auto]");
    if (!name || fence || !isSeen(text.parentElement)) continue;
    if (!text.data.includes("\\u2068" + name + "\\u2069"))
      faults.push(`${name} is not fenced in ${said(text.parentElement)}`);
  }
  for (const each of document.querySelectorAll("bdi")) {
    const way = /^[^A-Za-z]*[\\u0590-\\u06ff]/.test(each.textContent) ? "rtl" : "ltr";
    const { direction } = getComputedStyle(each);
    if (/\\p{L}/u.test(each.textContent) && direction !== way) faults.push(`${said(each)} runs ${direction}`);
  }
  return [[root.lang, root.dir], [...new Set(faults)]];
}"""
"""What a page says that it is, and what is wrong with how its sentences lie; told the names of its players."""


PARTS = re.compile(r"(%\(\w+\)[sd]|%%|<[^>]+>|&\w+;|\{\w+\})")
"""What of a sentence is no word."""
ACCENTED = str.maketrans("aceinosuyzAEINOSUYZ", "âçêîñôšûýžÂÊÎÑÔŠÛÝŽ")
HEBREW = str.maketrans(dict(zip("abcdefghijklmnopqrstuvwxyz", "אבצדעפגהיךכלמנוףקרסטתשחזץם", strict=True)))


def longer(words: str) -> str:
    """The words in letters with accents, each by two fifths longer."""
    return re.sub(
        r"[A-Za-z]+",
        lambda word: (word[0] + word[0][-1] * (len(word[0]) * 2 // 5)).translate(ACCENTED),
        words,
    )


def mirrored(words: str) -> str:
    """The words in Hebrew letters, which run from right to left; a mark keeps a sign ahead of its number."""
    return re.sub(r"[−+](?=$|\d)", "\u200e\\g<0>", words.lower().translate(HEBREW))


def made_up(language: str, say) -> Catalog:
    """A catalogue of every sentence there is, said otherwise; its places and its markup stay."""

    def other(text: str) -> str:
        return "".join(part if PARTS.fullmatch(part) else say(part) for part in PARTS.split(text))

    with (TRANSLATIONS / LANGUAGES[-1] / "LC_MESSAGES" / "messages.po").open("rb") as file:
        real = read_po(file)
    catalogue = Catalog(locale=language)
    for message in real:
        if not message.id:
            continue
        if isinstance(message.id, str):
            said = other(message.id)
        else:
            one, many = map(other, message.id)
            said = (one, *[many] * (catalogue.num_plurals - 1))
        catalogue.add(message.id, said, context=message.context)
    return catalogue


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a scorebook that speaks the real languages and the made-up ones."""
    folder = tmp_path_factory.mktemp("languages")
    for language in LANGUAGES[1:]:
        (folder / language).symlink_to(TRANSLATIONS / language)
    for language, say in ((LONG, longer), (MIRRORED, mirrored)):
        (folder / language / "LC_MESSAGES").mkdir(parents=True)
        with (folder / language / "LC_MESSAGES" / "messages.mo").open("wb") as file:
            write_mo(file, made_up(language, say))
    settings = {"LANGUAGES": (*LANGUAGES, LONG, MIRRORED), "TRANSLATIONS": str(folder)}
    (folder / "speaking.py").write_text(f"from app import create_app\n\napp = create_app({settings})\n")
    return folder


@pytest.fixture(scope="module")
def served(new_server, folder):
    """That scorebook, served."""
    served = new_server(folder, str(folder / "speaking.py")).start()
    yield served
    served.stop()


@pytest.fixture(scope="module")
def server(served):
    """Its address: the phones of this module are before it."""
    return served.address


@pytest.fixture
def look(pytestconfig):
    """Looks at a page in a language and keeps a picture of it; gives what is wrong."""
    looked_at = []

    def looked(thumb, language: str, screen: str, names: tuple[str, ...]) -> list[str]:
        looked_at.append(screen)
        pictures = Path(pytestconfig.rootpath) / "test-results" / "languages" / language
        pictures.mkdir(parents=True, exist_ok=True)
        thumb.page.screenshot(path=pictures / f"{len(looked_at):02}-{screen}.png", full_page=True)
        told, faults = thumb.page.evaluate(LOOK, names)
        if told != [language, Locale.parse(language).text_direction]:
            faults.append(f"the page says that it is {told}")
        return [f"{screen}: {fault}" for fault in faults]

    return looked


@pytest.mark.parametrize("language", [*LANGUAGES, LONG, MIRRORED])
def test_a_hand_is_played(language, take_phone, look, complaints):
    """From the first page through all phases of a hand to the sheet, on a phone of 360 pixels that asks for it."""
    names = MIXED if language == MIRRORED else FOUR
    thumb = take_phone(locale=language)
    thumb.is_quick = True
    faults = []

    def see(screen: str) -> None:
        faults.extend(look(thumb, language, screen, names))

    thumb.open("/")
    see("home")
    thumb.open("/new").page.locator("#newcomers").fill(", ".join(names))
    thumb.tap("add").choose("order", "own").choose("plan", "5,5,6").choose("hook", True)
    thumb.choose("dealer", "3", sends=False)
    see("new-game")
    thumb.tap("start").expect("deal")
    see("deal")
    thumb.tap("trump-hearts").tap("bid-0-2").tap("bid-1-1").tap("bid-2-0")
    see("bids")
    thumb.tap("bid-3-2", barred=True)
    see("bids-barred")
    thumb.tap("bid-3-1").expect("play")
    see("play")
    thumb.tap("tally-0")
    see("play-tally")
    thumb.over()
    see("tricks")
    thumb.tap("save").expect("tricks")
    see("tricks-refused")
    thumb.tap("more-0").tap("save").expect("deal")
    see("next-deal")
    game = f"/g/{thumb.code}"
    others = (
        "/",
        "/settings",
        *(game + page for page in ("/hands/1", "", "/rules", "/table", "/log", "/board")),
    )
    # Of the made-up languages every page there is has a test of its own.
    for address in others if language in LANGUAGES else ():
        thumb.page.goto(address)
        see(address.replace(game, "game").strip("/").replace("/", "-") or "home-running")
    complaints.forgive("422")
    assert not faults, "\n".join(faults)


FILES = re.compile(r"\.(json|csv|js|txt|webmanifest)$|^/static/|/version$|/<part>$|^/k/|^/health$")
"""Addresses that answer with no page, and the invitation, which is used up."""


@pytest.fixture(scope="module")
def scorebook(served):
    """The scorebook that is served, in this process, to ask it for its addresses and to fill its book."""
    app = create_app({"DATA_FOLDER": served.data})
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def demo(scorebook, folder):
    """Keeps a finished and a running game of players whose names run either way; gives their codes and an invitation.

    The games are kept once, the invitation is a new one each time.
    """
    hands = [
        {"cards": 3, "dealer": MIXED[3], "trump": "hearts", "bids": [1, 1, 0, 0], "tricks": [1, 0, 1, 1]},
        {"cards": 2, "dealer": MIXED[0], "trump": "spades", "bids": [0, 2, 1, 0], "tricks": [0, 1, 1, 0]},
    ]
    rules = {"variant": "classic", "scoring": {"made": "10 + bid", "missed": "-5 * off"}}
    record = {"format": "oh-hell-game/1", "name": "mixed", "rules": rules, "players": MIXED, "hands": hands}
    (folder / "mixed.json").write_text(json.dumps(record))

    def keep():
        printed = scorebook.test_cli_runner().invoke(args=["demo", str(folder / "mixed.json")]).output
        finished, *_others, running = re.findall(r"/g/(\w+)", printed)
        return finished, running, re.search(r"/k/(\S+)", printed)[1]

    return keep


def addresses(scorebook, games: tuple[str, str, str]) -> list[str]:
    """The address of every page there is: of the two games, of their book, and of whatever needs neither."""
    finished, running, _key = games
    with scorebook.app_context():
        kept = Game.find(finished).book
        player = str(next(each.id for each in kept.everybody() if each.name == MIXED[1]))
        book = kept.code
    rules = {each.rule for each in scorebook.url_map.iter_rules() if "GET" in each.methods}
    found = [f"/g/{running}{page}" for page in ("", "/now", "/table", "/board", "/print")]
    for rule in sorted(rule for rule in rules if not FILES.search(rule)):
        code, number = (book, player) if rule.startswith("/b/") else (finished, "1")
        found.append(rule.replace("<code>", code).replace("<int:number>", number).replace("<id>", "classic"))
    return found


@pytest.mark.parametrize("language", [pytest.param(LONG, marks=pytest.mark.long), MIRRORED])
def test_every_page_stays_whole(language, scorebook, demo, take_phone, look):
    """Each page there is, of a running and of a finished game, in words that are longer or run the other way."""
    games = demo()
    thumb = take_phone(locale=language)
    thumb.open(f"/k/{games[2]}")
    faults = look(thumb, language, "page-invitation", MIXED)
    with thumb.page.expect_navigation():
        thumb.page.locator("form button").tap()
    for address in addresses(scorebook, games):
        answer = thumb.page.goto(address)
        if answer.status != 200:
            faults.append(f"{address} is answered {answer.status}")
        screen = re.sub(r"/[a-z2-7]{20,}", "", address).strip("/").replace("/", "-") or "home"
        faults += look(thumb, language, f"page-{screen}", MIXED)
        if screen != "settings" and not thumb.page.locator("a[href^='/settings']").count():
            faults.append(f"{address} does not lead to where the language is changed")
    assert not faults, "\n".join(faults)
