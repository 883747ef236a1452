"""A leg as those who watch the server see it: what it was about, how long it took, what it came
to."""

import logging
from contextlib import ExitStack
from datetime import datetime, timedelta

from bot.logs import about
from bot.phases.leg import leg
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.meter import LegEnd, Meter
from bot.runs.start import is_over
from bot.spec.model import Spec

_log = logging.getLogger("repowright.runs")


def metered_leg(state: RunState, spec: Spec, services: Services, meter: Meter) -> RunState:
    """The leg, counted; what is logged meanwhile names the run."""
    began = services.clock()
    with about(repository=state.repository, issue=state.issue, run=state.run_id):
        _log.info("%s, %d legs so far", state.phase, state.legs)
        with ExitStack() as failing:
            failing.callback(
                lambda: meter.leg(state.phase.value, "failed", _since(began, services))
            )
            after = leg(state, spec, services)
            failing.pop_all()
    meter.leg(state.phase.value, _end(state, after), _since(began, services))
    if state.wait.kind == "check" and state.wait.since and _went_on(state, after):
        meter.check_wait(_since(state.wait.since, services))
    if after.outcome is not None and is_over(after) and not is_over(state):
        meter.run_ended(after.outcome)
    return after


def _since(moment: datetime, services: Services) -> float:
    return max((services.clock() - moment) / timedelta(seconds=1), 0.0)


def _went_on(before: RunState, after: RunState) -> bool:
    return (after.wait.kind, after.wait.commit) != (before.wait.kind, before.wait.commit)


def _end(before: RunState, after: RunState) -> LegEnd:
    if after == before:
        return "unmoved"
    if is_over(after):
        return "ended"
    match after.wait.kind:
        case "check":
            return "waits_check"
        case "person":
            return "waits_person"
        case _:
            return "went_on"
