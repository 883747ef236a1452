"""`repowright bench faults`: every fault at every write of a run, and the process killed at every
point of it; each run must end as the one without a fault (docs/contracts.md)."""

import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bot.base import RepowrightError
from bot.bench.faults.cases import Case, Reference, Told, cases_of, reference, tell
from bot.bench.faults.kinds import Kind
from bot.bench.faults.world import Story
from bot.bench.result import BenchResult, Value

_AT_ONCE = 2
_PRELOADED = ["bot.bench.faults.player"]
_SHOWN = 300


def bench_faults(only: str = "") -> BenchResult:
    """All cases, or those of the kinds whose name begins with `only`."""
    kinds = [kind for kind in Kind if kind.startswith(only)]
    if not kinds:
        raise RepowrightError(
            f"there is no kind of fault `{only}`", hint=f"choose one of {', '.join(Kind)}"
        )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="repowright-faults-") as folder:
        references = played(Path(folder), tuple(Story))
        cases = [case for told in references.values() for case in cases_of(told, kinds)]
        told = list(tell_all(cases, references))
    rows = [row for kind in kinds for row in _rows(kind, told)]
    figures: dict[str, Value] = {
        "cases": len(told),
        "held": sum(one.held for one in told),
        "lost": sum(not one.held for one in told),
        "starts": sum(one.starts for one in told),
        "seconds": round(time.monotonic() - began, 1),
    }
    for kind in kinds:
        of_kind = [one for one in told if one.case.strike.kind is kind]
        figures[f"cases_{kind}"] = len(of_kind)
        figures[f"held_{kind}"] = sum(one.held for one in of_kind)
    return BenchResult(bench="faults", figures=figures, tasks=tuple(rows))


def played(folder: Path, stories: Sequence[Story]) -> Mapping[Story, Reference]:
    """The stories without a fault, each with its stages below `folder`."""
    multiprocessing.set_forkserver_preload(_PRELOADED)
    return {story: reference(story, folder / story) for story in stories}


def tell_all(cases: Sequence[Case], references: Mapping[Story, Reference]) -> Iterator[Told]:
    """The cases in their order, two at once, each with an embedded GitHub of its own."""
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(_AT_ONCE, mp_context=context) as pool:
        running = [pool.submit(tell, case, references[case.story]) for case in cases]
        for future in running:
            yield future.result()


def _rows(kind: Kind, told: Sequence[Told]) -> Iterator[dict[str, Value]]:
    """One row for the kind, and one for each of its cases that did not hold."""
    of_kind = [one for one in told if one.case.strike.kind is kind]
    held = sum(one.held for one in of_kind)
    yield {"task": kind.value, "cases": len(of_kind), "held": held, "request": "", "wrong": ""}
    for one in of_kind:
        if not one.held:
            place = f"{one.case.story}.{one.case.stage}.{one.case.strike.write}"
            said = " / ".join(" ".join(line.split()) for line in one.wrong)[:_SHOWN]
            yield {
                "task": f"{kind} {place}",
                "cases": 1,
                "held": 0,
                "request": one.request,
                "wrong": said,
            }
