"""People steer a run with comments and reviews; nobody else can."""

import pytest
from tally_journey import LATER, REPAIR, REPLIES, WRONG, Journey

from bot.base import Outcome
from bot.config import BudgetSettings, Settings
from bot.phases.run import Phase

pytestmark = pytest.mark.timeout(300)


def test_a_gate_waits_for_a_person_and_opens_on_their_word(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = Settings(model="claude-opus-4.8", gates=("architecture",))
    journey.begin(tally_files)
    state, _, _ = journey.go({})
    assert (state.phase, state.wait.kind, state.wait.gate) == (
        Phase.ARCHITECTURE,
        "person",
        "architecture",
    )
    assert "comments `/repowright approve`" in journey.comments()[0]
    journey.say("/repowright approve", author="stranger")
    state, _, _ = journey.go({})
    assert state.wait.kind == "person"
    journey.say("Looks good.\r\n\r\n/repowright approve", number=2)
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    assert len([r for r in state.rounds if r.phase is Phase.ARCHITECTURE]) == 1


def test_a_wish_reaches_the_next_round(journey: Journey, tally_files: dict[str, bytes]) -> None:
    journey.begin(tally_files)
    journey.go({}, legs=3)
    journey.say("/repowright revise use collections.Counter\n/repowright nonsense")
    state, model, _ = journey.go(REPLIES)
    (write,) = [r for r in model.requests if r.role == "coder"]
    assert "- maintainer: use collections.Counter" in write.messages[1].content
    assert state.outcome is Outcome.PASSED
    assert any("There is no command `nonsense`" in c for c in journey.comments())


def test_cancel_keeps_what_is_there_and_retry_goes_on(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    journey.go({}, legs=3)
    journey.say("/repowright cancel")
    state, model, _ = journey.go({})
    assert (state.outcome, state.outcome_note) == (
        Outcome.CANCELLED,
        "maintainer cancelled the run.",
    )
    assert model.requests == ()
    journey.say("/repowright retry")
    state, _, _ = journey.go(LATER)
    assert state.outcome is Outcome.PASSED


def test_a_spent_budget_can_be_raised(journey: Journey, tally_files: dict[str, bytes]) -> None:
    journey.settings = Settings(model="claude-opus-4.8", budget=BudgetSettings(usd=0.001))
    journey.begin(tally_files)
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    journey.say("/repowright budget +2usd\n/repowright retry")
    state, _, services = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    assert state.settings.budget.usd == 2.001
    assert services.record.spent().usd > 0


def test_a_repair_without_a_usable_reply_costs_one_round(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    replies = {**REPLIES, "code.2/repair#*": "no idea", "code.3/repair#1": REPAIR}
    replies = {k: v for k, v in replies.items() if k != "code.2/repair#1"}
    state, _, _ = journey.go(replies)
    assert state.outcome is Outcome.PASSED
    assert [r.iteration for r in state.rounds if r.phase is Phase.CODE] == [1, 3]
    assert any("Code round 2 brought no usable repair" in note for note in state.notes)


def test_a_closed_issue_ends_the_run(journey: Journey, tally_files: dict[str, bytes]) -> None:
    journey.begin(tally_files)
    journey.go({}, legs=2)
    journey.close_issue()
    state, _, _ = journey.go({})
    assert (state.outcome, state.outcome_note) == (
        Outcome.CANCELLED,
        "The issue or its pull request was closed.",
    )


def test_a_round_that_loses_tests_is_not_what_the_branch_ends_on(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.settings = Settings.model_validate(
        {"model": "claude-opus-4.8", "caps": {"code_small": 2}}
    )
    journey.begin(tally_files)
    worse = WRONG.replace("text.lower().split()", "text.split()")
    state, _, services = journey.go({**REPLIES, "code.2/repair#1": worse})
    assert state.outcome is Outcome.BUDGET_EXHAUSTED
    assert [r.tests_passed for r in state.rounds if r.phase is Phase.CODE] == [3, 2]
    assert b"text.lower().split()" in services.git.read(state.head)["tally/counting.py"]
    assert journey.subjects(state.branch)[0] == (
        "Return to the best round: 3 of 5 check tests pass"
    )
    assert any("passed before" in review for review in journey.reviews())
    first, second = [r for r in journey.reviews() if "code, round" in r.lower()]
    assert "| mend first |" in first
    assert "| mend first |" not in second
    assert journey.pull_request().body.count("taken back") == 1
