"""A deployment whose workflows are of another version, on the durable host itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from dbos import DBOS
from life_world import Life
from one_place import OnePlace
from server_town import eventually
from sqlalchemy import Engine

from bot.base import Outcome
from bot.runs.database import database_url, open_database
from bot.runs.deliveries import SqlDeliveries
from bot.runs.durable import DurableSettings
from bot.runs.events import Woken
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.worker import Worker, WorkerSettings
from bot.runs.workers import SqlWorkers
from bot.runs.workflows import VERSION

pytestmark = pytest.mark.timeout(120)


@contextmanager
def deployed(life: Life, engine: Engine, version: int) -> Iterator[None]:
    """A server of this version works meanwhile."""
    durable = DurableSettings(
        url=database_url(life.folder / "workflows.sqlite3"),
        worker_id="one",
        threads=1,
        per_installation=None,
        pulse=timedelta(seconds=0.05),
        version=version,
    )
    worker = Worker(
        WorkerSettings(run=life.settings, durable=durable, session="one"),
        SqlDeliveries(engine),
        SqlInbox(engine),
        SqlRunIndex(engine),
        SqlWorkers(engine),
        OnePlace(life, str),
        life.clock,
    )
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def attending() -> list[tuple[str, str, str | None]]:
    """(name, status, version) of each workflow that attends or did."""
    found = DBOS.list_workflows(name="attend", sort_desc=False)
    return [(w.workflow_id, w.status, w.app_version) for w in found]


def test_a_parked_run_goes_on_under_the_next_version(planned: Life, tmp_path: Path) -> None:
    """It waits for a person, who speaks while no server runs."""
    engine = open_database(tmp_path / "database.sqlite3")
    inbox = SqlInbox(engine)
    planned.put(wait=planned.saved().asking("skeleton", planned.clock()).wait)
    planned.say("/repowright help")
    inbox.put(Woken(repository="maintainer/tally", installation=0, issue=1, why="commanded"))
    with deployed(planned, engine, VERSION):
        eventually("the answer worked", lambda: inbox.waiting() == 0, 30)
        assert attending() == [("maintainer/tally#1@1", "PENDING", str(VERSION))]
    planned.say("/repowright cancel")
    ended = [
        ("maintainer/tally#1@1", "CANCELLED", str(VERSION)),
        ("maintainer/tally#1@2", "SUCCESS", str(VERSION + 1)),
    ]
    with deployed(planned, engine, VERSION + 1):
        eventually("one that has worked it to the end", lambda: attending() == ended, 30)
        assert not inbox.going()
    assert planned.saved().outcome is Outcome.CANCELLED
    engine.dispose()
