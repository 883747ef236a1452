"""What is published about a commit."""

from datetime import datetime

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row


class CheckSuite(Row):
    repository_id: int
    app_id: int
    head_branch: str | None = None
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    created_at: datetime
    updated_at: datetime


class CheckRun(Row):
    """`output` holds title, summary and text; `annotations` GitHub's annotation objects."""

    repository_id: int
    suite_id: int
    app_id: int
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    output: Json = Field(default_factory=dict)
    annotations: tuple[Json, ...] = ()
    actions: tuple[Json, ...] = ()
    started_at: datetime
    completed_at: datetime | None = None


class Status(Row):
    """A commit status: `state` is error, failure, pending or success."""

    repository_id: int
    sha: str
    state: str
    context: str = "default"
    description: str | None = None
    target_url: str | None = None
    creator_id: int
    created_at: datetime
    updated_at: datetime
