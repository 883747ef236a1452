"""Check tests that cannot work: not Python, or importing what nobody brings."""

import ast
import re
import sys
from collections.abc import Iterator

from bot.spec.model import GivenFile, Location, Problem, Spec
from bot.spec.problems import problem
from bot.spec.words import words
from bot.syntax import parse

_REQUIREMENT_NAME = re.compile(r"^[A-Za-z0-9][\w.-]*")
_ALWAYS_THERE = frozenset(["pytest", "_pytest", "pluggy", "conftest", "__future__"])


def check_test_problems(spec: Spec, folder: str) -> Iterator[Problem]:
    """Problems of the check tests, in the order of their paths."""
    trees: list[tuple[GivenFile, ast.Module]] = []
    for file in spec.check_tests:
        if not file.path.endswith(".py") or file.encoding != "utf-8":
            continue
        try:
            trees.append((file, parse(file.text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            yield _syntax(file, error)
    if spec.check_tests and not any(_has_tests(f, t) for f, t in trees):
        yield problem("check-tests-no-test", Location(file=folder), folder=folder)
    known = _known_modules(spec)
    for file, tree in trees:
        yield from _imports(spec, file, tree, known)


def _syntax(file: GivenFile, error: BaseException) -> Problem:
    line = getattr(error, "lineno", 1) or 1
    column = getattr(error, "offset", 1) or 1
    said = getattr(error, "msg", None) or str(error) or type(error).__name__
    place = Location(file=file.path, line=line, column=max(1, column))
    return problem("check-test-syntax", place, path=file.path, error=said)


def _has_tests(file: GivenFile, tree: ast.Module) -> bool:
    """What pytest collects by default: https://docs.pytest.org/en/stable/explanation/goodpractices.html"""
    name = file.path.rpartition("/")[2]
    if not (name.startswith("test_") or name.endswith("_test.py")):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or node.bases):
            return True
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if function and getattr(node, "name", "").startswith("test"):
            return True
    return False


def _known_modules(spec: Spec) -> set[str]:
    """Module names that a check test can import: planned, given, required, or always there."""
    paths = [*_python_paths(spec), *(f.path for f in spec.check_tests if f.path.endswith(".py"))]
    known = {part.removesuffix(".py") for path in paths for part in path.split("/")}
    required = {_distribution(r) for r in spec.requirements}
    known |= {name.replace("-", "_") for name in required}
    for module, names in words().import_names.items():
        if names & required:
            known.add(module)
    return known | _ALWAYS_THERE | set(sys.stdlib_module_names)


def _python_paths(spec: Spec) -> list[str]:
    """Python files that are planned or given, check tests left out."""
    paths = [*(f.path for f in spec.files), *(f.path for f in spec.resources)]
    return [path for path in paths if path.endswith(".py")]


def _distribution(requirement: str) -> str:
    found = _REQUIREMENT_NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found.group()).lower() if found else ""


def _imports(spec: Spec, file: GivenFile, tree: ast.Module, known: set[str]) -> Iterator[Problem]:
    """Imports of modules that nobody brings; with no file planned, any may be the project's."""
    if not any(f.path.endswith(".py") for f in spec.files):
        return
    planned = _planned_modules(spec)
    lower = {k.lower() for k in known}
    seen: set[str] = set()
    for name, line, column in _imported(tree):
        top = name.partition(".")[0]
        if name in seen:
            continue
        seen.add(name)
        place = Location(file=file.path, line=line, column=column)
        if top not in known and top.lower() not in lower:
            if top not in seen or top == name:
                yield problem("check-test-import", place, path=file.path, module=top)
            seen.add(top)
        elif top in planned and "." in name and name not in planned:
            yield problem("check-test-module", place, path=file.path, module=name)


def _imported(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Modules imported outside `try`, with line and column from 1."""
    guarded = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.Try)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, node.col_offset + 1
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module, node.lineno, node.col_offset + 1


def _planned_modules(spec: Spec) -> set[str]:
    """Dotted names of the modules that planned and given files make, packages included."""
    out: set[str] = set()
    for path in _python_paths(spec):
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        for names in (parts, parts[1:] if parts[0] == "src" else []):
            out.update(".".join(names[: i + 1]) for i in range(len(names)))
    return out
