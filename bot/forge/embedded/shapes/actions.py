"""Workflows, runs, jobs and artifacts as GitHub's JSON.

Shapes: https://docs.github.com/rest/actions
"""

from bot.forge.embedded.shapes import people, pulls, repositories
from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store.rows import (
    Artifact,
    Json,
    Repository,
    Workflow,
    WorkflowJob,
    WorkflowRun,
)


def workflow(shapes: Shapes, repository: Repository, row: Workflow) -> Json:
    branch = repository.default_branch
    file = row.path.rpartition("/")[2]
    return {
        "id": row.id,
        "node_id": node_id("Workflow", row.id),
        "name": row.name,
        "path": row.path,
        "state": row.state,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "url": api_url(shapes, repository, f"/actions/workflows/{row.id}"),
        "html_url": web_url(shapes, repository, f"/blob/{branch}/{row.path}"),
        "badge_url": web_url(shapes, repository, f"/actions/workflows/{file}/badge.svg"),
    }


def run(shapes: Shapes, repository: Repository, row: WorkflowRun) -> Json:
    store = shapes.store
    api = api_url(shapes, repository, f"/actions/runs/{row.id}")
    actor = people.user(shapes, store.accounts.get(row.actor_id))
    commit = store.git(repository).commit(row.head_sha)
    found = [store.pulls.find(repository, number) for number in row.pull_numbers]
    return {
        "id": row.id,
        "name": row.name,
        "node_id": node_id("WorkflowRun", row.id),
        "check_suite_id": row.suite_id,
        "check_suite_node_id": node_id("CheckSuite", row.suite_id),
        "head_branch": row.head_branch,
        "head_sha": row.head_sha,
        "path": store.tables.workflows.get(row.workflow_id).path,
        "run_number": row.number,
        "run_attempt": row.attempt,
        "referenced_workflows": [],
        "event": row.event,
        "display_title": row.display_title,
        "status": row.status,
        "conclusion": row.conclusion,
        "workflow_id": row.workflow_id,
        "url": api,
        "html_url": web_url(shapes, repository, f"/actions/runs/{row.id}"),
        "pull_requests": [pulls.reference(shapes, repository, pull) for pull in found if pull],
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "actor": actor,
        "triggering_actor": actor,
        "run_started_at": stamp(row.started_at),
        "jobs_url": f"{api}/jobs",
        "logs_url": f"{api}/logs",
        "check_suite_url": api_url(shapes, repository, f"/check-suites/{row.suite_id}"),
        "artifacts_url": f"{api}/artifacts",
        "cancel_url": f"{api}/cancel",
        "rerun_url": f"{api}/rerun",
        "previous_attempt_url": f"{api}/attempts/{row.attempt - 1}" if row.attempt > 1 else None,
        "workflow_url": api_url(shapes, repository, f"/actions/workflows/{row.workflow_id}"),
        "head_commit": {
            "id": commit.sha,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": stamp(commit.committer.date),
            "author": {"name": commit.author.name, "email": commit.author.email},
            "committer": {"name": commit.committer.name, "email": commit.committer.email},
        },
        "repository": repositories.short(shapes, repository),
        "head_repository": repositories.short(shapes, repository),
    }


def job(shapes: Shapes, repository: Repository, row: WorkflowJob) -> Json:
    parent = shapes.store.tables.workflow_runs.get(row.run_id)
    return {
        "id": row.id,
        "run_id": row.run_id,
        "run_url": api_url(shapes, repository, f"/actions/runs/{row.run_id}"),
        "run_attempt": row.attempt,
        "node_id": node_id("CheckRun", row.id),
        "head_sha": parent.head_sha,
        "head_branch": parent.head_branch,
        "workflow_name": parent.name,
        "url": api_url(shapes, repository, f"/actions/jobs/{row.id}"),
        "html_url": web_url(shapes, repository, f"/actions/runs/{row.run_id}/job/{row.id}"),
        "status": row.status,
        "conclusion": row.conclusion,
        "created_at": stamp(row.created_at),
        "started_at": stamp(row.started_at),
        "completed_at": stamp(row.completed_at),
        "name": row.name,
        "steps": list(row.steps),
        "check_run_url": api_url(shapes, repository, f"/check-runs/{row.id}"),
        "labels": list(row.labels),
        "runner_id": 1,
        "runner_name": "embedded",
        "runner_group_id": 1,
        "runner_group_name": "Default",
    }


def artifact(shapes: Shapes, repository: Repository, row: Artifact) -> Json:
    parent = shapes.store.tables.workflow_runs.get(row.run_id)
    api = api_url(shapes, repository, f"/actions/artifacts/{row.id}")
    return {
        "id": row.id,
        "node_id": node_id("Artifact", row.id),
        "name": row.name,
        "size_in_bytes": row.size,
        "url": api,
        "archive_download_url": f"{api}/zip",
        "expired": row.expired or row.expires_at <= shapes.store.now(),
        "digest": row.digest,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.created_at),
        "expires_at": stamp(row.expires_at),
        "workflow_run": {
            "id": parent.id,
            "repository_id": repository.id,
            "head_repository_id": repository.id,
            "head_branch": parent.head_branch,
            "head_sha": parent.head_sha,
        },
    }
