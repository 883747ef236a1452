"""One sitting of a local run: told as it goes, summed up at its end, kept open until Ctrl-C."""

import contextlib
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from bot.config import Settings
from bot.local import LocalBox
from bot.model.attempt import Backend
from bot.model.replay import ReplayModel
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.phases.texts import say
from bot.plainconsole import PlainConsole
from bot.runs.summary import summary_of
from bot.terminal import JsonNarrator, TerminalNarrator, print_json, show_summary
from bot.wiring import now

_SECONDS_BETWEEN_LOOKS = 1.0


class LocalSitting:
    """The run of `box`, driven with `backend`; for programs where `json`, and open after its end
    where `keep`."""

    def __init__(self, box: LocalBox, backend: Backend, *, json: bool, keep: bool) -> None:
        self._box = box
        self._backend = backend
        self._json = json
        self._keep = keep
        self._console = PlainConsole(stderr=json)

    def go(self, record: Path | None = None) -> RunState:
        """Drive the run to its end; keep its calls in the folder `record`."""
        local, _ = self._box.remembered()
        narrator = JsonNarrator(sys.stdout) if self._json else TerminalNarrator(self._console, now)
        issue = f"{self._box.github.url}/{local.repository}/issues/{local.issue}"
        if not self._json:
            self._console.print(f"Issue: [bold]{issue}[/bold]")
        try:
            state, services = self._box.go(self._backend, narrator, wait=self._keep)
        finally:
            narrator.close()
        self._box.export(state, services)
        if record is not None:
            _keep_recording(record, local.settings, services)
        self._show(state, services)
        return self._attend(state, services) if self._keep else state

    def _show(self, state: RunState, services: Services) -> None:
        summary = summary_of(state, services.record.spent())
        summary["issue"] = self._here(summary["issue"])
        summary["pull_request"] = self._here(summary["pull_request"])
        if self._json:
            print_json(summary)
        else:
            replayed = isinstance(self._backend, ReplayModel)
            show_summary(self._console, state, summary, replayed=replayed)

    def _here(self, address: str) -> str:
        """A page's address now: a resumed run is served from another port than before."""
        return f"{self._box.github.url}{urlsplit(address).path}" if address else ""

    def _attend(self, state: RunState, services: Services) -> RunState:
        """Serve until Ctrl-C. What people say meanwhile is heard, and a run that they wake goes
        on."""
        if not self._json:
            told = say("tell_open_until", address=self._box.github.url)
            self._console.print(told, soft_wrap=True)
        with contextlib.suppress(KeyboardInterrupt), _interrupts():
            while True:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                after = self._box.attend(state, services)
                if after.rounds != state.rounds or after.outcome != state.outcome:
                    self._box.export(after, services)
                    self._show(after, services)
                state = after
        return state


def until_interrupted() -> None:
    """Wait for Ctrl-C or SIGTERM."""
    with contextlib.suppress(KeyboardInterrupt), _interrupts():
        threading.Event().wait()


@contextmanager
def _interrupts() -> Iterator[None]:
    """SIGTERM ends what Ctrl-C ends."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _keep_recording(folder: Path, settings: Settings, services: Services) -> None:
    shutil.rmtree(folder / "calls", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in services.record.files().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    text = yaml.safe_dump(settings.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
    (folder / "settings.yaml").write_text(text, "utf-8")
