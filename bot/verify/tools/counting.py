"""How often each tool was called, by phase and agent (E, V-B)."""

from collections import Counter
from collections.abc import Iterable
from threading import Lock

from bot.base import Data


class ToolCalls(Data):
    """The calls of one tool by one agent in one phase. The Artifacts Retriever counts three ways:
    its name has the kind of artifact behind it."""

    tool: str
    phase: str
    agent: str
    calls: int


class Tally:
    """Counts calls; safe to use from several threads at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def count(self, tool: str, phase: str, agent: str, times: int = 1) -> None:
        if times > 0:
            with self._lock:
                self._counts[tool, phase, agent] += times

    @property
    def calls(self) -> tuple[ToolCalls, ...]:
        with self._lock:
            return _sorted(self._counts)


def merged_calls(*groups: Iterable[ToolCalls]) -> tuple[ToolCalls, ...]:
    """The sums of several counts; the order of the groups makes no difference."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for group in groups:
        for entry in group:
            counts[entry.tool, entry.phase, entry.agent] += entry.calls
    return _sorted(counts)


def _sorted(counts: Counter[tuple[str, str, str]]) -> tuple[ToolCalls, ...]:
    return tuple(
        ToolCalls(tool=tool, phase=phase, agent=agent, calls=calls)
        for (tool, phase, agent), calls in sorted(counts.items())
    )
