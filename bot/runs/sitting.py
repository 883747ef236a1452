"""One leg of an issue's run with what was heard: what a durable step does. Any of it may be
repeated, so what a step has worked leaves the inbox last."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal

from bot.base import Data, Outcome, RepowrightError
from bot.phases.leg import give_up
from bot.phases.record import StateUnreadable, save
from bot.phases.run import RunState
from bot.phases.steering import again
from bot.phases.texts import say
from bot.ports.forge import Locked, RateLimited, Unavailable
from bot.ports.lease import LeaseLost
from bot.runs.ceilings import may_start
from bot.runs.events import Commanded, Event, Swept, Woken
from bot.runs.inbox import Address, Task
from bot.runs.metered import metered_leg
from bot.runs.place import Desk, NotServed, Place, Places
from bot.runs.repository import SettingsRefused, tell_refused
from bot.runs.resting import rest, tell_trouble, tell_unreadable
from bot.runs.start import find_run, is_over, issue_of_branch, new_run, read_spec
from bot.runs.sweep import sweep
from bot.runs.trigger import Go, asked_to_start
from bot.spec.model import Spec

_log = logging.getLogger("repowright.runs")

MOST_ATTEMPTS = 8
_FIRST_WAIT = 5.0
_LONGEST_WAIT = 900.0
_TOLD_AFTER = 2
_IDLE_LEGS = 3


class CannotStart(RepowrightError):
    """The spec cannot be read from the issue, for want of an attachment, say."""


class OwnFault(RepowrightError):
    """Legs end in what nobody has foreseen."""


class Told(Data):
    """What a leg leaves to do: another `leg` at once; nothing for `seconds` unless something is
    heard (`waits`), or for the person whose word is awaited (`parked`); nothing at all (`over`);
    the same again after `seconds`, since there was `trouble`, or since the forge asked to wait
    that long whatever is heard (`limited`). `moved` says whether the leg changed anything."""

    kind: Literal["leg", "waits", "parked", "over", "trouble", "limited"]
    seconds: float = 0.0
    moved: bool = True
    note: str = ""


def later(attempts: int) -> float:
    """Seconds before the next try: twice as long each time."""
    return float(min(_FIRST_WAIT * 2 ** min(attempts, 10), _LONGEST_WAIT))


class Sitting:
    """An address is attended to, leg after leg; between two legs the run stays in memory."""

    def __init__(self, address: Address, places: Places, desk: Desk) -> None:
        self._address = address
        self._places = places
        self._desk = desk
        self._held: tuple[RunState, Spec] | None = None
        self._idle = 0

    def leg(self, attempts: int) -> Told:
        """Work what is in the inbox and do one leg; `attempts` counts the tries before that
        failed. After MOST_ATTEMPTS of them, the last a fault of our own, no leg is tried."""
        desk, address = self._desk, self._address
        tasks = desk.inbox.read(address)
        place: Place | None = None
        try:
            place = self._places.open(address.repository, address.installation)
            if attempts >= MOST_ATTEMPTS:
                raise OwnFault("the bot itself is at fault", hint="its log tells more")
            told = self._attend_or_refuse(place, tasks)
        except LeaseLost:
            raise
        except (NotServed, Unavailable, StateUnreadable) as error:
            # A run rests as it was saved last; a sweep or an event finds it when it can go on.
            _log.warning("%s: %s", self._name, error.sentence)
            if isinstance(error, Unavailable):
                rest(address, error, place, desk)
            told = Told(kind="over", note=error.sentence)
        except RateLimited as error:
            _log.warning("%s: %s", self._name, error.sentence)
            return Told(kind="limited", seconds=_until(error.until, desk), note=error.sentence)
        except RepowrightError as error:
            return self._trouble(error, attempts, place)
        desk.inbox.done(tasks)
        desk.inbox.moved(address, desk.clock())
        return told

    @property
    def _name(self) -> str:
        return f"{self._address.repository}#{self._address.issue}"

    def _attend_or_refuse(self, place: Place, tasks: Sequence[Task]) -> Told:
        """Where the repository's settings are wrong no run starts, a new one after an old one
        neither; whoever corrects them asks again."""
        try:
            return self._attend(place, tasks)
        except SettingsRefused as error:
            self._held = None
            with suppress(Locked):
                tell_refused(self._address.issue, error, place.forge)
            return Told(kind="over", note=error.sentence)

    def _attend(self, place: Place, tasks: Sequence[Task]) -> Told:
        if self._address.issue == 0:
            return self._sort_all(place, tasks)
        found = self._held or self._find(place)
        if found is None:
            go = asked_to_start(self._address.issue, [task.event for task in tasks], place)
            if go is None:
                return Told(kind="over", note="there is no run")
            if not may_start(go, self._address.issue, place, self._desk.starts):
                return Told(kind="over", note="too many runs have started today")
            found = self._begin(place, since=go.since)
        state, spec = found
        self._held = self._once(state, spec, place)
        return self._told(self._held[0])

    def _sort_all(self, place: Place, tasks: Sequence[Task]) -> Told:
        """Each for itself: what cannot be sorted keeps nothing else from it, and is tried again
        but where the bot may not."""
        failed: RepowrightError | None = None
        barred: Unavailable | None = None
        for task in tasks:
            try:
                _sort(task.event, place, self._desk)
            except RateLimited:
                raise
            except Unavailable as error:
                barred = error
                self._desk.inbox.done([task])
            except RepowrightError as error:
                failed = error
            else:
                self._desk.inbox.done([task])
        if found := failed or barred:
            raise found
        return Told(kind="over")

    def _find(self, place: Place) -> tuple[RunState, Spec] | None:
        """The run that the ref holds; raise StateUnreadable, which people are told of, where it
        cannot be read."""
        try:
            return find_run(self._address.issue, place.git)
        except StateUnreadable as error:
            tell_unreadable(self._address.issue, error, place.forge)
            raise

    def _once(self, state: RunState, spec: Spec, place: Place) -> tuple[RunState, Spec]:
        """One leg; where somebody has asked for a run after this one had ended, the new one."""
        after = metered_leg(state, spec, place.services(state), self._desk.meter)
        self._idle = self._idle + 1 if after == state else 0
        self._desk.index.keep(place.repository, after, self._desk.clock())
        if after.anew and is_over(after):
            return self._anew(after, spec, place)
        if is_over(after) and self._idle == 0:
            # Opening them again lets go of the calls that the ref holds now.
            place.services(after)
        return after, spec

    def _told(self, state: RunState) -> Told:
        if state.repository.lower() != self._address.repository:
            return self._renamed(state)
        if is_over(state):
            return Told(kind="over", note=state.outcome.value if state.outcome else "")
        match state.wait.kind:
            case "person":
                hold = self._desk.hold.total_seconds()
                return Told(kind="parked", seconds=hold, moved=self._idle == 0)
            case "check":
                due = _until(state.wait.until, self._desk) if state.wait.until else _LONGEST_WAIT
                poll = self._desk.poll.total_seconds()
                return Told(kind="waits", seconds=min(poll, due) if due else poll)
            case _:
                if self._idle >= _IDLE_LEGS:
                    raise RepowrightError("the run does not move", where=state.issue_url)
                return Told(kind="leg")

    def _renamed(self, state: RunState) -> Told:
        """The repository has another name now: the run goes on under that."""
        installation = self._address.installation
        place = {"repository": state.repository, "installation": installation}
        self._desk.inbox.put(
            Woken.model_validate({**place, "issue": state.issue, "why": "renamed"})
        )
        return Told(kind="over", note=f"the repository is {state.repository} now")

    def _begin(
        self, place: Place, *, since: datetime | None = None, previous: RunState | None = None
    ) -> tuple[RunState, Spec]:
        """A new run, saved before its first leg: a leg that is killed finds the same branch."""
        number, clock = self._address.issue, self._desk.clock
        try:
            state, spec = new_run(
                number,
                place.settings,
                place.forge,
                place.git,
                clock,
                since=since,
                previous=previous,
            )
        except (RateLimited, Unavailable, SettingsRefused):
            raise
        except RepowrightError as error:
            raise CannotStart(error.what, where=error.where, hint=error.hint) from error
        _log.info("%s: run %s starts", self._name, state.run_id)
        save(state, spec, place.services(state))
        return state, spec

    def _anew(self, state: RunState, spec: Spec, place: Place) -> tuple[RunState, Spec]:
        """Somebody asked for a run after this one had ended: a new one where the spec was rejected
        or is another one now, else this one goes on."""
        issue = place.forge.issue(state.issue)
        if issue.state == "open" and state.origin == "failure":
            # There is no spec to read; what failed is in the state.
            return again(state, self._desk.clock()), spec
        if issue.state == "open":
            rejected = state.outcome is Outcome.SPEC_REJECTED
            now = read_spec(issue, state.settings, place.forge, place.git)
            if rejected or now.digest != state.spec_digest:
                go = Go(by=state.anew_by, since=state.anew_at or self._desk.clock())
                if may_start(go, state.issue, place, self._desk.starts, anew=True):
                    return self._begin(place, previous=state)
                return self._settled(state, spec, place)
            if state.outcome not in (Outcome.PASSED, Outcome.MERGED):
                return again(state, self._desk.clock()), spec
            mark = state.mark(f"answer.{state.outcome}.{state.legs}")
            place.forge.comment(mark, state.issue, say(f"answer_{state.outcome}"))
        return self._settled(state, spec, place)

    def _settled(self, state: RunState, spec: Spec, place: Place) -> tuple[RunState, Spec]:
        """The run stays as it has ended."""
        settled = state.model_copy(update={"anew": False, "legs": state.legs + 1})
        save(settled, spec, place.services(settled))
        return settled, spec

    def _trouble(self, error: RepowrightError, attempts: int, place: Place | None) -> Told:
        """To be tried again. A run that no try helps ends and says so. Where it cannot be written
        to, the issue is told once, and it is left to people and to the next sweep."""
        self._held = None
        self._idle = 0
        _log.warning("%s: try %d: %s", self._name, attempts + 1, error.sentence)
        last = attempts + 1 >= MOST_ATTEMPTS
        if place is not None and self._address.issue:
            if last and self._gives_up(place, error):
                return Told(kind="leg", note=error.sentence)
            if isinstance(error, CannotStart) and attempts >= _TOLD_AFTER:
                tell_trouble("cannot_start", self._address.issue, error, place.forge)
            elif last:
                tell_trouble("stuck", self._address.issue, error, place.forge)
        return Told(kind="trouble", seconds=later(attempts), note=error.sentence)

    def _gives_up(self, place: Place, error: RepowrightError) -> bool:
        """End the run with what stands in its way; False where there is none that has not, or it
        cannot be written to."""
        try:
            found = find_run(self._address.issue, place.git)
            if found is None or is_over(found[0]):
                return False
            state, spec = found
            self._held = give_up(state, spec, place.services(state), error), spec
        except RepowrightError as another:
            _log.warning("%s: nor can the run end: %s", self._name, another.sentence)
            return False
        return True


def _sort(event: Event, place: Place, desk: Desk) -> None:
    """What waits at a repository's desk: look the repository over, or find out whose it is."""
    if isinstance(event, Swept):
        sweep(event, place, desk)
    elif isinstance(event, Commanded):
        known = desk.index.issue_of(place.repository, event.number)
        issue = known or issue_of_branch(place.forge.pull_request(event.number).head)
        if issue is not None:
            origin = {"repository": event.repository, "installation": event.installation}
            desk.inbox.put(Woken.model_validate({**origin, "issue": issue, "why": "commanded"}))


def _until(moment: datetime, desk: Desk) -> float:
    """Seconds until a moment, at least one, so that nothing goes in circles."""
    return max((moment - desk.clock()) / timedelta(seconds=1), 1.0)
