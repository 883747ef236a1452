"""Reviews and their inline comments."""

from typing import Any

from bot.forge.embedded.git.objects import FileChange
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.anchors import (
    REVIEW_DOCS,
    InlineComment,
    OutsideDiff,
    locate,
    still_there,
)
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import invalid, unprocessable
from bot.forge.embedded.store.issues import Issues, check_body
from bot.forge.embedded.store.pulls import Pulls, check_actions
from bot.forge.embedded.store.rows import Json, Pull, Repository, Review, ReviewComment

__all__ = ["InlineComment", "Reviews"]

_STATES = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
    "PENDING": "PENDING",
}


class Reviews:
    def __init__(self, core: Core, issues: Issues, pulls: Pulls) -> None:
        self._core = core
        self._tables = core.tables
        self._issues = issues
        self._pulls = pulls

    def create(
        self,
        repository: Repository,
        pull: Pull,
        by: Actor,
        *,
        event: str = "PENDING",
        body: str = "",
        commit: str | None = None,
        comments: tuple[InlineComment, ...] = (),
    ) -> Review:
        """Post a review with all its comments, or nothing.

        `event` is COMMENT, APPROVE, REQUEST_CHANGES or PENDING.
        """
        self._check(repository, pull, by, event, body, bool(comments))
        sha = self._commit(repository, pull, commit)
        files = {f.path: f for f in self._pulls.files(repository, pull)}
        now = self._core.now()
        with self._core.transaction():
            review = self._tables.reviews.insert(
                Review(
                    repository_id=repository.id,
                    pull_id=pull.id,
                    author_id=by.user.id,
                    body=body,
                    state=_STATES[event],
                    commit_id=sha,
                    submitted_at=None if event == "PENDING" else now,
                )
            )
            rows = [self._insert(review, by, files, comment) for comment in comments]
            if event != "PENDING":
                self._tell_submitted(repository, pull, by, review, rows)
        return review

    def submit(
        self, repository: Repository, review: Review, by: Actor, event: str, body: str | None
    ) -> Review:
        """Submit a pending review."""
        pull = self._pulls.get(review.pull_id)
        text = review.body if body is None else body
        if review.state != "PENDING":
            raise unprocessable("Can not submit a review that is not pending", docs=REVIEW_DOCS)
        comments = self.comments(review)
        self._check(repository, pull, by, event, text, bool(comments), pending=review)
        with self._core.transaction():
            review = self._tables.reviews.update(
                review, state=_STATES[event], body=text, submitted_at=self._core.now()
            )
            self._tell_submitted(repository, pull, by, review, comments)
        return review

    def edit(self, repository: Repository, review: Review, by: Actor, body: str) -> Review:
        check_body("PullRequestReview", body, required=True)
        with self._core.transaction():
            new = self._tables.reviews.update(review, body=body)
            changes = {"changes": {"body": {"from": review.body or ""}}}
            pull = self._pulls.get(review.pull_id)
            self._publish(repository, pull, by, "edited", new, changes)
        return new

    def dismiss(self, repository: Repository, review: Review, by: Actor, message: str) -> Review:
        if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
            raise unprocessable("Can not dismiss a commented pull request review", docs=REVIEW_DOCS)
        with self._core.transaction():
            new = self._tables.reviews.update(review, state="DISMISSED")
            pull = self._pulls.get(review.pull_id)
            detail = {"dismissed_review": {"review_id": review.id, "dismissal_message": message}}
            self._issues.note(self._pulls.issue(pull), by, "review_dismissed", detail)
            self._publish(repository, pull, by, "dismissed", new)
        return new

    def delete_pending(self, review: Review) -> None:
        if review.state != "PENDING":
            raise unprocessable(
                "Can not delete a non-pending pull request review", docs=REVIEW_DOCS
            )
        with self._core.transaction():
            self._tables.review_comments.delete(review_id=review.id)
            self._tables.reviews.delete(id=review.id)

    def find(self, repository: Repository, identity: int) -> Review | None:
        return self._tables.reviews.one(repository_id=repository.id, id=identity)

    def of(self, pull: Pull, viewer: Actor | None = None) -> list[Review]:
        """Oldest first; a pending review is seen by its author alone."""
        account = viewer.account if viewer else None
        return [
            review
            for review in self._tables.reviews.find(pull_id=pull.id)
            if review.state != "PENDING" or (account and account.id == review.author_id)
        ]

    # Inline comments

    def comments(self, review: Review) -> list[ReviewComment]:
        return self._tables.review_comments.find(review_id=review.id)

    def pull_comments(self, pull: Pull) -> list[ReviewComment]:
        """Comments of submitted reviews, oldest first."""
        pending = {r.id for r in self._tables.reviews.find(pull_id=pull.id, state="PENDING")}
        found = self._tables.review_comments.find(pull_id=pull.id)
        return [comment for comment in found if comment.review_id not in pending]

    def repository_comments(self, repository: Repository) -> list[ReviewComment]:
        return [c for pull in self._pulls.of(repository) for c in self.pull_comments(pull)]

    def find_comment(self, repository: Repository, identity: int) -> ReviewComment | None:
        return self._tables.review_comments.one(repository_id=repository.id, id=identity)

    def comment(
        self, repository: Repository, pull: Pull, by: Actor, comment: InlineComment, commit: str
    ) -> ReviewComment:
        """A single inline comment: a review of its own."""
        try:
            review = self.create(
                repository, pull, by, event="COMMENT", commit=commit, comments=(comment,)
            )
        except OutsideDiff as error:
            raise error.of_single_comment() from error
        return self.comments(review)[0]

    def reply(
        self, repository: Repository, pull: Pull, by: Actor, to: ReviewComment, body: str
    ) -> ReviewComment:
        check_body("PullRequestReviewComment", body, required=True)
        self._issues.check_lock(repository, self._pulls.issue(pull), by)
        now = self._core.now()
        with self._core.transaction():
            review = self._tables.reviews.insert(
                Review(
                    repository_id=repository.id,
                    pull_id=pull.id,
                    author_id=by.user.id,
                    state="COMMENTED",
                    commit_id=pull.head_sha,
                    submitted_at=now,
                )
            )
            fields = to.model_dump() | {
                "id": 0,
                "review_id": review.id,
                "author_id": by.user.id,
                "body": body,
                "in_reply_to_id": to.in_reply_to_id or to.id,
                "created_at": now,
                "updated_at": now,
            }
            row = self._tables.review_comments.insert(ReviewComment.model_validate(fields))
            self._tell_submitted(repository, pull, by, review, [row])
        return row

    def edit_comment(
        self, repository: Repository, comment: ReviewComment, by: Actor, body: str
    ) -> ReviewComment:
        check_body("PullRequestReviewComment", body, required=True)
        with self._core.transaction():
            new = self._tables.review_comments.update(
                comment, body=body, updated_at=self._core.now()
            )
            extra = {"changes": {"body": {"from": comment.body}}}
            pull = self._pulls.get(comment.pull_id)
            self._core.publish(
                "pull_request_review_comment",
                "edited",
                by,
                repository,
                extra,
                pull_request=pull,
                comment=new,
            )
        return new

    def delete_comment(self, repository: Repository, comment: ReviewComment, by: Actor) -> None:
        with self._core.transaction():
            self._tables.review_comments.delete(id=comment.id)
            self._core.publish(
                "pull_request_review_comment",
                "deleted",
                by,
                repository,
                pull_request=self._pulls.get(comment.pull_id),
                comment=comment,
            )

    def resolve(self, comment: ReviewComment, by: Actor, resolved: bool) -> ReviewComment:
        """Resolve or unresolve the thread that starts with the comment."""
        return self._tables.review_comments.update(
            comment, resolved=resolved, resolved_by_id=by.user.id if resolved else None
        )

    def outdate(self, repository: Repository, pull: Pull) -> None:
        """After the head moved: comments whose line left the diff lose `line` and `position`."""
        files = {f.path: f for f in self._pulls.files(repository, pull)}
        for comment in self._tables.review_comments.find(pull_id=pull.id):
            if comment.line is None:
                continue
            hunk = comment.diff_hunk
            position = still_there(files, comment.path, comment.line, comment.side, hunk)
            changes: dict[str, Any] = {"commit_id": pull.head_sha, "position": position}
            if position is None:
                changes = {"line": None, "start_line": None, "position": None}
            self._tables.review_comments.update(comment, **changes)

    # Inner parts

    def _check(
        self,
        repository: Repository,
        pull: Pull,
        by: Actor,
        event: str,
        body: str,
        has_comments: bool,
        pending: Review | None = None,
    ) -> None:
        if event not in _STATES:
            raise invalid("PullRequestReview", "event", code="invalid")
        issue = self._pulls.issue(pull)
        self._issues.check_lock(repository, issue, by)
        check_body("PullRequestReview", body)
        if event == "APPROVE":
            check_actions(repository, by)
        # https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/approving-a-pull-request-with-required-reviews
        if by.user.id == issue.author_id and event == "APPROVE":
            raise unprocessable("Review Can not approve your own pull request", docs=REVIEW_DOCS)
        if by.user.id == issue.author_id and event == "REQUEST_CHANGES":
            raise unprocessable(
                "Review Can not request changes on your own pull request", docs=REVIEW_DOCS
            )
        empty = not body.strip()
        if empty and (event == "REQUEST_CHANGES" or (event == "COMMENT" and not has_comments)):
            raise unprocessable("Review cannot be blank", docs=REVIEW_DOCS)
        mine = self._tables.reviews.one(pull_id=pull.id, author_id=by.user.id, state="PENDING")
        if mine is not None and (pending is None or mine.id != pending.id):
            message = "User can only have one pending review per pull request"
            raise unprocessable(message, docs=REVIEW_DOCS)

    def _commit(self, repository: Repository, pull: Pull, commit: str | None) -> str:
        if commit is None:
            return pull.head_sha
        git = self._core.git(repository)
        if git.kind(commit) != "commit" or not git.is_ancestor(commit, pull.head_sha):
            message = "commit_id is not part of the pull request"
            raise invalid("PullRequestReview", "commit_id", message)
        return commit

    def _insert(
        self,
        review: Review,
        by: Actor,
        files: dict[str, FileChange],
        comment: InlineComment,
    ) -> ReviewComment:
        check_body("PullRequestReviewComment", comment.body, required=True)
        at = locate(files, comment)
        line = None if at is None else (at.old if comment.side == "LEFT" else at.new or at.old)
        now = self._core.now()
        return self._tables.review_comments.insert(
            ReviewComment(
                repository_id=review.repository_id,
                pull_id=review.pull_id,
                review_id=review.id,
                author_id=by.user.id,
                path=comment.path,
                body=comment.body,
                commit_id=review.commit_id,
                original_commit_id=review.commit_id,
                diff_hunk=at.hunk if at else "",
                position=at.position if at else 1,
                original_position=at.position if at else 1,
                line=line,
                original_line=line,
                side=comment.side if at is None or at.new is not None else "LEFT",
                start_line=comment.start_line,
                original_start_line=comment.start_line,
                start_side=comment.start_side or (comment.side if comment.start_line else None),
                subject_type=comment.subject_type,
                created_at=now,
                updated_at=now,
            )
        )

    def _tell_submitted(
        self,
        repository: Repository,
        pull: Pull,
        by: Actor,
        review: Review,
        comments: list[ReviewComment],
    ) -> None:
        self._issues.touch(self._pulls.issue(pull))
        if review.state in ("APPROVED", "CHANGES_REQUESTED"):
            self._pulls.remove_reviewers(pull, (by.user,))
        self._publish(repository, pull, by, "submitted", review)
        for comment in comments:
            self._core.publish(
                "pull_request_review_comment",
                "created",
                by,
                repository,
                pull_request=pull,
                comment=comment,
            )

    def _publish(
        self,
        repository: Repository,
        pull: Pull,
        by: Actor,
        action: str,
        review: Review,
        extra: Json | None = None,
    ) -> None:
        self._core.publish(
            "pull_request_review", action, by, repository, extra, pull_request=pull, review=review
        )
