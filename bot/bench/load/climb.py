"""The highest rate that a server takes: up in steps of two, then halfway between what it took and
what it did not."""

import time
from collections.abc import Callable

from bot.base import Data

WITHIN_MS = 100.0
SHARE = 0.99
_TRIES = 2


class Step(Data):
    """What came of one rate, in deliveries a second: how many were sent, answered well (2xx), and
    answered so within the time that counts; quantiles in milliseconds from when each was due, of
    those answered well; of `late_p99_ms`, when they were sent."""

    rate: float
    sent: int
    answered: int
    within: int
    p50_ms: float
    p99_ms: float
    late_p99_ms: float

    @property
    def held(self) -> bool:
        return self.within >= SHARE * self.sent


class Climb(Data):
    """How far up to go: from `start` on, halved so many times at the top, in so many seconds at
    most."""

    start: float = 200.0
    most: float = 12_800.0
    halvings: int = 3
    deadline: float = 45.0


def climb(limits: Climb, measure: Callable[[float], Step]) -> tuple[Step, ...]:
    """Every step that was measured. A rate that is not held is tried once more, since whatever else
    the machine does can be in the way of one."""
    end = time.monotonic() + limits.deadline
    steps: list[Step] = []

    def holds(rate: float) -> bool:
        for _ in range(_TRIES):
            if time.monotonic() > end:
                return False
            steps.append(measure(rate))
            if steps[-1].held:
                return True
        return False

    held, rate = 0.0, limits.start
    while rate <= limits.most and holds(rate):
        held, rate = rate, rate * 2
    for _ in range(limits.halvings):
        middle = (held + rate) / 2
        if holds(middle):
            held = middle
        else:
            rate = middle
    return tuple(steps)


def best(steps: tuple[Step, ...]) -> Step | None:
    """The highest rate that was held."""
    return max((s for s in steps if s.held), key=lambda s: s.rate, default=None)


def quantile(sorted_values: list[float], share: float) -> float:
    """The value that `share` of them do not exceed; nan of none."""
    if not sorted_values:
        return float("nan")
    return sorted_values[min(int(len(sorted_values) * share), len(sorted_values) - 1)]
