"""A ceiling on the number of processes that the kernel itself holds, for a caller who may make
control groups. Others have RLIMIT_NPROC, which does not bind root."""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_UNIFIED = Path("/sys/fs/cgroup")
_SEPARATE = Path("/sys/fs/cgroup/pids")
_numbers = itertools.count()


@contextmanager
def process_ceiling(pid: int, processes: int) -> Iterator[None]:
    """Hold a process, with all that it starts, to so many processes and threads, as far as this
    caller may. The processes must be gone at the end.

    https://docs.kernel.org/admin-guide/cgroup-v2.html#pid
    """
    group = _made(processes)
    if group is None:
        yield
        return
    try:
        with suppress(OSError):
            (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        with suppress(OSError):
            group.rmdir()


def _made(processes: int) -> Path | None:
    parent = _parent()
    if parent is None:
        return None
    _sweep(parent)
    group = parent / f"repowright-{os.getpid()}-{next(_numbers)}"
    try:
        group.mkdir()
        (group / "pids.max").write_text(str(processes))
    except OSError:
        return None
    return group


def _sweep(parent: Path) -> None:
    """Remove groups whose maker was killed before it could; one still in use does not let go."""
    for left in parent.glob("repowright-*-*"):
        if not Path("/proc", left.name.split("-")[1]).exists():
            with suppress(OSError):
                left.rmdir()


def _parent() -> Path | None:
    """The root of the hierarchy that counts processes, where groups can be made below it."""
    try:
        controllers = (_UNIFIED / "cgroup.subtree_control").read_text().split()
    except OSError:
        controllers = []
    if "pids" in controllers:
        return _UNIFIED
    return _SEPARATE if os.access(_SEPARATE / "cgroup.procs", os.W_OK) else None
