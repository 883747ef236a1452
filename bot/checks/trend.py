"""How many tests passed from one check run to the next, as data, as a picture and as a chart. Pure.

The history lies in a cache or an artifact, where others may have written it: what makes no sense in
it counts as none.
"""

from functools import cache
from pathlib import Path
from typing import Annotated

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from pydantic import Field, ValidationError

from bot.base import Data
from bot.checks.report import Number, Report

_MOST_POINTS = 30
_LARGEST = 64 * 1024
_WIDTH, _HEIGHT, _EDGE = 720, 220, 36


class Point(Data):
    """One check run: its id, its number as people read it, and what came out."""

    run: Annotated[int, Field(ge=0, lt=10**15)]
    number: Annotated[int, Field(ge=0, lt=10**15)]
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{0,64}$")] = ""
    passed: Number
    failed: Number
    skipped: Number = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


class History(Data):
    """Check runs of one branch, oldest first."""

    points: tuple[Point, ...] = ()

    @property
    def gained(self) -> int | None:
        """How many more tests pass than in the run before; None where there was none."""
        if len(self.points) < 2:
            return None
        return self.points[-1].passed - self.points[-2].passed


def read_history(content: bytes) -> History:
    """The history in a file; an empty one where the file is none."""
    try:
        return History.model_validate_json(content[: _LARGEST + 1])
    except ValidationError:
        return History()


def point_of(report: Report, *, run: int, number: int, commit: str) -> Point:
    """What a report adds to the history."""
    return Point(
        run=run,
        number=number,
        commit=commit,
        passed=report.passed,
        failed=report.failed,
        skipped=report.skipped,
    )


def with_point(history: History, point: Point) -> History:
    """The history with one more run; a run that is repeated takes its own place."""
    before = tuple(known for known in history.points if known.run != point.run)
    return History(points=(*before, point)[-_MOST_POINTS:])


def trend_svg(history: History) -> str:
    """The picture: tests that passed, and how many there were, over the runs."""
    points = history.points
    most = max((point.total for point in points), default=0) or 1
    step = (_WIDTH - 2 * _EDGE) / max(1, len(points) - 1)

    def place(index: int, value: int) -> tuple[float, float]:
        height = (_HEIGHT - 2 * _EDGE) * value / most
        return round(_EDGE + index * step, 1), round(_HEIGHT - _EDGE - height, 1)

    return (
        _templates()
        .get_template("trend.svg.j2")
        .render(
            width=_WIDTH,
            height=_HEIGHT,
            edge=_EDGE,
            most=most,
            points=points,
            passed=[place(index, point.passed) for index, point in enumerate(points)],
            totals=[place(index, point.total) for index, point in enumerate(points)],
        )
    )


@cache
def _templates() -> Templates:
    return Templates(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
