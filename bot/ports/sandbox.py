"""The sandbox port: the only way in which code that the bot did not write is run."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from pydantic import Field

from bot.base import Data, RepowrightError

StopReason = Literal["time", "memory", "processes", "output", "disk", "cancelled"]


class Limits(Data):
    """Ceilings of one sandboxed command; sizes in MiB, time in seconds."""

    seconds: float = 300.0
    memory: int = 2048
    processes: int = 256
    output: int = 4
    disk: int = 512


class SandboxJob(Data):
    """`argv` run in `workdir`. The job sees a read-only system, a private /tmp, the paths of
    `readable` read-only and those of `writable` read-write, all at their own places, nothing of
    the caller's environment but `env`, and no network."""

    argv: tuple[str, ...]
    workdir: Path
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    limits: Limits = Limits()


class SandboxResult(Data):
    """`stopped_by` names the limit that ended the job ("cancelled": the caller did), None where
    it ended by itself. `output` is stdout and stderr in order, cut to the limit."""

    returncode: int
    output: str
    seconds: float
    stopped_by: StopReason | None = None


class SandboxMissing(RepowrightError):
    """No sandbox on this machine; the bot refuses to run generated code."""


class Sandbox(Protocol):
    def run(
        self,
        job: SandboxJob,
        *,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SandboxResult:
        """Run the job to its end or its limit; raise SandboxMissing where none can be had.

        `on_output` gets the raw output as it comes; `cancelled` is asked a few times a second and
        ends the job when it says yes.
        """
        ...
