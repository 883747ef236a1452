"""A running embedded GitHub seen from outside: its credentials, PyGithub, git and bare requests."""

import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import requests
from github import Auth, Github, GithubIntegration
from github.Repository import Repository

from bot.forge.embedded.seed import Seeded
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor


@dataclass
class MovedClock:
    """Real time plus what a test added."""

    ahead: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def advance(self, **by: float) -> None:
        self.ahead += timedelta(**by)


@dataclass(frozen=True)
class World:
    """The server, its credentials, and clients for each of them."""

    github: EmbeddedGitHub
    seeded: Seeded
    stranger_token: str
    clock: MovedClock
    folder: Path

    @property
    def actor(self) -> Actor:
        return Actor(self.seeded.maintainer)

    def client(self, token: str | None = None) -> Github:
        """PyGithub, by default as the maintainer; no retries, so that refusals show at once."""
        auth = Auth.Token(token or self.seeded.token)
        return Github(
            auth=auth,
            base_url=self.github.api_url,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )

    @property
    def stranger(self) -> Github:
        return self.client(self.stranger_token)

    def app_token(self, **narrowed: Any) -> str:
        return self.github.store.tokens.create_installation(self.seeded.installation, **narrowed)

    @property
    def app(self) -> Github:
        return self.client(self.app_token())

    def integration(self) -> GithubIntegration:
        auth = Auth.AppAuth(self.seeded.app.id, self.seeded.private_key)
        return GithubIntegration(auth=auth, base_url=self.github.api_url, retry=None)

    def repository(self, client: Github | None = None) -> Repository:
        return (client or self.client()).get_repo(self.seeded.repository.full_name)

    def filled(self, client: Github | None = None) -> Repository:
        """The repository with a first commit and a branch `work` that changes app.py."""
        repository = self.repository(client)
        first = "".join(f"line {i}\n" for i in range(1, 31))
        repository.create_file("app.py", "First", first)
        head = repository.get_branch("main").commit.sha
        repository.create_git_ref("refs/heads/work", head)
        entry = repository.get_contents("app.py", ref="work")
        changed = first.replace("line 15\n", "line fifteen\n")
        repository.update_file("app.py", "Change", changed, entry.sha, branch="work")
        return repository

    def call(
        self, method: str, path: str, token: str | None = "", **more: Any
    ) -> requests.Response:
        """A bare request to the API; `token` None goes without credentials."""
        headers = more.pop("headers", {})
        if token is not None:
            headers["Authorization"] = f"Bearer {token or self.seeded.token}"
        return requests.request(
            method, f"{self.github.api_url}/{path}", headers=headers, timeout=30, **more
        )

    def remote(self, token: str | None = None, name: str | None = None) -> str:
        name = name or self.seeded.repository.full_name
        secret = token or self.seeded.token
        return self.github.url.replace("://", f"://x-access-token:{secret}@") + f"/{name}.git"

    def git(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Real git; the caller looks at the exit code."""
        return subprocess.run(
            ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments],
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "GIT_TERMINAL_PROMPT": "0", "HOME": str(self.folder)},
        )

    def clone(self, token: str | None = None, folder: str = "clone") -> Path:
        path = self.folder / folder
        done = self.git("clone", "-q", self.remote(token), str(path))
        assert done.returncode == 0, done.stderr
        return path

    def commit(self, clone: Path, files: dict[str, str], message: str = "Work") -> str:
        for name, text in files.items():
            path = clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "-A", cwd=clone)
        self.git("commit", "-q", "-m", message, cwd=clone)
        return self.git("rev-parse", "HEAD", cwd=clone).stdout.strip()
