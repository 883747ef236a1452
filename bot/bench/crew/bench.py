"""Three workers on one Postgres work fifty runs while one of them is killed every few seconds:
all runs shall end, none twice."""

import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bot.base import Data, Outcome
from bot.bench.crew.crew import Crew, free_port
from bot.bench.crew.endpoint import RecordedEndpoint
from bot.bench.crew.town import Town, example
from bot.bench.postgres import private_postgres
from bot.bench.result import BenchResult, Value
from bot.forge.embedded.store.rows import Repository
from bot.model.journal import read_calls

_RUNS = 50
_WORKERS = ("one", "two", "three")
_THREADS = 4
_KILL_EVERY = 4.0
_LOOK_EVERY = 0.2
_DEADLINE = 1800.0


class _Told(Data):
    """`doubled` are runs that left more than the run before all others left: a branch, a pull
    request, a comment, a review or a check run; `calls_again` are model calls beyond one each."""

    ended: int
    passed: int
    doubled: int
    calls_again: int
    kills: int
    seconds: float


def bench_workers(only: str = "") -> BenchResult:
    """`only` is a number of runs instead of fifty."""
    count = int(only) if only.isdecimal() else _RUNS
    told = {
        "one": _measure(count, _WORKERS[:1], kill=False),
        "three": _measure(count, _WORKERS, kill=False),
        "killed": _measure(count, _WORKERS, kill=True),
    }
    figures: dict[str, Value] = {"runs": count}
    for name, found in told.items():
        figures |= {f"{key}_{name}": value for key, value in found.model_dump().items()}
    figures["speedup"] = round(told["one"].seconds / told["three"].seconds, 2)
    figures["speedup_killed"] = round(told["one"].seconds / told["killed"].seconds, 2)
    rows = tuple({"task": name, **found.model_dump()} for name, found in told.items())
    return BenchResult(bench="workers", figures=figures, tasks=rows)


def _measure(count: int, workers: Sequence[str], *, kill: bool) -> _Told:
    port = free_port()
    calls = read_calls(
        {f"calls/{p.name}": p.read_bytes() for p in (example() / "recording/calls").iterdir()}
    )
    with (
        tempfile.TemporaryDirectory(prefix="repowright-crew-") as name,
        private_postgres() as database,
        Town(Path(name), port) as town,
        RecordedEndpoint(calls) as endpoint,
        Crew(town, database, endpoint.base_url, port, Path(name) / "crew") as crew,
    ):
        for worker in workers:
            crew.start(worker, _THREADS)
        # The run before all others has the checks of its trees run for real.
        first, *others = town.found(count + 1)
        town.ask([first])
        _until_ended(town, [first], crew, ())
        each = endpoint.asked.total()
        began = time.monotonic()
        town.ask(others)
        kills = _until_ended(town, others, crew, workers if kill else ())
        seconds = time.monotonic() - began
        states = [town.run(repository) for repository in others]
        usual = _left(town, first)
        return _Told(
            ended=sum(town.has_ended(repository) for repository in others),
            passed=sum(state is not None and state.outcome is Outcome.PASSED for state in states),
            doubled=sum(bool(_left(town, repository) - usual) for repository in others),
            calls_again=endpoint.asked.total() - each * (count + 1),
            kills=kills,
            seconds=round(seconds, 1),
        )


def _until_ended(
    town: Town, repositories: Sequence[Repository], crew: Crew, victims: Sequence[str]
) -> int:
    """Wait for the ends of all runs; kill one of the victims after another, start it again, and
    return how often."""
    kills, began = 0, time.monotonic()
    turn = itertools.cycle(victims or ("",))
    going = list(repositories)
    while going and time.monotonic() - began < _DEADLINE:
        going = [repository for repository in going if not town.has_ended(repository)]
        if victims and time.monotonic() - began > _KILL_EVERY * (kills + 1):
            victim = next(turn)
            crew.kill(victim)
            crew.start(victim, _THREADS)
            kills += 1
        time.sleep(_LOOK_EVERY)
    return kills


def _left(town: Town, repository: Repository) -> Counter[str]:
    """What a run leaves, counted by kind."""
    store = town.github.store
    left: Counter[str] = Counter()
    left["branches"] = len(store.git(repository).refs("refs/heads/repowright/"))
    for issue in store.issues.of(repository):
        left[f"comments of {issue.number}"] = len(store.issues.comments(issue))
    for pull in store.pulls.of(repository):
        left["pulls"] += 1
        left["reviews"] += len(store.reviews.of(pull))
        suites = store.checks.suites(repository, pull.head_sha)
        left["check runs"] += sum(len(store.checks.suite_runs(suite)) for suite in suites)
    return left
