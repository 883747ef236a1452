"""When a run stops before its caps and its budget end it, and what it says."""

from datetime import UTC, datetime

import pytest

from bot.checks.report import Report, TestOutcome, TestResult
from bot.config import Caps, Settings
from bot.phases.run import Best, Phase, Round, RunState
from bot.phases.standstill import failures_seen, standstill

REPORT = Report(
    tests=(
        TestResult(id="t.py::a", outcome=TestOutcome.PASSED),
        TestResult(id="t.py::b", outcome=TestOutcome.FAILED),
    )
)


def code(iteration: int, files: str, failures: str, gained: int = 0, usd: float = 0.0) -> Round:
    return Round(
        phase=Phase.CODE,
        iteration=iteration,
        commit=f"{iteration}",
        verdict="revise",
        files=files,
        failures=failures,
        gained=gained,
        usd=usd,
    )


def after(rounds: list[Round], *, stuck: int = 0, granted: int = 0, **caps: float) -> RunState:
    return RunState(
        run_id="rw1",
        repository="o/r",
        issue=1,
        title="T",
        branch="b",
        started=datetime(2026, 1, 1, tzinfo=UTC),
        settings=Settings(caps=Caps.model_validate(caps)),
        spec_digest="",
        best=Best(commit="1", report=REPORT),
        rounds=tuple(rounds),
        stuck=stuck,
        granted=granted,
    )


def test_a_run_that_moves_goes_on() -> None:
    rounds = [code(1, "a", "x", 1), code(2, "b", "y"), code(3, "c", "z"), code(4, "d", "z", 1)]
    assert standstill(after(rounds, stuck=0)) == ""
    assert failures_seen(after(rounds)) == {"z"}
    assert failures_seen(after(rounds[:3])) == {"x", "y", "z"}


def test_files_judged_before_that_fail_as_before_end_it() -> None:
    rounds = [code(1, "a", "x", 1), code(2, "b", "y"), code(3, "b", "y")]
    assert standstill(after(rounds)) == (
        "Round 3 brought the files of round 2 again, and the same tests failed in the same way; "
        "1 of 2 pass."
    )


@pytest.mark.parametrize(
    "again",
    [
        code(3, "b", "flaky"),  # the same files, but a test differs from run to run
        code(3, "", "y"),  # a person wanted it
        code(3, "c", "y"),
    ],
)
def test_what_only_looks_like_a_cycle_does_not(again: Round) -> None:
    rounds = [code(1, "a", "x", 1), code(2, "b" if again.files else "", "y"), again]
    assert standstill(after(rounds)) == ""


def test_a_cycle_before_a_persons_word_does_not_count() -> None:
    rounds = [code(1, "a", "x", 1), code(2, "b", "y"), code(3, "b", "y")]
    assert standstill(after(rounds, granted=2)) == ""


def test_rounds_without_movement_end_it() -> None:
    assert standstill(after([code(1, "a", "x", 1)], stuck=3)) == (
        "The same tests have failed in the same way for 3 rounds; 1 of 2 pass."
    )
    assert standstill(after([code(1, "a", "x", 1)], stuck=3, no_progress_rounds=4)) == ""
    assert standstill(after([code(1, "a", "x", 1)], stuck=9, no_progress_rounds=0)) == ""


def test_movement_without_a_gain_ends_it_later() -> None:
    rounds = [code(1, "a", "x", 1), *(code(n, f"f{n}", f"x{n}") for n in range(2, 7))]
    assert standstill(after(rounds)) == ""
    assert standstill(after([*rounds, code(7, "f7", "x7")])) == (
        "The failures changed, but no test was gained in 6 rounds; 1 of 2 pass."
    )


def test_rounds_that_cost_more_than_a_test_is_worth_end_it() -> None:
    rounds = [code(1, "a", "x", 20, usd=0.1)]
    rounds += [code(n, f"f{n}", f"x{n}", gained=int(n == 3), usd=0.2) for n in (2, 3, 4)]
    assert standstill(after(rounds)) == ""
    assert standstill(after(rounds, usd_per_test=0.7)) == ""
    assert standstill(after(rounds[:3], usd_per_test=0.1)) == ""
    assert standstill(after(rounds, usd_per_test=0.5)) == (
        "The last 3 rounds cost $0.60 and gained 1 test, which is more than $0.5 a test; "
        "1 of 2 pass."
    )
