"""Which check run of the default branch failed, and what it left: what a repair begins with."""

from collections.abc import Callable, Mapping

from pydantic import ValidationError

from bot.base import Data
from bot.checks.artifact import files_from_artifact, files_from_folder
from bot.jobs.checks import packed
from bot.jobs.context import JobContext, JobInputs
from bot.jobs.texts import tell
from bot.ports.checks import Checks, WorkflowRun
from bot.ports.forge import Forge
from bot.ports.git import GitStore
from bot.runs.failure import holds_code
from bot.runs.payloads import RanPayload


class Failed(Data):
    """`commit` of the default `branch`, whose check left `files` (see read_report)."""

    branch: str
    commit: str
    files: Mapping[str, bytes]


def failed_here(
    context: JobContext, inputs: JobInputs, forge: Forge, checks: Checks, git: GitStore
) -> Failed | str:
    """The failed check of the default branch's newest commit that a job is to mend, or why there is
    none. It is in this very workflow run where the action was given a report, else the run that the
    event tells of, else the newest of the check workflow."""
    branch = forge.repository().default_branch
    git.fetch()
    head = git.head(branch)
    if head is None:
        return tell("no_commit")
    if inputs.report is not None:
        if context.branch != branch or context.commit != head:
            return tell("not_newest", branch=branch)
        return _of(branch, head, files_from_folder(inputs.report), inputs, git)
    run = _told(context, branch)
    if run is None:
        run = checks.workflow_run(inputs.settings.checks.workflow, head)
    if isinstance(run, str):
        return run
    if run is None or run.conclusion != "failure":
        return tell("not_failed", branch=branch)
    if run.head_sha != head:
        return tell("moved_on", branch=branch)
    artifact = checks.artifact(run.id, inputs.settings.checks.artifact)
    if artifact is None:
        return tell("no_report")
    return _of(branch, head, files_from_artifact(artifact), inputs, git)


def checks_given(context: JobContext, inputs: JobInputs) -> Callable[[Checks], Checks]:
    """What stands before a run's checks: the report of this very workflow run, which is not
    complete as long as this job works."""
    if inputs.report is None:
        return lambda checks: checks
    files = files_from_folder(inputs.report)
    return lambda checks: GivenChecks(checks, context, files)


class GivenChecks:
    """Implements Checks: `files` are the report of this workflow run's commit, other commits are
    asked of `others`."""

    def __init__(self, others: Checks, context: JobContext, files: Mapping[str, bytes]) -> None:
        self._others = others
        self._context = context
        self._files = files

    def workflow_run(self, workflow: str, commit: str) -> WorkflowRun | None:
        if commit != self._context.commit:
            return self._others.workflow_run(workflow, commit)
        return WorkflowRun(
            id=self._context.run_id,
            name=workflow,
            head_sha=commit,
            status="completed",
            conclusion="failure",
            html_url=self._context.page,
        )

    def artifact(self, run_id: int, name: str) -> bytes | None:
        if run_id == self._context.run_id:
            return packed(self._files) if self._files else None
        return self._others.artifact(run_id, name)

    def log(self, run_id: int) -> str:
        return "" if run_id == self._context.run_id else self._others.log(run_id)


def _of(
    branch: str, commit: str, files: Mapping[str, bytes], inputs: JobInputs, git: GitStore
) -> Failed | str:
    if not files:
        return tell("unreadable_report")
    if not holds_code(git.read(commit), inputs.settings.check_tests, files):
        return tell("no_code", branch=branch)
    return Failed(branch=branch, commit=commit, files=files)


def _told(context: JobContext, branch: str) -> WorkflowRun | str | None:
    """The run that the event tells of, or why it does not count; None where it tells of none."""
    if context.event != "workflow_run":
        return None
    try:
        told = RanPayload.model_validate_json(context.payload)
    except ValidationError:
        return tell("unreadable_event")
    ran = told.workflow_run
    if ran.head_repository is None or ran.head_repository.full_name != told.repository.full_name:
        return tell("of_fork")
    if ran.head_branch != branch:
        return tell("of_other_branch", branch=branch)
    return WorkflowRun(
        id=ran.id,
        name="",
        head_sha=ran.head_sha,
        status="completed",
        conclusion=ran.conclusion,
        html_url="",
    )
