"""GitHub's rate limits, primary and secondary, counted by the store's clock."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.core import Clock
from bot.forge.embedded.store.errors import Refused

_PRIMARY_DOCS = (
    "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
    "#primary-rate-limit-for-authenticated-users"
)
_SECONDARY_DOCS = (
    "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
    "#about-secondary-rate-limits"
)
_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Limits:
    """Requests an hour by kind of caller, and content-creating requests a minute and an hour.
    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """

    person: int = 5_000
    installation: int = 5_000
    workflow: int = 1_000
    anonymous: int = 60
    content_minute: int = 80
    content_hour: int = 500

    def of(self, actor: Actor) -> int:
        if actor.is_workflow:
            return self.workflow
        if actor.installation is not None or actor.app is not None:
            return self.installation
        return self.person if actor.account is not None else self.anonymous


@dataclass(frozen=True)
class Quota:
    """What one caller has: `reset` is when `used` starts from 0 again."""

    limit: int
    used: int
    reset: datetime

    @property
    def remaining(self) -> int:
        return max(self.limit - self.used, 0)


class RateLimiter:
    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = Lock()
        self._windows: dict[str, tuple[datetime, int]] = {}
        self._content: dict[str, deque[datetime]] = {}

    def quota(self, actor: Actor, address: str) -> Quota:
        with self._lock:
            start, used = self._window(_key(actor, address))
        return Quota(self._limits.of(actor), used, start + _HOUR)

    def count(self, actor: Actor, address: str) -> Quota:
        """Count one request; Refused once the hour's requests are spent."""
        key = _key(actor, address)
        limit = self._limits.of(actor)
        with self._lock:
            start, used = self._window(key)
            spent = used >= limit
            if not spent:
                used += 1
            self._windows[key] = (start, used)
        quota = Quota(limit, used, start + _HOUR)
        if spent:
            whom = f"user ID {actor.account.id}" if actor.account else address
            message = f"API rate limit exceeded for {whom}."
            raise Refused(403, message, docs=_PRIMARY_DOCS, headers=quota_headers(quota))
        return quota

    def refund(self, actor: Actor, address: str) -> Quota:
        """Take back one request: an authorized 304 costs nothing."""
        key = _key(actor, address)
        with self._lock:
            start, used = self._window(key)
            self._windows[key] = (start, max(used - 1, 0))
        return Quota(self._limits.of(actor), max(used - 1, 0), start + _HOUR)

    def count_content(self, actor: Actor, address: str) -> None:
        """Count one content-creating request; Refused with Retry-After above the secondary
        limits."""
        now = self._clock()
        with self._lock:
            times = self._content.setdefault(_key(actor, address), deque())
            while times and times[0] <= now - _HOUR:
                times.popleft()
            wait = self._wait(times, now)
            if wait is None:
                times.append(now)
        if wait is not None:
            message = (
                "You have exceeded a secondary rate limit. "
                "Please wait a few minutes before you try again."
            )
            retry = {"Retry-After": str(max(int(wait.total_seconds()) + 1, 1))}
            raise Refused(403, message, docs=_SECONDARY_DOCS, headers=retry)

    def _wait(self, times: deque[datetime], now: datetime) -> timedelta | None:
        minute, hour = self._limits.content_minute, self._limits.content_hour
        if len(times) >= hour:
            return times[-hour] + _HOUR - now
        if len(times) >= minute and times[-minute] > now - _MINUTE:
            return times[-minute] + _MINUTE - now
        return None

    def _window(self, key: str) -> tuple[datetime, int]:
        now = self._clock()
        start, used = self._windows.get(key, (now, 0))
        return (now, 0) if now >= start + _HOUR else (start, used)


def quota_headers(quota: Quota) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(quota.limit),
        "X-RateLimit-Remaining": str(quota.remaining),
        "X-RateLimit-Used": str(quota.used),
        "X-RateLimit-Reset": str(int(quota.reset.timestamp())),
        "X-RateLimit-Resource": "core",
    }


def _key(actor: Actor, address: str) -> str:
    """Limits belong to an account, an installation or a workflow's repository, not to a token."""
    if actor.is_workflow and actor.token is not None:
        return f"workflow:{actor.token.repository_ids}"
    if actor.installation is not None:
        return f"installation:{actor.installation.id}"
    if actor.account is not None:
        return f"account:{actor.account.id}"
    return f"app:{actor.app.id}" if actor.app is not None else f"address:{address}"
