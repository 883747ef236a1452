"""Whole runs in memory whose model answers at once with a public task's reference: what the bot
does by itself, and what it would ask."""

import ast
import io
import json
import re
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence

from bot.base import Data, RepowrightError
from bot.bench.datasets import Task
from bot.bench.memory import BOT, MAIN, MemoryForge, MemoryGit, Silence, Ticking
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

_MOST_LEGS = 60
_ASKED = re.compile(r"^Your files?: (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"`([^`]+)`")
_SHOWN = re.compile(r'^<file path="([^"\n]+\.py)">\n(.*?)\n</file>$', re.MULTILINE | re.DOTALL)
_STAND_IN = '"""Nothing of the reference."""'


class InstantRun:
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
            parts = _SHOWN.findall(question)
            return "\n".join(_repaired(p, t, self._reference.get(p, "")) for p, t in parts)
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


def _repaired(path: str, shown: str, source: str) -> str:
    """An edit of one file of which a repair call is shown a part at least: a comment before the
    first statement of a function, where that line is the only one of its kind."""
    lines, visible = source.splitlines(), set(shown.splitlines())
    for node in ast.walk(parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        line = lines[node.body[0].lineno - 1]
        if lines.count(line) == 1 and line in visible:
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
