"""`repowright bench api`: whole runs of the bot and a walk over every operation, held against
GitHub's own description of its API (docs/contracts.md)."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.base import RepowrightError
from bot.bench.api.audit import Audit, audit, descriptions
from bot.bench.api.deliveries import DeliveryAudit, audit_deliveries, payload_description
from bot.bench.api.exchange import Exchange, Recorder
from bot.bench.api.tour.guide import IdleRunner
from bot.bench.api.tour.walk import unvisited, walk
from bot.bench.faults.world import Story, World
from bot.bench.result import BenchResult, Value
from bot.forge.embedded.limits import Limits
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store.rows import Delivery

PLENTY = Limits(*([1_000_000] * 6))
"""No ceilings: the walk is quicker than any person."""
WALK = "walk"


@dataclass(frozen=True)
class Said:
    """What was said on one embedded GitHub. `unvisited` are the routes that a walk left out."""

    exchanges: Sequence[Exchange]
    deliveries: Sequence[Delivery]
    unvisited: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """One part of the bench, judged."""

    name: str
    audit: Audit
    deliveries: DeliveryAudit
    unvisited: tuple[str, ...] = ()

    @property
    def row(self) -> dict[str, Value]:
        told = [f"{m.by}: {m.part} of {m.call}: {m.what}" for m in self.audit.mismatches]
        told += [*self.deliveries.mismatches, *self.unvisited]
        return {
            "task": self.name,
            "exchanges": self.audit.exchanges,
            "operations": len(self.audit.operations),
            "deliveries": self.deliveries.deliveries,
            "events": len(self.deliveries.events),
            "mismatches": len(told),
            "first": told[0] if told else "",
        }


def bench_api(only: str = "") -> BenchResult:
    """All parts, or `only` one: the run of an App, of a workflow's token, of a person's token, or
    the walk."""
    names = (*Story, WALK)
    if only and only not in names:
        raise RepowrightError(
            f"there is no part `{only}`", hint=f"choose one of {', '.join(names)}"
        )
    with tempfile.TemporaryDirectory(prefix="repowright-api-") as folder:
        parts = list(_parts(Path(folder), [name for name in names if only in ("", name)]))
    runs = [part for part in parts if part.name != WALK]
    figures: dict[str, Value] = {
        "operations": len({o for part in parts for o in part.audit.operations}),
        "operations_bot": len({o for part in runs for o in part.audit.operations}),
        "exchanges": sum(part.audit.exchanges for part in parts),
        "mismatches": sum(len(part.audit.mismatches) for part in parts),
        "excused": sum(part.audit.excused for part in parts),
        "unvisited": sum(len(part.unvisited) for part in parts),
        "events": len({e for part in parts for e in part.deliveries.events}),
        "deliveries": sum(part.deliveries.deliveries for part in parts),
        "mismatches_deliveries": sum(len(part.deliveries.mismatches) for part in parts),
    }
    return BenchResult(bench="api", figures=figures, tasks=tuple(part.row for part in parts))


def _parts(folder: Path, names: list[str]) -> Iterator[Part]:
    by, payloads = descriptions(), payload_description()
    for name in names:
        said = walked(folder / name) if name == WALK else ran(folder / name, Story(name))
        yield Part(
            name=name,
            audit=audit(said.exchanges, by, requests=True),
            deliveries=audit_deliveries(said.deliveries, payloads),
            unvisited=said.unvisited,
        )


def walked(folder: Path) -> Said:
    """The walk on a fresh embedded GitHub."""
    github = EmbeddedGitHub(folder, actions=IdleRunner(), limits=PLENTY)
    recorder = record(github)
    with github:
        walk(github)
        left = unvisited(github, recorder.exchanges)
        return Said(recorder.exchanges, github.store.tables.deliveries.find(), tuple(left))


def ran(folder: Path, story: Story) -> Said:
    """A whole run of the bot, from the issue to the pull request whose tests pass. Raise
    RepowrightError where it does not end."""
    with World(folder, story) as world:
        recorder = record(world.github)
        nobody = f"{world.github.url}/nobody"
        world.store.hooks.create(nobody, repository=world.repository, events=("*",))
        if not world.played():
            raise RepowrightError("the run does not end", where=story)
        return Said(recorder.exchanges, world.store.tables.deliveries.find())


def record(github: EmbeddedGitHub) -> Recorder:
    """From now on every exchange with its API is taken down."""
    recorder = Recorder(github.app.wsgi_app)
    github.app.wsgi_app = recorder  # type: ignore[method-assign]
    return recorder
