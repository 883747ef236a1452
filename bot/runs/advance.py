"""Run legs until a run waits for something or is over: what a server does at one go."""

from collections.abc import Callable

from bot.base import RepowrightError
from bot.phases.leg import leg
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.runs.start import is_over
from bot.spec.model import Spec

_IDLE_LEGS = 3


def advance(
    state: RunState, spec: Spec, services: Services, stopping: Callable[[], bool]
) -> RunState:
    """At least one leg; no further one once `stopping` says so. Raise RepowrightError where legs
    no longer move the run."""
    idle = 0
    while True:
        after = leg(state, spec, services)
        if is_over(after) or after.wait.kind != "nothing" or stopping():
            return after
        idle = idle + 1 if after == state else 0
        if idle >= _IDLE_LEGS:
            raise RepowrightError("the run does not move", where=after.issue_url)
        state = after
