"""Experience in a run: advice before a repair, and what it and the repair taught after its check
(E, III-D). No run is lost because the store is (mechanisms 29-32)."""

from bot.checks.report import Report
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.phases.texts import say
from bot.ports.experience import StoreUnavailable


def advice(state: RunState, services: Services, report: Report) -> str:
    """Text for the fixer's prompt about the failures of `report`; "" where no experience fits,
    where the switch is off, or where the store cannot be used. What is given is written down, so
    that the check of this round can tell what came of it."""
    adviser = services.adviser
    if adviser is None or not state.settings.switches.experience:
        return ""
    try:
        return adviser.advice_for(report, mark=_mark(state))
    except StoreUnavailable as error:
        services.narrator.tell(state, say("note_no_experience", why=error.what))
        return ""


def _mark(state: RunState) -> str:
    """Names the round of repair, the same before and after its check. Runs of one spec have the
    same id, so the start tells them apart."""
    return state.mark(f"{state.started.isoformat()}:experience.code.{state.iteration}")
