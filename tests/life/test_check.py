"""What happens to the check workflow of a run: docs/life.md, the third table."""

from datetime import timedelta

import pytest
from life_world import WORKFLOW, Life

from bot.base import Outcome
from bot.forge.embedded.store.events import Event
from bot.phases.run import Phase, Sight

pytestmark = pytest.mark.timeout(120)
NO_TEST = {"run.json": '{"rounds": [], "tests": []}'}


def assert_fails(life: Life, said: str) -> None:
    """The run ends for want of a check, says so, and is over."""
    state = life.go(2)
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.INFRASTRUCTURE_FAILED)
    assert said in state.outcome_note
    assert "Mend what is named above, then comment `/repowright retry`." in life.said


def test_a_check_that_never_starts_has_a_deadline(checking: Life) -> None:
    checking.put(wait=checking.saved().wait.model_copy(update={"dispatched": True}))
    assert checking.go().outcome is None
    checking.ahead = timedelta(minutes=11)
    assert_fails(checking, "did not start on")


def test_a_bot_that_was_away_starts_the_check_before_it_gives_up(checking: Life) -> None:
    def start(event: Event) -> None:
        if event.name == "workflow_dispatch":
            checking.check(status="queued")

    checking.store.actions.workflow(checking.repository, WORKFLOW, "repowright-check")
    checking.store.bus.subscribe(start)
    checking.ahead = timedelta(minutes=45)
    state = checking.go()
    assert (state.outcome, state.wait.dispatched) == (None, True)
    checking.ahead = timedelta(minutes=60)
    assert checking.go().outcome is None
    checking.ahead = timedelta(minutes=76)
    assert_fails(checking, "was queued on")


def test_a_workflow_that_github_learns_of_late_is_started_then(checking: Life) -> None:
    checking.ahead = timedelta(seconds=100)
    state = checking.go()
    assert (state.outcome, state.wait.dispatched) == (None, False)
    assert state.wait.refused is not None
    checking.ahead = timedelta(seconds=110)
    assert checking.go() == state

    def start(event: Event) -> None:
        if event.name == "workflow_dispatch":
            checking.check(status="queued")

    checking.store.actions.workflow(checking.repository, WORKFLOW, "repowright-check")
    checking.store.bus.subscribe(start)
    checking.ahead = timedelta(minutes=9)
    state = checking.go()
    assert (state.outcome, state.wait.dispatched) == (None, True)


def test_a_workflow_that_github_never_learns_of_is_named_when_its_time_is_over(
    checking: Life,
) -> None:
    for minutes in (2, 4, 9):
        checking.ahead = timedelta(minutes=minutes)
        assert checking.go().outcome is None
    checking.ahead = timedelta(minutes=11)
    assert_fails(checking, "GitHub knows no workflow `repowright-check.yml`")


def test_a_workflow_that_may_not_be_started_by_hand_has_as_long_to_start(checking: Life) -> None:
    text = checking.services(checking.saved()).check_workflow
    checking.store.actions.workflow(checking.repository, WORKFLOW, "repowright-check")
    checking.push(checking.saved().branch, {WORKFLOW: text.replace("workflow_dispatch:", "fork:")})
    checking.go()
    checking.ahead = timedelta(minutes=2)
    state = checking.go()
    assert (state.outcome, state.wait.refused is not None) == (None, True)
    checking.check(status="queued")
    checking.ahead = timedelta(minutes=12)
    assert checking.go().outcome is None
    checking.ahead = timedelta(minutes=31)
    assert_fails(checking, "was queued on")


def test_a_check_that_no_runner_takes_has_a_deadline(checking: Life) -> None:
    checking.check(status="queued")
    checking.ahead = timedelta(minutes=29)
    assert checking.go().outcome is None
    checking.ahead = timedelta(minutes=31)
    assert_fails(checking, "was queued on")


def test_a_check_that_never_ends_has_a_deadline(checking: Life) -> None:
    checking.check(status="in_progress")
    checking.ahead = timedelta(minutes=31)
    assert_fails(checking, "did not complete on")


def test_a_workflow_that_somebody_deleted_is_waited_for_and_shown(checking: Life) -> None:
    state = checking.saved()
    checking.push(state.branch, {WORKFLOW: None})
    state = checking.go()
    assert state.wait.sight is Sight.MISSING
    assert f"`{WORKFLOW}` is not on the branch, so no check test can run." in checking.said
    assert "## Check workflow to add by hand" in checking.description
    checking.ahead = timedelta(minutes=20)
    assert checking.go().outcome is None
    checking.ahead = timedelta(minutes=31)
    assert_fails(checking, "was not on the branch for 30 minutes")


def test_a_workflow_that_is_put_back_is_waited_for_as_ever(checking: Life) -> None:
    state = checking.saved()
    text = checking.services(state).check_workflow
    checking.push(state.branch, {WORKFLOW: None})
    checking.go()
    checking.push(state.branch, {WORKFLOW: text})
    state = checking.go()
    assert (state.wait.sight, state.facts) == (Sight.NONE, ())


def test_a_disabled_workflow_ends_the_run_by_name(checking: Life) -> None:
    actions = checking.store.actions
    row = actions.workflow(checking.repository, WORKFLOW, "repowright-check")
    actions.set_workflow_state(row, "disabled_manually")
    checking.ahead = timedelta(seconds=100)
    assert_fails(checking, "The check workflow `repowright-check.yml` is disabled")


def test_a_cancelled_check_is_waited_for_until_somebody_runs_it_again(checking: Life) -> None:
    run = checking.check(conclusion="cancelled")
    checking.ahead = timedelta(minutes=29)
    state = checking.go()
    assert (state.outcome, state.wait.sight) == (None, Sight.STOPPED)
    assert f"was [cancelled]({checking.github.url}" in checking.said
    checking.store.actions.start_again(checking.repository, run)
    checking.ahead = timedelta(minutes=40)
    state = checking.go()
    assert (state.outcome, state.wait.sight) == (None, Sight.NONE)
    assert "cancelled" not in checking.said
    checking.ahead = timedelta(minutes=80)
    assert_fails(checking, "was queued on")


def test_a_cancelled_check_that_nobody_runs_again_ends_the_run(checking: Life) -> None:
    checking.check(conclusion="cancelled")
    checking.go()
    checking.ahead = timedelta(minutes=31)
    assert_fails(checking, "ended as cancelled on")


def test_green_without_a_test_is_not_passed(checking: Life) -> None:
    checking.check(conclusion="success", report=NO_TEST)
    assert_fails(checking, "although no test ran; that does not count as passed")


def test_green_without_a_report_is_not_passed(checking: Life) -> None:
    checking.check(conclusion="success")
    assert_fails(checking, "ended as success, and its report is missing or has expired")


def test_a_report_that_cannot_be_read_costs_no_repair(checking: Life) -> None:
    run = checking.check(status="in_progress")
    checking.store.actions.create_artifact(
        checking.repository, run, "repowright-report", b"this is no zip"
    )
    checking.store.actions.update_run(
        checking.repository, run, status="completed", conclusion="failure"
    )
    assert_fails(checking, "the report artifact cannot be used: it is not a zip")
