"""Whatever ends a run, its branch ends on the best commit; and a run ends where nothing moves."""

from datetime import timedelta

import pytest
from tally_journey import COUNTING, REPAIR, REPLIES, WRONG, Journey

from bot.base import Outcome
from bot.config import Settings
from bot.model.scripted import Answer
from bot.phases.record import save
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.runs.start import find_run

pytestmark = pytest.mark.timeout(300)

# Loses one of the three tests that the first code passes, and gains none.
WORSE = WRONG.replace("text.lower().split()", "text.split()")

# Changes the code without changing what any test says.
IDLE = WRONG.replace("Counts words.", "Counts words, once more.")
IDLE_TOO = WRONG.replace("Counts words.", "Counts words, and again.")

# One test fails in another way; no test is gained or lost.
OTHERWISE = WRONG.replace(
    "    return dict(", '    if "," in text:\n        raise KeyError(text)\n    return dict('
)

WORSE_TWICE: dict[str, Answer] = {"code.1/write/*": WRONG, "code.*/repair#1": WORSE}


def settings(**more: object) -> Settings:
    return Settings.model_validate({"model": "claude-opus-4.8", **more})


def delivered(state: RunState, services: Services) -> str:
    """The code on the branch, as the forge has it."""
    services.git.fetch()
    head = services.git.head(state.branch)
    assert head == state.head
    return services.git.read(head)[COUNTING].decode()


def assert_on_best(state: RunState, services: Services) -> None:
    assert state.phase is Phase.DONE
    assert state.best is not None
    assert state.best.passed == 3
    assert "text.lower().split()" in delivered(state, services)


def test_cancelled_while_a_worse_commit_is_checked(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go(WORSE_TWICE, legs=6)
    assert (state.phase, state.iteration) == (Phase.CHECK, 2)
    assert "text.lower().split()" not in delivered(state, services)
    journey.say("/repowright cancel")
    state, _, services = journey.go({})
    assert state.outcome is Outcome.CANCELLED
    assert_on_best(state, services)


def test_retried_and_cancelled_again_it_returns_again(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(caps={"code_small": 2})
    journey.begin(tally_files)
    state, _, services = journey.go(WORSE_TWICE)
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    assert_on_best(state, services)
    journey.say("/repowright retry")
    state, _, services = journey.go(WORSE_TWICE, legs=1)
    assert (state.phase, state.iteration) == (Phase.CHECK, 3)
    journey.say("/repowright cancel")
    state, _, services = journey.go({})
    assert_on_best(state, services)


@pytest.mark.parametrize("limit", ["calls", "minutes"])
def test_out_of_budget_after_a_worse_commit(
    journey: Journey, tally_files: dict[str, bytes], limit: str
) -> None:
    journey.settings = settings(budget={"calls": 2 if limit == "calls" else None})
    journey.begin(tally_files)
    if limit == "minutes":
        state, _, _ = journey.go(WORSE_TWICE, legs=7)
        assert [r.kept for r in state.rounds if r.phase is Phase.CODE] == [True, False]
        spent(journey, timedelta(hours=5))
    state, _, services = journey.go(WORSE_TWICE)
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    assert_on_best(state, services)


def test_killed_between_all_legs_with_a_worse_commit_at_the_end(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(caps={"code_small": 2})
    journey.begin(tally_files)
    state, _, services = journey.go(WORSE_TWICE, legs=1)
    for _ in range(20):
        if state.phase is Phase.DONE:
            break
        journey.restart()
        state, _, services = journey.go(WORSE_TWICE, legs=1)
    assert_on_best(state, services)
    assert journey.subjects(state.branch)[0] == "Return to the best round: 3 of 5 check tests pass"


def test_a_check_that_never_ends_does_not_leave_its_commit_on_the_branch(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go(WORSE_TWICE, legs=5)
    found = find_run(1, services.git)
    assert found is not None
    checks = {"workflow": "none.yml", "wait_minutes": 0.001}
    changed = settings(checks=checks)
    save(
        found[0].model_copy(update={"settings": changed, "legs": state.legs + 1}),
        found[1],
        services,
    )
    state, _, services = journey.go(WORSE_TWICE)
    assert state.outcome is Outcome.INFRASTRUCTURE_FAILED
    assert_on_best(state, services)


def test_a_branch_that_takes_no_push_is_told_of(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(caps={"code_small": 2})
    journey.begin(tally_files)
    state, _, _ = journey.go(WORSE_TWICE, legs=7)
    journey.protect(state.branch)
    state, _, _ = journey.go({})
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.BUDGET_EXHAUSTED)
    assert any("The branch does not end on the best commit" in c for c in journey.comments())


def test_a_model_that_fails_after_a_worse_commit(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go({"code.1/write/*": WRONG, "code.2/repair#1": WORSE})
    assert state.outcome is Outcome.MODEL_FAILED
    assert_on_best(state, services)


def test_without_the_ratchet_the_last_commit_is_delivered(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(caps={"code_small": 2}, switches={"ratchet": False})
    journey.begin(tally_files)
    state, _, services = journey.go(WORSE_TWICE)
    assert "text.lower().split()" not in delivered(state, services)
    assert any("The ratchet is off" in review for review in journey.reviews())


def test_the_same_files_again_end_the_run(journey: Journey, tally_files: dict[str, bytes]) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go(WORSE_TWICE)
    assert (state.outcome, state.outcome_note) == (
        Outcome.NO_PROGRESS,
        "Round 3 brought the files of round 2 again, and the same tests failed in the same way; "
        "3 of 5 pass.",
    )
    assert_on_best(state, services)


def test_other_failures_are_movement_and_equal_ones_are_not(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(caps={"no_progress_rounds": 2})
    journey.begin(tally_files)
    replies: dict[str, Answer] = {
        "code.1/write/*": WRONG,
        "code.2/repair#1": f"Commas.\n{OTHERWISE}",
        "code.3/repair#1": f"Docs.\n{IDLE}",
        "code.4/repair#1": f"More docs.\n{IDLE_TOO}",
    }
    state, model, services = journey.go(replies)
    rounds = [r for r in state.rounds if r.phase is Phase.CODE]
    assert [r.kept for r in rounds] == [True, True, False, False]
    assert state.outcome_note == (
        "The same tests have failed in the same way for 2 rounds; 3 of 5 pass."
    )
    assert delivered(state, services) == OTHERWISE.split(">\n", 1)[1].removesuffix("</file>")
    last = next(r for r in model.requests if r.step == "code.4/repair#1").messages[1].content
    assert "Commas. (Kept: the failures are other ones now.)" in last
    assert "Docs. (Taken back: the same tests failed in the same way.)" in last


def test_a_wish_whose_commit_broke_tests_is_asked_for_again(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    journey.go(REPLIES, legs=5)
    journey.say("/repowright revise use no Counter")
    replies = {"code.2/repair#1": f"Without.\n{WORSE}", "code.*/repair#1": REPAIR}
    state, model, _ = journey.go(replies)
    assert state.outcome is Outcome.PASSED
    third = next(r for r in model.requests if r.step == "code.3/repair#1").messages[1].content
    assert "use no Counter" in third
    assert "(Taken back: it broke `check_tests/test_tally.py::test_words_are" in third


def test_a_check_test_that_a_person_takes_away_is_not_held_against_the_code(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES, legs=5)
    assert state.best is not None
    assert state.best.passed == 3
    tests = tally_files["check_tests/test_tally.py"].decode()
    first, _, _ = tests.partition("def test_punctuation")
    pushed = journey.push(state.branch, {"check_tests/test_tally.py": first.rstrip() + "\n"})
    state, model, _ = journey.go({})
    assert (state.outcome, state.head, model.requests) == (Outcome.PASSED, pushed, ())
    assert (state.best is not None and state.best.passed, state.lost) == (1, ())


def spent(journey: Journey, time: timedelta) -> None:
    """Let so much of the run's time have gone by."""
    found = find_run(1, journey.box.hub().git)
    assert found is not None
    state, spec = found
    _, _, services = journey.go({}, legs=0)
    older = state.model_copy(
        update={
            "started": state.started - time,
            "legs": state.legs + 1,
            "seconds": state.seconds.model_copy(update={"total": time.total_seconds()}),
        }
    )
    save(older, spec, services)
