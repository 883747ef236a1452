"""Workflows, their runs, jobs, logs and artifacts: what the Actions runner writes."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.accounts import Apps
from bot.forge.embedded.store.checks import Checks
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, conflict
from bot.forge.embedded.store.rows import (
    Artifact,
    Json,
    Repository,
    Workflow,
    WorkflowJob,
    WorkflowRun,
)

WORKFLOW_FOLDER = ".github/workflows"
ARTIFACT_LIFE = LOG_LIFE = timedelta(days=90)
_MOST_CACHES = 100


class Actions:
    def __init__(self, core: Core, apps: Apps, checks: Checks) -> None:
        self._core = core
        self._tables = core.tables
        self._apps = apps
        self._checks = checks

    # Workflows

    def workflow(self, repository: Repository, path: str, name: str) -> Workflow:
        """The workflow of this file, registered where it is new, renamed where its name moved."""
        now = self._core.now()
        with self._core.transaction():
            found = self._tables.workflows.one(repository_id=repository.id, path=path)
            if found is None:
                return self._tables.workflows.insert(
                    Workflow(
                        repository_id=repository.id,
                        path=path,
                        name=name,
                        created_at=now,
                        updated_at=now,
                    )
                )
            if found.name != name:
                return self._tables.workflows.update(found, name=name, updated_at=now)
            return found

    def find_workflow(self, repository: Repository, key: str) -> Workflow | None:
        """By id, by file name or by path."""
        if key.isdecimal():
            return self._tables.workflows.one(repository_id=repository.id, id=int(key))
        path = key if key.startswith(".github/") else f"{WORKFLOW_FOLDER}/{key}"
        return self._tables.workflows.one(repository_id=repository.id, path=path)

    def workflows(self, repository: Repository) -> list[Workflow]:
        return self._tables.workflows.find(repository_id=repository.id)

    def set_workflow_state(self, workflow: Workflow, state: str) -> Workflow:
        return self._tables.workflows.update(workflow, state=state, updated_at=self._core.now())

    def register_workflows(self, repository: Repository, commit: str) -> None:
        """Register the workflow files of a commit."""
        for path, text in self.workflow_files(repository, commit).items():
            self.workflow(repository, path, workflow_name(path, text))

    def workflow_files(self, repository: Repository, commit: str) -> dict[str, bytes]:
        git = self._core.git(repository)
        folder = git.entry(commit, WORKFLOW_FOLDER)
        if folder is None or folder.kind != "tree":
            return {}
        return {
            f"{WORKFLOW_FOLDER}/{entry.path}": git.blob(entry.sha)
            for entry in git.entries(folder.sha)
            if entry.kind == "blob" and entry.path.endswith((".yml", ".yaml"))
        }

    # Runs

    def create_run(
        self,
        repository: Repository,
        workflow: Workflow,
        by: Actor,
        *,
        event: str,
        head_sha: str,
        head_branch: str | None,
        title: str | Callable[[WorkflowRun], str] = "",
        pull_numbers: tuple[int, ...] = (),
        payload: Json | None = None,
    ) -> WorkflowRun:
        """A queued run with its check suite; tells workflow_run requested. `title` may ask the run,
        which has its id by then."""
        now = self._core.now()
        actions = self._apps.actions()
        with self._core.transaction():
            suite = self._checks.create_suite(repository, actions, head_sha, head_branch, by)
            number = self._tables.workflow_runs.count(workflow_id=workflow.id) + 1
            run = self._tables.workflow_runs.insert(
                WorkflowRun(
                    repository_id=repository.id,
                    workflow_id=workflow.id,
                    suite_id=suite.id,
                    name=workflow.name,
                    display_title=workflow.name,
                    number=number,
                    event=event,
                    head_branch=head_branch,
                    head_sha=head_sha,
                    actor_id=by.user.id,
                    pull_numbers=pull_numbers,
                    payload=payload or {},
                    created_at=now,
                    updated_at=now,
                    started_at=now,
                )
            )
            shown = title if isinstance(title, str) else title(run)
            run = self._tables.workflow_runs.update(run, display_title=shown or workflow.name)
            self._tell_run(repository, run, "requested")
        return run

    def update_run(self, repository: Repository, run: WorkflowRun, **changes: Any) -> WorkflowRun:
        """Change status and conclusion; tells workflow_run in_progress or completed, and completes
        the check suite."""
        with self._core.transaction():
            new = self._tables.workflow_runs.update(run, **changes, updated_at=self._core.now())
            if new.status != run.status and new.status in ("in_progress", "completed"):
                if new.status == "completed":
                    suite = self._checks.suite(new.suite_id)
                    by = Actor(self._apps.bot(self._apps.actions()), app=self._apps.actions())
                    self._checks.settle_suite(repository, suite, by, new.conclusion)
                self._tell_run(repository, new, new.status)
        return new

    def start_again(self, repository: Repository, run: WorkflowRun) -> WorkflowRun:
        """Queue a completed run for another attempt."""
        if run.status != "completed":
            raise Refused(403, "This workflow is already running")
        with self._core.transaction():
            new = self._tables.workflow_runs.update(
                run,
                attempt=run.attempt + 1,
                status="queued",
                conclusion=None,
                started_at=self._core.now(),
                updated_at=self._core.now(),
            )
            suite = self._checks.suite(run.suite_id)
            self._tables.check_suites.update(suite, status="queued", conclusion=None)
            self._tell_run(repository, new, "requested")
        return new

    def run(self, repository: Repository, identity: int) -> WorkflowRun | None:
        return self._tables.workflow_runs.one(repository_id=repository.id, id=identity)

    def runs(self, repository: Repository) -> list[WorkflowRun]:
        """Newest first."""
        return self._tables.workflow_runs.find(repository_id=repository.id)[::-1]

    def delete_run(self, run: WorkflowRun) -> None:
        with self._core.transaction():
            self._tables.workflow_jobs.delete(run_id=run.id)
            self._tables.artifacts.delete(run_id=run.id)
            self._tables.workflow_runs.delete(id=run.id)

    # Jobs and logs

    def create_job(
        self, repository: Repository, run: WorkflowRun, name: str, labels: tuple[str, ...] = ()
    ) -> WorkflowJob:
        """A queued job and its check run, which share an id; tells workflow_job queued."""
        app = self._apps.actions()
        by = Actor(self._apps.bot(app), app=app)
        now = self._core.now()
        with self._core.transaction():
            check = self._checks.create_run(
                repository, by, name=name, sha=run.head_sha, suite=self._checks.suite(run.suite_id)
            )
            job = self._tables.workflow_jobs.insert(
                WorkflowJob(
                    id=check.id,
                    repository_id=repository.id,
                    run_id=run.id,
                    attempt=run.attempt,
                    name=name,
                    labels=labels,
                    created_at=now,
                    started_at=now,
                )
            )
            self._tell_job(repository, job, by, "queued")
        return job

    def update_job(
        self, repository: Repository, job: WorkflowJob, output: Json | None = None, **changes: Any
    ) -> WorkflowJob:
        """Change status, conclusion and steps; `output` is the check run's (title, summary, text).
        Tells workflow_job in_progress or completed."""
        app = self._apps.actions()
        by = Actor(self._apps.bot(app), app=app)
        if changes.get("status") == "in_progress" and job.status == "queued":
            changes.setdefault("started_at", self._core.now())
        if changes.get("status") == "completed":
            changes.setdefault("completed_at", self._core.now())
        with self._core.transaction():
            new = self._tables.workflow_jobs.update(job, **changes)
            check = self._tables.check_runs.get(job.id)
            shared = {k: v for k, v in changes.items() if k in ("status", "conclusion")}
            if output is not None:
                shared["output"] = output
            self._checks.update_run(repository, check, by, **shared)
            if new.status != job.status and new.status in ("in_progress", "completed"):
                self._tell_job(repository, new, by, new.status)
        return new

    def job(self, repository: Repository, identity: int) -> WorkflowJob | None:
        return self._tables.workflow_jobs.one(repository_id=repository.id, id=identity)

    def jobs(self, run: WorkflowRun, *, all_attempts: bool = False) -> list[WorkflowJob]:
        found = self._tables.workflow_jobs.find(run_id=run.id)
        return [job for job in found if all_attempts or job.attempt == run.attempt]

    def append_log(self, job: WorkflowJob, text: str) -> None:
        with self._log_path(job).open("a", encoding="utf-8", newline="") as log:
            log.write(text)

    def log(self, job: WorkflowJob) -> str:
        """The log so far; 410 once it has expired. The API shows it only when the job is complete.
        https://docs.github.com/organizations/managing-organization-settings/configuring-the-retention-period-for-github-actions-artifacts-and-logs-in-your-organization
        """
        if job.created_at + LOG_LIFE <= self._core.now():
            raise Refused(410, "Logs have expired")
        path = self._log_path(job)
        return path.read_text("utf-8", "replace") if path.exists() else ""

    # Artifacts

    def create_artifact(
        self, repository: Repository, run: WorkflowRun, name: str, data: bytes
    ) -> Artifact:
        """Keep a zip; names are unique within a run."""
        with self._core.transaction():
            if self._tables.artifacts.one(run_id=run.id, name=name) is not None:
                raise conflict("an artifact with this name already exists on the workflow run")
            now = self._core.now()
            artifact = self._tables.artifacts.insert(
                Artifact(
                    repository_id=repository.id,
                    run_id=run.id,
                    name=name,
                    size=len(data),
                    digest=f"sha256:{hashlib.sha256(data).hexdigest()}",
                    created_at=now,
                    expires_at=now + ARTIFACT_LIFE,
                )
            )
            self._core.file("artifacts", f"{artifact.id}.zip").write_bytes(data)
        return artifact

    def artifact(self, repository: Repository, identity: int) -> Artifact | None:
        return self._tables.artifacts.one(repository_id=repository.id, id=identity)

    def artifacts(self, run: WorkflowRun) -> list[Artifact]:
        return self._tables.artifacts.find(run_id=run.id)

    def repository_artifacts(self, repository: Repository) -> list[Artifact]:
        """Newest first."""
        return self._tables.artifacts.find(repository_id=repository.id)[::-1]

    def artifact_data(self, artifact: Artifact) -> bytes:
        """The zip; 410 once it has expired."""
        if artifact.expired or artifact.expires_at <= self._core.now():
            raise Refused(410, "Artifact has expired")
        return self._core.file("artifacts", f"{artifact.id}.zip").read_bytes()

    def delete_artifact(self, artifact: Artifact) -> None:
        self._tables.artifacts.delete(id=artifact.id)
        self._core.file("artifacts", f"{artifact.id}.zip").unlink(missing_ok=True)

    def caches(self, repository: Repository) -> Path:
        """The folder with the caches of a repository's runs, one zip each."""
        folder = self._core.file("caches", str(repository.id))
        folder.mkdir(exist_ok=True)
        return folder

    def keep_cache(self, repository: Repository, name: str, data: bytes) -> None:
        """Keep a zip; what was kept first under a name stays, and of many the newest."""
        folder = self.caches(repository)
        target = folder / f"{quote(name, safe='')[:100]}.zip"
        if not target.exists():
            fresh = target.with_suffix(".new")
            fresh.write_bytes(data)
            fresh.rename(target)
        known = sorted(folder.glob("*.zip"), key=lambda path: path.stat().st_mtime_ns)
        for old in known[:-_MOST_CACHES]:
            old.unlink(missing_ok=True)

    # Inner parts

    def _log_path(self, job: WorkflowJob) -> Any:
        return self._core.file("logs", f"{job.id}.txt")

    def _tell_run(self, repository: Repository, run: WorkflowRun, action: str) -> None:
        by = Actor(self._tables.accounts.get(run.actor_id))
        workflow = self._tables.workflows.get(run.workflow_id)
        self._core.publish(
            "workflow_run", action, by, repository, workflow_run=run, workflow=workflow
        )

    def _tell_job(self, repository: Repository, job: WorkflowJob, by: Actor, action: str) -> None:
        self._core.publish("workflow_job", action, by, repository, workflow_job=job)


def parse_workflow(text: bytes) -> Json:
    """The workflow's YAML; empty where it is broken or no mapping. The key `on` is a string."""
    try:
        loaded = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except yaml.YAMLError:
        return {}
    return loaded if isinstance(loaded, dict) else {}


def workflow_name(path: str, text: bytes) -> str:
    """GitHub shows the path of a workflow without a name."""
    return str(parse_workflow(text).get("name") or path)


def triggers(text: bytes) -> Json:
    """The events of a workflow's `on`, each with its settings."""
    on = parse_workflow(text).get("on") or {}
    if isinstance(on, str):
        return {on: {}}
    if isinstance(on, list):
        return {str(event): {} for event in on}
    return {str(event): settings or {} for event, settings in on.items()}
