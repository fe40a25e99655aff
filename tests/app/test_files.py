"""Files: named by their content, kept for ever, compressed once."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import urlsplit

import brotli
import pytest

import files

STATIC = Path(__file__).parents[2] / "static"
PLAIN = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}
pytestmark = pytest.mark.pages


def named(page):
    """The addresses of all files that a page names, whether it asks for them at once or later."""
    values = [str(value) for each in page.find_all(True) for value in each.attrs.values()]
    return {value for value in values if value.startswith("/static/")}


def test_files_are_named_by_their_content_and_kept_for_ever(table):
    """Whatever a hand, the sheet, the first page and a new game name comes whole, in every way of compressing it."""
    table.start("Ada", "Bruno", "Chiara", hook=False, trump="untracked")
    phone = table.phone
    addresses = [f"/g/{table.code}/hands/1", f"/g/{table.code}", "/", "/new"]
    wanted = set().union(*(named(phone.get(address)) for address in addresses))
    assert {"/static/scorebook.css", "/static/taps.js", "/static/live.js"} < {
        urlsplit(each).path for each in wanted
    }
    for address in wanted:
        file = STATIC / urlsplit(address).path.rpartition("/")[2]
        assert urlsplit(address).query == f"v={files.content(file)}"
        for way, opened in PLAIN.items():
            answer = phone.client.get(address, headers={"Accept-Encoding": way or "identity"}, buffered=True)
            assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert "Set-Cookie" not in answer.headers
            is_text = file.suffix in files.KINDS
            assert answer.headers.get("Content-Encoding") == (way if is_text else None)
            assert (opened(answer.data) if is_text else answer.data) == files.joined(files.parts(file))


@pytest.mark.parametrize("version", ["", "?v=", "?v=0123456789"])
def test_a_file_of_another_version_is_not_kept(phone, version):
    """While two servers differ, a page of the one must not have the file of the other for ever under its own name."""
    answer = phone.client.get(f"/static/taps.js{version}")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")


@pytest.mark.parametrize(
    "name", ["none.css", "../app.css", "%00.js", f"{300 * 'x'}.svg", "scorebook.js", "scorebook.svg", ""]
)
def test_what_is_no_file_is_not_found(phone, name):
    """A name that cannot be one is a wrong address like any other."""
    phone.get(f"/static/{name}", status=404)
    answer = phone.client.options(f"/static/{name}")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200 if name else 404, "no-store")


def test_a_file_is_compressed_once(phone):
    """The second phone gets what the first had; one that has it already is told so."""
    ask = {"Accept-Encoding": "gzip, deflate, br, zstd"}
    first = phone.client.get("/static/scorebook.css", headers=ask)
    before = files.compressed.cache_info()
    assert phone.client.get("/static/scorebook.css", headers=ask).data == first.data
    after = files.compressed.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)
    kept = {**ask, "If-None-Match": first.headers["ETag"]}
    assert phone.client.get("/static/scorebook.css", headers=kept).status_code == 304


def test_the_worker_comes_again_only_when_it_has_changed(phone):
    """Browsers ask for it at every page: the answer is that it is the same, and nothing else."""
    ask = {"Accept-Encoding": "br"}
    first = phone.client.get("/worker.js", headers=ask)
    assert len(first.data) * 3 < len(brotli.decompress(first.data))
    again = phone.client.get("/worker.js", headers={**ask, "If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
