"""`repowright bench jobs`: from a spec issue to a green pull request in the jobs of the workflows
that `repowright init` writes, in each of its set-ups (docs/contracts.md)."""

import tempfile
import time
from pathlib import Path

from bot.base import Outcome, RepowrightError
from bot.bench.crew.town import example
from bot.bench.jobs.world import ActWorld, issue_in
from bot.bench.result import BenchResult, Value
from bot.starter.setups import Purpose, SetupName

_PATIENCE = 600.0


def bench_jobs(only: str = "") -> BenchResult:
    """All set-ups, or the one named `only`."""
    chosen = [setup for setup in SetupName if setup.startswith(only)]
    if not chosen:
        names = ", ".join(SetupName)
        raise RepowrightError(f"there is no set-up `{only}`", hint=f"choose one of {names}")
    rows = tuple(_measured(setup) for setup in chosen)
    figures: dict[str, Value] = {
        f"{name}_{row['task']}": value for row in rows for name, value in row.items()
    }
    figures["passed"] = sum(bool(row["passed"]) for row in rows)
    return BenchResult(bench="jobs", figures=figures, tasks=rows)


def _measured(setup: SetupName) -> dict[str, Value]:
    place = example()
    with (
        tempfile.TemporaryDirectory(prefix="repowright-jobs-") as folder,
        ActWorld(Path(folder), place / "recording") as world,
    ):
        world.give(setup, Purpose.GENERATE, issue_in(place)[2])
        world.settled("push", seconds=_PATIENCE)
        began = time.time()
        world.ask(place)
        state = world.ended(seconds=_PATIENCE)
        seconds = time.time() - began
        asking = sum(line.seconds for line in world.ledger())
        turns = world.turns()
        begun = min((job.started_at.timestamp() for job in turns), default=None)
        first = world.endpoint.first_asked
        return {
            "task": setup.value,
            "passed": state is not None and state.outcome is Outcome.PASSED,
            "jobs": len(turns),
            "legs": state.legs if state else 0,
            "checks": len(world.jobs_of("Repowright check")),
            "calls": len(world.ledger()),
            "calls_again": world.endpoint.asked.total() - len(world.endpoint.asked),
            "seconds": round(seconds, 1),
            "seconds_outside_model": round(seconds - asking, 1),
            "seconds_to_first_call": round(first - begun, 1) if first and begun else None,
        }
