"""How fast GitHub may be asked and written to, and how long it has told us to be quiet.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from math import inf

from bot.ports.forge import RateLimited
from bot.ports.writes import Slot, WriteBook, WriteLimits

# What GitHub wants where it does not say how long: a minute, and ever longer where that fails.
_UNTOLD_WAIT = 60.0
_MOST_DOUBLINGS = 6

EVERYTHING = ""
"""The resource of a limit that concerns REST and GraphQL alike."""


@dataclass(frozen=True)
class Clock:
    """Seconds since 1970, and waiting; both can be given by a test or a simulation."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


class TheirTime:
    """GitHub's clock, as the `Date` of its answers tells it: ours may be minutes off, and then an
    App's signature is refused and a token dies earlier than we believe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = 0.0

    @property
    def ahead(self) -> float:
        """Seconds by which GitHub's clock is ahead of ours."""
        return self._ahead

    def now(self) -> float:
        return self._clock.now() + self._ahead

    def see(self, headers: Mapping[str, str]) -> None:
        told = date_of(headers)
        if told is not None:
            self._ahead = told - self._clock.now()


def date_of(headers: Mapping[str, str]) -> float | None:
    """When an answer was made, in seconds since 1970; None where it does not say."""
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except ValueError:
        return None


class OwnBook:
    """Implements WriteBook for one process."""

    def __init__(self, limits: WriteLimits, clock: Clock | None = None) -> None:
        self._limits = limits
        self._clock = clock or Clock()
        self._created: deque[tuple[float, int]] = deque(
            maxlen=max(limits.per_minute, limits.per_hour)
        )
        self._written = -inf
        self._numbers = count(1)
        self._lock = threading.Lock()

    def reserve(self, soonest: float, latest: float, *, creates: bool) -> Slot:
        with self._lock:
            now = self._clock.now()
            due = max(self._due(creates), now + soonest)
            if due - now > latest:
                return Slot(wait=due - now, number=None)
            number = next(self._numbers)
            self._written = due
            if creates:
                self._created.append((due, number))
            return Slot(wait=due - now, number=number)

    def give_back(self, slot: Slot) -> None:
        with self._lock:
            kept = [made for made in self._created if made[1] != slot.number]
            self._created.clear()
            self._created.extend(kept)

    def _due(self, creates: bool) -> float:
        """The earliest time, in seconds since 1970, at which all limits allow a write."""
        due = self._written + self._limits.gap
        made = list(self._created) if creates else []
        for seconds, limit in self._limits.windows:
            if len(made) >= limit:
                due = max(due, made[-limit][0] + seconds)
        return due


OF_THE_APP = WriteLimits(gap=0.0, per_minute=60, per_hour=1000)
"""For requests as the App itself, which create nothing that anybody sees."""


class Pacer:
    """Spaces requests out; shared by everything in a process that uses one installation or token.

    Writes are counted in the `book`, else in one of its own with these limits. Told to wait, it
    holds back reads and writes alike.
    """

    def __init__(
        self, limits: WriteLimits, *, clock: Clock | None = None, book: WriteBook | None = None
    ) -> None:
        self._clock = clock or Clock()
        self._book = book or OwnBook(limits, self._clock)
        self._held: dict[str, float] = {}
        self._untold = 0
        self._lock = threading.Lock()

    def wait(self, *, longest: float = inf, creates: bool = True, resource: str = "core") -> None:
        """Return when the next write may go out, and count it; raise RateLimited, counting
        nothing, where that is more than `longest` seconds from now."""
        while True:
            soonest = max(self._pause(resource), 0.0)
            slot = self._book.reserve(soonest, longest, creates=creates)
            if slot.number is None:
                raise limited_until(self._clock.now() + slot.wait)
            if slot.wait > 0:
                self._clock.sleep(slot.wait)
            if self._pause(resource) <= 0:
                return
            # Told to wait meanwhile: all who sleep take places anew, or they would go together.
            self._book.give_back(slot)

    def wait_to_read(self, *, longest: float = inf, resource: str = "core") -> None:
        """Return when GitHub may be asked again; raise RateLimited as `wait` does."""
        while True:
            pause = self._pause(resource)
            if pause <= 0:
                return
            if pause > longest:
                raise limited_until(self._clock.now() + pause)
            self._clock.sleep(pause)

    def hold(self, seconds: float, resource: str = EVERYTHING) -> float:
        """Ask for nothing for so long; return the seconds from now."""
        with self._lock:
            until = max(self._clock.now() + seconds, self._held.get(resource, 0.0))
            self._held[resource] = until
            return until - self._clock.now()

    def hold_untold(self) -> float:
        """As `hold` where GitHub does not say how long: twice as long each time in a row."""
        with self._lock:
            seconds = _UNTOLD_WAIT * 2 ** min(self._untold, _MOST_DOUBLINGS)
            if self._held.get(EVERYTHING, 0.0) <= self._clock.now():
                self._untold += 1
        return self.hold(seconds)

    def went_well(self) -> None:
        """GitHub did what was asked: the next wait is a short one again."""
        with self._lock:
            self._untold = 0

    def _pause(self, resource: str) -> float:
        """Seconds until the resource is free; none where that is not above 0."""
        with self._lock:
            free = max(self._held.get(resource, 0.0), self._held.get(EVERYTHING, 0.0))
            return free - self._clock.now()


# The end of the year 9999, beyond which no date is.
_LAST_SECOND = 253_402_300_799.0


def limited_until(seconds: float) -> RateLimited:
    """The error for a wait that is too long to sleep through."""
    return RateLimited(datetime.fromtimestamp(min(seconds, _LAST_SECOND), UTC))
