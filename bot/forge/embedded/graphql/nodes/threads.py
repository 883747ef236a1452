"""Review threads: an inline comment with its replies."""

from typing import Any

from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.shapes.base import node_id
from bot.forge.embedded.store import rows

KIND = "PullRequestReviewThread"


class PullRequestReviewThread:
    """A thread is known by its first comment, which also holds whether it is resolved."""

    def __init__(
        self, context: Context, pull_request: Any, comments: list[rows.ReviewComment]
    ) -> None:
        first = comments[0]
        self._context = context
        self._comments = comments
        self._first = first
        self.pull_request = pull_request
        self.path = first.path
        self.line = first.line
        self.original_line = first.original_line
        self.start_line = first.start_line
        self.original_start_line = first.original_start_line
        self.diff_side = first.side
        self.start_diff_side = first.start_side
        self.subject_type = first.subject_type.upper()
        self.is_resolved = first.resolved
        self.is_collapsed = first.resolved
        self.is_outdated = first.line is None and first.subject_type == "line"

    def id(self) -> str:
        return node_id(KIND, self._first.id)

    def repository(self) -> Any:
        return self.pull_request.repository()

    def comments(self, **page: Any) -> Connection:
        return self._context.connection(self._comments, page)

    def resolved_by(self) -> Any:
        return self._context.account(self._first.resolved_by_id)

    def viewer_can_resolve(self) -> bool:
        return not self.is_resolved and bool(self.pull_request.viewer_can_update())

    def viewer_can_unresolve(self) -> bool:
        return self.is_resolved and bool(self.pull_request.viewer_can_update())


def threads(context: Context, pull_request: Any, pull: rows.Pull) -> list[PullRequestReviewThread]:
    """The threads of a pull request, oldest first."""
    grouped: dict[int, list[rows.ReviewComment]] = {}
    for comment in context.store.reviews.pull_comments(pull):
        grouped.setdefault(comment.in_reply_to_id or comment.id, []).append(comment)
    return [PullRequestReviewThread(context, pull_request, found) for found in grouped.values()]


def thread_of(context: Context, first: rows.ReviewComment) -> PullRequestReviewThread:
    """The thread that a comment starts."""
    replies = context.store.tables.review_comments.find(in_reply_to_id=first.id)
    pull_request = context.node(context.store.pulls.get(first.pull_id))
    return PullRequestReviewThread(context, pull_request, [first, *replies])
