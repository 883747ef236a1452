"""The run's calls on disk: what was asked, what came back, what it cost; a killed leg resumes
from here without paying twice."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pydantic import ValidationError

from bot.base import Data
from bot.model.ledger import Ledger, LedgerEntry, unwritable
from bot.ports.calls import CallKeeper
from bot.ports.model import ModelError, ModelReply, ModelRequest

LEDGER = "ledger.jsonl"
_CALL = re.compile(r"calls/(\d{4,})-[\w.+-]+\.json")
_RESERVED = re.compile(r"reserved/\d{4,}-[\w.+-]+\.json")

D = TypeVar("D", bound=Data)


class CallRecord(Data):
    """One attempt at a request, as it stands in `calls/NNNN-step.json`.

    `digest` is that of the request, `entry` the line of the ledger (the model that was tried,
    usage, dollars, seconds, outcome). `reply` is None where the attempt failed; `raw` then holds
    what came back and could not be read.
    """

    call: str
    digest: str
    request: ModelRequest
    reply: ModelReply | None
    raw: str = ""
    entry: LedgerEntry


def request_digest(request: ModelRequest) -> str:
    """SHA-256 of everything that shapes the reply; step and role only say who asks."""
    shape = request.model_dump(mode="json", exclude={"step", "role"})
    text = json.dumps(shape, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def readable(step: str) -> str:
    """A step as part of a file name: `code.1/fix/pkg/a.py#1` becomes `code.1-fix-pkg-a.py-1`."""
    return re.sub(r"[^A-Za-z0-9_.+]+", "-", step).strip("-.")[:100] or "step"


class Journal:
    """A folder with `calls/` and, written by the ledger, `ledger.jsonl`. Safe across threads."""

    def __init__(self, folder: Path, keeper: CallKeeper | None = None) -> None:
        """Go on with what the folder holds; raise ModelError where a call cannot be read. What is
        added goes to the `keeper` too."""
        self._folder = folder
        self._keeper = keeper
        self._lock = Lock()
        self._records = read_calls(_files(folder))
        self._next = 1 + max((int(r.call.split("-")[0]) for r in self._records), default=0)

    @classmethod
    def restored(cls, folder: Path, files: Mapping[str, bytes]) -> "Journal":
        """A journal at `folder` with the calls and the ledger among the files of a run's ref.

        What the folder holds beyond them stays: a leg that was killed before it saved the ref
        has paid for it.
        """
        for name, content in files.items():
            if _CALL.fullmatch(name):
                write_whole(folder / name, content)
        if LEDGER in files:
            saved = Ledger.from_jsonl(files[LEDGER], name=LEDGER)
            known = {entry.call for entry in saved.entries}
            for entry in Ledger(folder / LEDGER).entries:
                if entry.call not in known:
                    saved.append(entry)
            write_whole(folder / LEDGER, saved.to_jsonl())
        _restore_reserved(folder, files)
        return cls(folder)

    def open_ledger(self) -> Ledger:
        """The ledger beside the calls, with every recorded call in it.

        A call whose record was written while its line was not, because the leg was killed
        between the two, gets its line now.
        """
        ledger = Ledger(self._folder / LEDGER)
        known = {entry.call: entry for entry in ledger.calls}
        for record in self.records:
            if known.get(record.call) != record.entry:
                ledger.append(record.entry)
        numbers = [int(call.split("-")[0]) for call in known]
        with self._lock:
            self._next = max(self._next, 1 + max(numbers, default=0))
        return ledger

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """Every recorded attempt, in the order in which they were begun."""
        with self._lock:
            return tuple(sorted(self._records, key=lambda r: r.call))

    def begin(self, step: str) -> str:
        """The id of the next call, such as `0007-code.1-fix-pkg-a.py`."""
        with self._lock:
            number, self._next = self._next, self._next + 1
        return f"{number:04d}-{readable(step)}"

    def reserve(self, entry: LedgerEntry) -> None:
        """Tell the keeper of a call that is about to be made: another machine counts it with its
        worst case, unless it learns what came of it."""
        if self._keeper is not None:
            name = reserved_name(entry.call)
            self._keeper.keep(name, entry.model_dump_json().encode() + b"\n")

    def answer(self, step: str, digest: str) -> ModelReply | None:
        """The recorded reply to this very request, None where it has not been answered yet."""
        with self._lock:
            found = [r.reply for r in self._records if r.entry.step == step and r.digest == digest]
        return next((reply for reply in found if reply is not None), None)

    def add(self, record: CallRecord) -> None:
        """Write one call; it is on disk when this returns."""
        text = record.model_dump_json(indent=1) + "\n"
        name = f"calls/{record.call}.json"
        write_whole(self._folder / name, text.encode())
        if self._keeper is not None:
            self._keeper.keep(name, text.encode())
        with self._lock:
            self._records.append(record)

    def files(self) -> dict[str, bytes]:
        """`calls/NNNN-step.json` and `ledger.jsonl`, for the run's ref."""
        return _files(self._folder)


def read_calls(files: Mapping[str, bytes]) -> list[CallRecord]:
    """The calls among files of a run's ref, by number; other files are passed over."""
    return [
        _parsed(CallRecord, name, files[name]) for name in sorted(files) if _CALL.fullmatch(name)
    ]


def settled_names(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """What a keeper of calls need not keep any more where these are the files of a run's ref."""
    lines = Ledger.from_jsonl(files.get(LEDGER, b""), name=LEDGER).calls
    return (*files, *(reserved_name(line.call) for line in lines))


def reserved_name(call: str) -> str:
    """The name under which a keeper holds the reservation of a call."""
    return f"reserved/{call}.json"


def _restore_reserved(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put calls that another machine had begun into the ledger where it does not know them."""
    names = sorted(name for name in files if _RESERVED.fullmatch(name))
    if not names:
        return
    ledger = Ledger(folder / LEDGER)
    known = {entry.call for entry in ledger.entries}
    for name in names:
        entry = _parsed(LedgerEntry, name, files[name])
        if entry.call not in known:
            ledger.append(entry)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there complete, on disk, or not at all; raise RepowrightError
    where the disk will not have it."""
    draft = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _parsed(kind: type[D], name: str, content: bytes) -> D:
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise ModelError(
            f"the recorded call cannot be read: {error.errors()[0]['msg']}",
            where=name,
            hint="restore the file from the run's ref, or delete it to ask again",
        ) from error


def _files(folder: Path) -> dict[str, bytes]:
    paths = [folder / LEDGER, *folder.glob("calls/*.json")]
    found = {p.relative_to(folder).as_posix(): p for p in paths if p.is_file()}
    return {
        name: path.read_bytes()
        for name, path in sorted(found.items())
        if name == LEDGER or _CALL.fullmatch(name)
    }
