"""What the launcher wrote down as the tests ran: one JSON object a line, the last perhaps torn."""

from typing import Any

from pydantic import Field, ValidationError

from bot.base import Data
from bot.checks.distrust import is_line, json_of, seconds_of, text_of
from bot.checks.report import Frame

LONGEST_ID = 500
_MOST_FRAMES = 30


class Failure(Data):
    """An exception as it was seen; `frames` and `detail` as in a TestResult."""

    exception: str
    message: str = ""
    detail: str = ""
    frames: tuple[Frame, ...] = ()


class Phases(Data):
    """What is known of a test that ran to its end."""

    failed: bool = False
    skipped: bool = False
    seconds: float = 0.0


class Progress(Data):
    """How far one round came. `collected` is None where collection did not end; `current` is what
    was being collected or run when the log ends, None where nothing was."""

    collected: tuple[str, ...] | None = None
    current: str | None = None
    done: dict[str, Phases] = Field(default_factory=dict)
    failures: dict[str, Failure] = Field(default_factory=dict)
    finished: bool = False


def read_progress(log: bytes) -> Progress:
    """The state that the events lead to; lines that make no sense are passed over."""
    reading = _Reading()
    for line in log.decode("utf-8", errors="replace").splitlines():
        event = json_of(line)
        if isinstance(event, dict):
            reading.take(event)
    return reading.progress()


class _Reading:
    def __init__(self) -> None:
        self._collected: tuple[str, ...] | None = None
        self._current: str | None = None
        self._done: dict[str, Phases] = {}
        self._failures: dict[str, Failure] = {}
        self._finished = False

    def take(self, event: dict[str, Any]) -> None:
        name, test = event.get("event"), text_of(event.get("id"), LONGEST_ID)
        if name in ("collect", "start"):
            self._current = test
        elif name == "collected" and isinstance(event.get("ids"), list):
            ids = (text_of(id_, LONGEST_ID) for id_ in event["ids"])
            self._collected = tuple(id_ for id_ in ids if id_)
            self._current = None
        elif name == "phase":
            self._phase(test, event)
        elif name == "failure":
            self._failure(test, event)
        elif name == "finish":
            self._finished = True

    def _phase(self, test: str, event: dict[str, Any]) -> None:
        before = self._done.get(test, Phases())
        self._done[test] = Phases(
            failed=before.failed or event.get("outcome") == "failed",
            skipped=before.skipped or event.get("outcome") == "skipped",
            seconds=before.seconds + seconds_of(event.get("seconds")),
        )
        if event.get("when") == "teardown":
            self._current = None

    def _failure(self, test: str, event: dict[str, Any]) -> None:
        fields = {key: event.get(key) for key in ("exception", "message", "detail")}
        told = event.get("frames")
        frames = told[-_MOST_FRAMES:] if isinstance(told, list) else []
        places = [f for f in frames if isinstance(f, dict) and is_line(f.get("line"))]
        try:
            failure = Failure.model_validate({**fields, "frames": places})
        except ValidationError:
            return
        self._failures.setdefault(test, failure)

    def progress(self) -> Progress:
        done = {test: phases for test, phases in self._done.items() if test != self._current}
        return Progress(
            collected=self._collected,
            current=self._current,
            done=done,
            failures=self._failures,
            finished=self._finished,
        )
