"""The durable workflows themselves, on a database in a file: how many there are of each, and how
long one lives."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dbos import DBOS, WorkflowStatus
from server_town import eventually

from bot.ports.forge import RateLimited
from bot.runs.database import database_url, open_database
from bot.runs.durable import DurableRuns, DurableSettings
from bot.runs.inbox import Address, SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.place import Desk, NotServed, Place

pytestmark = pytest.mark.timeout(120)
HERE = Address(repository="ann/tally", issue=4, installation=7)


class Nowhere:
    """Places of which none can be opened."""

    def __init__(self, refuse: Callable[[], Exception]) -> None:
        self._refuse = refuse

    def all(self) -> tuple[tuple[str, int], ...]:
        return ()

    def open(self, repository: str, installation: int) -> Place:
        raise self._refuse()


def limited() -> Exception:
    return RateLimited(datetime.now(UTC))


def not_served() -> Exception:
    return NotServed("the repository is none of those in the settings")


class Host:
    """One process's workflows, and the desk that they work at."""

    def __init__(self, folder: Path) -> None:
        self.engine = open_database(folder / "database.sqlite3")
        self.inbox = SqlInbox(self.engine)
        self.settings = DurableSettings(
            url=database_url(folder / "workflows.sqlite3"),
            worker_id="one",
            threads=2,
            per_installation=None,
            pulse=timedelta(seconds=0.02),
        )

    @contextmanager
    def runs(self, refuse: Callable[[], Exception], **changes: object) -> Iterator[DurableRuns]:
        moment = timedelta(seconds=1)
        desk = Desk(self.inbox, SqlRunIndex(self.engine), lambda: datetime.now(UTC), moment, moment)
        settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        made = DurableRuns(settings, Nowhere(refuse), desk, lambda: 0)
        made.start()
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(tmp_path)
    yield made
    made.engine.dispose()


def attending() -> list[WorkflowStatus]:
    return DBOS.list_workflows(name="attend", sort_desc=False)


def test_after_so_many_turns_another_workflow_goes_on(host: Host) -> None:
    """A repository whose limit is never over."""
    with host.runs(limited, most_turns=2) as runs:
        runs.ring(HERE)
        eventually("the first one's end", lambda: attending()[0].status == "SUCCESS")
        [ring] = host.inbox.to_ring()
        runs.ring(ring.address)
        eventually("another one's turn", lambda: attending()[1].status == "SUCCESS")
        found = [(w.workflow_id, w.output) for w in attending()]
        assert found == [("ann/tally#4@1", "renewed"), ("ann/tally#4@2", "renewed")]


def looked_at() -> set[str]:
    """The queues at which a thread looks, but for DBOS's own."""
    names = [t.name.removeprefix("queue-worker-") for t in threading.enumerate() if t.is_alive()]
    return {name for name in names if name == "everybody" or name.startswith("installation-")}


def ring_all(host: Host, runs: DurableRuns, installations: range) -> None:
    """Return when an issue of each has been attended to."""
    for installation in installations:
        runs.ring(HERE.model_copy(update={"installation": installation, "issue": installation}))
    all_well = ["SUCCESS"] * len(installations)
    eventually("the end of all", lambda: [w.status for w in attending()] == all_well)
    assert host.inbox.going() == ()


def test_installations_share_a_queue(host: Host) -> None:
    with host.runs(not_served) as runs:
        ring_all(host, runs, range(1, 9))
        assert looked_at() == {"everybody"}


def test_installations_that_are_limited_have_a_queue_while_something_goes_on(host: Host) -> None:
    """Fewer turns at once for each than there are threads."""
    with host.runs(not_served, per_installation=1) as runs:
        ring_all(host, runs, range(1, 4))
        assert looked_at() == {"installation-1", "installation-2", "installation-3"}
        runs.ring(HERE)
        runs.drop_queues()
        eventually("no thread for those", lambda: looked_at() <= {"installation-7"})
        eventually("its end", lambda: not host.inbox.going())
