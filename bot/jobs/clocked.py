"""A model that notes when it was first asked: how long a job takes to get to work."""

from collections.abc import Callable

from bot.model.attempt import Backend, Meter, unmetered
from bot.ports.model import ModelReply, ModelRequest


class Clocked:
    """Answers as `backend` does; `first` is when it was first asked, by `clock`."""

    def __init__(self, backend: Backend, clock: Callable[[], float]) -> None:
        self._backend = backend
        self._clock = clock
        self.first: float | None = None

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        if self.first is None:
            self.first = self._clock()
        return self._backend.complete(request, meter)
