"""People at a shell that is pointed at the embedded GitHub, with the real gh and git."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.forge.embedded.clients.settings import ClientSettings
from bot.forge.embedded.server import EmbeddedGitHub
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


WORKFLOW = """
name: Check
on: [push, workflow_dispatch]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python hello.py | tee report.txt
      - uses: actions/upload-artifact@v4
        with:
          name: report
          path: report.txt
"""
CHANGED = "def greet(name):\n    return f'hello {name}'\n\n\nprint(greet('you'))\n"


def write_project(clone: Path) -> None:
    """A program, and a workflow that runs it and keeps what it prints."""
    (clone / "hello.py").write_text("print('hello')\n")
    workflows = clone / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "check.yml").write_text(WORKFLOW)


def commit_all(person: Person, clone: Path, message: str) -> str:
    """Commit everything and return the commit's id."""
    person.git("add", "--all", cwd=clone)
    person.git("commit", "-q", "-m", message, cwd=clone)
    return person.git("rev-parse", "HEAD", cwd=clone)


def person(github: EmbeddedGitHub, folder: Path, login: str, **fields: str) -> Person:
    account = github.store.accounts.create(login, **fields)
    home = folder / f"home-{login}"
    home.mkdir()
    return Person(account, github.clients.sign_in(account), home)
