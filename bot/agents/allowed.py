"""Where an agent may write (design 5.4): the one rule that every reply and every commit passes."""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from bot.agents.texts import why
from bot.config import Settings

_SHADOWS = frozenset(
    {"_pytest", "coverage", "doctest", "hypothesis", "iniconfig", "mock", "pluggy", "unittest"}
)
# What other machines than ours run by themselves, with secrets in reach, or take for rules.
_AUTOMATIC = frozenset(
    {
        ".appveyor.yml", ".drone.yml", ".envrc", ".gitlab-ci.yml", ".pre-commit-config.yaml",
        ".travis.yml", "action.yaml", "action.yml", "appveyor.yml", "azure-pipelines.yml",
        "bitbucket-pipelines.yml", "codeowners", "jenkinsfile",
        ".buildkite", ".circleci", ".devcontainer", ".forgejo", ".gitea", ".gitlab", ".husky",
        ".idea", ".vscode", ".woodpecker",
    }
)  # fmt: skip
# https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.DOTALL)
_LONGEST_NAME = 200
_LONGEST_PATH = 1000
# What systems do not take in a name, or what means something in Markdown and commit messages.
_ODD = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|`#@\[\]]|(^|/)[- ]|[. ](/|$)")
# Git's own files, by every name that some file system takes for theirs.
_GIT = re.compile(r"\.git(attributes|modules)?|git~\d+")
_OURS = ".repowright"
# The entry points that pytest loads from every installed package.
_PLUGINS = "pytest11"


def refusal(path: str, settings: Settings, given: Collection[str] = ()) -> str:
    """Why an agent may not write `path`; "" where it may. `given` are the paths of the author's
    own check tests and data."""
    pure = PurePosixPath(path)
    parts = pure.parts
    lowered = [_plain(p) for p in parts]
    if (
        not parts
        or path.startswith("~")
        or pure.is_absolute()
        or ".." in parts
        or path != str(pure)
        or _is_odd(path)
    ):
        return why("not_inside", path=_shown(path))
    if any(_DEVICE.fullmatch(p) for p in lowered):
        return why("device", path=path)
    if any(_GIT.fullmatch(p) for p in lowered):
        return why("of_git", path=path)
    if lowered[0] == ".github":
        return why("of_github", path=path)
    if lowered[0] in _AUTOMATIC or lowered == ["docs", "codeowners"]:
        return why("automatic", path=path)
    if lowered[0] == _OURS:
        return why("of_the_bot", path=path)
    if any(_clash(lowered, _parts(g)) for g in given) or _inside(lowered, settings.check_tests):
        return why("given", path=path)
    if lowered[-1] in settings.protected or lowered[-1].endswith(".pth"):
        return why("protected", path=path)
    if (stem := PurePosixPath(lowered[0]).stem) in _SHADOWS or stem.startswith("pytest"):
        return why("shadow", path=path)
    return ""


def _is_long(path: str) -> bool:
    return len(path) > _LONGEST_PATH or any(len(p) > _LONGEST_NAME for p in path.split("/"))


def _is_odd(path: str) -> bool:
    """Whether a path is too long, has characters that nobody sees, or ones that mean something."""
    unseen = any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in path)
    return unseen or _is_long(path) or _ODD.search(path) is not None


def _shown(path: str) -> str:
    """A path as a sentence can hold it, whatever stands in it."""
    return ascii(path[:_LONGEST_NAME])[1:-1].replace("`", "'")


def _plain(name: str) -> str:
    """A name as file systems compare it that know no case and pass over invisible characters."""
    return "".join(c for c in name.casefold() if unicodedata.category(c) != "Cf")


def _parts(path: str) -> list[str]:
    return [_plain(p) for p in PurePosixPath(path).parts]


def _clash(parts: list[str], given: list[str]) -> bool:
    """Whether one is the other, or would have to be a folder where the other is a file."""
    shorter = min(len(parts), len(given))
    return parts[:shorter] == given[:shorter]


def _inside(parts: list[str], folder: str) -> bool:
    """Whether a path is the folder, lies in it, or would be a file in its place."""
    return bool(tops := _parts(folder)) and _clash(parts, tops)


def file_and_folder(paths: Iterable[str]) -> str:
    """Why not all of the paths can be written: one would be a file and a folder at once; "" where
    they can."""
    files = frozenset(paths)
    for path in sorted(files):
        parents = (str(parent) for parent in PurePosixPath(path).parents)
        above = next((parent for parent in parents if parent in files), None)
        if above is not None:
            return why("file_and_folder", path=path, above=above)
    return ""


def first_refusal(paths: Iterable[str], settings: Settings, given: Collection[str] = ()) -> str:
    """The first reason among several paths; "" where all are allowed."""
    return next((said for p in paths if (said := refusal(p, settings, given))), "")


def configures_tests(path: str, text: str, before: str = "") -> bool:
    """Whether a project file carries other settings of pytest or coverage, or other plugins of
    pytest, than `before`, as its text was; one that is no TOML may."""
    if path.endswith("setup.py"):
        return _PLUGINS in text + before and text != before
    if not path.endswith("pyproject.toml"):
        return False
    try:
        return _tests_settings(text) != _tests_settings(before)
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return True


def _tests_settings(text: str) -> tuple[object, ...]:
    """What a pyproject.toml says of how tests run; raise TOMLDecodeError, RecursionError or
    AttributeError where it is no such file."""
    document = tomllib.loads(text)
    tools, entries = document.get("tool", {}), document.get("project", {}).get("entry-points", {})
    poetry = tools.get("poetry", {}).get("plugins", {})
    return (
        *(tools.get(name) for name in ("pytest", "coverage")),
        *(group.get(_PLUGINS) for group in (entries, poetry)),
    )
