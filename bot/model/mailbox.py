"""A folder as the model: each request is a readable file, its reply is read from one beside it.

A person, a chat window or another program answers. `ID.request.json` (the body of an OpenAI chat
completion) and `ID.request.md` (the same, readable) appear complete, by rename; the reply is
`ID.reply.md` (text alone) or `ID.reply.json` (an OpenAI response), by rename too.
"""

import json
import os
import re
import stat
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from threading import Event, Lock
from typing import Any

from jinja2 import Environment, StrictUndefined

from bot.base import Outcome
from bot.model.attempt import AttemptFailed, Meter, unmetered
from bot.model.estimate import estimated_usage
from bot.model.journal import readable, write_whole
from bot.model.models import ModelTable, shipped_models
from bot.model.wire import chat_body, read_completion
from bot.ports.model import ModelReply, ModelRequest

_REQUEST_SUFFIXES = (".request.md", ".request.json")
_REPLY_SUFFIXES = (".reply.json", ".reply.md")
_MOST_BYTES = 8 * 1024 * 1024
_PATIENCE = 10


class MailboxCancelled(AttemptFailed):
    """The run was cancelled while it waited for a reply."""

    outcome = Outcome.CANCELLED


class MailboxModel:
    """Writes requests into `folder` and waits for their replies. Safe across threads.

    A request that is open or answered in the folder already keeps its ID, so a run that was
    killed finds the reply that came meanwhile. A folder belongs to one run.
    """

    def __init__(
        self,
        folder: Path,
        *,
        deadline: float = 3600.0,
        poll: float = 0.2,
        settle: float = 0.3,
        clock: Callable[[], float] = time.monotonic,
        table: ModelTable | None = None,
    ) -> None:
        """All times in seconds: `deadline` for a reply, `poll` between two looks, `settle` for a
        reply file to stay unchanged before it is read (ten times that for an empty or
        unreadable one: its writer may still be at it)."""
        self._folder = folder
        self._deadline = deadline
        self._poll = poll
        self._settle = settle
        self._clock = clock
        self._table = table or shipped_models()
        self._lock = Lock()
        self._open: set[str] = set()
        self._cancelled = Event()

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        return meter(request, lambda seconds: self._ask(request, seconds))

    def cancel(self) -> None:
        """Withdraw every open request; their callers get MailboxCancelled."""
        self._cancelled.set()

    def _ask(self, request: ModelRequest, seconds: float) -> ModelReply:
        began = self._clock()
        mail = self._post(request)
        answered = False
        try:
            reply = self._wait(mail, request, began, min(seconds, self._deadline))
            answered = True
            return reply
        finally:
            if not answered:
                self._withdraw(mail)
            with self._lock:
                self._open.discard(mail)

    def _post(self, request: ModelRequest) -> str:
        """Put the request into the folder, unless it lies there already; return its ID."""
        # Whoever answers may hand the body to another model; every server knows `system`.
        family = self._table.family(request.model).model_copy(update={"system_role": "system"})
        body = chat_body(request, family)
        with self._lock:
            mail = self._found(readable(request.step), body) or self._fresh(request.step)
            self._open.add(mail)
            self._write(mail, ".request.md", _readable_request(mail, request))
            self._write(mail, ".request.json", json.dumps(body, indent=1, ensure_ascii=False))
        return mail

    def _found(self, slug: str, body: dict[str, Any]) -> str | None:
        """The ID under which the same request lies in the folder and nobody waits for it."""
        for path in sorted(self._folder.glob(f"[0-9]*-{slug}.request.json")):
            mail = path.name.removesuffix(".request.json")
            ours = re.fullmatch(rf"\d+-{re.escape(slug)}", mail) and mail not in self._open
            if ours and _same(path, body):
                return mail
        return None

    def _fresh(self, step: str) -> str:
        names = [p.name for p in self._folder.glob("[0-9]*-*")]
        numbers = [int(m.group()) for m in (re.match(r"\d+", n) for n in names) if m]
        return f"{max(numbers, default=0) + 1:04d}-{readable(step)}"

    def _write(self, mail: str, suffix: str, text: str) -> None:
        write_whole(self._folder / f"{mail}{suffix}", text.encode())

    def _withdraw(self, mail: str) -> None:
        for suffix in _REQUEST_SUFFIXES:
            (self._folder / f"{mail}{suffix}").unlink(missing_ok=True)

    def _wait(self, mail: str, request: ModelRequest, began: float, limit: float) -> ModelReply:
        watches = [_Watch(self._folder / f"{mail}{s}", self._clock) for s in _REPLY_SUFFIXES]
        while True:
            for watch in watches:
                reply = self._look(watch, request, began)
                if reply is not None:
                    return reply
            waited = self._clock() - began
            if waited >= limit:
                raise AttemptFailed(
                    f"nobody answered within {limit:g} seconds",
                    where=str(self._folder / f"{mail}.request.md"),
                    hint="answer the requests in the folder and resume the run",
                )
            if self._cancelled.wait(min(self._poll, limit - waited)):
                raise MailboxCancelled("the run was cancelled, the request is withdrawn")

    def _look(self, watch: "_Watch", request: ModelRequest, began: float) -> ModelReply | None:
        """The reply in a file once nobody seems to write it any more."""
        calm = watch.calm_for()
        if calm < self._settle:
            return None
        patient = calm >= self._settle * _PATIENCE
        try:
            content = _content(watch.path)
            if not content.strip() and not patient:
                return None
            return _reply(watch.path, content, request, self._clock() - began)
        except AttemptFailed:
            if patient:
                raise
            return None


class _Watch:
    """For how long a file has been there unchanged, seen from here."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self.path = path
        self._clock = clock
        self._state: tuple[int, int, int] | None = None
        self._since = 0.0

    def calm_for(self) -> float:
        """Seconds since the file last changed; negative where it is not there."""
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            self._state = None
            return -1.0
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        if state != self._state:
            self._state, self._since = state, self._clock()
        return self._clock() - self._since


def _readable_request(mail: str, request: ModelRequest) -> str:
    source = files("bot.model").joinpath("request.md.j2").read_text(encoding="utf-8")
    environment = Environment(
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the file is text for a person, not HTML
        keep_trailing_newline=True,
    )
    return environment.from_string(source).render(id=mail, request=request)


def _same(path: Path, body: dict[str, Any]) -> bool:
    try:
        return bool(json.loads(path.read_bytes()) == body)
    except (OSError, ValueError):
        return False


def _content(path: Path) -> bytes:
    """A reply file's bytes. Links and special files are refused, what is too long as well."""
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
            raise AttemptFailed("the reply is not a file of at most 8 MiB", where=str(path))
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise AttemptFailed(
            f"the reply cannot be read: {error.strerror}", where=str(path)
        ) from error


def _reply(path: Path, content: bytes, request: ModelRequest, seconds: float) -> ModelReply:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AttemptFailed("the reply is not UTF-8 text", where=str(path)) from error
    if path.name.endswith(".reply.json"):
        return read_completion(text, request, seconds)
    usage = estimated_usage(request, text)
    return ModelReply(text=text, usage=usage, model=request.model, seconds=seconds)
