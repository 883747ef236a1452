"""Who walks: people and an App on an embedded GitHub, with a repository that has a bit of all."""

import base64
from dataclasses import dataclass, field
from typing import Any

import jwt
import requests

from bot.base import RepowrightError
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.rows import Repository, WorkflowRun

HOME = "/repos/ann/lamp"
WORKFLOW = """
name: check
on:
  workflow_dispatch:
    inputs:
      depth: {default: shallow}
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
"""
_PERMISSIONS = dict.fromkeys(
    ("actions", "checks", "contents", "issues", "pull_requests", "statuses", "workflows"), "write"
)
_EVENTS = (
    "check_run",
    "check_suite",
    "create",
    "delete",
    "issue_comment",
    "issues",
    "label",
    "member",
    "milestone",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "repository",
    "repository_dispatch",
    "status",
    "workflow_dispatch",
    "workflow_job",
    "workflow_run",
)
_PATIENCE = 60


class IdleRunner:
    """An Actions runner that takes every order and does nothing: runs are what a tour makes."""

    def start(self, github: EmbeddedGitHub) -> None: ...

    def stop(self) -> None: ...

    def rerun(self, run: WorkflowRun, *, failed_only: bool) -> None: ...

    def cancel(self, run: WorkflowRun) -> None: ...


@dataclass
class Guide:
    """`tokens` by who asks: "ann" owns ann/lamp and the organization guild, "dan" may write,
    "app" is the App's installation token; "app itself" signs as the App."""

    github: EmbeddedGitHub
    tokens: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        store = self.github.store
        self.ann = store.accounts.create("ann", name="Ann", email="ann@example.org")
        self.dan = store.accounts.create("dan")
        self.guild = store.accounts.create_organization("guild", self.ann)
        self.app, self._key = store.apps.create(
            "judge", self.ann, permissions=_PERMISSIONS, events=_EVENTS
        )
        self.hook = store.hooks.create(f"{self.github.url}/nobody", app=self.app, events=("*",))
        self.installation = store.apps.install(self.app, self.ann)
        store.apps.install(self.app, self.guild)
        self.tokens |= {
            "ann": store.tokens.create_personal(self.ann),
            "dan": store.tokens.create_personal(self.dan),
            "app": store.tokens.create_installation(self.installation),
        }

    @property
    def actor(self) -> Actor:
        return Actor(self.ann)

    @property
    def lamp(self) -> Repository:
        """ann/lamp; raise RepowrightError before it is made."""
        found = self.github.store.repositories.find("ann", "lamp")
        if found is None:
            raise RepowrightError("there is no repository yet", where=HOME)
        return found

    def _credential(self, by: str) -> str:
        if by != "app itself":
            return self.tokens[by]
        now = int(self.github.store.now().timestamp())
        claims = {"iat": now - 60, "exp": now + 300, "iss": str(self.app.id)}
        return jwt.encode(claims, self._key, algorithm="RS256")

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        /,
        *,
        by: str = "ann",
        status: int | None = None,
        accept: str = "application/vnd.github+json",
        **query: Any,
    ) -> Any:
        """The answer as JSON, None where it has no body. Raise RepowrightError where it has
        another status than expected: `status`, or one below 400."""
        answer = requests.request(
            method,
            f"{self.github.api_url}{path}",
            json=body,
            params=query or None,
            headers={"Authorization": f"Bearer {self._credential(by)}", "Accept": accept},
            timeout=_PATIENCE,
            allow_redirects=False,
        )
        wrong = answer.status_code >= 400 if status is None else answer.status_code != status
        if wrong:
            where = f"{method} {path}"
            raise RepowrightError(f"{answer.status_code}: {answer.text[:300]}", where=where)
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        return answer.json() if is_json else None

    def write(self, path: str, text: str, *, branch: str = "main", **more: Any) -> str:
        """A file through the contents API; returns the commit's id."""
        body = {"message": f"Write {path}", "content": encoded(text), "branch": branch} | more
        made = self.ask("PUT", f"{HOME}/contents/{path}", body)
        sha: str = made["commit"]["sha"]
        return sha


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
