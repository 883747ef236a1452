"""Plays recorded calls again, and says so when the run no longer asks what was recorded."""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from pathlib import Path

from bot.model.attempt import AttemptFailed, Meter, unmetered
from bot.model.journal import CallRecord, read_calls, request_digest
from bot.ports.model import ModelError, ModelReply, ModelRequest

_SHOWN = 120
_WHO_ASKS = {"step", "role"}


class ReplayDrift(ModelError):
    """The run asks something else than what was recorded."""


class ReplayModel:
    """Answers each step with its recorded reply; the request must be the recorded one.

    A step of which only failures were recorded fails again in the same words.
    """

    def __init__(self, calls: Iterable[CallRecord], *, record_anew: str = "make record") -> None:
        """`record_anew` is the command that an error tells the user to run."""
        self._record_anew = record_anew
        self._steps: dict[str, list[CallRecord]] = {}
        for record in calls:
            self._steps.setdefault(record.request.step, []).append(record)

    @classmethod
    def from_files(
        cls, files: Mapping[str, bytes], *, record_anew: str = "make record"
    ) -> "ReplayModel":
        """From `calls/NNNN-step.json` files, as the run's ref or a journal holds them."""
        return cls(read_calls(files), record_anew=record_anew)

    @classmethod
    def from_folder(cls, folder: Path, *, record_anew: str = "make record") -> "ReplayModel":
        """From a folder that holds `calls/`."""
        paths = folder.glob("calls/*.json")
        files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}
        if not files:
            raise ModelError(
                "there are no recorded calls",
                where=str(folder / "calls"),
                hint=f"record them with `{record_anew}`",
            )
        return cls.from_files(files, record_anew=record_anew)

    @property
    def steps(self) -> tuple[str, ...]:
        """The recorded steps, in the order in which they were begun."""
        return tuple(self._steps)

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        """Return the recorded reply; raise ReplayDrift where the request is another."""
        records = self._steps.get(request.step)
        if not records:
            raise self._drift(request.step, "the recording has no call for this step")
        digest = request_digest(request)
        same = [record for record in records if record.digest == digest]
        if not same:
            raise self._drift(request.step, _difference(records[-1].request, request))
        answered = [record for record in same if record.reply is not None]
        return meter(request, lambda _: _played((answered or same)[-1]))

    def _drift(self, step: str, what: str) -> ReplayDrift:
        return ReplayDrift(what, where=step, hint=f"record anew with `{self._record_anew}`")


def _played(record: CallRecord) -> ModelReply:
    if record.reply is None:
        raise AttemptFailed(record.entry.detail)
    return record.reply.model_copy(update={"seconds": 0.0})


def _difference(recorded: ModelRequest, now: ModelRequest) -> str:
    """The first thing in which two requests differ, in one sentence with both lines."""
    for number, (old, new) in enumerate(zip_longest(recorded.messages, now.messages), 1):
        if old is None or new is None:
            return (
                f"the prompt has {len(now.messages)} messages, "
                f"the recorded one has {len(recorded.messages)}"
            )
        if old.role != new.role:
            return f"message {number} is from {new.role}, the recorded one from {old.role}"
        if old.content != new.content:
            return f"message {number} ({new.role}) {_line_difference(old.content, new.content)}"
    before, after = recorded.model_dump(exclude=_WHO_ASKS), now.model_dump(exclude=_WHO_ASKS)
    name = next(name for name in after if before[name] != after[name])
    return f"{name} is {after[name]}, the recorded one is {before[name]}"


def _line_difference(old: str, new: str) -> str:
    for number, pair in enumerate(zip_longest(old.split("\n"), new.split("\n")), 1):
        was, now = pair
        if was != now:
            lines = f"\n  recorded: {_shown(was)}\n  now:      {_shown(now)}\n"
            return f"differs from the recording in line {number}:{lines}"
    return "differs from the recording"


def _shown(line: str | None) -> str:
    if line is None:
        return "(the text ends)"
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
