"""The lease port: who works on a run now, where several hosts share nothing but the repository."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from bot.base import Data
from bot.ports.git import GitError

# The file of a run's ref that holds the lease while a job works.
LEASE = "lease.json"


class Lease(Data):
    """`holder` works on a run until `until`, and longer where it renews that; `place` is where
    people can watch it. The holder is unique over all jobs and attempts."""

    holder: str
    place: str
    until: datetime


class LeaseLost(GitError):
    """Another job has taken the run over, so this one must not write any more."""


class RunLease(Protocol):
    def take(self, is_over: Callable[[Lease], bool]) -> Lease | None:
        """Hold the run from now on, in place of a lease that `is_over`; return the lease of the
        holder that works on it, None where it is ours now."""
        ...

    def renew(self) -> None:
        """Hold it longer; raise LeaseLost where another holds it."""
        ...

    def ring(self) -> None:
        """Tell whoever holds the run that there is more to do; who rings and then finds the run
        held still may go, for the holder hears it after its release."""
        ...

    def answer(self) -> bool:
        """Whether somebody has rung since the last answer."""
        ...

    def release(self) -> None:
        """Leave the run to whoever comes next, with what was paid for and is not saved yet."""
        ...
