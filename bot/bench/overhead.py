"""What the bot itself takes for a run on projects of about twelve files, from documents to a green
check with one repair: no model, no check and no network is waited for (goal: under two seconds)."""

import re
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median
from types import FrameType
from typing import Self

from bot.base import Outcome
from bot.bench.datasets import Task
from bot.bench.instant import InstantRun
from bot.bench.result import BenchResult, Value
from bot.phases.run import Phase

_FILES = range(10, 15)
_EVERY = 0.002
_ROOM = re.compile(r".*/bot/(\w+)/")


def bench_overhead(tasks: Sequence[Task]) -> BenchResult:
    """`own_seconds` is the median over the runs that pass, of the tasks whose reference has ten to
    fourteen files; `share_ROOM` is where it goes, by samples of what runs."""
    rows: list[dict[str, Value]] = []
    rooms: Counter[str] = Counter()
    for task in tasks:
        if len(task.reference()) in _FILES:
            row, found = _measured(task)
            rows.append(row)
            rooms += found
    passed = [row for row in rows if row["outcome"] == Outcome.PASSED]
    own = [value for row in passed if isinstance(value := row["own_seconds"], float)]
    figures: dict[str, Value] = {
        "own_seconds": round(median(own), 3) if own else None,
        "own_seconds_most": max(own, default=None),
        "runs": len(rows),
        "passed": len(passed),
    }
    for room, samples in rooms.most_common():
        figures[f"share_{room}"] = round(samples / rooms.total(), 3)
    return BenchResult(bench="overhead", figures=figures, tasks=tuple(rows))


def _measured(task: Task) -> tuple[dict[str, Value], Counter[str]]:
    run = InstantRun(task)
    legs: defaultdict[str, float] = defaultdict(float)
    began, began_busy = time.perf_counter(), time.process_time()
    with _Samples() as samples:
        for phase, seconds in run.legs():
            legs[phase] += seconds
    seconds, busy = time.perf_counter() - began, time.process_time() - began_busy
    return {
        "task": task.name,
        "files": len(task.reference()),
        "outcome": run.outcome,
        "own_seconds": round(seconds, 3),
        "processor_seconds": round(busy, 3),
        "calls": len(run.model.requests),
        **{f"seconds_{phase}": round(legs[phase], 3) for phase in Phase if legs[phase]},
    }, samples.rooms


class _Samples:
    """Looks at the thread that made it every few milliseconds; `rooms` counts the innermost room
    of the bot that each look found. A context manager."""

    def __init__(self) -> None:
        self.rooms: Counter[str] = Counter()
        self._over = threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            room = _room_of(sys._current_frames().get(self._watched))
            if room:
                self.rooms[room] += 1


def _room_of(frame: FrameType | None) -> str:
    while frame is not None:
        found = _ROOM.match(frame.f_code.co_filename)
        if found and found.group(1) != "bench":
            return found.group(1)
        frame = frame.f_back
    return ""
