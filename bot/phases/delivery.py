"""The end of a run: the best commit on the branch, the pull request out of draft, the summary."""

from bot.base import Outcome
from bot.phases.foreign import without_empty_pull_request
from bot.phases.run import Phase, RunState, Wait
from bot.phases.services import Services
from bot.phases.texts import say
from bot.phases.tree import commit, project_texts
from bot.ports.forge import RateLimited, Transient, Unavailable
from bot.ports.git import BranchMoved, GitError
from bot.spec.model import Spec


def deliver(state: RunState, spec: Spec, services: Services) -> RunState:
    """Never leave the branch worse than the best the run has seen (design 5.6)."""
    outcome = state.outcome or Outcome.INFRASTRUCTURE_FAILED
    services.narrator.tell(state, say("tell_deliver", outcome=outcome.value))
    if state.settings.switches.ratchet and _may_return(state, services):
        state = _returned_to_best(state, spec, services)
    if state.origin == "failure":
        state = without_empty_pull_request(state, services)
    state = state.model_copy(update={"phase": Phase.DONE, "wait": Wait()})
    if state.pull_request and outcome is Outcome.PASSED:
        services.forge.mark_ready(state.pull_request)
    return state


def _may_return(state: RunState, services: Services) -> bool:
    """What is merged stays as it was merged, and what is a person's as they left it."""
    merged = state.outcome is Outcome.MERGED
    return state.best is not None and not merged and not _is_theirs(state, services)


def _is_theirs(state: RunState, services: Services) -> bool:
    """Whether the branch ends on a person's commit that no check of this run has judged: they may
    have taken over, and nothing of theirs is undone unseen."""
    if state.best is None or any(r.commit == state.head for r in state.rounds):
        return False
    authors = services.git.authors_since(state.best.commit, state.head)
    return bool(authors) and authors[-1][1] != services.bot_email


def _returned_to_best(state: RunState, spec: Spec, services: Services) -> RunState:
    """The state with its head on the best; where the branch takes no push any more, say so."""
    try:
        return _return_to_best(state, spec, services)
    except (BranchMoved, RateLimited, Transient, Unavailable):
        raise
    except GitError as error:
        commit = state.best.commit if state.best else ""
        note = say("note_not_returned", commit=commit[:7], why=error.sentence)
        return state.model_copy(update={"notes": (*state.notes, note)})


def _return_to_best(state: RunState, spec: Spec, services: Services) -> RunState:
    """A branch that somebody deleted stays deleted."""
    best = state.best
    gone = services.git.head(state.branch) is None
    if best is None or best.commit == state.head or gone:
        return state
    wanted = project_texts(state, spec, services, best.commit)
    now = project_texts(state, spec, services, state.head)
    changes: dict[str, str | None] = {p: None for p in now if p not in wanted}
    changes.update(wanted)
    message = say("commit_best", passed=best.passed, total=best.total)
    # A run that a person had go on may return twice; each return starts from another commit.
    return commit(state, services, changes, message, f"best.{state.head}")
