"""Every address that a page mentions may be fetched by anything: a messenger, a search engine, a hasty browser."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")

PREVIEWS = (
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "WhatsApp/2.23.20.0 A",
    "TelegramBot (like TwitterBot)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
)
MENTIONED = ("href", "src", "action", "data-poll", "data-fresh", "data-share", "content")
"""Attributes that hold addresses."""
QUERIES = 12
"""So many addresses that differ only in what is asked are fetched."""


@pytest.fixture
def played(table):
    """A finished game, and one in the middle of its second hand, of one book."""
    table.start(*FOUR, dealer=3, order="own", plan="2,1", trump="untracked", hook=False)
    table.play(bids=[1, 0, 0, 0], tricks=[1, 0, 1, 0]).play(bids=[1, 0, 0, 0], tricks=[1, 0, 0, 0])
    finished = table.code
    table.start(*FOUR, dealer=3, order="own", plan="3,2,1", trump="turned", no_trump_on="never", hook=False)
    table.play(bids=[1, 0, 1, 0], tricks=[1, 0, 1, 1]).trump("spades").bid_one(1)
    return [f"/g/{code}{page}" for code in (finished, table.code) for page in ("", "/now", "/board", "/card")]


def crawl(client, starts):
    """Ask for every address that can be reached from `starts`, each by HEAD and GET; gives their paths by status."""
    waiting, seen, asked = [*starts], {}, Counter()
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        agent = {"User-Agent": PREVIEWS[len(seen) % len(PREVIEWS)], "Sec-Purpose": "prefetch;prerender"}
        head = client.head(address, headers=agent, buffered=True)
        answer = client.get(address, headers=agent, buffered=True)
        assert head.status_code == answer.status_code, address
        assert answer.status_code < 500, address
        seen[address] = answer.status_code
        found = [answer.headers.get("Location", "")]
        if answer.mimetype == "text/html":
            page = BeautifulSoup(answer.text, "html.parser")
            found += [str(tag[name]) for tag in page.find_all(True) for name in MENTIONED if tag.get(name)]
        for each in found:
            parts = urlsplit(urljoin(f"http://localhost{address}", each))
            ours = parts.netloc == "localhost" and each.startswith(("/", "http"))
            # A file has one content, whatever is asked for behind its name.
            if ours and parts.path:
                query = f"?{parts.query}" if parts.query and not parts.path.startswith("/static/") else ""
                # Filters go with each other, by the hundred: a few of them are as good as all.
                asked[parts.path] += bool(query)
                if not query or asked[parts.path] <= QUERIES:
                    waiting.append(parts.path + query)
    return seen


@pytest.mark.pages
@pytest.mark.target("S4")
@pytest.mark.parametrize("who", ["a watcher", "a keeper"])
def test_fetching_every_address_changes_nothing(table, other_phone, played, rows, who):
    """From the addresses of two games on, every link and every form's address is fetched: no row differs afterwards."""
    client = table.phone.client if who == "a keeper" else other_phone.client
    before = rows()
    seen = crawl(client, ["/", *played])
    assert rows() == before
    paths = {urlsplit(address).path for address in seen}
    assert {f"/g/{table.code}/hands/2", f"/g/{table.code}/version", f"/g/{table.code}/me"} <= paths
    assert any("?" in address for address in seen), "addresses with a query are walked, too"
    keepers = {f"/g/{table.code}/table", f"/g/{table.code}/undo", f"/g/{table.code}/hands/1/correct"}
    assert keepers & paths == (keepers if who == "a keeper" else set())
    if who == "a watcher":
        assert not [path for path in paths if path.startswith("/b/")], "no way into the book"
