"""What the bot itself takes for a run on projects of about twelve files, from documents to a green
check with one repair: no model, no check and no network is waited for (goal: under two seconds)."""

import ast
import io
import json
import re
import sys
import threading
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from types import FrameType
from typing import Self

from bot.base import Data, Outcome, RepowrightError
from bot.bench.datasets import Task
from bot.bench.memory import BOT, MAIN, MemoryForge, MemoryGit, Silence, Ticking
from bot.bench.result import BenchResult, Value
from bot.bench.stripping import stripped
from bot.config import BudgetSettings, Settings
from bot.local import issue_of
from bot.model.scripted import ScriptedModel
from bot.phases.leg import leg
from bot.phases.run import Phase
from bot.phases.services import Services
from bot.ports.model import ModelRequest
from bot.runs.start import new_run
from bot.spec.folder import spec_from_files
from bot.syntax import parse

_FILES = range(10, 15)
_MOST_LEGS = 60
_EVERY = 0.002
_ROOM = re.compile(r".*/bot/(\w+)/")
_ASKED = re.compile(r"^Your files?: (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"`([^`]+)`")
_SHOWN = re.compile(r'^<file path="([^"\n]+\.py)">\n(.*?)\n</file>$', re.MULTILINE | re.DOTALL)
_STAND_IN = '"""Nothing of the reference."""'


def bench_overhead(tasks: Sequence[Task]) -> BenchResult:
    """`own_seconds` is the median over the runs that pass, of the tasks whose reference has ten to
    fourteen files; `share_ROOM` is where it goes, by samples of what runs."""
    rows: list[dict[str, Value]] = []
    rooms: Counter[str] = Counter()
    for task in tasks:
        if len(task.reference()) in _FILES:
            row, found = _measured(task)
            rows.append(row)
            rooms += found
    passed = [row for row in rows if row["outcome"] == Outcome.PASSED]
    own = [value for row in passed if isinstance(value := row["own_seconds"], float)]
    figures: dict[str, Value] = {
        "own_seconds": round(median(own), 3) if own else None,
        "own_seconds_most": max(own, default=None),
        "runs": len(rows),
        "passed": len(passed),
    }
    for room, samples in rooms.most_common():
        figures[f"share_{room}"] = round(samples / rooms.total(), 3)
    return BenchResult(bench="overhead", figures=figures, tasks=tuple(rows))


def _measured(task: Task) -> tuple[dict[str, Value], Counter[str]]:
    run = _Run(task)
    legs: defaultdict[str, float] = defaultdict(float)
    began, began_busy = time.perf_counter(), time.process_time()
    with _Samples() as samples:
        for phase, seconds in run.legs():
            legs[phase] += seconds
    seconds, busy = time.perf_counter() - began, time.process_time() - began_busy
    return {
        "task": task.name,
        "files": len(task.reference()),
        "outcome": run.outcome,
        "own_seconds": round(seconds, 3),
        "processor_seconds": round(busy, 3),
        "calls": len(run.model.requests),
        **{f"seconds_{phase}": round(legs[phase], 3) for phase in Phase if legs[phase]},
    }, samples.rooms


class _Run:
    """A run in memory. Its model answers at once, with the reference's files and with repairs that
    change one line; its first check has one failing test, the later ones have none."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._reference = task.reference()
        self._files = task.shown()
        self._checked: list[str] = []
        self.model = ScriptedModel({"*": self._reply})
        self.outcome = ""

    def legs(self) -> Iterator[tuple[Phase, float]]:
        """Phase and seconds of each leg, from the trigger to the end."""
        given = _given(self._task.name, self._files)
        git = MemoryGit()
        git.branches[MAIN] = git.add("", given.committed, "")
        forge = MemoryForge(git, self._check, bodies=(given.title, given.body))
        services = _services(forge, self.model)
        began = time.perf_counter()
        settings = Settings(budget=BudgetSettings(minutes=None))
        state, spec = new_run(1, settings, forge, git, services.clock)
        yield Phase.OPEN, time.perf_counter() - began
        for _ in range(_MOST_LEGS):
            began, phase = time.perf_counter(), state.phase
            state = leg(state, spec, services)
            yield phase, time.perf_counter() - began
            if state.phase is Phase.DONE:
                self.outcome = f"{state.outcome}"
                return
        raise RepowrightError("the run does not end", where=self._task.name)

    def _reply(self, request: ModelRequest) -> str:
        question = request.messages[-1].content
        if request.role == "architect":
            return _structure(self._reference)
        if request.role == "skeleton":
            skeleton = {p: stripped(t, imports=True) for p, t in self._reference.items()}
            return "\n".join(_block(path, text) for path, text in skeleton.items())
        asked = _ASKED.search(question)
        if asked is None:
            return "\n".join(map(_repaired, _SHOWN.findall(question)))
        files = {p: self._reference.get(p, _STAND_IN) for p in _QUOTED.findall(asked.group(1))}
        return "\n".join(_block(path, text) for path, text in files.items())

    def _check(self, commit: str) -> bytes:
        if commit not in self._checked:
            self._checked.append(commit)
        largest = max(self._reference, key=lambda path: len(self._reference[path]))
        tests = [f"{path}::test_it" for path in sorted(self._files) if "/test_" in path]
        return _report(tests, largest if commit == self._checked[0] else "")


class _Given(Data):
    title: str
    body: str
    committed: dict[str, bytes]


def _given(name: str, files: Mapping[str, bytes]) -> _Given:
    """A task as a maintainer gives it: the issue, and what is in the repository before it."""
    folder = Settings().check_tests
    spec = spec_from_files(files, name, folder)
    body, committed = issue_of(spec, files, folder)
    return _Given(title=spec.title, body=body, committed=committed)


def _services(forge: MemoryForge, model: ScriptedModel) -> Services:
    silence = Silence()
    return Services(
        forge=forge,
        checks=forge,
        git=forge.git,
        model=model,
        record=silence,
        narrator=silence,
        clock=Ticking(),
        bot_email=BOT,
        check_workflow="",
    )


def _block(path: str, text: str) -> str:
    return f'<file path="{path}">\n{text}\n</file>'


def _structure(reference: Mapping[str, str]) -> str:
    """An architect's reply that adds nothing but the files that there are."""
    files = "".join(f"  - path: {path}\n    purpose: A module.\n" for path in reference)
    return f"<structure>\nfiles:\n{files}requirements: []\n</structure>"


def _repaired(shown: tuple[str, str]) -> str:
    """An edit of one file that a repair call is shown: a comment before the first statement of a
    function, where that line is the only one of its kind."""
    path, source = shown
    lines = source.splitlines()
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.FunctionDef) and lines.count(lines[node.body[0].lineno - 1]) == 1:
            line = lines[node.body[0].lineno - 1]
            indent = line[: len(line) - len(line.lstrip())]
            return (
                f'<edit path="{path}">\n<find>\n{line}\n</find>\n'
                f"<replace>\n{indent}# Mended.\n{line}\n</replace>\n</edit>"
            )
    return ""


def _report(tests: Sequence[str], culprit: str) -> bytes:
    """The artifact of a check: all pass, or the first fails in a file."""
    events: list[dict[str, object]] = [{"event": "collected", "ids": list(tests)}]
    for number, test in enumerate(tests):
        failed = bool(culprit) and number == 0
        if failed:
            frames = [
                {"path": test.partition("::")[0], "line": 2, "function": "test_it"},
                {"path": culprit, "line": 1, "function": "it"},
            ]
            said = dict.fromkeys(("exception", "message", "detail"), "ValueError")
            events.append({"event": "failure", "id": test, **said, "frames": frames})
        outcome = "failed" if failed else "passed"
        events.append({"event": "phase", "id": test, "when": "call", "outcome": outcome})
        events.append({"event": "phase", "id": test, "when": "teardown", "outcome": "passed"})
    log = "".join(json.dumps(event) + "\n" for event in [*events, {"event": "finish"}])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        facts = {"rounds": [{"returncode": 1 if culprit else 0}], "tests": ["check_tests"]}
        archive.writestr("run.json", json.dumps(facts))
        archive.writestr("1/events.jsonl", log)
    return packed.getvalue()


class _Samples:
    """Looks at the thread that made it every few milliseconds; `rooms` counts the innermost room
    of the bot that each look found. A context manager."""

    def __init__(self) -> None:
        self.rooms: Counter[str] = Counter()
        self._over = threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            room = _room_of(sys._current_frames().get(self._watched))
            if room:
                self.rooms[room] += 1


def _room_of(frame: FrameType | None) -> str:
    while frame is not None:
        found = _ROOM.match(frame.f_code.co_filename)
        if found and found.group(1) != "bench":
            return found.group(1)
        frame = frame.f_back
    return ""
