"""A small world on the embedded GitHub: one GitHub for all tests, one repository for each."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from loopback import Dropping
from pydantic import SecretStr

from bot.forge.embedded.clock import MovableClock
from bot.forge.embedded.git.objects import ZERO
from bot.forge.embedded.limits import Limits
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import RefUpdate
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.events import Event
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import AppKey, Credentials, GivenToken
from bot.forge.github.forge import GitHubForge
from bot.forge.github.gitstore import GitHubGitStore, Identity
from bot.forge.github.pace import Clock

BOT = Identity(name="Repowright", email="bot@example.invalid")
CHECK = ".github/workflows/check.yml"
WORKFLOW = """
name: check
on: [workflow_dispatch]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
"""
PERMISSIONS = dict.fromkeys(
    ("actions", "checks", "contents", "issues", "pull_requests", "statuses", "workflows"), "write"
)
PLENTY = 1_000_000


class Machine:
    """An embedded GitHub without ceilings, with ann, dan and eve and the bot as ann's App. Its
    `clock` can be moved."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        plenty = Limits(PLENTY, PLENTY, PLENTY, PLENTY, PLENTY, PLENTY)
        self.clock = MovableClock()
        self.github = EmbeddedGitHub(folder, clock=self.clock, limits=limits or plenty).start()
        self.store = self.github.store
        accounts = self.store.accounts
        self.ann, self.dan, self.eve = (accounts.create(name) for name in ("ann", "dan", "eve"))
        app, pem = self.store.apps.create("repowright", self.ann, permissions=PERMISSIONS)
        installed = self.store.apps.install(app, self.ann)
        self.app = AppKey(
            app_id=str(app.id), private_key=SecretStr(pem), installation_id=installed.id
        )
        self.installed = installed
        self.bot = self.store.apps.bot(app)
        self.numbers = itertools.count(1)


class World:
    """A repository of ann's, `lamp` for short, behind a line that can break."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.folder = folder
        self.store = machine.store
        self.ann, self.dan, self.eve, self.bot = (
            machine.ann,
            machine.dan,
            machine.eve,
            machine.bot,
        )
        self.app = machine.app
        self.machine = machine
        name = f"lamp{next(machine.numbers)}"
        self.lamp = self.store.repositories.create(self.ann, name, Actor(self.ann))
        self.store.repositories.add_collaborator(self.lamp, self.dan, "triage")
        self.line = Dropping(machine.github.url)
        self.clones = 0

    def token_of(self, name: str) -> GivenToken:
        account = self.store.accounts.by_login(name)
        return GivenToken(token=SecretStr(self.store.tokens.create_personal(account)))

    def workflow_token(self) -> GivenToken:
        return GivenToken(token=SecretStr(self.store.tokens.create_workflow(self.lamp, 1)))

    def an_hour_passes(self, when: Callable[[str, str], bool]) -> None:
        """GitHub's clock jumps while the next such request is on its way."""
        left = [timedelta(minutes=61)]

        def move(verb: str, path: str) -> None:
            if left and when(verb, path):
                self.machine.clock.move(left.pop())

        self.line.before = move

    @property
    def mints(self) -> int:
        """How many installation tokens there have been on this GitHub."""
        return len(self.store.tables.tokens.find(kind="installation"))

    def client(self, credentials: Credentials | None = None) -> GitHubClient:
        settings = GitHubSettings(
            api_url=f"{self.line.url}/api/v3",
            repository=f"ann/{self.lamp.name}",
            seconds_between_writes=0.0,
            settle_seconds=0.0,
        )
        clock = Clock(sleep=lambda _: None)
        return GitHubClient(settings, credentials or self.app, clock=clock)

    def forge(self, credentials: Credentials | None = None) -> GitHubForge:
        """A bot that has just started: it remembers nothing."""
        return GitHubForge(self.client(credentials), identity=BOT)

    def clone(self, credentials: Credentials | None = None) -> GitHubGitStore:
        self.clones += 1
        return GitHubGitStore(
            self.folder / f"clone{self.clones}.git",
            self.client(credentials),
            identity=BOT,
            now=lambda: datetime(2026, 1, 2, 12, 0, tzinfo=UTC),
            pause=lambda _: None,
        )

    def seed(self) -> str:
        """A person's first commit on main, with a workflow; returns its id."""
        return self._push("main", None, {"README.md": "# Lamp\n", CHECK: WORKFLOW})

    def work(self, main: str) -> str:
        """One commit on the branch `work`: a new file of 30 lines; returns its id."""
        lines = "".join(f"line {number}\n" for number in range(1, 31))
        return self._push("work", main, {"pkg/a.py": lines})

    def run_workflows(self) -> None:
        """Make a run of what is dispatched here, as the Actions runner does."""

        def start(event: Event) -> None:
            if event.name != "workflow_dispatch" or event.repository is None:
                return
            if event.repository.id != self.lamp.id:
                return
            found = self.store.actions.workflow(self.lamp, CHECK, "check")
            self.store.actions.create_run(
                self.lamp,
                found,
                event.actor,
                event="workflow_dispatch",
                head_sha=self.store.git(self.lamp).resolve("main") or "",
                head_branch="main",
            )

        self.store.bus.subscribe(start)

    def _push(self, branch: str, parent: str | None, files: dict[str, str]) -> str:
        git = self.store.git(self.lamp)
        stream = [f"commit refs/heads/{branch}\ncommitter Ann <ann@example.invalid> 1 +0000\n"]
        stream.append("data 1\n.\n" + (f"from {parent}\n" if parent else ""))
        for path, text in files.items():
            stream.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
        git.git("fast-import", "--quiet", stdin="".join(stream).encode())
        tip = git.refs()[f"refs/heads/{branch}"]
        update = RefUpdate(f"refs/heads/{branch}", ZERO, tip)
        self.store.record_push(self.lamp, Actor(self.ann), [update])
        return tip
