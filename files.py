"""What a browser keeps: files named by their content, and sent as small as they get."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import brotli
from flask import Flask, Response, current_app, request
from werkzeug.security import safe_join

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""What is text, and so gets smaller."""
WAYS = {"br": brotli.compress, "gzip": gzip.compress}
"""The ways to compress that browsers understand, best first, each at its utmost. Brotli they take over https only."""


def init_app(app: Flask) -> None:
    """Have every address of a file name its content, and every file sent by `static`."""
    app.url_defaults(lambda endpoint, values: stamp(app, endpoint, values))
    app.view_functions["static"] = static


def static(filename: str) -> Response:
    """A file of `static/`; 404 where there is none of that name."""
    path = Path(safe_join(current_app.static_folder or "", filename) or "")
    if path.suffix in KINDS:
        with suppress(OSError, ValueError):
            return smallest(joined(parts(path)), KINDS[path.suffix])
    return current_app.send_static_file(filename)


def parts(path: Path) -> list[Path]:
    """What a file is put together from: all of its kind in a folder of its name, as their names go, or itself."""
    return sorted(path.with_suffix("").glob(f"*{path.suffix}")) or [path]


def joined(paths: Iterable[Path]) -> bytes:
    """Several files as one."""
    return b"\n".join(path.read_bytes() for path in paths)


def smallest(text: bytes, kind: str) -> Response:
    """An answer that is the same for everybody until the next version, as small as the browser takes it."""
    way = request.accept_encodings.best_match(WAYS)
    answer = Response(compressed(text, way) if way else text, mimetype=kind)
    if way:
        answer.content_encoding = way
    answer.vary.add("Accept-Encoding")
    answer.add_etag()
    answer.make_conditional(request)
    return answer


@lru_cache(maxsize=64)
def compressed(text: bytes, way: str) -> bytes:
    """The text compressed, which takes a twentieth of a second: once, and not anew for every phone."""
    return WAYS[way](text)


def stamp(app: Flask, endpoint: str, values: dict[str, Any]) -> None:
    """Name a static file by its content, so that browsers keep it for ever and never show an old one."""
    if endpoint == "static" and "v" not in values:
        values["v"] = content(Path(app.static_folder or "") / values["filename"])


def is_as_named() -> bool:
    """Whether the file that is asked for is still, or already, the one that the address names by its content.

    While one server after the other gets a new version, a page of the one may ask the other for its files.
    """
    path = Path(current_app.static_folder or "") / (request.view_args or {})["filename"]
    # Whether there is one, nobody has looked for OPTIONS.
    return request.method in ("GET", "HEAD") and request.args.get("v") == content(path)


def content(path: Path) -> str:
    """The content of a file in ten characters."""
    found = parts(path)
    key = tuple((str(each), each.stat().st_mtime_ns) for each in found)
    if key not in _CONTENTS:
        _CONTENTS[key] = hashlib.sha256(joined(found)).hexdigest()[:10]
    return _CONTENTS[key]


_CONTENTS: dict[tuple[tuple[str, int], ...], str] = {}
