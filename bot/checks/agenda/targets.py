"""The repair agenda of a check run: failing tests with one cause are one target, with the files
and the node that most likely hold it. Pure (mechanisms 56 and 67)."""

from collections.abc import Collection, Mapping, Sequence

from bot.base import Data
from bot.checks.agenda.clues import Clue, Witness
from bot.checks.agenda.code import Code, first_line
from bot.checks.agenda.spectrum import Spectrum
from bot.checks.agenda.test_sources import source_of_test, tests_in
from bot.checks.cluster import Cluster, cluster
from bot.checks.report import Report, TestOutcome, TestResult
from bot.state.model import ProjectState

_FAILING = (TestOutcome.FAILED, TestOutcome.ERROR)
_MOST_SAMPLES = 12
_MOST_EVIDENCE = 6
_MOST_FILES = 2
_MOST_SUSPECTS = 4
_PAIR = 0.75
_LEAST_SUSPICION = 0.1
_LONGEST_DETAIL = 3000
_LARGE_FILE = 12_000
_FAULT = 0.6


class Fault(Data):
    """What the static gate says of a place in a file."""

    path: str
    line: int = 0
    detail: str


class Target(Data):
    """One thing to mend. `files` is the responsible file or a pair, likeliest first; `suspects`
    are further ones; `node` the likely function or class, "" where none is known; `tests` node
    ids; `unlocks` counts tests that would run or pass; `evidence` are sentences that say why;
    `detail` is the failure's text; `test_source` the source of one failing test; `code` only the
    definitions that matter, for files that are large."""

    title: str
    exception: str = ""
    symbol: str = ""
    files: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    node: str = ""
    tests: tuple[str, ...] = ()
    unlocks: int = 0
    evidence: tuple[str, ...] = ()
    detail: str = ""
    test_source: str = ""
    code: str = ""


def agenda(
    report: Report,
    files: Mapping[str, str],
    tests: Mapping[str, str],
    project: ProjectState,
    *,
    roots: Sequence[str] = ("check_tests",),
    faults: Sequence[Fault] = (),
    lost: Collection[str] = (),
) -> tuple[Target, ...]:
    """What to mend, first what unlocks most.

    `files` are the project's sources by path, `tests` those of the check tests as far as they are
    known; `roots` the tests' folders; `faults` what the static gate says; `lost` the tests that
    passed before.
    """
    return _Agenda(report, files, tests, project, roots, faults, lost).targets()


class _Agenda:
    def __init__(
        self,
        report: Report,
        files: Mapping[str, str],
        tests: Mapping[str, str],
        project: ProjectState,
        roots: Sequence[str],
        faults: Sequence[Fault],
        lost: Collection[str],
    ) -> None:
        self._report = report
        self._files = files
        self._tests = tests
        self._roots = roots
        self._faults = faults
        self._lost = frozenset(lost)
        self._code = Code(files, tests, roots)
        self._results = {t.id: t for t in report.tests}
        ran = [t.id for t in report.tests if "::" in t.id and t.outcome != TestOutcome.SKIPPED]
        self._spectrum = Spectrum(self._code, ran)
        self._witness = Witness(self._code, project)

    def targets(self) -> tuple[Target, ...]:
        hidden = {path: tests_in(text) for path, text in self._tests.items()}
        clusters = cluster(
            self._report,
            tests=self._roots,
            files=(*self._files, *self._tests),
            hidden=hidden,
        )
        found = [self._target(c) for c in clusters]
        found.sort(key=self._rank)
        return tuple(found)

    def _rank(self, target: Target) -> tuple[bool, bool, int]:
        breaks = any("::" not in t for t in target.tests)
        return (not breaks, not self._lost.intersection(target.tests), -target.unlocks)

    def _target(self, found: Cluster) -> Target:
        members = [self._results[t] for t in found.tests if t in self._results]
        clues = self._clues(members)
        score: dict[str, float] = {}
        node: dict[str, tuple[float, str]] = {}
        for clue in clues:
            score[clue.path] = score.get(clue.path, 0.0) + clue.weight
            if "::" in clue.node:
                known = node.get(clue.path, (0.0, ""))
                node[clue.path] = max(known, (clue.weight, clue.node))
        ranked = sorted(score, key=lambda p: (-score[p], p))
        best = ranked[0] if ranked else ""
        pair = [p for p in ranked[:_MOST_FILES] if score[p] >= _PAIR * score[best]]
        likely = node.get(best, (0.0, ""))[1]
        said = sorted(clues, key=lambda c: (ranked.index(c.path), -c.weight))
        lost = [t for t in found.tests if t in self._lost]
        evidence = [f"passed before: {', '.join(lost[:4])}"] if lost else []
        evidence += dict.fromkeys(c.said for c in said if c.path in pair)
        return Target(
            title=found.title,
            exception=found.exception,
            symbol=found.symbol,
            files=tuple(pair),
            suspects=tuple(ranked[len(pair) :][:_MOST_SUSPECTS]),
            node=likely,
            tests=found.tests,
            unlocks=found.unlocks,
            evidence=tuple(evidence[:_MOST_EVIDENCE]),
            detail=found.detail[-_LONGEST_DETAIL:],
            test_source=source_of_test(found.tests[0], self._tests) if found.tests else "",
            code=self._relevant(pair[0], likely) if pair else "",
        )

    def _clues(self, members: list[TestResult]) -> list[Clue]:
        """The clues of a cluster, each counted as the mean over its tests."""
        total: dict[tuple[str, str, str], float] = {}
        sample = members[:_MOST_SAMPLES]
        for member in sample:
            for clue in self._witness.clues(member):
                key = (clue.path, clue.node, clue.said)
                total[key] = total.get(key, 0.0) + clue.weight / len(sample)
        clues = [Clue(p, n, w, s) for (p, n, s), w in total.items()]
        best: dict[str, tuple[float, str]] = {}
        for node, weight in self._spectrum.ochiai([m.id for m in members]).items():
            path = node.partition("::")[0]
            best[path] = max(best.get(path, (0.0, "")), (weight, node))
        for path, (weight, node) in best.items():
            if weight >= _LEAST_SUSPICION:
                said = f"these tests use {node}, others less"
                clues.append(Clue(path, node, weight, said))
        clues += [
            Clue(
                f.path, self._code.node_at(f.path, f.line), _FAULT, f"{f.path}:{f.line} {f.detail}"
            )
            for f in self._faults
            if f.path in best or any(f.path == c.path for c in clues)
        ]
        return clues

    def _relevant(self, path: str, node: str) -> str:
        """The likely definition alone, where its file is large."""
        text = self._files.get(path, "")
        stmt = self._code.trees.get(node)
        if len(text) <= _LARGE_FILE or stmt is None:
            return ""
        return "\n".join(text.splitlines()[first_line(stmt) - 1 : stmt.end_lineno])
