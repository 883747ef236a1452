"""A repository of somebody's whose check has failed, on an embedded GitHub where no workflow runs,
and jobs of `actions/repair` as a runner would start them there."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from job_world import JobTown, Left

from bot.checks.artifact import files_from_folder
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import WorkflowRun
from bot.jobs.checks import packed

MEND = Path(__file__).parents[2] / "examples" / "mend"
RECORDED = MEND / "recorded"
WORKFLOW = "tests.yml"
SETTINGS = {"model": "claude-opus-4.8", "budget": {"usd": 5.0}, "checks": {"workflow": WORKFLOW}}
SWEEP = ("schedule", {"schedule": "47 * * * *"})


def repository() -> dict[str, bytes]:
    """The example as its maintainers have it: path -> content."""
    root = MEND / "repository"
    paths = [p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in paths}


class MendWorld(JobTown):
    """Ann's repository `shelfmark`: the example with three bugs."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "shelfmark", repository(), SETTINGS, f"replay:{RECORDED}")

    def failed(self) -> tuple[str, Mapping[str, Any]]:
        """Run the tests as the check action does, and keep it as a workflow run of `main` that
        failed; return the event that tells of it."""
        root, out = self.folder / "checkout", self.folder / "report"
        for path, content in self.tree().items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        check = [sys.executable, "-P", "-m", "bot.checks", "run", "--tests", "tests"]
        done = subprocess.run(
            [*check, "--root", root, "--out", out], capture_output=True, check=False, timeout=100
        )
        assert done.returncode == 1, done.stderr
        run = self._workflow_run("push", status="completed", conclusion="failure")
        content = packed(files_from_folder(out))
        self.store.actions.create_artifact(self.repository, run, "repowright-report", content)
        ran = {
            "id": run.id,
            "head_sha": run.head_sha,
            "head_branch": "main",
            "conclusion": "failure",
            "head_repository": {"full_name": "ann/shelfmark"},
        }
        return "workflow_run", self.event("completed", "ann", workflow_run=ran)

    def begun(self) -> WorkflowRun:
        """The workflow run of a repair job that works now."""
        return self._workflow_run("workflow_run", status="in_progress")

    def over(self, run: WorkflowRun) -> None:
        """As GitHub has it once the runner is no more."""
        self.store.actions.update_run(
            self.repository, run, status="completed", conclusion="cancelled"
        )

    def _workflow_run(self, event: str, **state: str) -> WorkflowRun:
        path = f".github/workflows/{WORKFLOW if event == 'push' else 'repowright-repair.yml'}"
        workflow = self.store.actions.workflow(self.repository, path, path)
        run = self.store.actions.create_run(
            self.repository,
            workflow,
            Actor(self.ann),
            event=event,
            head_sha=self.head,
            head_branch="main",
        )
        return self.store.actions.update_run(self.repository, run, **state)

    def job(self, event: tuple[str, Mapping[str, Any]], **inputs: str) -> Left:
        """One job from its start to its end."""
        run = self.begun()
        left = self.start(self.environment(*event, run.id, **inputs), "repair").left()
        self.over(run)
        return left
