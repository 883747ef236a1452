"""The embedded GitHub with many repositories, each with the smallest example as an issue."""

import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from bot.base import RepowrightError
from bot.bench.crew.kept import KeptSandbox
from bot.checks.sandbox import make_sandbox
from bot.config import Settings
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.limits import Limits
from bot.forge.embedded.seed import APP_EVENTS, APP_PERMISSIONS
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Repository
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.local import issue_of
from bot.phases.run import RunState
from bot.runs.start import is_over, run_ref
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.wiring import MAINTAINER, Hub, Workplace

HOOK_KEY = "known to the benches alone"
_EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
_SMALLEST = "jiffy"
ISSUE = 1
# GitHub lets an installation write 500 times an hour; how that is obeyed is measured elsewhere.
_PLENTY = 100_000_000
_NONE = Limits(installation=_PLENTY, content_minute=_PLENTY, content_hour=_PLENTY)


def example() -> Path:
    """The folder of the smallest example; raise RepowrightError where there is no clone."""
    folder = _EXAMPLES / _SMALLEST
    if not folder.is_dir():
        raise RepowrightError(
            "the examples are not part of the installed package",
            where=str(folder),
            hint="clone the repository and run the bench there",
        )
    return folder


class Town:
    """A context manager; the App's webhook goes to `port`."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self._kept = folder / "checks"
        actions = LocalActions(KeptSandbox(make_sandbox("bubblewrap"), self._kept))
        self.github = EmbeddedGitHub(folder / "github", actions=actions, limits=_NONE)
        self._port = port
        self._held = ExitStack()

    def __enter__(self) -> Self:
        self.github.start()
        self._held.callback(self.github.stop)
        store = self.github.store
        self.ann = store.accounts.create("ann")
        app, key = store.apps.create(
            "repowright", self.ann, permissions=APP_PERMISSIONS, events=APP_EVENTS
        )
        store.apps.install(app, self.ann)
        url = f"http://127.0.0.1:{self._port}/webhook"
        store.hooks.create(url, app=app, events=("*",), secret=HOOK_KEY)
        self.app_id = str(app.id)
        self.key = self.folder / "app.pem"
        self.key.write_text(key)
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def found(self, count: int) -> tuple[Repository, ...]:
        """So many repositories with the example's given files."""
        settings = Settings()
        files = read_folder(example())
        spec = spec_from_files(files, check_tests_dir=settings.check_tests)
        self._title = spec.title
        self._body, given = issue_of(spec, files, settings.check_tests)
        token = GivenToken(token=SecretStr(self.github.store.tokens.create_personal(self.ann)))
        made = []
        for number in range(count):
            store = self.github.store
            made.append(store.repositories.create(self.ann, f"r{number}", Actor(self.ann)))
            github = GitHubSettings(
                api_url=self.github.api_url, repository=f"ann/r{number}", seconds_between_writes=0
            )
            place = Workplace(self.folder / "seed")
            hub = Hub.open(place, github, token, MAINTAINER)
            first = hub.forge.first_commit("seed:first", "README.md", f"# {spec.title}\n")
            hub.git.fetch()
            hub.git.commit("main", parent=first, changes=given, message="Given", mark="seed:given")
            shutil.rmtree(place.folder)
        return tuple(made)

    def ask(self, repositories: Iterable[Repository]) -> None:
        """Open the issue in each."""
        for repository in repositories:
            self.github.store.issues.create(
                repository, Actor(self.ann), self._title, self._body, labels=(Settings().label,)
            )

    def run(self, repository: Repository) -> RunState | None:
        """The run as its ref holds it."""
        git = self.github.store.git(repository)
        commit = git.resolve(run_ref(ISSUE))
        entry = git.entry(commit, "state.json") if commit else None
        return RunState.model_validate_json(git.blob(entry.sha)) if entry else None

    def has_ended(self, repository: Repository) -> bool:
        state = self.run(repository)
        return state is not None and is_over(state)
