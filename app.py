"""The scorebook: settings, extensions, blueprints, error pages and the guard in front of every request. Wiring only."""

from __future__ import annotations

import math
import os
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from flask import (
    Flask,
    Request,
    Response,
    abort,
    current_app,
    make_response,
    render_template,
    request,
)
from flask.globals import request_ctx
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_compress import Compress
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, TooManyRequests
from werkzeug.middleware.proxy_fix import ProxyFix

import cli
import files
import journal
import language
import views
from database import begin_writing, db

HERE = Path(__file__).parent
MOST_COOKIES = 2000
"""Phones whose cookie is remembered."""
SHORTEST_SECRET = 32
"""Characters a session secret must have at the least."""
SAMPLE_SECRETS = ("changeme", "secret", "dev", "development", "password", "your-secret-key")


def create_app(settings: Mapping[str, Any] | None = None) -> Flask:
    """The app. `settings` override what the environment says; tests hand theirs over here.

    Environment: SCOREBOOK_DATA (the folder of the database and the session secret, default `data/` beside this
    file), DATABASE_URL (default: SQLite in that folder), SECRET_KEY (default: made on first start, kept there),
    SCOREBOOK_HTTPS=1 when it is reached over https only, SCOREBOOK_HOST (the hosts it answers to, with commas
    between; default: any), SCOREBOOK_PROXIES (how many proxies stand in front of it, default 0),
    SCOREBOOK_LOG (how the journal is written, see journal.py), RATELIMIT_STORAGE_URI (where tries are counted, default
    in memory).

    Raises SystemExit in plain words when a setting cannot be used.
    """
    app = Scorebook(__name__, static_folder="static")
    app.session_interface = PageCookies()
    configure(app, settings or {})
    db.init_app(app)
    # Before all others, so that it sees an answer after them.
    journal.init_app(app)
    app.extensions["compress"] = Compress(app)
    files.init_app(app)
    language.init_app(app)
    views.init_app(app)
    cli.init_app(app)
    app.wsgi_app = with_headers(app.wsgi_app)  # type: ignore[method-assign]
    if proxies := app.config["PROXIES"]:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies)  # type: ignore[method-assign]
    app.before_request(refuse_other_hosts)
    app.before_request(refuse_cross_site)
    app.before_request(write_one_at_a_time)
    app.after_request(pack)
    app.after_request(set_headers)
    app.register_error_handler(HTTPException, show_error)
    return app


class Scorebook(Flask):
    """Flask, without what costs it time at every request and nobody here needs."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """None of our functions is a coroutine, which Flask would look for each time."""
        return func


class PageCookies(SecureCookieSessionInterface):
    """The phone's cookie travels with pages, never with a file that a cache between may keep for others.

    Nor with the version of a game, which is asked for every second: it would be most of the work.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], dict[str, Any]] = {}

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Read from the cookie, where the page may care whose phone it is.

        What a cookie says is proven once a day: the same text with the same secret says the same.
        """
        # The session is opened before the address is matched to its endpoint.
        if request.path.startswith("/g/") and request.path.endswith("/version"):
            return self.session_class()
        key = (app.secret_key, request.cookies.get(self.get_cookie_name(app)), datetime.now(UTC).date())
        # Asked for once: another thread may empty it at any moment.
        known = self._known.get(key)
        if known is None:
            session = super().open_session(app, request)
            if not session:
                return session
            if len(self._known) >= MOST_COOKIES:
                self._known.clear()
            known = self._known[key] = dict(session)
        return self.session_class(known)

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """When something in it has changed; `views.phone` changes it once a day, so that it lives on."""
        return request.endpoint != "static" and super().should_set_cookie(app, session)


def configure(app: Flask, settings: Mapping[str, Any]) -> None:
    """Take the settings from the environment and from `settings`, and check them."""
    folder = Path(settings.get("DATA_FOLDER") or os.environ.get("SCOREBOOK_DATA") or HERE / "data").absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refusal:
        raise SystemExit(unusable(folder, refusal)) from None
    app.config.update(
        DATA_FOLDER=folder,
        SQLALCHEMY_DATABASE_URI=database_url(os.environ.get("DATABASE_URL"), folder),
        SECRET_KEY=os.environ.get("SECRET_KEY"),
        HTTPS=is_set("SCOREBOOK_HTTPS"),
        HOSTS=hosts_of(os.environ.get("SCOREBOOK_HOST", "")),
        PROXIES=count_of(os.environ.get("SCOREBOOK_PROXIES") or "0"),
        LOG=journal_of(os.environ.get("SCOREBOOK_LOG", "")),
        RATELIMIT_STORAGE_URI=os.environ.get("RATELIMIT_STORAGE_URI") or "memory://",
        # Forgets a network some time after its last try, which the exact "moving-window" never does in memory.
        RATELIMIT_STRATEGY="sliding-window-counter",
        MAX_CONTENT_LENGTH=64 * 1024,
        MAX_FORM_MEMORY_SIZE=64 * 1024,
        MAX_FORM_PARTS=200,
        SESSION_COOKIE_NAME="scorebook",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(days=400),
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(days=365),
        COMPRESS_MIN_SIZE=500,
        COMPRESS_REGISTER=False,
    )
    app.config.update(settings)
    # What people wrote is not repeated in errors.
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {"hide_parameters": True}
    if not app.config["SQLALCHEMY_DATABASE_URI"].startswith("sqlite"):
        app.config["SQLALCHEMY_ENGINE_OPTIONS"] |= {
            # A connection that a restarted database dropped is replaced before anybody notices.
            "pool_pre_ping": True,
            # One for each thread of the server, and some over for a moment.
            "pool_size": 8,
            "max_overflow": 8,
            "pool_timeout": 5,
            # Seconds (milliseconds) until a computer that is gone is given up; database.py sets how long one works.
            "connect_args": {"connect_timeout": 5, "tcp_user_timeout": 10_000, "keepalives_idle": 10},
        }
    if app.config["HTTPS"]:
        app.config.update(SESSION_COOKIE_NAME="__Host-scorebook", SESSION_COOKIE_SECURE=True)
    if not app.config["SECRET_KEY"]:
        try:
            app.config["SECRET_KEY"] = kept_secret(folder / "secret")
        except OSError as refusal:
            raise SystemExit(unusable(folder, refusal)) from None
    weak = app.config["SECRET_KEY"].casefold()
    if len(weak) < SHORTEST_SECRET or any(weak.startswith(sample) for sample in SAMPLE_SECRETS):
        raise SystemExit(
            f"SECRET_KEY is a sample or shorter than {SHORTEST_SECRET} characters: anybody could forge a keeper's "
            "cookie. Leave it unset, and one is made and kept beside the database."
            if os.environ.get("SECRET_KEY") or settings.get("SECRET_KEY")
            else f"The session secret in {folder / 'secret'} is damaged. Put it back from a backup, or remove it: "
            "then one is made anew, and every phone must be invited to its book again."
        )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True


def unusable(folder: Path, refusal: OSError) -> str:
    """That nothing can be kept there, and what to do."""
    return (
        f"The data folder {folder} cannot be used: {refusal.strerror}. It must belong to whoever runs the scorebook; "
        "SCOREBOOK_DATA names another."
    )


def is_set(name: str) -> bool:
    """Whether a setting is switched on; SystemExit in plain words for what is neither on nor off."""
    given = os.environ.get(name, "").strip()
    if given not in ("", "0", "1"):
        raise SystemExit(f"{name} is 1, or not set; it cannot be {given!r}.")
    return given == "1"


def hosts_of(given: str) -> list[str]:
    """The hosts it answers to, as browsers send them; SystemExit in plain words for what no browser would send."""
    hosts = [each.strip().casefold() for each in given.split(",") if each.strip()]
    for each in hosts:
        if not HOST.fullmatch(each):
            raise SystemExit(
                f"SCOREBOOK_HOST holds {each!r}, which is no host. Names stand there with commas between, without "
                "https:// and without a path, such as scores.example,192.168.1.5:8000."
            )
    return hosts


HOST = re.compile(r"([a-z0-9]([a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def journal_of(given: str) -> str:
    """How the journal is written; SystemExit in plain words for another way."""
    if given.strip() not in ("", *journal.KINDS):
        raise SystemExit(f"SCOREBOOK_LOG is one of {', '.join(journal.KINDS)}; it cannot be {given!r}.")
    return given.strip()


def count_of(proxies: str) -> int:
    """The number of proxies in front; SystemExit in plain words for anything else."""
    if not (proxies.isascii() and proxies.isdigit() and len(proxies) < 3):
        raise SystemExit("SCOREBOOK_PROXIES is the number of proxies in front of the scorebook, such as 1.")
    return int(proxies)


def database_url(given: str | None, folder: Path) -> str:
    """The address of the database for SQLAlchemy; PostgreSQL is always spoken to through psycopg.

    SystemExit in plain words, without the password, for what is no such address.
    """
    if not given:
        return f"sqlite:///{folder / 'scorebook.sqlite'}"
    scheme, separator, rest = given.partition("://")
    url = f"postgresql+psycopg{separator}{rest}" if scheme in ("postgres", "postgresql") else given
    try:
        kind = make_url(url).drivername
    except (ArgumentError, ValueError):
        kind = ""
    if kind not in ("sqlite", "postgresql+psycopg"):
        raise SystemExit(
            "DATABASE_URL is no address of a database. It looks like postgresql://user:password@host:5432/scorebook, "
            "where @ : / and % in the password are written as %40 %3A %2F and %25; without it, SQLite is used."
        )
    return url


def kept_secret(path: Path) -> str:
    """The session secret of this installation, made on first start, readable by its owner alone."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text(encoding="ascii")


def refuse_other_hosts() -> None:
    """Answer only to the hosts of the settings: what a forged Host header says must not get into a link to share.

    But for the question of health, whose answer holds no link: a load balancer asks by an address, not by a name.
    """
    if request.endpoint == "health.health":
        return
    if current_app.config["HOSTS"] and request.host.casefold() not in current_app.config["HOSTS"]:
        abort(400, "host")


def refuse_cross_site() -> None:
    """Refuse to change anything for another site's page.

    Browsers say where a POST comes from in `Sec-Fetch-Site`, over plain http in a home network only in `Origin`. A
    POST that says neither, or a null origin, is refused as well. No tokens: a form that waited offline stays good.
    """
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    origin = request.headers.get("Origin", "")
    if (site := request.headers.get("Sec-Fetch-Site")) is not None:
        ours = site == "same-origin" and origin != "null"
    else:
        # Without reading it, which not everything that is sent can stand.
        ours = origin in (f"http://{request.host}", f"https://{request.host}")
    if not ours:
        abort(403, "cross-site")


def write_one_at_a_time() -> None:
    """A POST takes the writer's place in the database before it reads what it will change."""
    if request.method == "POST":
        begin_writing()


def with_headers(answer: Callable[..., Any]) -> Callable[..., Any]:
    """The app with `HEADERS` on every answer, whoever gives it: nothing from elsewhere, nothing inline."""
    always = list(HEADERS.items())

    def start(environ: dict[str, Any], begin: Callable[..., Any]) -> Any:
        return answer(environ, lambda status, headers, *more: begin(status, [*headers, *always], *more))

    return start


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "object-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer carries."""


def pack(response: Response) -> Response:
    """Compress pages and files; Flask-Compress leaves everything but a 200 as it is, after a long look."""
    if response.status_code != 200:
        return response
    packed: Response = current_app.extensions["compress"].after_request(response)
    return packed


def set_headers(response: Response) -> Response:
    """How long an answer may be kept: nothing by caches but hashed files."""
    if request.endpoint == "static" and response.status_code in (200, 304) and files.is_as_named():
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    elif request.endpoint in ("sheet.version", "offline.worker", "offline.manifest"):
        response.headers["Cache-Control"] = "private, no-cache"
    else:
        response.headers["Cache-Control"] = "no-store"
    if request.is_secure:
        response.headers["Strict-Transport-Security"] = "max-age=31536000"
    return response


def show_error(error: HTTPException) -> Response:
    """A page that says what happened and what to do, for every status."""
    if request_ctx.url_adapter is None:
        # The Host header is no name at all, so no page could be built that leads anywhere.
        return error.get_response()  # type: ignore[return-value]
    db.session.rollback()
    again = error.retry_after if isinstance(error, TooManyRequests) else 0
    wait = again if isinstance(again, int) else 60
    is_worth_sending_again = request.method == "POST" and (error.code == 429 or (error.code or 0) >= 500)
    page = make_response(
        render_template(
            "error.html",
            status=error.code,
            reason=error.description,
            minutes=math.ceil(wait / 60),
            sent=what_was_sent() if is_worth_sending_again else None,
        ),
        error.code,
    )
    if wait:
        page.headers["Retry-After"] = str(wait)
    if isinstance(error, MethodNotAllowed):
        page.allow.update(error.valid_methods or ())
    return page


def what_was_sent() -> Mapping[str, str] | None:
    """The form of the request, to be sent once more; None where it is too large to be read, or broke off."""
    try:
        return request.form
    except HTTPException:
        return None
