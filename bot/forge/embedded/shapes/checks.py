"""Check runs, check suites and commit statuses as GitHub's JSON.

Shapes: https://docs.github.com/rest/checks and https://docs.github.com/rest/commits/statuses
"""

from bot.forge.embedded.shapes import people, pulls, repositories
from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store.rows import CheckRun, CheckSuite, Json, Repository, Status


def run(shapes: Shapes, repository: Repository, row: CheckRun) -> Json:
    api = api_url(shapes, repository, f"/check-runs/{row.id}")
    html = _html(shapes, repository, row)
    return {
        "id": row.id,
        "name": row.name,
        "node_id": node_id("CheckRun", row.id),
        "head_sha": row.head_sha,
        "external_id": row.external_id,
        "url": api,
        "html_url": html,
        "details_url": row.details_url or html,
        "status": row.status,
        "conclusion": row.conclusion,
        "started_at": stamp(row.started_at),
        "completed_at": stamp(row.completed_at),
        "output": {
            "title": row.output.get("title"),
            "summary": row.output.get("summary"),
            "text": row.output.get("text"),
            "annotations_count": len(row.annotations),
            "annotations_url": f"{api}/annotations",
        },
        "check_suite": {"id": row.suite_id},
        "app": people.app(shapes, shapes.store.apps.get(row.app_id)),
        "pull_requests": _pulls(shapes, repository, row.head_sha),
    }


def annotation(shapes: Shapes, repository: Repository, row: CheckRun, given: Json) -> Json:
    path = given.get("path", "")
    return {
        "path": path,
        "blob_href": web_url(shapes, repository, f"/blob/{row.head_sha}/{path}"),
        "start_line": given.get("start_line"),
        "end_line": given.get("end_line"),
        "start_column": given.get("start_column"),
        "end_column": given.get("end_column"),
        "annotation_level": given.get("annotation_level"),
        "title": given.get("title"),
        "message": given.get("message"),
        "raw_details": given.get("raw_details"),
    }


def suite(shapes: Shapes, repository: Repository, row: CheckSuite) -> Json:
    api = api_url(shapes, repository, f"/check-suites/{row.id}")
    git = shapes.store.git(repository)
    commit = git.commit(row.head_sha)
    person = {"name": commit.author.name, "email": commit.author.email}
    return {
        "id": row.id,
        "node_id": node_id("CheckSuite", row.id),
        "head_branch": row.head_branch,
        "head_sha": row.head_sha,
        "status": row.status,
        "conclusion": row.conclusion,
        "url": api,
        "before": commit.parents[0] if commit.parents else None,
        "after": row.head_sha,
        "pull_requests": _pulls(shapes, repository, row.head_sha),
        "app": people.app(shapes, shapes.store.apps.get(row.app_id)),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": len(shapes.store.checks.suite_runs(row)),
        "check_runs_url": f"{api}/check-runs",
        "head_commit": {
            "id": commit.sha,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": stamp(commit.committer.date),
            "author": person,
            "committer": {"name": commit.committer.name, "email": commit.committer.email},
        },
        "repository": repositories.short(shapes, repository),
    }


def status(shapes: Shapes, repository: Repository, row: Status) -> Json:
    creator = people.user(shapes, shapes.store.accounts.get(row.creator_id))
    return _status(shapes, repository, row) | {"creator": creator}


def _status(shapes: Shapes, repository: Repository, row: Status) -> Json:
    """The form inside the combined status of a commit."""
    creator = people.user(shapes, shapes.store.accounts.get(row.creator_id))
    return {
        "url": api_url(shapes, repository, f"/statuses/{row.sha}"),
        "avatar_url": creator["avatar_url"],
        "id": row.id,
        "node_id": node_id("StatusContext", row.id),
        "state": row.state,
        "description": row.description,
        "target_url": row.target_url,
        "context": row.context,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
    }


def combined(shapes: Shapes, repository: Repository, sha: str) -> Json:
    state, statuses = shapes.store.checks.combined(repository, sha)
    commit_url = api_url(shapes, repository, f"/commits/{sha}")
    return {
        "state": state,
        "statuses": [_status(shapes, repository, row) for row in statuses],
        "sha": sha,
        "total_count": len(statuses),
        "repository": repositories.short(shapes, repository),
        "commit_url": commit_url,
        "url": f"{commit_url}/status",
    }


def _html(shapes: Shapes, repository: Repository, row: CheckRun) -> str:
    job = shapes.store.tables.workflow_jobs.one(id=row.id)
    if job is not None:
        return web_url(shapes, repository, f"/actions/runs/{job.run_id}/job/{job.id}")
    return web_url(shapes, repository, f"/runs/{row.id}")


def _pulls(shapes: Shapes, repository: Repository, sha: str) -> list[Json]:
    found = shapes.store.pulls.of_commit(repository, sha)
    return [pulls.reference(shapes, repository, pull) for pull in found]
