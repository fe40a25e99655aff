"""A full house: many phones at once, measured as bench/load.py does it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from bench import load


def measured(*told, **more):
    """The measurement in a thread of its own: a browser of other tests may have its loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(load.main, *told, **more).result()


@pytest.mark.target("T7")
@pytest.mark.timeout(300)
def test_phones_at_once_are_all_answered(capfd):
    """Three keepers and ten watchers for some seconds: every request is answered, none finds the database locked."""
    # How fast, only the long run asks, which has the computer to itself.
    status = measured(3, watchers=10, keepers=3, most={})
    said = capfd.readouterr()
    assert status == 0, said
    assert "errors: 0, of them locked: 0" in said.out


@pytest.mark.target("T7")
@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_full_house_on_sqlite_saves_in_time(capfd, figure):
    """20 keepers and 200 watchers for a minute: the save takes 300 ms at the 95th percentile, 800 at the 99th."""
    status = measured(60)
    said = capfd.readouterr()
    figure("T7 on SQLite: " + "; ".join(said.out.splitlines()))
    assert status == 0, said.err


@pytest.mark.target("T7")
@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_full_house_on_postgresql_is_served_by_two(capfd, own_postgresql, figure):
    """The same phones at two servers with one PostgreSQL behind them."""
    status = measured(60, servers=2, database=own_postgresql)
    said = capfd.readouterr()
    figure("T7 on PostgreSQL: " + "; ".join(said.out.splitlines()))
    assert status == 0, said.err
