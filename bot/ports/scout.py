"""The scout port: what a server finds out by itself where deliveries may have been lost."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from bot.base import Data


class Labelling(Data):
    """Who put a label on an issue, and when."""

    by: str
    by_bot: bool
    at: datetime


class Saying(Data):
    """A comment as a list shows it. `on_pull` says that `number` is a pull request's, `edited` that
    the text is not as it was written."""

    id: int
    number: int
    on_pull: bool
    body: str
    created_at: datetime
    edited: bool = False


class Attempt(Data):
    """How often a workflow run was started, and whether it has ended."""

    number: int
    ended: bool


class Scout(Protocol):
    """One repository, looked over from outside the runs."""

    def labelled(self, label: str) -> tuple[int, ...]:
        """Numbers of the open issues, no pull requests, that carry the label."""
        ...

    def labelling(self, issue: int, label: str) -> Labelling | None:
        """The last time the label was put on the issue, None where it never was."""
        ...

    def sayings(self, since: datetime) -> tuple[Saying, ...]:
        """Comments of issues and pull requests, people's alone, written or edited since then."""
        ...

    def run_refs(self) -> Mapping[int, str]:
        """Commit id of every run's ref, by issue."""
        ...

    def workflow_attempt(self, run_id: int) -> Attempt | None:
        """The last attempt of a workflow run, None where the run was deleted."""
        ...


class Reach(Protocol):
    """All repositories that the server's credential serves."""

    def repositories(self) -> tuple[tuple[str, int], ...]:
        """(OWNER/NAME, installation) of each; installation 0 where the credential is no App."""
        ...

    def installation(self, repository: str) -> int:
        """The installation that serves a repository; raise ForgeError where none does."""
        ...
