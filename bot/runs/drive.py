"""Drive a run on one machine: leg after leg, waiting for check runs, until it ends."""

from collections.abc import Callable

from bot.base import RepowrightError
from bot.phases.leg import leg
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.ports.forge import RateLimited, Transient
from bot.spec.model import Spec

_IDLE_LEGS = 3
_MOST_BROKEN = 8


def drive(
    state: RunState,
    spec: Spec,
    services: Services,
    *,
    pause: Callable[[float], None],
    interval: float,
    wait_for_people: bool,
    most_legs: int | None = None,
) -> RunState:
    """Run legs until the run is over, until it waits for a person and `wait_for_people` is false,
    or until `most_legs` legs have moved it. A run that is over already hears once more what people
    say. `pause` sleeps; `interval` is the time between two looks at what is waited for, in
    seconds; a rate limit of GitHub is slept through, and where GitHub breaks down over a leg that
    is tried again some times. Raise RepowrightError where legs no longer move the run."""
    idle = 0
    broken = 0
    last = None if most_legs is None else state.legs + most_legs
    while last is None or state.legs < last:
        try:
            after = leg(state, spec, services)
        except RateLimited as limit:
            pause(max((limit.until - services.clock()).total_seconds(), 1.0))
            continue
        except Transient:
            broken += 1
            if broken == _MOST_BROKEN:
                raise
            pause(interval * 2**broken)
            continue
        broken = 0
        if after.phase is Phase.DONE:
            return after
        if after.wait.kind == "person" and not wait_for_people:
            return after
        if after.wait.kind != "nothing":
            pause(interval)
        idle = idle + 1 if after == state and after.wait.kind == "nothing" else 0
        if idle >= _IDLE_LEGS:
            raise RepowrightError(
                f"the run does not move: {after.outcome_note or 'no leg changes anything'}",
                where=after.issue_url,
                hint="mend what it names, then `repowright resume`",
            )
        if idle:
            pause(interval)
        state = after
    return state
