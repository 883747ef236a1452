"""The repositories that a server works for, each opened once with its credential and kept open."""

import logging
import re
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bot.base import RepowrightError
from bot.experience.adviser import Adviser
from bot.experience.store import SqlExperiences
from bot.experience.tables import OFF, address_of
from bot.forge.github.client import GitHubSettings, pacer_for
from bot.forge.github.credentials import AppKey
from bot.forge.github.pace import OwnBook, Pacer
from bot.forge.github.scout import AppReach, NamedReach
from bot.logs import about
from bot.model.attempt import Backend
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.calls import CallKeeper
from bot.ports.experience import ExperienceStore, Scope
from bot.ports.meter import Meter, Unmetered
from bot.ports.scout import Reach
from bot.ports.writes import WriteBook, WriteLimits
from bot.runs.place import NotServed, Place
from bot.serverconfig import Secrets, ServerSettings, credentials_of
from bot.wiring import Hub, Workplace, services_of

_RUN_ID = re.compile(r"rw\d{1,9}-[0-9a-f]{10}")


class LogNarrator:
    """Tells the log what happens in the runs."""

    def tell(self, state: RunState, text: str) -> None:
        where = {"phase": state.phase.value, "iteration": state.iteration}
        with about(repository=state.repository, issue=state.issue, run=state.run_id):
            logging.getLogger("repowright.run").info("%s", text, extra=where)


class GitHubPlaces:
    """The repositories of the server's credential, each opened once and kept open."""

    def __init__(
        self,
        settings: ServerSettings,
        secrets: Secrets,
        backend: Backend,
        experiences: ExperienceStore | None,
        meter: Meter | None = None,
        calls: Callable[[str], CallKeeper] | None = None,
        writes: Callable[[str, WriteLimits, WriteBook], WriteBook] | None = None,
    ) -> None:
        """Without a store of experiences nothing is learnt. Where other machines work too, `calls`
        gives what keeps the calls of the run OWNER/NAME:RUN_ID, and `writes` the book of all for an
        installation's, from its limits and the book of this process."""
        self._settings = settings
        self._experiences = experiences
        self._secrets = secrets
        self._backend = backend
        self._meter = meter or Unmetered()
        self._calls = calls
        self._writes = writes
        self._narrator = LogNarrator()
        self._reach = reach_of(settings, secrets, self._meter)
        self._named = {name.lower() for name in settings.repositories}
        self._lock = threading.Lock()
        self._hubs: dict[tuple[str, int], Hub] = {}
        self._pacers: dict[int, Pacer] = {}

    def all(self) -> tuple[tuple[str, int], ...]:
        found = self._reach.repositories()
        return tuple(pair for pair in found if self._serves(pair[0]))

    def open(self, repository: str, installation: int) -> Place:
        if not self._serves(repository):
            raise NotServed(
                "the repository is none of those in the settings",
                where=repository,
                hint="add it to `repositories`, or remove its webhook",
            )
        if not installation:
            installation = self._reach.installation(repository)
        hub = self._hub(repository.lower(), installation)
        return Place(
            repository=repository,
            settings=self._settings.run,
            forge=hub.forge,
            git=hub.git,
            scout=hub.scout,
            services=partial(
                self._services,
                hub,
                self._folder(repository),
                Scope(installation=installation, repository=repository),
            ),
        )

    def _serves(self, repository: str) -> bool:
        return not self._named or repository.lower() in self._named

    def _folder(self, repository: str) -> Path:
        return self._settings.data / "repositories" / repository.lower().replace("/", "+")

    def _hub(self, repository: str, installation: int) -> Hub:
        with self._lock:
            known = self._hubs.get((repository, installation))
            if known is not None:
                return known
            github = self._settings.github(repository)
            hub = Hub.open(
                Workplace(self._folder(repository)),
                github,
                credentials_of(self._settings, self._secrets, installation),
                pacer=self._pacer(installation, github),
                secrets=self._secrets.all(),
                meter=self._meter,
            )
            self._hubs[repository, installation] = hub
            return hub

    def _pacer(self, installation: int, github: GitHubSettings) -> Pacer:
        if installation not in self._pacers:
            limits, book = github.limits, None
            if self._writes is not None:
                book = self._writes(str(installation), limits, OwnBook(limits))
            self._pacers[installation] = pacer_for(github, book=book)
        return self._pacers[installation]

    def _services(self, hub: Hub, folder: Path, scope: Scope, state: RunState) -> Services:
        """The state comes from a ref that everyone with write permission can push."""
        if not _RUN_ID.fullmatch(state.run_id):
            raise RepowrightError("the run's id is none of ours", where=state.ref)
        place = Workplace(folder / state.run_id)
        adviser = Adviser(self._experiences, scope) if self._experiences is not None else None
        return services_of(
            hub,
            place,
            state,
            self._backend,
            self._narrator,
            adviser=adviser,
            meter=self._meter,
            keeper=self._calls(f"{scope.repository.lower()}:{state.run_id}")
            if self._calls
            else None,
        )


def open_experiences(settings: ServerSettings, held: ExitStack) -> ExperienceStore | None:
    """The store for all repositories, open; raise StoreUnavailable where it cannot be used."""
    if settings.experience == OFF:
        return None
    store = SqlExperiences(address_of(settings.experience_address))
    held.callback(store.close)
    return store.open()


def reach_of(settings: ServerSettings, secrets: Secrets, meter: Meter | None = None) -> Reach:
    """Raise RepowrightError where the credentials are missing or cannot be used."""
    credentials = credentials_of(settings, secrets, 0)
    if isinstance(credentials, AppKey):
        return AppReach(settings.github("app/app"), credentials, meter)
    return NamedReach(settings.repositories)
