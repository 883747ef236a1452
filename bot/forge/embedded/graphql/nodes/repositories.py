"""Repositories."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from bot.forge.embedded.graphql.nodes.base import Located, by_creation
from bot.forge.embedded.graphql.nodes.git import Ref, branch, by_expression, git_object
from bot.forge.embedded.graphql.nodes.issues import ordered_labels
from bot.forge.embedded.graphql.paging import Connection, Edge
from bot.forge.embedded.store import rows
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account

_MENTION = r"(?<![\w@])@{login}(?![\w-])"
Order = dict[str, str] | None


class _Absent:
    """What the embedded GitHub has not, in the form of a repository that does not use it."""

    allow_update_branch: ClassVar[bool] = True
    auto_merge_allowed: ClassVar[bool] = False
    code_of_conduct: ClassVar[None] = None
    disk_usage: ClassVar[int] = 0
    fork_count: ClassVar[int] = 0
    has_discussions_enabled: ClassVar[bool] = False
    has_projects_enabled: ClassVar[bool] = False
    has_wiki_enabled: ClassVar[bool] = False
    is_blank_issues_enabled: ClassVar[bool] = True
    is_disabled: ClassVar[bool] = False
    is_fork: ClassVar[bool] = False
    is_locked: ClassVar[bool] = False
    is_mirror: ClassVar[bool] = False
    is_security_policy_enabled: ClassVar[bool] = False
    is_template: ClassVar[bool] = False
    is_user_configuration_repository: ClassVar[bool] = False
    issue_templates: ClassVar[tuple[()]] = ()
    latest_release: ClassVar[None] = None
    license_info: ClassVar[None] = None
    mirror_url: ClassVar[None] = None
    parent: ClassVar[None] = None
    primary_language: ClassVar[None] = None
    pull_request_templates: ClassVar[tuple[()]] = ()
    security_policy_url: ClassVar[None] = None
    stargazer_count: ClassVar[int] = 0
    template_repository: ClassVar[None] = None
    uses_custom_open_graph_image: ClassVar[bool] = False
    viewer_has_starred: ClassVar[bool] = False
    viewer_subscription: ClassVar[str] = "UNSUBSCRIBED"

    def forks(self, affiliations: Any = None, **page: Any) -> Connection:
        return Connection([], page)

    def languages(self, **page: Any) -> Connection:
        return Connection([], page)

    def release(self, tag_name: str) -> None:
        return None

    def releases(self, order_by: Order = None, **page: Any) -> Connection:
        return Connection([], page)

    def watchers(self, **page: Any) -> Connection:
        return Connection([], page)


class Repository(_Absent, Located[rows.Repository]):
    def location(self) -> str:
        return self._row.full_name

    def name(self) -> str:
        return self._row.name

    def name_with_owner(self) -> str:
        return self._row.full_name

    def owner(self) -> Any:
        return self._context.account(self._row.owner_id)

    def description(self) -> str | None:
        return self._row.description

    def homepage_url(self) -> str | None:
        return self._row.homepage

    def ssh_url(self) -> str:
        """Git is served over HTTP alone."""
        return f"{self.url()}.git"

    def open_graph_image_url(self) -> str:
        return self._context.shapes.web(f"avatars/{self._row.owner_id}")

    def created_at(self) -> datetime:
        return self._row.created_at

    def updated_at(self) -> datetime:
        return self._row.updated_at

    def pushed_at(self) -> datetime | None:
        return self._row.pushed_at

    def archived_at(self) -> datetime | None:
        return self._row.updated_at if self._row.archived else None

    # Settings

    def delete_branch_on_merge(self) -> bool:
        return self._row.delete_branch_on_merge

    def has_issues_enabled(self) -> bool:
        return self._row.has_issues

    def is_archived(self) -> bool:
        return self._row.archived

    def is_in_organization(self) -> bool:
        return self._store.accounts.get(self._row.owner_id).kind == "Organization"

    def is_private(self) -> bool:
        return self._row.private

    def visibility(self) -> str:
        return "PRIVATE" if self._row.private else "PUBLIC"

    def merge_commit_allowed(self) -> bool:
        return self._row.allow_merge_commit

    def rebase_merge_allowed(self) -> bool:
        return self._row.allow_rebase_merge

    def squash_merge_allowed(self) -> bool:
        return self._row.allow_squash_merge

    def repository_topics(self, **page: Any) -> Connection:
        return Connection(self._row.topics, page, lambda name: {"topic": {"name": name}})

    # The viewer and others

    def viewer_can_administer(self) -> bool:
        return self.viewer_permission() == "ADMIN"

    def viewer_permission(self) -> str | None:
        """What the viewer's account may, or the contents permission of an integration."""
        actor, repositories = self._context.actor, self._store.repositories
        if actor.account is None:
            return None
        if actor.is_integration:
            writes = repositories.allows(actor, self._row, "contents", "write")
            return "WRITE" if writes else "READ"
        level = repositories.permission(self._row, actor.account)
        return None if level == "none" else level.upper()

    def viewer_default_merge_method(self) -> str:
        if self._row.allow_merge_commit:
            return "MERGE"
        return "SQUASH" if self._row.allow_squash_merge else "REBASE"

    def viewer_default_commit_email(self) -> str | None:
        account = self._context.actor.account
        return None if account is None else account.email

    def viewer_possible_commit_emails(self) -> list[str]:
        email = self.viewer_default_commit_email()
        return [email] if email else []

    def assignable_users(self, query: str | None = None, **page: Any) -> Connection:
        people = self._store.repositories.collaborators(self._row)
        return self._people([a for a in people if _matches(a, query)], page)

    def mentionable_users(self, query: str | None = None, **page: Any) -> Connection:
        return self.assignable_users(query, **page)

    def collaborators(
        self, query: str | None = None, login: str | None = None, **page: Any
    ) -> "RepositoryCollaboratorConnection | None":
        """Only for those who may push, as on GitHub."""
        if not self._store.repositories.allows(
            self._context.actor, self._row, "administration", "write"
        ):
            return None
        people = [
            account
            for account in self._store.repositories.collaborators(self._row)
            if _matches(account, query) and login in (None, account.login)
        ]
        return RepositoryCollaboratorConnection(people, page, self._context.node, self._level)

    def _level(self, user: Any) -> str:
        account = self._store.accounts.get(user.database_id())
        return self._store.repositories.permission(self._row, account).upper()

    # Git

    def is_empty(self) -> bool:
        return self._store.git(self._row).is_empty()

    def default_branch_ref(self) -> Ref | None:
        return branch(self._context, self._row, self._row.default_branch)

    def ref(self, qualified_name: str) -> Ref | None:
        refs = self._store.git(self._row).refs()
        short = qualified_name
        for name in (short, f"refs/heads/{short}", f"refs/tags/{short}", f"refs/{short}"):
            if name in refs:
                return Ref(self._context, self._row, name, refs[name])
        return None

    def refs(
        self,
        ref_prefix: str,
        query: str | None = None,
        order_by: Order = None,
        direction: str | None = None,
        **page: Any,
    ) -> Connection:
        found = self._store.git(self._row).refs(ref_prefix)
        names = [n for n in found if (query or "").lower() in n.removeprefix(ref_prefix).lower()]
        if (order_by or {}).get("direction", direction) == "DESC":
            names.reverse()
        return Connection(
            names, page, lambda name: Ref(self._context, self._row, name, found[name])
        )

    def object(self, expression: str | None = None, oid: str | None = None) -> Any:
        if oid is not None:
            return git_object(self._context, self._row, oid)
        return by_expression(self._context, self._row, expression or self._row.default_branch)

    # Labels and milestones

    def label(self, name: str) -> Any:
        return self._context.node(self._store.repositories.label(self._row, name))

    def labels(self, order_by: Order = None, query: str | None = None, **page: Any) -> Connection:
        found = [
            label
            for label in self._store.repositories.labels(self._row)
            if (query or "").lower() in f"{label.name} {label.description or ''}".lower()
        ]
        return self._context.connection(ordered_labels(found, order_by), page)

    def milestone(self, number: int) -> Any:
        found = self._store.tables.milestones.one(repository_id=self._row.id, number=number)
        return self._context.node(found)

    def milestones(
        self, states: list[str] | None = None, query: str | None = None, **page: Any
    ) -> Connection:
        found = [
            milestone
            for milestone in self._store.issues.milestones(self._row)
            if not states or milestone.state.upper() in states
        ]
        return self._context.connection(found, page)

    # Issues and pull requests

    def issue(self, number: int) -> Any:
        found = self._store.issues.find(self._row, number)
        if found is None or found.is_pull:
            raise Refused(404, f"Could not resolve to an Issue with the number of {number}.")
        return self._context.node(found)

    def pull_request(self, number: int) -> Any:
        found = self._store.pulls.find(self._row, number)
        if found is None:
            raise Refused(404, f"Could not resolve to a PullRequest with the number of {number}.")
        return self._context.node(found)

    def issue_or_pull_request(self, number: int) -> Any:
        found = self._store.issues.find(self._row, number)
        if found is None:
            message = f"Could not resolve to an issue or pull request with the number of {number}."
            raise Refused(404, message)
        return self._context.node(found)

    def issues(
        self,
        filter_by: dict[str, Any] | None = None,
        labels: list[str] | None = None,
        order_by: Order = None,
        states: list[str] | None = None,
        **page: Any,
    ) -> Connection:
        wanted = filter_by or {}
        states = states or wanted.get("states")
        labels = labels or wanted.get("labels")
        found = [
            issue
            for issue in self._store.issues.of(self._row)
            if not issue.is_pull
            and (not states or issue.state.upper() in states)
            and self._carries(issue, labels)
            and self._passes(issue, wanted)
        ]
        return self._context.connection(self._ordered(found, order_by), page)

    def pull_requests(
        self,
        base_ref_name: str | None = None,
        head_ref_name: str | None = None,
        labels: list[str] | None = None,
        order_by: Order = None,
        states: list[str] | None = None,
        **page: Any,
    ) -> Connection:
        issues = {}
        for pull in self._store.pulls.of(self._row):
            issue = self._store.pulls.issue(pull)
            state = "MERGED" if pull.merged_at else issue.state.upper()
            if (
                base_ref_name in (None, pull.base_ref)
                and head_ref_name in (None, pull.head_ref)
                and (not states or state in states)
                and self._carries(issue, labels)
            ):
                issues[issue.id] = issue
        return self._context.connection(self._ordered(list(issues.values()), order_by), page)

    def _carries(self, issue: rows.Issue, labels: list[str] | None) -> bool:
        if not labels:
            return True
        carried = {label.name.lower() for label in self._store.issues.label_rows(issue)}
        return any(label.lower() in carried for label in labels)

    def _passes(self, issue: rows.Issue, wanted: dict[str, Any]) -> bool:
        """https://docs.github.com/graphql/reference/input-objects#issuefilters"""
        login = self._login
        since = wanted.get("since")
        assignee = wanted.get("assignee")
        assigned = {login(i) for i in issue.assignee_ids}
        return (
            wanted.get("createdBy") in (None, login(issue.author_id))
            and (assignee in (None, *assigned) or (assignee == "*" and bool(assigned)))
            and (since is None or issue.updated_at >= datetime.fromisoformat(since))
            and self._in_milestone(issue, wanted.get("milestoneNumber") or wanted.get("milestone"))
            and (wanted.get("mentioned") is None or _mentions(issue.body, wanted["mentioned"]))
        )

    def _in_milestone(self, issue: rows.Issue, wanted: str | None) -> bool:
        if wanted is None:
            return True
        if issue.milestone_id is None:
            return False
        milestone = self._store.tables.milestones.get(issue.milestone_id)
        return wanted in ("*", str(milestone.number), milestone.title)

    def _login(self, account_id: int) -> str:
        return self._store.accounts.get(account_id).login

    def _ordered(self, issues: list[rows.Issue], order: Order) -> list[rows.Issue]:
        """Oldest first unless asked otherwise."""
        field = order["field"] if order else "CREATED_AT"
        key: Callable[[rows.Issue], Any] = by_creation
        if field == "UPDATED_AT":
            key = _changed
        elif field == "COMMENTS":
            key = self._talk
        return sorted(issues, key=key, reverse=order is not None and order["direction"] == "DESC")

    def _talk(self, issue: rows.Issue) -> tuple[int, int]:
        return self._store.tables.comments.count(issue_id=issue.id), issue.id


class RepositoryCollaboratorConnection(Connection):
    """Its edges say what each may do."""

    def __init__(
        self,
        people: list[Account],
        page: dict[str, Any],
        wrap: Callable[[Any], Any],
        level: Callable[[Any], str],
    ) -> None:
        super().__init__(people, page, wrap)
        self._level = level

    def edges(self) -> list[Edge]:
        edges = super().edges()
        for edge in edges:
            edge.permission = self._level(edge.node)
        return edges


def _matches(account: Account, query: str | None) -> bool:
    return (query or "").lower() in f"{account.login} {account.name or ''}".lower()


def _mentions(body: str | None, login: str) -> bool:
    return re.search(_MENTION.format(login=re.escape(login)), body or "") is not None


def _changed(issue: rows.Issue) -> tuple[datetime, int]:
    return issue.updated_at, issue.id
