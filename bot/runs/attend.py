"""Do what is due in one repository: find or start the runs concerned, run their legs."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.base import Outcome, RepowrightError
from bot.phases.record import save
from bot.phases.run import RunState
from bot.phases.steering import again
from bot.phases.texts import say
from bot.runs.advance import advance
from bot.runs.events import Commanded, Event, Swept, Woken
from bot.runs.place import Desk, Place
from bot.runs.queue import Claim, Task
from bot.runs.repository import SettingsRefused, tell_refused
from bot.runs.start import find_run, is_over, issue_of_branch, new_run, read_spec
from bot.runs.sweep import sweep
from bot.runs.trigger import asked_to_start
from bot.spec.model import Spec

_log = logging.getLogger("repowright.runs")

MOST_ATTEMPTS = 8
_FIRST_WAIT = 5.0
_LONGEST_WAIT = 900.0
_TOLD_AFTER = 2


class CannotStart(RepowrightError):
    """The spec cannot be read from the issue, for want of an attachment, say."""


def attend(claim: Claim, place: Place, desk: Desk) -> None:
    """Work the claim's tasks; each issue's are done, or given back to be tried again, by
    themselves. All of it may be repeated."""
    for number, tasks in _by_issue(claim, place, desk).items():
        if desk.stopping():
            desk.queue.again(tasks, desk.clock())
            continue
        try:
            _attend_issue(number, [task.event for task in tasks], place, desk)
        except SettingsRefused as error:
            tell_refused(number, error, place.forge)
            desk.queue.done(tasks)
        except RepowrightError as error:
            _try_later(number, tasks, error, place, desk)
        else:
            desk.queue.done(tasks)


def later(attempts: int) -> timedelta:
    """The wait before the next try: twice as long each time."""
    return timedelta(seconds=min(_FIRST_WAIT * 2 ** min(attempts, 10), _LONGEST_WAIT))


def _by_issue(claim: Claim, place: Place, desk: Desk) -> dict[int, list[Task]]:
    """Tasks by the issue that they concern; sweeps are done here, they queue what they find."""
    found: dict[int, list[Task]] = {}
    for task in claim.tasks:
        try:
            number = _issue_of(task.event, place, desk)
        except RepowrightError as error:
            _try_later(0, [task], error, place, desk)
            continue
        if number is None:
            desk.queue.done([task])
        else:
            found.setdefault(number, []).append(task)
    return found


def _issue_of(event: Event, place: Place, desk: Desk) -> int | None:
    """The issue that an event concerns; that of a pull request is its run's."""
    if isinstance(event, Swept):
        sweep(event, place, desk)
        return None
    if not isinstance(event, Commanded):
        return event.issue
    if not event.on_pull:
        return event.number
    known = desk.index.issue_of(place.repository, event.number)
    return known or issue_of_branch(place.forge.pull_request(event.number).head)


def _attend_issue(number: int, events: Sequence[Event], place: Place, desk: Desk) -> None:
    found = find_run(number, place.git)
    if found is None:
        go = asked_to_start(number, events, place)
        found = _begin(number, place, desk, since=go.since) if go else None
    while found is not None:
        state, spec = found
        _log.info("%s#%d: %s, %d legs so far", place.repository, number, state.phase, state.legs)
        state = advance(state, spec, place.services(state), desk.stopping)
        desk.index.keep(place.repository, state, desk.clock())
        _look_again(state, events[0], desk)
        found = _anew(state, spec, place, desk) if state.anew and is_over(state) else None


def _begin(
    number: int,
    place: Place,
    desk: Desk,
    *,
    since: datetime | None = None,
    previous: RunState | None = None,
) -> tuple[RunState, Spec]:
    """A new run, saved before its first leg: a leg that is killed finds the same branch again."""
    forge, git, settings = place.forge, place.git, place.settings
    try:
        state, spec = new_run(
            number, settings, forge, git, desk.clock, since=since, previous=previous
        )
    except SettingsRefused:
        raise
    except RepowrightError as error:
        raise CannotStart(error.what, where=error.where, hint=error.hint) from error
    _log.info("%s#%d: run %s starts", place.repository, number, state.run_id)
    save(state, spec, place.services(state))
    return state, spec


def _anew(state: RunState, spec: Spec, place: Place, desk: Desk) -> tuple[RunState, Spec] | None:
    """Somebody asked for a run after this one had ended: a new one where the spec was rejected or
    is another one now, else this one goes on."""
    issue = place.forge.issue(state.issue)
    if issue.state == "open":
        rejected = state.outcome is Outcome.SPEC_REJECTED
        now = read_spec(issue, state.settings, place.forge, place.git)
        if rejected or now.digest != state.spec_digest:
            return _begin(state.issue, place, desk, previous=state)
        if state.outcome is not Outcome.PASSED:
            return again(state, desk.clock()), spec
        mark = state.mark(f"answer.passed.{state.legs}")
        place.forge.comment(mark, state.issue, say("answer_passed"))
    settled = state.model_copy(update={"anew": False, "legs": state.legs + 1})
    save(settled, spec, place.services(settled))
    return None


def _look_again(state: RunState, event: Event, desk: Desk) -> None:
    """See to it that a run that waits for a check, or was stopped, is looked at again."""
    place = {"repository": event.repository, "installation": event.installation}
    poll = Woken.model_validate({**place, "issue": state.issue, "why": "poll"})
    if state.wait.kind == "check":
        desk.queue.put(poll, desk.clock() + desk.poll)
        return
    desk.queue.drop(poll)
    if state.wait.kind == "nothing" and not is_over(state):
        stopped = Woken.model_validate({**place, "issue": state.issue, "why": "stopped"})
        desk.queue.put(stopped, desk.clock())


def _try_later(
    number: int, tasks: Sequence[Task], error: RepowrightError, place: Place, desk: Desk
) -> None:
    """Give the tasks back; after many tries leave them to the next sweep."""
    attempts = max(task.attempts for task in tasks)
    _log.warning("%s#%d: try %d: %s", place.repository, number, attempts + 1, error.sentence)
    if attempts + 1 >= MOST_ATTEMPTS:
        desk.queue.done(tasks)
        return
    desk.queue.again(tasks, desk.clock() + later(attempts), error.sentence)
    if isinstance(error, CannotStart) and attempts == _TOLD_AFTER:
        text = say("answer_cannot_start", problem=error.sentence)
        place.forge.comment(f"rw{number}:cannot-start", number, text)
