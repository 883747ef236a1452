"""How much of the reference's structure the documents alone give, with no model (issue goal:
macro F1 of 0.90 on CodeProjectEval and 0.88 on DevBench; with GPT-5 the paper has 0.860, 0.849)."""

from collections.abc import Iterator, Sequence

from bot.bench.datasets import SETS, Task
from bot.bench.paths import (
    Overlap,
    Paths,
    leaves,
    level,
    overlap,
    planned_names,
    pooled,
    public,
    real_names,
)
from bot.bench.result import BenchResult, Value, mean
from bot.state.structure import structure_of

_LEVELS = ("file", "class", "function")


def bench_structure(tasks: Sequence[Task]) -> BenchResult:
    """Architecture consistency per set: macro, micro, per level, over all and public names."""
    measured = {task: _overlaps(task) for task in tasks}
    figures: dict[str, Value] = {}
    for name in SETS:
        rows = [o for task, o in measured.items() if task.set == name]
        figures.update(_figures(name.lower(), rows))
    figures["model_calls"] = 0
    return BenchResult(
        bench="structure",
        figures=figures,
        tasks=tuple(_row(task, overlaps) for task, overlaps in measured.items()),
    )


def _overlaps(task: Task) -> dict[str, Overlap]:
    planned = planned_names(structure_of(task.spec()), task.holds)
    real = real_names(task.reference())
    return dict(_kinds(planned, real))


def _kinds(planned: Paths, real: Paths) -> Iterator[tuple[str, Overlap]]:
    for suffix, p, r in (("", planned, real), ("_public", public(planned), public(real))):
        yield f"f1{suffix}", overlap(leaves(p), leaves(r))
        for kind in _LEVELS:
            yield f"f1_{kind}{suffix}", overlap(level(p, kind), level(r, kind))


def _figures(name: str, rows: Sequence[dict[str, Overlap]]) -> Iterator[tuple[str, Value]]:
    for key in rows[0] if rows else ():
        of = [row[key] for row in rows]
        head, _, tail = key.partition("_")
        suffix = f"_{tail}" if tail else ""
        yield f"{head}_{name}{suffix}", mean([o.f1 for o in of])
        yield f"micro_{name}{suffix}", round(pooled(of), 4)


def _row(task: Task, overlaps: dict[str, Overlap]) -> dict[str, Value]:
    whole = overlaps["f1"]
    return {
        "task": task.name,
        "set": task.set,
        **{key: round(o.f1, 4) for key, o in overlaps.items()},
        "common": whole.common,
        "planned": whole.planned,
        "real": whole.real,
    }
