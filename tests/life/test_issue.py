"""What happens to the issue of a run: docs/life.md, the first table."""

import pytest
from life_world import Life

from bot.base import Outcome
from bot.phases.run import Phase
from bot.ports.forge import IssueGone

pytestmark = pytest.mark.timeout(120)


def test_an_edited_spec_changes_nothing_and_is_told_as_long_as_it_holds(planned: Life) -> None:
    before = planned.issue.body or ""
    planned.say("Thanks, I am curious.\n\n/repowright status")
    state = planned.go()
    assert (state.phase, state.facts) == (Phase.CODE, ())
    planned.edit(body=f"{before}\n\nAnd count lines, too.")
    state = planned.go()
    assert state.phase is Phase.CHECK
    kept = planned.bot.git.load_ref(state.ref)
    assert kept is not None
    assert b"lines, too" not in kept["spec/spec.json"]
    assert planned.said.count("The text of the issue has changed since this run began") == 1
    planned.edit(body=before)
    planned.go()
    assert "has changed" not in planned.said


def test_run_on_an_edited_spec_ends_the_run_for_a_new_one(planned: Life) -> None:
    planned.edit(title="Tally, better")
    planned.say("/repowright run")
    state = planned.go(2)
    assert (state.outcome, state.anew) == (Outcome.CANCELLED, True)
    assert state.outcome_note == "maintainer asked for a run with the new text of the issue."


def test_closed_cancels_and_reopened_says_how_to_go_on(planned: Life) -> None:
    planned.edit(state="closed")
    assert planned.go(2).outcome is Outcome.CANCELLED
    assert "**What to do next:** Reopen it, then comment `/repowright retry`" in planned.said
    planned.edit(state="open")
    state = planned.go()
    assert state.outcome is Outcome.CANCELLED
    assert "What was closed is open again. `/repowright retry` has the run go on" in planned.said
    planned.say("/repowright retry")
    assert planned.go().outcome is None


def test_a_locked_issue_is_not_fought_and_the_pull_request_speaks(planned: Life) -> None:
    before = planned.said
    planned.store.issues.lock(planned.repository, planned.issue, planned.by, None)
    planned.say("/repowright nonsense")
    state = planned.go(2)
    assert state.phase is Phase.CHECK
    assert planned.said == before
    assert "The issue is locked, so the bot cannot write there" in planned.description
    answers = planned.talk(planned.store.pulls.issue(planned.pull))
    assert any("There is no command `nonsense`" in text for _, text in answers)
    planned.store.issues.unlock(planned.repository, planned.issue, planned.by)
    planned.edit(state="closed")
    planned.go(2)
    assert "locked" not in planned.said
    assert "Repowright: cancelled" in planned.said


def test_a_locked_pull_request_gets_check_runs_and_no_review(planned: Life) -> None:
    pull = planned.store.pulls.issue(planned.pull)
    planned.store.issues.lock(planned.repository, pull, planned.by, None)
    before = len(planned.store.tables.reviews.find())
    state = planned.go()
    assert state.phase is Phase.CODE
    assert len(planned.store.tables.reviews.find()) == before
    judged = [r.head_sha for r in planned.store.tables.check_runs.find()]
    assert state.head in judged


def test_a_transferred_issue_ends_the_run_and_the_pull_request_says_where_to(
    planned: Life,
) -> None:
    there = planned.store.repositories.create(planned.maintainer, "other", planned.by)
    planned.store.departures.transfer(planned.repository, planned.issue, planned.by, there)
    state = planned.go(2)
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.CANCELLED)
    assert state.outcome_note == "The issue was transferred to maintainer/other."
    assert "The issue was transferred to maintainer/other." in planned.description
    assert planned.go() == state
    planned.say("/repowright retry", number=2)
    assert planned.go().outcome is None


def test_a_deleted_issue_ends_the_run(planned: Life) -> None:
    planned.store.departures.delete(planned.repository, planned.issue, planned.by)
    with pytest.raises(IssueGone):
        planned.bot.forge.issue(1)
    state = planned.go(2)
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.CANCELLED)
    assert "The issue was deleted, or moved to where the bot may not look." in planned.description


def test_without_its_label_a_run_rests_and_with_it_goes_on(planned: Life) -> None:
    planned.label()
    state = planned.go()
    assert (state.wait.kind, state.wait.gate) == ("person", "label")
    assert "nothing until the label is put back" in planned.said
    planned.say("/repowright approve")
    state = planned.go(2)
    assert "Nothing waits for approval now." in planned.said
    assert (state.phase, state.wait.gate) == (Phase.SKELETON, "label")
    planned.label("repowright")
    state = planned.go()
    assert (state.phase, state.wait.kind, state.paused) == (Phase.CODE, "nothing", None)
    planned.label()
    planned.go()
    planned.say("/repowright retry")
    state = planned.go()
    assert (state.phase, state.labelled) == (Phase.CHECK, False)


def test_a_run_that_nobody_answers_ends(planned: Life) -> None:
    planned.label()
    state = planned.go()
    assert state.wait.until is not None
    planned.ahead = state.wait.until - planned.clock()
    state = planned.go(2)
    assert (state.outcome, state.outcome_note) == (
        Outcome.CANCELLED,
        "Nobody answered for 30 days.",
    )


def test_the_progress_comment_comes_back_when_deleted_and_is_set_right_when_edited(
    planned: Life,
) -> None:
    (comment,) = planned.store.issues.comments(planned.issue)
    planned.store.issues.edit_comment(
        planned.repository,
        comment,
        planned.by,
        f"I edit this.\n\n/repowright cancel\n{comment.body}",
    )
    state = planned.go()
    assert state.outcome is None
    assert "I edit this" not in planned.said
    planned.store.issues.delete_comment(planned.repository, comment, planned.by)
    planned.go()
    (author, text) = planned.talk(planned.issue)[0]
    assert author == "repowright[bot]"
    assert "Repowright is working: check" in text
