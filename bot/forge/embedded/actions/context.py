"""What expressions may look at before any job runs, and what a workflow's names come to.

https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#context-availability
"""

from collections.abc import Mapping

from bot.base import Data
from bot.forge.embedded.actions.expressions import BadExpression, Context, filled_in
from bot.forge.embedded.actions.occasions import Source
from bot.forge.embedded.actions.plan import BadWorkflow, Plan
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import Json, Repository, WorkflowRun

_HEADS = ("pull_request", "pull_request_target")
# What a job's own group may look at beside; nobody knows any of it yet.
_OF_JOB: Context = {"needs": {}, "strategy": {}, "matrix": {}}


class Names(Data):
    """A run's title and concurrency group, "" where the workflow gives none."""

    title: str
    group: str
    cancels: bool


def names_of(plan: Plan, path: str, context: Context) -> Names:
    """Raises BadWorkflow where an expression is wrong."""
    grouping = {**context, **_OF_JOB} if plan.concurrency.of_job else context
    return Names(
        title=_filled(path, "run-name", plan.run_name, context).strip(),
        group=_filled(path, "concurrency", plan.concurrency.group, grouping),
        cancels=_filled(path, "cancel-in-progress", plan.concurrency.cancels, grouping) == "true",
    )


def run_context(
    store: Store, repository: Repository, run: WorkflowRun, plan: Plan, variables: Mapping[str, str]
) -> dict[str, Json]:
    """The contexts `github`, `inputs` and `vars` of a run."""
    source = Source.model_validate(run.payload["source"])
    event: Json = run.payload["event"]
    actor = store.accounts.get(run.actor_id).login
    pull = event.get("pull_request", {}) if run.event in _HEADS else {}
    github: Json = {
        "event": event,
        "event_name": run.event,
        "ref": source.ref,
        "ref_name": source.ref.split("/", 2)[2],
        "ref_type": "tag" if source.ref.startswith("refs/tags/") else "branch",
        "head_ref": pull.get("head", {}).get("ref", ""),
        "base_ref": pull.get("base", {}).get("ref", ""),
        "sha": source.sha,
        "actor": actor,
        "triggering_actor": actor,
        "repository": repository.full_name,
        "repository_owner": repository.full_name.partition("/")[0],
        "run_id": str(run.id),
        "run_number": str(run.number),
        "run_attempt": str(run.attempt),
        "workflow": run.name,
    }
    return {"github": github, "inputs": _inputs(plan, event), "vars": dict(variables)}


def _inputs(plan: Plan, event: Json) -> Json:
    """The inputs of a dispatch as what they were declared to be; in the event all are texts."""
    given: Json = event.get("inputs") or {}
    return {
        name: value == "true" if plan.inputs.get(name) == "boolean" else value
        for name, value in given.items()
    }


def _filled(path: str, key: str, text: str, context: Context) -> str:
    try:
        return filled_in(text, context)
    except BadExpression as error:
        raise BadWorkflow(f"{path}: `{key}`: {error}") from error
