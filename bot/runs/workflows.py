"""The durable workflows: what DBOS records step by step and replays after a crash.

`attend` follows an issue from the trigger to the run's end. It has turns worked and waits in
between for a bell (an event came) or for time to pass. `turn` works legs, each a step, until the
run waits; it stands in a queue that has one turn at a time for each repository, and so many for
each installation where they are limited. Both may be killed anywhere: the run is in its ref, what
is to do in the inbox.
https://docs.dbos.dev/python/tutorials/workflow-tutorial
"""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from dbos import DBOS, PortableWorkflowError

from bot.logs import about
from bot.runs.inbox import Address
from bot.runs.place import Desk, Places
from bot.runs.sitting import MOST_ATTEMPTS, Sitting, Told, later

VERSION = 3
"""Of the order of steps in the workflows below, pinned on purpose: DBOS resumes a workflow only
with the code that it was begun with, and by default takes a hash of the source for that, so that
every deployment would leave runs behind. What a leg does is no part of it, since a leg begins from
the run's ref. Raise it by one whenever the steps change; workflows of an earlier version are then
ended, and others begun from where their runs stand. Those of a later one are left to others."""

TURN = "turn"
BELL = "bell"
_MOST_BELLS = 1000


class Interrupted(BaseException):
    """The process stops: the workflow stays as it is, to be taken up by another. Not an Exception,
    for DBOS would record that as the workflow's end."""


class Legs:
    """The legs that run in this process: at most so many at once."""

    def __init__(self, most: int) -> None:
        self._slots = threading.BoundedSemaphore(most)
        self._changed = threading.Condition()
        self.stopping = threading.Event()
        self.running = 0

    def __enter__(self) -> None:
        self._slots.acquire()
        with self._changed:
            if self.stopping.is_set():
                self._slots.release()
                raise Interrupted
            self.running += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self.running -= 1
            self._changed.notify_all()
        self._slots.release()

    def stop(self) -> None:
        """Return when those that run have ended; no workflow begins another."""
        with self._changed:
            self.stopping.set()
            self._changed.wait_for(lambda: self.running == 0)


class Turns:
    """Works the legs of a turn."""

    def __init__(self, places: Places, desk: Desk, legs: Legs) -> None:
        self._places = places
        self._desk = desk
        self._legs = legs

    def turn(self, address: Address, generation: int, attempts: int) -> dict[str, Any]:
        """Legs until the run waits; each is a step, whose result is a Told."""
        sitting = Sitting(address, self._places, self._desk)
        step = partial(self._leg, sitting, address, generation, attempts)
        while True:
            if self._legs.stopping.is_set():
                raise Interrupted
            told = DBOS.run_step({"name": "leg"}, step)
            if told["kind"] != "leg":
                return told

    def _leg(
        self, sitting: Sitting, address: Address, generation: int, attempts: int
    ) -> dict[str, Any]:
        with self._legs, about(repository=address.repository, issue=address.issue):
            if not self._desk.inbox.is_current(address, generation):
                return Told(kind="over", note="another workflow attends to it").model_dump()
            return sitting.leg(attempts).model_dump()


@dataclass(frozen=True)
class Pattern:
    """How issues are attended to: `pulse` is the time between two looks at a turn, in seconds.
    After `most_turns` another workflow goes on, so that none grows without bounds."""

    version: int
    pulse: float
    most_turns: int


class Attendance:
    """Follows one issue; its turns stand in the queue of this name."""

    def __init__(
        self, address: Address, generation: int, desk: Desk, queue: str, pattern: Pattern
    ) -> None:
        self._address = address
        self._generation = generation
        self._desk = desk
        self._queue = queue
        self._pattern = pattern

    async def follow(self) -> str:
        """Return how it ended, in a word or a sentence."""
        try:
            return await self._follow()
        except asyncio.CancelledError:
            raise Interrupted from None

    async def _follow(self) -> str:
        attempts = turns = 0
        while True:
            told = await self._turn(attempts)
            turns += 1
            if told.kind == "over" and await self._closed():
                return told.note
            if told.kind == "parked" and not told.moved and await self._closed():
                # A sweep that finds nothing new must not keep the workflow, and its history, alive.
                return "parked"
            attempts = attempts + 1 if told.kind == "trouble" else 0
            if attempts >= MOST_ATTEMPTS and await self._closed(leaving=True):
                return told.note
            if told.kind == "limited":
                await DBOS.sleep_async(told.seconds)
            heard = await self._heard(0.0 if told.kind in ("over", "limited") else told.seconds)
            if told.kind == "parked" and not heard and await self._closed():
                return "parked"
            if turns >= self._pattern.most_turns and not attempts:
                await self._renewed()
                return "renewed"

    async def _turn(self, attempts: int) -> Told:
        handle = await DBOS.enqueue_workflow_with_options_async(
            {
                "workflow_name": TURN,
                "queue_name": self._queue,
                "queue_partition_key": self._address.repository,
                "app_version": str(self._pattern.version),
            },
            self._address.model_dump(),
            self._generation,
            attempts,
        )
        try:
            pulse = self._pattern.pulse
            return Told.model_validate(await handle.get_result(polling_interval_sec=pulse))
        except PortableWorkflowError as error:
            # DBOS has logged the fault with its traceback where it happened.
            if attempts == MOST_ATTEMPTS - 1:
                return await self._turn(MOST_ATTEMPTS)
            return Told(kind="trouble", seconds=later(attempts), note=str(error))

    async def _heard(self, seconds: float) -> bool:
        """Wait for a bell; all that have rung are one."""
        heard = await DBOS.recv_async(BELL, timeout_seconds=seconds) is not None
        for _ in range(_MOST_BELLS if heard else 0):
            if await DBOS.recv_async(BELL, timeout_seconds=0) is None:
                break
        return heard

    async def _closed(self, *, leaving: bool = False) -> bool:
        inbox = self._desk.inbox
        return await _step(
            "close", partial(inbox.close, self._address, self._generation, leaving=leaving)
        )

    async def _renewed(self) -> None:
        await _step("renew", partial(self._desk.inbox.renew, self._address, self._generation))


async def _step(name: str, work: Callable[[], bool]) -> bool:
    async def step() -> bool:
        return await asyncio.to_thread(work)

    return await DBOS.run_step_async({"name": name}, step)
