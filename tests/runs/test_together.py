"""Writing for all that wait at once."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from server_town import eventually
from sqlalchemy.exc import OperationalError

from bot.runs.together import Together


class Disk:
    """Keeps what it is given; holds on to the first transaction until it is let go."""

    def __init__(self) -> None:
        self.written: list[tuple[str, ...]] = []
        self.begun = threading.Event()
        self.go = threading.Event()

    def write(self, items: Sequence[str]) -> tuple[str, ...]:
        self.begun.set()
        assert self.go.wait(20)
        if any(item.startswith("broken") for item in items):
            raise OperationalError("INSERT", {}, Exception("no"))
        if "mad" in items:
            raise MemoryError
        self.written.append(tuple(items))
        return tuple(item.upper() for item in items)


def test_what_comes_during_a_transaction_goes_into_the_next_one_together() -> None:
    disk = Disk()
    together = Together(disk.write)
    with ThreadPoolExecutor(10) as pool:
        first = pool.submit(together, "first")
        assert disk.begun.wait(20)
        others = [pool.submit(together, f"item {n}") for n in range(9)]
        eventually("all nine wait", lambda: len(together) == 9)
        assert not any(other.done() for other in others)
        disk.go.set()
        assert first.result(20) == "FIRST"
        assert [other.result(20) for other in others] == [f"ITEM {n}" for n in range(9)]
    assert [len(items) for items in disk.written] == [1, 9]


def test_one_that_cannot_be_written_keeps_no_other_from_it() -> None:
    disk = Disk()
    together = Together(disk.write)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(together, "first")
        assert disk.begun.wait(20)
        good, bad, late = (pool.submit(together, item) for item in ("good", "broken", "late"))
        eventually("all three wait", lambda: len(together) == 3)
        disk.go.set()
        assert first.result(20) == "FIRST"
        assert (good.result(20), late.result(20)) == ("GOOD", "LATE")
        with pytest.raises(OperationalError):
            bad.result(20)


def test_nobody_waits_for_ever_where_writing_fails_in_another_way() -> None:
    disk = Disk()
    together = Together(disk.write)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(together, "first")
        assert disk.begun.wait(20)
        waiting = [pool.submit(together, item) for item in ("mad", "beside it")]
        eventually("both wait", lambda: len(together) == 2)
        disk.go.set()
        assert first.result(20) == "FIRST"
        for future in waiting:
            with pytest.raises(MemoryError):
                future.result(20)
    assert together("afterwards") == "AFTERWARDS"
