"""People at a shell that is pointed at the embedded GitHub, with the real gh and git."""

import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from bot.forge.embedded.clients.settings import ClientSettings
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Account

GH = shutil.which("gh", path=str(Path(sys.executable).parent)) or shutil.which("gh")
NAMED = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "Octavia"), ("EMAIL", "octavia@example.com"))
}


@dataclass(frozen=True)
class Person:
    """Somebody at a shell in which env.sh was read."""

    account: Account
    settings: ClientSettings
    home: Path

    @property
    def token(self) -> str:
        return self.settings.environment["EMBEDDED_GITHUB_TOKEN"]

    @property
    def web(self) -> str:
        return self.settings.environment["GITHUB_SERVER_URL"]

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "GH_NO_UPDATE_NOTIFIER": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C.UTF-8",
            **NAMED,
            **self.settings.environment,
        }

    def gh(self, *arguments: str, cwd: Path | None = None, stdin: str = "") -> str:
        """Standard output of gh; fails the test with what gh said where it does not exit 0."""
        done = self.try_gh(*arguments, cwd=cwd, stdin=stdin)
        assert done.returncode == 0, f"gh {' '.join(arguments)}: {done.stderr}{done.stdout}"
        return done.stdout

    def try_gh(
        self, *arguments: str, cwd: Path | None = None, stdin: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        if GH is None:
            pytest.skip("the gh command line is not installed")
        return subprocess.run(
            [GH, *arguments],
            cwd=cwd or self.home,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def gh_json(self, *arguments: str, cwd: Path | None = None) -> Any:
        return json.loads(self.gh(*arguments, cwd=cwd))

    def git(self, *arguments: str, cwd: Path) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
        return done.stdout.strip()


def commit_all(person: Person, clone: Path, message: str) -> str:
    """Commit everything and return the commit's id."""
    person.git("add", "--all", cwd=clone)
    person.git("commit", "-q", "-m", message, cwd=clone)
    return person.git("rev-parse", "HEAD", cwd=clone)


def finished_run(github: EmbeddedGitHub, person: Person, name: str, commit: str) -> int:
    """A completed workflow run on a commit with a job, its log and an artifact; its id."""
    actions = github.store.actions
    repository = github.store.repositories.find(person.account.login, name)
    assert repository is not None
    workflow = actions.workflow(repository, ".github/workflows/check.yml", "Check")
    run = actions.create_run(
        repository, workflow, Actor(person.account),
        event="push", head_sha=commit, head_branch="greet",
    )  # fmt: skip
    job = actions.create_job(repository, run, "test")
    actions.append_log(job, "2026-01-01T00:00:00.0000000Z checked\n")
    step = {"name": "Run", "number": 1, "status": "completed", "conclusion": "success"}
    job = actions.update_job(repository, job, status="in_progress")
    actions.update_job(repository, job, status="completed", conclusion="success", steps=(step,))
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("report.txt", "1 passed\n")
    actions.create_artifact(repository, run, "report", packed.getvalue())
    actions.update_run(repository, run, status="completed", conclusion="success")
    return run.id


def person(github: EmbeddedGitHub, folder: Path, login: str, **fields: str) -> Person:
    account = github.store.accounts.create(login, **fields)
    home = folder / f"home-{login}"
    home.mkdir()
    return Person(account, github.clients.sign_in(account), home)
