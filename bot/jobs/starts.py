"""How many runs have started within a day, as the refs of a repository tell: jobs share no other
memory."""

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.config import CeilingSettings
from bot.phases.record import StateUnreadable, load
from bot.runs.place import Place
from bot.runs.start import run_files, run_ref
from bot.runs.starts import Full

_DAY = timedelta(days=1)


class RefStarts:
    """Implements Starts for one repository. Who started a run is not in its ref, so the limit of a
    person is not counted; of several runs of an issue the last one counts."""

    def __init__(self, place: Place, clock: Callable[[], datetime]) -> None:
        self._place = place
        self._clock = clock

    def admit(
        self, repository: str, issue: int, person: str, said: datetime, ceilings: CeilingSettings
    ) -> Full | None:
        refs = self._place.scout.run_refs()
        times = sorted(
            started
            for number in refs
            if number != issue
            if (started := self._started(number)) and started > self._clock() - _DAY
        )
        if len(times) < ceilings.starts_of_repository:
            return None
        waiting = sorted(set(self._place.scout.labelled(self._place.settings.label)) - refs.keys())
        told = waiting.index(issue) + 1 if issue in waiting else 1
        limit = ceilings.starts_of_repository
        again = (times[len(times) - limit] if limit else self._clock()) + _DAY
        return Full(of="repository", count=len(times), again=again, told=told)

    def _started(self, number: int) -> datetime | None:
        files = run_files(number, self._place.git)
        if files is None:
            return None
        try:
            return load(files, run_ref(number))[0].started
        except StateUnreadable:
            return None
