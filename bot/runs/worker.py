"""The worker: hands stored deliveries to the durable workflows of their issues, and sees to it
that workflows go on. All that it knows is in the database and on the forge, so it may be killed;
any number of them share the work."""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from bot.base import Data
from bot.config import Settings
from bot.logs import about
from bot.ports.meter import Meter, Unmetered
from bot.runs.deliveries import KEEP, Deliveries, Delivery
from bot.runs.durable import TROUBLE, DurableRuns, DurableSettings
from bot.runs.events import Ignored, Swept, Woken, event_of, subject_of
from bot.runs.inbox import Inbox
from bot.runs.index import RunIndex
from bot.runs.news import take_in
from bot.runs.place import Desk, Places
from bot.runs.starts import Starts, Unlimited
from bot.runs.workers import NameTaken, Workers

_log = logging.getLogger("repowright.worker")

_BATCH = 100
_NEWLINE = "\n"
_REFUSED = (DataError, IntegrityError, ArithmeticError, ValueError)
_LONGEST_NAP = 30.0
_BEATS = 4
_SHORTEST_BEAT = 0.05


@dataclass(frozen=True)
class WorkerSettings:
    """`threads` is how many legs run at once; `poll` the time between two looks at a check, `hold`
    that for which a workflow stays for a person's word, `sweep_every` that between two looks over
    all repositories. A worker that has not been heard of for `patience` is taken for dead, and a
    workflow that has not moved for `stuck` for stuck. `session` is that of the data folder."""

    run: Settings
    durable: DurableSettings
    session: str
    poll: timedelta = timedelta(seconds=60)
    hold: timedelta = timedelta(hours=1)
    sweep_every: timedelta = timedelta(minutes=10)
    patience: timedelta = timedelta(seconds=30)
    stuck: timedelta = timedelta(hours=2)


class Health(Data):
    """How the worker does: deliveries that nobody has read, events that no leg has worked, legs
    that run here, workers that live."""

    working: bool
    deliveries: int
    tasks: int
    legs: int = 0
    workers: int = 0


class Worker:
    """Works in the background between `start` and `stop`."""

    def __init__(
        self,
        settings: WorkerSettings,
        deliveries: Deliveries,
        inbox: Inbox,
        index: RunIndex,
        workers: Workers,
        places: Places,
        clock: Callable[[], datetime],
        meter: Meter | None = None,
        starts: Starts | None = None,
        forget: Callable[[datetime], int] | None = None,
    ) -> None:
        """Without a meter nothing is counted; without `starts` a day may have any number. `forget`
        drops what else was kept before a time."""
        self._settings = settings
        self._meter = meter or Unmetered()
        self._forget = forget
        self._deliveries = deliveries
        self._inbox = inbox
        self._workers = workers
        self._places = places
        self._clock = clock
        self._id = settings.durable.worker_id
        self._started = False
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._bell = threading.Event()
        self._desk = Desk(
            inbox,
            index,
            clock,
            settings.poll,
            settings.hold,
            self._meter,
            starts or Unlimited(),
        )
        self._runs = DurableRuns(settings.durable, places, self._desk, self._sweep_all)
        self._next_sweep = clock() + settings.sweep_every
        self._thread = threading.Thread(target=self._loop, name="repowright-worker")
        self._heart = threading.Thread(target=self._beat, name="repowright-heart")

    def start(self) -> None:
        """Take up what an earlier process of this name left, then go on; with no thread, leave the
        work to other processes. Raise RepowrightError where another worker of this name lives."""
        if self._settings.durable.threads == 0:
            return
        self._enter()
        with ExitStack() as undoing:
            undoing.callback(self.stop)
            self._started = True
            self._heart.start()
            self._runs.start()
            self._renew_workflows()
            self._runs.sweep_once(f"start-{self._id}-{self._clock().timestamp()}")
            self._thread.start()
            undoing.pop_all()

    def wake(self) -> None:
        """Look at the deliveries now."""
        self._bell.set()

    def stop(self) -> None:
        """Begin no further leg, and return when those that run have ended; others may take over
        the rest at once."""
        self._stopping.set()
        self._bell.set()
        if not self._started:
            return
        self._started = False
        if self._thread.is_alive():
            self._thread.join()
        self._runs.stop()
        self._ended.set()
        self._heart.join()
        self._workers.leave(self._id, self._settings.session)

    def health(self) -> Health:
        return Health(
            working=not self._stopping.is_set() and self._is_well(),
            deliveries=self._deliveries.waiting(),
            tasks=self._inbox.waiting(),
            legs=self._runs.running,
            workers=self._workers.alive(self._clock(), self._settings.patience),
        )

    def _is_well(self) -> bool:
        return self._settings.durable.threads == 0 or self._thread.is_alive()

    def _enter(self) -> None:
        """A worker of this name that was killed elsewhere is waited for."""
        settings = self._settings
        patience = Retrying(
            stop=stop_after_delay(settings.patience.total_seconds()),
            wait=wait_fixed(1),
            retry=retry_if_exception_type(NameTaken),
            reraise=True,
        )
        patience(
            lambda: self._workers.enter(
                self._id, settings.session, self._clock(), settings.patience
            )
        )

    # The loop

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._bell.clear()
            try:
                self._read_deliveries()
                self._ring()
                self._take_over()
                self._sweep_in_time()
            except TROUBLE as error:
                _log.error("the database does not answer: %s", error)
            self._bell.wait(self._settings.durable.pulse.total_seconds())

    def _read_deliveries(self) -> None:
        """Turn stored deliveries into events. Killed between the two, or with another worker at
        the same one, an event is put twice, which does no harm."""
        ignored: dict[str, str] = {}
        read = self._deliveries.pending(_BATCH)
        for delivery in read:
            with about(delivery=delivery.id):
                why = self._take_in(delivery)
            if why:
                ignored[delivery.id] = why
            self._meter.delivery(delivery.event, "ignored" if why else "worked")
        self._deliveries.ignore(ignored)
        if len(read) == _BATCH:
            self._bell.set()

    def _take_in(self, delivery: Delivery) -> str:
        """Settle a delivery, or say why it is ignored: one that cannot be taken in, whatever it
        holds, keeps no later one from it."""
        try:
            event = event_of(delivery.headers, delivery.body, self._settings.run)
            if isinstance(event, Ignored):
                return event.why
            with about(**subject_of(event)):
                take_in(event, self._desk)
                self._deliveries.settle(delivery.id, "worked", event.kind)
                _log.info("a delivery says `%s`", event.kind)
        except _REFUSED as error:
            # Further lines of the database's would say what was to be written.
            why = f"it cannot be taken in: {str(error).partition(_NEWLINE)[0]!a}"
            _log.error("a delivery is ignored: %s", why)
            return why
        return ""

    def _ring(self) -> None:
        for ring in self._inbox.to_ring():
            self._runs.ring(ring.address)
            self._inbox.rung(ring)

    def _take_over(self) -> None:
        """From workers that are no more. One that has only slept finds its legs done by another:
        its writes carry the same marks."""
        for id in self._workers.dead(self._id, self._clock(), self._settings.patience):
            taken, left = self._runs.take_over(id)
            if not left:
                self._workers.forget(id)
            if taken:
                _log.warning("worker %s is no more; %d of its workflows go on", id, taken)

    # What is done now and then

    def _sweep_in_time(self) -> None:
        """In one worker for each stretch of time."""
        if self._clock() < self._next_sweep:
            return
        every = self._settings.sweep_every
        self._next_sweep = self._clock() + every
        self._runs.sweep_once(str(int(self._clock().timestamp() / every.total_seconds())))

    def _sweep_all(self) -> int:
        """A sweep of each repository, and of the tables."""
        places = self._places.all()
        for repository, installation in places:
            self._inbox.put(Swept(repository=repository, installation=installation))
        before = self._clock() - KEEP
        self._deliveries.forget(before)
        self._runs.forget(before.isoformat())
        if self._forget is not None:
            self._forget(before)
        self._reap()
        self._runs.drop_queues()
        self._bell.set()
        return len(places)

    def _reap(self) -> None:
        """Begin workflows anew that have not moved for long: what they wait for may be no more."""
        for going in self._inbox.going():
            if going.moved_at < self._clock() - self._settings.stuck and going.address.issue:
                _log.warning(
                    "%s#%d has not moved since %s",
                    going.address.repository,
                    going.address.issue,
                    going.moved_at,
                )
                self._runs.cancel(going.address, going.generation)
                self._inbox.put(Woken(**going.address.model_dump(), why="reaped"))

    def _renew_workflows(self) -> None:
        """Begin anew what an earlier version of the workflows' code had begun."""
        for going in self._inbox.going():
            if going.version < self._settings.durable.version and going.address.issue:
                self._runs.cancel(going.address, going.generation)
                self._inbox.put(Woken(**going.address.model_dump(), why="upgraded"))

    def _beat(self) -> None:
        rest = max(self._settings.patience.total_seconds() / _BEATS, _SHORTEST_BEAT)
        while not self._ended.wait(rest):
            try:
                self._workers.enter(
                    self._id, self._settings.session, self._clock(), self._settings.patience
                )
            except NameTaken as error:
                _log.error("%s; this one stops", error.sentence)
                self._stopping.set()
                self._bell.set()
                return
            except SQLAlchemyError as error:
                _log.error("the database does not answer: %s", error)
