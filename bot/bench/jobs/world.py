"""A repository with the workflows of `repowright init` on an embedded GitHub that runs them with
act, and a model that replays a recording behind an OpenAI-compatible endpoint."""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from git import Repo
from github import Auth, Github
from github.EnvironmentDeploymentBranchPolicy import EnvironmentDeploymentBranchPolicyParams
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
from bot.local import issue_of
from bot.model.journal import read_calls
from bot.model.ledger import LedgerEntry
from bot.phases.run import RunState
from bot.runs.start import is_over, run_ref
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.starter.files import starter_files
from bot.starter.repository import Target, target_at
from bot.starter.setups import Purpose, SetupName, setups
from bot.wiring import MAINTAINER, Hub, Workplace

_SERVER = "https://api.openai.com/v1"
_LOOK_EVERY = 0.1
_TURNS = ("Repowright", "Repowright repair")
_CLIENT = "REPOWRIGHT_CLIENT_ID"
_KEY = "sk-of-the-recorded-model"


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._held.close()

    def give(self, setup: SetupName, purpose: Purpose, files: Mapping[str, bytes]) -> None:
        """Do what `repowright init` tells a person to do, and push these files with the workflows,
        with the address of this model in them."""
        target = self._cloned(files)
        written = {
            file.path: self._adapted(file.text).encode()
            for file in starter_files(setups()[setup], purpose, target)
        }
        token = self.store.tokens.create_personal(self.ann)
        self._guard(token, {"REPOWRIGHT_API_KEY": _KEY, **self._prepared(setup)})
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

    def _cloned(self, files: Mapping[str, bytes]) -> Target:
        """What `repowright init` finds in a clone with these files."""
        clone = self.folder / "clone"
        with Repo.init(clone, initial_branch="main") as made:
            made.create_remote("origin", f"{self.github.url}/ann/work.git")
        for path, content in files.items():
            (clone / path).parent.mkdir(parents=True, exist_ok=True)
            (clone / path).write_bytes(content)
        return target_at(clone)

    def ask(self, example: Path) -> None:
        """Open the issue of an example, whose given files are in the repository."""
        title, body, _ = issue_in(example)
        label = Settings().label
        self.store.issues.create(self.repository, Actor(self.ann), title, body, labels=(label,))

    def _prepared(self, setup: SetupName) -> Mapping[str, str]:
        """The secrets and variables of a set-up, once what they belong to is made."""
        by = Actor(self.ann)
        if setup is SetupName.ACTIONS:
            self.repository = self.store.repositories.edit(
                self.repository, by, actions_may_approve=True
            )
            return {}
        if setup is SetupName.TOKEN:
            robot = self.store.accounts.create("robot")
            self.store.repositories.add_collaborator(self.repository, robot, "push")
            return {"REPOWRIGHT_TOKEN": self.store.tokens.create_personal(robot)}
        granted = {p.name.replace("-", "_"): p.level for p in setups()[setup].permissions}
        app, key = self.store.apps.create("wright", self.ann, permissions=granted, events=())
        self.store.apps.install(app, self.ann)
        return {_CLIENT: app.client_id, "REPOWRIGHT_PRIVATE_KEY": key}

    def _guard(self, token: str, values: Mapping[str, str]) -> None:
        """Keep them in the environment that the default branch alone may use."""
        client = Github(auth=Auth.Token(token), base_url=self.github.api_url)
        repository = client.get_repo("ann/work")
        policy = EnvironmentDeploymentBranchPolicyParams(False, custom_branch_policies=True)
        environment = repository.create_environment("repowright", deployment_branch_policy=policy)
        policies = f"{environment.url}/deployment-branch-policies"
        client.requester.requestJsonAndCheck("POST", policies, input={"name": "main"})
        for name, value in values.items():
            keep = environment.create_variable if name == _CLIENT else environment.create_secret
            keep(name, value)

    def _adapted(self, text: str) -> str:
        """As docs/actions.md tells a person to do: server, model and budget of their own."""
        return (
            text.replace(_SERVER, self.endpoint.base_url)
            .replace(f"model: {Settings().model}", "model: claude-opus-4.8")
            .replace("usd: 5", "usd: 40")
        )

    # What happened

    def settled(self, *events: str, seconds: float = 150.0) -> list[WorkflowRun]:
        """Wait until runs for all these events are there and no run is queued or goes on; return
        all runs, after so many seconds in any case."""
        deadline = time.monotonic() + seconds
        while True:
            runs = self.runs()
            there = set(events) <= {run.event for run in runs}
            if there and all(run.status == "completed" for run in runs):
                return runs
            if time.monotonic() > deadline:
                return runs
            time.sleep(_LOOK_EVERY)

    def ended(self, issue: int = 1, seconds: float = 150.0) -> RunState | None:
        """Wait until the run has ended and no job goes on; return how it stands, after so many
        seconds in any case."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            state = self.saved(issue)
            at_rest = all(run.status == "completed" for run in self.runs())
            if state is not None and is_over(state) and at_rest:
                break
            time.sleep(_LOOK_EVERY)
        return self.saved(issue)

    def runs(self) -> list[WorkflowRun]:
        return self.store.tables.workflow_runs.find(repository_id=self.repository.id)

    def jobs_of(self, *workflows: str) -> list[WorkflowJob]:
        """The jobs of these workflows that were not left out by their condition."""
        runs = [run for run in self.runs() if run.name in workflows]
        jobs = [job for run in runs for job in self.store.actions.jobs(run)]
        return [job for job in jobs if job.conclusion != "skipped"]

    def turns(self) -> list[WorkflowJob]:
        """The jobs in which the bot worked, or found nothing to do."""
        return self.jobs_of(*_TURNS)

    def logs(self) -> str:
        """Those of all jobs of the bot."""
        return "\n".join(self.store.actions.log(job) for job in self.turns())

    def saved(self, issue: int = 1) -> RunState | None:
        text = self._kept(issue, "state.json")
        return RunState.model_validate_json(text) if text else None

    def ledger(self, issue: int = 1) -> list[LedgerEntry]:
        """The calls of a run, each once."""
        text = self._kept(issue, "ledger.jsonl") or b""
        lines = [LedgerEntry.model_validate_json(line) for line in text.splitlines()]
        return list({line.call: line for line in lines}.values())

    def _kept(self, issue: int, path: str) -> bytes | None:
        git = self.store.git(self.repository)
        commit = git.resolve(run_ref(issue))
        entry = git.entry(commit, path) if commit else None
        return git.blob(entry.sha) if entry else None


def issue_in(example: Path) -> tuple[str, str, dict[str, bytes]]:
    """Title and body of an example's issue, and the files that are given with it."""
    files = read_folder(example)
    given_tests = Settings().check_tests
    spec = spec_from_files(files, check_tests_dir=given_tests)
    body, given = issue_of(spec, files, given_tests)
    return spec.title, body, dict(given)
