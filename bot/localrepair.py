"""A repair on one machine: somebody's code in an embedded GitHub, its tests run there, and the run
that mends what fails."""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from git import Repo

from bot.base import RepowrightError
from bot.checks.artifact import files_from_artifact
from bot.checks.results import read_report
from bot.config import Settings
from bot.forge.embedded.seed import seed
from bot.local import OWNER, LocalBox, LocalRun
from bot.model.attempt import Backend
from bot.phases.record import save
from bot.phases.run import RunState
from bot.ports.checks import WorkflowRun
from bot.runs.failure import failure_issue, new_repair
from bot.starter.files import starter_files
from bot.starter.repository import CheckWorkflow, target_at
from bot.starter.setups import Purpose, SetupName, setups
from bot.wiring import Hub, now, services_of

_LOOK_EVERY = 0.2
_WORKFLOWS = ".github/workflows/"


def open_repair(
    box: LocalBox,
    files: Mapping[str, bytes],
    name: str,
    settings: Settings,
    backend: Backend,
    experience: str = "",
) -> LocalRun:
    """Push the files, with a check workflow where they have none, wait for their check, and open
    the issue that tells of it with a run that mends what fails. Raise NothingToMend where nothing
    does, RepowrightError where the tests cannot be run."""
    added, settings = _checked(box.folder / "clone", files, settings)
    seeded = seed(box.github.store, OWNER, name)
    # The first commit of a repository needs a file.
    first: dict[str, bytes | None] = {"README.md": None}
    box.push_given(seeded, name, {**first, **files, **added})
    run = LocalRun(
        repository=f"{OWNER}/{name}",
        issue=0,
        app_id=str(seeded.app.id),
        installation=seeded.installation.id,
        settings=settings,
        experience=experience,
    )
    box.remember(run, seeded.private_key)
    hub = box.hub()
    base, report = _report(hub, seeded.repository.default_branch, settings)
    issue = failure_issue(seeded.repository.default_branch, read_report(report), hub.forge)
    state, spec = new_repair(issue, settings, hub.forge, hub.git, now, base=base, files=report)
    save(state, spec, services_of(hub, box.place, state, backend, _Silent()))
    run = run.model_copy(update={"issue": issue})
    box.remember(run, seeded.private_key)
    return run


class _Silent:
    """Implements Narrator: there is nothing to tell before the first leg."""

    def tell(self, state: RunState, text: str) -> None: ...


def _checked(
    clone: Path, files: Mapping[str, bytes], settings: Settings
) -> tuple[dict[str, bytes], Settings]:
    """The check workflow that the files lack, and settings that tell of the one that counts, as
    `repowright init` finds and writes them in a clone."""
    Repo.init(clone, initial_branch="main").close()
    for path, content in files.items():
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).write_bytes(content)
    target = target_at(clone)
    shutil.rmtree(clone)
    own = target.check or CheckWorkflow()
    written = starter_files(setups()[SetupName.TOKEN], Purpose.REPAIR, target)
    added = {f.path: f.text.encode() for f in written if f.path.endswith(f"/{own.file}")}
    checks = settings.checks.model_copy(
        update={
            "workflow": own.file,
            "settings": "project" if target.has_own_tests else settings.checks.settings,
            "extras": settings.checks.extras or target.extras,
        }
    )
    return added, settings.model_copy(update={"checks": checks, "check_tests": target.tests})


def _report(hub: Hub, branch: str, settings: Settings) -> tuple[str, dict[str, bytes]]:
    """The branch's commit, and the files of the report of its check."""
    hub.git.fetch()
    commit = hub.git.head(branch) or ""
    content = hub.forge.artifact(_ended(hub, commit, settings).id, settings.checks.artifact)
    files = files_from_artifact(content) if content else {}
    if not files:
        raise RepowrightError(
            "the tests could not be run",
            where=settings.checks.workflow,
            hint="see how they run with `python -m bot.checks run`, and what is missing for that",
        )
    return commit, files


def _ended(hub: Hub, commit: str, settings: Settings) -> WorkflowRun:
    """The check's workflow run, once it has ended."""
    minutes = settings.checks.start_minutes + settings.checks.wait_minutes
    deadline = time.monotonic() + minutes * 60
    while time.monotonic() < deadline:
        run = hub.forge.workflow_run(settings.checks.workflow, commit)
        if run is not None and run.status == "completed":
            return run
        time.sleep(_LOOK_EVERY)
    raise RepowrightError("the check did not end in time", where=settings.checks.workflow)
