"""Figures about a store's experiences, those of EvoCodeAgent's Table IV."""

from collections import Counter
from collections.abc import Sequence

from bot.base import Data
from bot.ports.experience import Kept, Stage


class History(Data):
    """What runs have done: `repairs` that were judged, those that were `advised`, and `lessons`,
    each once for each run that learnt it."""

    runs: int = 0
    repairs: int = 0
    advised: int = 0
    lessons: int = 0


class Figures(Data):
    """Shares are None where there is nothing to divide by. `lessons_per_run` are what a run that
    repaired something taught, `advised` is the share of its repairs that were given at least one
    experience, `retrieved` the share of experiences that were given and led to a known effect; the
    last three are shares of all such retrievals."""

    experiences: int
    retired: int
    runs: int
    repairs: int
    lessons_per_run: float | None
    advised: float | None
    retrieved: float | None
    early: float | None
    middle: float | None
    late: float | None
    improved: float | None
    no_effect: float | None
    regressed: float | None


def figures_of(kept: Sequence[Kept], history: History) -> Figures:
    there = [entry for entry in kept if entry.experience is not None]
    stages = Counter(entry.experience.stage for entry in there if entry.experience is not None)
    told = [e.tally.improved + e.tally.no_effect + e.tally.regressed for e in there]
    return Figures(
        experiences=len(there),
        retired=sum(entry.retired for entry in there),
        runs=history.runs,
        repairs=history.repairs,
        lessons_per_run=_share(history.lessons, history.runs),
        advised=_share(history.advised, history.repairs),
        retrieved=_share(sum(count > 0 for count in told), len(there)),
        early=_share(stages[Stage.EARLY], len(there)),
        middle=_share(stages[Stage.MIDDLE], len(there)),
        late=_share(stages[Stage.LATE], len(there)),
        improved=_share(sum(e.tally.improved for e in there), sum(told)),
        no_effect=_share(sum(e.tally.no_effect for e in there), sum(told)),
        regressed=_share(sum(e.tally.regressed for e in there), sum(told)),
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
