"""Pull requests: their branches, commits, files and what stands between them and a merge."""

from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from bot.forge.embedded.git.objects import Commit as GitCommit
from bot.forge.embedded.git.objects import FileChange
from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.nodes.git import Commit, branch
from bot.forge.embedded.graphql.nodes.issues import Conversation, Issue
from bot.forge.embedded.graphql.nodes.threads import threads
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.shapes.base import node_id
from bot.forge.embedded.store import merging, rows
from bot.forge.embedded.store.pulls import closing_numbers

_CHANGES = {
    "added": "ADDED",
    "removed": "DELETED",
    "modified": "MODIFIED",
    "renamed": "RENAMED",
    "copied": "COPIED",
    "changed": "CHANGED",
}


class PullRequest(Conversation):
    area = "pull_requests"
    auto_merge_request: ClassVar[None] = None

    def __init__(self, context: Context, pull: rows.Pull) -> None:
        super().__init__(context, context.store.pulls.issue(pull))
        self._pull = pull

    @property
    def _base(self) -> rows.Repository:
        return self._repository

    def database_id(self) -> int:
        return self._pull.id

    def full_database_id(self) -> str:
        return str(self._pull.id)

    def location(self) -> str:
        return f"{self._base.full_name}/pull/{self._pull.number}"

    def permalink(self) -> str:
        return self.url()

    def checks_url(self) -> str:
        return f"{self.url()}/checks"

    def state(self) -> str:
        return "MERGED" if self.merged() else self._row.state.upper()

    def is_draft(self) -> bool:
        return self._pull.draft

    # Branches

    def base_ref(self) -> Any:
        return branch(self._context, self._base, self._pull.base_ref)

    def base_ref_name(self) -> str:
        return self._pull.base_ref

    def base_ref_oid(self) -> str:
        return self._pull.base_sha

    def base_repository(self) -> Any:
        return self.repository()

    def head_ref(self) -> Any:
        head = self._head
        return branch(self._context, head, self._pull.head_ref) if head else None

    def head_ref_name(self) -> str:
        return self._pull.head_ref

    def head_ref_oid(self) -> str:
        return self._pull.head_sha

    def head_repository(self) -> Any:
        return self._context.node(self._head)

    def head_repository_owner(self) -> Any:
        return self._context.account(self._head.owner_id) if self._head else None

    def is_cross_repository(self) -> bool:
        return self._pull.head_repository_id != self._pull.repository_id

    def maintainer_can_modify(self) -> bool:
        return self._pull.maintainer_can_modify

    @property
    def _head(self) -> rows.Repository | None:
        identity = self._pull.head_repository_id
        return None if identity is None else self._store.tables.repositories.one(id=identity)

    # The diff

    @cached_property
    def _files(self) -> list[FileChange]:
        return self._store.pulls.files(self._base, self._pull)

    def additions(self) -> int:
        return sum(change.additions for change in self._files)

    def deletions(self) -> int:
        return sum(change.deletions for change in self._files)

    def changed_files(self) -> int:
        return len(self._files)

    def files(self, **page: Any) -> Connection:
        return Connection(self._files, page, _changed_file)

    def commits(self, **page: Any) -> Connection:
        git = self._store.git(self._base)
        base = self._store.pulls.merge_base(self._base, self._pull)
        log = git.log(self._pull.head_sha, exclude=base)[::-1]
        return Connection(log, page, lambda commit: PullRequestCommit(self, self._commit(commit)))

    def status_check_rollup(self) -> Any:
        return self._commit_of(self._pull.head_sha).status_check_rollup()

    # Reviews

    def reviews(
        self, author: str | None = None, states: list[str] | None = None, **page: Any
    ) -> Connection:
        found = [
            review
            for review in self._store.reviews.of(self._pull, self._context.actor)
            if (not states or review.state in states)
            and (author is None or self._store.accounts.get(review.author_id).login == author)
        ]
        return self._context.connection(found, page)

    def latest_reviews(self, **page: Any) -> Connection:
        return self._context.connection(merging.latest_reviews(self._store, self._pull), page)

    def latest_opinionated_reviews(self, writers_only: bool = False, **page: Any) -> Connection:
        return self._context.connection(
            merging.opinions(self._store, self._base, self._pull, writers_only=writers_only), page
        )

    def viewer_latest_review(self) -> Any:
        mine = [
            review
            for review in self._store.reviews.of(self._pull, self._context.actor)
            if self._context.is_viewer(review.author_id)
        ]
        return self._context.node(mine[-1]) if mine else None

    def review_requests(self, **page: Any) -> Connection:
        return Connection(self._pull.requested_reviewer_ids, page, self._review_request)

    def review_threads(self, **page: Any) -> Connection:
        return Connection(threads(self._context, self, self._pull), page)

    def review_decision(self) -> str | None:
        return merging.review_decision(self._store, self._base, self._pull)

    def total_comments_count(self) -> int:
        talk = self._store.issues.comments(self._row)
        return len(talk) + len(self._store.reviews.pull_comments(self._pull))

    def _review_request(self, account_id: int) -> dict[str, Any]:
        return {
            "id": node_id("ReviewRequest", f"{self._pull.id}:{account_id}"),
            "pullRequest": self,
            "requestedReviewer": self._context.account(account_id),
        }

    # Merging

    def merged(self) -> bool:
        return self._pull.merged_at is not None

    def merged_at(self) -> datetime | None:
        return self._pull.merged_at

    def merged_by(self) -> Any:
        return self._context.account(self._pull.merged_by_id)

    def merge_commit(self) -> Commit | None:
        sha = self._pull.merge_commit_sha
        return self._commit_of(sha) if sha and self.merged() else None

    def potential_merge_commit(self) -> Commit | None:
        return self.merge_commit()

    def mergeable(self) -> str:
        if self._row.state != "open":
            return "UNKNOWN"
        fits = self._store.pulls.mergeable(self._base, self._pull)
        return "MERGEABLE" if fits else "CONFLICTING"

    def merge_state_status(self) -> str:
        return merging.merge_state(self._store, self._base, self._pull).upper()

    def viewer_merge_headline_text(self, merge_type: str | None = None) -> str:
        if merge_type == "SQUASH":
            return f"{self._row.title} (#{self._pull.number})"
        return (
            f"Merge pull request #{self._pull.number} from {self._base.owner}/{self._pull.head_ref}"
        )

    def viewer_merge_body_text(self, merge_type: str | None = None) -> str:
        return "" if merge_type == "SQUASH" else self._row.title

    def closing_issues_references(self, **page: Any) -> Connection:
        numbers = closing_numbers(self._row.body)
        found = [self._store.issues.find(self._base, number) for number in numbers]
        return self._context.connection([i for i in found if i and not i.is_pull], page)

    def _commit(self, commit: GitCommit) -> Commit:
        return Commit(self._context, self._base, commit)

    def _commit_of(self, sha: str) -> Commit:
        return self._commit(self._store.git(self._base).commit(sha))


class PullRequestCommit:
    def __init__(self, pull_request: PullRequest, commit: Commit) -> None:
        self.pull_request = pull_request
        self.commit = commit

    def id(self) -> str:
        return node_id("PullRequestCommit", f"{self.pull_request.database_id()}:{self.commit.oid}")

    def url(self) -> str:
        return f"{self.pull_request.url()}/commits/{self.commit.oid}"


def make_conversation(context: Context, issue: rows.Issue) -> Issue | PullRequest:
    """An issue, or the pull request that it is a half of."""
    pull = context.store.pulls.of_issue(issue) if issue.is_pull else None
    return Issue(context, issue) if pull is None else PullRequest(context, pull)


def _changed_file(change: FileChange) -> dict[str, Any]:
    return {
        "path": change.path,
        "additions": change.additions,
        "deletions": change.deletions,
        "changeType": _CHANGES[change.status],
    }
