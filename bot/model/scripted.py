"""A deterministic model for tests and demonstrations: replies are given beforehand, by step."""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from threading import Lock

from bot.model.attempt import AttemptFailed, Meter, unmetered
from bot.model.estimate import estimated_usage
from bot.ports.model import ModelReply, ModelRequest

Answer = str | ModelReply | AttemptFailed | Callable[[ModelRequest], str]
"""A text, a whole reply, a failure to raise, or a function that writes the text."""


class ScriptedModel:
    """Answers by the first pattern that matches the step (`*` and `?` allowed).

    A pattern's list of answers is used up in order, one for each call; a single answer is given
    again and again. A call without an answer left fails and names its step.
    """

    def __init__(self, replies: Mapping[str, Answer | Sequence[Answer]]) -> None:
        self._always: dict[str, Answer] = {}
        self._queues: dict[str, list[Answer]] = {}
        for pattern, given in replies.items():
            if isinstance(given, Sequence) and not isinstance(given, str):
                self._queues[pattern] = list(given)
            else:
                self._always[pattern] = given
        self._patterns = tuple(replies)
        self._lock = Lock()
        self._requests: list[ModelRequest] = []

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """Every request so far, in the order in which they came."""
        with self._lock:
            return tuple(self._requests)

    @property
    def unused(self) -> dict[str, int]:
        """How many answers are left of each list that is not used up."""
        with self._lock:
            return {pattern: len(queue) for pattern, queue in self._queues.items() if queue}

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        answer = self._next(request)
        return meter(request, lambda _: _given(answer, request))

    def _next(self, request: ModelRequest) -> Answer:
        with self._lock:
            self._requests.append(request)
            for pattern in self._patterns:
                if fnmatchcase(request.step, pattern):
                    return self._taken(pattern)
        return AttemptFailed("the script has no answer for this step", where=request.step)

    def _taken(self, pattern: str) -> Answer:
        if pattern in self._always:
            return self._always[pattern]
        if not self._queues[pattern]:
            return AttemptFailed("the script's answers are used up", where=pattern)
        return self._queues[pattern].pop(0)


def _given(answer: Answer, request: ModelRequest) -> ModelReply:
    if isinstance(answer, AttemptFailed):
        raise answer
    if isinstance(answer, ModelReply):
        return answer
    text = answer if isinstance(answer, str) else answer(request)
    usage = estimated_usage(request, text)
    return ModelReply(text=text, usage=usage, model=request.model, seconds=0.0)
