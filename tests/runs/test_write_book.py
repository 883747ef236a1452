"""Writes of one credential that several processes make, counted in a database of either kind."""

from concurrent.futures import ThreadPoolExecutor
from math import inf

import pytest
from sqlalchemy import Engine

from bot.forge.github.pace import OwnBook
from bot.ports.writes import WriteLimits
from bot.runs.writes import SqlWrites

LIMITS = WriteLimits(gap=10.0, per_minute=3, per_hour=4)


def book(engine: Engine, credential: str = "7") -> SqlWrites:
    """That of another process each time."""
    return SqlWrites(engine, credential, LIMITS, OwnBook(LIMITS))


def test_processes_that_share_a_credential_are_held_to_the_limits_of_one(engine: Engine) -> None:
    def write(_: int) -> float:
        return book(engine).reserve(0.0, inf, creates=True).wait

    with ThreadPoolExecutor(5) as together:
        found = sorted(together.map(write, range(5)))
    assert found == [pytest.approx(seconds, abs=3.0) for seconds in (0, 10, 20, 61, 3601)]


def test_what_creates_nothing_is_only_spaced_out(engine: Engine) -> None:
    found = [book(engine).reserve(0.0, inf, creates=False).wait for _ in range(5)]
    assert found == [pytest.approx(seconds, abs=3.0) for seconds in (0, 10, 20, 30, 40)]


def test_a_write_that_would_be_too_late_is_not_counted(engine: Engine) -> None:
    assert book(engine).reserve(5.0, inf, creates=True).wait == 5.0
    late = book(engine).reserve(0.0, 2.0, creates=True)
    assert (late.number, late.wait) == (None, pytest.approx(15.0, abs=3.0))
    slot = book(engine).reserve(0.0, inf, creates=True)
    assert slot.wait == pytest.approx(15.0, abs=3.0)
    book(engine).give_back(slot)
    again = book(engine).reserve(0.0, inf, creates=True)
    assert again.wait == pytest.approx(15.0, abs=3.0)
    assert book(engine, "8").reserve(0.0, inf, creates=True).wait == 0.0


def test_without_the_database_a_process_counts_its_own(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE writes")
    mine = book(engine)
    slots = [mine.reserve(0.0, inf, creates=True) for _ in range(2)]
    assert [slot.wait for slot in slots] == [0.0, pytest.approx(10.0, abs=3.0)]
