"""What a run has written, counted: pure data, kept in the run's state so that it survives restarts.

A tally starts anew when a person lets a stopped run go on.
"""

import hashlib
import re
from typing import Literal, NamedTuple

from bot.base import Data
from bot.config import CeilingSettings

Kind = Literal["comment", "review", "commit", "other"]
Ceiling = Literal[
    "writes", "writes_an_hour", "comments_an_hour", "equal_an_hour", "rounds", "calls_an_hour"
]

_HOUR = 3600
# Two texts are equal that differ in numbers and commit ids alone.
_VARIABLE = re.compile(r"\b[0-9a-f]{7,64}\b|[\d\s.,$]+")


class Over(NamedTuple):
    """A ceiling that is reached: how much there has been, and how much there may be."""

    ceiling: Ceiling
    reached: int
    limit: int


class Written(Data):
    """One write: when, in seconds since 1970, of what kind, and what its text comes to."""

    at: int
    kind: Kind
    text: str = ""


class Tally(Data):
    """Writes since a person last let the run go on: all of them by number, those of the last hour
    one by one. `rounds` is how many there were at that time, and `calls` how many model calls
    there had been at each moment of the last hour."""

    total: int = 0
    recent: tuple[Written, ...] = ()
    rounds: int = 0
    calls: tuple[tuple[int, int], ...] = ()

    def with_write(self, kind: Kind, text: str, now: int) -> "Tally":
        written = Written(at=now, kind=kind, text=_sum_of(text) if text else "")
        kept = tuple(w for w in self.recent if w.at > now - _HOUR)
        return self.model_copy(update={"total": self.total + 1, "recent": (*kept, written)})

    def with_calls(self, total: int, now: int) -> "Tally":
        kept = tuple(seen for seen in self.calls if seen[0] > now - _HOUR)
        if kept and kept[-1][1] == total:
            return self
        return self.model_copy(update={"calls": (*kept, (now, total))})

    def carried(self) -> "Tally":
        """What a run that is begun anew goes on with: the last hour, whichever run wrote and asked
        in it. The calls of the new run are counted from none."""
        before = self.calls[-1][1] if self.calls else 0
        calls = tuple((at, total - before) for at, total in self.calls)
        return Tally(recent=self.recent, calls=calls)

    def over(self, ceilings: CeilingSettings, now: int) -> Over | None:
        """The first ceiling that the writes are above."""
        hour = [w for w in self.recent if w.at > now - _HOUR]
        comments = [w for w in hour if w.kind in ("comment", "review")]
        equal = max((sum(w.text == c.text for w in comments) for c in comments[-1:]), default=0)
        found = (
            Over("equal_an_hour", equal, ceilings.equal_an_hour),
            Over("comments_an_hour", len(comments), ceilings.comments_an_hour),
            Over("writes_an_hour", len(hour), ceilings.writes_an_hour),
            Over("writes", self.total, ceilings.writes),
        )
        return next((over for over in found if over.reached > over.limit), None)

    def spent(self, rounds: int, ceilings: CeilingSettings) -> Over | None:
        """The ceiling that stops another step: on rounds, or on model calls."""
        calls = self.calls[-1][1] - self.calls[0][1] if self.calls else 0
        found = (
            Over("rounds", rounds - self.rounds, ceilings.rounds),
            Over("calls_an_hour", calls, ceilings.calls_an_hour),
        )
        return next((over for over in found if over.reached >= over.limit), None)


def _sum_of(text: str) -> str:
    return hashlib.sha256(_VARIABLE.sub(" ", text.lower()).encode()).hexdigest()[:16]
