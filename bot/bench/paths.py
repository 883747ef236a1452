"""Architecture consistency: F1 of root-to-leaf paths (arXiv 2611.06328, IV-C), with the definitions
that the paper leaves open.

A path is folder parts, file, `class C`, `def f`; exact and case-sensitive. Leaves are module-level
functions, methods, classes nested one level, a class without either, and a file without
definitions. Top-level `if` and `try` are looked into; signatures, decorators, assignments and
nested functions are ignored.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from bot.base import Data
from bot.state.model import Node, NodeKind
from bot.syntax import parse

Place = tuple[str, ...]
Paths = frozenset[Place]
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

_DEEPEST = 2


class Overlap(Data):
    """How two sets of paths agree: sizes of their intersection and of each."""

    common: int
    planned: int
    real: int

    @property
    def f1(self) -> float:
        """2|a & b| / (|a| + |b|); 1 where both are empty."""
        both = self.planned + self.real
        return 2 * self.common / both if both else 1.0


def overlap(planned: Paths, real: Paths) -> Overlap:
    return Overlap(common=len(planned & real), planned=len(planned), real=len(real))


def pooled(overlaps: Sequence[Overlap]) -> float:
    """The micro F1: over all paths of all tasks."""
    return Overlap(
        common=sum(o.common for o in overlaps),
        planned=sum(o.planned for o in overlaps),
        real=sum(o.real for o in overlaps),
    ).f1


def planned_names(nodes: Iterable[Node], holds: Callable[[str], bool]) -> Paths:
    """Every file, class and function of a structure as a path, of the files that `holds` says are
    part of the solution."""
    kinds = {NodeKind.FILE: "", NodeKind.CLASS: "class ", NodeKind.FUNCTION: "def "}
    nodes = tuple(nodes)
    classes = {n.id for n in nodes if n.kind is NodeKind.CLASS}
    found: set[Place] = set()
    for node in nodes:
        if node.kind not in kinds or not node.path.endswith(".py") or not holds(node.path):
            continue
        names = node.qualname.split(".") if node.qualname else []
        outer = [f"{node.path}::{'.'.join(names[:i])}" for i in range(1, len(names))]
        if len(names) <= _DEEPEST and all(o in classes for o in outer):
            inner = [f"class {n}" for n in names[:-1]] + [kinds[node.kind] + n for n in names[-1:]]
            found.add((*node.path.split("/"), *inner))
    return frozenset(found)


def real_names(sources: Mapping[str, str]) -> Paths:
    """Every file, class and function that sources define, as a path."""
    found: set[Place] = set()
    for path, source in sources.items():
        file = tuple(path.split("/"))
        found.add(file)
        for stmt in _defined(parse(source).body):
            found.add((*file, _called(stmt)))
            if isinstance(stmt, ast.ClassDef):
                found.update((*file, _called(stmt), _called(s)) for s in _defined(stmt.body))
    return frozenset(found)


def _called(stmt: Definition) -> str:
    return f"class {stmt.name}" if isinstance(stmt, ast.ClassDef) else f"def {stmt.name}"


def _defined(body: Iterable[ast.stmt]) -> Iterable[Definition]:
    for stmt in body:
        if isinstance(stmt, Definition):
            yield stmt
        elif isinstance(stmt, ast.If):
            yield from _defined([*stmt.body, *stmt.orelse])
        elif isinstance(stmt, ast.Try):
            handled = [s for h in stmt.handlers for s in h.body]
            yield from _defined([*stmt.body, *handled, *stmt.orelse, *stmt.finalbody])


def public(names: Paths) -> Paths:
    """The names without private ones (`_x`) and what they hold; `__x__` is public."""
    return frozenset(p for p in names if not any(_private(part) for part in p))


def _private(part: str) -> bool:
    name = part.rpartition(" ")[2]
    return name.startswith("_") and not name.startswith("__")


def leaves(names: Paths) -> Paths:
    """The paths that no other path goes on from."""
    inner = {p[:-1] for p in names}
    return names - inner


def level(names: Paths, kind: str) -> Paths:
    """The paths that end in one kind: `file`, `class` or `function`."""
    prefix = {"file": "", "class": "class ", "function": "def "}[kind]
    if not prefix:
        return frozenset(p for p in names if not p[-1].startswith(("class ", "def ")))
    return frozenset(p for p in names if p[-1].startswith(prefix))
