"""What a pull request has besides its issue."""

from datetime import datetime

from bot.forge.embedded.store.rows.base import Row


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
