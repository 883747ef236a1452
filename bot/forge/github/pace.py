"""How fast GitHub may be written to, and how long it asks to wait.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_UNTOLD_WAIT = 60.0
_RATE_LIMIT = ("rate limit", "abuse detection", "retry your request again later")


@dataclass(frozen=True)
class Clock:
    """Seconds since 1970, and waiting; both can be given by a test or a simulation."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


def asked_to_wait(status: int, headers: Mapping[str, str], body: str, now: float) -> float | None:
    """Seconds that a refusal asks to wait, None where it is not a matter of time.

    A 403 or 429 for a rate limit comes before anything is done, so that the same request, a
    write too, may be sent again afterwards.
    """
    if status not in (403, 429, 503):
        return None
    after = headers.get("retry-after", "")
    if after.isdigit():
        return float(after)
    if status == 503:
        return None
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdigit():
        return max(float(reset) - now, 0.0) + 1.0
    message = _message(body).lower()
    if status == 429 or any(phrase in message for phrase in _RATE_LIMIT):
        return _UNTOLD_WAIT
    return None


def _message(body: str) -> str:
    try:
        data = json.loads(body)
    except ValueError:
        return ""
    return str(data.get("message", "")) if isinstance(data, dict) else ""


class Pacer:
    """Spaces writes out; shared by everything in a process that writes with one credential.

    `gap` is in seconds; `per_minute` and `per_hour` are GitHub's ceilings for content.
    """

    def __init__(
        self, *, gap: float, per_minute: int, per_hour: int, clock: Clock | None = None
    ) -> None:
        self._clock = clock or Clock()
        self._gap = gap
        self._windows = ((60.0, per_minute), (3600.0, per_hour))
        self._writes: deque[float] = deque(maxlen=max(per_minute, per_hour))
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next write may go out, and count it."""
        with self._lock:
            now = self._clock.now()
            pause = max(self._due() - now, 0.0)
            self._writes.append(now + pause)
        if pause:
            self._clock.sleep(pause)

    def _due(self) -> float:
        """The earliest time, in seconds since 1970, at which all limits allow a write."""
        times = list(self._writes)
        due = times[-1] + self._gap if times else 0.0
        for seconds, limit in self._windows:
            if len(times) >= limit:
                due = max(due, times[-limit] + seconds)
        return due
