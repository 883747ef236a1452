"""What a run's project calls its things, and the check that a text holds none of it (E, III-D)."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from bot.checks.report import Report
from bot.state.model import Node, ProjectState
from bot.syntax import parse

_PIECES = re.compile(r"[\w./-]+")
_WORDS = re.compile(r"\w+")


def names_of(
    states: Iterable[ProjectState], reports: Iterable[Report] = (), project: Iterable[str] = ()
) -> frozenset[str]:
    """Every name of files, folders, modules, classes, functions, variables, attributes,
    parameters and tests, with and without what stands around it; `project` adds names of the
    project and its repository."""
    found = {name for state in states for node in state.nodes for name in _of_node(node)}
    for report in reports:
        for test in report.tests:
            found.update(_of_test(test.id))
            found.update(name for frame in test.frames for name in _of_path(frame.path))
    for name in project:
        for part in (name, *name.split("/")):
            found.update((part, part.replace("-", "_")))
    return frozenset(name for name in found if _WORDS.search(name))


def names_in_code(files: Mapping[str, str]) -> frozenset[str]:
    """Names that the state may not hold, from files (path -> source): the Python files', and what
    stands inside of functions, parameters included. What does not parse tells its path alone."""
    found: set[str] = set()
    for path, source in files.items():
        if path.endswith(".py"):
            found.update(_of_path(path))
            try:
                found.update(_defined_in(parse(source)))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
    return frozenset(found)


def leaks(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """The names that stand in a text as whole words or paths, in order."""
    found = [piece.strip(".-/") for piece in _PIECES.findall(text)]
    found += _WORDS.findall(text)
    return tuple(sorted({name for name in found if name in names}))


def _of_node(node: Node) -> Iterator[str]:
    yield from _of_path(node.path)
    yield node.id
    yield node.name
    if node.qualname:
        yield node.qualname
        yield from node.qualname.split(".")
    yield from (attribute.name for attribute in node.attributes)
    yield from (parameter.name.lstrip("*") for parameter in node.parameters or ())


def _defined_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def _of_path(path: str) -> Iterator[str]:
    """`a/b.py`, `a`, `b.py`, `b`, `a.b`."""
    whole = PurePosixPath(path)
    yield path
    yield from whole.parts
    yield whole.stem
    yield ".".join(whole.with_suffix("").parts) if whole.name else ""


def _of_test(id_: str) -> Iterator[str]:
    """The parts of a node id; the values of a parametrized test are no names."""
    path, *parts = id_.partition("[")[0].split("::")
    yield from _of_path(path)
    yield from parts
