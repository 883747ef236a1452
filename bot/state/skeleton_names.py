"""Which imports a skeleton file needs for the names that its signatures use."""

import ast
import builtins
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

import yaml

from bot.base import Data
from bot.state.model import Node, NodeKind, ProjectState, module_name
from bot.syntax import parse_expression

Homes = Mapping[str, list[str]]
_METHOD_KINDS = {"property", "classmethod", "staticmethod"}


class Imports(Data):
    """Import lines needed when the file runs, those for annotations alone, and every name that is
    known in the file then."""

    real: tuple[str, ...]
    typing_only: tuple[str, ...]
    known: frozenset[str]


@cache
def _stdlib() -> Mapping[str, str]:
    """Name -> `from MODULE` or `import …` line of the standard library."""
    text = resources.files("bot.state").joinpath("stdlib_names.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    return {name: line for line, names in table.items() for name in names}


def homes_of(state: ProjectState) -> Homes:
    """Name at a file's top -> the paths that define it."""
    homes: dict[str, list[str]] = {}
    for node in state.nodes:
        own = node.kind is not NodeKind.GLOBAL or not node.path.endswith("__init__.py")
        if "::" in node.id and node.parent == node.path and own:
            homes.setdefault(node.name, []).append(node.path)
    return homes


def names_in(text: str | None) -> frozenset[str]:
    """Free names of an expression; names inside string annotations count."""
    if not text:
        return frozenset()
    try:
        tree = parse_expression(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= names_in(node.value) if node.value.isidentifier() else set()
    return frozenset(found)


def imports_for(
    path: str,
    exports: Mapping[str, str],
    local: frozenset[str],
    nodes: Iterable[Node],
    homes: Homes,
) -> Imports:
    """The imports of one file. `exports` maps re-exported names to their paths, `local` are the
    names that the file defines itself, `nodes` everything it holds."""
    running: set[str] = set()
    annotating: set[str] = set()
    for node in nodes:
        running |= {n for base in node.bases for n in names_in(base)}
        running |= {n for d in node.decorators for n in names_in(d)} - _METHOD_KINDS
        running |= {n for p in node.parameters or () for n in names_in(p.default)}
        annotating |= {n for p in node.parameters or () for n in names_in(p.annotation)}
        annotating |= names_in(node.returns) | names_in(node.annotation)
        annotating |= {n for a in node.attributes for n in names_in(a.annotation)}
    found = _Finder(path, homes)
    for name, home in exports.items():
        found.take(name, f"from {module_name(home)}", real=True)
    ignored = local | set(dir(builtins))
    for name in sorted(running - ignored):
        found.look_up(name, real=True)
    for name in sorted(annotating - running - ignored):
        found.look_up(name, real=False)
    return Imports(
        real=found.lines(real=True),
        typing_only=found.lines(real=False),
        known=frozenset(found.names | ignored),
    )


class _Finder:
    def __init__(self, path: str, homes: Homes) -> None:
        self._path = path
        self._homes = homes
        self._lines: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
        self.names: set[str] = set()

    def look_up(self, name: str, *, real: bool) -> None:
        """The project's own names first, then the standard library's."""
        paths = [p for p in self._homes.get(name, []) if p != self._path]
        if paths:
            self.take(name, f"from {module_name(paths[0])}", real=real)
        elif name in _stdlib():
            self.take(name, _stdlib()[name], real=True)

    def take(self, name: str, line: str, *, real: bool) -> None:
        self._lines[real].setdefault(line, set()).add(name)
        self.names.add(name)

    def lines(self, *, real: bool) -> tuple[str, ...]:
        out: list[str] = []
        for line, names in sorted(self._lines[real].items()):
            if line == "import":
                out.extend(f"import {n}" for n in sorted(names))
            elif line.startswith("from "):
                out.append(f"{line} import {', '.join(sorted(names))}")
            else:
                out.append(line)
        return tuple(out)
