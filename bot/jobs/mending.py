"""Opens the repair of a failed check: the issue that tells of it, and a run on that issue."""

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.base import RepowrightError
from bot.checks.results import read_report
from bot.config import Settings
from bot.jobs.failed import Failed
from bot.jobs.host import JobHost, Turn
from bot.jobs.places import JobRepository
from bot.jobs.starts import RefStarts
from bot.jobs.texts import tell
from bot.phases.record import save
from bot.phases.run import RunState
from bot.runs.ceilings import may_start
from bot.runs.failure import NothingToMend, failure_issue, new_repair
from bot.runs.place import Place
from bot.runs.repository import SettingsRefused, tell_refused
from bot.runs.start import find_run, is_over, run_ref
from bot.runs.trigger import Go

# Held while the issue is looked for and opened: two jobs would open two.
_OPENING = "refs/repowright/failure"
# A repair that helped nothing is not followed by another one at each push.
_BETWEEN = timedelta(hours=1)


class Mender:
    """Has the failed checks of one repository mended."""

    def __init__(
        self,
        repository: JobRepository,
        host: JobHost,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        self._repository = repository
        self._host = host
        self._settings = settings
        self._clock = clock

    def mend(self, failed: Failed) -> Turn:
        """One job for the repair of a failed check: the run on its issue goes on, or begins."""
        with self._repository.holding(_OPENING, ring=False) as opening:
            if opening.place is None:
                return Turn(issue=0, why="busy", other=opening.other)
            try:
                issue = failure_issue(failed.branch, read_report(failed.files), opening.place.forge)
            except NothingToMend as nothing:
                return Turn(issue=0, why="nothing", note=nothing.sentence)
            with self._repository.holding(run_ref(issue)) as held:
                if held.place is None:
                    return Turn(issue=issue, why="busy", other=held.other)
                why_not = self._begin(issue, failed, held.place)
                if why_not:
                    return Turn(issue=issue, why="nothing", note=why_not)
        return self._host.turn(issue)

    def _begin(self, issue: int, failed: Failed, place: Place) -> str:
        """See to it that the issue has a run that goes on; else why it has none."""
        found = find_run(issue, place.git)
        previous = found[0] if found else None
        if previous is not None and not is_over(previous):
            return ""
        if previous is not None and (why_not := _settled(previous, failed, place, self._clock())):
            return why_not
        go = Go(by="", since=self._clock())
        starts = RefStarts(place, self._clock)
        if not may_start(go, issue, place, starts, anew=previous is not None):
            return tell("too_many")
        try:
            state, spec = new_repair(
                issue,
                self._settings,
                place.forge,
                place.git,
                self._clock,
                base=failed.commit,
                files=failed.files,
                previous=previous,
            )
        except NothingToMend as nothing:
            return nothing.sentence
        except SettingsRefused as refused:
            tell_refused(issue, refused, place.forge)
            raise
        save(state, spec, place.services(state))
        return ""


def _settled(previous: RunState, failed: Failed, place: Place, now: datetime) -> str:
    """Why what an ended repair left is enough; "" where another one may begin."""
    if previous.base_commit == failed.commit:
        ended = previous.outcome.value.replace("_", " ") if previous.outcome else ""
        return tell("has_ended", commit=failed.commit[:7], outcome=ended)
    if previous.best is not None and previous.best.report.green:
        return _waiting(previous, place)
    again = (previous.resting or previous.started) + _BETWEEN
    return tell("too_soon", time=f"{again:%H:%M} UTC") if now < again else ""


def _waiting(previous: RunState, place: Place) -> str:
    """Whether the pull request of a repair that passed is open still."""
    if not previous.pull_request:
        return ""
    try:
        pull = place.forge.pull_request(previous.pull_request)
    except RepowrightError:
        # It is gone.
        return ""
    return tell("waits_to_be_merged", number=pull.number) if pull.state == "open" else ""
