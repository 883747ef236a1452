"""What a server writes to its log: lines for people or JSON for machines, each with what it is
about (repository, issue, run, delivery), none with a secret."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

from pythonjsonlogger.json import JsonFormatter

LogFormat = Literal["text", "json"]
Redact = Callable[[str], str]

_ABOUT: ContextVar[Mapping[str, str | int]] = ContextVar("about", default={})  # noqa: B039
_TEXT = "%(asctime)s %(levelname)s %(name)s %(message)s"
_CONTROLS = {c: repr(chr(c))[1:-1] for c in (*range(32), *range(127, 160), 0x2028, 0x2029)}
_log = logging.getLogger("repowright")


@contextmanager
def about(**fields: str | int) -> Iterator[None]:
    """Lines that are logged meanwhile carry these fields besides those around; empty ones are left
    out. Threads that are started meanwhile need a copy of the context."""
    known = {name: value for name, value in fields.items() if value}
    token = _ABOUT.set({**_ABOUT.get(), **known})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def log_to_stderr(style: LogFormat, redact: Redact) -> None:
    """Everything that is logged in this process from now on, by its libraries too, and what ends a
    thread. `redact` takes the secrets out of a text."""
    handler = _Handler()
    handler.setFormatter(_JsonLines(redact) if style == "json" else _TextLines(redact))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(True)
    for chatty in ("waitress", "httpx2"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    sys.excepthook = lambda kind, error, trace: _log.critical(
        "the server ends by an error of its own", exc_info=(kind, error, trace)
    )
    threading.excepthook = lambda end: _log.critical(
        "a thread ended by an error of its own",
        exc_info=(end.exc_type, end.exc_value or end.exc_type(), end.exc_traceback),
    )


class _Handler(logging.StreamHandler[Any]):
    def handleError(self, record: logging.LogRecord) -> None:
        """Python would print the line's arguments as they are, secrets and all."""
        sys.stderr.write(f"a line of {record.name} could not be logged: {sys.exc_info()[0]}\n")


class _TextLines(logging.Formatter):
    """One line an event, and its traceback below. What an event says cannot begin another line."""

    def __init__(self, redact: Redact) -> None:
        super().__init__(_TEXT)
        self._redact = redact

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return _time(record.created)

    def formatMessage(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        return (super().formatMessage(record) + fields).translate(_CONTROLS)

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))


class _JsonLines(JsonFormatter):
    """One object an event: `time` (UTC), `level`, `logger`, `event`, what it is about, and
    `traceback`."""

    def __init__(self, redact: Redact) -> None:
        super().__init__(
            ["levelname", "name", "message"],
            rename_fields={
                "levelname": "level",
                "name": "logger",
                "message": "event",
                "exc_info": "traceback",
            },
            timestamp="time",
        )
        self._redact = redact

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Before the line becomes JSON: afterwards a secret may be spelt otherwise, and taking it
        out may break the line."""
        ordered = {"time": _time(log_data.pop("time").timestamp())}
        fields = {**ordered, **log_data, **_ABOUT.get()}
        return {name: self._cleaned(value) for name, value in fields.items()}

    def _cleaned(self, value: Any) -> Any:
        return value if isinstance(value, int | float) else self._redact(str(value))


def _time(seconds: float) -> str:
    """In UTC, to the millisecond."""
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """What a line is about: its own extras, then what is around it."""
    own = {name: value for name, value in vars(record).items() if name not in _USUAL}
    return {**own, **_ABOUT.get()}


_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
