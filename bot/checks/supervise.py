"""Watches a running command: passes on its output and ends it, with everything it started, at the
first limit it crosses.

The kernel's own limits (rlimits, sizes of temporary file systems) hold where they can. What they
cannot bound, the sum over a whole tree of processes, is measured here, because control groups are
not to be had everywhere.
"""

import contextlib
import errno
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bot.ports.sandbox import Limits, SandboxResult, StopReason

MIB = 1024 * 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = 0.05
_SMALLEST_FILE = 4096


def supervise(
    process: subprocess.Popen[bytes],
    limits: Limits,
    *,
    started: float,
    writable: tuple[Path, ...],
    on_output: Callable[[bytes], None] | None,
    cancelled: Callable[[], bool] | None,
) -> SandboxResult:
    """Follow `process`, whose output is a pipe, to its end, or end it and all that it started.
    `started` is a monotonic time in seconds."""
    output = _Output(process, limits.output * MIB, on_output)
    disk = _DiskWatch(writable, limits.disk * MIB)
    stopped: StopReason | None = None
    with output:
        while stopped is None and not output.ended(_TICK):
            if output.flooded:
                stopped = "output"
            elif time.monotonic() - started > limits.seconds:
                stopped = "time"
            elif cancelled is not None and cancelled():
                stopped = "cancelled"
            else:
                stopped = _crossed(process.pid, limits) or disk.crossed(process.pid)
        if stopped is not None:
            end(process)
        output.drain()
    if stopped is None and output.flooded:
        stopped = "output"
    elif stopped is None and disk.is_over():
        stopped = "disk"
    return SandboxResult(
        returncode=process.wait(),
        output=output.text(),
        seconds=time.monotonic() - started,
        stopped_by=stopped,
    )


@contextlib.contextmanager
def never_left_running(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Whatever happens inside, the process has ended afterwards."""
    try:
        yield
    finally:
        if process.poll() is None:
            end(process)
        if process.stdout is not None:
            process.stdout.close()


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all below it; with the first process of a process namespace, which bwrap
    is the parent of, the kernel ends everything in it."""
    for pid in (*descendants(process.pid), process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def descendants(top: int) -> Iterator[int]:
    """The processes below `top`, as /proc tells; those that end meanwhile are left out."""
    children = _children if Path("/proc/thread-self/children").exists() else _children_by_parent()
    waiting = [top]
    while waiting:
        for child in children(waiting.pop()):
            waiting.append(child)
            yield child


def _children(parent: int) -> Iterator[int]:
    for thread in _entries(f"/proc/{parent}/task"):
        yield from map(int, _read(f"/proc/{parent}/task/{thread}/children").split())


def _children_by_parent() -> Callable[[int], list[int]]:
    """For kernels without CONFIG_PROC_CHILDREN: one look at all processes (proc(5), stat)."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, _entries("/proc")):
        fields = _read(f"/proc/{name}/stat").rpartition(")")[2].split()
        if len(fields) > 1:
            children.setdefault(int(fields[1]), []).append(int(name))
    return lambda parent: children.get(parent, [])


def _crossed(top: int, limits: Limits) -> StopReason | None:
    """Counting stops where a limit is crossed, so that a flood of processes costs little."""
    tasks = 0
    resident: dict[int, int] = {}
    for pid in descendants(top):
        tasks += len(_entries(f"/proc/{pid}/task"))
        if tasks >= limits.processes:
            return "processes"
        fields = _read(f"/proc/{pid}/statm").split()
        if fields:
            resident[pid] = (int(fields[1]) - int(fields[2])) * _PAGE
    if sum(resident.values()) <= limits.memory * MIB:
        return None
    fair = sum(_fair_share(pid, known) for pid, known in resident.items())
    return "memory" if fair > limits.memory * MIB else None


def _fair_share(pid: int, otherwise: int) -> int:
    """Bytes that a process uses, pages shared with others divided among them (proc(5), Pss)."""
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return otherwise


class _Output:
    """Collects a process's output up to a limit and notices the process's end."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        limit: int,
        listener: Callable[[bytes], None] | None,
    ) -> None:
        if process.stdout is None:
            raise ValueError("the process has no output pipe")
        self._pipe = process.stdout.fileno()
        self._limit = limit
        self._listener = listener
        self._kept = bytearray()
        self._seen = 0
        self._process = process

    def __enter__(self) -> None:
        os.set_blocking(self._pipe, False)
        self._handle = os.pidfd_open(self._process.pid)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._pipe, selectors.EVENT_READ)
        self._selector.register(self._handle, selectors.EVENT_READ)

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        os.close(self._handle)

    @property
    def flooded(self) -> bool:
        return self._seen > self._limit

    def ended(self, seconds: float) -> bool:
        """Take in output for at most `seconds`; true as soon as the process is gone."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and not self.flooded:
            for key, _ in self._selector.select(left):
                if key.fd == self._handle:
                    return True
                if not self._take():
                    self._selector.unregister(self._pipe)
        return False

    def drain(self) -> None:
        """Take in what is still in the pipe once nothing writes to it any more."""
        while not self.flooded and self._take():
            continue

    def text(self) -> str:
        return self._kept.decode("utf-8", errors="replace")

    def _take(self) -> bool:
        """Read once; false at the end of the pipe, or where it is empty."""
        try:
            data = os.read(self._pipe, 65536)
        except BlockingIOError:
            return False
        kept = data[: max(0, self._limit - self._seen)]
        self._seen += len(data)
        self._kept += kept
        if kept and self._listener is not None:
            self._listener(kept)
        return bool(data)


class _DiskWatch:
    """Bytes that a job adds below its writable folders, files deleted but held open included.

    Measuring walks the folders, so it is done ten times as seldom as it takes long.
    """

    def __init__(self, folders: tuple[Path, ...], limit: int) -> None:
        self._folders = folders
        self._limit = limit
        self._before = self._used()
        self._due = time.monotonic() + 0.2

    def crossed(self, top: int) -> StopReason | None:
        now = time.monotonic()
        if not self._folders or now < self._due:
            return None
        used = self._used() + _held_open(top)
        self._due = time.monotonic() + max(0.2, 10 * (time.monotonic() - now))
        return "disk" if used - self._before > self._limit else None

    def is_over(self) -> bool:
        """Whether more is left at the end than may be: a quick job can end between two looks."""
        return bool(self._folders) and self._used() - self._before > self._limit

    def _used(self) -> int:
        return sum(_size(str(folder)) for folder in self._folders)


def _size(folder: str) -> int:
    """Bytes on disk; an empty file counts as one block, since it takes an inode. What is gone, or
    closed to us, between the look and the step counts as nothing."""
    total = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += max(_SMALLEST_FILE, entry.stat(follow_symlinks=False).st_blocks * 512)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # out of our sight, and no honest program's doing
                return sys.maxsize
    return total


def _held_open(top: int) -> int:
    held: dict[tuple[int, int], int] = {}
    for pid in descendants(top):
        for name in _entries(f"/proc/{pid}/fd"):
            try:
                status = Path(f"/proc/{pid}/fd/{name}").stat()
            except OSError:
                continue
            if status.st_nlink == 0:
                held[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(held.values())


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - a count of names, many times a second
    except OSError:
        return []


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
