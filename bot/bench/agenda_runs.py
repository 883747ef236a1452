"""Check runs of references with one or two seeded faults in them, for the bench of the repair
agenda."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

import yaml
from pydantic import Field

from bot.base import Data, RepowrightError
from bot.bench.agenda_seeds import SeededFault, seeded_faults
from bot.bench.datasets import Task
from bot.checks.environment import Environment
from bot.checks.report import Report, Spectrum, TestOutcome
from bot.checks.runner import CheckJob, check
from bot.ports.sandbox import Sandbox

# Faults that are tried: so many for each file, between these bounds.
_TRIES_A_FILE = 3
_FEWEST_TRIES = 6
_MOST_TRIES = 15
_DOUBLES = 4
_TEST_SECONDS = 8.0
_TOTAL_SECONDS = 60.0
# A test that needs longer on the clean reference may miss its time for other reasons than a fault.
_STEADY_SECONDS = 1.0
_FAILING = (TestOutcome.FAILED, TestOutcome.ERROR)


class FaultyRun(Data):
    """One run with faults in it. `report` leaves out the tests that fail on the clean reference
    as well, or take long there."""

    faults: tuple[SeededFault, ...]
    report: Report


class TaskRuns(Data):
    """Everything that was run of one task; `tests` are its tests' sources by path. `why` says what
    kept it from being run, "" where it was. Counts: faults that were tried and that no test
    noticed, and pairs of which one fault hid the other."""

    task: str
    why: str = ""
    files: dict[str, str] = Field(default_factory=dict)
    tests: dict[str, str] = Field(default_factory=dict)
    roots: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    clean: int = 0
    runs: tuple[FaultyRun, ...] = ()
    tried: int = 0
    unnoticed: int = 0
    masked: int = 0


class _Choice(Data):
    requirements: tuple[str, ...] = ()
    tries: int = 0
    why: str = ""


Prepare = Callable[[Iterable[str]], Environment]


def runs_of(task: Task, sandbox: Sandbox, prepare: Prepare, tries: int = 0) -> TaskRuns:
    """Seed faults one by one, then pairs of those that tests noticed, and keep what fails.
    `prepare` gives the environment for requirement lines; `tries` is how many faults are tried, 0
    where that goes by the task."""
    choice = _choices().get(task.name, _Choice())
    choice = choice.model_copy(update={"tries": tries}) if tries else choice
    if choice.why:
        return TaskRuns(task=task.name, why=choice.why)
    try:
        with tempfile.TemporaryDirectory(prefix="repowright-bench-") as folder:
            root = Path(folder) / "project"
            shutil.copytree(task.folder, root, symlinks=True)
            return _Place(root, task, choice, prepare, sandbox).runs()
    except RepowrightError as error:
        return TaskRuns(task=task.name, why=error.sentence)


class _Place:
    """A copy of a task in which some files at a time are broken."""

    def __init__(
        self, root: Path, task: Task, choice: _Choice, prepare: Prepare, sandbox: Sandbox
    ) -> None:
        self._root = root
        self._task = task
        self._sandbox = sandbox
        self._files = task.reference()
        by_size = _TRIES_A_FILE * len(self._files)
        self._tries = choice.tries or min(max(_FEWEST_TRIES, by_size), _MOST_TRIES)
        self._roots = (task.check_tests, task.unit_tests)
        environment = prepare(choice.requirements)
        self._jobs = [
            CheckJob(
                root=root,
                tests=(tests,),
                environment=environment,
                test_seconds=_TEST_SECONDS,
                total_seconds=_TOTAL_SECONDS,
            )
            for tests in self._roots
        ]

    def runs(self) -> TaskRuns:
        clean = self._report(())
        slow = frozenset(t.id for t in clean.tests if t.seconds > _STEADY_SECONDS)
        passing = frozenset(t.id for t in clean.tests if t.outcome is TestOutcome.PASSED) - slow
        if not passing:
            why = f"no test passes on the reference: {clean.problem or 'all fail'}"
            return TaskRuns(task=self._task.name, why=why)
        broken = slow | _failing(clean)
        faults = seeded_faults(self._files, self._tries)
        singles = list(self._noticed([(f,) for f in faults], passing, broken))
        pairs = _pairs([run.faults[0] for run in singles])
        alone = {run.faults[0]: _failing(run.report) for run in singles}
        doubles = list(self._noticed(pairs, passing, broken))
        seen = [run for run in doubles if _both_at_work(run, alone)]
        return TaskRuns(
            task=self._task.name,
            files=self._files,
            tests=self._test_sources(),
            roots=self._roots,
            requirements=self._task.spec().requirements,
            clean=len(passing),
            runs=(*singles, *seen),
            tried=len(faults),
            unnoticed=len(faults) - len(singles),
            masked=len(pairs) - len(seen),
        )

    def _noticed(
        self,
        seeds: Sequence[tuple[SeededFault, ...]],
        passing: frozenset[str],
        broken: frozenset[str],
    ) -> Iterator[FaultyRun]:
        """The runs in which at least one test does not pass that passes on the clean reference."""
        for faults in seeds:
            report = _without(self._report(faults), broken)
            if not passing <= {t.id for t in report.tests if t.outcome is TestOutcome.PASSED}:
                yield FaultyRun(faults=faults, report=report)

    def _report(self, faults: Sequence[SeededFault]) -> Report:
        """Check and unit tests, in processes of their own since their names collide."""
        for fault in faults:
            (self._root / fault.path).write_text(fault.source, "utf-8")
        try:
            first, second = (check(job, self._sandbox) for job in self._jobs)
        finally:
            for fault in faults:
                (self._root / fault.path).write_text(self._files[fault.path], "utf-8")
        return Report(
            tests=(*first.tests, *second.tests),
            spectrum=_joined(first.spectrum, second.spectrum),
            seconds=first.seconds + second.seconds,
            collected=first.collected and second.collected,
            problem=first.problem or second.problem,
            log_tail=first.log_tail if first.problem else second.log_tail,
        )

    def _test_sources(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for root in self._roots:
            for path in sorted((self._root / root).rglob("*.py")):
                found[path.relative_to(self._root).as_posix()] = path.read_text("utf-8")
        return found


def _without(report: Report, tests: frozenset[str]) -> Report:
    """The report without what it tells of some tests."""
    ran = {test: lines for test, lines in report.spectrum.failed.items() if test not in tests}
    return report.model_copy(
        update={
            "tests": tuple(t for t in report.tests if t.id not in tests),
            "spectrum": report.spectrum.model_copy(update={"failed": ran}),
        }
    )


def _joined(first: Spectrum, second: Spectrum) -> Spectrum:
    """The lines that the tests of two runs ran."""
    lines: dict[str, dict[int, int]] = {path: dict(of) for path, of in first.lines.items()}
    for path, of in second.lines.items():
        for line, count in of.items():
            lines.setdefault(path, {})[line] = lines.get(path, {}).get(line, 0) + count
    return Spectrum(
        passed=first.passed + second.passed, lines=lines, failed={**first.failed, **second.failed}
    )


def _failing(report: Report) -> frozenset[str]:
    return frozenset(t.id for t in report.tests if t.outcome in _FAILING)


def _pairs(faults: Sequence[SeededFault]) -> list[tuple[SeededFault, ...]]:
    """Pairs of faults in different files: each with the next one elsewhere."""
    pairs: list[tuple[SeededFault, ...]] = []
    for index, one in enumerate(faults):
        other = next((f for f in faults[index + 1 :] if f.path != one.path), None)
        if other is not None:
            pairs.append((one, other))
    step = max(1, len(pairs) // _DOUBLES)
    return pairs[::step][:_DOUBLES]


def _both_at_work(run: FaultyRun, alone: Mapping[SeededFault, frozenset[str]]) -> bool:
    """Whether each fault makes a test fail that the other one alone leaves green: else one hides
    the other, and no agenda could know of it."""
    failing = _failing(run.report)
    one, other = (alone[fault] for fault in run.faults)
    return bool(failing & one - other) and bool(failing & other - one)


@cache
def _choices() -> Mapping[str, _Choice]:
    text = resources.files("bot.bench").joinpath("agenda.yaml").read_text("utf-8")
    return {name: _Choice.model_validate(told) for name, told in yaml.safe_load(text).items()}
