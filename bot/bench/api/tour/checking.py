"""Check runs and suites, workflows, their runs, logs and artifacts."""

import io
import zipfile

from bot.bench.api.tour.guide import HOME, Guide
from bot.forge.embedded.store.rows import WorkflowRun


def checks(guide: Guide) -> None:
    ask = guide.ask
    sha = _sha(guide)
    ask("POST", f"{HOME}/check-runs", {"name": "judge", "head_sha": sha}, status=403)
    note = {"path": "lamp.py", "start_line": 1, "end_line": 1, "message": "Odd"}
    output = {
        "title": "Looks",
        "summary": "Well.",
        "annotations": [note | {"annotation_level": "warning"}],
    }
    new = {"name": "judge", "head_sha": sha, "status": "in_progress", "output": output}
    run = ask("POST", f"{HOME}/check-runs", new, by="app")
    home = f"{HOME}/check-runs/{run['id']}"
    ask("GET", home)
    ask("GET", f"{home}/annotations")
    done = {
        "status": "completed",
        "conclusion": "success",
        "output": {"title": "Fine", "summary": "."},
    }
    ask("PATCH", home, done, by="app")
    ask("POST", f"{home}/rerequest", by="app")
    suite = f"{HOME}/check-suites/{run['check_suite']['id']}"
    ask("GET", suite)
    ask("GET", f"{suite}/check-runs")
    ask("POST", f"{HOME}/check-suites", {"head_sha": _other(guide)}, by="app")
    ask("GET", f"{HOME}/commits/{sha}/check-runs", check_name="judge", filter="latest")
    ask("GET", f"{HOME}/commits/{sha}/check-suites", app_id=guide.app.id)


def workflows(guide: Guide) -> None:
    ask = guide.ask
    home = f"{HOME}/actions/workflows"
    (first,) = ask("GET", home)["workflows"]
    ask("GET", f"{home}/{first['id']}")
    ask("GET", f"{home}/check.yml")
    ask("PUT", f"{home}/check.yml/disable")
    ask("POST", f"{home}/check.yml/dispatches", {"ref": "main"}, status=422)
    ask("PUT", f"{home}/check.yml/enable")
    ask("POST", f"{home}/check.yml/dispatches", {"ref": "main", "inputs": {"depth": "deep"}})
    permissions = f"{HOME}/actions/permissions/workflow"
    ask("GET", permissions)
    ask("GET", f"{HOME}/actions/permissions")
    ask("PUT", permissions, {"can_approve_pull_request_reviews": True})
    _runs(guide, first["id"])


def _runs(guide: Guide, workflow: int) -> None:
    """Runs as the runner would have made them: one that ended, one that waits."""
    store, repository = guide.github.store, guide.lamp
    ended = _run(guide)
    job = store.actions.create_job(repository, ended, "check", ("ubuntu-latest",))
    store.actions.append_log(job, "2026-01-02T03:04:05.0000000Z It works\n")
    store.actions.update_job(repository, job, status="in_progress")
    store.actions.update_job(repository, job, status="completed", conclusion="success")
    store.actions.update_run(repository, ended, status="completed", conclusion="success")
    kept = store.actions.create_artifact(repository, ended, "report", _zip())
    _read_run(guide, workflow, ended, job.id)
    _artifacts(guide, ended, kept.id)
    _orders(guide, ended, _run(guide))


def _read_run(guide: Guide, workflow: int, run: WorkflowRun, job: int) -> None:
    ask, home = guide.ask, f"{HOME}/actions/runs/{run.id}"
    ask("GET", f"{HOME}/actions/runs", branch="main", event="workflow_dispatch")
    ask("GET", f"{HOME}/actions/workflows/{workflow}/runs", event="workflow_dispatch")
    ask("GET", home)
    ask("GET", f"{home}/jobs", filter="latest")
    ask("GET", f"{home}/attempts/1/jobs")
    ask("GET", f"{HOME}/actions/jobs/{job}")
    ask("GET", f"{HOME}/actions/jobs/{job}/logs")
    ask("GET", f"{home}/logs")


def _artifacts(guide: Guide, run: WorkflowRun, artifact: int) -> None:
    ask, home = guide.ask, f"{HOME}/actions/artifacts/{artifact}"
    ask("GET", f"{HOME}/actions/artifacts", name="report")
    ask("GET", f"{HOME}/actions/runs/{run.id}/artifacts")
    ask("GET", home)
    ask("GET", f"{home}/zip")
    ask("DELETE", home)


def _orders(guide: Guide, ended: WorkflowRun, waiting: WorkflowRun) -> None:
    ask, runs = guide.ask, f"{HOME}/actions/runs"
    ask("POST", f"{runs}/{waiting.id}/cancel")
    ask("POST", f"{runs}/{waiting.id}/force-cancel")
    ask("POST", f"{runs}/{ended.id}/cancel", status=409)
    ask("POST", f"{runs}/{ended.id}/rerun-failed-jobs")
    actions = guide.github.store.actions
    actions.update_run(guide.lamp, ended, status="completed", conclusion="failure")
    ask("POST", f"{runs}/{ended.id}/rerun")
    actions.update_run(guide.lamp, ended, status="completed", conclusion="failure")
    ask("DELETE", f"{runs}/{ended.id}")


def _run(guide: Guide) -> WorkflowRun:
    actions = guide.github.store.actions
    workflow = actions.workflow(guide.lamp, ".github/workflows/check.yml", "check")
    return actions.create_run(
        guide.lamp,
        workflow,
        guide.actor,
        event="workflow_dispatch",
        head_sha=_sha(guide),
        head_branch="main",
    )


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("report.txt", "fine")
    return buffer.getvalue()


def _sha(guide: Guide) -> str:
    sha: str = guide.ask("GET", f"{HOME}/git/ref/heads/main")["object"]["sha"]
    return sha


def _other(guide: Guide) -> str:
    sha: str = guide.ask("GET", f"{HOME}/git/ref/heads/base")["object"]["sha"]
    return sha
