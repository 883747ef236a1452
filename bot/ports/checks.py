"""The checks port: where the check tests of a commit run, and what came of it."""

from typing import Protocol

from bot.base import Data


class WorkflowRun(Data):
    """`conclusion` is None while the run is not complete."""

    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None
    html_url: str


class Checks(Protocol):
    """The check runs of one repository."""

    def workflow_run(self, workflow: str, commit: str) -> WorkflowRun | None:
        """The newest run of the workflow file (its base name) on the commit."""
        ...

    def artifact(self, run_id: int, name: str) -> bytes | None:
        """The zip of one artifact of a workflow run; None where there is none."""
        ...

    def log(self, run_id: int) -> str:
        """The joined logs of a completed workflow run, cut to its last 256 KiB."""
        ...
