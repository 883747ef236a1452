"""Which files of a repository are its tests, and which decide how those run: what nobody who mends
the code may change."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from bot.syntax import parse

_FOLDERS = frozenset({"test", "tests"})
# https://docs.pytest.org/en/stable/explanation/goodpractices.html#conventions-for-python-test-discovery
_NAME = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
_CONFIGURATION = re.compile(
    r"(?:.*/)?(?:pyproject\.toml|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg)"
)
_PLUGIN = re.compile(r"-p[\s\"',]*(?!no:)([A-Za-z_][\w.]*)")
_ENTRY = re.compile(r"[\w.-]+\s*=\s*[\"']?([A-Za-z_][\w.]*)")


def own_tests(files: Mapping[str, str], folder: str, ran: Iterable[str]) -> frozenset[str]:
    """Paths of the Python files of `files` (path -> text) that are tests or part of their set-up:
    what stands in `folder` or in any folder called tests, what pytest takes for a test by its name,
    what a test in `ran` (node ids) is defined in, and plugins of pytest that the repository names.
    """
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    found = {path for path in python if _is_test(path, folder)}
    found |= set(_defining(python, ran))
    modules = set(_plugins(files))
    found |= {path for path in python if any(_is_module(path, m) for m in modules)}
    return frozenset(found)


def _is_test(path: str, folder: str) -> bool:
    pure = PurePosixPath(path)
    inside = path.startswith(f"{folder.strip('/').removeprefix('./')}/")
    named = any(part.lower() in _FOLDERS for part in pure.parts[:-1])
    return inside or named or _NAME.fullmatch(pure.name) is not None


def _defining(python: Mapping[str, str], ran: Iterable[str]) -> Iterator[str]:
    """Files that define a test of this id; a doctest is no such, for its file is the project's."""
    wanted: dict[str, set[str]] = {}
    for id_ in ran:
        path, *names = id_.partition("[")[0].split("::")
        if names and path in python:
            wanted.setdefault(path, set()).add(names[-1])
    for path, names_there in wanted.items():
        try:
            nodes = list(ast.walk(parse(python[path])))
        except (SyntaxError, ValueError, RecursionError):
            continue
        defined = (n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
        if not names_there.isdisjoint(defined):
            yield path


def _plugins(files: Mapping[str, str]) -> Iterator[str]:
    """Modules that pytest loads as plugins: by `pytest_plugins`, by `-p` in its settings, or by an
    entry point. https://docs.pytest.org/en/stable/how-to/plugins.html"""
    for path, text in files.items():
        name = PurePosixPath(path).name
        if name == "conftest.py":
            yield from _in_conftest(text)
        if _CONFIGURATION.fullmatch(path):
            yield from _PLUGIN.findall(text)
        if name == "pyproject.toml":
            yield from _entry_points(text)
        if name in ("setup.cfg", "setup.py") and "pytest11" in text:
            yield from _ENTRY.findall(text.partition("pytest11")[2].partition("]")[0][:2000])


def _in_conftest(text: str) -> Iterator[str]:
    try:
        tree = parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(t, ast.Name) and t.id == "pytest_plugins" for t in targets):
            values = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
            yield from (value for value in values if isinstance(value, str))


def _entry_points(text: str) -> Iterator[str]:
    try:
        project = tomllib.loads(text).get("project", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    groups = project.get("entry-points", {}) if isinstance(project, dict) else {}
    plugins = groups.get("pytest11", {}) if isinstance(groups, dict) else {}
    for value in plugins.values() if isinstance(plugins, dict) else ():
        if isinstance(value, str):
            yield value.partition(":")[0].strip()


def _is_module(path: str, module: str) -> bool:
    """Whether a file may be imported under this name, from whatever folder."""
    stem = module.replace(".", "/")
    return any(f"/{path}".endswith(f"/{stem}{end}") for end in (".py", "/__init__.py"))
