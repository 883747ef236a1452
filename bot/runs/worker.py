"""The worker: from stored deliveries to legs, one run at a time in each repository, several
repositories at once. All that it knows is in the database and on the forge, so it may be killed."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from bot.base import Data, RepowrightError
from bot.config import Settings
from bot.runs.attend import MOST_ATTEMPTS, attend, later
from bot.runs.deliveries import KEEP, Deliveries
from bot.runs.events import Ignored, Swept, event_of
from bot.runs.index import RunIndex
from bot.runs.place import Desk, NotServed, Places
from bot.runs.queue import Claim, Queue

_log = logging.getLogger("repowright.worker")

_BATCH = 100
_LONGEST_NAP = 30.0
_SWEEP_AGAIN = timedelta(seconds=30)


@dataclass(frozen=True)
class WorkerSettings:
    """`threads` is how many repositories are worked at once; `poll` the time between two looks
    at a check, `sweep_every` between two looks over all repositories."""

    run: Settings
    threads: int = 4
    poll: timedelta = timedelta(seconds=60)
    sweep_every: timedelta = timedelta(minutes=10)


class Health(Data):
    """How the worker does: deliveries that it has not read, tasks that it has not done, polls of
    waiting runs included."""

    working: bool
    deliveries: int
    tasks: int


class Worker:
    """Works in the background between `start` and `stop`."""

    def __init__(
        self,
        settings: WorkerSettings,
        deliveries: Deliveries,
        queue: Queue,
        index: RunIndex,
        places: Places,
        clock: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._deliveries = deliveries
        self._queue = queue
        self._places = places
        self._clock = clock
        self._stopping = threading.Event()
        self._bell = threading.Event()
        self._desk = Desk(queue, index, clock, settings.poll, self._stopping.is_set)
        self._pool = ThreadPoolExecutor(settings.threads, "repowright-worker")
        self._working: dict[Future[None], Claim | None] = {}
        self._next_sweep = clock()
        self._thread = threading.Thread(target=self._loop, name="repowright-worker")

    def start(self) -> None:
        """Take up what an earlier process left, then go on."""
        left = self._queue.recover()
        if left:
            _log.info("%d tasks were left by a process that is no more", left)
        self._thread.start()

    def wake(self) -> None:
        """Look at the deliveries now."""
        self._bell.set()

    def stop(self) -> None:
        """Begin no further leg, and return when those that run have ended."""
        self._stopping.set()
        self._bell.set()
        if self._thread.is_alive():
            self._thread.join()

    def health(self) -> Health:
        return Health(
            working=self._thread.is_alive() and not self._stopping.is_set(),
            deliveries=self._deliveries.waiting(),
            tasks=self._queue.length(),
        )

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._bell.clear()
            try:
                self._read_deliveries()
                self._send_sweeps()
                self._hand_out()
                nap = self._nap()
            except SQLAlchemyError as error:
                _log.error("the database does not answer: %s", error)
                nap = _LONGEST_NAP
            self._bell.wait(nap)
            self._collect()
        self._pool.shutdown(wait=True)
        self._collect()

    def _read_deliveries(self) -> None:
        """Turn stored deliveries into tasks. Killed between the two, a task is made twice, which
        does no harm."""
        for delivery in self._deliveries.pending(_BATCH):
            event = event_of(delivery.headers, delivery.body, self._settings.run)
            if isinstance(event, Ignored):
                self._deliveries.settle(delivery.id, "ignored", event.why)
            else:
                self._queue.put(event, self._clock())
                self._deliveries.settle(delivery.id, "worked", event.kind)
                _log.info("delivery %s: %s in %s", delivery.id, event.kind, event.repository)

    def _send_sweeps(self) -> None:
        if self._clock() < self._next_sweep or len(self._working) >= self._settings.threads:
            return
        self._next_sweep = self._clock() + self._settings.sweep_every
        self._deliveries.forget(self._clock() - KEEP)
        self._submit(self._queue_sweeps, None)

    def _queue_sweeps(self) -> None:
        for repository, installation in self._places.all():
            event = Swept(repository=repository, installation=installation)
            self._queue.put(event, self._clock())

    def _hand_out(self) -> None:
        while len(self._working) < self._settings.threads:
            claim = self._queue.take(self._clock())
            if claim is None:
                return
            self._submit(partial(self._attend, claim), claim)

    def _attend(self, claim: Claim) -> None:
        try:
            place = self._places.open(claim.repository, claim.installation)
        except NotServed as error:
            _log.warning("%s", error.sentence)
            self._queue.done(claim.tasks)
            return
        attend(claim, place, self._desk)

    def _submit(self, work: Callable[[], None], claim: Claim | None) -> None:
        future = self._pool.submit(work)
        self._working[future] = claim
        future.add_done_callback(lambda _: self._bell.set())

    def _collect(self) -> None:
        """Take in what has ended. What failed is given back; what was done of it stays done."""
        for future in [f for f in self._working if f.done()]:
            claim = self._working.pop(future)
            error = future.exception()
            if error is None:
                continue
            where = claim.repository if claim else "the sweep"
            if isinstance(error, RepowrightError):
                _log.warning("%s: %s", where, error.sentence)
            else:
                _log.error("%s: an error of the bot's own", where, exc_info=error)
            if claim is None:
                self._next_sweep = self._clock() + _SWEEP_AGAIN
            else:
                self._give_back(claim, error)

    def _give_back(self, claim: Claim, error: BaseException) -> None:
        """To be tried again; after many tries it is left to the next sweep."""
        attempts = max(task.attempts for task in claim.tasks)
        if attempts + 1 >= MOST_ATTEMPTS:
            self._queue.done(claim.tasks)
        else:
            trouble = str(error) or type(error).__name__
            self._queue.again(claim.tasks, self._clock() + later(attempts), trouble)

    def _nap(self) -> float:
        """Seconds until there is something to do that no bell rings for."""
        if len(self._working) >= self._settings.threads:
            return _LONGEST_NAP
        times = [self._next_sweep, self._queue.next_due() or self._next_sweep]
        seconds = (min(times) - self._clock()).total_seconds()
        return min(max(seconds, 0.05), _LONGEST_NAP)
