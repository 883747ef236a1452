"""The queue of tasks: one worker in a repository, several repositories at once, nothing lost."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.runs.events import Woken
from bot.runs.queue import Claim, SqlQueue
from bot.runs.tables import open_database

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bot.sqlite3"


@pytest.fixture
def queue(file: Path) -> Iterator[SqlQueue]:
    engine = open_database(file)
    yield SqlQueue(engine)
    engine.dispose()


def woken(repository: str, issue: int = 1, why: str = "checked") -> Woken:
    return Woken(repository=repository, installation=5, issue=issue, why=why)


def take(queue: SqlQueue, now: datetime = NOON) -> Claim:
    claim = queue.take(now)
    assert claim is not None
    return claim


def test_everything_due_in_a_repository_is_one_claim(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp", 1), NOON)
    queue.put(woken("Ann/Lamp", 2), NOON)
    queue.put(woken("ann/lamp", 3), NOON + SECOND)
    claim = take(queue)
    assert claim.repository == "ann/lamp"
    assert [task.event for task in claim.tasks] == [woken("ann/lamp", 1), woken("Ann/Lamp", 2)]
    assert queue.take(NOON) is None


def test_a_repository_is_claimed_by_one_and_others_by_others(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp"), NOON)
    queue.put(woken("dan/desk"), NOON)
    first = take(queue)
    queue.put(woken("ann/lamp", 2), NOON)
    second = take(queue)
    assert (first.repository, second.repository) == ("ann/lamp", "dan/desk")
    assert queue.take(NOON) is None
    queue.done(first.tasks)
    assert take(queue).repository == "ann/lamp"


def test_many_threads_never_share_a_repository(queue: SqlQueue) -> None:
    for number in range(24):
        queue.put(woken(f"ann/r{number % 6}", number), NOON)
    with ThreadPoolExecutor(8) as pool:
        claims = [c for c in pool.map(lambda _: queue.take(NOON), range(12)) if c]
    assert sorted(c.repository for c in claims) == [f"ann/r{n}" for n in range(6)]
    assert sum(len(c.tasks) for c in claims) == 24


def test_what_waits_already_is_not_doubled_and_the_earlier_time_counts(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp"), NOON + 9 * SECOND)
    queue.put(woken("ann/lamp"), NOON + 2 * SECOND)
    queue.put(woken("ann/lamp"), NOON + 5 * SECOND)
    assert queue.length() == 1
    assert queue.next_due() == NOON + 2 * SECOND


def test_what_is_no_more_needed_is_dropped(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp", 1, "poll"), NOON + SECOND)
    queue.put(woken("ann/lamp", 2, "poll"), NOON)
    queue.drop(woken("ann/lamp", 1, "poll"))
    claim = take(queue, NOON + SECOND)
    assert [task.event for task in claim.tasks] == [woken("ann/lamp", 2, "poll")]


def test_what_comes_while_the_same_is_worked_is_worked_afterwards(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp"), NOON)
    claim = take(queue)
    queue.put(woken("ann/lamp"), NOON)
    queue.done(claim.tasks)
    assert [task.event for task in take(queue).tasks] == [woken("ann/lamp")]


def test_what_failed_is_tried_again_later(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp"), NOON)
    queue.again(take(queue).tasks, NOON + SECOND, "GitHub could not be reached")
    assert queue.take(NOON) is None
    again = take(queue, NOON + SECOND)
    assert [task.attempts for task in again.tasks] == [1]
    queue.again(again.tasks, NOON)
    assert [task.attempts for task in take(queue).tasks] == [1]


def test_what_a_killed_process_had_taken_is_taken_again(queue: SqlQueue, file: Path) -> None:
    queue.put(woken("ann/lamp"), NOON)
    take(queue)
    engine = open_database(file)
    following = SqlQueue(engine)
    assert following.take(NOON) is None
    assert following.recover() == 1
    assert [task.event for task in take(following).tasks] == [woken("ann/lamp")]
    engine.dispose()


def test_a_busy_repository_is_not_due(queue: SqlQueue) -> None:
    queue.put(woken("ann/lamp"), NOON)
    take(queue)
    queue.put(woken("ann/lamp", 2), NOON)
    assert queue.next_due() is None


def test_a_broken_database_is_said(file: Path) -> None:
    file.write_bytes(b"this is no database, whatever its name says" * 100)
    with pytest.raises(RepowrightError) as refused:
        open_database(file)
    assert refused.value.sentence == (
        f"{file}: the database cannot be used: file is not a database "
        "(check the folder's permissions and space; a broken file can be moved away)"
    )
