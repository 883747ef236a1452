"""What keeping the state costs: one changed file reconciled in projects of 10, 100 and 1,000 files
(goal: the cost grows with the change, not with the project)."""

from collections.abc import Sequence
from statistics import median
from time import process_time

from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile

SIZES = (10, 100, 1000)
_REPEATS = 21


def bench_state(tasks: Sequence[Task]) -> BenchResult:
    """`ms_N` is the median processor time in milliseconds to read one changed file and reconcile it
    in a made-up project of N files; `reconcile_ms_N` that of `reconcile` alone. Takes no task."""
    rows = tuple(_row(size) for size in SIZES)
    figures: dict[str, Value] = {}
    for size, row in zip(SIZES, rows, strict=True):
        figures[f"ms_{size}"] = row["ms"]
        figures[f"reconcile_ms_{size}"] = row["reconcile_ms"]
    largest, smallest = rows[-1]["ms"], rows[0]["ms"]
    if isinstance(largest, float) and isinstance(smallest, float) and smallest:
        figures["growth"] = round(largest / smallest, 2)
    return BenchResult(bench="state", figures=figures, tasks=rows)


def _row(size: int) -> dict[str, Value]:
    files = made_up(size)
    state, _ = reconcile(ProjectState(), change_of(files, files))
    read: list[float] = []
    merged: list[float] = []
    paths = sorted(files)
    for repeat in range(_REPEATS):
        path = paths[repeat * 7919 % size]
        source = f"{files[path]}\n\ndef added_{repeat}(first: int) -> int:\n    return first\n"
        start = process_time()
        change = change_of({path: source}, files, state)
        middle = process_time()
        state, _ = reconcile(state, change)
        merged.append(process_time() - middle)
        read.append(middle - start)
    both = [a + b for a, b in zip(read, merged, strict=True)]
    return {
        "task": f"{size} files",
        "nodes": len(state.nodes),
        "relations": len(state.realized),
        "ms": round(median(both) * 1000, 3),
        "reconcile_ms": round(median(merged) * 1000, 3),
    }


def made_up(size: int) -> dict[str, str]:
    """A project of so many files in packages of ten, each of which uses three others."""
    return {f"made/p{i // 10}/m{i}.py": _module(i, size) for i in range(size)}


def _module(number: int, size: int) -> str:
    others = sorted({(number * k + k) % size for k in (2, 3, 5)} - {number})
    imports = "".join(f"from made.p{o // 10}.m{o} import Part{o}\n" for o in others)
    calls = "".join(f"        Part{o}(value).turn(value)\n" for o in others)
    methods = "".join(
        f"    def step{k}(self, value: int, *, times: int = {k}) -> int:\n        return value\n\n"
        for k in range(8)
    )
    return (
        f"{imports}\nLIMIT = {number}\n\n\nclass Part{number}:\n"
        f"    def __init__(self, value: int) -> None:\n        self.value = value\n\n"
        f"{methods}    def turn(self, value: int) -> int:\n{calls}        return value\n"
    )
