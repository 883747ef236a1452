"""The public tasks as they are published: documents by `config.json`, and, read apart from them so
that nothing of the answer can slip into a spec, the reference code.

Folders and keys: https://github.com/whisperzqh/ProjectGen, folder `datasets`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.base import Data, RepowrightError
from bot.spec.folder import spec_from_files
from bot.spec.model import Spec

SETS = ("CodeProjectEval", "DevBench")

_DOCUMENT_KEYS = ("PRD", "UML", "UML_class", "UML_sequence", "dependencies", "architecture_design")
# Folders at the top of a task that are no part of its solution.
_BESIDE = re.compile(r"(?:\w+_)?tests?|docs?|(?:usage_)?examples?|demos?")


class DatasetError(RepowrightError):
    """The folder is not the one that holds the public tasks."""


class Task(Data):
    """One task. `source_root` is the folder of the reference below the task, "" for the task's own
    top; document paths are POSIX and relative to the task."""

    name: str
    set: str
    folder: Path
    documents: tuple[str, ...]
    source_root: str = ""
    check_tests: str = "check_tests"
    unit_tests: str = "unit_tests"
    required_files: tuple[str, ...] = ()
    usage_examples: tuple[str, ...] = ()

    def spec(self) -> Spec:
        """What the system is shown, read."""
        return spec_from_files(self.shown(), self.name, self.check_tests)

    def shown(self) -> dict[str, bytes]:
        """Documents, requirements and check tests by path."""
        paths = [*self.documents, *self._below(self.check_tests)]
        return {p: (self.folder / p).read_bytes() for p in paths}

    def reference(self) -> dict[str, str]:
        """Path -> source of the solution's Python files; they must never become part of a spec."""
        return {
            path: (self.folder / path).read_text("utf-8")
            for path in self._below(self.source_root)
            if path.endswith(".py") and self.holds(path)
        }

    def holds(self, path: str) -> bool:
        """Whether a path of the task is part of its solution: below the source root, or where
        there is none in no folder of tests, docs or examples."""
        if self.source_root:
            return path.startswith(f"{self.source_root}/")
        top, slash, _ = path.partition("/")
        return not (slash and _BESIDE.fullmatch(top))

    def resources(self) -> tuple[str, ...]:
        """Files beside the documents that the tests need: `required_files` and `usage_examples`
        with globs and folders expanded, none of them below the reference."""
        wanted = (*self.required_files, *self.usage_examples)
        found = {p for name in wanted for p in self._below(name)}
        own = f"{self.source_root}/" if self.source_root else None
        return tuple(sorted(p for p in found if own is None or not p.startswith(own)))

    def _below(self, name: str) -> list[str]:
        """Files that a name means: one file, a folder's files, or what a glob matches."""
        if not name:
            matches = [self.folder]
        elif any(c in name for c in "*?["):
            matches = sorted(self.folder.glob(name))
        else:
            matches = [self.folder / name.rstrip("/")]
        files = (p for m in matches for p in ([m] if m.is_file() else sorted(m.rglob("*"))))
        return [
            p.relative_to(self.folder).as_posix()
            for p in files
            if p.is_file() and not p.is_symlink() and "__pycache__" not in p.parts
        ]


def read_tasks(datasets: Path, only: str = "") -> tuple[Task, ...]:
    """The tasks below `datasets`, by set and name; with `only` the one of that name."""
    tasks = tuple(task for name in SETS for task in _tasks_of(datasets / name))
    if not tasks:
        raise DatasetError(
            "there are no public tasks in this folder",
            where=str(datasets),
            hint=f"give the folder that holds {' and '.join(SETS)}",
        )
    chosen = tuple(t for t in tasks if only in ("", t.name))
    if not chosen:
        raise DatasetError(
            f"there is no task `{only}`",
            where=str(datasets),
            hint=f"choose one of {', '.join(t.name for t in tasks)}",
        )
    return chosen


def _tasks_of(folder: Path) -> Iterator[Task]:
    for config in sorted(folder.glob("*/config.json"), key=lambda p: p.parent.name.lower()):
        try:
            values = json.loads(config.read_text("utf-8"))
        except ValueError as error:
            raise DatasetError(
                "a task's configuration is no JSON", where=str(config), hint=str(error)
            ) from error
        yield _task(config.parent, values)


def _task(folder: Path, config: dict[str, Any]) -> Task:
    documents = [d for key in _DOCUMENT_KEYS for d in _names(config.get(key))]
    return Task(
        name=folder.name,
        set=folder.parent.name,
        folder=folder,
        documents=tuple(d for d in documents if (folder / d).is_file()),
        source_root=_one(config.get("source_code"), ""),
        check_tests=_one(config.get("check_tests"), "check_tests"),
        unit_tests=_one(config.get("unit_tests"), "unit_tests"),
        required_files=_names(config.get("required_files")),
        usage_examples=_names(config.get("usage_examples")),
    )


def _names(value: object) -> tuple[str, ...]:
    """The sets write one name as a string, several as a list, and none as "" or not at all."""
    values = value if isinstance(value, list) else [value]
    return tuple(v.strip() for v in values if isinstance(v, str) and v.strip())


def _one(value: object, default: str) -> str:
    return next(iter(_names(value)), default).strip("/")
