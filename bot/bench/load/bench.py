"""How many deliveries a second are answered in time and stored, with SQLite and with Postgres, with
an idle worker and a busy one, beside other frameworks on the same machine in the same run."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

from pydantic import SecretStr

from bot.base import RepowrightError
from bot.bench.load import targets
from bot.bench.load.climb import WITHIN_MS, Climb, Step, best, climb, quantile
from bot.bench.load.generator import Order, Sent
from bot.bench.load.payloads import write_payloads
from bot.bench.load.targets import Target
from bot.bench.load.world import World
from bot.bench.postgres import private_postgres
from bot.bench.result import BenchResult, Value

_SECONDS = 2.0
_WARM_UP = 50.0
_SECRET = SecretStr("a secret of the bench alone")

Open = Callable[[Path], AbstractContextManager[Target]]


def bench_load(
    only: str = "", limits: Climb | None = None, seconds: float = _SECONDS
) -> BenchResult:
    """Each server by itself, one after the other; `only` names one. `seconds` is how long each rate
    is held. What cannot be started is not measured."""
    began = time.monotonic()
    rows = [
        _row(name, open_target, limits or Climb(), seconds)
        for name, open_target in _TARGETS.items()
        if only in ("", name)
    ]
    by_name = {str(row["task"]): row for row in rows}
    figures: dict[str, Value] = {f"per_second_{n}": row["per_second"] for n, row in by_name.items()}
    stored = [row for row in rows if row["lost"] is not None]
    figures |= {
        "acknowledged": sum(int(row["acknowledged"] or 0) for row in stored),
        "lost": sum(int(row["lost"] or 0) for row in stored) if stored else None,
        "doubled": sum(int(row["doubled"] or 0) for row in stored) if stored else None,
        "against_probot": _ratio(figures, "sqlite", "probot"),
        "against_aiohttp": _ratio(figures, "sqlite", "aiohttp_sqlite"),
        "seconds": round(time.monotonic() - began),
    }
    return BenchResult(bench="load", figures=figures, tasks=tuple(rows))


def _ratio(figures: Mapping[str, Value], ours: str, theirs: str) -> float | None:
    a, b = figures.get(f"per_second_{ours}"), figures.get(f"per_second_{theirs}")
    return round(float(a) / float(b), 2) if a and b else None


def _row(name: str, open_target: Open, limits: Climb, seconds: float) -> dict[str, Value]:
    with tempfile.TemporaryDirectory(prefix="repowright-load-", ignore_cleanup_errors=True) as told:
        try:
            with open_target(Path(told)) as target:
                return {"task": name, **_measured(target, Path(told), limits, seconds)}
        except RepowrightError as error:
            return {"task": name, "per_second": None, "lost": None, "not_run": error.sentence}


def _measured(target: Target, folder: Path, limits: Climb, seconds: float) -> dict[str, Value]:
    payloads = folder / "payloads.json"
    write_payloads(payloads, _SECRET)
    acknowledged: list[str] = []

    def measure(rate: float) -> Step:
        order = Order(
            port=target.port,
            path=target.path,
            payloads=payloads,
            prefix=uuid4().hex,
            rate=rate,
            seconds=seconds,
        )
        sent = _generated(order)
        acknowledged.extend(order.id(n) for n, status in enumerate(sent.statuses) if _good(status))
        return _step(rate, sent)

    measure(_WARM_UP)
    before, warmed = target.cpu_seconds(), len(acknowledged)
    steps = climb(limits, measure)
    used = target.cpu_seconds() - before
    top, stored = best(steps), target.stored()
    keeps = target.database is not None
    return {
        "per_second": top.rate if top else 0.0,
        "p50_ms": top.p50_ms if top else None,
        "p99_ms": top.p99_ms if top else None,
        "generator_late_p99_ms": top.late_p99_ms if top else None,
        "cpu_ms": round(1000 * used / max(len(acknowledged) - warmed, 1), 3),
        "rates": len(steps),
        "acknowledged": len(acknowledged),
        "lost": sum(stored[id_] == 0 for id_ in acknowledged) if keeps else None,
        "doubled": sum(count > 1 for count in stored.values()) if keeps else None,
        "legs": target.legs(),
    }


def _good(status: int) -> bool:
    return 200 <= status < 300


def _generated(order: Order) -> Sent:
    """One rate by a process of its own. Raise RepowrightError where it fails."""
    command = [sys.executable, "-m", "bot.bench.load.generator"]
    done = subprocess.run(command, input=order.model_dump_json(), capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        raise RepowrightError(f"the load cannot be generated: {last}")
    return Sent.model_validate_json(done.stdout)


def _step(rate: float, sent: Sent) -> Step:
    pairs = zip(sent.answered, sent.statuses, strict=True)
    good = sorted(answered for answered, status in pairs if _good(status))
    return Step(
        rate=rate,
        sent=len(sent.statuses),
        answered=len(good),
        within=sum(answered <= WITHIN_MS for answered in good),
        p50_ms=quantile(good, 0.5),
        p99_ms=quantile(good, 0.99),
        late_p99_ms=quantile(sorted(sent.sent), 0.99),
    )


@contextmanager
def _bot(folder: Path, *, postgres: bool = False, busy: bool = False) -> Iterator[Target]:
    with World(folder) as world:
        if busy:
            world.give_work()
        data = folder / "bot"
        data.mkdir()
        if not postgres:
            with targets.bot(data, _SECRET, world) as target:
                yield target
            return
        with private_postgres() as address, targets.bot(data, _SECRET, world, address) as target:
            yield target


@contextmanager
def _probot(folder: Path) -> Iterator[Target]:
    with World(folder) as world, targets.probot(folder, _SECRET, world.key) as target:
        yield target


_TARGETS: Mapping[str, Open] = {
    "sqlite": _bot,
    "postgres": lambda folder: _bot(folder, postgres=True),
    "sqlite_busy": lambda folder: _bot(folder, busy=True),
    "postgres_busy": lambda folder: _bot(folder, postgres=True, busy=True),
    "probot": _probot,
    "aiohttp": lambda folder: targets.aiohttp(folder, _SECRET, stores=False),
    "aiohttp_sqlite": lambda folder: targets.aiohttp(folder, _SECRET, stores=True),
}
