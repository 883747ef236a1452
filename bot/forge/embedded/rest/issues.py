"""Issues, their comments, labels, locks, reactions, milestones and timeline.

https://docs.github.com/rest/issues
"""

from typing import Any

from bot.forge.embedded.rest.call import Answer, Body, Call, found
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import issues as shape
from bot.forge.embedded.shapes import repositories
from bot.forge.embedded.store.errors import Refused, invalid
from bot.forge.embedded.store.rows import Comment, Issue, Json, Row

routes = Routes()
_R = "/repos/<owner>/<repo>"
_I = f"{_R}/issues/<int:number>"
_C = f"{_R}/issues/comments/<int:identity>"


class LabelName(Body):
    name: str


LabelNames = tuple[str | LabelName, ...]


class NewIssue(Body):
    title: str | int
    body: str | None = None
    labels: LabelNames = ()
    assignee: str | None = None
    assignees: tuple[str, ...] = ()
    milestone: int | None = None


class IssueChange(Body):
    title: str | None = None
    body: str | None = None
    state: str | None = None
    state_reason: str | None = None
    labels: LabelNames | None = None
    assignees: tuple[str, ...] | None = None
    milestone: int | None = None


class Text(Body):
    body: str


class Labels(Body):
    labels: LabelNames = ()


class Assignees(Body):
    assignees: tuple[str, ...]


class Lock(Body):
    lock_reason: str | None = None


class NewReaction(Body):
    content: str


class NewMilestone(Body):
    title: str
    description: str | None = None
    state: str = "open"


@routes.get(f"{_R}/issues", "issues:read")
def list_issues(call: Call) -> Answer:
    """Pull requests are among them, as on GitHub."""
    state = call.argument("state", "open")
    labels = {name.lower() for name in call.argument("labels").split(",") if name}
    since = call.time("since")
    rows = [
        row
        for row in call.store.issues.of(call.repository)
        if state in ("all", row.state)
        and (since is None or row.updated_at >= since)
        and labels <= {label.name.lower() for label in call.store.issues.label_rows(row)}
        and _by(call, row)
    ]
    return call.page(order(call, rows), lambda row: shape.issue(call.shapes, call.repository, row))


@routes.post(f"{_R}/issues", "issues:contribute", content=True)
def create_issue(call: Call) -> Answer:
    """Labels, assignees and milestone of callers without triage are silently dropped."""
    body = call.body(NewIssue)
    may = call.allows("issues", "triage")
    people = body.assignees or ((body.assignee,) if body.assignee else ())
    row = call.store.issues.create(
        call.repository,
        call.actor,
        str(body.title),
        body.body,
        labels=_names(body.labels) if may else (),
        assignee_ids=_assignable(call, people) if may else (),
        milestone_id=_milestone(call, body.milestone) if may else None,
    )
    return Answer(shape.issue(call.shapes, call.repository, row), 201)


@routes.get(_I, "issues:read")
def get_issue(call: Call, number: int) -> Json:
    return shape.issue(call.shapes, call.repository, call.issue(number))


@routes.patch(_I)
def edit_issue(call: Call, number: int) -> Json:
    row = call.issue(number)
    call.require_author_or_write("issues", row.author_id)
    body = call.body(IssueChange)
    changes = {
        k: v
        for k, v in body.given().items()
        if k in ("title", "body", "state", "state_reason") and (v is not None or k == "body")
    }
    if call.allows("issues", "triage"):
        changes |= _triage(call, body)
    row = call.store.issues.edit(call.repository, row, call.actor, **changes)
    return shape.issue(call.shapes, call.repository, row)


@routes.put(f"{_I}/lock", "issues:write")
def lock(call: Call, number: int) -> None:
    reason = call.body(Lock).lock_reason
    call.store.issues.lock(call.repository, call.issue(number), call.actor, reason)


@routes.delete(f"{_I}/lock", "issues:write")
def unlock(call: Call, number: int) -> None:
    call.store.issues.unlock(call.repository, call.issue(number), call.actor)


# Comments: https://docs.github.com/rest/issues/comments


@routes.get(f"{_I}/comments", "issues:read")
def list_comments(call: Call, number: int) -> Answer:
    return _page_comments(call, call.store.issues.comments(call.issue(number)))


@routes.get(f"{_R}/issues/comments", "issues:read")
def list_all_comments(call: Call) -> Answer:
    rows = order(call, call.store.issues.repository_comments(call.repository), default="asc")
    return _page_comments(call, rows)


@routes.post(f"{_I}/comments", "issues:contribute", content=True)
def create_comment(call: Call, number: int) -> Answer:
    text = call.body(Text).body
    row = call.store.issues.comment(call.repository, call.issue(number), call.actor, text)
    return Answer(shape.comment(call.shapes, call.repository, row), 201)


@routes.get(_C, "issues:read")
def get_comment(call: Call, identity: int) -> Json:
    return shape.comment(call.shapes, call.repository, call.comment(identity))


@routes.patch(_C)
def edit_comment(call: Call, identity: int) -> Json:
    row = call.comment(identity)
    call.require_author_or_write("issues", row.author_id)
    text = call.body(Text).body
    row = call.store.issues.edit_comment(call.repository, row, call.actor, text)
    return shape.comment(call.shapes, call.repository, row)


@routes.delete(_C)
def delete_comment(call: Call, identity: int) -> None:
    row = call.comment(identity)
    call.require_author_or_write("issues", row.author_id)
    call.store.issues.delete_comment(call.repository, row, call.actor)


# Labels, assignees: https://docs.github.com/rest/issues/labels


@routes.get(f"{_I}/labels", "issues:read")
def list_labels(call: Call, number: int) -> Answer:
    return _page_labels(call, call.issue(number))


@routes.post(f"{_I}/labels", "issues:triage")
def add_labels(call: Call, number: int) -> Answer:
    names = _label_body(call)
    row = call.store.issues.add_labels(call.repository, call.issue(number), call.actor, names)
    return _page_labels(call, row)


@routes.put(f"{_I}/labels", "issues:triage")
def set_labels(call: Call, number: int) -> Answer:
    names = _label_body(call)
    row = call.store.issues.set_labels(call.repository, call.issue(number), call.actor, names)
    return _page_labels(call, row)


@routes.delete(f"{_I}/labels", "issues:triage")
def remove_labels(call: Call, number: int) -> None:
    call.store.issues.set_labels(call.repository, call.issue(number), call.actor, ())


@routes.delete(f"{_I}/labels/<path:label>", "issues:triage")
def remove_label(call: Call, number: int, label: str) -> Answer:
    row = call.store.issues.remove_label(call.repository, call.issue(number), call.actor, label)
    return _page_labels(call, row)


@routes.post(f"{_I}/assignees", "issues:triage")
def add_assignees(call: Call, number: int) -> Answer:
    row = call.issue(number)
    ids = dict.fromkeys((*row.assignee_ids, *_assignable(call, call.body(Assignees).assignees)))
    row = call.store.issues.edit(call.repository, row, call.actor, assignee_ids=tuple(ids))
    return Answer(shape.issue(call.shapes, call.repository, row), 201)


@routes.delete(f"{_I}/assignees", "issues:triage")
def remove_assignees(call: Call, number: int) -> Json:
    row = call.issue(number)
    gone = _assignable(call, call.body(Assignees).assignees)
    left = tuple(i for i in row.assignee_ids if i not in gone)
    row = call.store.issues.edit(call.repository, row, call.actor, assignee_ids=left)
    return shape.issue(call.shapes, call.repository, row)


# Reactions: https://docs.github.com/rest/reactions/reactions


@routes.get(f"{_I}/reactions", "issues:read")
def issue_reactions(call: Call, number: int) -> Answer:
    return page_reactions(call, "issue", call.issue(number))


@routes.post(f"{_I}/reactions", "issues:contribute")
def react_to_issue(call: Call, number: int) -> Answer:
    return react(call, "issue", call.issue(number))


@routes.delete(f"{_I}/reactions/<int:reaction>", "issues:contribute")
def unreact_to_issue(call: Call, number: int, reaction: int) -> None:
    unreact(call, reaction)


@routes.get(f"{_C}/reactions", "issues:read")
def comment_reactions(call: Call, identity: int) -> Answer:
    return page_reactions(call, "comment", call.comment(identity))


@routes.post(f"{_C}/reactions", "issues:contribute")
def react_to_comment(call: Call, identity: int) -> Answer:
    return react(call, "comment", call.comment(identity))


@routes.delete(f"{_C}/reactions/<int:reaction>", "issues:contribute")
def unreact_to_comment(call: Call, identity: int, reaction: int) -> None:
    unreact(call, reaction)


def page_reactions(call: Call, subject: str, row: Row) -> Answer:
    wanted = call.argument("content")
    rows = call.store.issues.reactions(subject, row.id)
    shown = [r for r in rows if wanted in ("", r.content)]
    return call.page(shown, lambda r: shape.reaction(call.shapes, r))


def react(call: Call, subject: str, row: Row) -> Answer:
    content = call.body(NewReaction).content
    reaction, new = call.store.issues.react(subject, row, call.actor, content)
    return Answer(shape.reaction(call.shapes, reaction), 201 if new else 200)


def unreact(call: Call, identity: int) -> None:
    reaction = found(call.store.issues.find_reaction(identity))
    if reaction.account_id != call.actor.user.id:
        raise Refused(403, "Must be the author of the reaction")
    call.store.issues.unreact(reaction)


# Events and milestones


@routes.get(f"{_I}/events", "issues:read")
def events(call: Call, number: int) -> Answer:
    rows = call.store.issues.timeline(call.issue(number))
    return call.page(rows, lambda row: _event(shape.event(call.shapes, call.repository, row)))


@routes.get(f"{_I}/timeline", "issues:read")
def timeline(call: Call, number: int) -> Answer:
    rows = shape.timeline(call.shapes, call.repository, call.issue(number))
    return call.page(rows, lambda row: row)


@routes.get(f"{_R}/milestones", "issues:read")
def milestones(call: Call) -> Answer:
    rows = call.store.issues.milestones(call.repository)
    return call.page(rows, lambda row: shape.milestone(call.shapes, call.repository, row))


@routes.post(f"{_R}/milestones", "issues:write")
def create_milestone(call: Call) -> Answer:
    body = call.body(NewMilestone)
    row = call.store.issues.create_milestone(
        call.repository, call.actor, body.title, description=body.description, state=body.state
    )
    return Answer(shape.milestone(call.shapes, call.repository, row), 201)


@routes.get(f"{_R}/milestones/<int:number>", "issues:read")
def get_milestone(call: Call, number: int) -> Json:
    rows = call.store.issues.milestones(call.repository)
    row = found(next((m for m in rows if m.number == number), None))
    return shape.milestone(call.shapes, call.repository, row)


# Inner parts


def order(call: Call, rows: list[Any], default: str = "desc") -> list[Any]:
    """By `sort` (created, updated or comments) and `direction`, newest first by default."""
    column = "updated_at" if call.argument("sort") == "updated" else "created_at"
    down = call.argument("direction", default) != "asc"
    return sorted(rows, key=lambda row: (getattr(row, column), row.id), reverse=down)


def _by(call: Call, row: Issue) -> bool:
    """The filters `creator`, `assignee` and `milestone`."""
    creator, assignee = call.argument("creator"), call.argument("assignee")
    if creator and call.store.accounts.get(row.author_id).login.lower() != creator.lower():
        return False
    if assignee == "none":
        return not row.assignee_ids
    if assignee not in ("", "*"):
        account = call.store.accounts.find(assignee)
        return account is not None and account.id in row.assignee_ids
    return assignee != "*" or bool(row.assignee_ids)


def _page_comments(call: Call, rows: list[Comment]) -> Answer:
    since = call.time("since")
    shown = [row for row in rows if since is None or row.updated_at >= since]
    return call.page(shown, lambda row: shape.comment(call.shapes, call.repository, row))


def _page_labels(call: Call, row: Issue) -> Answer:
    return call.page(
        call.store.issues.label_rows(row),
        lambda label: repositories.label(call.shapes, call.repository, label),
    )


def _names(labels: LabelNames) -> tuple[str, ...]:
    return tuple(label if isinstance(label, str) else label.name for label in labels)


def _label_body(call: Call) -> tuple[str, ...]:
    """`{"labels": […]}`, or the bare list that older clients send."""
    data = call.request.get_json(force=True, silent=True)
    if isinstance(data, list):
        if not all(isinstance(name, str) for name in data):
            raise Refused(422, "Invalid request.\n\nFor 'anyOf/1', labels are strings.")
        return tuple(data)
    return _names(call.body(Labels).labels)


def _assignable(call: Call, logins: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(
        account.id for login in logins if (account := call.store.accounts.find(login)) is not None
    )


def _milestone(call: Call, number: int | None) -> int | None:
    if number is None:
        return None
    rows = call.store.issues.milestones(call.repository)
    row = next((m for m in rows if m.number == number), None)
    if row is None:
        raise invalid("Issue", "milestone", code="invalid")
    return row.id


def _triage(call: Call, body: IssueChange) -> dict[str, Any]:
    given = body.given()
    changes: dict[str, Any] = {}
    if body.labels is not None:
        changes["labels"] = _names(body.labels)
    if body.assignees is not None:
        changes["assignee_ids"] = _assignable(call, body.assignees)
    if "milestone" in given:
        changes["milestone_id"] = _milestone(call, body.milestone)
    return changes


def _event(event: Json) -> Json:
    """An event as lists of events show it; the reason of a change is in the timeline alone."""
    return {k: v for k, v in event.items() if k != "state_reason"}
