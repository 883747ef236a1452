"""The sandbox: bubblewrap, and the choice to do without it, which must be asked for by name."""

import contextlib
import json
import os
import platform
import resource
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bot.base import RepowrightError
from bot.checks.cgroup import process_ceiling
from bot.checks.pipes import Pipes
from bot.checks.seccomp import syscall_filter
from bot.checks.supervise import MIB, never_left_running, supervise
from bot.ports.sandbox import Limits, Sandbox, SandboxJob, SandboxMissing, SandboxResult

_USER = 1000
_ACCOUNTS = {
    "/etc/passwd": f"runner:x:{_USER}:{_USER}::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    "/etc/group": f"runner:x:{_USER}:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_CONFIGURATION = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
_SHARED_MEMORY = 64 * MIB
_OPEN_FILES = 4096
_NICE = 5
_LONGEST_END = 10.0


def make_sandbox(name: str) -> Sandbox:
    """The sandbox of that name: "bubblewrap" or, where a person says so, "none"."""
    if name == "bubblewrap":
        return Bubblewrap()
    if name == "none":
        return NoSandbox()
    raise RepowrightError(
        f"there is no sandbox called {name!r}", hint='choose "bubblewrap" or "none"'
    )


class Bubblewrap:
    """Runs a job in namespaces of its own (bwrap(1)): no network, a system that is read-only, a
    private /tmp, no capability, a system call filter, and limits."""

    def __init__(self, executable: str = "bwrap") -> None:
        self._executable = executable

    def run(
        self,
        job: SandboxJob,
        *,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SandboxResult:
        started = time.monotonic()
        with Pipes() as pipes:
            status = pipes.to_read()
            gate = pipes.to_hold()
            process = self._start(job, pipes, status, gate)
            pipes.close_given()
            with never_left_running(process):
                first = _first_process(status, process)
                with _bounded(first, job.limits, process):
                    pipes.release(gate)
                    result = supervise(
                        process,
                        job.limits,
                        started=started,
                        writable=job.writable,
                        on_output=on_output,
                        cancelled=cancelled,
                    )
            return _settled(status, result)

    def _start(
        self, job: SandboxJob, pipes: Pipes, status: int, gate: int
    ) -> subprocess.Popen[bytes]:
        executable = shutil.which(self._executable)
        if executable is None:
            raise _missing()
        options = [
            *("--json-status-fd", str(pipes.given_for(status))),
            *("--block-fd", str(pipes.given_for(gate))),
            *_view(job, pipes),
            *_environment(job),
        ]
        filter_ = syscall_filter()
        if filter_ is not None:
            options += ["--seccomp", str(pipes.holding(filter_))]
        return subprocess.Popen(
            [executable, *options, "--chdir", str(job.workdir), "--", *job.argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=pipes.given,
            start_new_session=True,
            env={},
        )


class NoSandbox:
    """Runs a job with nothing around it but a clean environment, and the limits that can be had.

    For a place that is a sandbox itself, or a person who trusts the code.
    """

    def run(
        self,
        job: SandboxJob,
        *,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> SandboxResult:
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                job.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=job.workdir,
                env=_variables(job.env),
            )
        except OSError as error:
            return SandboxResult(
                returncode=127, output=str(error), seconds=time.monotonic() - started
            )
        with never_left_running(process):
            _limit(process.pid, job.limits)
            result = supervise(
                process,
                job.limits,
                started=started,
                writable=job.writable,
                on_output=on_output,
                cancelled=cancelled,
            )
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return result


def _view(job: SandboxJob, pipes: Pipes) -> Iterator[str]:
    """What the job sees: bwrap's options for namespaces and the file system."""
    yield from ("--unshare-all", "--unshare-user", "--uid", str(_USER), "--gid", str(_USER))
    yield from ("--hostname", "sandbox", "--cap-drop", "ALL")
    yield from ("--die-with-parent", "--new-session")
    yield from ("--ro-bind", "/usr", "/usr")
    for folder in _SYSTEM:
        if Path(folder).is_symlink():
            yield from ("--symlink", str(Path(folder).readlink()), folder)
        elif Path(folder).is_dir():
            yield from ("--ro-bind", folder, folder)
    for name in _CONFIGURATION:
        yield from ("--ro-bind-try", name, name)
    for name, text in _ACCOUNTS.items():
        yield from ("--ro-bind-data", str(pipes.holding(text.encode())), name)
    # Kernel settings below /proc/sys ask for no capability of a caller whose user is root outside.
    yield from ("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev")
    yield from ("--size", str(_SHARED_MEMORY), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")  # noqa: S108
    yield from ("--size", str(job.limits.disk * MIB), "--tmpfs", "/tmp")  # noqa: S108
    for path, writable in _outer_first(job):
        yield from ("--bind" if writable else "--ro-bind", str(path), str(path))
    yield from ("--remount-ro", "/")


def _outer_first(job: SandboxJob) -> list[tuple[Path, bool]]:
    """Mounts in an order in which none hides another; of two on one place the writable wins."""
    mounts = dict.fromkeys((path.absolute() for path in job.readable), False)
    mounts |= dict.fromkeys((path.absolute() for path in job.writable), True)
    return sorted(mounts.items(), key=lambda mount: len(mount[0].parts))


def _environment(job: SandboxJob) -> Iterator[str]:
    yield "--clearenv"
    for name, value in _variables(job.env).items():
        yield from ("--setenv", name, value)


def _variables(env: Mapping[str, str]) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        **env,
    }


def _limit(pid: int, limits: Limits) -> None:
    """Set what the kernel enforces by itself on a process that has started nothing yet: data
    rather than address space, which garbage collectors reserve by the gigabyte."""
    ceilings = {
        resource.RLIMIT_DATA: limits.memory * MIB,
        resource.RLIMIT_FSIZE: limits.disk * MIB,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for kind, ceiling in ceilings.items():
        _lower(pid, kind, ceiling)
    os.setpriority(os.PRIO_PROCESS, pid, max(_NICE, os.getpriority(os.PRIO_PROCESS, pid)))


def _limit_processes(pid: int, limits: Limits) -> None:
    """Only from Linux 5.14 on does the kernel count per user namespace; before, it counts all that
    the user runs on the machine."""
    if _kernel() >= (5, 14):
        _lower(pid, resource.RLIMIT_NPROC, limits.processes)


def _lower(pid: int, kind: int, ceiling: int) -> None:
    _, hard = resource.prlimit(pid, kind)
    lowest = ceiling if hard == resource.RLIM_INFINITY else min(ceiling, hard)
    resource.prlimit(pid, kind, (lowest, lowest))


def _kernel() -> tuple[int, int]:
    major, minor = platform.release().split(".")[:2]
    return int(major), int("".join(c for c in minor if c.isdigit()) or 0)


def _first_process(status: int, process: subprocess.Popen[bytes]) -> int:
    """The process id, seen from here, of the first process in the sandbox."""
    line = _status_line(status)
    if line:
        pid: int = json.loads(line)["child-pid"]
        return pid
    output, _ = process.communicate()
    raise _failed(output.decode("utf-8", errors="replace"))


@contextmanager
def _bounded(first: int, limits: Limits, process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Limits on the first process of a sandbox, set before it starts the job; in the end wait for
    it, for the kernel lets it go last of all in its namespace."""
    try:
        _limit(first, limits)
        _limit_processes(first, limits)
        handle = os.pidfd_open(first)
    except ProcessLookupError as error:
        output, _ = process.communicate()
        raise _failed(output.decode("utf-8", errors="replace")) from error
    with process_ceiling(first, limits.processes):
        try:
            yield
            ended = select.poll()
            ended.register(handle, select.POLLIN)
            ended.poll(_LONGEST_END * 1000)
        finally:
            os.close(handle)


def _settled(status: int, result: SandboxResult) -> SandboxResult:
    """bwrap reports the exit code of a job that it could start; without one it failed itself,
    unless the job's own program is what is missing."""
    if result.stopped_by is not None or b"exit-code" in _status_line(status):
        return result
    if result.output.startswith("bwrap: execvp"):
        return result.model_copy(update={"returncode": 127})
    raise _failed(result.output)


def _status_line(status: int) -> bytes:
    """One JSON object of bwrap's status; empty where bwrap ended before it wrote one."""
    line = b""
    while not line.endswith(b"\n") and (data := os.read(status, 1)):
        line += data
    return line


def _missing() -> SandboxMissing:
    return SandboxMissing(
        "generated code is not run without a sandbox, and bubblewrap is not installed",
        hint="install it with `apt-get install bubblewrap`,"
        " or choose `--sandbox none` if you trust the code",
    )


def _failed(what: str) -> SandboxMissing:
    return SandboxMissing(
        "generated code is not run without a sandbox, and bubblewrap could not set one up:"
        f" {what.strip()[:500] or 'it gave no reason'}",
        hint="it needs unprivileged user namespaces; on Ubuntu 24.04 allow them with"
        " `sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
    )
