"""The writes port: the book in which all who share a credential count their writes, so that they
stay below GitHub's ceilings together."""

from typing import Protocol

from bot.base import Data

# GitHub counts a request when it arrives, we when it leaves.
_ON_THE_WAY = 1.0


class WriteLimits(Data):
    """`gap` is in seconds, between any two writes; the others are GitHub's ceilings for requests
    that create content."""

    gap: float
    per_minute: int
    per_hour: int

    @property
    def windows(self) -> tuple[tuple[float, int], ...]:
        """(seconds, most requests that create something within them)."""
        return (60.0 + _ON_THE_WAY, self.per_minute), (3600.0 + _ON_THE_WAY, self.per_hour)


class Slot(Data):
    """When a write may go out, in seconds from now. `number` is where it is counted, None where
    that is too late, so that nothing is."""

    wait: float
    number: int | None


class WriteBook(Protocol):
    def reserve(self, soonest: float, latest: float, *, creates: bool) -> Slot:
        """Count a write that goes out not before `soonest` and not after `latest`, in seconds from
        now, at the first time that the limits allow."""
        ...

    def give_back(self, slot: Slot) -> None:
        """The write does not go out at that time."""
        ...
