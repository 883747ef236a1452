"""The GitHub that the measured server works for, and, where its worker is to have its hands full,
what there is to do: labelled spec issues in several repositories."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import SecretStr

from bot.bench.parts import spec_files
from bot.config import Settings
from bot.forge.embedded.seed import seed
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Repository
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.local import issue_of
from bot.spec.folder import spec_from_files
from bot.wiring import MAINTAINER, Hub, Workplace

_REPOSITORIES = 4
_ISSUES = 6


class World:
    """An embedded GitHub without workflows, so that every run ends up waiting for its check. `key`
    is the private key of an App of it. A context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held = ExitStack()
        self._github = EmbeddedGitHub(folder / "github")
        seeded = seed(self._github.store)
        self._maintainer = seeded.maintainer
        self.key = seeded.private_key
        self.token = seeded.token
        self.repositories: tuple[str, ...] = (_name(seeded.repository),)

    @property
    def api_url(self) -> str:
        return self._github.api_url

    def give_work(self) -> None:
        """Issues enough to keep a worker busy for the length of a measurement."""
        files = spec_files()
        spec = spec_from_files(files)
        body, given = issue_of(spec, files, Settings().check_tests)
        by = Actor(self._maintainer)
        for number in range(_REPOSITORIES):
            made = self._github.store.repositories.create(self._maintainer, f"busy-{number}", by)
            name = _name(made)
            self._commit(name, given)
            for _ in range(_ISSUES):
                labels = (Settings().label,)
                self._github.store.issues.create(made, by, spec.title, body, labels=labels)
            self.repositories = (*self.repositories, name)

    def _commit(self, repository: str, files: Mapping[str, bytes]) -> None:
        """The maintainer pushes the check tests to the empty repository."""
        github = GitHubSettings(
            api_url=self.api_url, repository=repository, seconds_between_writes=0
        )
        token = GivenToken(token=SecretStr(self.token))
        place = Workplace(self._folder / "maintainer" / repository)
        hub = Hub.open(place, github, token, MAINTAINER)
        first = hub.forge.first_commit("given", "README.md", "# Parts\n")
        hub.git.fetch()
        hub.git.commit("main", parent=first, changes=files, message="Check tests", mark="given:2")

    def __enter__(self) -> Self:
        self._held.enter_context(self._github)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._held.close()


def _name(repository: Repository) -> str:
    return f"{repository.owner}/{repository.name}"
