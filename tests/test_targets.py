"""That every figure there is to meet has a test which shows it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent

# S19 is shown by the lock files, which are audited, not tested.
SECURITY = {f"S{number}" for number in range(1, 22)} - {"S19"}
RELIABILITY = {f"T{number}" for number in (1, 2, 3, 4, 5, 6, 7, 10, 12, 13)}


def test_every_target_has_a_test():
    """Each is named by a marker of at least one test; a marker of a number that is none is a slip."""
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py")]
    marked = {each for text in texts for each in re.findall(r'mark\.target\("([ST]\d+)"\)', text)}
    assert marked >= SECURITY | RELIABILITY
    assert marked <= {f"S{number}" for number in range(1, 22)} | {f"T{number}" for number in range(1, 14)}
