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


@pytest.mark.parametrize("legs", [1, 2, 3, 4, 5, 6])
def test_stopped_between_any_two_legs_it_goes_on_to_the_same_end(
    journey: Journey, tally_files: dict[str, bytes], legs: int
) -> None:
    journey.begin(tally_files)
    journey.go(REPLIES, legs=legs)
    state, _, services = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    assert services.record.spent().calls == 2
    assert len(journey.comments) == 1
    assert len(state.rounds) == journey.reviews == 4
