"""Issues and what is said and done on them."""

from datetime import datetime

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row


class Label(Row):
    repository_id: int
    name: str
    color: str = "ededed"
    description: str | None = None
    default: bool = False


class Milestone(Row):
    repository_id: int
    number: int
    title: str
    description: str | None = None
    state: str = "open"
    author_id: int
    due_on: datetime | None = None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


class Issue(Row):
    """An issue, or the issue half of a pull request (`is_pull`)."""

    repository_id: int
    number: int
    title: str
    body: str | None = None
    author_id: int
    app_id: int | None = None
    state: str = "open"
    state_reason: str | None = None
    locked: bool = False
    lock_reason: str | None = None
    is_pull: bool = False
    label_ids: tuple[int, ...] = ()
    assignee_ids: tuple[int, ...] = ()
    milestone_id: int | None = None
    closed_by_id: int | None = None
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


class LostIssue(Row):
    """An issue that was in a repository: transferred to where it is now, or deleted."""

    repository_id: int
    number: int
    to_repository_id: int | None = None
    to_number: int | None = None


class Comment(Row):
    """A comment in the conversation of an issue or pull request."""

    repository_id: int
    issue_id: int
    author_id: int
    app_id: int | None = None
    body: str
    created_at: datetime
    updated_at: datetime


class Reaction(Row):
    """`subject` is one of issue, comment, review_comment."""

    subject: str
    subject_id: int
    account_id: int
    content: str
    created_at: datetime


class TimelineEvent(Row):
    """What happened to an issue besides comments: closed, reopened, labeled, renamed, locked …"""

    repository_id: int
    issue_id: int
    actor_id: int
    event: str
    detail: Json = Field(default_factory=dict)
    created_at: datetime
