"""What stands in for act and the sandbox: the check of the generated project, told from its text
(the figure `agreed` of the bench `ratchet` holds that against real check runs)."""

import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from bot.bench.parts import MODULES, artifact_of, path_of, results_of
from bot.checks.environment import Environment
from bot.config import Settings
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.actions.plan import read_plan
from bot.ports.sandbox import SandboxJob, SandboxResult


class ToldChecks:
    """Implements Sandbox for jobs of act, and for nothing else."""

    def run(
        self,
        job: SandboxJob,
        *,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SandboxResult:
        checkout = Path(job.argv[job.argv.index("-C") + 1])
        paths = [path for path in map(path_of, range(MODULES)) if (checkout / path).is_file()]
        sources = {path: (checkout / path).read_text("utf-8") for path in paths}
        place = job.writable[0] / Settings().checks.artifact
        with zipfile.ZipFile(io.BytesIO(artifact_of(sources))) as report:
            report.extractall(place)
        failed = any(said != "passed" for said in results_of(sources).values())
        workflow = Path(job.argv[job.argv.index("-W") + 1])
        plan = read_plan(workflow.name, workflow.read_bytes())
        if on_output is not None:
            for planned in plan.jobs:
                on_output(_ended(f"{plan.name}/{planned.fixed_name}", planned.id, failed=failed))
        return SandboxResult(returncode=int(failed), output="", seconds=0.0)


def _ended(name: str, id_: str, *, failed: bool) -> bytes:
    """What act says at the end of a job."""
    result = "failure" if failed else "success"
    line = {"job": name, "jobID": id_, "msg": "Job ended", "jobResult": result}
    return json.dumps(line).encode() + b"\n"


def told_actions() -> LocalActions:
    """GitHub Actions as on one machine, but for the command that would run."""
    here = Environment(python=Path(sys.executable), readable=())
    return LocalActions(ToldChecks(), prepare=lambda _: here, act=Path(sys.executable))
