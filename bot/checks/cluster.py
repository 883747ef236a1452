"""Groups the failing tests of a Report by what they have in common, so that one repair target
stands for many tests. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from bot.base import Data
from bot.checks.report import Frame, Report, TestOutcome, TestResult

_NOT_RUN = "NotRun"
_ENDS_A_RUN = ("Crash", "Timeout")
_SYMBOLS = (
    re.compile(
        r"cannot import name '(?P<name>[^']+)' from (?:partially initialized module )?"
        r"'(?P<module>[^']+)'"
    ),
    re.compile(r"No module named '(?P<module>[^']+)'"),
    re.compile(r"module '(?P<module>[^']+)' has no attribute '(?P<name>[^']+)'"),
    re.compile(r"type object '(?P<owner>[^']+)' has no attribute '(?P<name>[^']+)'"),
    re.compile(r"'(?P<owner>[^']+)' object has no attribute '(?P<name>[^']+)'"),
    re.compile(r"name '(?P<name>[^']+)' is not defined"),
    re.compile(r"Can't instantiate abstract class '?(?P<owner>[\w.]+)'?.* (?P<name>'?\w+'?)$"),
    re.compile(r"^(?P<name>[\w.]+)\(\) (?:missing|got an unexpected|got multiple|takes)"),
)


class Cluster(Data):
    """Failing tests with one likely cause. `symbol` is the missing or misused name ("" where the
    message names none), `files` the suspected files, likeliest first, `tests` node ids, and
    `unlocks` how many tests would run or pass once it is repaired."""

    title: str
    exception: str
    symbol: str = ""
    files: tuple[str, ...] = ()
    tests: tuple[str, ...]
    unlocks: int
    detail: str = ""


class _Cause(Data):
    exception: str
    symbol: str
    place: Frame | None
    collection: bool


def cluster(
    report: Report,
    *,
    tests: Sequence[str] = ("check_tests",),
    files: Iterable[str] = (),
    hidden: Mapping[str, int] | None = None,
) -> tuple[Cluster, ...]:
    """The clusters of a report's failing tests, first what unlocks most.

    `tests` are the check tests' paths, whose frames are not suspected; `files` the repository's
    paths, to tell which file a module name means; `hidden` how many tests each test file holds,
    for files that did not even import. What breaks an import comes before what fails in a test.
    """
    failing = [t for t in report.tests if t.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)]
    groups: dict[str, list[TestResult]] = {}
    causes: dict[str, _Cause] = {}
    for result in failing:
        if result.exception == _NOT_RUN:
            continue
        cause = _cause(result, tests)
        key = cause.model_copy(update={"place": _without_line(cause.place)}).model_dump_json()
        causes.setdefault(key, cause)
        groups.setdefault(key, []).append(result)
    paths = frozenset(files)
    clusters = [
        (causes[key].collection, _described(causes[key], members, tests, paths, hidden or {}))
        for key, members in groups.items()
    ]
    clusters.sort(key=lambda pair: (not pair[0], -pair[1].unlocks, pair[1].title))
    never_run = tuple(t.id for t in failing if t.exception == _NOT_RUN)
    return _with_never_run([pair[1] for pair in clusters], never_run)


def missing_symbol(message: str) -> tuple[str, str]:
    """(symbol, module) that an exception's message names; "" for what it does not name."""
    for pattern in _SYMBOLS:
        match = pattern.search(message)
        if match is not None:
            found = match.groupdict()
            name = (found.get("name") or "").strip("'")
            owner, module = found.get("owner") or "", found.get("module") or ""
            return ".".join(filter(None, (owner or module, name))), module
    return "", ""


def _cause(result: TestResult, tests: Sequence[str]) -> _Cause:
    ours = [frame for frame in result.frames if not _is_test(frame.path, tests)]
    innermost = (ours or list(result.frames))[-1:]
    return _Cause(
        exception=result.exception,
        symbol=missing_symbol(result.message)[0],
        place=innermost[0] if innermost else None,
        collection="::" not in result.id,
    )


def _described(
    cause: _Cause,
    members: list[TestResult],
    tests: Sequence[str],
    paths: frozenset[str],
    hidden: Mapping[str, int],
) -> Cluster:
    sample = members[0]
    first_line = (sample.message.splitlines() or [""])[0]
    said = f"{cause.exception}: {first_line}" if first_line else cause.exception or "failure"
    place = f" ({cause.place.path}:{cause.place.line})" if cause.place else ""
    return Cluster(
        title=f"{said[:200]}{place}",
        exception=cause.exception,
        symbol=cause.symbol,
        files=_suspects(members, tests, paths),
        tests=tuple(member.id for member in members),
        unlocks=sum(_unlocks(member.id, hidden) for member in members),
        detail=sample.detail or sample.message,
    )


def _unlocks(id_: str, hidden: Mapping[str, int]) -> int:
    return 1 if "::" in id_ else max(1, hidden.get(id_, 1))


def _suspects(
    members: list[TestResult], tests: Sequence[str], paths: frozenset[str]
) -> tuple[str, ...]:
    """First the file that a named module means, then the frames' files, innermost first; what more
    tests point at comes before what fewer do."""
    score: dict[str, float] = {}
    for member in members:
        module = missing_symbol(member.message)[1]
        ranked = [path for path in (_module_file(module, paths),) if path]
        ranked += [f.path for f in reversed(member.frames) if not _is_test(f.path, tests)]
        for rank, path in enumerate(dict.fromkeys(ranked)):
            score[path] = score.get(path, 0.0) + 1 / (1 + rank)
    return tuple(sorted(score, key=lambda path: (-score[path], path)))


def _module_file(module: str, paths: frozenset[str]) -> str:
    """The file of a module: one that exists, or should where its package does; "" for others."""
    if not module:
        return ""
    base = module.replace(".", "/")
    for candidate in (f"{base}.py", f"{base}/__init__.py", f"src/{base}.py"):
        if candidate in paths:
            return candidate
    package = str(PurePosixPath(base).parent)
    belongs = package != "." and any(path.startswith(f"{package}/") for path in paths)
    return f"{base}.py" if belongs else ""


def _with_never_run(clusters: list[Cluster], never_run: tuple[str, ...]) -> tuple[Cluster, ...]:
    """Tests whose turn never came belong to what ended the run; that then comes first."""
    if not never_run:
        return tuple(clusters)
    for index, found in enumerate(clusters):
        if found.exception in _ENDS_A_RUN:
            grown = found.model_copy(
                update={
                    "tests": (*found.tests, *never_run),
                    "unlocks": found.unlocks + len(never_run),
                }
            )
            return (grown, *clusters[:index], *clusters[index + 1 :])
    return (
        *clusters,
        Cluster(
            title="tests that were never run",
            exception=_NOT_RUN,
            tests=never_run,
            unlocks=len(never_run),
        ),
    )


def _is_test(path: str, tests: Sequence[str]) -> bool:
    return any(path == test or path.startswith(f"{test}/") for test in tests)


def _without_line(frame: Frame | None) -> Frame | None:
    return frame.model_copy(update={"line": 0}) if frame else None
