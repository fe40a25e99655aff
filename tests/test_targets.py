"""That every figure of the targets has a test which shows it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent

WANTED = {f"S{number}" for number in range(1, 22)} | {"T11"}
KNOWN = {
    f"{kind}{number}" for kind, most in (("S", 21), ("T", 13), ("P", 7)) for number in range(1, most + 1)
}


def test_every_target_has_a_test():
    """Each is named by a marker of at least one test; a marker of a number that is none is a slip."""
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    marked = {each for text in texts for each in re.findall(r'mark\.target\("(\w+)"\)', text)}
    assert marked >= WANTED
    assert marked <= KNOWN
