"""Pull requests, reviews and inline comments as GitHub's JSON.

Shapes: https://docs.github.com/rest/pulls
"""

from bot.forge.embedded.shapes import issues, people, repositories
from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store import merging
from bot.forge.embedded.store.rows import Json, Pull, Repository, Review, ReviewComment

_OF_ISSUE = (
    "number",
    "state",
    "locked",
    "active_lock_reason",
    "title",
    "user",
    "body",
    "labels",
    "milestone",
    "assignee",
    "assignees",
    "author_association",
    "created_at",
    "updated_at",
    "closed_at",
)
_OF_COMMENT = (
    "id",
    "diff_hunk",
    "path",
    "commit_id",
    "original_commit_id",
    "body",
    "position",
    "original_position",
    "line",
    "original_line",
    "side",
    "start_line",
    "original_start_line",
    "start_side",
    "subject_type",
)


def short(shapes: Shapes, repository: Repository, row: Pull) -> Json:
    """The form of lists: without counts and mergeability."""
    store = shapes.store
    issue = store.pulls.issue(row)
    api = api_url(shapes, repository, f"/pulls/{row.number}")
    html = web_url(shapes, repository, f"/pull/{row.number}")
    of_issue = issues.issue(shapes, repository, issue)
    reviewers = [people.user(shapes, store.accounts.get(i)) for i in row.requested_reviewer_ids]
    return {
        "url": api,
        "id": row.id,
        "node_id": node_id("PullRequest", row.issue_id),
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": of_issue["url"],
        "commits_url": f"{api}/commits",
        "review_comments_url": f"{api}/comments",
        "review_comment_url": api_url(shapes, repository, "/pulls/comments{/number}"),
        "comments_url": of_issue["comments_url"],
        "statuses_url": api_url(shapes, repository, f"/statuses/{row.head_sha}"),
        **{name: of_issue[name] for name in _OF_ISSUE},
        "merged_at": stamp(row.merged_at),
        "merge_commit_sha": row.merge_commit_sha,
        "requested_reviewers": reviewers,
        "requested_teams": [],
        "head": _end(shapes, row.head_repository_id, row.head_ref, row.head_sha),
        "base": _end(shapes, row.repository_id, row.base_ref, row.base_sha),
        "auto_merge": None,
        "draft": row.draft,
        "_links": _links(api, html, of_issue, shapes, repository, row),
    }


def full(shapes: Shapes, repository: Repository, row: Pull) -> Json:
    store = shapes.store
    git = store.git(repository)
    files = store.pulls.files(repository, row)
    base = store.pulls.merge_base(repository, row)
    mergeable = store.pulls.mergeable(repository, row)
    merged_by = store.accounts.get(row.merged_by_id) if row.merged_by_id else None
    return short(shapes, repository, row) | {
        "merged": row.merged_at is not None,
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": merging.merge_state(store, repository, row),
        "merged_by": people.user(shapes, merged_by) if merged_by else None,
        "comments": store.tables.comments.count(issue_id=row.issue_id),
        "review_comments": len(store.reviews.pull_comments(row)),
        "maintainer_can_modify": row.maintainer_can_modify,
        "commits": len(git.log(row.head_sha, exclude=base)),
        "additions": sum(f.additions for f in files),
        "deletions": sum(f.deletions for f in files),
        "changed_files": len(files),
    }


def review(shapes: Shapes, repository: Repository, pull: Pull, row: Review) -> Json:
    html = f"{web_url(shapes, repository, f'/pull/{pull.number}')}#pullrequestreview-{row.id}"
    url = api_url(shapes, repository, f"/pulls/{pull.number}")
    author = shapes.store.accounts.get(row.author_id)
    shape: Json = {
        "id": row.id,
        "node_id": node_id("PullRequestReview", row.id),
        "user": people.user(shapes, author),
        "body": row.body,
        "state": row.state,
        "html_url": html,
        "pull_request_url": url,
        "author_association": people.association(shapes, repository, author),
        "_links": {"html": {"href": html}, "pull_request": {"href": url}},
        "commit_id": row.commit_id,
    }
    return shape | ({"submitted_at": stamp(row.submitted_at)} if row.submitted_at else {})


def review_comment(shapes: Shapes, repository: Repository, pull: Pull, row: ReviewComment) -> Json:
    api = api_url(shapes, repository, f"/pulls/comments/{row.id}")
    url = api_url(shapes, repository, f"/pulls/{pull.number}")
    html = f"{web_url(shapes, repository, f'/pull/{pull.number}')}#discussion_r{row.id}"
    author = shapes.store.accounts.get(row.author_id)
    shape: Json = {
        "url": api,
        "pull_request_review_id": row.review_id,
        "node_id": node_id("PullRequestReviewComment", row.id),
        **{name: getattr(row, name) for name in _OF_COMMENT},
        "user": people.user(shapes, author),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "html_url": html,
        "pull_request_url": url,
        "author_association": people.association(shapes, repository, author),
        "_links": {"self": {"href": api}, "html": {"href": html}, "pull_request": {"href": url}},
        "reactions": issues.rollup(shapes, "review_comment", row.id, api),
    }
    return shape | ({"in_reply_to_id": row.in_reply_to_id} if row.in_reply_to_id else {})


def reference(shapes: Shapes, repository: Repository, row: Pull) -> Json:
    """The form inside check runs and workflow runs."""

    def end(repository_id: int | None, ref: str, sha: str) -> Json:
        of = shapes.store.repositories.get(repository_id or row.repository_id)
        return {
            "ref": ref,
            "sha": sha,
            "repo": {"id": of.id, "url": api_url(shapes, of), "name": of.name},
        }

    return {
        "url": api_url(shapes, repository, f"/pulls/{row.number}"),
        "id": row.id,
        "number": row.number,
        "head": end(row.head_repository_id, row.head_ref, row.head_sha),
        "base": end(row.repository_id, row.base_ref, row.base_sha),
    }


def _end(shapes: Shapes, repository_id: int | None, ref: str, sha: str) -> Json:
    found = shapes.store.tables.repositories.one(id=repository_id) if repository_id else None
    owner = shapes.store.accounts.get(found.owner_id) if found else None
    return {
        "label": f"{owner.login}:{ref}" if owner else ref,
        "ref": ref,
        "sha": sha,
        "user": people.user(shapes, owner) if owner else None,
        "repo": repositories.full(shapes, found) if found else None,
    }


def _links(
    api: str, html: str, issue: Json, shapes: Shapes, repository: Repository, row: Pull
) -> Json:
    addresses = {
        "self": api,
        "html": html,
        "issue": issue["url"],
        "comments": issue["comments_url"],
        "review_comments": f"{api}/comments",
        "review_comment": api_url(shapes, repository, "/pulls/comments{/number}"),
        "commits": f"{api}/commits",
        "statuses": api_url(shapes, repository, f"/statuses/{row.head_sha}"),
    }
    return {name: {"href": address} for name, address in addresses.items()}
