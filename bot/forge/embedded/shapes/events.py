"""Webhook payloads.

Shapes: https://docs.github.com/webhooks/webhook-events-and-payloads
"""

from collections.abc import Callable
from typing import Any

from bot.forge.embedded.git.objects import ZERO
from bot.forge.embedded.shapes import actions, checks, git, issues, people, pulls, repositories
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.shapes.repositories import web_url
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import (
    Account,
    CheckRun,
    CheckSuite,
    Comment,
    Issue,
    Json,
    Label,
    Pull,
    Repository,
    Review,
    ReviewComment,
    Row,
    Status,
    Workflow,
    WorkflowJob,
    WorkflowRun,
)


def payload(shapes: Shapes, event: Event) -> Json:
    """The body that GitHub would post for an event."""
    body: Json = {} if event.action is None else {"action": event.action}
    repository = event.repository
    if repository is not None:
        for key, row in event.subjects.items():
            body.update(_subject(shapes, repository, event, key, row))
        body |= _push(shapes, repository, event) if event.name == "push" else event.extra
        if (event.name, event.action) == ("issues", "transferred"):
            body["changes"] = _destination(shapes, repository, event.subjects["issue"])
        body["repository"] = repositories.full(shapes, repository)
        owner = shapes.store.accounts.get(repository.owner_id)
        if owner.kind == "Organization":
            body["organization"] = people.organization(shapes, owner)
    else:
        body |= event.extra
    if event.installation is not None:
        body["installation"] = people.installation(shapes, event.installation)
        covered = shapes.store.apps.repositories(event.installation)
        body["repositories"] = [
            {"id": r.id, "name": r.name, "full_name": r.full_name, "private": r.private}
            for r in covered
        ]
    if event.actor.account is not None:
        body["sender"] = people.user(shapes, event.actor.account)
    return body


def _destination(shapes: Shapes, repository: Repository, row: Row) -> Json:
    """Where an issue was transferred to."""
    found = (
        shapes.store.departures.check(repository, row.number) if isinstance(row, Issue) else None
    )
    if found is None:
        return {}
    place, number = found
    now = shapes.store.issues.find(place, number)
    return {
        "new_issue": issues.issue(shapes, place, now) if now else None,
        "new_repository": repositories.full(shapes, place),
    }


def _subject(shapes: Shapes, repository: Repository, event: Event, key: str, row: Row) -> Json:
    if isinstance(row, Status):
        return _status(shapes, repository, row)
    if isinstance(row, Pull):
        form = pulls.full if event.name == "pull_request" else pulls.short
        shape = form(shapes, repository, row)
        return {key: shape} | ({"number": row.number} if event.name == "pull_request" else {})
    return {key: _form(type(row))(shapes, repository, row)}


def _status(shapes: Shapes, repository: Repository, row: Status) -> Json:
    shape = checks.status(shapes, repository, row)
    commit = git.commit(shapes, repository, shapes.store.git(repository).commit(row.sha))
    kept = {k: v for k, v in shape.items() if k not in ("creator", "node_id", "url")}
    named = {"sha": row.sha, "name": repository.full_name, "commit": commit, "branches": []}
    return kept | named


def _account(shapes: Shapes, repository: Repository, row: Account) -> Json:
    return people.user(shapes, row)


def _review(shapes: Shapes, repository: Repository, row: Review) -> Json:
    shape = pulls.review(shapes, repository, shapes.store.pulls.get(row.pull_id), row)
    return shape | {"state": row.state.lower()}


def _review_comment(shapes: Shapes, repository: Repository, row: ReviewComment) -> Json:
    pull = shapes.store.pulls.get(row.pull_id)
    return pulls.review_comment(shapes, repository, pull, row)


def _form(kind: type[Row]) -> Callable[[Shapes, Repository, Any], Json]:
    forms: dict[type[Row], Callable[[Shapes, Repository, Any], Json]] = {
        Account: _account,
        Issue: issues.issue,
        Comment: issues.comment,
        Label: repositories.label,
        Review: _review,
        ReviewComment: _review_comment,
        CheckRun: checks.run,
        CheckSuite: checks.suite,
        Workflow: actions.workflow,
        WorkflowRun: actions.run,
        WorkflowJob: actions.job,
    }
    return forms[kind]


def _push(shapes: Shapes, repository: Repository, event: Event) -> Json:
    push = event.extra
    before, after = push["before"][:12], push["after"][:12]
    if ZERO in (push["before"], push["after"]):
        shown = before if push["after"] == ZERO else after
        compare = web_url(shapes, repository, f"/commit/{shown}")
    else:
        compare = web_url(shapes, repository, f"/compare/{before}...{after}")
    user = event.actor.user
    return push | {
        "commits": [_addressed(shapes, repository, commit) for commit in push["commits"]],
        "head_commit": _addressed(shapes, repository, push["head_commit"]),
        "compare": compare,
        "pusher": {"name": user.login, "email": user.email},
    }


def _addressed(shapes: Shapes, repository: Repository, commit: Json | None) -> Json | None:
    if commit is None:
        return None
    return commit | {"url": web_url(shapes, repository, f"/commit/{commit['id']}")}
