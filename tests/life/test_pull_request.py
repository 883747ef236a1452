"""What happens to the pull request, its branch and its base: docs/life.md, the second table."""

import pytest
from life_world import WRITTEN, Life

from bot.base import Outcome
from bot.checks.report import Report, TestOutcome, TestResult
from bot.phases.run import Best, Phase

pytestmark = pytest.mark.timeout(120)
ONE_PASSES = Report(
    tests=(TestResult(id="check_tests/test_a.py::test_a", outcome=TestOutcome.PASSED),)
)


def test_merged_early_is_an_outcome_of_its_own_and_nothing_is_undone(checking: Life) -> None:
    state = checking.saved()
    earlier = state.rounds[-1].commit
    checking.put(best=Best(commit=earlier, report=ONE_PASSES))
    checking.store.pulls.set_draft(checking.repository, checking.pull, checking.by, False)
    checking.store.pulls.merge(checking.repository, checking.pull, checking.by)
    after = checking.go(2)
    assert (after.phase, after.outcome, after.head) == (Phase.DONE, Outcome.MERGED, state.head)
    assert after.outcome_note.startswith("maintainer merged pull request #2 into `main` before")
    assert "✅ Repowright: merged" in checking.said
    checking.say("/repowright retry")
    assert checking.go().anew


def test_closed_early_cancels_and_reopened_says_how_to_go_on(checking: Life) -> None:
    checking.store.pulls.edit(checking.repository, checking.pull, checking.by, state="closed")
    assert checking.go(2).outcome is Outcome.CANCELLED
    checking.store.pulls.edit(checking.repository, checking.pull, checking.by, state="open")
    checking.go()
    assert "What was closed is open again." in checking.said


def test_another_base_is_told_once(planned: Life) -> None:
    git = planned.store.git(planned.repository)
    git.update_ref("refs/heads/next", git.refs()["refs/heads/main"])
    planned.store.pulls.edit(planned.repository, planned.pull, planned.by, base_ref="next")
    state = planned.go(2)
    assert state.base_branch == "next"
    assert planned.said.count("The pull request goes to `next` now.") == 1


def test_another_default_branch_is_told_once(planned: Life) -> None:
    git = planned.store.git(planned.repository)
    git.update_ref("refs/heads/trunk", git.refs()["refs/heads/main"])
    repositories = planned.store.repositories
    repositories.edit(planned.repository, planned.by, default_branch="trunk")
    planned.go(2)
    told = "The default branch is `trunk` now; the pull request still goes to `main`."
    assert planned.said.count(told) == 1


def test_a_base_that_conflicts_is_told_until_somebody_merges_it(planned: Life) -> None:
    planned.push("main", {"ARCHITECTURE.md": "Ours.\n"})
    state = planned.go()
    assert state.phase is Phase.CODE
    assert "`main` has changes that conflict with this branch" in planned.said
    assert "never force-pushes" in planned.description
    planned.push("main", {"ARCHITECTURE.md": None})
    planned.go()
    assert "conflict" not in planned.said
    assert "conflict" not in planned.description


def test_draft_or_ready_is_the_peoples_but_for_the_end(checking: Life) -> None:
    checking.store.pulls.set_draft(checking.repository, checking.pull, checking.by, False)
    checking.go()
    assert not checking.pull.draft
    state = checking.saved().ending(Outcome.PASSED, "All check tests pass.")
    checking.put(
        **{name: getattr(state, name) for name in ("phase", "outcome", "stopped_in", "wait")}
    )
    assert checking.go().phase is Phase.DONE
    assert not checking.pull.draft
    checking.store.pulls.set_draft(checking.repository, checking.pull, checking.by, True)
    checking.go()
    assert checking.pull.draft


def test_a_force_push_is_gone_on_from_and_judged_anew(checking: Life) -> None:
    state = checking.saved()
    checking.put(best=Best(commit=state.head, report=ONE_PASSES), lost=("x",))
    pushed = checking.push(state.branch, {"notes.md": "Mine.\n"}, parent=state.base_commit)
    checking.forget()
    after = checking.go()
    assert (after.head, after.wait.commit, after.best) == (pushed, pushed, None)
    assert f"Somebody force-pushed the branch to {pushed[:7]}" in checking.said
    assert checking.subjects(state.branch)[0] == "By hand"


def test_commits_thrown_away_before_there_is_code_are_made_anew(planned: Life) -> None:
    state = planned.saved()
    planned.move(state.branch, state.base_commit)
    after = planned.go(2, WRITTEN)
    assert after.phase is Phase.CHECK
    assert planned.store.git(planned.repository).is_ancestor(state.base_commit, after.head)
    assert "Somebody force-pushed the branch" in planned.said


def test_a_deleted_branch_closes_its_pull_request_and_ends_the_run(checking: Life) -> None:
    state = checking.saved()
    checking.put(best=Best(commit=state.rounds[-1].commit, report=ONE_PASSES))
    git, ref = checking.store.git(checking.repository), f"refs/heads/{state.branch}"
    git.delete_ref(ref)
    checking.store.pulls.edit(checking.repository, checking.pull, checking.by, state="closed")
    assert checking.go(2).outcome is Outcome.CANCELLED
    assert ref not in git.refs()
