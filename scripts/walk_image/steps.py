"""Carries out the instructions of a Dockerfile, one after another, in the roots of its stages."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from base import WalkError, base_root
from dockerfile_parse import DockerfileParser
from stage import Stage


class Build:
    """The stages of one Dockerfile, made in the folder `work` from the folder `context`."""

    def __init__(self, dockerfile: Path, context: Path, work: Path) -> None:
        self._structure = DockerfileParser(path=str(dockerfile), env_replace=False).structure
        self._context = context
        self._work = work
        self._stages: list[Stage] = []

    def last(self) -> Stage:
        """Carry out every step; raise WalkError at the first that fails."""
        for step in self._structure:
            name, value = step["instruction"], step["value"]
            if name == "COMMENT":
                continue
            shown = f"{name} {' '.join(value.split())}"
            print(f"line {step['startline'] + 1}: {shown[:110]}", flush=True)
            self._steps()[name](value)
        return self._stage

    def _steps(self) -> dict[str, Callable[[str], None]]:
        return {
            "ARG": self._argument,
            "CMD": lambda value: self._words("command", value),
            "COPY": self._copy,
            "ENTRYPOINT": lambda value: self._words("entrypoint", value),
            "ENV": lambda value: self._stage.env.update(self._pairs(value)),
            "EXPOSE": lambda value: None,
            "FROM": self._from,
            "HEALTHCHECK": lambda value: self._words("health", value.partition(" CMD ")[2]),
            "LABEL": lambda value: self._stage.labels.update(self._pairs(value)),
            "RUN": self._run,
            "STOPSIGNAL": lambda value: setattr(self._stage, "stop", value),
            "USER": lambda value: setattr(self._stage, "user", value),
            "VOLUME": lambda value: self._words("volumes", value),
            "WORKDIR": self._workdir,
        }

    @property
    def _stage(self) -> Stage:
        return self._stages[-1]

    def _from(self, value: str) -> None:
        image, _, name = re.sub(r"(?i)\s+as\s+", " ", value).partition(" ")
        base = base_root(image, self._work)
        root = self._work / f"stage-{len(self._stages)}"
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
        self._stages.append(Stage(root=root, name=name))

    def _argument(self, value: str) -> None:
        name, _, default = value.partition("=")
        self._stage.arguments[name] = default.strip('"')

    def _words(self, name: str, value: str) -> None:
        setattr(self._stage, name, tuple(json.loads(value)))

    def _pairs(self, value: str) -> dict[str, str]:
        pairs = (word.partition("=") for word in shlex.split(value))
        return {name: self._stage.expanded(text) for name, _, text in pairs}

    def _workdir(self, value: str) -> None:
        self._stage.workdir = str(Path(self._stage.workdir, self._stage.expanded(value)))
        self._stage.path(".").mkdir(parents=True, exist_ok=True)

    def _copy(self, value: str) -> None:
        words = shlex.split(value)
        flags = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
        if flags.keys() - {"from"}:
            raise WalkError(f"COPY with {', '.join(sorted(flags))} is not known here")
        *sources, target = (word for word in words if not word.startswith("--"))
        for source in sources:
            _copy_one(self._source(flags.get("from", ""), source), self._stage.path(target), target)

    def _source(self, stage: str, path: str) -> Path:
        if not stage:
            return self._context / path
        found = [s for s in self._stages if s.name == stage]
        if not found:
            raise WalkError(f"there is no stage {stage}")
        return found[0].root / path.lstrip("/")

    def _run(self, value: str) -> None:
        command = tuple(json.loads(value)) if value.startswith("[") else ("/bin/sh", "-c", value)
        done = self._stage.build(command)
        if done.returncode:
            said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            raise WalkError(f"the step ended with {done.returncode}:\n{said}")


def _copy_one(source: Path, goal: Path, target: str) -> None:
    if source.is_dir():
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(source, goal, symlinks=True, dirs_exist_ok=True, ignore=ignore)
        return
    if target.endswith("/") or goal.is_dir():
        goal = goal / source.name
    goal.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, goal)
