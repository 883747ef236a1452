"""A repository of somebody's whose tests fail, on a GitHub in a folder, and the bot that mends it.

Run as a program it records the repair: `python tests/journeys/mend_journey.py MAILBOX` asks in the
folder MAILBOX (docs/mailbox.md) and keeps what is answered in `examples/mend/recorded`.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr

from bot.checks.artifact import files_from_artifact
from bot.checks.results import read_report
from bot.checks.sandbox import make_sandbox
from bot.config import Settings
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.seed import seed
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import AppKey, Credentials, GivenToken
from bot.model.attempt import Backend
from bot.model.mailbox import MailboxModel
from bot.model.scripted import ScriptedModel
from bot.phases.record import save
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.checks import WorkflowRun
from bot.runs.drive import drive
from bot.runs.failure import failure_issue, new_repair
from bot.runs.start import find_run
from bot.wiring import MAINTAINER, Hub, Workplace, now, services_of

MEND = Path(__file__).resolve().parents[2] / "examples" / "mend"
RECORDED = MEND / "recorded"
SETTINGS = Settings.model_validate(
    {
        "model": "claude-opus-4.8",
        "budget": {"usd": 5.0},
        "checks": {"workflow": "tests.yml", "dispatch_seconds": 20},
    }
)
_PATIENCE = 120.0
T = TypeVar("T")


def eventually(look: Callable[[], T | None]) -> T:
    """What `look` sees in the end."""
    deadline = time.monotonic() + _PATIENCE
    while (found := look()) is None:
        assert time.monotonic() < deadline, "it has not come"
        time.sleep(0.2)
    return found


def _ended(run: WorkflowRun | None) -> WorkflowRun | None:
    return run if run is not None and run.status == "completed" else None


def _passed(run: WorkflowRun | None) -> WorkflowRun | None:
    return run if run is not None and run.conclusion == "success" else None


def tree_of(folder: Path) -> dict[str, bytes]:
    """Path -> content, hidden folders too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


class Ear:
    def tell(self, state: RunState, text: str) -> None: ...


class Mend:
    """One repository `maintainer/shelfmark` in one folder; a context manager that serves while it
    is open."""

    def __init__(self, folder: Path, settings: Settings = SETTINGS) -> None:
        self.settings = settings
        self._folder = folder
        actions = LocalActions(make_sandbox("bubblewrap"))
        self.github = EmbeddedGitHub(folder / "github", actions=actions, maintainer="maintainer")
        self._clones = 0

    def __enter__(self) -> "Mend":
        self.github.start()
        self.seeded = seed(self.github.store, repo="shelfmark")
        self._app = AppKey(
            app_id=str(self.seeded.app.id),
            private_key=SecretStr(self.seeded.private_key),
            installation_id=self.seeded.installation.id,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.github.stop()

    def hub(self, credentials: Credentials | None = None) -> Hub:
        """A bot, or a person, that has just started."""
        settings = GitHubSettings(
            api_url=self.github.api_url,
            repository="maintainer/shelfmark",
            seconds_between_writes=0.0,
            settle_seconds=0.2,
        )
        self._clones += 1
        place = Workplace(self._folder / f"clone{self._clones}")
        if credentials is None:
            return Hub.open(place, settings, self._app)
        return Hub.open(place, settings, credentials, MAINTAINER)

    def push(self, files: Mapping[str, bytes | None], branch: str = "main") -> str:
        """A commit of the maintainer's; the first one makes the branch."""
        hub = self.hub(GivenToken(token=SecretStr(self.seeded.token)))
        if hub.forge.repository().empty:
            hub.forge.first_commit("seed:first", "README.md", "# Shelfmark\n")
        hub.git.fetch()
        parent = hub.git.head(branch)
        assert parent is not None
        return hub.git.commit(
            branch, parent=parent, changes=files, message="By hand", mark=f"person:{parent}"
        )

    def checked(self, commit: str) -> dict[str, bytes]:
        """The files of the check run's report, once it has ended."""
        forge, workflow = self.hub().forge, self.settings.checks.workflow
        run = eventually(lambda: _ended(forge.workflow_run(workflow, commit)))
        content = forge.artifact(run.id, self.settings.checks.artifact)
        assert content is not None
        return files_from_artifact(content)

    def run_again(self, commit: str) -> None:
        """The maintainer starts the workflow on `main` once more, and it passes."""
        person = self.hub(GivenToken(token=SecretStr(self.seeded.token)))
        workflow = self.settings.checks.workflow
        url = f"{person.client.repository.url}/actions/workflows/{workflow}/dispatches"
        send = person.client.transport.requestJsonAndCheck
        send("POST", url, input={"ref": "main"})
        eventually(lambda: _passed(person.forge.workflow_run(workflow, commit)))

    def begin(self, base: str, files: Mapping[str, bytes]) -> int:
        """What a repair job does first: the issue, and the run saved in its ref."""
        hub = self.hub()
        issue = failure_issue("main", read_report(files), hub.forge)
        found = find_run(issue, hub.git)
        state, spec = new_repair(
            issue,
            self.settings,
            hub.forge,
            hub.git,
            now,
            base=base,
            files=files,
            previous=found[0] if found else None,
        )
        save(state, spec, self._services(hub, state, ScriptedModel({})))
        return issue

    def go(
        self, issue: int, backend: Backend, legs: int | None = None
    ) -> tuple[RunState, Services]:
        """Drive the saved run to its end, or for so many legs that move it, as a job that knows
        nothing but the ref."""
        hub = self.hub()
        found = find_run(issue, hub.git)
        assert found is not None
        state, spec = found
        services = self._services(hub, state, backend)
        after = drive(
            state,
            spec,
            services,
            pause=time.sleep,
            interval=0.2,
            wait_for_people=False,
            most_legs=legs,
        )
        return after, services

    def _services(self, hub: Hub, state: RunState, backend: Backend) -> Services:
        place = Workplace(self._folder / f"work{self._clones}")
        return services_of(hub, place, state, backend, Ear())

    def say(self, issue: int, text: str) -> None:
        """A comment of the maintainer's."""
        store = self.github.store
        found = store.issues.find(self.seeded.repository, issue)
        assert found is not None
        store.issues.comment(self.seeded.repository, found, Actor(self.seeded.maintainer), text)

    def comments(self, issue: int) -> list[str]:
        """The bot's comments."""
        return [c.body for c in self.hub().forge.issue(issue).comments if c.author_is_bot]


def record(mailbox: Path) -> None:
    """Ask in the mailbox until the run has ended, and keep all calls."""
    with tempfile.TemporaryDirectory() as folder, Mend(Path(folder)) as mend:
        base = mend.push(tree_of(MEND / "repository"))
        issue = mend.begin(base, mend.checked(base))
        state, services = mend.go(issue, MailboxModel(mailbox))
        shutil.rmtree(RECORDED, ignore_errors=True)
        for name, content in services.record.files().items():
            target = RECORDED / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        print(state.outcome, state.outcome_note, f"${services.record.spent().usd:.2f}")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
