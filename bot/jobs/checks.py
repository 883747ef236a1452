"""Check tests that run in the bot's own job: what a GITHUB_TOKEN pushes starts no workflow.

Nothing of the code under test runs outside the sandbox, so it sees neither the job's secrets nor
its network.
"""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.checks.environment import Environment
from bot.checks.project import read_requirements
from bot.checks.report import COULD_NOT_RUN
from bot.checks.results import read_report
from bot.checks.runner import CheckJob, run_checks
from bot.checks.scratch import scratch_folder
from bot.config import Settings
from bot.ports.checks import WorkflowRun
from bot.ports.git import GitStore
from bot.ports.sandbox import Sandbox

_LOG_LIMIT = 256 * 1024


class _Ended(Data):
    """One check: the files of its report, or why there are none."""

    run: WorkflowRun
    files: Mapping[str, bytes]
    log: str


class JobChecks:
    """Implements bot.ports.checks.Checks: a commit is checked when somebody first asks for it.

    `prepare` makes the Python environment for requirement lines; `place` is where people can watch
    the job.
    """

    def __init__(
        self,
        git: GitStore,
        settings: Settings,
        sandbox: Sandbox,
        prepare: Callable[[tuple[str, ...]], Environment],
        *,
        place: str = "",
    ) -> None:
        self._git = git
        self._settings = settings
        self._sandbox = sandbox
        self._prepare = prepare
        self._place = place
        self._ended: dict[str, _Ended] = {}

    def workflow_run(self, workflow: str, commit: str) -> WorkflowRun | None:
        """Runs the check tests of the commit, unless this job has done so already."""
        if commit not in self._ended:
            self._ended[commit] = self._check(workflow, commit)
        return self._ended[commit].run

    def artifact(self, run_id: int, name: str) -> bytes | None:
        files = self._of(run_id).files
        return packed(files) if files else None

    def log(self, run_id: int) -> str:
        return self._of(run_id).log[-_LOG_LIMIT:]

    def _of(self, run_id: int) -> _Ended:
        return next(ended for ended in self._ended.values() if ended.run.id == run_id)

    def _check(self, workflow: str, commit: str) -> _Ended:
        files: dict[str, bytes] = {}
        try:
            files = self._run(commit)
            log = files["output.txt"].decode("utf-8", "replace")
            green = read_report(files).green
        except RepowrightError as error:
            log, green = COULD_NOT_RUN + error.sentence, False
        run = WorkflowRun(
            id=len(self._ended) + 1,
            name=workflow,
            head_sha=commit,
            status="completed",
            conclusion="success" if green else "failure",
            html_url=self._place,
        )
        return _Ended(run=run, files=files, log=log)

    def _run(self, commit: str) -> dict[str, bytes]:
        checks = self._settings.checks
        with scratch_folder("repowright-job-") as folder:
            for path, data in self._git.read(commit).items():
                _write(folder, path, data)
            environment = self._prepare(read_requirements(folder, extras=checks.extras))
            job = CheckJob(
                root=folder,
                tests=(self._settings.check_tests,),
                environment=environment,
                test_seconds=checks.test_seconds,
                total_seconds=checks.total_seconds,
                memory=checks.memory,
                project_settings=checks.settings == "project",
            )
            return run_checks(job, self._sandbox)


def _write(folder: Path, path: str, data: bytes) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def packed(files: Mapping[str, bytes]) -> bytes:
    """As GitHub gives an artifact."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()
