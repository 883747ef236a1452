"""The circuit breaker stops a run that does too much, says so once, and lets a person decide."""

import pytest
from tally_journey import LATER, REPLIES, Journey

from bot.base import Outcome
from bot.config import CeilingSettings, Settings
from bot.phases.breaker import guarded
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.spec.model import Spec

pytestmark = pytest.mark.timeout(300)

HOPELESS = """It may help to say so.

<edit path="tally/counting.py">
<find>
from collections import Counter
</find>
<replace>
# It counts.
from collections import Counter
</replace>
</edit>"""

STOPPED = "### ⛔ Repowright has stopped this run"


def with_ceilings(journey: Journey, **ceilings: int) -> None:
    journey.settings = Settings(
        model="claude-opus-4.8", ceilings=CeilingSettings.model_validate(ceilings)
    )


def told(journey: Journey) -> list[str]:
    """What the breaker's comments say, without their heading."""
    return [c.splitlines()[2] for c in journey.comments() if c.startswith(STOPPED)]


def flood(state: RunState, spec: Spec, services: Services) -> RunState:
    """A leg with a fault that nobody foresaw: it finds the same thing again and again."""
    for number in range(30):
        services.forge.review(
            state.mark(f"review.flood.{number}"),
            state.pull_request,
            commit=state.head,
            body=f"### Round {number}: 2 of 5 check tests pass ({number * 0.01:.2f} dollars)",
            comments=(),
        )
    return state


def test_thirty_equal_reviews_become_a_few_and_one_comment(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    with_ceilings(journey, equal_an_hour=4)
    journey.begin(tally_files)
    state, _, services = journey.go(REPLIES, legs=3)
    before = len(journey.reviews())
    spec = journey.spec()
    stopped = guarded(flood, state, spec, services)
    assert guarded(flood, stopped, spec, services) == stopped
    assert len(journey.reviews()) == before + 4
    assert told(journey) == [
        "The bot has posted the same 5 times within an hour; the limit is 4. That is far more "
        "than a run needs that goes well: something answers me without end, or the same thing is "
        "done again and again."
    ]
    assert (
        "a maintainer looks at what the comment on too much activity says" in journey.comments()[0]
    )
    journey.restart()
    assert journey.saved() == stopped
    assert journey.go(REPLIES)[0] == stopped
    journey.say("please\r\n/repowright retry\r\n")
    state, _, _ = journey.go(REPLIES)
    assert state.outcome is Outcome.PASSED
    assert len(told(journey)) == 1


def test_a_run_that_writes_too_much_is_stopped_after_a_restart_too(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    with_ceilings(journey, writes=14)
    journey.begin(tally_files)
    state = journey.go(REPLIES, legs=1)[0]
    while state.tripped is None:
        counted = state.tally.total
        journey.restart()
        state = journey.go(REPLIES, legs=1)[0]
        assert state.tally.total > counted
    assert state.tally.total == 14
    assert told(journey)[0].startswith("The bot has written 15 times in this run; the limit is 14.")
    journey.say("/repowright cancel")
    state = journey.go(REPLIES)[0]
    assert state.outcome is Outcome.CANCELLED
    assert len(told(journey)) == 1


def test_retry_after_retry_comes_to_an_end(journey: Journey, tally_files: dict[str, bytes]) -> None:
    """A model that mends nothing, and a person who says retry each time."""
    with_ceilings(journey, rounds=7)
    journey.begin(tally_files)
    replies = {**LATER, "code.*/repair#1": HOPELESS}
    state = journey.go(replies)[0]
    retries = 0
    while state.tripped is None:
        retries += 1
        assert retries < 9
        journey.say("/repowright retry")
        state = journey.go(replies)[0]
    assert len(state.rounds) == 7
    assert told(journey)[0].startswith("This pull request has had 7 rounds; the limit is 7.")
    journey.say("/repowright help")
    assert journey.go(replies)[0] == state
    journey.say("/repowright retry")
    state = journey.go(LATER)[0]
    assert state.outcome is Outcome.PASSED
    assert len(told(journey)) == 1


def test_a_machine_with_a_persons_account_lets_it_go_on_three_times_a_day(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    """It answers every comment of the bot with a command, and knows the one that lets it go on."""
    ceilings = CeilingSettings(comments_an_hour=1)
    journey.settings = Settings(model="claude-opus-4.8", ceilings=ceilings, gates=("architecture",))
    journey.begin(tally_files)
    journey.go(REPLIES)
    for trips in range(1, 5):
        journey.say("/repowright help\n/repowright frobnicate")
        state = journey.go(REPLIES)[0]
        assert len(told(journey)) == trips
        journey.say("/repowright retry\r\n/repowright help")
        state = journey.go(REPLIES)[0]
    assert state.tripped is not None
    assert "This run was let go on three times within a day" in journey.comments()[-1]
    said = len(journey.comments())
    assert said < 4 * 4
    journey.say("/repowright help")
    assert journey.go(REPLIES)[0] == state
    assert len(journey.comments()) == said
