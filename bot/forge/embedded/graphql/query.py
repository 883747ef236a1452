"""Where queries begin: viewer, repository, node, search."""

from typing import Any
from urllib.parse import urlsplit

from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.nodes.threads import KIND as THREAD
from bot.forge.embedded.graphql.nodes.threads import thread_of
from bot.forge.embedded.graphql.paging import Connection, Page
from bot.forge.embedded.shapes.base import parse_node_id
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account, Json, Repository, Review, ReviewComment, Row
from bot.forge.embedded.store.search import (
    search_accounts,
    search_issues,
    search_repositories,
)


class Query:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._actor = context.actor

    def viewer(self) -> Any:
        """An App's installation looks at itself through its bot, in the form of a user."""
        return self._context.makers[Account](
            self._context, self._actor.user.model_copy(update={"kind": "User"})
        )

    def rate_limit(self, dry_run: bool = False) -> Json:
        """Every request costs one point, whatever it asks."""
        quota = self._context.quota
        return {
            "cost": 1,
            "limit": quota.limit,
            "nodeCount": 0,
            "remaining": quota.remaining,
            "resetAt": quota.reset,
            "used": quota.used,
        }

    # By name

    def user(self, login: str) -> Any:
        return self._account(login, "User", "a User")

    def organization(self, login: str) -> Any:
        return self._account(login, "Organization", "an Organization")

    def repository_owner(self, login: str) -> Any:
        found = self._store.accounts.find(login)
        return None if found is None or found.kind == "Bot" else self._context.node(found)

    def repository(self, owner: str, name: str, follow_renames: bool = True) -> Any:
        found = self._store.repositories.find(owner, name)
        if found is None and follow_renames:
            found = self._store.repositories.redirected(owner, name)
        if found is None or not self._context.sees(found):
            message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            raise Refused(404, message)
        return self._context.node(found)

    def resource(self, url: str) -> Any:
        """What has its page at this address: an account, repository, issue or pull request."""
        parts = urlsplit(url).path.strip("/").split("/")
        if len(parts) == 1:
            return self.repository_owner(parts[0])
        repository = self.repository(parts[0], parts[1])
        if len(parts) == 2:
            return repository
        if parts[2] in ("issues", "pull") and len(parts) >= 4 and parts[3].isdecimal():
            return repository.issue_or_pull_request(int(parts[3]))
        raise Refused(404, f"Could not resolve to a node with the URL '{url}'.")

    def _account(self, login: str, kind: str, name: str) -> Any:
        found = self._store.accounts.find(login)
        if found is None or found.kind != kind:
            raise Refused(404, f"Could not resolve to {name} with the login of '{login}'.")
        return self._context.node(found)

    # By id

    def node(self, id: str) -> Any:
        return resolve_node(self._context, id)

    def nodes(self, ids: list[str]) -> list[Any]:
        return [resolve_node(self._context, identity) for identity in ids]

    # By search

    def search(self, query: str, type: str, **page: Any) -> "SearchResultItemConnection":
        found: dict[str, list[Any]] = {"ISSUE": [], "REPOSITORY": [], "USER": []}
        actor = self._actor
        if type == "ISSUE":
            found[type] = search_issues(self._store, actor, query)
        elif type == "REPOSITORY":
            found[type] = search_repositories(self._store, actor, query)
        else:
            found[type] = search_accounts(self._store, query)
        return SearchResultItemConnection(self._context, found, found[type], _forward(page))


class SearchResultItemConnection(Connection):
    def __init__(
        self, context: Context, counts: dict[str, list[Any]], items: list[Any], page: Page
    ) -> None:
        super().__init__(items, page, context.node)
        self.issue_count = len(counts["ISSUE"])
        self.repository_count = len(counts["REPOSITORY"])
        self.user_count = len(counts["USER"])


def find_row(context: Context, identity: str) -> Row | None:
    """The row of a global id, None where there is none or the actor may not see it."""
    kind, number = parse_node_id(identity) or ("", 0)
    tables = context.store.tables
    if kind == "PullRequest":
        row: Row | None = tables.pulls.one(issue_id=number)
    else:
        table: Any = {
            "User": tables.accounts,
            "Organization": tables.accounts,
            "Bot": tables.accounts,
            "App": tables.apps,
            "CheckRun": tables.check_runs,
            "CheckSuite": tables.check_suites,
            "Issue": tables.issues,
            "IssueComment": tables.comments,
            "Label": tables.labels,
            "Milestone": tables.milestones,
            "PullRequestReview": tables.reviews,
            "PullRequestReviewComment": tables.review_comments,
            THREAD: tables.review_comments,
            "Repository": tables.repositories,
            "StatusContext": tables.statuses,
            "Workflow": tables.workflows,
            "WorkflowRun": tables.workflow_runs,
        }.get(kind)
        row = None if table is None else table.one(id=number)
    return row if row is not None and _visible(context, row) else None


def resolve_node(context: Context, identity: str) -> Any:
    row = find_row(context, identity)
    if row is None:
        raise Refused(404, f"Could not resolve to a node with the global id of '{identity}'.")
    kind, _ = parse_node_id(identity) or ("", 0)
    return thread_of(context, row) if kind == THREAD else context.node(row)  # type: ignore[arg-type]


def _visible(context: Context, row: Row) -> bool:
    """Like everywhere, a pending review is its author's alone."""
    if isinstance(row, Repository):
        return context.sees(row)
    if isinstance(row, ReviewComment):
        review = context.store.tables.reviews.get(row.review_id)
        return _visible(context, review)
    if isinstance(row, Review) and row.state == "PENDING" and not context.is_viewer(row.author_id):
        return False
    repository_id = getattr(row, "repository_id", None)
    return repository_id is None or context.sees(context.store.repositories.get(repository_id))


def _forward(page: Page) -> Page:
    """Searches run forward: `gh` asks for its first results with `last`."""
    return {"first": page.get("first") or page.get("last"), "after": page.get("after")}
