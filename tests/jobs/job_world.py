"""A repository on an embedded GitHub where no workflow runs, and jobs of the bot as a runner would
start them there."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import SecretStr

from bot.config import Settings
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.local import issue_of
from bot.model.ledger import Ledger
from bot.phases.run import RunState
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.wiring import MAINTAINER, Hub, Workplace

JIFFY = Path(__file__).parents[2] / "examples" / "jiffy"
PERMISSIONS = {
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
    "actions": "read",
}


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for a condition; fail where it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.05)


@dataclass(frozen=True)
class Left:
    """What a job left: exit code, log, summary, outputs."""

    code: int
    log: str
    summary: str
    outputs: Mapping[str, str]


class JobTown:
    """Ann's repository `name` with these files on `main`. `settings` and `backend` are what a job
    is given where a test names no other."""

    def __init__(
        self,
        folder: Path,
        name: str,
        files: Mapping[str, bytes],
        settings: Mapping[str, Any],
        backend: str,
    ) -> None:
        self.folder = folder
        self.github = EmbeddedGitHub(folder / "github").start()
        self.store = self.github.store
        self.ann = self.store.accounts.create("ann")
        by = Actor(self.ann)
        made = self.store.repositories.create(self.ann, name, by)
        self.repository = self.store.repositories.edit(made, by, actions_may_approve=True)
        self._settings = {**settings, "may_write_workflows": False}
        self._backend = backend
        self._person = self.hub(self.store.tokens.create_personal(self.ann), "person")
        self._person.forge.first_commit("person:first", "README.md", f"# {name}\n")
        self.push(files)

    def close(self) -> None:
        self.github.stop()

    @property
    def _full_name(self) -> str:
        return f"ann/{self.repository.name}"

    def hub(self, token: str, name: str) -> Hub:
        settings = GitHubSettings(
            api_url=self.github.api_url, repository=self._full_name, seconds_between_writes=0.0
        )
        given = GivenToken(token=SecretStr(token))
        return Hub.open(Workplace(self.folder / name), settings, given, MAINTAINER)

    def push(self, files: Mapping[str, bytes | None]) -> None:
        """A commit of Ann's on `main`, which is `head` from now on."""
        git = self._person.git
        git.fetch()
        parent = git.head("main")
        assert parent is not None
        mark = f"person:{parent}"
        self.head = git.commit("main", parent=parent, changes=files, message="By hand", mark=mark)

    def tree(self) -> Mapping[str, bytes]:
        """The files of `head`."""
        return self._person.git.read(self.head)

    def event(self, action: str, by: str, **more: Any) -> Mapping[str, Any]:
        """The payload that a webhook would bring."""
        return {
            "action": action,
            "repository": {"full_name": self._full_name, "default_branch": "main"},
            "sender": {"login": by, "type": "User"},
            **more,
        }

    def environment(
        self, event: str, payload: Mapping[str, Any], run: int, **inputs: str
    ) -> dict[str, str]:
        """What a runner and the action would give a job; inputs by the names of the variables."""
        folder = self.folder / f"job{run}"
        folder.mkdir()
        (folder / "event.json").write_text(json.dumps(payload))
        token = self.store.tokens.create_workflow(self.repository, run, PERMISSIONS)
        plain = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return plain | {
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_REPOSITORY": self._full_name,
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_SERVER_URL": self.github.url,
            "GITHUB_RUN_ID": str(run),
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_JOB": "work",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "outputs"),
            "RUNNER_TEMP": str(folder / "temp"),
            "REPOWRIGHT_TOKEN": token,
            "REPOWRIGHT_SETTINGS": yaml.safe_dump(self._settings),
            "REPOWRIGHT_BACKEND": self._backend,
            "REPOWRIGHT_CHECKS": "job",
            "REPOWRIGHT_SECONDS_BETWEEN_WRITES": "0",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            **inputs,
        }

    def start(self, environment: Mapping[str, str], command: str = "generate") -> "Job":
        return Job(environment, command)

    def saved(self, issue: int = 1) -> RunState | None:
        """The run as its ref holds it."""
        text = self.in_ref(f"refs/repowright/{issue}", "state.json")
        return RunState.model_validate_json(text) if text else None

    def ledger(self, issue: int = 1) -> Ledger:
        return Ledger.from_jsonl(self.in_ref(f"refs/repowright/{issue}", "ledger.jsonl") or b"")

    def in_ref(self, ref: str, path: str) -> bytes | None:
        """A file at the tip of a ref."""
        git = self.store.git(self.repository)
        commit = git.resolve(ref)
        entry = git.entry(commit, path) if commit else None
        return git.blob(entry.sha) if entry else None

    def refs(self) -> set[str]:
        return set(self.store.git(self.repository).refs("refs/repowright"))


class JobWorld(JobTown):
    """Ann's repository `jiffy`; its issue 1 asks for the example."""

    def __init__(self, folder: Path) -> None:
        files = read_folder(JIFFY)
        spec = spec_from_files(files, check_tests_dir=Settings().check_tests)
        body, given = issue_of(spec, files, Settings().check_tests)
        settings = yaml.safe_load((JIFFY / "recording" / "settings.yaml").read_text())
        super().__init__(folder, "jiffy", given, settings, f"replay:{JIFFY}/recording")
        self.issue = self.store.issues.create(
            self.repository, Actor(self.ann), spec.title, body, labels=("repowright",)
        )

    # Events

    def labelled(self) -> tuple[str, Mapping[str, Any]]:
        label = {"name": "repowright"}
        issue = {"number": 1, "updated_at": "2026-12-01T00:00:00Z", "labels": [label]}
        return "issues", self.event("labeled", "ann", label=label, issue=issue)

    def commented(self, body: str, by: str = "ann") -> tuple[str, Mapping[str, Any]]:
        account = self.store.accounts.find(by) or self.store.accounts.create(by)
        made = self.store.issues.comment(self.repository, self.issue, Actor(account), body)
        issue = {"number": 1, "updated_at": "2026-12-01T00:00:00Z"}
        comment = {"id": made.id, "body": body, "user": {"login": by, "type": "User"}}
        return "issue_comment", self.event("created", by, issue=issue, comment=comment)

    def job(self, event: tuple[str, Mapping[str, Any]], run: int = 1, /, **inputs: str) -> Left:
        """One job from its start to its end."""
        return self.start(self.environment(*event, run, **inputs)).left()


class Job:
    """A process as a runner's step; its log goes to a file."""

    def __init__(self, environment: Mapping[str, str], command: str) -> None:
        self._folder = Path(environment["GITHUB_EVENT_PATH"]).parent
        with (self._folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "bot.jobs", command],
                env=dict(environment),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def log(self) -> str:
        return (self._folder / "log").read_text("utf-8")

    def end(self, how: signal.Signals) -> Left:
        self.process.send_signal(how)
        return self.left()

    def left(self) -> Left:
        code = self.process.wait(timeout=100)
        summary, outputs = self._folder / "summary.md", self._folder / "outputs"
        lines = outputs.read_text().splitlines() if outputs.exists() else []
        return Left(
            code=code,
            log=self.log(),
            summary=summary.read_text("utf-8") if summary.exists() else "",
            outputs=dict(line.split("=", 1) for line in lines),
        )
