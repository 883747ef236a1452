"""Mending code that the bot did not write: no commit before the first repair, a pull request with
it, none where nothing helped, and an end where the code no longer needs it."""

from bot.agents.replies import ReplyRejected
from bot.base import Outcome
from bot.markdown import code
from bot.phases.code import code_round, without_repair
from bot.phases.publish import describe, pull_request_title
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.phases.texts import say
from bot.spec.model import Spec


def open_foreign(state: RunState, services: Services) -> RunState:
    """Leave the state at the first repair, or at the end where the commit whose tests failed is
    the newest no more, or has passed since."""
    services.git.fetch()
    now = services.git.head(state.base_branch)
    if now != state.base_commit:
        names = {"base": code(state.base_branch), "commit": state.base_commit[:7]}
        return _overtaken(state, say("outcome_base_moved", **names))
    return _where_green(state, now, services) or state.entering(Phase.CODE)


def foreign_round(state: RunState, spec: Spec, services: Services) -> RunState:
    """One repair on the work branch, which begins with the first of them, and its pull request."""
    asked = state.steering or state.answering
    if state.best is not None and state.best.report.green and not asked:
        return state.ending(Outcome.PASSED, say("outcome_passed"))
    services.git.fetch()
    now = services.git.head(state.base_branch)
    if now is not None and now != state.base_commit:
        ended = _where_green(state, now, services)
        if ended is not None:
            return ended
    after = code_round(state, spec, services)
    if after.phase is not Phase.CHECK:
        return after
    if after.head == after.base_commit:
        return without_repair(state, ReplyRejected(say("nothing_changed")))
    return after if after.pull_request else _with_pull_request(after, services)


def _where_green(state: RunState, commit: str, services: Services) -> RunState | None:
    """The state that ends because the base passes at this commit, None where it is not known to:
    another run of its workflow may have ended otherwise than the one that was reported."""
    run = services.checks.workflow_run(state.settings.checks.workflow, commit)
    if run is None or run.status != "completed" or run.conclusion != "success":
        return None
    same = commit == state.base_commit
    names = {"base": code(state.base_branch), "commit": commit[:7]}
    if same:
        return state.ending(Outcome.PASSED, say("outcome_base_differs", **names))
    return _overtaken(state, say("outcome_base_passes", **names))


def _overtaken(state: RunState, note: str) -> RunState:
    return state.model_copy(update={"overtaken": True}).ending(Outcome.CANCELLED, note)


def _with_pull_request(state: RunState, services: Services) -> RunState:
    """A draft; after one that was closed since nothing had helped, another one."""
    pull = services.forge.open_pull_request(
        state.mark(f"pull.{state.iteration}"),
        head=state.branch,
        base=state.base_branch,
        title=pull_request_title(state),
        body=describe(state, services),
        draft=True,
    )
    return state.model_copy(update={"pull_request": pull.number, "pull_request_url": pull.html_url})


def without_empty_pull_request(state: RunState, services: Services) -> RunState:
    """Close the pull request of a run that mended nothing: it would offer people no change. The
    issue tells what was tried."""
    same = services.git.read(state.head) == services.git.read(state.base_commit)
    if not state.pull_request or not same:
        return state
    services.forge.close_pull_request(state.pull_request)
    note = say("note_nothing_to_merge", number=state.pull_request)
    return state.model_copy(
        update={"pull_request": 0, "pull_request_url": "", "notes": (*state.notes, note)}
    )
