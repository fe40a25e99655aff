"""The gates that no change passes: coverage, mutants, pinned packages, nothing secret in what is committed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from bench.mutants import EQUIVALENT, LEAST_KILLED, MODULES, mutants

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
LOCKS = ("requirements.txt", "requirements-dev.txt")

MAY_WRITE = {
    "views/__init__.py",
    "views/keys.py",
    "views/keepers.py",
    "views/limits.py",
    "app.py",
    "codes.py",
    "sitting.py",
    "kept.py",
    "log.py",
}
"""Where it is said who may look and who may write, and who deals."""


def committed() -> list[Path]:
    """Every file that git keeps, as it is here now."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no git checkout")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


# Coverage and mutants


@pytest.mark.target("T11")
def test_make_cover_wants_every_branch_of_rules_and_access_and_most_of_the_rest():
    """All branches of the rules and of what lets a phone in, 95 % of everything, and nothing left out by a word."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]
    assert settings["run"]["branch"]
    assert set(settings["run"]["omit"]) == {".venv/*", "migrations/*", "tests/*", "bench/*"}
    recipe = re.search(r"^cover:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe, "make cover is gone"
    assert "coverage report --fail-under 95\n" in recipe[1]
    assert '--fail-under 100 --include "$(wholly)"' in recipe[1]
    wholly = re.search(r"^wholly := (.+)$", MAKEFILE, re.MULTILINE)
    assert wholly, "make cover no longer names what is covered wholly"
    assert set(wholly[1].split(",")) >= {"rules/*", *MAY_WRITE}
    spared = [
        path.name
        for path in committed()
        if path.suffix == ".py" and "pragma" + ": no" in path.read_text("utf-8")
    ]
    assert spared == []


@pytest.mark.target("T11")
def test_a_slip_in_the_rules_is_noticed():
    """A few mutants of each module, of all that `make mutate` tries, are killed or known for what they are."""
    assert LEAST_KILLED >= 85
    assert set(MODULES) >= {"scoring", "bidding"}
    done = subprocess.run(
        [sys.executable, "-m", "bench.mutants", "--every", "90"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"rules/\w+\.py: \d+ mutants", done.stdout)) == len(MODULES)


def test_what_is_said_of_equivalent_mutants_is_true_of_some():
    """The list names mutants that there are, and says why of each."""
    names = {each.name for module in MODULES for each in mutants(module)}
    assert set(EQUIVALENT) - names == set()
    assert all(why.strip() for why in EQUIVALENT.values())


# Packages


def pinned(lock: str) -> list[tuple[Requirement, int]]:
    """What a lock file pins, with the number of its hashes."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    blocks = re.split(
        r"\n(?=[\w-])", "\n".join(line for line in text.splitlines() if not line.startswith("    #"))
    )
    return [
        (
            Requirement(block.partition("\\\n")[0].strip()),
            len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", block)),
        )
        for block in blocks
    ]


@pytest.mark.target("S19")
@pytest.mark.parametrize("lock", LOCKS)
def test_what_is_installed_is_what_is_pinned(lock):
    """Every package is pinned to one version by its hashes, and that version is the one that runs here."""
    pins = pinned(lock)
    assert len(pins) > 20
    for requirement, hashes in pins:
        assert hashes, f"{requirement} has no hash; make lock writes them."
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        if requirement.marker is None or requirement.marker.evaluate():
            assert version(requirement.name) == pin.version, "make setup installs what is pinned."


@pytest.mark.target("S19")
def test_packages_are_past_their_known_weaknesses():
    """The versions that mended what their advisories tell of, or later ones."""
    mended = {"flask": "3.1.3", "werkzeug": "3.1", "jinja2": "3.1.6", "waitress": "3.0.1"}
    pins = {
        each.name: Version(next(iter(each.specifier)).version)
        for each, _ in pinned(LOCKS[0])
        if not each.marker
    }
    assert {name: pins[name] for name, least in mended.items() if pins[name] < Version(least)} == {}


# Secrets

DUMPS = re.compile(
    r"\.(sqlite[\w-]*|db|dump|sql|bak|pem|key|p12|pfx|env)(\.\w+)?$|(^|/)(\.env|id_\w+|secret)$"
)
"""Names of files that hold somebody's games or keys."""
SECRETS = re.compile(
    rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|^SQLite format 3\x00|^PGDMP|PostgreSQL database[ ]dump|"
    rb"\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{36}|\bxox[abprs]-[\w-]{20}|"
    # A long value of letters and digits mixed is no word that somebody made up.
    rb"(?i:secret|token|password|api_?key)\w*[\"']?\s*[:=]\s*[\"'](?=[^\"']*\d)(?=[^\"']*[a-z])[\w+/=-]{32,}[\"']"
)
"""What such a file, or a line with a key in it, looks like."""


OURS = "tests/data/schema-0001.sql"
"""The games of sample players as the first release stored them."""


def test_nothing_committed_is_a_dump_or_a_secret():
    """No database, no backup, no private key and no long random value stands among the files of the project."""
    files = committed()
    assert len(files) > 100
    names = [path.relative_to(ROOT).as_posix() for path in files]
    assert [name for name in names if DUMPS.search(name)] == [OURS]
    assert [name for name, path in zip(names, files, strict=True) if SECRETS.search(path.read_bytes())] == []


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN " + "RSA PRIVATE KEY-----",
        "SQLite " + "format 3\0",
        "-- PostgreSQL " + "database dump",
        "SECRET_KEY = " + repr("0a1b" * 8),
        'api_key": ' + '"Zx9_' + "q7W" * 12 + '"',
    ],
)
def test_a_dump_or_a_secret_would_be_seen(text):
    """What was put into other projects by mistake is told from ordinary text."""
    assert SECRETS.search(text.encode())
    assert not SECRETS.search(b'token = "the key that a phone keeps in its cookie"')
    assert all(
        DUMPS.search(name) for name in ("data/scorebook.sqlite-wal", "books.sql.gz", "old/.env", "id_rsa")
    )
