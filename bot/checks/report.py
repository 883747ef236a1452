"""The result of one check run, as plain data."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from bot.base import Data

# How a log says that the check tests could not be run, and that the code is not at fault.
COULD_NOT_RUN = "the check tests could not be run: "
# The problem of a report where a repository may have no tests, and has none.
NO_TESTS = "there are no tests yet"


class TestOutcome(StrEnum):
    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


class Frame(Data):
    """A stack frame inside the repository; `path` is POSIX and relative to its root."""

    path: str
    line: int
    function: str = ""


class TestResult(Data):
    """One test. `id` is pytest's node id; `exception` the type's name; `message` at most a few
    lines; `frames` outermost first, only those inside the repository; `detail` is the cropped
    text of the failure."""

    __test__ = False

    id: str
    outcome: TestOutcome
    seconds: float = 0.0
    exception: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    detail: str = ""


class FileCoverage(Data):
    path: str
    covered: int
    statements: int


# Numbers of lines and of tests come from where generated code ran; more are not believed.
Number = Annotated[int, Field(ge=0, lt=10**9)]


class Spectrum(Data):
    """Which lines of the project the tests ran, imports left out: `passed` tests in all, for each
    path and line how many of those ran it (`lines`), and for each failed test that was followed
    (node id) the lines that it ran, by path."""

    passed: Number = 0
    lines: dict[str, dict[Number, Number]] = Field(default_factory=dict)
    failed: dict[str, dict[str, tuple[Number, ...]]] = Field(default_factory=dict)


class Report(Data):
    """Everything a check run told. `collected` is false where pytest could not even start; then
    `problem` says why in one sentence. Times in seconds."""

    tests: tuple[TestResult, ...] = ()
    coverage: tuple[FileCoverage, ...] = ()
    spectrum: Spectrum = Spectrum()
    seconds: float = 0.0
    collected: bool = True
    problem: str = ""
    log_tail: str = ""

    def count(self, *outcomes: TestOutcome) -> int:
        return sum(t.outcome in outcomes for t in self.tests)

    @property
    def passed(self) -> int:
        return self.count(TestOutcome.PASSED)

    @property
    def failed(self) -> int:
        return self.count(TestOutcome.FAILED, TestOutcome.ERROR)

    @property
    def skipped(self) -> int:
        return self.count(TestOutcome.SKIPPED)

    @property
    def green(self) -> bool:
        """All tests pass, and at least one ran."""
        return self.collected and self.passed > 0 and self.failed == 0
