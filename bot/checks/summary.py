"""What a check run shows on GitHub: the job summary in Markdown, annotations on lines, and the
step's outputs. Everything in a Report is hostile text here."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined

from bot.checks.cluster import Cluster, cluster
from bot.checks.report import Report, TestOutcome, TestResult
from bot.checks.steady import cropped

_MOST = 10
_MOST_ANNOTATIONS = 10
_LONGEST_BLOCK = 3000


def summary(report: Report, tests: tuple[str, ...] = ("check_tests",)) -> str:
    """The job summary, well below GitHub's limit of 1 MiB."""
    clusters: tuple[Cluster, ...] = cluster(report, tests=tests)
    return (
        _templates()
        .get_template("summary.md.j2")
        .render(report=report, clusters=clusters, coverage=_coverage(report), most=_MOST)
    )


def annotations(report: Report, tests: tuple[str, ...] = ("check_tests",)) -> Iterator[str]:
    """Workflow commands that mark the lines where tests fail; GitHub shows ten of a step.
    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    failing = [t for t in report.tests if t.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)]
    for result in failing[:_MOST_ANNOTATIONS]:
        yield _annotation(result, tests)
    if report.problem:
        yield f"::error title=Check tests::{_data(report.problem)}"


def outputs(report: Report) -> str:
    """The step's outputs, one `name=value` a line."""
    values = {
        "passed": report.passed,
        "failed": report.failed,
        "skipped": report.skipped,
        "total": len(report.tests),
        "green": str(report.green).lower(),
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _annotation(result: TestResult, tests: tuple[str, ...]) -> str:
    inside = [f for f in result.frames if not f.path.startswith(tuple(f"{t}/" for t in tests))]
    frame = (inside or list(result.frames))[-1:]
    place = f"file={_property(frame[0].path)},line={frame[0].line}," if frame else ""
    said = f"{result.exception}: {result.message}" if result.exception else result.message
    return f"::error {place}title={_property(result.id[:200])}::{_data(said[:1000])}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _coverage(report: Report) -> str:
    statements = sum(file.statements for file in report.coverage)
    covered = sum(file.covered for file in report.coverage)
    return f"{100 * covered / statements:.0f} %" if statements else "-"


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
    templates.filters |= {"plain": _plain, "code": _code, "block": _block}
    return templates
