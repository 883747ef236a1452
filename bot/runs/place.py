"""One repository as a worker finds it, and the desk that it works at: protocols and data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.base import RepowrightError
from bot.config import Settings
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.forge import Forge
from bot.ports.git import GitStore
from bot.ports.meter import Meter, Unmetered
from bot.ports.scout import Scout
from bot.runs.inbox import Inbox
from bot.runs.index import RunIndex
from bot.runs.starts import Starts, Unlimited


@dataclass(frozen=True)
class Place:
    """A repository with everything that works on it; `services` opens those of one run."""

    repository: str
    settings: Settings
    forge: Forge
    git: GitStore
    scout: Scout
    services: Callable[[RunState], Services]


class NotServed(RepowrightError):
    """A delivery came from a repository that this server does not work for."""


class Places(Protocol):
    def open(self, repository: str, installation: int) -> Place:
        """Raise NotServed where the server does not work for the repository."""
        ...

    def all(self) -> tuple[tuple[str, int], ...]:
        """(OWNER/NAME, installation) of every repository that the server serves."""
        ...


@dataclass(frozen=True)
class Desk:
    """What a worker itself works with. `poll` is the time between two looks at a check that no
    delivery tells of, `hold` the time that a workflow stays for a person's word before it ends,
    to be started again by it."""

    inbox: Inbox
    index: RunIndex
    clock: Callable[[], datetime]
    poll: timedelta
    hold: timedelta
    meter: Meter = field(default_factory=Unmetered)
    starts: Starts = field(default_factory=Unlimited)
