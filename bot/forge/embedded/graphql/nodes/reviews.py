"""Reviews and inline comments."""

from datetime import datetime
from typing import Any, ClassVar

from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.nodes.git import git_object
from bot.forge.embedded.graphql.nodes.texts import Text
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.store import rows


class PullRequestReview(Text[rows.Review]):
    area = "pull_requests"

    @property
    def _pull(self) -> rows.Pull:
        return self._store.pulls.get(self._row.pull_id)

    def location(self) -> str:
        where = f"{self._repository.full_name}/pull/{self._pull.number}"
        return f"{where}#pullrequestreview-{self._row.id}"

    def state(self) -> str:
        return self._row.state

    def created_at(self) -> datetime:
        return self._row.submitted_at or self._store.now()

    def updated_at(self) -> datetime:
        return self.created_at()

    def submitted_at(self) -> datetime | None:
        return self._row.submitted_at

    def commit(self) -> Any:
        return git_object(self._context, self._repository, self._row.commit_id)

    def pull_request(self) -> Any:
        return self._context.node(self._pull)

    def comments(self, **page: Any) -> Connection:
        return self._context.connection(self._store.reviews.comments(self._row), page)


class PullRequestReviewComment(Text[rows.ReviewComment]):
    area = "pull_requests"
    subject = "review_comment"
    is_minimized: ClassVar[bool] = False
    minimized_reason: ClassVar[None] = None

    def __init__(self, context: Context, row: rows.ReviewComment) -> None:
        super().__init__(context, row)
        self.path = row.path
        self.line = row.line
        self.original_line = row.original_line
        self.start_line = row.start_line
        self.original_start_line = row.original_start_line
        self.position = row.position
        self.diff_hunk = row.diff_hunk
        self.subject_type = row.subject_type.upper()
        self.outdated = row.line is None and row.subject_type == "line"

    @property
    def _pull(self) -> rows.Pull:
        return self._store.pulls.get(self._row.pull_id)

    def url(self) -> str:
        where = f"{self._repository.full_name}/pull/{self._pull.number}"
        return self._context.shapes.web(f"{where}#discussion_r{self._row.id}")

    def created_at(self) -> datetime:
        return self._row.created_at

    def updated_at(self) -> datetime:
        return self._row.updated_at

    def includes_created_edit(self) -> bool:
        return self._row.updated_at > self._row.created_at

    def commit(self) -> Any:
        return git_object(self._context, self._repository, self._row.commit_id)

    def original_commit(self) -> Any:
        return git_object(self._context, self._repository, self._row.original_commit_id)

    def state(self) -> str:
        review = self._store.tables.reviews.get(self._row.review_id)
        return "PENDING" if review.state == "PENDING" else "SUBMITTED"

    def pull_request(self) -> Any:
        return self._context.node(self._pull)

    def pull_request_review(self) -> Any:
        return self._context.node(self._store.tables.reviews.get(self._row.review_id))

    def reply_to(self) -> Any:
        identity = self._row.in_reply_to_id
        found = self._store.tables.review_comments.one(id=identity) if identity else None
        return self._context.node(found)
