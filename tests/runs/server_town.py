"""A team on an embedded GitHub that has installed the bot's App, and the bot's server beside it."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import requests
from pydantic import SecretStr

from bot.base import Outcome
from bot.checks.sandbox import make_sandbox
from bot.config import Settings
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.clock import MovableClock
from bot.forge.embedded.seed import APP_EVENTS, APP_PERMISSIONS
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.serving import BackgroundServer
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Account, Comment, Issue, Repository
from bot.forge.github.credentials import GivenToken
from bot.forge.github.gitstore import Identity
from bot.local import issue_of
from bot.model.scripted import Answer, ScriptedModel
from bot.phases.run import RunState
from bot.runs.database import open_database
from bot.runs.deliveries import SqlDeliveries
from bot.runs.inbox import SqlInbox
from bot.runs.start import is_over, run_ref
from bot.runs.worker import Health
from bot.serverconfig import ServerSettings
from bot.serving import Server
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.web.webhook import create_app
from bot.wiring import Hub, Workplace, now

SECRET = "a secret that only GitHub and the bot know"
ANN = Identity(name="Ann", email="ann@example.invalid")
TALLY = Path(__file__).parent.parent / "journeys" / "specs" / "tally"


def eventually(what: str, holds: Callable[[], bool], seconds: float = 150.0) -> None:
    """Wait until a condition holds, or fail saying what never came."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.05)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


class Town:
    """Ann owns `tally`, Dan may write to it, Eve is a stranger. `replies` are what the model of
    the next server answers."""

    def __init__(self, folder: Path, *, actions: bool = False) -> None:
        """Without `actions` every run waits for its check tests for ever."""
        self.folder = folder
        runner = LocalActions(make_sandbox("bubblewrap")) if actions else None
        self.clock = MovableClock()
        self.github = EmbeddedGitHub(folder / "github", actions=runner, clock=self.clock).start()
        self.store = self.github.store
        self.ann, self.dan, self.eve = (
            self.store.accounts.create(name) for name in ("ann", "dan", "eve")
        )
        self.app, key = self.store.apps.create(
            "repowright", self.ann, permissions=APP_PERMISSIONS, events=APP_EVENTS
        )
        self.installation = self.store.apps.install(self.app, self.ann)
        self.key = folder / "app.pem"
        self.key.write_text(key)
        self.port = free_port()
        self.hook = self.store.hooks.create(
            f"http://127.0.0.1:{self.port}/webhook", app=self.app, events=("*",), secret=SECRET
        )
        self.replies: dict[str, Answer] = {}
        self.settings = Settings(model="claude-opus-4.8")
        self._servers: list[Server] = []

    # What people do

    def repository(self, name: str = "tally") -> Repository:
        made = self.store.repositories.create(self.ann, name, Actor(self.ann))
        self.store.repositories.add_collaborator(made, self.dan, "write")
        return made

    def open_issue(
        self,
        place: Repository,
        by: Account,
        *labels: str,
        body: str | None = None,
        given: bool = True,
    ) -> Issue:
        """The spec of `tally` as an issue; its check tests stand in the repository, but for
        `given` false."""
        files = read_folder(TALLY)
        spec = spec_from_files(files)
        text, files_given = issue_of(spec, files, self.settings.check_tests)
        if given and self.store.git(place).is_empty():
            self.give(place, files_given)
        text = text if body is None else body
        return self.store.issues.create(place, Actor(by), spec.title, text, labels=labels)

    def give(self, place: Repository, files: Mapping[str, bytes]) -> None:
        """Ann pushes files to an empty repository."""
        token = GivenToken(token=SecretStr(self.store.tokens.create_personal(self.ann)))
        settings = self.server_settings().github(f"{place.owner}/{place.name}")
        hub = Hub.open(Workplace(self.folder / "ann" / place.name), settings, token, ANN)
        first = hub.forge.first_commit("ann:first", "README.md", "# Tally\n")
        hub.git.fetch()
        hub.git.commit("main", parent=first, changes=dict(files), message="Given", mark="ann:given")

    def say(self, place: Repository, number: int, by: Account, text: str) -> Comment:
        issue = self.store.issues.find(place, number)
        assert issue is not None
        return self.store.issues.comment(place, issue, Actor(by), text)

    # The bot

    def server_settings(self, **changes: object) -> ServerSettings:
        values: dict[str, object] = {
            "api_url": self.github.api_url,
            "app_id": str(self.app.id),
            "private_key_path": self.key,
            "data": self.folder / "bot",
            "port": self.port,
            "poll_seconds": 1.0,
            "seconds_between_writes": 0.0,
            "settle_seconds": 0.1,
            "run": self.settings,
        }
        return ServerSettings.model_validate(values | changes)

    def server(self, environ: Mapping[str, str] | None = None, **changes: object) -> Server:
        """A server that has not been started."""
        made = Server(
            self.server_settings(**changes),
            {"REPOWRIGHT_WEBHOOK_SECRET": SECRET, **(environ or {})},
            backend=ScriptedModel(self.replies),
        )
        self._servers.append(made)
        return made

    @contextmanager
    def endpoint_without_worker(self) -> Iterator[None]:
        """What is left of a server that takes deliveries and works none."""
        engine = open_database(self.folder / "bot" / "repowright.sqlite3")
        deliveries = SqlDeliveries(engine)
        app = create_app(
            SecretStr(SECRET),
            deliveries,
            now,
            stored=lambda: None,
            health=lambda: Health(working=False, deliveries=0, tasks=0),
        )
        web = BackgroundServer(app, "endpoint", host="127.0.0.1", port=self.port).start()
        yield
        web.stop()
        engine.dispose()

    def all_sent(self) -> bool:
        """Whether the webhook has no delivery under way."""
        return not self.store.hooks.pending()

    def is_idle(self) -> bool:
        """Whether the server has worked everything that it knows of."""
        sent = self.all_sent()
        health = self.readiness()
        return sent and health["deliveries"] == health["tasks"] == 0

    def readiness(self) -> dict[str, int]:
        answer = requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=20)
        found: dict[str, int] = answer.json()
        return found

    # What can be seen

    def attended(self, issue: Issue) -> bool:
        """Whether a workflow follows the issue."""
        engine = open_database(self.folder / "bot" / "repowright.sqlite3")
        try:
            return any(going.address.issue == issue.number for going in SqlInbox(engine).going())
        finally:
            engine.dispose()

    def run(self, place: Repository, issue: Issue) -> RunState | None:
        """The run as its ref holds it."""
        git = self.store.git(place)
        commit = git.resolve(run_ref(issue.number))
        if commit is None:
            return None
        entry = git.entry(commit, "state.json")
        assert entry is not None
        return RunState.model_validate_json(git.blob(entry.sha))

    def outcome(self, place: Repository, issue: Issue) -> Outcome | None:
        """How the run ended, None while it goes on."""
        state = self.run(place, issue)
        return state.outcome if state and is_over(state) else None

    def waits(self, place: Repository, issue: Issue) -> bool:
        """Whether the run has pushed code and waits for its check tests."""
        state = self.run(place, issue)
        return state is not None and state.wait.kind == "check"

    def branches(self, place: Repository) -> list[str]:
        """The bot's branches."""
        return sorted(self.store.git(place).refs("refs/heads/repowright/"))

    def reactions(self, comment: Comment) -> list[str]:
        return [r.content for r in self.store.issues.reactions("comment", comment.id)]

    def comments(self, place: Repository, number: int) -> list[tuple[str, str]]:
        """(login, body) of the comments of an issue or pull request."""
        issue = self.store.issues.find(place, number)
        assert issue is not None
        said = self.store.issues.comments(issue)
        return [(self.store.accounts.get(c.author_id).login, c.body) for c in said]

    def close(self) -> None:
        for server in self._servers:
            server.stop()
        self.github.stop()
