"""How much of what a run asks begins as something it has asked before, so that a provider can serve
it from its cache, and what that saves at the listed prices (goal: 70 % in the code phase)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from bot.bench.datasets import Task
from bot.bench.instant import InstantRun
from bot.bench.result import BenchResult, Value, share
from bot.model.models import Rates, shipped_models
from bot.ports.model import ModelRequest
from bot.state.retrieval import tokens_of

# What providers keep at least, in tokens.
# https://platform.openai.com/docs/guides/prompt-caching#requirements
_LEAST = 1024
# One of each way to charge for caches.
_MODELS = (
    "claude-opus-4-8",
    "gpt-5-5",
    "gpt-4-1",
    "deepseek-v4-pro",
    "glm-5-2",
    "qwen3-6-flash",
)


class Asked:
    """The requests of one phase of one run, in tokens: of `total`, `seen` are a prefix of some
    earlier request, and `warm` one of a request that had been answered by then: calls of one wave
    go out together, and none finds what another one leaves."""

    def __init__(self) -> None:
        self.total = self.seen = self.warm = 0

    def add(self, text: str, before: Iterable[str], answered: Iterable[str]) -> None:
        self.total += tokens_of(text)
        self.seen += _prefix(text, before)
        self.warm += _prefix(text, answered)


def bench_prefix(tasks: Sequence[Task]) -> BenchResult:
    """`share_PHASE` and `warm_PHASE` are pooled over the runs; `saves_MODEL` is the part of the
    price of all input that the warm prefixes take off, cache writes paid."""
    phases: defaultdict[str, list[Asked]] = defaultdict(list)
    rows = []
    for task in tasks:
        of_task = _asked(task)
        for phase, asked in of_task.items():
            phases[phase].append(asked)
        rows.append(_row(task, of_task))
    figures: dict[str, Value] = {}
    for phase, parts in phases.items():
        total = sum(part.total for part in parts)
        figures[f"share_{phase}"] = share(sum(part.seen for part in parts), total)
        figures[f"warm_{phase}"] = share(sum(part.warm for part in parts), total)
    everything = [part for parts in phases.values() for part in parts]
    for model, rates in _listed().items():
        figures[f"saves_{model}"] = _saved(everything, rates)
    return BenchResult(bench="prefix", figures=figures, tasks=tuple(rows))


def _asked(task: Task) -> dict[str, Asked]:
    run = InstantRun(task)
    for _ in run.legs():
        pass
    found: defaultdict[str, Asked] = defaultdict(Asked)
    before: list[tuple[str, str]] = []
    for request in run.model.requests:
        phase, wave = request.step.partition(".")[0], _wave(request)
        text = "\n".join(f"{m.role}: {m.content}" for m in request.messages)
        found[phase].add(text, (t for _, t in before), (t for w, t in before if w != wave))
        before.append((wave, text))
    return dict(found)


def _wave(request: ModelRequest) -> str:
    """Calls of one wave go out together: `code.1/write/a.py#1` and `code.1/write/b.py#1`; a second
    try goes after the first."""
    place, _, attempt = request.step.rpartition("#")
    return f"{'/'.join(place.split('/')[:2])}#{attempt}"


def _prefix(text: str, others: Iterable[str]) -> int:
    """Tokens of the longest prefix that the text shares with one of the others, 0 where it is too
    short to be kept."""
    longest = max((_common(text, other) for other in others), default=0)
    tokens = tokens_of(text[:longest])
    return tokens if tokens >= _LEAST else 0


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _row(task: Task, of_task: dict[str, Asked]) -> dict[str, Value]:
    none = Asked()
    code = of_task.get("code", none)
    return {
        "task": task.name,
        "tokens": sum(asked.total for asked in of_task.values()),
        "tokens_code": code.total,
        "share_code": share(code.seen, code.total),
        "warm_code": share(code.warm, code.total),
    }


def _listed() -> dict[str, Rates]:
    prices = {name: shipped_models().price(name) for name in _MODELS}
    return {name: price.rates for name, price in prices.items() if price is not None}


def _saved(parts: Sequence[Asked], rates: Rates) -> float | None:
    total = sum(part.total for part in parts)
    warm = sum(part.warm for part in parts)
    if not total:
        return None
    price = warm * rates.cache_read + (total - warm) * rates.write
    return round(float(1 - price / (Decimal(total) * rates.input)), 4)
