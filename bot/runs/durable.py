"""The durable host: DBOS Transact's workflows behind what the worker asks for."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from dbos import (
    DBOS,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    SetWorkflowID,
    StepOptions,
    WorkflowStatus,
    error,
)
from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError

from bot.runs.inbox import Address
from bot.runs.place import Desk, Places
from bot.runs.workflows import BELL, TURN, VERSION, Attendance, Legs, Pattern, Turns

_log = logging.getLogger("repowright.runs")

_NAME = "repowright"
_EVERYBODY = "everybody"
_ONE_EACH = "installation-"
_LIVE = ("PENDING", "ENQUEUED", "DELAYED")
_MOST_FORGOTTEN = 1000
_SWEEP_ATTEMPTS = 5

TROUBLE = (SQLAlchemyError, error.DBOSBaseException)
"""What a database that does not answer raises here."""


@dataclass(frozen=True)
class DurableSettings:
    """`url` is the database of the workflows; `pulse` the time between two looks at queues and
    messages, `threads` the most legs at once in this process, `per_installation` the most turns at
    once for an installation in all processes (None: no limit). `version` and `most_turns` are
    those of a Pattern."""

    url: URL
    worker_id: str
    threads: int
    per_installation: int | None
    pulse: timedelta
    version: int = VERSION
    most_turns: int = 200


class DurableRuns:
    """The workflows of one worker, between `start` and `stop`. DBOS allows one in a process."""

    def __init__(
        self,
        settings: DurableSettings,
        places: Places,
        desk: Desk,
        sweep_all: Callable[[], int],
    ) -> None:
        self._settings = settings
        self._desk = desk
        self._sweep_all = sweep_all
        self._legs = Legs(settings.threads)
        self._turns = Turns(places, desk, self._legs)
        self._pulse = settings.pulse.total_seconds()
        self._version = settings.version
        self._attend: Callable[..., Any]
        self._sweep: Callable[..., Any]

    def start(self) -> None:
        """Take up what this worker's last process left, and work what the queues hold."""
        config = DBOSConfig(
            name=_NAME,
            system_database_url=self._settings.url.render_as_string(hide_password=False),
            application_version=str(self._version),
            executor_id=self._settings.worker_id,
            # Not pickle, the default: whoever can write to the database could run code here.
            serializer=DBOSPortableJSONSerializer(),
            notification_listener_polling_interval_sec=self._pulse,
            log_level="WARNING",
        )
        DBOS(config=config)
        _log_with_the_rest()
        self._register()
        DBOS.launch()

    def stop(self) -> None:
        """Return when the legs that run have ended; begin no further one."""
        self._legs.stop()
        DBOS.destroy(destroy_registry=True)

    @property
    def running(self) -> int:
        """How many legs run in this process."""
        return self._legs.running

    def ring(self, address: Address) -> None:
        """Have the address attended to: by the workflow that goes on, or by another one."""
        inbox, now = self._desk.inbox, self._desk.clock()
        generation = inbox.open(address, self._version, now)
        status = DBOS.get_workflow_status(_name(address, generation))
        if status is not None and status.status not in _LIVE:
            generation = inbox.open(address, self._version, now, dead=generation)
            status = None
        if status is None:
            # One of an earlier version or of a dead worker would keep the repository's place.
            if generation > 1:
                self.cancel(address, generation - 1)
            with SetWorkflowID(_name(address, generation)):
                DBOS.start_workflow(self._attend, address.model_dump(), generation)
        else:
            DBOS.send(_name(address, generation), "", topic=BELL)

    def sweep_once(self, slot: str) -> None:
        """Look for what no delivery told, once for each slot in all workers."""
        with SetWorkflowID(f"sweep@{slot}"):
            DBOS.start_workflow(self._sweep)

    def take_over(self, worker_id: str) -> tuple[int, int]:
        """Have the workflows of a worker that is no more go on; return how many that were, and how
        many are left: those of a later version, for its workers to take."""
        earlier = [w for w in _pending(worker_id) if int(w.app_version or 0) < self._version]
        if earlier:
            DBOS.cancel_workflows([w.workflow_id for w in earlier])
        # DBOS does this for its own at its start; it has no public name for doing it for others.
        taken = len(DBOS._recover_pending_workflows([worker_id]))
        return taken, len(_pending(worker_id))

    def cancel(self, address: Address, generation: int) -> None:
        """End a workflow where it is; another one can attend to its run."""
        try:
            DBOS.cancel_workflow(_name(address, generation), cancel_children=True)
        except error.DBOSException as refusal:
            _log.info("%s: nothing to cancel: %s", _name(address, generation), refusal)

    def drop_queues(self) -> None:
        """Drop the queues of installations for which nothing goes on: each has a thread that looks
        at it, in every worker. One that is wanted meanwhile is made again."""
        there = {q.name for q in DBOS.list_queues() if q.name.startswith(_ONE_EACH)}
        dropped = there - {_queue_of(installation) for installation in self._busy()}
        for name in dropped:
            DBOS.delete_queue(name)
        for installation in self._busy():
            if _queue_of(installation) in dropped:
                self._queue(installation)

    def _busy(self) -> set[int]:
        """The installations for which something goes on."""
        return {going.address.installation for going in self._desk.inbox.going()}

    def forget(self, before: str) -> int:
        """Drop what is known of workflows that ended before a time (ISO); return how many."""
        ended = DBOS.list_workflows(
            completed_before=before, limit=_MOST_FORGOTTEN, load_input=False, load_output=False
        )
        gone = [w.workflow_id for w in ended if w.status not in _LIVE]
        if gone:
            DBOS.delete_workflows(gone)
        return len(gone)

    def _register(self) -> None:
        """DBOS finds workflows by name in a registry of the process; what they work with is ours,
        so they are made here and not at import."""

        @DBOS.workflow(name=TURN, max_recovery_attempts=None)
        def turn(address: dict[str, Any], generation: int, attempts: int) -> dict[str, Any]:
            return self._turns.turn(Address.model_validate(address), generation, attempts)

        @DBOS.workflow(name="attend", max_recovery_attempts=None)
        async def attend(address: dict[str, Any], generation: int) -> str:
            where = Address.model_validate(address)
            queue = await asyncio.to_thread(self._queue, where.installation)
            pattern = Pattern(self._version, self._pulse, self._settings.most_turns)
            return await Attendance(where, generation, self._desk, queue, pattern).follow()

        @DBOS.workflow(name="sweep", max_recovery_attempts=None)
        def sweep() -> int:
            options = StepOptions(name="sweep", retries_allowed=True, max_attempts=_SWEEP_ATTEMPTS)
            return DBOS.run_step(options, self._sweep_all)

        self._attend, self._sweep = attend, sweep

    def _queue(self, installation: int) -> str:
        """The name of the queue for an installation's turns, which is there when this returns: one
        for all, or where each may have so many at once, one for each."""
        threads, most = self._settings.threads, self._settings.per_installation
        name = _EVERYBODY if most is None else _queue_of(installation)
        DBOS.register_queue(
            name,
            worker_concurrency=threads if most is None else min(threads, most),
            global_concurrency=most,
            partition_concurrency=1,
            polling_interval_sec=self._pulse,
            on_conflict="always_update",
        )
        return name


def _pending(worker_id: str) -> list[WorkflowStatus]:
    """What a worker has begun and not ended, of whatever version."""
    return DBOS.list_workflows(
        status="PENDING", executor_id=worker_id, load_input=False, load_output=False
    )


def _queue_of(installation: int) -> str:
    return f"{_ONE_EACH}{installation}"


def _name(address: Address, generation: int) -> str:
    return f"{address.repository}#{address.issue}@{generation}"


def _log_with_the_rest() -> None:
    """DBOS brings a handler of its own, past ours that leaves out secrets."""
    logger = logging.getLogger("dbos")
    logger.handlers.clear()
    logger.propagate = True
