"""What somebody waits for on a slow phone in a slow network: `python -m bench.phone`.

The server as `make run` starts it, a database in a folder of its own, and the pages of running games in Chromium: as
they first come, with nothing kept, and the second time. The network is slow 3G, the processor four times slower than
this one. Exit status 1 where a page weighs more than it may or is usable later.

Usable is a page that is painted and whose buttons are heard by `taps.js`; without it the same buttons work as soon as
they are there. Chromium slows each request down and not the connection, so what it takes to connect comes on top: once
the latency over http, twice over https, for the first page of an evening. What else this computer does comes on top as
well: the best of some rounds is told.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from bench.load import NAMES, Phone, served

SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Slow 3G: 400 ms there and back, 400 kbit/s, which are 50,000 bytes a second."""
SLOWER = 4
"""So many times slower is the processor of a phone."""
MOST_SECONDS, MOST_BYTES = 2.0, 60 * 1024
"""When a page must be usable, and what it may weigh with all that comes after it."""
ROUNDS = 3
SETTLED = 4.0
"""Seconds without a file in which a page has got all it wants; the polls go on."""
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
SMALL = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "locale": "en-GB"}

HEARD = """
    new MutationObserver((_, observer) => {
      if (!document.documentElement?.classList.contains("scripted")) return;
      window.heardAt = performance.now();
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""Notes when `taps.js` begins to listen: it says so by a class."""
