"""Many exchanges held against GitHub's descriptions: what was covered, and what does not fit."""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

import yaml

from bot.base import Data
from bot.bench.api.description import Description
from bot.bench.api.exchange import Exchange
from bot.bench.api.judge import Mismatch, judge_answer, judge_request
from bot.bench.api.packages import packages, published

GRAPHQL = "/graphql"


class Difference(Data):
    """A place where GitHub is known to answer otherwise than described, and why it is known."""

    calls: tuple[str, ...]
    what: tuple[str, ...]
    why: str
    by: str = ""

    def excuses(self, mismatch: Mismatch) -> bool:
        return (
            self.by in ("", mismatch.by)
            and mismatch.call in self.calls
            and mismatch.what.startswith(self.what)
        )


class Audit(Data):
    """`operations` are the described ones that had a good answer; `excused` counts mismatches
    that are GitHub's own (differences.yaml)."""

    exchanges: int
    operations: tuple[str, ...]
    mismatches: tuple[Mismatch, ...]
    excused: int


@cache
def differences() -> tuple[Difference, ...]:
    text = resources.files("bot.bench.api").joinpath("differences.yaml").read_text("utf-8")
    return tuple(Difference.model_validate(told) for told in yaml.safe_load(text))


def descriptions() -> tuple[Description, ...]:
    """GitHub's published descriptions. Raise RepowrightError where they cannot be fetched."""
    folder = published("openapi")
    return tuple(Description(folder / file) for file in packages()["openapi"].files)


def audit(exchanges: Iterable[Exchange], by: Sequence[Description], *, requests: bool) -> Audit:
    """`requests` also judges what was asked; leave that out where others than the bot ask."""
    found: dict[Mismatch, None] = {}
    met: set[str] = set()
    excused = count = 0
    for exchange in exchanges:
        if exchange.path == GRAPHQL:
            continue
        count += 1
        for description in by:
            operation = description.find(exchange.method, exchange.path)
            if operation and exchange.status < 400:
                met.add(operation[0].id)
            told = judge_answer(exchange, description)
            told += judge_request(exchange, description) if requests else []
            real = [m for m in told if not any(d.excuses(m) for d in differences())]
            excused += len(told) - len(real)
            found.update(dict.fromkeys(real))
    return Audit(
        exchanges=count,
        operations=tuple(sorted(met)),
        mismatches=tuple(found),
        excused=excused,
    )
