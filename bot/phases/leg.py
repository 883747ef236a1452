"""The leg: one resumable step of a run, a plain function of state and what was heard (design 1)."""

from bot.base import Outcome, RepowrightError
from bot.phases.breaker import counted, guarded
from bot.phases.code import check_round, code_round
from bot.phases.delivery import deliver
from bot.phases.design import architecture_round
from bot.phases.foreign import foreign_round, open_foreign
from bot.phases.opening import open_run
from bot.phases.outline import skeleton_round
from bot.phases.publish import progress, show_pull_request
from bot.phases.record import save
from bot.phases.run import Phase, RunState, Wait
from bot.phases.services import Services
from bot.phases.steering import listen, steer
from bot.phases.surroundings import ended, is_overdue, labelled, look, notice
from bot.phases.texts import say
from bot.phases.tree import with_derived_tests
from bot.ports.forge import RateLimited, Transient, Unavailable
from bot.ports.git import BranchMoved
from bot.ports.lease import LeaseLost
from bot.spec.model import Spec


def leg(state: RunState, spec: Spec, services: Services) -> RunState:
    """Hear what people said, do one step, publish, save. The returned state says what to wait
    for; a leg that finds its wait not over returns the same state and saves nothing."""
    return guarded(_leg, state, spec, services)


def give_up(state: RunState, spec: Spec, services: Services, error: RepowrightError) -> RunState:
    """The state after an error that stays however often the step is tried: people hear of it, and
    what there is is delivered."""
    return _published(_failed(state, error), spec, services)


def _leg(state: RunState, spec: Spec, services: Services) -> RunState:
    before = state
    state = _attentive(state, services)
    if state.phase is Phase.DONE:
        if (state.facts, state.notes) != (before.facts, before.notes):
            return _published(state, spec, services)
        return _saved(state, spec, services) if state != before else state
    state = _with_pushes(state.at(services.clock()), services)
    try:
        after = _step(state, with_derived_tests(state, spec, services), services)
    except BranchMoved:
        services.git.fetch()
        return state
    except (LeaseLost, RateLimited, Transient, Unavailable):
        raise
    except RepowrightError as error:
        after = _failed(state, error)
    if after.wait.kind == "person" and after.wait.until is None:
        after = after.asking(after.wait.gate, services.clock())
    if after == before:
        return before
    return _published(after, spec, services)


def _attentive(state: RunState, services: Services) -> RunState:
    """The state after what people said and what happened around it."""
    now = look(state, services)
    state = notice(state, now)
    state = steer(state, listen(state, now, services), services)
    state = labelled(ended(state, now), now, services)
    if is_overdue(state, services):
        days = round(state.settings.person_days)
        state = state.ending(Outcome.CANCELLED, say("outcome_nobody_came", days=days))
    return _woken(state)


def _step(state: RunState, spec: Spec, services: Services) -> RunState:
    if state.wait.kind == "person":
        return state
    match state.phase:
        case Phase.OPEN:
            foreign = state.origin == "failure"
            return open_foreign(state, services) if foreign else open_run(state, spec, services)
        case Phase.ARCHITECTURE:
            return architecture_round(state, spec, services)
        case Phase.SKELETON:
            return skeleton_round(state, spec, services)
        case Phase.CODE:
            mends = foreign_round if state.origin == "failure" else code_round
            return mends(state, spec, services)
        case Phase.CHECK:
            return check_round(state, spec, services)
        case _:
            return deliver(state, spec, services)


def _failed(state: RunState, error: RepowrightError) -> RunState:
    """The state after an error that nothing caught. A run whose end is named already keeps its
    outcome, and what could not be delivered is said."""
    if state.phase is not Phase.DELIVER:
        return state.ending(error.outcome, error.sentence)
    notes = (*state.notes, error.sentence)
    return state.model_copy(update={"phase": Phase.DONE, "wait": Wait(), "notes": notes})


def _woken(state: RunState) -> RunState:
    """A person's wish ends the wait at a gate: it asks for another round. One that comes while the
    run is paused waits with it."""
    if state.wait.kind == "person" and state.paused is None and state.steering:
        return state.model_copy(update={"wait": Wait()})
    return state


def _with_pushes(state: RunState, services: Services) -> RunState:
    """Go on from what people pushed to the branch. Where check tests have run already, or are
    about to, they judge the person's commit first: what is good in it is kept. An ended run takes
    its own commits, too: a leg that failed may have left some."""
    if not state.head:
        return state
    services.git.fetch()
    head = services.git.head(state.branch)
    if head is None or head == state.head:
        return state
    if not services.git.holds(state.head) or services.git.authors_since(head, state.head):
        return _after_force(state, head, services)
    strangers = [
        (commit, author)
        for commit, author in services.git.authors_since(state.head, head)
        if author != services.bot_email
    ]
    if not strangers:
        return state if state.outcome is None else state.model_copy(update={"head": head})
    commit, author = strangers[-1]
    note = say("note_person_pushed", author=author.partition("@")[0], commit=commit[:7])
    state = state.model_copy(update={"head": head, "notes": (*state.notes, note)})
    judged = state.phase is Phase.CHECK or (state.phase is Phase.CODE and state.best is not None)
    return state.checking(services.clock()) if judged else state


def _after_force(state: RunState, head: str, services: Services) -> RunState:
    """Go on from where a person put the branch. What the run had made may be lost with the commits
    that are gone, so nothing is held against the best of them: the check tests judge anew."""
    note = say("note_person_forced", commit=head[:7])
    state = state.model_copy(update={"head": head}).noting(note)
    if state.best is None or state.outcome is not None:
        return state
    state = state.model_copy(update={"best": None, "lost": ()})
    return state.checking(services.clock())


def _published(state: RunState, spec: Spec, services: Services) -> RunState:
    """Count the leg, show it and save it."""
    spent = services.record.spent()
    now = services.clock()
    state = state.at(now)
    seconds = state.seconds.model_copy(update={"total": state.worked(now), "model": spent.seconds})
    state = state.model_copy(update={"legs": state.legs + 1, "seconds": seconds})
    progress(state, spec if state.outcome else None, services)
    show_pull_request(state, services)
    state = counted(state, services)
    save(state, spec, services)
    return state


def _saved(state: RunState, spec: Spec, services: Services) -> RunState:
    """Save without showing: the state counts on, since a leg of the same number is saved once."""
    state = counted(state.model_copy(update={"legs": state.legs + 1}), services)
    save(state, spec, services)
    return state
