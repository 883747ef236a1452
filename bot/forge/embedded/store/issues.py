"""Issues (and the issue half of pull requests), comments, labels on them, locks, reactions."""

from typing import Any

from bot.forge.embedded.store.access import Actor, at_least
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, invalid
from bot.forge.embedded.store.repositories import Repositories
from bot.forge.embedded.store.rows import (
    Comment,
    Issue,
    Json,
    Label,
    Milestone,
    Reaction,
    Repository,
    Row,
    TimelineEvent,
)

BODY_LIMIT = 65_536
TITLE_LIMIT = 256
CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
LOCK_REASONS = ("off-topic", "too heated", "resolved", "spam")


def check_body(resource: str, body: str | None, *, required: bool = False) -> None:
    """Bodies hold at most 65,536 characters; longer ones change nothing.
    https://docs.github.com/rest/issues/comments
    """
    if required and not (body or "").strip():
        raise invalid(resource, "body", "body can't be blank", code="missing_field")
    if len(body or "") > BODY_LIMIT:
        raise invalid(resource, "body", f"body is too long (maximum is {BODY_LIMIT} characters)")


class Issues:
    def __init__(self, core: Core, repositories: Repositories) -> None:
        self._core = core
        self._tables = core.tables
        self._repositories = repositories

    def create(
        self,
        repository: Repository,
        by: Actor,
        title: str,
        body: str | None = None,
        *,
        labels: tuple[str, ...] = (),
        assignee_ids: tuple[int, ...] = (),
        milestone_id: int | None = None,
        is_pull: bool = False,
    ) -> Issue:
        """Open an issue; labels that do not exist are made, as GitHub does. Bodies are kept as
        they come, CRLF included."""
        self._check(title, body)
        if not repository.has_issues and not is_pull:
            raise Refused(410, "Issues are disabled for this repo")
        now = self._core.now()
        with self._core.transaction():
            issue = self._tables.issues.insert(
                Issue(
                    repository_id=repository.id,
                    number=self._next_number(repository),
                    title=title,
                    body=body,
                    author_id=by.user.id,
                    app_id=by.app.id if by.app else None,
                    is_pull=is_pull,
                    label_ids=tuple(self._label(repository, name).id for name in labels),
                    assignee_ids=assignee_ids,
                    milestone_id=milestone_id,
                    created_at=now,
                    updated_at=now,
                )
            )
            if not is_pull:
                self._core.publish("issues", "opened", by, repository, issue=issue)
                for name in labels:
                    self._tell_label(
                        repository, issue, by, "labeled", self._label(repository, name)
                    )
        return issue

    def find(self, repository: Repository, number: int) -> Issue | None:
        return self._tables.issues.one(repository_id=repository.id, number=number)

    def get(self, identity: int) -> Issue:
        return self._tables.issues.get(identity)

    def of(self, repository: Repository) -> list[Issue]:
        return self._tables.issues.find(repository_id=repository.id)

    def edit(
        self,
        repository: Repository,
        issue: Issue,
        by: Actor,
        *,
        labels: tuple[str, ...] | None = None,
        **changes: Any,
    ) -> Issue:
        """Change title, body, state, state_reason, assignee_ids or milestone_id; and set labels."""
        self._check(changes.get("title", issue.title), changes.get("body"))
        with self._core.transaction():
            if labels is not None:
                issue = self.set_labels(repository, issue, by, labels)
            before = issue
            state = changes.pop("state", issue.state)
            reason = changes.pop("state_reason", None)
            if changes:
                issue = self._touch(issue, **changes)
                self._tell_edit(repository, before, issue, by)
            if state != issue.state:
                issue = self._set_state(repository, issue, by, state, reason)
        return issue

    def touch(self, issue: Issue) -> Issue:
        return self._touch(issue)

    # Labels

    def label_rows(self, issue: Issue) -> list[Label]:
        return [self._tables.labels.get(identity) for identity in issue.label_ids]

    def add_labels(
        self, repository: Repository, issue: Issue, by: Actor, names: tuple[str, ...]
    ) -> Issue:
        with self._core.transaction():
            issue = self.get(issue.id)
            present = [label.name for label in self.label_rows(issue)]
            return self.set_labels(repository, issue, by, (*present, *names))

    def remove_label(self, repository: Repository, issue: Issue, by: Actor, name: str) -> Issue:
        with self._core.transaction():
            issue = self.get(issue.id)
            present = [label.name for label in self.label_rows(issue)]
            if name.lower() not in (label.lower() for label in present):
                raise Refused(404, "Label does not exist")
            left = tuple(label for label in present if label.lower() != name.lower())
            return self.set_labels(repository, issue, by, left)

    def set_labels(
        self, repository: Repository, issue: Issue, by: Actor, names: tuple[str, ...]
    ) -> Issue:
        """Exactly these labels, each change told as labeled or unlabeled."""
        with self._core.transaction():
            wanted = {self._label(repository, name).id: None for name in names}
            added = [i for i in wanted if i not in issue.label_ids]
            removed = [i for i in issue.label_ids if i not in wanted]
            if added or removed:
                issue = self._touch(issue, label_ids=tuple(wanted))
            for identity in removed:
                label = self._tables.labels.get(identity)
                self._tell_label(repository, issue, by, "unlabeled", label)
            for identity in added:
                label = self._tables.labels.get(identity)
                self._tell_label(repository, issue, by, "labeled", label)
        return issue

    # Locks

    def lock(self, repository: Repository, issue: Issue, by: Actor, reason: str | None) -> Issue:
        if reason is not None and reason not in LOCK_REASONS:
            raise invalid("Issue", "lock_reason", "lock_reason is invalid", code="invalid")
        with self._core.transaction():
            issue = self._touch(issue, locked=True, lock_reason=reason)
            self.note(issue, by, "locked", {"lock_reason": reason})
            self._publish(repository, issue, by, "locked")
        return issue

    def unlock(self, repository: Repository, issue: Issue, by: Actor) -> Issue:
        with self._core.transaction():
            issue = self._touch(issue, locked=False, lock_reason=None)
            self.note(issue, by, "unlocked")
            self._publish(repository, issue, by, "unlocked")
        return issue

    def check_lock(self, repository: Repository, issue: Issue, by: Actor) -> None:
        """Only people with write access may speak on a locked issue; Apps may not.
        https://docs.github.com/communities/moderating-comments-and-conversations/locking-conversations
        """
        person = not by.is_integration and at_least(
            self._repositories.permission(repository, by.user), "write"
        )
        if issue.locked and not person:
            raise Refused(
                403,
                "Unable to create comment because issue is locked.",
                docs="https://docs.github.com/articles/locking-conversations/",
            )

    # Comments

    def comment(self, repository: Repository, issue: Issue, by: Actor, body: str) -> Comment:
        check_body("IssueComment", body, required=True)
        self.check_lock(repository, issue, by)
        now = self._core.now()
        with self._core.transaction():
            comment = self._tables.comments.insert(
                Comment(
                    repository_id=repository.id,
                    issue_id=issue.id,
                    author_id=by.user.id,
                    app_id=by.app.id if by.app else None,
                    body=body,
                    created_at=now,
                    updated_at=now,
                )
            )
            issue = self._touch(issue)
            self._core.publish(
                "issue_comment", "created", by, repository, issue=issue, comment=comment
            )
        return comment

    def edit_comment(
        self, repository: Repository, comment: Comment, by: Actor, body: str
    ) -> Comment:
        check_body("IssueComment", body, required=True)
        self.check_lock(repository, self.get(comment.issue_id), by)
        with self._core.transaction():
            new = self._tables.comments.update(comment, body=body, updated_at=self._core.now())
            self._core.publish(
                "issue_comment",
                "edited",
                by,
                repository,
                {"changes": {"body": {"from": comment.body}}},
                issue=self.get(comment.issue_id),
                comment=new,
            )
        return new

    def delete_comment(self, repository: Repository, comment: Comment, by: Actor) -> None:
        with self._core.transaction():
            self._tables.comments.delete(id=comment.id)
            issue = self.get(comment.issue_id)
            self._core.publish(
                "issue_comment", "deleted", by, repository, issue=issue, comment=comment
            )

    def find_comment(self, repository: Repository, identity: int) -> Comment | None:
        return self._tables.comments.one(repository_id=repository.id, id=identity)

    def comments(self, issue: Issue) -> list[Comment]:
        return self._tables.comments.find(issue_id=issue.id)

    def repository_comments(self, repository: Repository) -> list[Comment]:
        return self._tables.comments.find(repository_id=repository.id)

    # Reactions, timeline, milestones

    def react(self, subject: str, row: Row, by: Actor, content: str) -> tuple[Reaction, bool]:
        """`subject` is issue, comment or review_comment; the flag says whether it is new."""
        if content not in CONTENTS:
            raise invalid("Reaction", "content", code="invalid")
        key: dict[str, str | int] = {
            "subject": subject,
            "subject_id": row.id,
            "account_id": by.user.id,
            "content": content,
        }
        with self._core.transaction():
            found = self._tables.reactions.one(**key)
            if found is not None:
                return found, False
            reaction = Reaction.model_validate({**key, "created_at": self._core.now()})
            return self._tables.reactions.insert(reaction), True

    def reactions(self, subject: str, identity: int) -> list[Reaction]:
        return self._tables.reactions.find(subject=subject, subject_id=identity)

    def find_reaction(self, identity: int) -> Reaction | None:
        return self._tables.reactions.one(id=identity)

    def unreact(self, reaction: Reaction) -> None:
        self._tables.reactions.delete(id=reaction.id)

    def note(self, issue: Issue, by: Actor, event: str, detail: Json | None = None) -> None:
        """Add to the timeline."""
        self._tables.timeline_events.insert(
            TimelineEvent(
                repository_id=issue.repository_id,
                issue_id=issue.id,
                actor_id=by.user.id,
                event=event,
                detail=detail or {},
                created_at=self._core.now(),
            )
        )

    def timeline(self, issue: Issue) -> list[TimelineEvent]:
        return self._tables.timeline_events.find(issue_id=issue.id)

    def create_milestone(
        self, repository: Repository, by: Actor, title: str, **fields: Any
    ) -> Milestone:
        now = self._core.now()
        with self._core.transaction():
            number = self._tables.milestones.count(repository_id=repository.id) + 1
            return self._tables.milestones.insert(
                Milestone(
                    repository_id=repository.id,
                    number=number,
                    title=title,
                    author_id=by.user.id,
                    created_at=now,
                    updated_at=now,
                    **fields,
                )
            )

    def milestones(self, repository: Repository) -> list[Milestone]:
        return self._tables.milestones.find(repository_id=repository.id)

    # Inner parts

    def _check(self, title: str, body: str | None) -> None:
        if not title.strip():
            raise invalid("Issue", "title", code="missing_field")
        if len(title) > TITLE_LIMIT:
            limit = f"title is too long (maximum is {TITLE_LIMIT} characters)"
            raise invalid("Issue", "title", limit)
        check_body("Issue", body)

    def _next_number(self, repository: Repository) -> int:
        number = self._repositories.get(repository.id).last_number + 1
        self._tables.repositories.update(repository, last_number=number)
        return number

    def _label(self, repository: Repository, name: str) -> Label:
        return self._repositories.label(repository, name) or self._repositories.create_label(
            repository, name
        )

    def _touch(self, issue: Issue, **changes: Any) -> Issue:
        return self._tables.issues.update(issue, **changes, updated_at=self._core.now())

    def _set_state(
        self, repository: Repository, issue: Issue, by: Actor, state: str, reason: str | None
    ) -> Issue:
        if state not in ("open", "closed"):
            raise invalid("Issue", "state", code="invalid")
        closed = state == "closed"
        issue = self._touch(
            issue,
            state=state,
            state_reason=None
            if issue.is_pull
            else reason or ("completed" if closed else "reopened"),
            closed_at=self._core.now() if closed else None,
            closed_by_id=by.user.id if closed else None,
        )
        action = "closed" if closed else "reopened"
        self.note(issue, by, action, {"state_reason": issue.state_reason})
        self._publish(repository, issue, by, action)
        return issue

    def _tell_edit(self, repository: Repository, old: Issue, new: Issue, by: Actor) -> None:
        changes = {
            field: {"from": getattr(old, field)}
            for field in ("title", "body")
            if getattr(old, field) != getattr(new, field)
        }
        if "title" in changes:
            self.note(new, by, "renamed", {"rename": {"from": old.title, "to": new.title}})
        if changes:
            self._publish(repository, new, by, "edited", {"changes": changes})
        if old.assignee_ids != new.assignee_ids:
            self._publish(repository, new, by, "assigned")

    def _tell_label(
        self, repository: Repository, issue: Issue, by: Actor, action: str, label: Label
    ) -> None:
        self.note(issue, by, action, {"label": {"name": label.name, "color": label.color}})
        self._publish(repository, issue, by, action, label=label)

    def _publish(
        self,
        repository: Repository,
        issue: Issue,
        by: Actor,
        action: str,
        extra: Json | None = None,
        **subjects: Row,
    ) -> None:
        """Issues say what happened to them in `issues`, pull requests in `pull_request`."""
        if issue.is_pull:
            pull = self._tables.pulls.one(issue_id=issue.id)
            if pull is not None:
                subjects = {"pull_request": pull, **subjects}
                self._core.publish("pull_request", action, by, repository, extra, **subjects)
        else:
            self._core.publish("issues", action, by, repository, extra, issue=issue, **subjects)
