"""Composition of a job: what its environment says becomes a host that works."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from typing import Self, TextIO

from bot.experience.store import SqlExperiences
from bot.experience.tables import address_of
from bot.jobs.clocked import Clocked
from bot.jobs.context import JobContext, JobInputs
from bot.jobs.failed import checks_given, failed_here
from bot.jobs.host import JobHost, Turn
from bot.jobs.memory import job_memory
from bot.jobs.mending import Mender
from bot.jobs.places import JobRepository
from bot.jobs.show import JobNarrator, append, outputs_of, summary_page
from bot.jobs.texts import tell as say
from bot.runs.events import Event
from bot.wiring import backend_of, now


class JobSession:
    """One job between its start and its end, a context manager."""

    def __init__(
        self, context: JobContext, inputs: JobInputs, *, out: TextIO | None = None
    ) -> None:
        """`out` hears what happens; standard output without it."""
        self._out = out or sys.stdout
        self._context = context
        self._inputs = inputs
        self._held = ExitStack()

    def __enter__(self) -> Self:
        context, inputs = self._context, self._inputs
        with ExitStack() as held:
            self._backend = Clocked(
                backend_of(inputs.backend, inputs.settings, _environ(inputs)), time.time
            )
            store = None
            if inputs.experience:
                store = SqlExperiences(address_of(inputs.experience))
                held.callback(store.close)
                store.open()
            narrator = JobNarrator(self._out)
            self.repository = JobRepository(
                context, inputs, self._backend, narrator, store, checks_given(context, inputs)
            )
            inbox, index = job_memory(context.folder, held)
            self.host = JobHost(
                self.repository,
                inbox,
                index,
                now,
                ends=now() + timedelta(minutes=inputs.minutes),
                checks_here=inputs.checks == "job",
            )
            self._held = held.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def generate(self, events: Sequence[Event]) -> tuple[Turn, ...]:
        """Work on the runs that the events concern."""
        return self.host.work(events)

    def repair(self, events: Sequence[Event]) -> tuple[Turn, ...]:
        """Work on the runs that the events concern, then see whether the default branch's check
        has failed, and mend that."""
        turns = self.host.work(events)
        hub = self.repository.hub
        failed = failed_here(self._context, self._inputs, hub.forge, hub.forge, hub.git)
        if isinstance(failed, str):
            return turns or (Turn(issue=0, why="nothing", note=failed),)
        mender = Mender(self.repository, self.host, self._inputs.settings, now)
        turn = mender.mend(failed)
        others = tuple(t for t in turns if t.issue != turn.issue)
        if turn.why == "nothing" and len(others) < len(turns):
            # What was done before for its issue says more.
            return turns
        return (*others, turn)

    @property
    def first_call(self) -> float | None:
        """Seconds from the job's start to its first model call, None where there was none."""
        if self._context.started is None or self._backend.first is None:
            return None
        return self._backend.first - self._context.started


def tell(
    context: JobContext, turns: Sequence[Turn], *, why: str = "", first_call: float | None = None
) -> None:
    """Leave summary and outputs; `why` says what the event was where it asked for nothing."""
    url = f"{context.server_url}/{context.repository}"
    append(context.summary, summary_page(turns, url, why or say("no_run"), first_call))
    lines = (f"{name}={value}\n" for name, value in outputs_of(turns).items())
    append(context.output, "".join(lines))


def _environ(inputs: JobInputs) -> Mapping[str, str]:
    """The environment with the model's key where its settings look for it."""
    name, key = inputs.settings.endpoint.api_key_env, inputs.key.get_secret_value()
    return {**os.environ, name: key} if name and key else os.environ
