"""Figures about a store's experiences, those of EvoCodeAgent's Table IV."""

from collections import Counter
from collections.abc import Sequence

from bot.base import Data
from bot.ports.experience import Kept, Stage


class Figures(Data):
    """Shares are None where there is nothing to divide by. `retrieved` is the share of experiences
    that were given and led to a known effect; the last three are shares of all such retrievals."""

    experiences: int
    retired: int
    retrieved: float | None
    early: float | None
    middle: float | None
    late: float | None
    improved: float | None
    no_effect: float | None
    regressed: float | None


def figures_of(kept: Sequence[Kept]) -> Figures:
    there = [entry for entry in kept if entry.experience is not None]
    stages = Counter(entry.experience.stage for entry in there if entry.experience is not None)
    told = [e.tally.improved + e.tally.no_effect + e.tally.regressed for e in there]
    return Figures(
        experiences=len(there),
        retired=sum(entry.retired for entry in there),
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
