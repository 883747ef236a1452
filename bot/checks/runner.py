"""Runs a project's check tests in the sandbox and gathers the files that tell what happened.

A test that crashes the interpreter, or hangs where no timeout reaches it, ends its round; the next
round runs what was left, without that test.
"""

import json
import os
import shutil
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.checks.environment import Environment
from bot.checks.events import read_progress
from bot.checks.report import Report
from bot.checks.results import read_report
from bot.checks.scratch import remove_tree, scratch_folder
from bot.checks.seal import Seal
from bot.ports.sandbox import Limits, Sandbox, SandboxJob, SandboxResult

_INSIDE = Path(__file__).parent / "inside"
_MOST_ROUNDS = 6
_GRACE = 5.0
_LARGEST_FILE = 32 * 1024 * 1024
_LOG_TAIL = 16 * 1024
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache"
)
FILES = ("junit.xml", "events.jsonl", "coverage.json", "spectrum.json")


class CheckJob(Data):
    """What to check: `tests` are paths below `root`, times in seconds, memory in MiB. The project's
    own pytest settings, conftest files and `src` folder count with `project_settings` alone."""

    root: Path
    tests: tuple[str, ...] = ("check_tests",)
    environment: Environment
    test_seconds: float = 60.0
    total_seconds: float = 600.0
    memory: int = 2048
    disk: int = 512
    project_settings: bool = False


def run_checks(job: CheckJob, sandbox: Sandbox) -> dict[str, bytes]:
    """Run the check tests on a copy of `job.root` and return the files of the artifact by name:
    `run.json`, `output.txt`, and for each round N `N/junit.xml`, `N/events.jsonl`,
    `N/coverage.json` and `N/spectrum.json`, as far as they came to be."""
    tests = tuple(_below(job.root, test) for test in job.tests)
    files: dict[str, bytes] = {}
    rounds: list[dict[str, object]] = []
    skip: list[str] = []
    output = ""
    deadline = time.monotonic() + job.total_seconds
    with scratch_folder("repowright-check-") as folder:
        for number in range(1, _MOST_ROUNDS + 1):
            place = _Place(folder / "round", job.root)
            left = max(1.0, deadline - time.monotonic())
            seal = Seal(place.root, tests)
            result = _run_round(job, tests, place, seal, skip, left, sandbox)
            made = place.collect()
            files |= {f"{number}/{name}": content for name, content in made.items()}
            output += result.output
            progress = read_progress(made.get("events.jsonl", b""))
            rounds.append({**_facts(result, place), "changed": seal.broken()})
            place.remove()
            if progress.finished or progress.current is None or time.monotonic() >= deadline:
                break
            skip += [*progress.done, progress.current]
    files["run.json"] = json.dumps({"rounds": rounds, "tests": tests}, indent=1).encode()
    files["output.txt"] = output.encode()[-_LOG_TAIL:]
    return files


def check(job: CheckJob, sandbox: Sandbox) -> Report:
    """Run the check tests and read what came back."""
    return read_report(run_checks(job, sandbox))


class _Place:
    """Where one round happens: a copy of the project, and a folder for what comes out."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.folder = folder
        self.root = folder / "project"
        self.out = folder / "out"
        self.out.mkdir(parents=True)
        shutil.copytree(project, self.root, symlinks=True, ignore=_LEFT_OUT)

    @property
    def log(self) -> Path:
        return self.out / "events.jsonl"

    def collect(self) -> dict[str, bytes]:
        """The files that came out, as far as they are plain files of a bearable size."""
        found = {name: _read_plain(self.out / name) for name in FILES}
        return {name: content for name, content in found.items() if content is not None}

    def remove(self) -> None:
        remove_tree(self.folder)


def _run_round(
    job: CheckJob,
    tests: tuple[str, ...],
    place: _Place,
    seal: Seal,
    skip: list[str],
    seconds: float,
    sandbox: Sandbox,
) -> SandboxResult:
    order = {
        "root": str(place.root),
        "tests": tests,
        "skip": skip,
        **_settings(job, place.root, tests[0]),
        "test_seconds": job.test_seconds,
        "log": str(place.log),
        "junit": str(place.out / "junit.xml"),
        "coverage": str(place.out / "coverage.json"),
        "spectrum": str(place.out / "spectrum.json"),
    }
    order_file = place.folder / "job.json"
    order_file.write_text(json.dumps(order), encoding="utf-8")
    started = time.time()
    return sandbox.run(
        SandboxJob(
            argv=(
                *(str(job.environment.python), "-s", "-P", "-X", "faulthandler"),
                *(str(_INSIDE / "launcher.py"), str(order_file)),
            ),
            workdir=place.root,
            readable=(*job.environment.readable, _INSIDE, order_file, *seal.files),
            writable=(place.root, place.out, *seal.folders),
            env={
                "PATH": f"{job.environment.python.parent}:/usr/local/bin:/usr/bin:/bin",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONHASHSEED": "0",
                # Of coverage's ways to measure, the one that can tell tests apart.
                "COVERAGE_CORE": "ctrace",
                "OPENBLAS_NUM_THREADS": "1",
            },
            limits=Limits(seconds=seconds, memory=job.memory, disk=job.disk),
        ),
        cancelled=lambda: _stalled(place.log, started, job.test_seconds + _GRACE),
    )


def _settings(job: CheckJob, root: Path, first: str) -> dict[str, str | None]:
    """Whose settings pytest follows, from which folder on conftest files count, and what comes
    onto the path beside the root."""
    if job.project_settings:
        source = root / "src"
        path = str(source) if source.is_dir() and not (source / "__init__.py").exists() else None
        return {"configuration": None, "confcutdir": str(root), "source": path}
    folder = root / first if (root / first).is_dir() else (root / first).parent
    configuration = folder / "pytest.ini"
    ours = configuration if configuration.is_file() else _INSIDE / "pytest.ini"
    return {"configuration": str(ours), "confcutdir": str(folder), "source": None}


def _stalled(log: Path, started: float, patience: float) -> bool:
    """No event for longer than a test may take: something hangs that no timeout can reach."""
    try:
        last = max(started, log.lstat().st_mtime)
    except OSError:
        last = started
    return time.time() - last > patience


def _facts(result: SandboxResult, place: _Place) -> dict[str, object]:
    return {
        "returncode": result.returncode,
        "stopped_by": result.stopped_by,
        "seconds": round(result.seconds, 3),
        "root": str(place.root),
    }


def _below(root: Path, test: str) -> str:
    path = root / test
    if not path.exists():
        raise RepowrightError(
            "there are no check tests", where=test, hint="name their folder with --tests"
        )
    if not path.resolve().is_relative_to(root.resolve()):
        raise RepowrightError("the check tests lie outside the project", where=test)
    return Path(test).as_posix()


def _read_plain(path: Path) -> bytes | None:
    """A file's content; None for what is missing, too large, or no plain file, such as a link."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            return None
        return file.read(_LARGEST_FILE)


def write_files(files: Mapping[str, bytes], out: Path) -> None:
    """Write the artifact's files below `out`."""
    for name, content in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
