"""The repair agenda on references with seeded faults: how often it names the faulty file first, and
how that compares with looking at the worst test file."""

import ast
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath

from bot.base import Data
from bot.bench.agenda_runs import FaultyRun, TaskRuns, runs_of
from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, share
from bot.checks.agenda.suspicion import Fault
from bot.checks.agenda.targets import Target, agenda
from bot.checks.agenda.test_sources import tests_in
from bot.checks.environment import Environments, default_folder
from bot.checks.report import Report, TestOutcome
from bot.checks.sandbox import make_sandbox
from bot.doctor.machine import try_sandbox
from bot.state.extract import absolute_module
from bot.state.lookup import Modules
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.syntax import parse
from bot.verify.gate import gate
from bot.verify.imports import distributions

_AT_ONCE = 2
_NAMED = 3
_MANY = 6
_FAILING = (TestOutcome.FAILED, TestOutcome.ERROR)


class Finding(Data):
    """How one run with seeded faults was judged; each file list is likeliest first. `responsible`
    are the files of the first target, `gated` what is named where the static gate's words are
    added, `naive` what is without the agenda."""

    task: str
    kinds: tuple[str, ...]
    faulty: tuple[str, ...]
    named: tuple[str, ...]
    responsible: tuple[str, ...]
    gated: tuple[str, ...]
    naive: tuple[str, ...]
    held_out: bool
    of_many: bool


def bench_agenda(tasks: Sequence[Task]) -> BenchResult:
    """`first`: the faulty file (of two, one of them) is the first file of the first target;
    `first_three`: the faulty file (of two, both) is among the first three files that the targets
    name, in order, responsible ones before further suspects; `first_target`: it is one of the
    responsible files (one or two) of the first target; `against_naive`: `first` over the same of
    the naive order, see `naive_files`.

    Each run gives the agenda the report, the broken sources, the tests' sources and the state that
    the broken sources make; nothing of the clean reference. `with_gate` adds what the static gate
    says of the broken sources. `held_out` are the tasks that no rule was tuned on, a third by the
    hash of their names. See docs/contracts.md for the keys."""
    started = time.monotonic()
    try_sandbox()
    sandbox = make_sandbox("bubblewrap")
    prepare = Environments(default_folder()).prepare

    def judged(task: Task) -> tuple[TaskRuns, list[Finding]]:
        runs = runs_of(task, sandbox, prepare)
        return runs, [finding(runs, run) for run in runs.runs]

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        by_task = list(pool.map(judged, tasks))
    done = [runs for runs, _ in by_task]
    figures = figures_of([f for _, found in by_task for f in found])
    figures["tasks_run"] = sum(not runs.why for runs in done)
    figures["tasks_not_run"] = sum(bool(runs.why) for runs in done)
    for name in ("tried", "unnoticed", "masked"):
        figures[name] = sum(getattr(runs, name) for runs in done)
    figures["seconds"] = round(time.monotonic() - started, 1)
    rows = tuple(_row(runs, found) for runs, found in by_task)
    return BenchResult(bench="agenda", figures=figures, tasks=rows)


def is_held_out(task: str) -> bool:
    """Whether a task is kept away from tuning: a third of all names."""
    return hashlib.sha256(task.encode()).digest()[0] % 3 == 0


def finding(runs: TaskRuns, run: FaultyRun) -> Finding:
    """What the agenda says of one run, and what the naive order would."""
    files = {**runs.files, **{f.path: f.source for f in run.faults}}
    state = reconcile(ProjectState(), change_of(files, files))[0]
    said = [
        Fault(path=e.location.file, line=e.location.line, detail=e.detail)
        for e in gate(files, None, distributions(runs.requirements))
        if e.location is not None
    ]
    plain = agenda(run.report, files, runs.tests, state, roots=runs.roots)
    gated = agenda(run.report, files, runs.tests, state, roots=runs.roots, faults=said)
    return Finding(
        task=runs.task,
        kinds=tuple(f.kind for f in run.faults),
        faulty=tuple(f.path for f in run.faults),
        named=_files_of(plain),
        responsible=plain[0].files if plain else (),
        gated=_files_of(gated),
        naive=naive_files(run.report, files, runs.tests),
        held_out=is_held_out(runs.task),
        of_many=len(files) >= _MANY,
    )


def _files_of(targets: Sequence[Target]) -> tuple[str, ...]:
    """The different files that the targets name: the responsible ones of each, then the further
    suspects of each."""
    responsible = [path for target in targets for path in target.files]
    further = [path for target in targets for path in target.suspects]
    return tuple(dict.fromkeys((*responsible, *further)))


def naive_files(
    report: Report, files: Mapping[str, str], tests: Mapping[str, str]
) -> tuple[str, ...]:
    """What one does without an agenda: take the test file with the most failing tests (all that it
    holds where it does not even import), and look at the project's files that it imports, in the
    order of its import statements; then at those of the next test file."""
    count: dict[str, int] = {}
    for result in report.tests:
        if result.outcome in _FAILING:
            path = result.id.partition("::")[0]
            hidden = 1 if "::" in result.id else tests_in(tests.get(path, ""))
            count[path] = count.get(path, 0) + max(1, hidden)
    worst = sorted(count, key=lambda path: (-count[path], path))
    return tuple(dict.fromkeys(f for path in worst for f in _imported(path, files, tests)))


def _imported(path: str, files: Mapping[str, str], tests: Mapping[str, str]) -> Iterator[str]:
    """The project's files that a test file imports: the submodule or else the module of each
    name."""
    modules = Modules(files.keys())
    try:
        tree = parse(tests.get(path, ""))
    except SyntaxError:
        return
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    for node in sorted(nodes, key=lambda n: n.lineno):
        for alias in node.names:
            if isinstance(node, ast.Import):
                names = [alias.name]
            else:
                module = absolute_module(path, node.module, node.level)
                names = [f"{module}.{alias.name}", module]
            yield from [modules[n] for n in names if n in modules][:1]


def figures_of(findings: Sequence[Finding]) -> dict[str, Value]:
    """The shares over all findings, single and double ones, by kind, and held out."""
    figures: dict[str, Value] = _shares(findings)
    first, naive = figures["first"], figures["first_naive"]
    figures["against_naive"] = None
    if isinstance(first, float) and isinstance(naive, float) and naive:
        figures["against_naive"] = round(first / naive, 2)
    groups = {
        "single": [f for f in findings if len(f.kinds) == 1],
        "double": [f for f in findings if len(f.kinds) == 2],
        "held_out": [f for f in findings if f.held_out],
        "many_files": [f for f in findings if f.of_many],
        "tuned": [f for f in findings if not f.held_out],
    }
    for kind in sorted({k for f in findings for k in f.kinds}):
        groups[kind] = [f for f in findings if f.kinds == (kind,)]
    for name, group in groups.items():
        figures.update({f"{key}_{name}": value for key, value in _shares(group).items()})
    return figures


def _shares(findings: Sequence[Finding]) -> dict[str, Value]:
    whole = len(findings)
    return {
        "first": share(sum(_is_first(f.named, f) for f in findings), whole),
        "first_three": share(sum(_is_named(f.named, f) for f in findings), whole),
        "first_target": share(sum(_is_first_target(f) for f in findings), whole),
        "first_with_gate": share(sum(_is_first(f.gated, f) for f in findings), whole),
        "first_three_with_gate": share(sum(_is_named(f.gated, f) for f in findings), whole),
        "first_naive": share(sum(_is_first(f.naive, f) for f in findings), whole),
        "first_three_naive": share(sum(_is_named(f.naive, f) for f in findings), whole),
        "seeded": whole,
    }


def _is_first(files: Sequence[str], found: Finding) -> bool:
    return bool(files) and files[0] in found.faulty


def _is_first_target(found: Finding) -> bool:
    """Whether who mends the first target sees the faulty file (of two, one of them)."""
    return bool(set(found.faulty) & set(found.responsible))


def _is_named(files: Sequence[str], found: Finding) -> bool:
    return set(found.faulty) <= set(files[:_NAMED])


def _row(runs: TaskRuns, findings: Sequence[Finding]) -> dict[str, Value]:
    row: dict[str, Value] = {"task": runs.task, "not_run": runs.why or None}
    row.update(_shares(findings))
    row.update(
        held_out=is_held_out(runs.task),
        files=len([p for p in runs.files if PurePosixPath(p).suffix == ".py"]),
        clean=runs.clean,
        tried=runs.tried,
        unnoticed=runs.unnoticed,
        masked=runs.masked,
    )
    return row
