"""What lets a run go on that the circuit breaker has stopped: docs/writes.md, ceilings."""

from datetime import timedelta

import pytest
from life_world import Life

from bot.base import Outcome
from bot.phases.breaker import GATE
from bot.phases.run import Phase, RunState, Trip, Wait

pytestmark = pytest.mark.timeout(120)

TRIP = Trip(ceiling="comments_an_hour", count=61, limit=60, wait=Wait())


def stop(life: Life, **changes: object) -> RunState:
    """The run stopped for too many comments, and otherwise with these changes."""
    stopped = life.saved().asking(GATE, life.clock()).wait
    life.put(tripped=TRIP, trips=1, wait=stopped, **changes)
    return life.saved()


def test_an_ended_run_is_let_go_on_by_neither_cancel_nor_closing_nor_time(planned: Life) -> None:
    before = stop(planned, phase=Phase.DONE, outcome=Outcome.PASSED, outcome_note="All pass.")
    planned.say("/repowright cancel")
    assert planned.go() == before
    planned.edit(state="closed")
    assert planned.go() == before
    planned.say("/repowright cancel\n/repowright help")
    planned.ahead = timedelta(days=before.settings.person_days + 1)
    assert planned.go() == before
    assert "no command" not in planned.said
    planned.edit(state="open")
    planned.say("/repowright retry")
    state = planned.go()
    assert (state.tripped, len(state.released)) == (None, 1)


def test_a_run_that_has_yet_to_deliver_does_so_once_nobody_has_come(planned: Life) -> None:
    before = stop(planned, phase=Phase.DELIVER, outcome=Outcome.NO_PROGRESS, outcome_note="Stuck.")
    planned.say("/repowright cancel")
    assert planned.go() == before
    planned.ahead = timedelta(days=before.settings.person_days + 1)
    state = planned.go(2)
    assert (state.phase, state.outcome) == (Phase.DONE, Outcome.NO_PROGRESS)


@pytest.mark.parametrize("how", ["cancel", "close", "time"])
def test_one_that_goes_on_is_ended_by_each(planned: Life, how: str) -> None:
    before = stop(planned)
    if how == "cancel":
        planned.say("/repowright cancel")
    elif how == "close":
        planned.edit(state="closed")
    else:
        planned.ahead = timedelta(days=before.settings.person_days + 1)
    state = planned.go(2)
    assert (state.phase, state.outcome, state.tripped) == (Phase.DONE, Outcome.CANCELLED, None)
