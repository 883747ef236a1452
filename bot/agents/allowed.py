"""Where an agent may write (design 5.4): the one rule that every reply and every commit passes."""

import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from bot.config import Settings

_SHADOWS = frozenset({"pytest", "_pytest", "pytest_timeout", "coverage", "pluggy", "iniconfig"})
_ODD = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]")


def refusal(path: str, settings: Settings, given: Collection[str] = ()) -> str:
    """Why an agent may not write `path`; "" where it may. `given` are the paths of the author's
    own check tests and data."""
    pure = PurePosixPath(path)
    parts = pure.parts
    lowered = [p.lower() for p in parts]
    if not path or pure.is_absolute() or ".." in parts or _ODD.search(path) or path != str(pure):
        return f"`{path}` is not a plain path inside the project"
    if any(p == ".git" or p.startswith(".git~") for p in lowered):
        return f"`{path}` lies in git's own folder"
    if lowered[0] == ".github":
        return f"`{path}` belongs to the maintainers: workflows and settings are not written"
    if lowered[0] == settings.check_tests.lower() or path in given:
        return f"`{path}` is part of the given specification, which nobody may change"
    if lowered[-1] in settings.protected or lowered[-1].endswith(".pth"):
        return f"`{path}` could configure the check tests away"
    if PurePosixPath(lowered[0]).stem in _SHADOWS:
        return f"`{path}` would take the place of a test tool"
    return ""


def first_refusal(paths: Iterable[str], settings: Settings, given: Collection[str] = ()) -> str:
    """The first reason among several paths; "" where all are allowed."""
    return next((why for p in paths if (why := refusal(p, settings, given))), "")


def configures_tests(path: str, text: str) -> bool:
    """Whether a project file carries settings of pytest or coverage."""
    return path.endswith("pyproject.toml") and bool(
        re.search(r"^\s*\[+\s*tool\s*\.\s*[\"']?(pytest|coverage)", text, re.MULTILINE)
    )
