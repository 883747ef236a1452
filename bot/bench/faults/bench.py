"""`repowright bench faults`: every fault at every write of a run, and the process killed at every
point of it; each run must end as the one without a fault (docs/contracts.md)."""

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from bot.base import RepowrightError
from bot.bench.faults.cases import (
    Reference,
    Told,
    cases_of,
    reference,
    served_cases,
    served_reference,
    tell,
    tell_served,
)
from bot.bench.faults.kinds import Kind, Post
from bot.bench.faults.world import Story
from bot.bench.result import BenchResult, Value

_AT_ONCE = 2
_PRELOADED = ["bot.bench.faults.player"]
_SHOWN = 300
_POSTS = [post for post in Post if post is not Post.AT_ONCE]
C = TypeVar("C")


def bench_faults(only: str = "") -> BenchResult:
    """All cases, or those of the kinds whose name begins with `only`."""
    kinds = [kind for kind in (*Kind, *_POSTS) if kind.startswith(only)]
    if not kinds:
        raise RepowrightError(
            f"there is no kind of fault `{only}`",
            hint=f"choose one of {', '.join((*Kind, *_POSTS))}",
        )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="repowright-faults-") as folder:
        told = list(_told(Path(folder), kinds))
    figures: dict[str, Value] = {
        "cases": len(told),
        "held": sum(one.held for one in told),
        "lost": sum(not one.held for one in told),
        "starts": sum(one.starts for one in told),
        "seconds": round(time.monotonic() - began, 1),
    }
    for kind in kinds:
        of_kind = [one for one in told if one.kind == kind]
        figures[f"cases_{kind}"] = len(of_kind)
        figures[f"held_{kind}"] = sum(one.held for one in of_kind)
    rows = [row for kind in kinds for row in _rows(kind, told)]
    return BenchResult(bench="faults", figures=figures, tasks=tuple(rows))


def _told(folder: Path, kinds: Sequence[str]) -> Iterator[Told]:
    """Legs driven by one process, from stages on; then whole runs by the server."""
    struck = [kind for kind in Kind if kind in kinds]
    references = played(folder, tuple(Story)) if struck else {}
    cases = [case for one in references.values() for case in cases_of(one, struck)]
    yield from tell_all(tell, [(case, references[case.story]) for case in cases])
    prepare()
    served = served_reference(folder)
    yield from tell_all(tell_served, [(case, served) for case in served_cases(served, kinds)])


def prepare() -> None:
    """Processes of the bot are forked from one that has imported everything already."""
    multiprocessing.set_forkserver_preload(_PRELOADED)


def played(folder: Path, stories: Sequence[Story]) -> Mapping[Story, Reference]:
    """The stories without a fault, each with its stages below `folder`."""
    prepare()
    return {story: reference(story, folder / story) for story in stories}


def tell_all(
    telling: Callable[[C, Reference], Told], cases: Sequence[tuple[C, Reference]]
) -> Iterator[Told]:
    """The cases in their order, two at once, each with an embedded GitHub of its own."""
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(_AT_ONCE, context, initializer=prepare) as pool:
        running = [pool.submit(telling, case, reference) for case, reference in cases]
        for future in running:
            yield future.result()


def _rows(kind: str, told: Sequence[Told]) -> Iterator[dict[str, Value]]:
    """One row for the kind, and one for each of its cases that did not hold."""
    of_kind = [one for one in told if one.kind == kind]
    held = sum(one.held for one in of_kind)
    yield {"task": kind, "cases": len(of_kind), "held": held, "request": "", "wrong": ""}
    for one in of_kind:
        if not one.held:
            yield {
                "task": f"{kind} {one.place}",
                "cases": 1,
                "held": 0,
                "request": one.request,
                "wrong": " / ".join(" ".join(line.split()) for line in one.wrong)[:_SHOWN],
            }
