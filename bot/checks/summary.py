"""What a check run shows on GitHub: the job summary in Markdown, annotations on lines, and the
step's outputs. Everything in a Report is hostile text here."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined

from bot.checks.cluster import Cluster, cluster
from bot.checks.report import NO_TESTS, FileCoverage, Report, TestOutcome, TestResult
from bot.checks.steady import cropped
from bot.checks.trend import History

_MOST = 10
_MOST_FILES = 25
_MOST_ANNOTATIONS = 10
_LONGEST_BLOCK = 3000
_CELLS = 20
_SLOW = 0.05


def summary(
    report: Report,
    tests: tuple[str, ...] = ("check_tests",),
    history: History = History(),  # noqa: B008 - frozen
) -> str:
    """The job summary, well below GitHub's limit of 1 MiB. `history` ends with this report."""
    clusters: tuple[Cluster, ...] = cluster(report, tests=tests)
    return (
        _templates()
        .get_template("summary.md.j2")
        .render(
            report=report,
            nothing=report.problem == NO_TESTS,
            bar=_bar(report),
            history=history,
            clusters=clusters,
            coverage=_coverage(report),
            files=sorted(report.coverage, key=lambda file: file.covered / file.statements),
            slowest=_slowest(report),
            most=_MOST,
            most_files=_MOST_FILES,
        )
    )


def annotations(report: Report, tests: tuple[str, ...] = ("check_tests",)) -> Iterator[str]:
    """Workflow commands that mark the lines where tests fail, each line once; GitHub shows ten of
    a step. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    if report.problem == NO_TESTS:
        yield f"::notice title=Check tests::{_data(report.problem)}"
        return
    lines: list[str] = [_problem(report)] if report.problem else []
    failing = [t for t in report.tests if t.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)]
    places: dict[str, list[TestResult]] = {}
    for result in failing:
        places.setdefault(_place(result, tests) or result.id, []).append(result)
    lines += [_annotation(results, tests) for results in places.values()]
    yield from lines[:_MOST_ANNOTATIONS]


def outputs(report: Report) -> str:
    """The step's outputs, one `name=value` a line."""
    values = {
        "passed": report.passed,
        "failed": report.failed,
        "skipped": report.skipped,
        "total": len(report.tests),
        "green": str(report.green).lower(),
        "coverage": _percent(report) or 0,
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _problem(report: Report) -> str:
    return f"::error title=Check tests::{_data(report.problem)}"


def _annotation(results: list[TestResult], tests: tuple[str, ...]) -> str:
    """One line's failures: the first, and how many more there are."""
    first, more = results[0], len(results) - 1
    said = f"{first.exception}: {first.message}" if first.exception else first.message
    title = first.id[:200] + (f" and {more} more" if more else "")
    return f"::error {_place(first, tests)}title={_property(title)}::{_data(said[:1000])}"


def _place(result: TestResult, tests: tuple[str, ...]) -> str:
    """The innermost line of the project that is no test, as a command's properties; "" for none."""
    inside = [f for f in result.frames if not f.path.startswith(tuple(f"{t}/" for t in tests))]
    frame = (inside or list(result.frames))[-1:]
    return f"file={_property(frame[0].path)},line={frame[0].line}," if frame else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _coverage(report: Report) -> str:
    percent = _percent(report)
    return "-" if percent is None else f"{percent} %"


def _percent(report: Report) -> int | None:
    """Of all statements those that ran, rounded down, so that only all are 100."""
    statements = sum(file.statements for file in report.coverage)
    covered = sum(file.covered for file in report.coverage)
    return 100 * covered // statements if statements else None


def _slowest(report: Report) -> list[TestResult]:
    slow = [test for test in report.tests if test.seconds >= _SLOW]
    return sorted(slow, key=lambda test: -test.seconds)[:_MOST]


def _bar(report: Report) -> str:
    """The outcomes as a row of squares; the fewest are one."""
    total = report.passed + report.failed + report.skipped
    kinds = (("🟥", report.failed), ("⬜", report.skipped))
    row = "".join(sign * max(1, _CELLS * count // total) for sign, count in kinds if count)
    return "🟩" * (max(1, _CELLS - len(row)) if report.passed else 0) + row


def _cells(file: FileCoverage) -> str:
    full = 10 * file.covered // file.statements
    return "🟩" * full + "⬜" * (10 - full)


def _plain(text: str) -> str:
    """Text within a line of Markdown or HTML that means nothing but itself and calls nobody."""
    one_line = " ".join(text.split())
    return re.sub(r"[^\w\s.,()=/+-]", lambda m: f"&#{ord(m[0])};", one_line).replace("_", "&#95;")


def _code(text: str) -> str:
    one_line = " ".join(text.split()).replace("`", "'").replace("|", "¦")
    return f"`{one_line[:300]}`"


def _block(text: str) -> str:
    """A fenced block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{cropped(text, _LONGEST_BLOCK)}\n{fence}"


@cache
def _templates() -> Templates:
    templates = Templates(  # noqa: S701 - Markdown; every value goes through one of our filters
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters |= {"plain": _plain, "code": _code, "block": _block, "cells": _cells}
    return templates
