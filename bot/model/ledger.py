"""The run's ledger: append-only records of every model call and every failed attempt."""

import os
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from threading import Lock
from typing import Annotated, Literal

from pydantic import PlainSerializer, ValidationError

from bot.base import Data, RepowrightError
from bot.ports.model import ModelError, Usage

Usd = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
"""Dollars: exact inside the program, a plain number in JSON."""

CallOutcome = Literal["reserved", "stop", "length", "refusal", "content_filter", "failed"]


class LedgerEntry(Data):
    """One line of the ledger.

    A call is written twice under the same `call`: as `reserved` with its worst case before it is
    made, and with what it used once that is known. The later line counts; a call of which only
    the reservation is known was cut off, and counts with its worst case.
    `priced` is False where no price was known (`usd` is 0 then); `detail` says why it failed.
    """

    call: str
    step: str
    role: str
    model: str
    usage: Usage
    usd: Usd
    priced: bool = True
    seconds: float
    outcome: CallOutcome
    detail: str = ""
    at: datetime

    @property
    def phase(self) -> str:
        """The step's first word: `code.2/fix/pkg/a.py#1` belongs to `code`."""
        match = re.match(r"\w+", self.step)
        return match.group() if match else self.step


class Totals(Data):
    """What a group of calls came to; `failed` of the `calls` brought no reply."""

    calls: int = 0
    failed: int = 0
    usage: Usage = Usage()
    usd: Usd = Decimal(0)
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return all_tokens(self.usage)

    def with_entry(self, entry: LedgerEntry) -> "Totals":
        return Totals(
            calls=self.calls + 1,
            failed=self.failed + (entry.outcome in ("failed", "reserved")),
            usage=self.usage + entry.usage,
            usd=self.usd + entry.usd,
            seconds=self.seconds + entry.seconds,
        )


def all_tokens(usage: Usage) -> int:
    """Every token of a call, whatever it cost."""
    return usage.input + usage.cache_read + usage.cache_write + usage.output


class Ledger:
    """The entries of one run, in memory and, where a path is given, on disk.

    An appended line is on disk (fsync) before `append` returns. Safe across threads.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Go on with the ledger at `path`; raise ModelError where it cannot be read."""
        self._path = path
        self._lock = Lock()
        self._entries: list[LedgerEntry] = []
        if path and path.exists():
            self._entries.extend(_read(path))

    @classmethod
    def from_jsonl(cls, text: bytes, *, name: str = "ledger.jsonl") -> "Ledger":
        """A ledger in memory with the entries of JSON lines."""
        ledger = cls()
        ledger._entries.extend(_parse(_whole_lines(text), name))
        return ledger

    def append(self, entry: LedgerEntry) -> None:
        with self._lock:
            if self._path:
                _append(self._path, entry)
            self._entries.append(entry)

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """Every line, oldest first, reservations included."""
        with self._lock:
            return tuple(self._entries)

    @property
    def calls(self) -> tuple[LedgerEntry, ...]:
        """The line that counts of every call, in the order in which they were begun."""
        return tuple({entry.call: entry for entry in self.entries}.values())

    @property
    def total(self) -> Totals:
        return _sum(self.calls)

    def by_phase(self) -> dict[str, Totals]:
        return self._by(lambda entry: entry.phase)

    def by_role(self) -> dict[str, Totals]:
        return self._by(lambda entry: entry.role)

    def by_model(self) -> dict[str, Totals]:
        return self._by(lambda entry: entry.model)

    def to_jsonl(self) -> bytes:
        return b"".join(_line(entry) for entry in self.entries)

    def _by(self, key: Callable[[LedgerEntry], str]) -> dict[str, Totals]:
        groups: dict[str, Totals] = {}
        for entry in self.calls:
            groups[key(entry)] = groups.get(key(entry), Totals()).with_entry(entry)
        return groups


def _sum(entries: Iterable[LedgerEntry]) -> Totals:
    total = Totals()
    for entry in entries:
        total = total.with_entry(entry)
    return total


def _line(entry: LedgerEntry) -> bytes:
    return entry.model_dump_json().encode() + b"\n"


def _append(path: Path, entry: LedgerEntry) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(_line(entry))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> RepowrightError:
    """What a run says when its own record cannot be kept; no call may be made then."""
    return RepowrightError(
        f"the record of model calls cannot be written: {error.strerror}",
        where=str(path),
        hint="make room or give write permission, then resume the run",
    )


def _read(path: Path) -> list[LedgerEntry]:
    """The entries of a file; a last line that a crash cut off is taken off the file."""
    text = path.read_bytes()
    whole = _whole_lines(text)
    if len(whole) < len(text):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return _parse(whole, str(path))


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]


def _parse(text: bytes, name: str) -> list[LedgerEntry]:
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            entries.append(LedgerEntry.model_validate_json(line))
        except ValidationError as error:
            raise ModelError(
                f"line {number} of the ledger cannot be read: {error.errors()[0]['msg']}",
                where=name,
                hint="restore the file from the run's ref",
            ) from error
    return entries
