"""Runs in small: code with a seeded fault, its check run, and the repair that takes the fault out.
What a repair round would see, without a model."""

import ast
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from difflib import unified_diff
from functools import cache
from importlib import resources
from pathlib import Path

import yaml

from bot.base import Data
from bot.bench.datasets import Task
from bot.bench.families_seeded import Fault, faults_of
from bot.checks.environment import Environment, Environments, default_folder
from bot.checks.report import Report
from bot.checks.results import read_report
from bot.checks.runner import CheckJob, check, run_checks
from bot.checks.sandbox import make_sandbox
from bot.doctor.machine import try_sandbox
from bot.experience.names import names_in_code
from bot.ports.sandbox import Sandbox
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.syntax import parse

SEEDS_OF_A_FAMILY = 2
_MOST_TRIES = 5
_TEST_SECONDS = 3.0
_TOTAL_SECONDS = 20.0
_COVERAGE = "1/coverage.json"


class SeededRun(Data):
    """One fault that the check tests see, before and after its repair. `names` are those that
    the states do not hold."""

    task: str
    fault: Fault
    broken: ProjectState
    mended: ProjectState
    reports: tuple[Report, Report]
    diff: str
    names: frozenset[str] = frozenset()


class _Choice(Data):
    requirements: tuple[str, ...]
    tasks: tuple[str, ...]


def runnable(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Those of the tasks that run in the one environment of experience.yaml."""
    return tuple(task for task in tasks if task.name in _choice().tasks)


def prepared() -> tuple[Environment, Sandbox]:
    """The environment for the runnable tasks, and the sandbox; raise RepowrightError where this
    machine has no sandbox or cannot install."""
    try_sandbox()
    environment = Environments(default_folder()).prepare(_choice().requirements)
    return environment, make_sandbox("bubblewrap")


def seeded_runs(
    tasks: Sequence[Task], environment: Environment, sandbox: Sandbox
) -> tuple[SeededRun, ...]:
    """For each task and family of faults a few that turn check tests red, the same each time. As
    many families are looked at at once as there are processors, and no tests are run for a fault
    in what they never run."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        grounds = pool.map(lambda task: _ground(task, environment, sandbox), tasks)
        found = [
            pool.submit(_runs_of, ground, faults, environment, sandbox)
            for ground in grounds
            for faults in faults_of(ground.files).values()
        ]
        return tuple(run for family in found for run in family.result())


class _Ground(Data):
    """A task as it is without a fault; `ran` are the lines, by path, that its tests run."""

    task: Task
    files: dict[str, str]
    state: ProjectState
    names: frozenset[str]
    report: Report
    ran: dict[str, frozenset[int]]


def _ground(task: Task, environment: Environment, sandbox: Sandbox) -> _Ground:
    files = task.reference()
    with _Place.made(task, environment, sandbox) as place:
        made = run_checks(place.job, sandbox)
    return _Ground(
        task=task,
        files=files,
        state=_state(files),
        names=names_in_code(files) | {task.name},
        report=read_report(made),
        ran=_lines_run(made.get(_COVERAGE, b"{}")),
    )


def _lines_run(coverage: bytes) -> dict[str, frozenset[int]]:
    """From coverage.py's JSON report; what it was told to leave out may have run as well."""
    files = json.loads(coverage).get("files", {})
    return {p: frozenset((*f["executed_lines"], *f["excluded_lines"])) for p, f in files.items()}


def _is_run(fault: Fault, ground: _Ground) -> bool:
    """Whether the tests run the statement that a fault changes. Only what stands in a function can
    stay unrun."""
    tree = parse(ground.files[fault.path])
    around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and _holds(n, fault.line)]
    if fault.source is None or not around:
        return True
    innermost = max(around, key=lambda n: n.lineno)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = any(isinstance(n, functions) and n is not innermost for n in around)
    return not inside or innermost.lineno in ground.ran.get(fault.path, frozenset())


def _holds(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _runs_of(
    ground: _Ground, faults: Sequence[Fault], environment: Environment, sandbox: Sandbox
) -> list[SeededRun]:
    """The first faults of one family that the check tests see."""
    files, runs = ground.files, list[SeededRun]()
    with _Place.made(ground.task, environment, sandbox) as place:
        for fault in _spread([f for f in faults if _is_valid(f)], _MOST_TRIES):
            if not _is_run(fault, ground):
                continue
            report = place.report_with(fault, files)
            if report.failed:
                broken = _with(files, fault)
                runs.append(
                    SeededRun(
                        task=ground.task.name,
                        fault=fault,
                        broken=_state(broken),
                        mended=ground.state,
                        reports=(report, ground.report),
                        diff=_diff(broken, files),
                        names=ground.names,
                    )
                )
            if len(runs) == SEEDS_OF_A_FAMILY:
                break
    return runs


class _Place:
    """A copy of a task in which one file at a time is broken."""

    def __init__(self, root: Path, task: Task, environment: Environment, sandbox: Sandbox) -> None:
        self._root = root
        self._sandbox = sandbox
        self.job = CheckJob(
            root=root,
            tests=(task.check_tests,),
            environment=environment,
            test_seconds=_TEST_SECONDS,
            total_seconds=_TOTAL_SECONDS,
        )

    @classmethod
    @contextmanager
    def made(cls, task: Task, environment: Environment, sandbox: Sandbox) -> Iterator["_Place"]:
        with tempfile.TemporaryDirectory(prefix="repowright-bench-") as folder:
            root = Path(folder) / "project"
            shutil.copytree(task.folder, root, symlinks=True)
            yield cls(root, task, environment, sandbox)

    def report(self) -> Report:
        return check(self.job, self._sandbox)

    def report_with(self, fault: Fault, files: Mapping[str, str]) -> Report:
        path = self._root / fault.path
        if fault.source is None:
            path.unlink()
        else:
            path.write_text(fault.source, "utf-8")
        try:
            return self.report()
        finally:
            path.write_text(files[fault.path], "utf-8")


def _with(files: Mapping[str, str], fault: Fault) -> dict[str, str]:
    others = {path: text for path, text in files.items() if path != fault.path}
    return others if fault.source is None else {**others, fault.path: fault.source}


def _state(files: Mapping[str, str]) -> ProjectState:
    return reconcile(ProjectState(), change_of(files, files))[0]


def _diff(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Both trees' unified diff, as git writes it."""
    chunks = (
        unified_diff(
            old.get(path, "").splitlines(),
            new.get(path, "").splitlines(),
            f"a/{path}" if path in old else "/dev/null",
            f"b/{path}" if path in new else "/dev/null",
            lineterm="",
        )
        for path in sorted(old.keys() | new.keys())
    )
    return "".join(f"{line}\n" for chunk in chunks for line in chunk)


def _spread(faults: Sequence[Fault], most: int) -> list[Fault]:
    """At most so many, spread evenly."""
    step = max(1, len(faults) // most)
    return list(faults[::step][:most])


def _is_valid(fault: Fault) -> bool:
    try:
        parse(fault.source or "")
    except SyntaxError:
        return False
    return True


@cache
def _choice() -> _Choice:
    text = resources.files("bot.bench").joinpath("experience.yaml").read_text("utf-8")
    return _Choice.model_validate(yaml.safe_load(text))
