"""A repository with the workflows of `repowright init` on an embedded GitHub that runs them with
act, and a model that replays a recording behind an OpenAI-compatible endpoint."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from pydantic import SecretStr

from bot.bench.crew.endpoint import RecordedEndpoint
from bot.checks.sandbox import make_sandbox
from bot.config import Settings
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import WorkflowJob, WorkflowRun
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.model.journal import read_calls
from bot.phases.run import RunState
from bot.starter.files import starter_files
from bot.starter.repository import Target
from bot.starter.setups import Purpose, SetupName, setups
from bot.wiring import MAINTAINER, Hub, Workplace

_SERVER = "https://api.openai.com/v1"


class ActWorld:
    """Ann's repository `work`, a context manager; `recording` holds the model's `calls`."""

    def __init__(self, folder: Path, recording: Path) -> None:
        self.folder = folder
        self._held = ExitStack()
        calls = {f"calls/{p.name}": p.read_bytes() for p in (recording / "calls").iterdir()}
        self.endpoint = self._held.enter_context(RecordedEndpoint(read_calls(calls)))
        actions = LocalActions(make_sandbox("none"), machine=True)
        self.github = EmbeddedGitHub(folder / "github", actions=actions).start()
        self._held.callback(self.github.stop)
        self.store = self.github.store
        self.ann = self.store.accounts.create("ann")
        self.repository = self.store.repositories.create(self.ann, "work", Actor(self.ann))

    def close(self) -> None:
        self._held.close()

    def give(self, setup: SetupName, purpose: Purpose, files: Mapping[str, bytes]) -> None:
        """Push these files and the workflows, with the address of this model in them."""
        target = Target(root=self.folder, web=self.github.url, name="ann/work")
        written = {
            file.path: self._adapted(file.text).encode()
            for file in starter_files(setups()[setup], purpose, target)
        }
        token = self.store.tokens.create_personal(self.ann)
        settings = GitHubSettings(
            api_url=self.github.api_url, repository="ann/work", seconds_between_writes=0.0
        )
        person = Hub.open(
            Workplace(self.folder / "person"),
            settings,
            GivenToken(token=SecretStr(token)),
            MAINTAINER,
        )
        first = person.forge.first_commit("person:first", "README.md", "# Work\n")
        person.git.fetch()
        person.git.commit(
            "main", parent=first, changes={**files, **written}, message="Given", mark="person:given"
        )

    def _adapted(self, text: str) -> str:
        """As docs/actions.md tells a person to do: server, model and budget of their own."""
        return (
            text.replace(_SERVER, self.endpoint.base_url)
            .replace(f"model: {Settings().model}", "model: claude-opus-4.8")
            .replace("usd: 5", "usd: 40")
            .replace("${{ secrets.REPOWRIGHT_API_KEY }}", "sk-of-the-recorded-model")
        )

    # What happened

    def settled(self, *events: str, seconds: float = 150.0) -> list[WorkflowRun]:
        """Wait until runs for all these events are there and no run is queued or goes on; return
        all runs."""
        deadline = time.monotonic() + seconds
        while True:
            runs = self.store.tables.workflow_runs.find(repository_id=self.repository.id)
            there = set(events) <= {run.event for run in runs}
            if there and all(run.status == "completed" for run in runs):
                return runs
            assert time.monotonic() < deadline, [(r.name, r.event, r.status) for r in runs]
            time.sleep(0.1)

    def jobs(self, run: WorkflowRun) -> list[WorkflowJob]:
        return self.store.actions.jobs(run)

    def logs(self) -> str:
        """Those of all jobs of the bot."""
        runs = self.store.tables.workflow_runs.find(repository_id=self.repository.id)
        return "\n".join(
            self.store.actions.log(job)
            for run in runs
            if run.name.startswith("Repowright") and run.name != "Repowright check"
            for job in self.jobs(run)
        )

    def saved(self, issue: int = 1) -> RunState | None:
        git = self.store.git(self.repository)
        commit = git.resolve(f"refs/repowright/{issue}")
        entry = git.entry(commit, "state.json") if commit else None
        return RunState.model_validate_json(git.blob(entry.sha)) if entry else None
