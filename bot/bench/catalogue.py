"""The benches by name, and the goals that their figures are held against."""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

import yaml

from bot.base import Data, RepowrightError
from bot.bench.agenda import bench_agenda
from bot.bench.context import bench_context
from bot.bench.crew.bench import bench_workers
from bot.bench.datasets import Task, read_tasks
from bot.bench.experience import bench_abstraction, bench_experience
from bot.bench.faults.bench import bench_faults
from bot.bench.gate import bench_gate
from bot.bench.jobs.bench import bench_jobs
from bot.bench.load.bench import bench_load
from bot.bench.obligations import bench_obligations
from bot.bench.overhead import bench_overhead
from bot.bench.prefix import bench_prefix
from bot.bench.ratchet import bench_ratchet
from bot.bench.relations import bench_relations
from bot.bench.result import BenchResult, Value
from bot.bench.schedule import bench_schedule
from bot.bench.skeleton import bench_skeleton
from bot.bench.state import bench_state
from bot.bench.structure import bench_structure

Bench = Callable[[Sequence[Task]], BenchResult]

BENCHES: Mapping[str, Bench] = {
    "structure": bench_structure,
    "skeleton": bench_skeleton,
    "relations": bench_relations,
    "context": bench_context,
    "state": bench_state,
    "gate": bench_gate,
    "agenda": bench_agenda,
    "obligations": bench_obligations,
    "experience": bench_experience,
    "abstraction": bench_abstraction,
    "overhead": bench_overhead,
    "prefix": bench_prefix,
    "ratchet": bench_ratchet,
    "schedule": bench_schedule,
}


def _bench_api(only: str) -> BenchResult:
    """Held back until it is asked for: the reader of schemas comes with the development tools."""
    try:
        from bot.bench.api.measure import bench_api
    except ModuleNotFoundError as error:
        raise RepowrightError(
            f"the bench `api` needs {error.name}", hint="pip install 'repowright[dev]'"
        ) from error
    return bench_api(only)


OPERATIONS: Mapping[str, Callable[[str], BenchResult]] = {
    "api": _bench_api,
    "faults": bench_faults,
    "jobs": bench_jobs,
    "load": bench_load,
    "workers": bench_workers,
}
"""Benches of the bot in operation, on what they make themselves; each takes `--only`."""


class Goal(Data):
    """What a figure should reach: at least (`>=`), at most (`<=`) or exactly (`==`) a number."""

    relation: str
    number: float

    def met(self, value: Value) -> bool | None:
        """Whether the figure reaches it; None where nothing was measured."""
        if not isinstance(value, int | float):
            return None
        compare = {">=": operator.ge, "<=": operator.le, "==": operator.eq}[self.relation]
        return bool(compare(value, self.number))


def run_bench(name: str, datasets: Path | None, only: str = "") -> BenchResult:
    """Measure; raise RepowrightError where there is no such bench, or its public tasks are
    missing."""
    if name in OPERATIONS:
        return OPERATIONS[name](only)
    if name not in BENCHES:
        raise RepowrightError(
            f"there is no bench `{name}`",
            hint=f"choose one of {', '.join((*BENCHES, *OPERATIONS))}",
        )
    if datasets is None:
        raise RepowrightError(
            f"the bench `{name}` needs the public tasks",
            hint="name the folder that holds CodeProjectEval and DevBench as DATASETS",
        )
    return BENCHES[name](read_tasks(datasets, only))


@cache
def _goals() -> Mapping[str, Mapping[str, str]]:
    text = resources.files("bot.bench").joinpath("goals.yaml").read_text("utf-8")
    table: dict[str, dict[str, str]] = yaml.safe_load(text)
    return table


def goals_of(bench: str) -> dict[str, Goal]:
    """The goals of a bench by figure."""
    said = {figure: text.split() for figure, text in _goals().get(bench, {}).items()}
    return {k: Goal(relation=relation, number=float(n)) for k, (relation, n) in said.items()}
