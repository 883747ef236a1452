"""How much of a project a file's context takes, and how many of the symbols of other files that
the reference's code uses it shows (goal: at most 25 % at recall 0.95; the paper takes 33.9 %)."""

from collections.abc import Iterator, Mapping, Sequence

from bot.base import Data
from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, mean, share
from bot.bench.stripping import predicted_state
from bot.spec.model import Spec
from bot.state.model import ProjectState
from bot.state.reconcile import Change, change_of, reconcile
from bot.state.retrieval import Retriever, tokens_of
from bot.state.structure import structure_of

# What one context may take: this part of the reference's tokens.
BUDGET = 0.25
# Before code is written, from skeletons with and without the imports of bodies; and afterwards.
_STAGES = ("planned", "blind", "realized")


class _Stage(Data):
    """Contexts of one task at one stage: `shares` by file, symbols needed and shown."""

    shares: tuple[float, ...]
    needed: int
    shown: int
    first_missed: str


def bench_context(tasks: Sequence[Task]) -> BenchResult:
    """`share` is the mean over tasks of the mean over files, against the tokens of the whole
    reference; `recall` is pooled over symbols. Both are those of the first code iteration, from
    skeletons with the imports of the reference; `_blind` from skeletons with the imports that
    signatures need, `_realized` for later iterations; `_macro` is the mean over tasks."""
    measured = [(task, _stages(task)) for task in tasks]
    figures: dict[str, Value] = {}
    for stage in _STAGES:
        suffix = "" if stage == "planned" else f"_{stage}"
        of = [stages[stage] for _, stages in measured]
        figures.update(_scores(of, suffix))
    figures["tokens_budget"] = BUDGET
    rows = tuple(dict(_row(task, stages)) for task, stages in measured)
    return BenchResult(bench="context", figures=figures, tasks=rows)


def _scores(stages: Sequence[_Stage], suffix: str) -> Iterator[tuple[str, Value]]:
    yield f"share{suffix}", mean([sum(s.shares) / len(s.shares) for s in stages if s.shares])
    yield f"share{suffix}_largest", round(max(max(s.shares, default=0) for s in stages), 4)
    yield f"recall{suffix}", share(sum(s.shown for s in stages), sum(s.needed for s in stages))
    yield f"recall{suffix}_macro", mean([s.shown / s.needed for s in stages if s.needed])


def _row(task: Task, stages: Mapping[str, _Stage]) -> Iterator[tuple[str, Value]]:
    yield "task", task.name
    yield "files", len(stages["realized"].shares)
    yield "symbols", stages["realized"].needed
    for name, stage in stages.items():
        suffix = "" if name == "planned" else f"_{name}"
        yield f"share{suffix}", mean(stage.shares)
        yield f"recall{suffix}", share(stage.shown, stage.needed)
    yield "first_missed", stages["planned"].first_missed


def _stages(task: Task) -> dict[str, _Stage]:
    reference = task.reference()
    change = change_of(reference, reference)
    spec = task.spec()
    out: dict[str, _Stage] = {}
    for name in _STAGES:
        if name == "realized":
            nodes = tuple(n for n in structure_of(spec) if n.path in reference)
            state, _ = reconcile(ProjectState(nodes=nodes), change)
            shown = (state, reference, 2)
        else:
            shown = (*predicted_state(task, name), 1)
        out[name] = _stage(spec, shown, reference, used_symbols(change))
    return out


def _stage(
    spec: Spec,
    shown: tuple[ProjectState, Mapping[str, str], int],
    reference: Mapping[str, str],
    used: Mapping[str, frozenset[str]],
) -> _Stage:
    state, files, iteration = shown
    whole = sum(tokens_of(text) for text in reference.values())
    retriever = Retriever(spec, state, files, iteration, int(whole * BUDGET))
    shares: list[float] = []
    missed: list[str] = []
    for context in retriever.contexts(sorted(reference)):
        shares.append(context.tokens / whole if whole else 0.0)
        wanted = used.get(context.path, frozenset())
        missed.extend(f"{context.path} -> {m}" for m in sorted(wanted - context.shown))
    needed = sum(len(symbols) for symbols in used.values())
    return _Stage(
        shares=tuple(shares),
        needed=needed,
        shown=needed - len(missed),
        first_missed=next(iter(missed), ""),
    )


def used_symbols(change: Change) -> dict[str, frozenset[str]]:
    """File -> classes, functions, methods and variables that other files define and its code uses;
    a re-export counts as the definition behind it."""
    defined = {n.id for n in change.nodes if "::" in n.id and n.exported_from is None}
    found: dict[str, set[str]] = {}
    for relation in change.relations:
        if relation.target in defined:
            found.setdefault(relation.files[0], set()).add(relation.target)
    return {path: frozenset(symbols) for path, symbols in found.items()}
