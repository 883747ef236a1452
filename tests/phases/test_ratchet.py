"""Which iterations are kept, what they gain and lose by name, and what counts as movement."""

import pytest

from bot.checks.report import Frame, Report, TestOutcome, TestResult
from bot.phases.fingerprint import fingerprint
from bot.phases.ratchet import GONE, honest, judge_iteration, still_lost, without

CRASHED = Report(collected=False, problem="the interpreter was ended by SIGSEGV")


def result(name: str, said: str) -> TestResult:
    """`said` is an outcome, and for failures what the exception is."""
    outcome, _, exception = said.partition(" ")
    id_ = f"{name}.py" if name.startswith("file") else f"t.py::{name}"
    return TestResult(id=id_, outcome=TestOutcome(outcome), exception=exception)


def report(**tests: str) -> Report:
    """A report of tests by name; `file_…` stands for a test file that could not be imported."""
    return Report(tests=tuple(result(n, s) for n, s in tests.items()))


def params(**tests: str) -> Report:
    """A report of one parametrized test, by parameter."""
    return Report(tests=tuple(result(f"a[{n}]", s) for n, s in tests.items()))


@pytest.mark.parametrize(
    ("before", "after", "kept", "moved"),
    [
        # Gains and losses, test by test.
        (report(a="passed", b="failed"), report(a="passed", b="passed"), True, True),
        (report(a="passed", b="failed"), report(a="failed", b="passed"), False, False),
        (report(a="passed", b="failed"), report(a="failed", b="failed"), False, False),
        (
            report(a="passed", b="failed", c="failed"),
            report(a="failed", b="passed", c="passed"),
            True,
            True,
        ),
        # As many pass: what can run, then how it fails.
        (CRASHED, report(a="failed"), True, True),
        (report(a="failed"), CRASHED, False, False),
        (report(file_t="error"), report(a="failed", b="failed"), True, True),
        (report(a="failed", b="failed"), report(file_t="error"), False, False),
        (report(a="error NotRun", b="failed"), report(a="failed", b="failed"), True, True),
        (report(a="failed", b="failed"), report(a="error NotRun", b="failed"), False, False),
        (report(a="failed KeyError"), report(a="failed TypeError"), True, True),
        (report(a="failed KeyError"), report(a="failed KeyError"), False, False),
        (CRASHED, CRASHED, False, False),
        (report(a="passed"), report(a="passed"), True, False),
    ],
)
def test_what_is_kept(before: Report, after: Report, kept: bool, moved: bool) -> None:
    step = judge_iteration(before, honest(before, after))
    assert (step.kept, step.moved) == (kept, moved)


def test_gains_and_losses_are_named() -> None:
    before = report(a="passed", b="passed", c="failed", d="failed", e="failed")
    after = report(a="passed", b="failed", c="passed", d="passed", e="failed")
    step = judge_iteration(before, after)
    assert (step.gained, step.lost) == (("t.py::c", "t.py::d"), ("t.py::b",))
    assert step.why == "Kept: it gains 2 tests and loses 1, which the next round is told of."


def test_a_broken_import_loses_what_passed_behind_it() -> None:
    before = report(a="passed", b="failed")
    after = Report(tests=(result("file_other", "passed"), result("c", "passed")))
    hidden = Report(tests=(TestResult(id="t.py", outcome=TestOutcome.ERROR),))
    assert judge_iteration(before, honest(before, hidden)).lost == ("t.py::a",)
    assert judge_iteration(None, after).kept


def test_tests_that_an_import_hid_are_gained_and_never_lost() -> None:
    before = Report(tests=(TestResult(id="t.py", outcome=TestOutcome.ERROR),))
    step = judge_iteration(before, honest(before, report(a="passed", b="failed")))
    assert (step.kept, step.gained, step.lost) == (True, ("t.py::a",), ())


@pytest.mark.parametrize("now", ["skipped", "gone"])
def test_code_that_takes_tests_away_is_never_better(now: str) -> None:
    before = report(a="passed", b="passed", c="failed")
    passing = {"a": "passed", "b": "passed"}
    fewer = report(**passing) if now == "gone" else report(**passing, c="skipped")
    after = honest(before, fewer)
    assert not after.green
    assert [t.exception for t in after.tests if t.id == "t.py::c"] == [GONE]
    assert judge_iteration(before, after).gained == ()
    less = report(a="passed", c="failed") if now == "gone" else report(a="passed", b="skipped")
    step = judge_iteration(before, honest(before, less))
    assert (step.kept, step.lost) == (False, ("t.py::b",))


def test_what_is_gone_stays_gone_until_it_runs() -> None:
    before = report(a="passed", b="failed")
    first = honest(before, report(a="passed"))
    second = honest(first, report(a="passed"))
    assert fingerprint(first) == fingerprint(second)
    back = judge_iteration(second, honest(second, report(a="passed", b="passed")))
    assert back.gained == ("t.py::b",)


def test_what_the_tests_skip_themselves_is_no_loss() -> None:
    before = report(a="skipped", b="failed")
    after = report(a="skipped", b="passed")
    assert honest(before, after).green


def test_parameters_that_differ_from_run_to_run_are_neither_lost_nor_gained() -> None:
    before = params(x1="passed", x2="failed")
    step = judge_iteration(before, params(y1="failed", y2="passed"))
    assert (step.gained, step.lost) == ((), ())
    step = judge_iteration(before, params(y1="passed", y2="passed"))
    assert (step.kept, step.gained) == (True, ("t.py::a[x2]",))


def test_a_check_test_that_a_person_changed_is_no_measure() -> None:
    before = report(a="passed", b="failed")
    trusted = without(before, ["t.py"])
    assert honest(trusted, report(c="passed")).green
    assert judge_iteration(trusted, report(c="passed")).lost == ()


def test_new_failures_where_all_passed_are_kept_only_for_a_person() -> None:
    before, after = report(a="passed"), report(a="passed", b="failed")
    assert not judge_iteration(before, after).kept
    assert judge_iteration(before, after, wanted=True).moved


def test_failures_seen_before_are_no_movement() -> None:
    before, after = report(a="failed KeyError"), report(a="failed TypeError")
    seen = {fingerprint(after)}
    assert not judge_iteration(before, after, seen=seen).moved
    assert judge_iteration(before, after, seen=seen, wanted=True).kept


def test_lost_tests_are_remembered_until_they_pass_again() -> None:
    before = report(a="passed", b="failed", c="failed")
    after = report(a="failed", b="passed", c="passed")
    step = judge_iteration(before, after)
    assert still_lost((), step, after) == ("t.py::a",)
    mended = report(a="passed", b="passed", c="passed")
    assert still_lost(("t.py::a",), judge_iteration(after, mended), mended) == ()


def failing(message: str, line: int = 3, function: str = "top") -> Report:
    frames = (Frame(path="t.py", line=9), Frame(path="p/m.py", line=line, function=function))
    one = TestResult(
        id="t.py::a",
        outcome=TestOutcome.FAILED,
        exception="ValueError",
        message=message,
        frames=frames,
    )
    return Report(tests=(one,))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (failing("no 7 in /tmp/tmpabcdefgh/x.txt", line=40), True),
        (failing("no 3 in /home/me/y.txt"), True),
        (failing("no 3 in <object at 0x7f00aa>"), False),
        (failing("no 3 in /tmp/y.txt", function="count"), False),
    ],
)
def test_a_fingerprint_holds_the_kind_of_failure_alone(other: Report, same: bool) -> None:
    assert (fingerprint(failing("no 3 in /tmp/y.txt")) == fingerprint(other)) is same


def test_crashes_have_fingerprints_too() -> None:
    other = Report(collected=False, problem="the interpreter was ended by SIGABRT")
    assert fingerprint(CRASHED) != fingerprint(other)
    assert fingerprint(report(a="passed")) == ""
