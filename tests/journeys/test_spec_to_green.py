"""A spec issue goes in, a pull request with passing check tests comes out."""

import json

import pytest
from tally_journey import REPLIES, Journey

from bot.base import Outcome
from bot.phases.run import Phase
from bot.runs.summary import summary_of

pytestmark = pytest.mark.timeout(300)


def test_a_failing_round_is_repaired_and_delivered(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, model, services = journey.go(REPLIES)
    assert (state.outcome, state.phase) == (Outcome.PASSED, Phase.DONE)
    summary = summary_of(state, services.record.spent())
    assert json.loads(json.dumps(summary)) == summary
    assert summary["tests"] == {"passed": 5, "failed": 0, "skipped": 0, "total": 5}
    assert summary["iterations"] == {"architecture": 1, "skeleton": 1, "code": 2}
    assert summary["calls"] == 2
    assert summary["context"]["contexts"] == 2
    assert summary["context"]["tokens"] > 0
    assert summary["context"]["share"] > 0
    assert [(r.tests_passed, r.tests_total) for r in state.rounds if r.tests_total] == [
        (3, 5),
        (5, 5),
    ]
    assert {r.role for r in model.requests} == {"coder", "fixer"}


def test_the_coder_never_sees_what_the_tests_expect(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    _, model, _ = journey.go(REPLIES, legs=4)
    asked = [m.content for r in model.requests for m in r.messages]
    assert any("top(" in text for text in asked)
    assert not any('{"well": 2}' in text or "== [" in text for text in asked)


def test_killed_between_all_legs_it_goes_on_to_the_same_end(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, _, services = journey.go(REPLIES, legs=1)
    for _ in range(20):
        if state.phase is Phase.DONE:
            break
        journey.restart()
        state, _, services = journey.go(REPLIES, legs=1)
    assert state.outcome is Outcome.PASSED
    assert services.record.spent().calls == 2
    assert len(journey.comments()) == 1
    assert len(state.rounds) == len(journey.reviews()) == 4
    assert journey.subjects(state.branch) == [
        "Code, round 2: repair tally/counting.py",
        "Code, round 1: write 1 file",
        "Skeleton, round 1 [skip ci]",
        "Architecture, round 1: 2 files, 4 names [skip ci]",
        "Add the check workflow [skip ci]",
        "Add the given check tests and data of #1 [skip ci]",
        "Add the check tests and data that come with the spec",
        "Add README.md",
    ]
