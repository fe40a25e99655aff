"""A database that goes away: nothing acknowledged is lost or doubled, the phone is told, and the next tap works."""

from __future__ import annotations

import http.client
import itertools
import os
import random
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager

import psycopg
import pytest
from bs4 import BeautifulSoup
from sqlalchemy import select

from app import create_app
from database import Base, db
from tests.conftest import Phone, Table, postgresql_programs
from tests.service.conftest import before_statements

# Servers are started, which takes its time where others work, too.
pytestmark = pytest.mark.timeout(300)

FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")


@contextmanager
def connection_dropped(app, number, url):
    """Before statement `number` of what happens meanwhile, the server ends the connection it would go through.

    Gives a list of what was to be sent then; the commit counts as the last statement.
    """
    count, dropped = itertools.count(1), []

    def drop(connection, statement):
        if next(count) == number:
            dropped.append(statement)
            with psycopg.connect(url, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])

    with before_statements(app, drop):
        yield dropped


@pytest.fixture
def table(own_postgresql, tmp_path):
    """A table whose score is kept in a database of its own."""
    app = create_app(
        {"DATA_FOLDER": tmp_path, "SQLALCHEMY_DATABASE_URI": own_postgresql, "RATELIMIT_ENABLED": False}
    )
    assert app.test_cli_runner().invoke(args=["migrate"]).exit_code == 0
    yield Table(Phone(app))
    with app.app_context():
        db.engine.dispose()


def everything(app):
    """Every row of every table."""
    with app.app_context():
        tables = Base.metadata.sorted_tables
        return [db.session.execute(select(each).order_by(*each.primary_key)).all() for each in tables]


@pytest.mark.target("T3")
def test_a_connection_that_is_dropped_within_a_save_leaves_no_trace(table, own_postgresql):
    """Whichever statement it would have been: the page says "Not saved", and the same form works afterwards."""
    app = table.phone.client.application
    table.start(*FOUR, dealer=3, order="own", plan="3,4", trump="turned")
    table.trump("hearts").bid(1, 0, 1, 0).over()
    form = table.phone.button("save").find_parent("form")
    fields = table.phone.filled(form) | {"tricks-2": "2"}
    url = own_postgresql.replace("+psycopg", "")

    def send():
        return table.phone.client.post(form["action"], data=fields, headers={"Origin": "http://localhost"})

    stood = everything(app)
    for number in itertools.count(1):
        with connection_dropped(app, number, url) as dropped:
            answer = send()
        if not dropped:
            break
        assert answer.status_code == 500, dropped
        assert "Not saved" in BeautifulSoup(answer.text, "html.parser").h1.get_text()
        assert "Traceback" not in answer.text
        assert everything(app) == stood, dropped
    assert number > 8
    assert answer.status_code == 302
    saved = everything(app)
    assert saved != stood
    assert send().status_code == 302
    assert everything(app) == saved, "Sent again, it has no second effect."


def keep_on(keeper, until, counts):
    """Tap until then; a tap that was not saved is sent again, as a phone does it."""
    while time.monotonic() < until:
        try:
            status, _headers, text = keeper.send()
        except (OSError, http.client.HTTPException) as error:
            counts[type(error).__name__] += 1
            continue
        counts[status] += 1
        assert "Traceback" not in text
        if status == 302:
            keeper.saved += 1
            if not keeper.go_on():
                return
            time.sleep(random.uniform(0, 0.02))
        else:
            assert status == 500, text
            assert "Not saved" in text
            time.sleep(0.05)


def restart(url):
    """Stop PostgreSQL as a power cut would, and start it again."""
    with psycopg.connect(url) as connection:
        folder = connection.execute("SHOW data_directory").fetchone()[0]
    person = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    command = [
        str(postgresql_programs() / "pg_ctl"),
        f"--pgdata={folder}",
        "--silent",
        "--wait",
        "--mode=immediate",
    ]
    done = subprocess.run(
        [*command, f"--log={folder}/../log", "restart"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        **person,
    )
    assert done.returncode == 0, done.stderr


def restarted_under_load(server, keeper_of, url, *, servers, restarts, seconds):
    """Four phones write through some servers while the database is restarted; gives what was answered how often."""
    started = [server(database=url) for _server in range(servers)]
    for each in started:
        each.start()
    keepers = [keeper_of(started[number % servers]).start() for number in range(4)]
    counts, until = Counter(), time.monotonic() + seconds
    threads = [threading.Thread(target=keep_on, args=(keeper, until, counts)) for keeper in keepers]
    for thread in threads:
        thread.start()
    for _restart in range(restarts):
        time.sleep(seconds / (restarts + 1) * 0.8)
        restart(url.replace("+psycopg", ""))
    for thread in threads:
        thread.join(seconds + 60)
        assert not thread.is_alive()
    for keeper in keepers:
        # What was on its way at the end may be stored without having been acknowledged, and is sent again.
        if keeper.waiting:
            keeper.saved += keeper.send()[0] == 302
        keeper.check()
    assert sum(keeper.saved for keeper in keepers) >= counts[302]
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        doubled = "SELECT game_id, action FROM change GROUP BY 1, 2 HAVING count(*) > 1"
        assert connection.execute(doubled).fetchall() == []
    return counts


def test_a_database_restarted_under_load_loses_nothing(server, keeper_of, own_postgresql):
    """Four phones go on over a restart: what was acknowledged is there once."""
    counts = restarted_under_load(server, keeper_of, own_postgresql, servers=1, restarts=1, seconds=3)
    assert counts[302] > 3


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_database_restarted_ten_times_under_load_loses_nothing(server, keeper_of, own_postgresql, figure):
    """The same for a minute."""
    counts = restarted_under_load(server, keeper_of, own_postgresql, servers=2, restarts=10, seconds=60)
    assert counts[500], "No tap met a restart: that was not tried."
    figure(
        f"PostgreSQL restarted hard 10 times under two servers and four keepers: {counts[302]} taps acknowledged, "
        f"{counts[500]} told as not saved and sent again; 0 lost, 0 doubled, 0 stack traces shown"
    )
