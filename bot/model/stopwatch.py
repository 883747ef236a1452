"""Wall-clock time in which at least one model call was under way."""

from collections.abc import Callable
from threading import Lock

from bot.ports.model import Model, ModelReply, ModelRequest


class Stopwatch:
    """A model that times another; calls at the same time count once. Safe across threads."""

    def __init__(self, model: Model, clock: Callable[[], float], already: float = 0.0) -> None:
        """`clock` gives seconds that only grow; `already` are the seconds of earlier legs."""
        self._model = model
        self._clock = clock
        self._lock = Lock()
        self._open = 0
        self._since = 0.0
        self._seconds = already

    def complete(self, request: ModelRequest) -> ModelReply:
        with self._lock:
            if not self._open:
                self._since = self._clock()
            self._open += 1
        try:
            return self._model.complete(request)
        finally:
            with self._lock:
                self._open -= 1
                if not self._open:
                    self._seconds += self._clock() - self._since

    @property
    def seconds(self) -> float:
        """Time with a call under way, in seconds, up to the last one that ended."""
        with self._lock:
            return self._seconds
