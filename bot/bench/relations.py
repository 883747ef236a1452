"""How well relations are predicted before there is code: the references stripped to skeletons
against what the full code really uses, file to file (goal: recall 0.95 at precision 0.8)."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, mean, share
from bot.bench.stripping import KINDS, predicted_state
from bot.state.model import Relation
from bot.state.reconcile import change_of
from bot.state.relations import SIGNALS, strength

Pairs = frozenset[tuple[str, str]]

# From this strength on a relation counts as predicted.
_SURE = 0.5


def bench_relations(tasks: Sequence[Task]) -> BenchResult:
    """`recall` and `precision` are pooled over all relations of all tasks, for skeletons with the
    imports of the reference; `_blind` for skeletons with the imports that signatures need,
    `_documents` for those computed from the documents, `_macro` the mean over tasks, and
    `recall_SIGNAL` and `precision_SIGNAL` for one signal alone at any weight."""
    measured = [_Measured(task) for task in tasks]
    figures: dict[str, Value] = {}
    for kind in KINDS:
        suffix = "" if kind == "planned" else f"_{kind}"
        figures.update(_scores([m.sets(kind) for m in measured], suffix))
    for signal in SIGNALS:
        pooled = [m.sets("planned", signal) for m in measured]
        figures.update({k: v for k, v in _scores(pooled, f"_{signal}") if "macro" not in k})
    return BenchResult(
        bench="relations", figures=figures, tasks=tuple(dict(m.row()) for m in measured)
    )


class _Measured:
    """One task: what its code uses, and what was predicted from each kind of skeleton."""

    def __init__(self, task: Task) -> None:
        reference = task.reference()
        self._name = task.name
        self._files = len(reference)
        self._real = frozenset(r.files for r in change_of(reference, reference).relations)
        self._predicted = {kind: predicted_state(task, kind)[0].predicted for kind in KINDS}

    def sets(self, kind: str, signal: str = "") -> tuple[Pairs, Pairs]:
        """(predicted, real) relations between Python files; of one signal at any weight."""
        relations = self._predicted[kind]
        if signal:
            return _pairs((r for r in relations if r.signal == signal), -inf), self._real
        return _pairs(relations, _SURE), self._real

    def row(self) -> Iterator[tuple[str, Value]]:
        yield from (("task", self._name), ("files", self._files), ("relations", len(self._real)))
        for kind in KINDS:
            predicted, real = self.sets(kind)
            suffix = "" if kind == "planned" else f"_{kind}"
            yield f"recall{suffix}", share(len(predicted & real), len(real))
            yield f"precision{suffix}", share(len(predicted & real), len(predicted))
        missed = sorted(self._real - self.sets("planned")[0])
        yield "first_missed", " -> ".join(missed[0]) if missed else ""


def _pairs(relations: Iterable[Relation], least: float) -> Pairs:
    return frozenset(
        pair
        for pair, sure in strength(relations).items()
        if sure >= least and all(path.endswith(".py") for path in pair)
    )


def _scores(sets: Sequence[tuple[Pairs, Pairs]], suffix: str) -> Iterator[tuple[str, Value]]:
    right = sum(len(predicted & real) for predicted, real in sets)
    yield f"recall{suffix}", share(right, sum(len(real) for _, real in sets))
    yield f"precision{suffix}", share(right, sum(len(predicted) for predicted, _ in sets))
    yield f"recall{suffix}_macro", mean([len(p & r) / len(r) for p, r in sets if r])
    yield f"precision{suffix}_macro", mean([len(p & r) / len(p) for p, r in sets if p])
