"""On which days the library is open."""

from collections.abc import Iterable
from datetime import date, timedelta

_SUNDAY = 6
_DAY = timedelta(days=1)


class Calendar:
    """Open from Monday to Saturday, but for the days it is told to be closed."""

    def __init__(self, closed: Iterable[date] = ()) -> None:
        self._closed = frozenset(closed)

    def is_open(self, day: date) -> bool:
        return day.weekday() != _SUNDAY and day not in self._closed

    def next_open(self, day: date) -> date:
        """The day itself if the library is open on it, else the next on which it is."""
        while not self.is_open(day):
            day += _DAY
        return day

    def opening_days(self, start: date, end: date) -> int:
        """How many days it is open from `start` on and before `end`."""
        count = 0
        while start < end:
            count += self.is_open(start)
            start += _DAY
        return count
