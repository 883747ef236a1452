"""The circuit breaker: stops what no single rule foresaw, such as two bots that answer each other
without end, or one finding that is repaired and found again.

A run that is stopped says so once and waits for a person; the leg in which it was stopped is run
again afterwards, with a fresh allowance. docs/writes.md has the ceilings.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from bot.base import Outcome
from bot.phases.publish import progress
from bot.phases.record import save
from bot.phases.run import Phase, RunState, Trip
from bot.phases.services import Services
from bot.phases.steering import Command, Heard, listen
from bot.phases.surroundings import look
from bot.phases.tally import Kind, Over, Tally
from bot.phases.texts import page, say
from bot.phases.watched import WatchedForge, WatchedGit
from bot.ports.forge import Locked
from bot.spec.model import Spec

Leg = Callable[[RunState, Spec, Services], RunState]

GATE = "breaker"
_OPENING = ("approve", "retry", "run")
# What a person asked for while the run was stopped is heard when it goes on, and all else is not:
# what has stopped the run may have asked for a hundred things.
_KEPT = ("revise", "budget", "cancel")
# A person's word lets the run go on, but so does that of a machine with a person's account.
_RELEASES_A_DAY = 3
_DAY = timedelta(days=1)


class _Tripped(Exception):
    """Ends a leg at the write that would be one too many."""

    def __init__(self, over: Over) -> None:
        super().__init__(over.ceiling)
        self.over = over


class _Meter:
    """Counts the writes of one leg on top of those before it."""

    def __init__(self, state: RunState, clock: Callable[[], datetime]) -> None:
        self.tally = state.tally
        self._ceilings = state.settings.ceilings
        self._clock = clock

    def count(self, kind: Kind, text: str) -> None:
        now = int(self._clock().timestamp())
        tally = self.tally.with_write(kind, text, now)
        over = tally.over(self._ceilings, now)
        if over is not None:
            raise _Tripped(over)
        self.tally = tally


def guarded(leg: Leg, state: RunState, spec: Spec, services: Services) -> RunState:
    """One leg below the ceilings; above them the run is stopped, or stays so."""
    before = state
    if state.tripped is not None:
        state, moved = _let_go(state, services)
        if not moved:
            return state
    now = int(services.clock().timestamp())
    tally = state.tally.with_calls(services.record.spent().calls, now)
    over = tally.spent(len(state.rounds), state.settings.ceilings)
    if over is not None and state.outcome is None:
        return _stopped(state.model_copy(update={"tally": tally}), over, spec, services)
    meter = _Meter(state.model_copy(update={"tally": tally}), services.clock)
    watched = replace(
        services,
        forge=WatchedForge(services.forge, meter.count, state.mark("progress")),
        git=WatchedGit(services.git, meter.count),
        tally=lambda: meter.tally,
    )
    try:
        after = leg(state, spec, watched)
        # A leg saves what it has changed; that the run was let go on is ours to save.
        return after if after != state or state is before else _kept(after, spec, watched)
    except _Tripped as trip:
        counted = state.model_copy(update={"tally": meter.tally})
        return _stopped(counted, trip.over, spec, services)


def counted(state: RunState, services: Services) -> RunState:
    """The state with what the leg has written so far."""
    return state.model_copy(update={"tally": services.tally()}) if services.tally else state


def _kept(state: RunState, spec: Spec, services: Services) -> RunState:
    state = counted(state.model_copy(update={"legs": state.legs + 1}), services)
    save(state, spec, services)
    return state


def _stopped(state: RunState, over: Over, spec: Spec, services: Services) -> RunState:
    """The state that waits for a person, said once and saved: above the ceiling, but outside of
    what is counted."""
    now = services.clock()
    trip = Trip(ceiling=over.ceiling, count=over.reached, limit=over.limit, wait=state.wait)
    state = state.asking(GATE, now).model_copy(
        update={"tripped": trip, "trips": state.trips + 1, "legs": state.legs + 1}
    )
    state = state.at(now)
    services.narrator.tell(state, _what(over))
    text = page("breaker", what=_what(over), again=_again_at(state, now))
    for place in dict.fromkeys((state.issue, state.pull_request or state.issue)):
        with suppress(Locked):
            services.forge.comment(state.mark(f"breaker.{state.trips}"), place, text)
            break
    if state.phase is not Phase.DONE:
        progress(state, None, services)
    save(state, spec, services)
    return state


def _what(over: Over) -> str:
    return say(f"breaker_{over.ceiling}", count=over.reached, limit=over.limit)


def _again_at(state: RunState, now: datetime) -> str:
    """From when on a person's word is heard again; "" where it is at once."""
    recent = [at for at in state.released if at > now - _DAY]
    if len(recent) < _RELEASES_A_DAY:
        return ""
    return f"{min(recent) + _DAY:%Y-%m-%d %H:%M} UTC"


def _let_go(state: RunState, services: Services) -> tuple[RunState, bool]:
    """The state that goes on, where somebody asks for it or there is nothing to go on with; nothing
    is answered until then. What has ended is neither cancelled nor waited for in vain: only a
    word of which there are so many a day has it go on, but for what it has yet to deliver."""
    now = services.clock()
    around = look(state, services)
    heard = listen(state, around, services)
    asks = _said(heard, _OPENING) and not _again_at(state, now)
    overdue = state.wait.until is not None and now >= state.wait.until
    if overdue and state.phase is not Phase.DONE:
        return _at_deadline(_released(state, heard, now)), True
    cancels = around.closed or around.gone is not None or _said(heard, ("cancel",))
    if not (asks or (cancels and state.outcome is None)):
        return state, False
    for command in _said(heard, _OPENING)[:1]:
        with suppress(Locked):
            services.forge.react(command.comment, "+1")
    return _released(state, heard, now), True


def _at_deadline(state: RunState) -> RunState:
    if state.outcome is not None:
        return state
    days = round(state.settings.person_days)
    return state.ending(Outcome.CANCELLED, say("outcome_nobody_came", days=days))


def _said(heard: Heard, verbs: tuple[str, ...]) -> list[Command]:
    return [command for command in heard.commands if command.verb in verbs]


def _released(state: RunState, heard: Heard, now: datetime) -> RunState:
    """The state as it was when it was stopped, with a fresh allowance. What let an ended run go on
    is heard by it, too: it may be meant to begin again."""
    asked = _said(heard, _OPENING)[-1:] if state.outcome is not None else []
    kept = {f"comment:{c.comment}" for c in (*_said(heard, _KEPT), *asked) if c.comment}
    reviews = {key for key in heard.seen if key.startswith("review:")}
    passed = tuple(key for key in heard.seen if key not in kept | reviews)
    wait = state.tripped.wait if state.tripped else state.wait
    state = state.model_copy(
        update={
            "tripped": None,
            "released": (*(at for at in state.released if at > now - _DAY), now),
            "tally": Tally(rounds=len(state.rounds)),
            "seen": (*state.seen, *passed),
            "wait": wait,
        }
    )
    return state.checking(now) if wait.kind == "check" else state
