"""The one repository of a job, with a lease for each of its runs that is worked."""

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from bot.base import RepowrightError
from bot.checks.environment import Environments, default_folder
from bot.checks.sandbox import make_sandbox
from bot.experience.adviser import Adviser
from bot.forge.github.client import GitHubSettings, pacer_for
from bot.forge.github.credentials import GivenToken
from bot.forge.github.leased import LeasedGitStore
from bot.jobs.checks import JobChecks
from bot.jobs.context import JobContext, JobInputs, holder_run
from bot.model.attempt import Backend
from bot.phases.run import RunState
from bot.phases.services import Narrator, Services
from bot.ports.checks import Checks
from bot.ports.experience import ExperienceStore, Scope
from bot.ports.lease import Lease, LeaseLost
from bot.runs.place import NotServed, Place
from bot.wiring import Hub, Workplace, now, services_of

_log = logging.getLogger("repowright.jobs")

# A job that dies without a word keeps its run for so long at most.
SPAN = timedelta(minutes=5)
_BEATS = 3
_RUN_ID = re.compile(r"rw\d{1,9}-[0-9a-f]{10}")


class OnePlace:
    """Implements Places for the one repository of a job."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def open(self, repository: str, installation: int) -> Place:
        if repository.lower() != self._place.repository.lower():
            raise NotServed(
                "the job works for another repository",
                where=repository,
                hint="the run goes on in a job of that one",
            )
        return self._place

    def all(self) -> tuple[tuple[str, int], ...]:
        return ((self._place.repository, 0),)


@dataclass(frozen=True)
class Held:
    """A run that this job works on alone: the place with its ref, or `other` who works on it.
    `answer` tells, after the release, whether another job has come to the run meanwhile."""

    place: Place | None
    answer: Callable[[], bool]
    other: Lease | None = None


class JobRepository:
    """Opens the repository once, and the runs in it one after another. `store` is where is learnt,
    None for nowhere; `given` stands before the checks of a run where there is a report already."""

    def __init__(
        self,
        context: JobContext,
        inputs: JobInputs,
        backend: Backend,
        narrator: Narrator,
        store: ExperienceStore | None = None,
        given: Callable[[Checks], Checks] = lambda checks: checks,
    ) -> None:
        self._context = context
        self._inputs = inputs
        self._backend = backend
        self._narrator = narrator
        self._store = store
        self._given = given
        self._github = GitHubSettings(
            api_url=context.api_url,
            repository=context.repository,
            seconds_between_writes=inputs.seconds_between_writes,
        )
        self._root = Workplace(context.folder)
        self._leases: list[LeasedGitStore] = []
        self._hub = Hub.open(
            self._root,
            self._github,
            GivenToken(token=inputs.token),
            pacer=pacer_for(self._github),
            secrets=inputs.secrets(),
        )

    @property
    def hub(self) -> Hub:
        return self._hub

    def place(self, hub: Hub | None = None, lease: LeasedGitStore | None = None) -> Place:
        """The repository without any run of its own; with a lease, for the run that it holds."""
        hub = hub or self._hub
        return Place(
            repository=self._context.repository,
            settings=self._inputs.settings,
            forge=hub.forge,
            git=hub.git,
            scout=hub.scout,
            services=partial(self._services, hub, lease),
        )

    @contextmanager
    def holding(self, ref: str, *, ring: bool = True) -> Iterator[Held]:
        """Hold a run's ref, renewing the lease meanwhile; with `ring`, who else works on it hears
        that there is more to do."""
        hub, lease = self._hub.leased(
            self._root, ref, self._context.holder, self._context.page, SPAN
        )
        other = lease.take(self._is_over)
        if other is not None and ring:
            lease.ring()
            # It may have been let go of before the ring.
            other = lease.take(self._is_over)
        if other is not None:
            yield Held(place=None, answer=lease.answer, other=other)
            return
        lease.answer()
        self._leases.append(lease)
        try:
            with _renewed(lease):
                yield Held(place=self.place(hub, lease), answer=lease.answer)
        finally:
            self._leases.remove(lease)
            lease.release()

    def let_go(self) -> None:
        """Leave what is held to the next job, from any thread."""
        for lease in list(self._leases):
            lease.release()

    def _is_over(self, lease: Lease) -> bool:
        """Whether its job is no more: it has not renewed it, or its workflow run is complete or
        was started again."""
        if lease.until < now():
            return True
        job = holder_run(lease.holder)
        if job is None:
            return False
        run, attempt = job
        try:
            found = self._hub.scout.workflow_attempt(run)
        except RepowrightError as error:
            _log.warning("what became of %s cannot be seen: %s", lease.place, error.sentence)
            return False
        return found is None or found.ended or found.number > attempt

    def _services(self, hub: Hub, lease: LeasedGitStore | None, state: RunState) -> Services:
        """The state comes from a ref that everyone with write permission can push."""
        if not _RUN_ID.fullmatch(state.run_id):
            raise RepowrightError("the run's id is none of ours", where=state.ref)
        scope = Scope(installation=0, repository=self._context.repository)
        return services_of(
            hub,
            Workplace(self._context.folder / state.run_id),
            state,
            self._backend,
            self._narrator,
            adviser=Adviser(self._store, scope) if self._store is not None else None,
            keeper=lease,
            checks=self._given(self._checks(hub, state)),
        )

    def _checks(self, hub: Hub, state: RunState) -> Checks:
        if self._inputs.checks == "workflow":
            return hub.forge
        prepare = Environments(default_folder()).prepare
        sandbox = make_sandbox(self._inputs.sandbox)
        return JobChecks(hub.git, state.settings, sandbox, prepare, place=self._context.page)


@contextmanager
def _renewed(lease: LeasedGitStore) -> Iterator[None]:
    """Renew the lease from time to time; what is written after it was lost raises LeaseLost."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(SPAN.total_seconds() / _BEATS):
            try:
                lease.renew()
            except LeaseLost:
                return
            except RepowrightError as error:
                _log.warning("the lease cannot be renewed now: %s", error.sentence)

    thread = threading.Thread(target=beat, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
