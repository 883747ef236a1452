"""Who may use the set-up page: whoever can read the server's terminal or log, and nobody else."""

import hmac
import secrets
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

CODE_LIFE = timedelta(hours=1)
SESSION_LIFE = timedelta(hours=2)


class Door:
    """A code that opens once, a session that it opens, and the states that go to GitHub and come
    back. Everything is compared in constant time and forgotten with the process."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._code = secrets.token_urlsafe(24)
        self._code_until = now() + CODE_LIFE
        self._session = ""
        self._session_until = self._code_until
        self._state = ""
        self._state_until = self._code_until

    @property
    def code(self) -> str:
        """To be shown on the terminal alone."""
        return self._code

    @property
    def expired(self) -> bool:
        """Whether the code was not used in time, so that only a new start helps."""
        return bool(self._code) and self._now() >= self._code_until

    def enter(self, code: str) -> str:
        """A session for the right code, used for the first time and in time; else ""."""
        with self._lock:
            if self.expired or not _same(self._code, code):
                return ""
            self._code = ""
            self._session = secrets.token_urlsafe(32)
            self._session_until = self._now() + SESSION_LIFE
            return self._session

    def admits(self, session: str) -> bool:
        return self._now() < self._session_until and _same(self._session, session)

    def form_token(self) -> str:
        """What every form of the session carries."""
        return hmac.new(self._session.encode(), b"form", "sha256").hexdigest()

    def accepts(self, token: str) -> bool:
        return _same(self.form_token(), token)

    def new_state(self) -> str:
        """For one journey to GitHub and back, which may take an hour."""
        with self._lock:
            self._state = secrets.token_urlsafe(24)
            self._state_until = self._now() + CODE_LIFE
            return self._state

    def returned(self, state: str) -> bool:
        """Whether this is the state that was sent last; it counts once."""
        with self._lock:
            right = self._now() < self._state_until and _same(self._state, state)
            if right:
                self._state = ""
            return right


def _same(ours: str, given: str) -> bool:
    """Nothing equals what is not there."""
    return bool(ours) and hmac.compare_digest(ours.encode(), given.encode("utf-8", "replace"))
