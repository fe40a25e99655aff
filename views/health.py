"""Whether this process can do its work: for a load balancer, or whoever watches over the scorebook."""

from __future__ import annotations

from flask import Blueprint

from database import trouble

bp = Blueprint("health", __name__)


@bp.get("/health")
def health() -> tuple[dict[str, str], int]:
    """200 while the database answers and is this release's, 503 otherwise. No name, no cookie, no page."""
    found = trouble()
    return {"database": found.kind if found else "ready"}, 503 if found else 200
