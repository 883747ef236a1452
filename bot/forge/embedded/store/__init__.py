"""Everything the embedded GitHub knows: one SQLite file and a folder of bare repositories."""

from collections.abc import Iterable
from pathlib import Path

from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.git.objects import RefUpdate
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.accounts import Accounts, Apps, Tokens
from bot.forge.embedded.store.actions import Actions
from bot.forge.embedded.store.checks import Checks
from bot.forge.embedded.store.core import Clock, Core, system_clock
from bot.forge.embedded.store.departures import Departures
from bot.forge.embedded.store.environments import Environments
from bot.forge.embedded.store.hooks import Hooks
from bot.forge.embedded.store.issues import Issues
from bot.forge.embedded.store.manifests import Manifests
from bot.forge.embedded.store.pulls import Pulls
from bot.forge.embedded.store.pushes import Pushes
from bot.forge.embedded.store.repositories import Repositories
from bot.forge.embedded.store.reviews import Reviews
from bot.forge.embedded.store.rows import Repository
from bot.forge.embedded.store.vault import Vault


class Store:
    """One data folder; safe to use from many threads of one process.

    Everything that changes something takes the Actor who does it, checks GitHub's rules, raises
    `Refused` where one is broken, and tells the event bus after the commit.
    """

    def __init__(self, folder: Path, clock: Clock = system_clock) -> None:
        core = Core(folder, clock)
        self.core = core
        self.tables = core.tables
        self.bus = core.bus
        self.transaction = core.transaction
        self.now = core.now
        self.publish = core.publish
        self.accounts = Accounts(core)
        self.apps = Apps(core, self.accounts)
        self.tokens = Tokens(core, self.accounts, self.apps)
        self.repositories = Repositories(core, self.accounts)
        self.issues = Issues(core, self.repositories)
        self.departures = Departures(core, self.repositories)
        self.pulls = Pulls(core, self.issues)
        self.reviews = Reviews(core, self.issues, self.pulls)
        self.checks = Checks(core)
        self.actions = Actions(core, self.apps, self.checks)
        self.environments = Environments(core)
        self.vault = Vault(core)
        self.hooks = Hooks(core)
        self.manifests = Manifests(core, self.accounts, self.apps, self.hooks)
        self._pushes = Pushes(
            core,
            self.accounts,
            self.apps,
            self.checks,
            self.pulls,
            self.reviews,
            self.actions,
        )
        self.apps.actions()

    def git(self, repository: Repository) -> BareRepository:
        return self.core.git(repository)

    def record_push(self, repository: Repository, by: Actor, updates: Iterable[RefUpdate]) -> None:
        """To be called after refs have moved."""
        self._pushes.record(repository, by, updates)

    def close(self) -> None:
        self.core.database.close()


__all__ = ["Actor", "RefUpdate", "Store"]
