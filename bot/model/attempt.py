"""What a backend is: something that answers a request in one or more metered attempts."""

from collections.abc import Callable
from typing import Protocol

from bot.ports.model import ModelError, ModelReply, ModelRequest

Ask = Callable[[float], ModelReply]
"""One attempt; it gets the seconds that it may take (infinity where nothing limits it)."""

Meter = Callable[[ModelRequest, Ask], ModelReply]
"""Runs one attempt at a request: reserves before, records after, lets its errors through."""


class AttemptFailed(ModelError):
    """One attempt brought no reply.

    `retryable` says that the same request may succeed later, `wait` (seconds) when the server
    wants to hear of it again. `billed` is True where the provider may charge for the attempt
    all the same. `raw` is what came back where it could not be read, at most 64 KiB.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        hint: str = "",
        retryable: bool = False,
        wait: float | None = None,
        billed: bool = False,
        raw: str = "",
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.retryable = retryable
        self.wait = wait
        self.billed = billed
        self.raw = raw[:65_536]


def unmetered(request: ModelRequest, ask: Ask) -> ModelReply:
    """The meter of a backend that is used alone: nothing is reserved, nothing recorded."""
    return ask(float("inf"))


class Backend(Protocol):
    """A model whose every attempt goes through a meter; safe to call from several threads."""

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        """Return the reply; raise ModelError, or what the meter raises."""
        ...
