"""What the worker makes of deliveries, on databases in files."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import sub
from pathlib import Path

import pytest
from server_town import eventually
from sqlalchemy import Engine, select, text

from bot.config import Settings
from bot.runs.calls import SqlCalls, forget_calls
from bot.runs.database import database_url, open_database
from bot.runs.deliveries import Delivery, SqlDeliveries
from bot.runs.durable import DurableSettings
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.place import NotServed, Place
from bot.runs.tables import CALLS, DELIVERIES
from bot.runs.worker import Worker, WorkerSettings
from bot.runs.workers import SqlWorkers

pytestmark = pytest.mark.timeout(120)


class NoPlaces:
    """A server that works for no repository."""

    def all(self) -> tuple[tuple[str, int], ...]:
        return ()

    def open(self, repository: str, installation: int) -> Place:
        raise NotServed("the repository is none of those in the settings")


def delivery(id: str, issue: int) -> Delivery:
    payload = {
        "action": "closed",
        "repository": {"full_name": "ann/tally"},
        "sender": {"login": "ann"},
        "issue": {"number": issue, "updated_at": "2026-01-02T03:04:05Z"},
    }
    return Delivery(
        id=id,
        event="issues",
        content_type="application/json",
        body=json.dumps(payload).encode(),
        received_at=datetime.now(UTC),
    )


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_database(tmp_path / "database.sqlite3")
    yield made
    made.dispose()


@contextmanager
def working(engine: Engine, folder: Path) -> Iterator[None]:
    """A worker that does its work meanwhile."""
    durable = DurableSettings(
        url=database_url(folder / "workflows.sqlite3"),
        worker_id="one",
        threads=1,
        per_installation=None,
        pulse=timedelta(seconds=0.02),
    )
    worker = Worker(
        WorkerSettings(run=Settings(), durable=durable, session="one"),
        SqlDeliveries(engine),
        SqlInbox(engine),
        SqlRunIndex(engine),
        SqlWorkers(engine),
        NoPlaces(),
        lambda: datetime.now(UTC),
        forget=partial(forget_calls, engine),
    )
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def runs_with_calls(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return list(connection.execute(select(CALLS.c.run)).scalars())


def test_a_sweep_drops_calls_that_nobody_fetches_again(engine: Engine, tmp_path: Path) -> None:
    """Those of a run that ended where its ref was not read again, say."""
    now = datetime.now(UTC)
    for age in (8, 1):
        run = f"ann/tally:rw4-{age}"
        SqlCalls(engine, partial(sub, now, timedelta(days=age)), run).keep("calls/0001-a", b"{}")
    with working(engine, tmp_path):
        eventually("one left", lambda: runs_with_calls(engine) == ["ann/tally:rw4-1"])


def test_a_delivery_that_cannot_be_taken_in_keeps_no_other_from_it(
    engine: Engine, tmp_path: Path
) -> None:
    with engine.begin() as connection:
        refusal = "SELECT RAISE(ABORT, 'unlucky')"
        trigger = f"BEFORE INSERT ON tasks WHEN NEW.issue = 13 BEGIN {refusal}; END"
        connection.execute(text(f"CREATE TRIGGER refuse {trigger}"))
    deliveries = SqlDeliveries(engine)
    deliveries.add(delivery("first", 13))
    deliveries.add(delivery("second", 14))
    with working(engine, tmp_path):
        eventually("both settled", lambda: deliveries.waiting() == 0)
    c = DELIVERIES.c
    with engine.connect() as connection:
        rows = connection.execute(select(c.id, c.state, c.note).order_by(c.number)).all()
    assert rows == [
        ("first", "ignored", "it cannot be taken in: '(sqlite3.IntegrityError) unlucky'"),
        ("second", "worked", "woken"),
    ]
