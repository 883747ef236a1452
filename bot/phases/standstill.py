"""When a run stops for want of movement, before its caps and its budget end it. Pure."""

from collections.abc import Sequence
from itertools import takewhile

from bot.config import Caps
from bot.phases.run import Phase, Round, RunState
from bot.phases.texts import say

# Failures that change in kind without a test gained are movement, but not for ever: after so many
# times `no_progress_rounds` they count as a standstill.
MOVEMENT_BOUND = 2


def failures_seen(state: RunState) -> frozenset[str]:
    """The fingerprints of what failed in the last round that gained a test and in all since."""
    rounds = [r for r in state.rounds if r.phase is Phase.CODE]
    gains = [n for n, r in enumerate(rounds) if r.gained > 0]
    return frozenset(r.failures for r in rounds[gains[-1] if gains else 0 :])


def standstill(state: RunState) -> str:
    """Why the run should stop after its last round, in one sentence; "" where it should not.

    It stops where a round brings files that were judged before and failed in the same way; where
    nothing has moved for `no_progress_rounds`; where no test was gained in twice as many; and
    where so many rounds cost more than a test is worth (mechanism 70).
    """
    caps = state.settings.caps
    if not caps.no_progress_rounds:
        return ""
    rounds = _code_rounds(state)
    best = state.best
    counts = {"passed": best.passed if best else 0, "total": best.total if best else 0}
    twin = _twin(rounds)
    if twin is not None:
        iteration = rounds[-1].iteration
        return say("outcome_cycle", iteration=iteration, earlier=twin.iteration, **counts)
    if state.stuck >= caps.no_progress_rounds:
        return say("outcome_no_progress", rounds=state.stuck, **counts)
    idle = sum(1 for _ in takewhile(lambda r: r.gained <= 0, reversed(rounds)))
    if idle >= MOVEMENT_BOUND * caps.no_progress_rounds:
        return say("outcome_no_gain", rounds=idle, **counts)
    return _too_dear(rounds, caps, counts)


def _code_rounds(state: RunState) -> tuple[Round, ...]:
    """The judged code rounds since the start, or since a person last had the run go on."""
    rounds = (r for r in state.rounds if r.phase is Phase.CODE)
    return tuple(r for r in rounds if r.iteration > state.granted)


def _twin(rounds: Sequence[Round]) -> Round | None:
    """An earlier round with the files and the failures of the last. The same files with other
    failures are no cycle: some test differs from run to run."""
    if not rounds or not rounds[-1].files:
        return None
    last = rounds[-1]
    return next(
        (r for r in rounds[:-1] if (r.files, r.failures) == (last.files, last.failures)), None
    )


def _too_dear(rounds: Sequence[Round], caps: Caps, counts: dict[str, int]) -> str:
    """What the last repairs cost for each test is what the next is expected to."""
    recent = rounds[1:][-caps.no_progress_rounds :]
    if caps.usd_per_test is None or len(recent) < caps.no_progress_rounds:
        return ""
    usd, gained = sum(r.usd for r in recent), sum(r.gained for r in recent)
    if usd <= caps.usd_per_test * gained:
        return ""
    price = {"usd": usd, "gained": gained, "worth": caps.usd_per_test}
    return say("outcome_too_dear", rounds=len(recent), **price, **counts)
