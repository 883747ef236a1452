"""What the worker makes of deliveries, on databases in files."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from server_town import eventually
from sqlalchemy import select, text

from bot.config import Settings
from bot.runs.database import database_url, open_database
from bot.runs.deliveries import Delivery, SqlDeliveries
from bot.runs.durable import DurableSettings
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.place import NotServed, Place
from bot.runs.tables import DELIVERIES
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


def test_a_delivery_that_cannot_be_taken_in_keeps_no_other_from_it(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "database.sqlite3")
    with engine.begin() as connection:
        refusal = "SELECT RAISE(ABORT, 'unlucky')"
        trigger = f"BEFORE INSERT ON tasks WHEN NEW.issue = 13 BEGIN {refusal}; END"
        connection.execute(text(f"CREATE TRIGGER refuse {trigger}"))
    deliveries = SqlDeliveries(engine)
    deliveries.add(delivery("first", 13))
    deliveries.add(delivery("second", 14))
    durable = DurableSettings(
        url=database_url(tmp_path / "workflows.sqlite3"),
        worker_id="one",
        threads=1,
        per_installation=None,
        pulse=timedelta(seconds=0.02),
    )
    worker = Worker(
        WorkerSettings(run=Settings(), durable=durable, session="one"),
        deliveries,
        SqlInbox(engine),
        SqlRunIndex(engine),
        SqlWorkers(engine),
        NoPlaces(),
        lambda: datetime.now(UTC),
    )
    worker.start()
    eventually("both settled", lambda: deliveries.waiting() == 0)
    worker.stop()
    c = DELIVERIES.c
    with engine.connect() as connection:
        rows = connection.execute(select(c.id, c.state, c.note).order_by(c.number)).all()
    engine.dispose()
    assert rows == [
        ("first", "ignored", "it cannot be taken in: '(sqlite3.IntegrityError) unlucky'"),
        ("second", "worked", "woken"),
    ]
