"""What happens seldom: people who push in the middle, gates before derived tests, wishes that come
late, errors after a commit, workflows that only a person may add."""

from datetime import timedelta

import pytest
from tally_journey import COUNTING, LATER, REPLIES, RIGHT, Journey

from bot.base import Outcome
from bot.config import Settings
from bot.model.scripted import Answer
from bot.phases.record import save
from bot.phases.run import Phase
from bot.runs.start import find_run

pytestmark = pytest.mark.timeout(300)

DERIVED = """<file path="check_tests/test_counting.py">
from tally import top


def test_ties_are_in_alphabetical_order():
    assert top("b a b a c", 2) == ["a", "b"]
</file>"""


def settings(**more: object) -> Settings:
    return Settings.model_validate({"model": "claude-opus-4.8", **more})


def without_tests(files: dict[str, bytes]) -> dict[str, bytes]:
    return {p: c for p, c in files.items() if not p.startswith("check_tests/")}


def test_derived_check_tests_can_be_read_at_the_gate_before_the_code(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(gates=["skeleton"])
    journey.begin(without_tests(tally_files))
    state, _, services = journey.go({"skeleton.*/tests#1": DERIVED})
    assert state.wait.gate == "skeleton"
    assert "check_tests/test_counting.py" in services.git.read(state.head)
    journey.say("/repowright approve")
    state, _, _ = journey.go(REPLIES)
    assert (state.outcome, [r.tests_total for r in state.rounds if r.tests_total]) == (
        Outcome.PASSED,
        [1, 1],
    )


def test_a_run_that_failed_after_a_commit_can_be_retried(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(without_tests(tally_files))
    state, _, _ = journey.go({"*": "no"})
    assert (state.outcome, state.stopped_in) == (Outcome.MODEL_FAILED, Phase.SKELETON)
    journey.say("/repowright retry")
    state, _, _ = journey.go({"skeleton.*/tests#1": DERIVED, **LATER})
    assert state.outcome is Outcome.PASSED


def test_what_a_person_pushes_while_the_tests_run_is_judged_itself(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES, legs=4)
    assert state.phase is Phase.CHECK
    pushed = journey.push(state.branch, {COUNTING: RIGHT})
    state, model, _ = journey.go({})
    assert (state.outcome, state.head, model.requests) == (Outcome.PASSED, pushed, ())
    assert state.best is not None
    assert state.best.commit == pushed


def test_what_a_person_mends_after_the_end_is_judged_and_kept_on_retry(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(caps={"code_small": 1})
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    pushed = journey.push(state.branch, {COUNTING: RIGHT})
    journey.say("/repowright retry")
    state, model, _ = journey.go({})
    assert (state.outcome, state.head, model.requests) == (Outcome.PASSED, pushed, ())


def test_cancel_undoes_nothing_that_a_person_pushed(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES, legs=5)
    assert state.best is not None
    pushed = journey.push(state.branch, {"notes.md": "I take over.\n"})
    journey.say("/repowright cancel")
    state, _, _ = journey.go({})
    assert (state.outcome, state.head) == (Outcome.CANCELLED, pushed)
    assert journey.subjects(state.branch)[0] == "By hand"


def test_a_wish_during_the_last_check_is_followed(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES, legs=6)
    assert (state.phase, state.iteration) == (Phase.CHECK, 2)
    journey.say("/repowright revise say more in the docstring")
    state, model, services = journey.go({"code.3/repair#1": docstring()})
    assert state.outcome is Outcome.PASSED
    assert "say more in the docstring" in model.requests[0].messages[1].content
    assert b"Counts words, well." in services.git.read(state.head)[COUNTING]


def test_a_wish_after_the_end_is_kept_for_the_retry(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    journey.go(REPLIES)
    journey.say("/repowright revise say more in the docstring")
    state, _, _ = journey.go({})
    assert state.phase is Phase.DONE
    assert any("`/repowright retry` starts it again" in c for c in journey.comments())
    journey.say("/repowright retry")
    state, model, services = journey.go({"code.3/repair#1": docstring()})
    question = model.requests[0].messages[1].content
    assert "say more in the docstring" in question
    assert "## Cluster" not in question
    assert state.outcome is Outcome.PASSED
    assert b"Counts words, well." in services.git.read(state.head)[COUNTING]


def docstring() -> Answer:
    return (
        f'As asked.\n\n<edit path="{COUNTING}">\n<find>\n"""Counts words."""\n</find>\n'
        '<replace>\n"""Counts words, well."""\n</replace>\n</edit>'
    )


def test_a_workflow_that_only_a_person_may_add_is_shown_until_it_is_there(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(may_write_workflows=False)
    journey.begin(tally_files)
    state, _, services = journey.go(REPLIES, legs=4)
    assert state.phase is Phase.CHECK
    assert "## Check workflow to add by hand" in journey.pull_request().body
    assert "repowright-check" in journey.pull_request().body
    journey.say("/repowright status")
    journey.go({}, legs=1)
    assert len(journey.saved().seen) == 1
    text = services.check_workflow
    journey.push(state.branch, {".github/workflows/repowright-check.yml": text})
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    assert "by hand" not in journey.pull_request().body


def test_code_that_no_check_has_judged_is_not_written_anew(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(may_write_workflows=False, checks={"wait_minutes": 0.001})
    journey.begin(tally_files)
    whole = f'<file path="{COUNTING}">\n{RIGHT}</file>'
    state, _, services = journey.go({"code.1/write/*": whole})
    text = services.check_workflow
    journey.push(state.branch, {".github/workflows/repowright-check.yml": text})
    for _ in range(60):
        assert state.outcome is Outcome.INFRASTRUCTURE_FAILED
        journey.say("/repowright retry")
        state, model, _ = journey.go({})
        assert model.requests == ()
        if state.outcome is Outcome.PASSED:
            break
    assert state.outcome is Outcome.PASSED


def test_a_night_before_the_gate_costs_no_minutes(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(gates=["architecture"])
    journey.begin(tally_files)
    state, _, services = journey.go({})
    assert state.resting is not None
    found = find_run(1, services.git)
    assert found is not None
    night = timedelta(hours=9)
    earlier = {"started": state.started - night, "resting": state.resting - night}
    slept = state.model_copy(update={**earlier, "legs": state.legs + 1})
    save(slept, found[1], services)
    journey.say("/repowright approve")
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    assert state.seconds.total < night.total_seconds()


def test_a_failed_delivery_does_not_take_the_outcome_away(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES, legs=7)
    assert (state.phase, state.outcome) == (Phase.DELIVER, Outcome.PASSED)
    journey.box.hub().forge.close_pull_request(2)
    state, _, _ = journey.go({})
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.PASSED)


def test_a_command_in_a_review_is_a_command(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = settings(gates=["architecture"])
    journey.begin(tally_files)
    journey.go({})
    journey.review("Looks good.\n\n/repowright approve")
    state, _, _ = journey.go(REPLIES, legs=1)
    assert [r.phase for r in state.rounds] == [Phase.ARCHITECTURE, Phase.SKELETON]
    assert state.steering == ()


def test_a_branch_that_somebody_deleted_stays_deleted(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go(REPLIES, legs=6)
    assert state.best is not None
    assert state.best.commit != state.head
    journey.box.hub().forge.close_pull_request(2)
    journey.delete(state.branch)
    state, _, services = journey.go({})
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.CANCELLED)
    assert services.git.head(state.branch) is None
