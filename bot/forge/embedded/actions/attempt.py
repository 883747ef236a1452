"""One attempt at a workflow run, from the check-out to its conclusion."""

from collections.abc import Callable
from pathlib import Path
from threading import Event as Flag
from typing import TYPE_CHECKING

from bot.checks.environment import Environment
from bot.checks.requirements import project_requirements
from bot.forge.embedded.actions.artifacts import packed
from bot.forge.embedded.actions.given import Given, Kept, given_to, is_of_fork
from bot.forge.embedded.actions.occasions import Source
from bot.forge.embedded.actions.output import Kind, LineReader
from bot.forge.embedded.actions.plan import Plan
from bot.forge.embedded.actions.recorder import Recorder
from bot.forge.embedded.actions.workspace import Order, Workspace
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import Repository, WorkflowRun
from bot.ports.sandbox import Limits, Sandbox, SandboxResult

if TYPE_CHECKING:
    from bot.forge.embedded.server import EmbeddedGitHub

_STOPPED = {
    "time": "The run was stopped: it took longer than {seconds:.0f} seconds.",
    "memory": "The run was stopped: it used more than {memory} MiB of memory.",
    "processes": "The run was stopped: it started more than {processes} processes.",
    "output": "The run was stopped: it printed more than {output} MiB.",
    "disk": "The run was stopped: it wrote more than {disk} MiB.",
}


class Attempt:
    """`cancelled` may be set from any thread, before the attempt runs or while it does."""

    def __init__(
        self,
        store: Store,
        repository: Repository,
        run: WorkflowRun,
        source: Source,
        path: str,
        plan: Plan,
        recorder: Recorder,
    ) -> None:
        self._store = store
        self._repository = repository
        self._source = source
        self._path = path
        self._plan = plan
        self._recorder = recorder
        self.run = run
        self.cancelled = Flag()

    def begin(self) -> None:
        actions = self._store.actions
        self.run = actions.update_run(self._repository, self.run, status="in_progress")

    def carry_out(
        self,
        folder: Path,
        *,
        sandbox: Sandbox,
        prepare: Callable[[tuple[str, ...]], Environment],
        act: Path,
        limits: Limits,
        github: "EmbeddedGitHub",
        stopping: Flag,
        machine: bool,
    ) -> tuple[str, str]:
        """Run act in the sandbox; return a conclusion for what it does not conclude itself, and a
        note where something went wrong that no log tells. Raises RepowrightError, GitFailed."""
        try:
            given = given_to(self._store, self._repository, self.run, self._source, self._plan)
        except Kept as refusal:
            return "failure", str(refusal)
        token = self._store.tokens.create_workflow(
            self._repository, self.run.id, self._permissions()
        )
        workspace = Workspace(folder / "run")
        environment = prepare(self._requirements()) if self._plan.python else None
        order = self._order(token, given, github, machine=machine)
        options = workspace.fill(self._store, order, self._plan)
        job = workspace.job(order, self._plan, options, environment, act, limits)
        reader = LineReader((token, *given.hidden))
        last_words: list[str] = []

        def listen(data: bytes) -> None:
            for line in reader.feed(data):
                self._recorder.take(line)
                if line.kind is Kind.PLAIN and not line.text.startswith("Error: Job '"):
                    last_words.append(line.text)

        result = sandbox.run(
            job,
            on_output=listen,
            cancelled=lambda: self.cancelled.is_set() or stopping.is_set(),
        )
        self._keep_artifacts(workspace)
        for name, content in packed(workspace.caches):
            self._store.actions.keep_cache(self._repository, name, content)
        return self._verdict(result, limits, last_words)

    def conclude(self, conclusion: str, note: str) -> None:
        self._store.tokens.revoke_run(self.run.id)
        settled = self._recorder.finish(conclusion, note)
        self.run = self._store.actions.update_run(
            self._repository, self.run, status="completed", conclusion=settled
        )

    def _verdict(
        self, result: SandboxResult, limits: Limits, last_words: list[str]
    ) -> tuple[str, str]:
        if result.stopped_by == "cancelled":
            return "cancelled", "The run was cancelled."
        if result.stopped_by is not None:
            return "failure", _STOPPED[result.stopped_by].format(**limits.model_dump())
        if result.returncode == 0:
            return ("success" if self._recorder.conclusions else "skipped"), ""
        if self._recorder.conclusions:
            return "failure", ""
        said = [words for words in last_words if words.startswith("Error:")] or last_words
        return "failure", (said or ["act ended without a word"])[-1][:2000]

    def _permissions(self) -> dict[str, str] | None:
        """What the run's token may: where a fork's pull request started it, nothing but read."""
        if not is_of_fork(self._repository, self.run):
            return self._plan.permissions
        asked = self._plan.permissions or {"contents": "read"}
        return dict.fromkeys(asked, "read")

    def _order(self, token: str, given: Given, github: "EmbeddedGitHub", *, machine: bool) -> Order:
        return Order(
            repository=self._repository,
            path=self._path,
            event=self.run.event,
            payload=self.run.payload["event"],
            sha=self._source.sha,
            ref=self._source.ref,
            actor=self._store.accounts.get(self.run.actor_id).login,
            run_id=self.run.id,
            number=self.run.number,
            attempt=self.run.attempt,
            token=token,
            given=given,
            caches=self._store.actions.caches(self._repository),
            addresses=(github.url, github.api_url, github.graphql_url),
            machine=machine,
        )

    def _requirements(self) -> tuple[str, ...]:
        git = self._store.git(self._repository)
        files: dict[str, bytes] = {}
        for name in ("requirements.txt", "pyproject.toml"):
            entry = git.entry(self._source.sha, name)
            if entry is not None and entry.kind == "blob" and entry.mode != "120000":
                files[name] = git.blob(entry.sha)
        return project_requirements(files)

    def _keep_artifacts(self, workspace: Workspace) -> None:
        """A new attempt's artifacts take the place of an old one's."""
        kept = {artifact.name: artifact for artifact in self._store.actions.artifacts(self.run)}
        for name, content in packed(workspace.artifacts):
            if name in kept:
                self._store.actions.delete_artifact(kept[name])
            self._store.actions.create_artifact(self._repository, self.run, name, content)
