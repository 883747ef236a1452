"""Workflows, runs, jobs, logs, artifacts and dispatches.

https://docs.github.com/rest/actions
"""

import re
from typing import Any

from bot.forge.embedded.rest.call import Answer, Body, Call, found, redirect
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import actions as shape
from bot.forge.embedded.store.actions import triggers
from bot.forge.embedded.store.errors import Refused, conflict, not_found
from bot.forge.embedded.store.rows import Artifact, Json, Workflow, WorkflowJob, WorkflowRun

routes = Routes()
_R = "/repos/<owner>/<repo>"
_A = f"{_R}/actions"
_W = f"{_A}/workflows/<key>"
_RUN = f"{_A}/runs/<int:identity>"
_MAX_INPUTS = 25


class Dispatch(Body):
    ref: str
    inputs: dict[str, Any] | None = None


class WorkflowPermissions(Body):
    can_approve_pull_request_reviews: bool = False


class RepositoryDispatch(Body):
    event_type: str
    client_payload: dict[str, Any] | None = None


@routes.get(f"{_A}/permissions/workflow", "administration:admin")
def workflow_permissions(call: Call) -> Json:
    """https://docs.github.com/rest/actions/permissions#get-default-workflow-permissions-for-a-repository"""
    return {
        "default_workflow_permissions": "read",
        "can_approve_pull_request_reviews": call.repository.actions_may_approve,
    }


@routes.put(f"{_A}/permissions/workflow", "administration:admin")
def set_workflow_permissions(call: Call) -> None:
    may = call.body(WorkflowPermissions).can_approve_pull_request_reviews
    call.store.repositories.edit(call.repository, call.actor, actions_may_approve=may)


@routes.get(f"{_A}/workflows", "actions:read")
def workflows(call: Call) -> Answer:
    rows = call.store.actions.workflows(call.repository)
    return call.page(
        rows, lambda row: shape.workflow(call.shapes, call.repository, row), key="workflows"
    )


@routes.get(_W, "actions:read")
def workflow(call: Call, key: str) -> Json:
    return shape.workflow(call.shapes, call.repository, _workflow(call, key))


@routes.put(f"{_W}/<any(enable, disable):switch>", "actions:write")
def switch_workflow(call: Call, key: str, switch: str) -> None:
    state = "active" if switch == "enable" else "disabled_manually"
    call.store.actions.set_workflow_state(_workflow(call, key), state)


@routes.post(f"{_W}/dispatches", "actions:write")
def dispatch(call: Call, key: str) -> None:
    """https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event"""
    body = call.body(Dispatch)
    row = _workflow(call, key)
    name = re.sub("^refs/(heads|tags)/", "", body.ref)
    refs = call.filled_git.refs()
    full = next((r for r in (f"refs/heads/{name}", f"refs/tags/{name}") if r in refs), None)
    if full is None:
        raise Refused(422, f"No ref found for: {body.ref}")
    if row.state != "active":
        raise Refused(422, "Cannot trigger a 'workflow_dispatch' on a disabled workflow")
    commit = call.git.resolve(full) or ""
    text = call.store.actions.workflow_files(call.repository, commit).get(row.path)
    if text is None:
        raise Refused(422, f"Workflow {row.path} not found in the ref {body.ref}")
    settings = triggers(text).get("workflow_dispatch")
    if settings is None:
        raise Refused(422, "Workflow does not have 'workflow_dispatch' trigger")
    inputs = _inputs(body.inputs or {}, settings.get("inputs") or {})
    call.store.publish(
        "workflow_dispatch",
        None,
        call.actor,
        call.repository,
        {"ref": full, "inputs": inputs, "workflow": row.path},
    )


@routes.post(f"{_R}/dispatches", "contents:write")
def repository_dispatch(call: Call) -> None:
    """https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event"""
    body = call.body(RepositoryDispatch)
    payload = body.client_payload or {}
    if len(payload) > 10:
        raise Refused(422, "No more than 10 properties are allowed in client_payload")
    call.store.publish(
        "repository_dispatch",
        body.event_type,
        call.actor,
        call.repository,
        {"branch": call.repository.default_branch, "client_payload": payload},
    )


# Runs


@routes.get(f"{_A}/runs", "actions:read")
def runs(call: Call) -> Answer:
    return _page_runs(call, call.store.actions.runs(call.repository))


@routes.get(f"{_W}/runs", "actions:read")
def runs_of_workflow(call: Call, key: str) -> Answer:
    row = _workflow(call, key)
    rows = call.store.actions.runs(call.repository)
    return _page_runs(call, [run for run in rows if run.workflow_id == row.id])


@routes.get(_RUN, "actions:read")
def run(call: Call, identity: int) -> Json:
    return shape.run(call.shapes, call.repository, _run(call, identity))


@routes.delete(_RUN, "actions:write")
def delete_run(call: Call, identity: int) -> None:
    row = _run(call, identity)
    if row.status != "completed":
        raise Refused(403, "Cannot delete a run that is in progress")
    call.store.actions.delete_run(row)


@routes.post(f"{_RUN}/<any('rerun', 'rerun-failed-jobs'):how>", "actions:write")
def rerun(call: Call, identity: int, how: str) -> Answer:
    runner = call.services.runner
    if runner is None:
        raise Refused(403, "No Actions runner is set up")
    row = call.store.actions.start_again(call.repository, _run(call, identity))
    runner.rerun(row, failed_only=how != "rerun")
    return Answer({}, 201)


@routes.post(f"{_RUN}/<any('cancel', 'force-cancel'):how>", "actions:write")
def cancel(call: Call, identity: int, how: str) -> Answer:
    row = _run(call, identity)
    if row.status == "completed":
        raise conflict("Cannot cancel a workflow run that is completed.")
    if call.services.runner is not None:
        call.services.runner.cancel(row)
    return Answer({}, 202)


# Jobs and logs


@routes.get(f"{_RUN}/jobs", "actions:read")
def jobs(call: Call, identity: int) -> Answer:
    every = call.argument("filter") == "all"
    rows = call.store.actions.jobs(_run(call, identity), all_attempts=every)
    return call.page(rows, lambda row: shape.job(call.shapes, call.repository, row), key="jobs")


@routes.get(f"{_RUN}/attempts/<int:attempt>/jobs", "actions:read")
def jobs_of_attempt(call: Call, identity: int, attempt: int) -> Answer:
    rows = call.store.actions.jobs(_run(call, identity), all_attempts=True)
    shown = [row for row in rows if row.attempt == attempt]
    return call.page(shown, lambda row: shape.job(call.shapes, call.repository, row), key="jobs")


@routes.get(f"{_A}/jobs/<int:job>", "actions:read")
def job(call: Call, job: int) -> Json:
    return shape.job(call.shapes, call.repository, _job(call, job))


@routes.get(f"{_A}/jobs/<int:job>/logs", "actions:read")
def job_log(call: Call, job: int) -> Answer:
    """Only once the job is complete."""
    call.require_name()
    row = _job(call, job)
    if row.status != "completed":
        raise not_found()
    call.store.actions.log(row)
    return redirect(call.services.links.to("job", row.id))


@routes.get(f"{_RUN}/logs", "actions:read")
def run_logs(call: Call, identity: int) -> Answer:
    """A zip; the logs of a running workflow cannot be read.
    https://docs.github.com/rest/actions/workflow-runs#download-workflow-run-logs
    """
    call.require_name()
    row = _run(call, identity)
    if row.status != "completed":
        raise not_found()
    return redirect(call.services.links.to("run", row.id))


# Artifacts


@routes.get(f"{_A}/artifacts", "actions:read")
def artifacts(call: Call) -> Answer:
    return _page_artifacts(call, call.store.actions.repository_artifacts(call.repository))


@routes.get(f"{_RUN}/artifacts", "actions:read")
def artifacts_of_run(call: Call, identity: int) -> Answer:
    return _page_artifacts(call, call.store.actions.artifacts(_run(call, identity)))


@routes.get(f"{_A}/artifacts/<int:identity>", "actions:read")
def artifact(call: Call, identity: int) -> Json:
    return shape.artifact(call.shapes, call.repository, _artifact(call, identity))


@routes.delete(f"{_A}/artifacts/<int:identity>", "actions:write")
def delete_artifact(call: Call, identity: int) -> None:
    call.store.actions.delete_artifact(_artifact(call, identity))


@routes.get(f"{_A}/artifacts/<int:identity>/<form>", "actions:read")
def download(call: Call, identity: int, form: str) -> Answer:
    """Needs a name even on public repositories; 410 once it has expired."""
    call.require_name()
    row = _artifact(call, identity)
    if form != "zip":
        raise not_found()
    call.store.actions.artifact_data(row)
    return redirect(call.services.links.to("artifact", row.id))


def _page_runs(call: Call, rows: list[WorkflowRun]) -> Answer:
    """The filters of https://docs.github.com/rest/actions/workflow-runs"""
    columns = {"branch": "head_branch", "event": "event", "head_sha": "head_sha"}
    wanted = {column: call.argument(name) for name, column in columns.items()}
    status, actor = call.argument("status"), call.argument("actor")
    shown = [
        row
        for row in rows
        if all(value in ("", getattr(row, column)) for column, value in wanted.items())
        and status in ("", row.status, row.conclusion)
        and actor in ("", call.store.accounts.get(row.actor_id).login)
    ]
    return call.page(
        shown, lambda row: shape.run(call.shapes, call.repository, row), key="workflow_runs"
    )


def _page_artifacts(call: Call, rows: list[Artifact]) -> Answer:
    name = call.argument("name")
    shown = [row for row in rows if name in ("", row.name)]
    return call.page(
        shown, lambda row: shape.artifact(call.shapes, call.repository, row), key="artifacts"
    )


def _inputs(given: Json, declared: Json) -> Json:
    """Inputs that the workflow declares, with their defaults."""
    unknown = sorted(given.keys() - declared.keys())
    if unknown:
        raise Refused(422, f"Unexpected inputs provided: {unknown}")
    if len(given) > _MAX_INPUTS:
        raise Refused(422, f"No more than {_MAX_INPUTS} inputs are allowed")
    inputs = {}
    for name, settings in declared.items():
        settings = settings or {}
        if name not in given and settings.get("required") == "true" and "default" not in settings:
            raise Refused(422, f"Required input '{name}' not provided")
        value = given.get(name, settings.get("default", ""))
        inputs[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return inputs


def _workflow(call: Call, key: str) -> Workflow:
    return found(call.store.actions.find_workflow(call.repository, key))


def _run(call: Call, identity: int) -> WorkflowRun:
    return found(call.store.actions.run(call.repository, identity))


def _job(call: Call, identity: int) -> WorkflowJob:
    return found(call.store.actions.job(call.repository, identity))


def _artifact(call: Call, identity: int) -> Artifact:
    return found(call.store.actions.artifact(call.repository, identity))
