"""The rows of the store: one frozen model per table of schema.sql, ids given by the database."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from bot.base import Data

Json = dict[str, Any]
AccountKind = Literal["User", "Organization", "Bot"]
TokenKind = Literal["pat", "installation", "workflow"]


class Row(Data):
    """A row; an `id` of 0 asks the database for one."""

    id: int = 0


class Account(Row):
    login: str
    kind: AccountKind = "User"
    name: str | None = None
    email: str | None = None
    created_at: datetime


class Membership(Row):
    """`account_id` may administer the organization `organization_id`."""

    organization_id: int
    account_id: int


class App(Row):
    """A GitHub App. `bot_id` is its bot account, `public_key` in PEM; `permissions` maps an area
    such as "contents" to "read" or "write"."""

    slug: str
    name: str
    client_id: str
    owner_id: int
    bot_id: int
    public_key: str = ""
    permissions: Json = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    created_at: datetime


class Registration(Row):
    """An App that came from a manifest. Only the SHA-256 of the code is kept; the private key and
    the webhook's secret until the code is exchanged for them."""

    app_id: int
    digest: str
    private_key: str
    webhook_secret: str
    setup_url: str = ""
    homepage: str = ""
    description: str = ""
    expires_at: datetime


class Installation(Row):
    app_id: int
    account_id: int
    all_repositories: bool = True
    repository_ids: tuple[int, ...] = ()
    permissions: Json = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    suspended_at: datetime | None = None
    created_at: datetime


class Token(Row):
    """Only the SHA-256 of a token is kept. `scopes` belong to a personal access token,
    `permissions` and `repository_ids` (empty: all) to the other kinds."""

    digest: str
    kind: TokenKind
    account_id: int
    scopes: tuple[str, ...] = ()
    permissions: Json = Field(default_factory=dict)
    repository_ids: tuple[int, ...] = ()
    installation_id: int | None = None
    run_id: int | None = None
    expires_at: datetime | None = None
    created_at: datetime


class Repository(Row):
    owner_id: int
    owner: str
    name: str
    description: str | None = None
    homepage: str | None = None
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    has_issues: bool = True
    topics: tuple[str, ...] = ()
    allow_merge_commit: bool = True
    allow_squash_merge: bool = True
    allow_rebase_merge: bool = True
    delete_branch_on_merge: bool = False
    actions_may_approve: bool = False
    last_number: int = 0
    created_at: datetime
    updated_at: datetime
    pushed_at: datetime | None = None

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


class Redirect(Row):
    """A name that a repository once had."""

    owner: str
    name: str
    repository_id: int


class Collaborator(Row):
    """`permission` is one of pull, triage, push, maintain, admin."""

    repository_id: int
    account_id: int
    permission: str


class Protection(Row):
    """Branch protection; `settings` is the body of the request that set it."""

    repository_id: int
    branch: str
    settings: Json = Field(default_factory=dict)


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


class Pull(Row):
    """The git half of a pull request; shares `issue_id` and `number` with its issue.
    `head_repository_id` is None once the fork is gone."""

    repository_id: int
    issue_id: int
    number: int
    head_repository_id: int | None
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    maintainer_can_modify: bool = False
    requested_reviewer_ids: tuple[int, ...] = ()
    merged_at: datetime | None = None
    merged_by_id: int | None = None
    merge_commit_sha: str | None = None


class Review(Row):
    """`state` is one of PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED."""

    repository_id: int
    pull_id: int
    author_id: int
    body: str = ""
    state: str
    commit_id: str
    submitted_at: datetime | None = None


class ReviewComment(Row):
    """A comment on a line of a diff. `line` is None once the comment is outdated; `side` is
    RIGHT (new) or LEFT (old); `subject_type` is line or file."""

    repository_id: int
    pull_id: int
    review_id: int
    author_id: int
    path: str
    body: str
    commit_id: str
    original_commit_id: str
    diff_hunk: str = ""
    position: int | None = None
    original_position: int | None = None
    line: int | None = None
    original_line: int | None = None
    side: str = "RIGHT"
    start_line: int | None = None
    original_start_line: int | None = None
    start_side: str | None = None
    subject_type: str = "line"
    in_reply_to_id: int | None = None
    resolved: bool = False
    resolved_by_id: int | None = None
    created_at: datetime
    updated_at: datetime


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


class Hook(Row):
    """A webhook of a repository or of an App. `events` may hold "*"."""

    repository_id: int | None = None
    app_id: int | None = None
    url: str
    secret: str | None = None
    content_type: str = "json"
    insecure_ssl: str = "0"
    events: tuple[str, ...] = ("push",)
    active: bool = True
    created_at: datetime
    updated_at: datetime


class Delivery(Row):
    """One attempt to deliver. Attempts at the same event share `guid`, the X-GitHub-Delivery.
    `status_code` is 0 while pending or where the receiver could not be reached; `duration` in
    seconds."""

    hook_id: int
    guid: str
    event: str
    action: str | None = None
    repository_id: int | None = None
    installation_id: int | None = None
    redelivery: bool = False
    request_headers: Json = Field(default_factory=dict)
    payload: str = ""
    status: str = "pending"
    status_code: int = 0
    response_headers: Json = Field(default_factory=dict)
    response_body: str = ""
    duration: float = 0.0
    delivered_at: datetime
