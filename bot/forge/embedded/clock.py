"""A clock that can be moved, so that an hour passes while nobody waits for it."""

from datetime import datetime, timedelta
from threading import Lock

from bot.forge.embedded.store.core import system_clock


class MovableClock:
    """The machine's clock and what it was moved by; to be given to an EmbeddedGitHub."""

    def __init__(self, ahead: timedelta = timedelta()) -> None:
        self._ahead = ahead
        self._lock = Lock()

    def __call__(self) -> datetime:
        with self._lock:
            return system_clock() + self._ahead

    def move(self, by: timedelta) -> None:
        with self._lock:
            self._ahead += by
