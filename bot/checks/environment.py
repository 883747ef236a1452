"""Python environments with what a project asks for, made outside the sandbox and read-only in it.

Only wheels are installed, in one step, and the environment's Python is never started outside the
sandbox afterwards, so nothing of a project or its requirements runs where secrets are.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.checks.requirements import clean_requirements

ALWAYS = ("coverage[toml]>=7.4", "pip", "pytest>=7.4", "pytest-timeout>=2.2")
_INSTALL_SECONDS = 900.0
_COMPLETE = "complete.json"


class Environment(Data):
    """An installed environment. `readable` is what a sandbox must show for `python` to start."""

    python: Path
    readable: tuple[Path, ...]
    requirements: tuple[str, ...] = ()

    @classmethod
    def at(cls, home: Path) -> "Environment":
        """The environment in the folder `home`, made here or elsewhere."""
        python = home / "bin" / "python"
        if not python.exists():
            raise EnvironmentFailed("there is no Python environment", where=str(home))
        return cls(python=python, readable=_readable(home))


class EnvironmentFailed(RepowrightError):
    """The requirements cannot be installed from wheels here."""


class Environments:
    """The environments of this machine, one per set of requirements, below `folder`; several
    processes may use one folder."""

    def __init__(self, folder: Path, *, base: Path = Path(sys.executable)) -> None:
        self._folder = folder.absolute()
        self._base = base

    def prepare(self, requirements: Iterable[str] = ()) -> Environment:
        """The environment for these requirement lines, made now or found from before; raises
        RequirementRefused or EnvironmentFailed."""
        lines = clean_requirements(requirements)
        home = self._folder / self._key(lines)
        if not (home / _COMPLETE).exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            with _locked(home.with_suffix(".lock")):
                if not (home / _COMPLETE).exists():
                    _build(home, lines)
        return Environment.at(home).model_copy(update={"requirements": lines})

    def _key(self, lines: tuple[str, ...]) -> str:
        said = json.dumps([sys.version, str(self._base), ALWAYS, lines])
        return hashlib.sha256(said.encode()).hexdigest()[:24]


def default_folder() -> Path:
    """Where the environments of this user are kept (XDG base directory specification)."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "repowright" / "environments"


def running_python() -> tuple[Path, ...]:
    """What a sandbox must show so that the Python which runs this can start inside."""
    places = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parents[1]}
    return tuple(sorted(place for place in places if not place.is_relative_to("/usr")))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the kernel lets go of when the process dies (flock(2))."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(home: Path, lines: tuple[str, ...]) -> None:
    """Make the environment in its own place, for scripts name it; the mark says it is whole."""
    shutil.rmtree(home, ignore_errors=True)
    venv.create(home, with_pip=False, symlinks=True)
    try:
        _install(home, lines)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    mark = home / "complete.new"
    mark.write_text(json.dumps({"requirements": lines}), encoding="utf-8")
    mark.rename(home / _COMPLETE)


def _install(home: Path, lines: tuple[str, ...]) -> None:
    command = [
        *(sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install"),
        *("--quiet", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:"),
        *("--no-warn-script-location", "--", *ALWAYS, *lines),
    ]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_INSTALL_SECONDS,
            cwd=home,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFailed(
            f"installing the requirements took more than {_INSTALL_SECONDS:.0f} seconds",
            where="requirements",
        ) from error
    if done.returncode != 0:
        raise _explained(done.stdout)


def _explained(output: str) -> EnvironmentFailed:
    """pip's reason in one sentence."""
    missing = re.search(r"No matching distribution found for (.+)", output)
    if missing:
        version = ".".join(map(str, sys.version_info[:2]))
        return EnvironmentFailed(
            f"there is no wheel of {missing[1].strip()} for Python {version} on this machine,"
            " or no such package or version",
            where="requirements",
            hint="only wheels are installed; choose a version that has one, or another package",
        )
    conflict = re.search(r"Cannot install (.+) because these package versions", output)
    if conflict:
        return EnvironmentFailed(
            f"the requirements exclude each other: {conflict[1]}",
            where="requirements",
            hint="loosen one of the versions",
        )
    lines = [line for line in output.splitlines() if line.startswith("ERROR")]
    said = (lines or output.strip().splitlines() or ["it gave no reason"])[-1]
    return EnvironmentFailed(f"pip could not install: {said[:300]}", where="requirements")


def _readable(home: Path) -> tuple[Path, ...]:
    """The environment and the Python it was made from, where that lies outside the system."""
    base = (home / "bin" / "python").resolve().parents[1]
    system = base.is_relative_to("/usr")
    return (home,) if system else (home, base)
