"""Workflows, their runs, and what these leave behind."""

from datetime import datetime

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row


class Workflow(Row):
    """`path` such as ".github/workflows/ci.yml"; `state` is active or disabled_manually."""

    repository_id: int
    path: str
    name: str
    state: str = "active"
    created_at: datetime
    updated_at: datetime


class WorkflowRun(Row):
    repository_id: int
    workflow_id: int
    suite_id: int
    name: str
    display_title: str
    number: int
    attempt: int = 1
    event: str
    head_branch: str | None = None
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    actor_id: int
    pull_numbers: tuple[int, ...] = ()
    payload: Json = Field(default_factory=dict)
    created_at: datetime
    updated_at: datetime
    started_at: datetime


class WorkflowJob(Row):
    """Shares its id with its check run. `steps` holds GitHub's step objects: name, number,
    status, conclusion, started_at, completed_at."""

    repository_id: int
    run_id: int
    attempt: int = 1
    name: str
    status: str = "queued"
    conclusion: str | None = None
    steps: tuple[Json, ...] = ()
    labels: tuple[str, ...] = ()
    created_at: datetime
    started_at: datetime
    completed_at: datetime | None = None


class Artifact(Row):
    """The zip itself lies in the data folder; `size` in bytes."""

    repository_id: int
    run_id: int
    name: str
    size: int
    digest: str
    expired: bool = False
    created_at: datetime
    expires_at: datetime
