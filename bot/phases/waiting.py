"""The wait for the check workflow: what is seen of it, how long it may take, how it ends."""

from datetime import datetime, timedelta

from bot.base import Outcome
from bot.checks.artifact import UNUSABLE
from bot.checks.report import Report
from bot.phases.run import RunState, Sight
from bot.phases.services import Services
from bot.phases.texts import say
from bot.phases.workflow import missing_workflow
from bot.ports.checks import WorkflowRun
from bot.ports.forge import NotStarted

# Conclusions of a run that somebody can have go on: stopped by a person or a newer run, waiting for
# leave to run, or forgotten by GitHub.
# https://docs.github.com/en/rest/checks/runs#create-a-check-run
ASKS_A_PERSON = ("cancelled", "action_required", "stale")
# Seconds between two tries to start a workflow that GitHub does not know yet.
_SHORTEST_BEAT = 30.0


def still_waiting(state: RunState, services: Services, run: WorkflowRun | None) -> RunState:
    """The state that waits on, or has waited long enough; starts the workflow where a push did
    not. As long as nothing is in the way it is the same state."""
    state = _as_seen(state, services, run)
    now, wait = services.clock(), state.wait
    waited = now - (wait.since or now)
    begins = run is None and wait.sight is Sight.NONE
    late = begins and waited >= _patience(state)
    if begins and _shall_start(state, now, late=late):
        return _started(state, services, late=late)
    if late or (wait.until is not None and now >= wait.until):
        return state.ending(Outcome.INFRASTRUCTURE_FAILED, _in_vain(state, run))
    return state


def _patience(state: RunState) -> timedelta:
    """How long after a push its workflow may begin."""
    checks = state.settings.checks
    return timedelta(minutes=min(checks.start_minutes, checks.wait_minutes))


def _shall_start(state: RunState, now: datetime, *, late: bool) -> bool:
    """Whether the bot starts the workflow now: a push had its time to do so, and where the bot
    could not, GitHub had some to learn of the workflow."""
    wait, beat = state.wait, state.settings.checks.dispatch_seconds
    if wait.dispatched:
        return False
    if wait.refused is not None:
        return late or now - wait.refused >= timedelta(seconds=max(beat, _SHORTEST_BEAT))
    return now - (wait.since or now) > timedelta(seconds=beat)


def _started(state: RunState, services: Services, *, late: bool) -> RunState:
    """The state after the workflow was asked to run; where the bot was away until long after the
    push, it is waited for from now on. Raise NotStarted where it still cannot be started when it
    is late."""
    checks, wait, now = state.settings.checks, state.wait, services.clock()
    try:
        mark = state.mark(f"dispatch.{state.step}")
        services.forge.dispatch(mark, checks.workflow, state.branch)
    except NotStarted:
        if late:
            raise
        return state.model_copy(update={"wait": wait.model_copy(update={"refused": now})})
    wait = wait.model_copy(update={"dispatched": True})
    if late:
        until = now + timedelta(minutes=checks.wait_minutes)
        wait = wait.model_copy(update={"since": now, "until": until})
    return state.model_copy(update={"wait": wait})


def useless(report: Report, run: WorkflowRun) -> str:
    """Why a report says nothing about the code, "" where it does: it cannot be read, or the
    workflow is green although no test ran."""
    if report.problem.startswith(UNUSABLE):
        return say("outcome_bad_report", problem=report.problem)
    if run.conclusion == "success" and not report.tests:
        return say("outcome_no_test_ran", workflow=run.name, commit=run.head_sha[:7])
    return ""


def _as_seen(state: RunState, services: Services, run: WorkflowRun | None) -> RunState:
    """The state with what is seen now; another sight has another deadline."""
    sight = _sight(state, services, run)
    if sight is state.wait.sight:
        return state
    until = _until(state, sight, services.clock())
    wait = state.wait.model_copy(update={"sight": sight, "until": until})
    state = state.model_copy(update={"wait": wait})
    workflow = state.settings.checks.workflow
    match sight:
        case Sight.MISSING:
            text = say("fact_no_workflow", workflow=workflow)
        case Sight.STOPPED:
            conclusion = (run.conclusion or "") if run else ""
            place = run.html_url if run else ""
            text = say(f"fact_check_{conclusion}", commit=wait.commit[:7], place=place)
        case _:
            text = ""
    return state.telling("workflow", text)


def _sight(state: RunState, services: Services, run: WorkflowRun | None) -> Sight:
    if run is not None:
        return Sight.STOPPED if run.status == "completed" else Sight.NONE
    return Sight.MISSING if missing_workflow(state, services) else Sight.NONE


def _until(state: RunState, sight: Sight, now: datetime) -> datetime:
    """From the push on, but for what somebody has to do or has done anew: from now on."""
    again = Sight.STOPPED in (sight, state.wait.sight)
    since = now if again else (state.wait.since or now)
    return since + timedelta(minutes=state.settings.checks.wait_minutes)


def _in_vain(state: RunState, run: WorkflowRun | None) -> str:
    """What was waited for in vain, as one sentence."""
    checks, wait = state.settings.checks, state.wait
    minutes = checks.wait_minutes
    if run is None and wait.sight is Sight.NONE:
        minutes = min(minutes, checks.start_minutes)
    names = {"workflow": checks.workflow, "commit": wait.commit[:7], "minutes": round(minutes)}
    if run is None:
        return say(f"outcome_check_{wait.sight.value}", **names)
    if wait.sight is Sight.STOPPED:
        return say("outcome_check_stopped", conclusion=run.conclusion, **names)
    began = run.status == "in_progress"
    return say("outcome_tests_never_ran" if began else "outcome_check_queued", **names)
