"""The static gate on references: how often it speaks up where nothing is wrong, and how many seeded
faults it catches."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import yaml

from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, share
from bot.bench.seeding import KINDS, Seed, seeds_of
from bot.verify.evidence import Evidence
from bot.verify.gate import gate
from bot.verify.imports import distributions

_PER_KIND = 8


def bench_gate(tasks: Sequence[Task]) -> BenchResult:
    """Alarms on the references and catches among seeded faults; see docs/contracts.md."""
    started = time.monotonic()
    rows: list[dict[str, Value]] = []
    total: Counter[str] = Counter()
    for task in tasks:
        counts = _counts(task)
        total.update(counts)
        rows.append({"task": task.name, **_shown(counts)})
    figures = _shown(total)
    figures["seconds"] = round(time.monotonic() - started, 1)
    return BenchResult(bench="gate", figures=figures, tasks=tuple(rows))


def _counts(task: Task) -> Counter[str]:
    sources = task.reference()
    installed = distributions(task.spec().requirements)
    alarms = gate(sources, None, installed)
    real = set(_reference_defects().get(task.name, {}))
    counts: Counter[str] = Counter(
        lines=sum(s.count("\n") for s in sources.values()),
        alarms=sum(e.detail not in real for e in alarms),
        defects=sum(e.detail in real for e in alarms),
    )
    known = {(e.subject, e.detail) for e in alarms}
    for seed in seeds_of(sources, _PER_KIND):
        caught = _is_caught(seed, sources, installed, known)
        for prefix in ("all_", *([""] if seed.edit.visible else [])):
            counts[f"{prefix}seeded_{seed.kind}"] += 1
            counts[f"{prefix}caught_{seed.kind}"] += caught
    return counts


def _is_caught(
    seed: Seed,
    sources: Mapping[str, str],
    installed: frozenset[str],
    known: set[tuple[str, str]],
) -> bool:
    """Whether the gate says something that it does not say of the reference."""
    found: Sequence[Evidence] = gate({**sources, seed.edit.path: seed.source}, None, installed)
    return any((e.subject, e.detail) not in known for e in found)


def _shown(counts: Mapping[str, int]) -> dict[str, Value]:
    """Counts as figures, with the shares that they give."""
    shown: dict[str, Value] = {k: counts.get(k, 0) for k in ("lines", "alarms", "defects")}
    lines = counts.get("lines", 0)
    shown["alarms_per_10k_lines"] = round(counts["alarms"] / lines * 10_000, 2) if lines else None
    seeded = sum(counts.get(f"seeded_{k}", 0) for k in KINDS)
    caught = sum(counts.get(f"caught_{k}", 0) for k in KINDS)
    shown.update(seeded=seeded, caught=share(caught, seeded))
    for kind in KINDS:
        for prefix in ("", "all_"):
            whole = counts.get(f"{prefix}seeded_{kind}", 0)
            shown[f"{prefix}seeded_{kind}"] = whole
            shown[f"{prefix}caught_{kind}"] = share(counts.get(f"{prefix}caught_{kind}", 0), whole)
    return shown


@cache
def _reference_defects() -> Mapping[str, Mapping[str, str]]:
    text = resources.files("bot.bench").joinpath("reference_defects.yaml").read_text("utf-8")
    table: dict[str, dict[str, str]] = yaml.safe_load(text)
    return table
