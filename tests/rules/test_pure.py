"""The rules stand on the standard library alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = sorted(path.stem for path in (ROOT / "rules").glob("*.py") if path.stem != "__init__")

LOADED = """
import importlib, json, sys
before = set(sys.modules)
for name in sys.argv[1:]:
    importlib.import_module(f"rules.{name}")
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_the_rules_import_nothing_but_python():
    """Every module of the rules is loaded in a fresh Python: only the standard library comes with them."""
    command = [sys.executable, "-c", LOADED, *MODULES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=30)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert {"bidding", "record", "scoring", "sheet"} <= set(MODULES)
    assert loaded - set(sys.stdlib_module_names) == {"rules"}
