"""The bot's own process: it picks the run up where the ref holds it and drives it to its end.
Killed or failed, it is started again with the same seat."""

import os
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import requests

from bot.base import RepowrightError
from bot.bench.faults.project import answer
from bot.bench.faults.proxy import POINTS
from bot.bench.memory import Silence
from bot.config import Settings
from bot.forge.github.client import GitHubSettings
from bot.forge.github.credentials import Credentials
from bot.model.attempt import Meter, unmetered
from bot.model.scripted import ScriptedModel
from bot.phases.record import save
from bot.ports.model import ModelReply, ModelRequest
from bot.runs.drive import drive
from bot.runs.start import find_run, new_run
from bot.serverconfig import SECRET, ServerSettings
from bot.serving import Server
from bot.wiring import Hub, Workplace, now, services_of

ENDED = 0
AGAIN = 3
ISSUE = 1


@dataclass(frozen=True)
class WorldClock:
    """It said `showed` at `began`: a world that was put aside goes on as if no time had passed."""

    began: datetime
    showed: datetime

    def __call__(self) -> datetime:
        return self.showed + (now() - self.began)


@dataclass(frozen=True)
class Seat:
    """What one bot process works with. `clock` tells it the time of its world; `asked` is the file
    that gets one line for every call that the model is really asked; `legs` is after how many legs
    the process stops, None for when the run has ended."""

    github: GitHubSettings
    credentials: Credentials
    folder: Path
    asked: Path
    proxy: str
    clock: WorldClock
    settings: Settings
    legs: int | None = None


class PaidModel:
    """The model, with every call that is paid for written down, and a point before and after."""

    def __init__(self, asked: Path, proxy: str) -> None:
        self._asked = asked
        self._proxy = proxy
        self._inner = ScriptedModel({"*": answer})

    def complete(self, request: ModelRequest, meter: Meter = unmetered) -> ModelReply:
        self._point("ask")
        with self._asked.open("a", encoding="utf-8") as file:
            file.write(f"{request.step}\n")
        reply = self._inner.complete(request, meter)
        self._point("answered")
        return reply

    def _point(self, name: str) -> None:
        requests.get(f"{self._proxy}{POINTS}{name}", timeout=60)


@dataclass(frozen=True)
class ServerSeat:
    """What one server process works with; `secret` is the webhook's."""

    settings: ServerSettings
    secret: str
    asked: Path
    proxy: str


def attend(seat: ServerSeat) -> None:
    """Serve until the process is killed."""
    environ = {SECRET: seat.secret}
    with Server(seat.settings, environ, PaidModel(seat.asked, seat.proxy)):
        threading.Event().wait()


def play(seat: Seat) -> None:
    """Drive the run to its end; the exit code is ENDED, or AGAIN after an error that the server
    would try again later."""
    try:
        _go(seat)
    except RepowrightError as error:
        print(error.sentence, file=sys.stderr, flush=True)
        os._exit(AGAIN)
    os._exit(ENDED)


def _go(seat: Seat) -> None:
    place = Workplace(seat.folder / "run")
    hub = Hub.open(place, seat.github, seat.credentials)
    found = find_run(ISSUE, hub.git)
    state, spec = found or new_run(ISSUE, seat.settings, hub.forge, hub.git, seat.clock)
    services = services_of(
        hub, place, state, PaidModel(seat.asked, seat.proxy), Silence(), seat.clock
    )
    if found is None:
        save(state, spec, services)
    drive(
        state,
        spec,
        services,
        pause=time.sleep,
        interval=0.05,
        wait_for_people=False,
        most_legs=seat.legs,
    )
