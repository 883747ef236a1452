"""Reads what act prints with `--json`: one object a line, with the steps' own output among them."""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from pydantic import Field

from bot.base import Data


class Kind(StrEnum):
    """What a line tells: of the whole run, of a job's log, steps and end, or a note on a line."""

    PLAIN = "plain"
    LOG = "log"
    STEP_STARTED = "step_started"
    STEP_ENDED = "step_ended"
    JOB_ENDED = "job_ended"
    UNSUPPORTED = "unsupported"
    SUMMARY = "summary"
    ANNOTATION = "annotation"


class Line(Data):
    """One thing that act told. `job` is act's name of the job, unique within a run; `step` the
    key of a step of the job, "" outside; `result` success, failure or skipped."""

    kind: Kind
    text: str = ""
    job: str = ""
    job_id: str = ""
    matrix: dict[str, Any] = Field(default_factory=dict)
    step: str = ""
    result: str = ""
    level: str = ""
    place: dict[str, str] = Field(default_factory=dict)
    raw: bool = False


class LineReader:
    """Cuts a stream of bytes into lines."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._rest = b""
        self._secrets = tuple(filter(None, secrets))

    def feed(self, data: bytes) -> Iterator[Line]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        for raw in whole:
            text = raw.decode("utf-8", errors="replace")
            for secret in self._secrets:
                text = text.replace(secret, "***")
            if text.strip():
                yield read_line(text)


def read_line(text: str) -> Line:
    """What one line means; a line that is no JSON object is act's own plain text."""
    try:
        told = json.loads(text)
    except ValueError:
        return Line(kind=Kind.PLAIN, text=text)
    if not isinstance(told, dict) or "msg" not in told:
        return Line(kind=Kind.PLAIN, text=text)
    if "job" not in told:
        return Line(kind=Kind.PLAIN, text=str(told["msg"]), level=str(told.get("level", "")))
    path = told.get("stepID") or []
    shared = {
        "text": str(told["msg"]).rstrip("\n"),
        "job": str(told["job"]).strip(),
        "job_id": str(told.get("jobID", "")),
        "matrix": told.get("matrix") or {},
        "step": str(path[0]) if path else "",
        "level": str(told.get("level", "")),
        "raw": bool(told.get("raw_output")),
    }
    return Line.model_validate(shared | _meaning(told, top=len(path) == 1))


def _meaning(told: dict[str, Any], *, top: bool) -> dict[str, Any]:
    """Steps within composite actions are only lines of the log of the step that uses them."""
    message, command = str(told["msg"]), told.get("command")
    if "jobResult" in told:
        return {"kind": Kind.JOB_ENDED, "result": str(told["jobResult"])}
    if "Skipping unsupported platform" in message:
        return {"kind": Kind.UNSUPPORTED}
    if command == "summary":
        return {"kind": Kind.SUMMARY, "text": str(told.get("content", ""))}
    if command in ("error", "warning", "notice"):
        place = {str(k): str(v) for k, v in (told.get("kvPairs") or {}).items()}
        text = str(told.get("arg", ""))
        return {"kind": Kind.ANNOTATION, "level": command, "text": text, "place": place}
    main = told.get("stage") == "Main" and top
    if main and "stepResult" in told:
        return {"kind": Kind.STEP_ENDED, "result": str(told["stepResult"])}
    if main and not told.get("raw_output") and message.startswith("⭐ Run"):
        return {"kind": Kind.STEP_STARTED}
    return {"kind": Kind.LOG}
