"""Which of two check runs is the better one, and what a requirements file becomes."""

import pytest

from bot.checks.report import Report, TestOutcome, TestResult
from bot.phases.judging import is_better
from bot.phases.tree import with_requirements

UNREAD = Report(collected=False, problem="the interpreter was ended by SIGSEGV")


def report(**outcomes: str) -> Report:
    """A report of tests by name; `file_…` stands for a test file that could not be imported."""
    tests = (
        TestResult(id=f"{n}.py" if n.startswith("file") else f"t.py::{n}", outcome=TestOutcome(o))
        for n, o in outcomes.items()
    )
    return Report(tests=tuple(tests))


@pytest.mark.parametrize(
    ("new", "old", "better"),
    [
        (report(a="passed", b="passed"), report(a="passed", b="failed"), True),
        (report(a="failed", b="passed"), report(a="passed", b="failed"), False),
        (report(a="passed", b="failed"), report(a="passed", b="failed"), True),
        (report(a="failed", b="failed"), UNREAD, True),
        (UNREAD, report(a="failed", b="failed"), False),
        (report(a="failed", b="failed", c="failed"), report(file_t="error"), True),
        (report(file_t="error"), report(a="failed", b="failed", c="failed"), False),
    ],
)
def test_which_check_run_is_better(new: Report, old: Report, better: bool) -> None:
    assert is_better(new, old) is better


@pytest.mark.parametrize(
    ("present", "wanted", "after"),
    [
        ("", ["attrs>=23"], "attrs>=23\n"),
        ("# pins\nAttrs==23.1.0", ["attrs>=23", "rich"], "# pins\nAttrs==23.1.0\nrich\n"),
        ("rich\n", ["rich"], "rich\n"),
    ],
)
def test_the_maintainers_requirements_stay(present: str, wanted: list[str], after: str) -> None:
    assert with_requirements(present, wanted) == after
