"""Issues, comments, reactions, milestones and timeline as GitHub's JSON.

Shapes: https://docs.github.com/rest/issues
"""

from collections import Counter

from bot.forge.embedded.shapes import people, repositories
from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store.issues import CONTENTS
from bot.forge.embedded.store.rows import (
    Comment,
    Issue,
    Json,
    Milestone,
    Reaction,
    Repository,
    TimelineEvent,
)


def issue(shapes: Shapes, repository: Repository, row: Issue) -> Json:
    store = shapes.store
    api = api_url(shapes, repository, f"/issues/{row.number}")
    author = store.accounts.get(row.author_id)
    assignees = [people.user(shapes, store.accounts.get(i)) for i in row.assignee_ids]
    kind = "PullRequest" if row.is_pull else "Issue"
    folder = "pull" if row.is_pull else "issues"
    closed_by = store.accounts.get(row.closed_by_id) if row.closed_by_id else None
    shape: Json = {
        "url": api,
        "repository_url": api_url(shapes, repository),
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "html_url": web_url(shapes, repository, f"/{folder}/{row.number}"),
        "id": row.id,
        "node_id": node_id(kind, row.id),
        "number": row.number,
        "title": row.title,
        "user": people.user(shapes, author),
        "labels": [
            repositories.label(shapes, repository, label) for label in store.issues.label_rows(row)
        ],
        "state": row.state,
        "state_reason": row.state_reason,
        "locked": row.locked,
        "active_lock_reason": row.lock_reason,
        "assignee": assignees[0] if assignees else None,
        "assignees": assignees,
        "milestone": _milestone_of(shapes, repository, row),
        "comments": store.tables.comments.count(issue_id=row.id),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "closed_at": stamp(row.closed_at),
        "closed_by": people.user(shapes, closed_by) if closed_by else None,
        "author_association": people.association(shapes, repository, author),
        "body": row.body,
        "reactions": rollup(shapes, "issue", row.id, api),
        "timeline_url": f"{api}/timeline",
        "performed_via_github_app": people.maker(shapes, row.app_id),
    }
    if row.is_pull:
        shape["draft"] = _is_draft(shapes, row)
        shape["pull_request"] = pull_links(shapes, repository, row)
    return shape


def pull_links(shapes: Shapes, repository: Repository, row: Issue) -> Json:
    pull = shapes.store.pulls.of_issue(row)
    html = web_url(shapes, repository, f"/pull/{row.number}")
    return {
        "url": api_url(shapes, repository, f"/pulls/{row.number}"),
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "merged_at": stamp(pull.merged_at) if pull else None,
    }


def comment(shapes: Shapes, repository: Repository, row: Comment) -> Json:
    on = shapes.store.issues.get(row.issue_id)
    author = shapes.store.accounts.get(row.author_id)
    api = api_url(shapes, repository, f"/issues/comments/{row.id}")
    folder = "pull" if on.is_pull else "issues"
    return {
        "url": api,
        "html_url": web_url(shapes, repository, f"/{folder}/{on.number}#issuecomment-{row.id}"),
        "issue_url": api_url(shapes, repository, f"/issues/{on.number}"),
        "id": row.id,
        "node_id": node_id("IssueComment", row.id),
        "user": people.user(shapes, author),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "author_association": people.association(shapes, repository, author),
        "body": row.body,
        "reactions": rollup(shapes, "comment", row.id, api),
        "performed_via_github_app": people.maker(shapes, row.app_id),
    }


def rollup(shapes: Shapes, subject: str, identity: int, url: str) -> Json:
    counts = Counter(r.content for r in shapes.store.issues.reactions(subject, identity))
    return {
        "url": f"{url}/reactions",
        "total_count": counts.total(),
        **{content: counts[content] for content in CONTENTS},
    }


def reaction(shapes: Shapes, row: Reaction) -> Json:
    return {
        "id": row.id,
        "node_id": node_id("Reaction", row.id),
        "user": people.user(shapes, shapes.store.accounts.get(row.account_id)),
        "content": row.content,
        "created_at": stamp(row.created_at),
    }


def event(shapes: Shapes, repository: Repository, row: TimelineEvent) -> Json:
    return {
        "id": row.id,
        "node_id": node_id("IssueEvent", row.id),
        "url": api_url(shapes, repository, f"/issues/events/{row.id}"),
        "actor": people.user(shapes, shapes.store.accounts.get(row.actor_id)),
        "event": row.event,
        "commit_id": None,
        "commit_url": None,
        "created_at": stamp(row.created_at),
        "performed_via_github_app": None,
        **row.detail,
    }


def timeline(shapes: Shapes, repository: Repository, row: Issue) -> list[Json]:
    """Events and comments in the order of their time."""
    entries = [event(shapes, repository, e) for e in shapes.store.issues.timeline(row)]
    for said in shapes.store.issues.comments(row):
        shape = comment(shapes, repository, said)
        entries.append(shape | {"event": "commented", "actor": shape["user"]})
    return sorted(entries, key=lambda entry: str(entry["created_at"]))


def milestone(shapes: Shapes, repository: Repository, row: Milestone) -> Json:
    api = api_url(shapes, repository, f"/milestones/{row.number}")
    issues = shapes.store.tables.issues
    return {
        "url": api,
        "html_url": web_url(shapes, repository, f"/milestone/{row.number}"),
        "labels_url": f"{api}/labels",
        "id": row.id,
        "node_id": node_id("Milestone", row.id),
        "number": row.number,
        "title": row.title,
        "description": row.description,
        "creator": people.user(shapes, shapes.store.accounts.get(row.author_id)),
        "open_issues": issues.count(milestone_id=row.id, state="open"),
        "closed_issues": issues.count(milestone_id=row.id, state="closed"),
        "state": row.state,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "due_on": stamp(row.due_on),
        "closed_at": stamp(row.closed_at),
    }


def _milestone_of(shapes: Shapes, repository: Repository, row: Issue) -> Json | None:
    if row.milestone_id is None:
        return None
    return milestone(shapes, repository, shapes.store.tables.milestones.get(row.milestone_id))


def _is_draft(shapes: Shapes, row: Issue) -> bool:
    pull = shapes.store.pulls.of_issue(row)
    return pull is not None and pull.draft
