"""What a workflow file says will run, as far as it must be known before act runs it. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from bot.base import Data

# Areas that GitHub grants or not, and that something here asks for.
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
_AREAS = ("actions", "checks", "contents", "issues", "pull_requests", "statuses")
_LINUX = re.compile(r"ubuntu|linux|self-hosted|x64|debian", re.IGNORECASE)


class BadWorkflow(Exception):
    """The workflow file is none; GitHub shows such a run as failed, with no jobs."""


class PlannedStep(Data):
    """`key` is how act names the step: its id, else its place. `may_fail` says that the job goes
    on as if nothing had happened."""

    key: str
    name: str
    may_fail: bool = False


class PlannedJob(Data):
    """`fixed_name` is the job's name where it is known beforehand; "" where a matrix, an expression
    or a called workflow gives it. `environment` is the one that it deploys to, "" for none."""

    id: str
    fixed_name: str
    labels: tuple[str, ...]
    steps: tuple[PlannedStep, ...]
    matrix: bool
    supported: bool
    environment: str = ""


class Concurrency(Data):
    """As written, with expressions; `of_job` where a job names the group and not the workflow."""

    group: str = ""
    cancels: str = ""
    of_job: bool = False


class Plan(Data):
    """`permissions` of the GITHUB_TOKEN are None where the file does not say; `inputs` are the
    types of what a dispatch may give; `uses` are the actions named anywhere, as written; `python`
    says whether Python is likely to be needed."""

    name: str
    run_name: str
    permissions: dict[str, str] | None
    concurrency: Concurrency
    inputs: dict[str, str]
    jobs: tuple[PlannedJob, ...]
    uses: tuple[str, ...]
    python: bool


def read_plan(path: str, text: bytes) -> Plan:
    """Raise BadWorkflow where the text is no workflow. Values are read as strings, so that `on`
    is not taken for a truth value."""
    try:
        loaded = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes strings only
    except yaml.YAMLError as error:
        raise BadWorkflow(f"{path}: {error}") from error
    jobs = loaded.get("jobs") if isinstance(loaded, dict) else None
    if not isinstance(jobs, dict) or not jobs:
        raise BadWorkflow(f"{path}: no jobs defined in `jobs`")
    if any(not isinstance(job, dict) for job in jobs.values()):
        raise BadWorkflow(f"{path}: a job is not a mapping")
    return Plan(
        name=str(loaded.get("name") or path),
        run_name=str(loaded.get("run-name") or ""),
        permissions=_granted(loaded, jobs),
        concurrency=_concurrency(loaded, jobs),
        inputs=_inputs(loaded.get("on")),
        jobs=tuple(_job(str(id_), job) for id_, job in jobs.items()),
        uses=tuple(dict.fromkeys(_uses(loaded))),
        python=re.search(rb"python|pytest|\bpip\b|actions/(?:check|generate|repair)", text)
        is not None,
    )


def read_uses(text: bytes) -> tuple[str, ...]:
    """The actions that a workflow or a composite action names; raises yaml.YAMLError."""
    return tuple(dict.fromkeys(_uses(yaml.load(text, Loader=yaml.BaseLoader))))  # noqa: S506


def _job(id_: str, job: Mapping[str, Any]) -> PlannedJob:
    strategy = job.get("strategy")
    matrix = isinstance(strategy, dict) and "matrix" in strategy
    name = str(job.get("name") or id_)
    labels = _labels(job.get("runs-on"))
    steps = job.get("steps")
    return PlannedJob(
        id=id_,
        fixed_name="" if matrix or "uses" in job or "${{" in name else name,
        labels=labels,
        steps=tuple(
            _step(place, step) for place, step in enumerate(steps) if isinstance(step, dict)
        )
        if isinstance(steps, list)
        else (),
        matrix=matrix,
        supported="uses" in job or any(_LINUX.search(label) or "${{" in label for label in labels),
        environment=_environment(job.get("environment")),
    )


def _environment(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else value
    return str(name or "")


def _labels(runs_on: Any) -> tuple[str, ...]:
    if isinstance(runs_on, dict):
        runs_on = runs_on.get("labels")
    if isinstance(runs_on, list):
        return tuple(map(str, runs_on))
    return (str(runs_on),) if runs_on else ()


def _step(place: int, step: Mapping[str, Any]) -> PlannedStep:
    """A step without a name is called after what it does, as GitHub shows it."""
    does = str(step.get("uses") or step.get("run") or "").strip()
    first_line = does.splitlines()[0] if does else ""
    return PlannedStep(
        key=str(step.get("id") or place),
        name=str(step.get("name") or f"Run {first_line}")[:255],
        may_fail=step.get("continue-on-error") == "true",
    )


def _granted(loaded: Mapping[str, Any], jobs: Mapping[str, Any]) -> dict[str, str] | None:
    """What any of the jobs asks for: act has one token for all of them."""
    asked = [
        _permissions(job.get("permissions", loaded.get("permissions"))) for job in jobs.values()
    ]
    granted: dict[str, str] = {}
    for permissions in asked:
        if permissions is None:
            return None
        for area, level in permissions.items():
            if granted.get(area) != "write":
                granted[area] = level
    return granted


def _permissions(value: Any) -> dict[str, str] | None:
    """What is not named is not granted; None where the file does not say."""
    if isinstance(value, dict):
        return {str(area).replace("-", "_"): str(level) for area, level in value.items()}
    if value in ("read-all", "write-all"):
        return dict.fromkeys(_AREAS, value.removesuffix("-all"))
    return None


def _concurrency(loaded: Mapping[str, Any], jobs: Mapping[str, Any]) -> Concurrency:
    """The workflow's, else that of the first job with one: act runs all jobs as one."""
    of_jobs = [job["concurrency"] for job in jobs.values() if job.get("concurrency")]
    of_job = not loaded.get("concurrency") and bool(of_jobs)
    value = of_jobs[0] if of_job else loaded.get("concurrency")
    if not isinstance(value, dict):
        return Concurrency(group=str(value or ""), of_job=of_job)
    return Concurrency(
        group=str(value.get("group") or ""),
        cancels=str(value.get("cancel-in-progress") or ""),
        of_job=of_job,
    )


def _inputs(on: Any) -> dict[str, str]:
    dispatch = on.get("workflow_dispatch") if isinstance(on, dict) else None
    inputs = dispatch.get("inputs") if isinstance(dispatch, dict) else None
    return {
        str(name): str(settings.get("type") or "string") if isinstance(settings, dict) else "string"
        for name, settings in (inputs.items() if isinstance(inputs, dict) else ())
    }


def _uses(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "uses" and isinstance(inner, str):
                yield inner
            else:
                yield from _uses(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _uses(inner)
