"""The repair agenda of a check run: failing tests with one cause are one target, with the files
and the definition that most likely hold it. Pure (mechanisms 56 and 67)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.base import Data
from bot.checks.agenda.clues import Witness
from bot.checks.agenda.code import Code
from bot.checks.agenda.excerpts import code_that_matters, detail_that_matters
from bot.checks.agenda.measured import Measured
from bot.checks.agenda.suspicion import Fault, Standing, Suspicion, with_one_cause
from bot.checks.agenda.test_sources import source_of_test, tests_in
from bot.checks.agenda.texts import tell
from bot.checks.agenda.uncollected import uncollected
from bot.checks.cluster import Cluster, cluster
from bot.checks.report import Report, TestOutcome, TestResult
from bot.state.model import ProjectState

__all__ = ["Case", "Fault", "Target", "agenda"]

_FAILING = (TestOutcome.FAILED, TestOutcome.ERROR)
_MOST_EVIDENCE = 6
_AT = " at "
_PAIR = 0.75
_MOST_SUSPECTS = 4
_MOST_OTHERS = 4


class Case(Data):
    """One way in which a target fails: `tests` are node ids, `detail` is the failure's text of one
    of them and `test_source` its source."""

    title: str
    tests: tuple[str, ...]
    detail: str
    test_source: str = ""


class Target(Data):
    """One thing to mend. `files` is the responsible file or a pair, likeliest first; `suspects`
    are further ones; `node` the likely function or class, "" where none is known; `tests` node
    ids; `unlocks` counts tests that would run or pass; `evidence` are sentences that say why;
    `detail` is the failure's text; `test_source` the source of one failing test; `others` are
    further ways in which it fails; `code` holds only the definitions that matter, for files that
    are large."""

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
    others: tuple[Case, ...] = ()
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
    passed before. What breaks an import comes before everything else.
    """
    told = uncollected(report)
    if told is not None:
        report = report.model_copy(update={"tests": (*report.tests, told)})
    clusters = cluster(
        report, tests=roots, files=(*files, *tests), hidden=_hidden(tests, told.id if told else "")
    )
    if not clusters:
        return ()
    code = Code(files, tests, roots)
    results = {t.id: t for t in report.tests}
    ran = [t.id for t in report.tests if "::" in t.id and t.outcome != TestOutcome.SKIPPED]
    failing = [t.id for t in report.tests if t.outcome in _FAILING and "::" in t.id]
    suspicion = Suspicion(
        code, Witness(code, project), Measured(code, ran, report.spectrum), faults, failing
    )
    standings = [suspicion.of([results[t] for t in c.tests if t in results]) for c in clusters]
    standings = with_one_cause(standings, [c.unlocks for c in clusters])
    causes = _merged([_Cause(c, s) for c, s in zip(clusters, standings, strict=True)])
    causes.sort(key=lambda cause: cause.rank(frozenset(lost)))
    causes = [_with_files(cause, results) for cause in causes]
    return tuple(_target(cause, code, tests, frozenset(lost)) for cause in causes)


def _hidden(tests: Mapping[str, str], loaded: str) -> dict[str, int]:
    """How many tests each test file holds; all below its folder for what pytest loads first."""
    hidden = {path: tests_in(text) for path, text in tests.items()}
    folder = loaded.rpartition("/")[0]
    if loaded:
        hidden[loaded] = sum(n for path, n in hidden.items() if path.startswith(f"{folder}/"))
    return hidden


@dataclass(frozen=True)
class _Cause:
    """A cluster and its suspects; `others` are the clusters that were joined to it."""

    cluster: Cluster
    standing: Standing
    others: tuple[Cluster, ...] = ()

    @property
    def breaks_import(self) -> bool:
        return any("::" not in test for test in self.cluster.tests)

    def rank(self, lost: frozenset[str]) -> tuple[bool, int, bool, str]:
        return (
            not self.breaks_import,
            -self.cluster.unlocks - len(lost.intersection(self.cluster.tests)),
            not self.standing.score,
            self.cluster.title,
        )


def _merged(causes: Sequence[_Cause]) -> list[_Cause]:
    """Clusters that lead to the same definition are one, named after the largest."""
    by_root: dict[tuple[str, str], _Cause] = {}
    for cause in sorted(causes, key=lambda c: -c.cluster.unlocks):
        path, node = cause.standing.best
        key = (path, node) if path else ("", cause.cluster.title)
        known = by_root.get(key)
        by_root[key] = _joined(known, cause) if known is not None else cause
    return list(by_root.values())


def _joined(one: _Cause, other: _Cause) -> _Cause:
    grown = one.cluster.model_copy(
        update={
            "tests": (*one.cluster.tests, *other.cluster.tests),
            "unlocks": one.cluster.unlocks + other.cluster.unlocks,
        }
    )
    clues = (*one.standing.clues, *other.standing.clues)
    return replace(
        one,
        cluster=grown,
        standing=replace(one.standing, clues=clues),
        others=(*one.others, other.cluster),
    )


def _with_files(cause: _Cause, results: Mapping[str, TestResult]) -> _Cause:
    """The cause with a cluster for each further test file that fails to import in other words."""
    seen = {cause.cluster.detail, *(other.detail for other in cause.others)}
    further: list[Cluster] = []
    for test in cause.cluster.tests:
        result = results.get(test)
        if "::" not in test and result is not None and result.detail not in seen:
            seen.add(result.detail)
            title = f"{test}: {result.exception}: {result.message}".rstrip(": ")
            one = {"title": title[:200], "tests": (test,), "unlocks": 1, "detail": result.detail}
            further.append(cause.cluster.model_copy(update=one))
    return replace(cause, others=(*further, *cause.others))


def _target(cause: _Cause, code: Code, tests: Mapping[str, str], lost: frozenset[str]) -> Target:
    found, standing = cause.cluster, cause.standing
    ranked = standing.ranked
    pair = [p for p in ranked[:2] if standing.score[p] >= _PAIR * standing.score[ranked[0]]]
    node = standing.best[1]
    return Target(
        title=found.title,
        exception=found.exception,
        symbol=found.symbol,
        files=tuple(pair),
        suspects=tuple(ranked[len(pair) :][:_MOST_SUSPECTS]),
        node=node,
        tests=found.tests,
        unlocks=found.unlocks,
        evidence=_evidence(cause, pair, lost),
        detail=detail_that_matters(found.detail),
        test_source=_source(found, tests),
        others=tuple(_case(other, tests) for other in cause.others[:_MOST_OTHERS]),
        code=code_that_matters(code, pair[0], _suspects(standing, pair[0])) if pair else "",
    )


def _case(found: Cluster, tests: Mapping[str, str]) -> Case:
    return Case(
        title=found.title,
        tests=found.tests,
        detail=detail_that_matters(found.detail),
        test_source=_source(found, tests),
    )


def _source(found: Cluster, tests: Mapping[str, str]) -> str:
    """The source of the first test of a cluster that has one."""
    return next(filter(None, (source_of_test(test, tests) for test in found.tests)), "")


def _evidence(cause: _Cause, files: Sequence[str], lost: frozenset[str]) -> tuple[str, ...]:
    """Why these files, one after the other: what failures say, then by whose use they are told,
    the same said of several places once; before that the tests that are lost."""
    broken = [t for t in cause.cluster.tests if t in lost]
    said = [tell("passed_before", tests=", ".join(broken[:4]))] if broken else []
    clues = [c for c in cause.standing.clues if c.path in files]
    clues.sort(key=lambda c: (files.index(c.path), c.by_use, -c.weight))
    once = {clue.said.partition(_AT)[0]: clue.said for clue in reversed(clues)}
    return (*said, *reversed(once.values()))[:_MOST_EVIDENCE]


def _suspects(standing: Standing, path: str) -> list[str]:
    """The definitions of a file that clues name, the likeliest first."""
    likely = standing.nodes.get(path, "")
    clues = sorted(standing.clues, key=lambda c: -c.weight)
    return list(dict.fromkeys((likely, *(c.node for c in clues if c.path == path))))
