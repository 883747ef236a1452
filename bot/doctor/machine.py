"""The machine: Python, git, sandbox, act, the data folder and its disk."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bot.base import RepowrightError
from bot.checks.sandbox import make_sandbox
from bot.doctor.finding import Finding, Status, finding, of_error
from bot.forge.embedded.actions.runner import find_act
from bot.ports.sandbox import Limits, SandboxJob

_PYTHON = (3, 11)
_GIT_EMBEDDED = (2, 38)
_GIT_OLDEST = (2, 32)
_GIB = 1 << 30
_LITTLE = 5.0
_TOO_LITTLE = 1.0
_SECONDS = 20


def examine_machine(data: Path) -> list[Finding]:
    return [_python(), _git(), _sandbox(), _act(), _data(data), _disk(data)]


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < _PYTHON:
        return finding("python", Status.FAIL, "python_old", version=version)
    return finding("python", Status.OK, "python_ok", version=version)


def _git() -> Finding:
    said = _output("git", "--version")
    found = re.search(r"(\d+)\.(\d+)[.\d]*", said)
    if found is None:
        return finding("git", Status.FAIL, "git_missing")
    version = (int(found[1]), int(found[2]))
    if version < _GIT_OLDEST:
        return finding("git", Status.FAIL, "git_old", version=found[0])
    if version < _GIT_EMBEDDED:
        return finding("git", Status.WARNING, "git_elderly", version=found[0])
    return finding("git", Status.OK, "git_ok", version=found[0])


def try_sandbox() -> None:
    """Really run a command: a bubblewrap that is installed may still be forbidden to work. Raise
    RepowrightError where it does not."""
    with tempfile.TemporaryDirectory(prefix="repowright-doctor-") as folder:
        job = SandboxJob(
            argv=("/bin/sh", "-c", "echo ok"),
            workdir=Path(folder),
            writable=(Path(folder),),
            limits=Limits(seconds=_SECONDS),
        )
        result = make_sandbox("bubblewrap").run(job)
    if result.output.strip() != "ok":
        said = " ".join(result.output.split())
        raise RepowrightError(
            f"bubblewrap ended with {result.returncode}: {said}",
            hint="allow unprivileged user namespaces on this machine, or choose `--sandbox none` "
            "if you trust the code",
        )


def _sandbox() -> Finding:
    try:
        try_sandbox()
    except RepowrightError as error:
        return of_error("sandbox", "sandbox_broken", error, status=Status.WARNING)
    return finding("sandbox", Status.OK, "sandbox_ok")


def _act() -> Finding:
    try:
        said = _output(str(find_act()), "--version")
    except RepowrightError:
        said = ""
    found = re.search(r"\d+\.\d+\.\d+", said)
    if found is None:
        return finding("act", Status.WARNING, "act_missing")
    return finding("act", Status.OK, "act_ok", version=found[0])


def _data(folder: Path) -> Finding:
    """Writes into the folder, or into the nearest one above that exists; leaves nothing."""
    try:
        with tempfile.TemporaryFile(dir=_existing(folder)) as file:
            file.write(b"ok")
            file.flush()
    except OSError as error:
        return finding(
            "data folder",
            Status.FAIL,
            "data_unwritable",
            folder=folder,
            problem=error.strerror or error,
        )
    return finding("data folder", Status.OK, "data_ok", folder=folder)


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(_existing(folder)).free / _GIB
    if free < _TOO_LITTLE:
        return finding("disk", Status.FAIL, "disk_full", free=free)
    if free < _LITTLE:
        return finding("disk", Status.WARNING, "disk_low", free=free)
    return finding("disk", Status.OK, "disk_ok", free=free)


def _existing(folder: Path) -> Path:
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return place


def _output(*command: str) -> str:
    """What a command prints, "" where it cannot be run."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
