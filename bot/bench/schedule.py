"""How long the first code round takes with 1, 4 and 16 model calls at once, on the shapes of the
public projects: an endpoint answers with the reference's files after as long as a model would take
(goal: at 16 at least 2.5 times quicker than one file after another, and at most 1.15 times the
longest file)."""

import re
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

from bot.base import Data
from bot.bench.datasets import Task
from bot.bench.endpoint import LocalEndpoint
from bot.bench.memory import MemoryForge, MemoryGit, Silence, Ticking
from bot.bench.result import BenchResult, Value
from bot.bench.stripping import predicted_state
from bot.config import EndpointSettings, Settings, Switches
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.phases.writing import write_all
from bot.ports.model import Usage
from bot.spec.model import Spec
from bot.state.model import ProjectState
from bot.state.retrieval import tokens_of
from bot.wiring import backend_of

_AT_ONCE = (1, 4, 16)
_MOST = max(_AT_ONCE)
# A large hosted model: seconds to the first token, tokens a second from then on.
_FIRST_TOKEN = 1.0
_TOKENS_A_SECOND = 60.0
# Time is scaled so that the longest file of every project takes so many seconds.
_LONGEST = 4.0
_FEWEST_FILES = 3
_ASKED = re.compile(r"^Your files?: (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"`([^`]+)`")
_KEY = "sk-of-the-bench-alone"


class _Round(Data):
    """One code round, in seconds of a real model: from its start to its end, of which `own` were
    before the first call and after the last; `calls`, and how many of them were at once at most."""

    seconds: float
    own: float
    calls: int
    at_once: int


def bench_schedule(tasks: Sequence[Task]) -> BenchResult:
    """Over the projects with more than two files, without the static gate, which would have files
    of the reference written again that differ from the documents. `speedup` is that of the product
    as it is at 16 calls at once against one file after another, `over_bound` its time against
    that of the longest file; own work between calls counts at the scale of the calls."""
    rows = tuple(_row(task) for task in tasks if len(task.reference()) >= _FEWEST_FILES)
    figures: dict[str, Value] = {"projects": len(rows)}
    for name in ("speedup", "speedup_4", "speedup_1", "over_bound", "own_seconds"):
        values = [value for row in rows if isinstance(value := row[name], float)]
        figures[f"{name}_median"] = round(median(values), 3) if values else None
    figures["slowest_over_bound"] = max(
        (value for row in rows if isinstance(value := row["over_bound"], float)), default=None
    )
    return BenchResult(bench="schedule", figures=figures, tasks=rows)


def _row(task: Task) -> dict[str, Value]:
    reference = task.reference()
    bound = max(_seconds_for(source) for source in reference.values())
    scale = bound / _LONGEST
    with _SlowEndpoint(reference, scale) as endpoint:
        single = _round(task, endpoint, 1, bundles=False)
        rounds = {n: _round(task, endpoint, n, bundles=True) for n in _AT_ONCE}
    last = rounds[_MOST]
    return {
        "task": task.name,
        "files": len(reference),
        "single_seconds": round(single.seconds, 1),
        "bound_seconds": round(bound, 1),
        **{f"seconds_{n}": round(found.seconds, 1) for n, found in rounds.items()},
        "speedup": round(single.seconds / last.seconds, 3),
        "speedup_4": round(single.seconds / rounds[4].seconds, 3),
        "speedup_1": round(single.seconds / rounds[1].seconds, 3),
        "over_bound": round(last.seconds / bound, 3),
        "own_seconds": round(last.own, 3),
        "calls": last.calls,
        "calls_single": single.calls,
        "at_once": last.at_once,
    }


def _seconds_for(*sources: str) -> float:
    """What a model takes to write these files in one reply."""
    return _FIRST_TOKEN + sum(tokens_of(source) for source in sources) / _TOKENS_A_SECOND


def _round(task: Task, endpoint: "_SlowEndpoint", at_once: int, *, bundles: bool) -> _Round:
    settings = Settings(
        model="bench",
        endpoint=EndpointSettings(base_url=endpoint.base_url, api_key_env="KEY"),
        concurrency=at_once,
        switches=Switches(bundles=bundles, gate=False),
    )
    spec = task.spec()
    project, skeleton = predicted_state(task, "planned")
    state = _before_code(spec, project, settings)
    services = _services(settings)
    endpoint.spans.clear()
    began = time.monotonic()
    write_all(state, spec, services, skeleton)
    ended = time.monotonic()
    spans = list(endpoint.spans)
    first, last = min(s for s, _ in spans), max(e for _, e in spans)
    own = (first - began) + (ended - last)
    return _Round(
        seconds=own + (last - first) * endpoint.scale,
        own=own,
        calls=len(spans),
        at_once=max(sum(s <= at < e for s, e in spans) for at, _ in spans),
    )


def _before_code(spec: Spec, project: ProjectState, settings: Settings) -> RunState:
    return RunState(
        run_id="rw",
        repository="bench/project",
        issue=1,
        title=spec.title,
        branch="repowright/1",
        started=datetime(2026, 1, 1, tzinfo=UTC),
        settings=settings,
        spec_digest="",
        phase=Phase.CODE,
        iteration=1,
        project=project,
    )


def _services(settings: Settings) -> Services:
    forge = MemoryForge(MemoryGit(), lambda _: None)
    return Services(
        forge=forge,
        checks=forge,
        git=forge.git,
        model=backend_of("openai", settings, {"KEY": _KEY}),
        record=Silence(),
        narrator=Silence(),
        clock=Ticking(),
        bot_email="bot@bench.invalid",
        check_workflow="",
    )


class _SlowEndpoint(LocalEndpoint):
    """Writes the files it is asked for as the reference has them, each reply after the time that a
    model would take divided by `scale`; `spans` are the beginnings and ends of all calls on the
    monotonic clock."""

    def __init__(self, reference: Mapping[str, str], scale: float) -> None:
        super().__init__("slow-model", threads=_MOST)
        self.scale = scale
        self.spans: list[tuple[float, float]] = []
        self._reference = reference
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> tuple[str, Usage] | None:
        began = time.monotonic()
        asked = _ASKED.search(body["messages"][-1]["content"])
        if asked is None:
            return None
        sources = {p: self._reference[p] for p in _QUOTED.findall(asked.group(1))}
        time.sleep(_seconds_for(*sources.values()) / self.scale)
        text = "\n".join(f'<file path="{p}">\n{t}\n</file>' for p, t in sources.items())
        with self._lock:
            self.spans.append((began, time.monotonic()))
        return text, Usage(output=tokens_of(text))
