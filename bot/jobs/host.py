"""Drives runs in a job of GitHub Actions: leg after leg until the next wait, with nothing kept but
what the repository holds."""

import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from bot.base import Data, RepowrightError
from bot.jobs.places import JobRepository, OnePlace
from bot.jobs.starts import RefStarts
from bot.model.journal import Journal
from bot.model.ledger import Totals
from bot.phases.record import load
from bot.phases.run import RunState
from bot.ports.lease import Lease, LeaseLost
from bot.runs.events import Event
from bot.runs.inbox import Address, Inbox
from bot.runs.index import RunIndex
from bot.runs.place import Desk, Place
from bot.runs.sitting import MOST_ATTEMPTS, Sitting, Told
from bot.runs.start import is_over, run_files, run_ref

_log = logging.getLogger("repowright.jobs")

# How long a job stays for what gets better by itself: trouble, a limit of GitHub's.
_LONGEST_STAY = timedelta(minutes=10)
_STILL = 2

Why = Literal["waits", "over", "busy", "nothing", "trouble", "time"]


class Turn(Data):
    """What a job did for the run of one issue, and why it stopped: the run waits or is over,
    another job (`other`) works on it, there is no run, there was trouble, or the time was up.
    `issue` is 0 where there is none yet.
    `before` and `after` are what the run's calls had cost when the job began and ended."""

    issue: int
    why: Why
    note: str = ""
    state: RunState | None = None
    legs: int = 0
    before: Totals = Totals()
    after: Totals = Totals()
    other: Lease | None = None


class JobHost:
    """Works what `inbox` holds, one issue after another, until `ends`; `pause` sleeps. Where the
    check tests run in this job (`checks_here`), no wait for them ends it."""

    def __init__(
        self,
        repository: JobRepository,
        inbox: Inbox,
        index: RunIndex,
        clock: Callable[[], datetime],
        *,
        ends: datetime,
        checks_here: bool,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._repository = repository
        self._inbox = inbox
        self._clock = clock
        self._ends = ends
        self._checks_here = checks_here
        self._pause = pause
        place = repository.place()
        self._name = place.repository.lower()
        self._desk = Desk(
            inbox=inbox,
            index=index,
            clock=clock,
            poll=timedelta(),
            hold=timedelta(),
            starts=RefStarts(place, clock),
        )

    def work(self, events: Sequence[Event]) -> tuple[Turn, ...]:
        """Work these events and what comes of them, and say what was done for each issue."""
        for event in events:
            self._inbox.put(event)
        turns: list[Turn] = []
        for issue in self._issues():
            turns.append(self.turn(issue))
            if self._clock() >= self._ends:
                break
        return tuple(turns)

    def _issues(self) -> Iterator[int]:
        """Those that somebody has to attend to; what came in at the repository's desk first."""
        done: set[int] = set()
        while True:
            waiting = [r.address.issue for r in self._inbox.to_ring()]
            if 0 in waiting and 0 not in done:
                done.add(0)
                self._sort()
                continue
            left = [issue for issue in waiting if issue not in done]
            if not left:
                return
            done.add(left[0])
            yield left[0]

    def _sort(self) -> None:
        sitting = Sitting(self._address(0), OnePlace(self._repository.place()), self._desk)
        self._stay(sitting, lambda _: False)

    def turn(self, issue: int) -> Turn:
        """Work on an issue's run; whoever found it held meanwhile has rung, and is heard too."""
        turn, lease = self._once(issue)
        while turn.why in ("waits", "over", "nothing") and lease is not None and lease():
            _log.info("#%d: another job has brought news", issue)
            again, lease = self._once(issue)
            turn = again.model_copy(update={"before": turn.before, "legs": turn.legs + again.legs})
        return turn

    def _once(self, issue: int) -> tuple[Turn, Callable[[], bool] | None]:
        with self._repository.holding(run_ref(issue)) as held:
            if held.place is None:
                return Turn(issue=issue, why="busy", other=held.other), None
            return self.worked(issue, held.place), held.answer

    def worked(self, issue: int, place: Place) -> Turn:
        """Work on the run that `place` holds."""
        found, before = _saved(issue, place)
        turn = Turn(issue=issue, why="time", state=found, before=before, after=before)
        sitting = Sitting(self._address(issue), OnePlace(place), self._desk)
        try:
            told = self._stay(sitting, self._goes_on)
        except LeaseLost as lost:
            return turn.model_copy(update={"why": "busy", "note": lost.sentence})
        state, after = _saved(issue, place)
        legs = (state.legs if state else 0) - (found.legs if found else 0)
        return turn.model_copy(
            update={
                "why": _why(told, state),
                "note": told.note,
                "state": state,
                "legs": legs,
                "after": after,
            }
        )

    def _goes_on(self, told: Told) -> bool:
        """Whether there is more to do at once."""
        return told.kind == "leg" or (told.kind == "waits" and self._checks_here)

    def _stay(self, sitting: Sitting, goes_on: Callable[[Told], bool]) -> Told:
        """Legs until one leaves nothing to do at once, or the time is up; trouble is sat out as
        long as it may end within it."""
        attempts = still = 0
        patience = self._clock() + _LONGEST_STAY
        while True:
            told = sitting.leg(attempts)
            attempts = attempts + 1 if told.kind == "trouble" else 0
            still = still + 1 if told.kind == "waits" else 0
            if told.kind in ("trouble", "limited"):
                again = self._clock() + timedelta(seconds=told.seconds)
                if attempts > MOST_ATTEMPTS or again >= min(self._ends, patience):
                    return told
                self._pause(told.seconds)
            elif not goes_on(told) or still > _STILL:
                return told
            else:
                patience = self._clock() + _LONGEST_STAY
            if self._clock() >= self._ends:
                return told

    def _address(self, issue: int) -> Address:
        return Address(repository=self._name, issue=issue, installation=0)


def _why(told: Told, state: RunState | None) -> Why:
    match told.kind:
        case "over" if state is None:
            return "nothing"
        case "over" if state is not None and is_over(state):
            return "over"
        case "parked" | "waits":
            return "waits"
        case "leg":
            return "time"
        case _:
            return "trouble"


def _saved(issue: int, place: Place) -> tuple[RunState | None, Totals]:
    """The run as its ref holds it, None where there is none that can be read, and what it cost,
    with the calls of a job that died before it could save them."""
    files = run_files(issue, place.git)
    if files is None:
        return None, Totals()
    try:
        state, _ = load(files, run_ref(issue))
        with tempfile.TemporaryDirectory(prefix="repowright-") as folder:
            return state, Journal.restored(Path(folder), files).open_ledger().total
    except RepowrightError as error:
        # The leg says what is wrong with them.
        _log.warning("#%d: %s", issue, error.sentence)
        return None, Totals()
