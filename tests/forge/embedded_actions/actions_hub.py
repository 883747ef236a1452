"""One repository of an embedded GitHub that runs workflows, and what a test does with it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from textwrap import dedent

from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.git.objects import ZERO, RefUpdate, Signature, TreeChange
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import Repository, WorkflowJob, WorkflowRun


@dataclass
class Hub:
    """One repository, and what a test does with it; `make` gives another runner like this one."""

    github: EmbeddedGitHub
    actions: LocalActions
    repository: Repository
    ada: Actor
    make: Callable[..., LocalActions]
    events: list[Event] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.github.store

    def push(
        self,
        files: dict[str, str | None],
        *,
        branch: str = "main",
        by: Actor | None = None,
        message: str = "Change",
    ) -> str:
        """Commit on a branch (made from main where it is new) and tell of the push."""
        git = self.store.git(self.repository)
        heads = git.refs("refs/heads/")
        old = heads.get(f"refs/heads/{branch}")
        parent = old or heads.get("refs/heads/main")
        changes = [
            TreeChange(path, "100644", text and git.write_blob(dedent(text).encode()))
            for path, text in files.items()
        ]
        tree = git.write_tree(parent, changes)
        person = Signature("Ada", "ada@example.org", datetime.now(UTC))
        commit = git.write_commit(tree, [parent] if parent else [], message, person, person)
        git.update_ref(f"refs/heads/{branch}", commit)
        update = RefUpdate(f"refs/heads/{branch}", old or ZERO, commit)
        self.store.record_push(self.repository, by or self.ada, [update])
        return commit

    def workflow(self, text: str, name: str = "ci") -> str:
        return self.push({f".github/workflows/{name}.yml": text})

    def runs(self, **columns: object) -> list[WorkflowRun]:
        return self.store.tables.workflow_runs.find(repository_id=self.repository.id, **columns)

    def completed(self, count: int = 1) -> list[WorkflowRun]:
        """Wait until so many runs are complete and return all."""
        self.until(lambda: len(self.runs(status="completed")) >= count)
        return self.runs()

    def jobs(self, run: WorkflowRun) -> dict[str, WorkflowJob]:
        return {job.name: job for job in self.store.actions.jobs(run)}

    def log(self, job: WorkflowJob) -> str:
        """The job's log without the times."""
        lines = self.store.actions.log(job).splitlines()
        return "\n".join(line.partition(" ")[2] for line in lines)

    def until(self, true: Callable[[], bool], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "it did not come to be in time"
            time.sleep(0.02)
