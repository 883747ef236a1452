"""Issues, their comments, labels and milestones."""

import re
from datetime import datetime
from typing import Any, ClassVar

from markupsafe import escape

from bot.forge.embedded.graphql.nodes.base import Located, Node
from bot.forge.embedded.graphql.nodes.texts import CONTENTS, Text
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.store import rows
from bot.forge.embedded.store.pulls import closing_numbers

_CONTENT_NAMES = {name: content for content, name in CONTENTS.items()}


class Conversation(Text[rows.Issue]):
    """What an issue and a pull request have in common."""

    subject = "issue"
    is_pinned: ClassVar[bool] = False

    def created_at(self) -> datetime:
        return self._row.created_at

    def updated_at(self) -> datetime:
        return self._row.updated_at

    def number(self) -> int:
        return self._row.number

    def title(self) -> str:
        return self._row.title

    def title_html(self) -> str:
        return str(escape(self._row.title))

    def closed(self) -> bool:
        return self._row.state == "closed"

    def closed_at(self) -> datetime | None:
        return self._row.closed_at

    def locked(self) -> bool:
        return self._row.locked

    def active_lock_reason(self) -> str | None:
        reason = self._row.lock_reason
        return reason and re.sub(r"[ -]", "_", reason).upper()

    def labels(self, order_by: dict[str, str] | None = None, **page: Any) -> Connection:
        return self._context.connection(
            ordered_labels(self._store.issues.label_rows(self._row), order_by), page
        )

    def assignees(self, **page: Any) -> Connection:
        return self._people([self._store.accounts.get(i) for i in self._row.assignee_ids], page)

    def participants(self, **page: Any) -> Connection:
        wrote = [c.author_id for c in self._store.issues.comments(self._row)]
        everybody = dict.fromkeys((self._row.author_id, *self._row.assignee_ids, *wrote))
        return self._people([self._store.accounts.get(i) for i in everybody], page)

    def milestone(self) -> Any:
        identity = self._row.milestone_id
        return self._context.node(
            None if identity is None else self._store.tables.milestones.get(identity)
        )

    def comments(self, order_by: Any = None, **page: Any) -> Connection:
        comments = self._store.issues.comments(self._row)
        if order_by:
            comments.sort(
                key=lambda comment: comment.updated_at, reverse=order_by["direction"] == "DESC"
            )
        return self._context.connection(comments, page)

    def project_cards(self, **page: Any) -> Connection:
        return Connection([], page)

    def project_items(self, **page: Any) -> Connection:
        return Connection([], page)


class Issue(Conversation):
    issue_type: ClassVar[None] = None
    parent: ClassVar[None] = None
    sub_issues_summary: ClassVar[rows.Json] = {"completed": 0, "percentCompleted": 0, "total": 0}

    def sub_issues(self, **page: Any) -> Connection:
        return Connection([], page)

    def location(self) -> str:
        return f"{self._repository.full_name}/issues/{self._row.number}"

    def state(self) -> str:
        return self._row.state.upper()

    def state_reason(self, enable_duplicate: bool = False) -> str | None:
        reason = self._row.state_reason
        return reason and reason.upper()

    def closed_by_pull_requests_references(
        self, include_closed_prs: bool = False, **page: Any
    ) -> Connection:
        found = [
            pull
            for pull in self._store.pulls.of(self._repository)
            if self._row.number in closing_numbers(self._store.pulls.issue(pull).body)
            and (include_closed_prs or self._is_alive(pull))
        ]
        return self._context.connection(found, page)

    def _is_alive(self, pull: rows.Pull) -> bool:
        return pull.merged_at is not None or self._store.pulls.issue(pull).state == "open"


class IssueComment(Text[rows.Comment]):
    subject = "comment"
    is_minimized: ClassVar[bool] = False
    minimized_reason: ClassVar[None] = None

    @property
    def _issue(self) -> rows.Issue:
        return self._store.issues.get(self._row.issue_id)

    def location(self) -> str:
        kind = "pull" if self._issue.is_pull else "issues"
        where = f"{self._repository.full_name}/{kind}/{self._issue.number}"
        return f"{where}#issuecomment-{self._row.id}"

    def created_at(self) -> datetime:
        return self._row.created_at

    def updated_at(self) -> datetime:
        return self._row.updated_at

    def includes_created_edit(self) -> bool:
        return self._row.updated_at > self._row.created_at

    def viewer_can_delete(self) -> bool:
        return self.viewer_can_update()

    def issue(self) -> Issue:
        """Also for a comment on a pull request, as on GitHub."""
        return Issue(self._context, self._issue)

    def pull_request(self) -> Any:
        return self._context.node(self._issue) if self._issue.is_pull else None


class Label(Node[rows.Label]):
    created_at: ClassVar[None] = None

    def name(self) -> str:
        return self._row.name

    def color(self) -> str:
        return self._row.color

    def description(self) -> str | None:
        return self._row.description

    def is_default(self) -> bool:
        return self._row.default

    def repository(self) -> Any:
        return self._context.node(self._store.repositories.get(self._row.repository_id))

    def url(self) -> str:
        repository = self._store.repositories.get(self._row.repository_id)
        return self._context.shapes.web(f"{repository.full_name}/labels/{self._row.name}")

    def issues(self, **arguments: Any) -> Any:
        return self.repository().issues(**{**arguments, "labels": [self._row.name]})


class Milestone(Located[rows.Milestone]):
    def location(self) -> str:
        repository = self._store.repositories.get(self._row.repository_id)
        return f"{repository.full_name}/milestone/{self._row.number}"

    def number(self) -> int:
        return self._row.number

    def title(self) -> str:
        return self._row.title

    def description(self) -> str | None:
        return self._row.description

    def state(self) -> str:
        return self._row.state.upper()

    def closed(self) -> bool:
        return self._row.state == "closed"

    def closed_at(self) -> datetime | None:
        return self._row.closed_at

    def due_on(self) -> datetime | None:
        return self._row.due_on

    def created_at(self) -> datetime:
        return self._row.created_at

    def updated_at(self) -> datetime:
        return self._row.updated_at

    def creator(self) -> Any:
        return self._context.account(self._row.author_id)


class Reaction(Node[rows.Reaction]):
    def content(self) -> str:
        return _CONTENT_NAMES[self._row.content]

    def created_at(self) -> datetime:
        return self._row.created_at

    def user(self) -> Any:
        account = self._store.accounts.get(self._row.account_id)
        return self._context.node(account) if account.kind == "User" else None


def ordered_labels(labels: list[rows.Label], order: dict[str, str] | None) -> list[rows.Label]:
    field, direction = (order["field"], order["direction"]) if order else ("CREATED_AT", "ASC")
    return sorted(
        labels,
        key=lambda label: label.name.lower() if field == "NAME" else f"{label.id:012d}",
        reverse=direction == "DESC",
    )
