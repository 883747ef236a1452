"""How definitions are shown to somebody who uses them: one line of signature, the whole definition
where it is small."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.state.extract import Definition
from bot.state.model import Node, NodeKind
from bot.state.signatures import render_parameters
from bot.syntax import parse, source_lines

_SMALL = 5
_LONGEST_VALUE = 60
_LONGEST_PURPOSE = 160


@dataclass(frozen=True)
class Line:
    """The text of one node; `place` orders it within its file."""

    id: str
    path: str
    place: tuple[int, str]
    text: str


class Interfaces:
    """Signatures of the nodes of a state, and definitions of the sources they stand in."""

    def __init__(self, nodes: Iterable[Node], files: Mapping[str, str]) -> None:
        self._nodes = {n.id: n for n in nodes}
        self._files = files
        self._children: dict[str, list[Node]] = {}
        self._classes: dict[str, list[Node]] = {}
        self._definitions: dict[str, dict[str, tuple[int, str]]] = {}
        for node in self._nodes.values():
            self._children.setdefault(node.parent or "", []).append(node)
            if node.kind is NodeKind.CLASS:
                self._classes.setdefault(node.name, []).append(node)

    def node(self, node_id: str) -> Node | None:
        return self._nodes.get(node_id)

    def tops(self, path: str) -> list[Node]:
        """What a file defines at its top, re-exports and their list left out."""
        children = self._children.get(path, [])
        return [n for n in children if n.exported_from is None and n.name != "__all__"]

    def members(self, class_id: str) -> list[Node]:
        return self._children.get(class_id, [])

    def ancestry(self, cls: Node) -> Iterator[tuple[Node, int]]:
        """A class and its bases of the project, each with its distance; a base is found by its
        name where one class alone has it."""
        waiting, seen = [(cls, 0)], {cls.id}
        while waiting:
            node, depth = waiting.pop(0)
            yield node, depth
            for base in node.bases:
                name = base.partition("[")[0].rpartition(".")[2]
                homes = self._classes.get(name, [])
                if len(homes) == 1 and homes[0].id not in seen:
                    seen.add(homes[0].id)
                    waiting.append((homes[0], depth + 1))

    def lines(self, node_id: str, *, full: bool, told: bool = False) -> list[Line]:
        """The classes around a node and the node itself, outermost first; empty where there is
        no such node. `full` asks for the whole definition of a small function, `told` for what a
        definition is for."""
        node = self._nodes.get(node_id)
        if node is None or "::" not in node_id:
            return []
        around: list[Line] = []
        parent = self._nodes.get(node.parent or "")
        if parent is not None and parent.kind is NodeKind.CLASS:
            around = self.lines(parent.id, full=False)
        number, source = self._definition(node)
        whole = full and source and node.kind is NodeKind.FUNCTION
        indent = "    " * node.qualname.count(".")
        said = f"  # {shortened(node.purpose, _LONGEST_PURPOSE)}" if told and node.purpose else ""
        text = source if whole else "\n".join(indent + part for part in _signature(node, said))
        return [*around, Line(id=node.id, path=node.path, place=(number, node.id), text=text)]

    def _definition(self, node: Node) -> tuple[int, str]:
        """The line on which a node stands, and its source where that is small."""
        if node.path not in self._definitions:
            self._definitions[node.path] = _definitions(self._files.get(node.path, ""))
        return self._definitions[node.path].get(node.qualname, (0, ""))


def shortened(text: str, most: int) -> str:
    """A text on one line, of at most so many characters, cut between words."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    return f"{text[: most - 1].rpartition(' ')[0].rstrip(',;:')}…"


def _signature(node: Node, said: str) -> list[str]:
    if node.kind is NodeKind.FUNCTION:
        inner = "..." if node.parameters is None else render_parameters(node.parameters)
        returns = f" -> {node.returns}" if node.returns else ""
        kinds = [d for d in node.decorators if d in _KINDS or d.endswith((".setter", "property"))]
        prefix = "async " if node.is_async else ""
        return [*(f"@{d}" for d in kinds), f"{prefix}def {node.name}({inner}){returns}: ...{said}"]
    if node.kind is NodeKind.CLASS:
        bases = f"({', '.join(node.bases)})" if node.bases else ""
        made = [d for d in node.decorators if "dataclass" in d]
        fields = [
            f"    {a.name}{_typed(a.annotation, a.value)}"
            for a in node.attributes
            if a.annotation is not None or a.value is not None
        ]
        return [*(f"@{d}" for d in made), f"class {node.name}{bases}:{said}", *fields]
    return [f"{node.name}{_typed(node.annotation, node.value)}{said}"]


def _typed(annotation: str | None, value: str | None) -> str:
    """What stands behind a variable's name; long values are left out."""
    given = f" = {value}" if value and len(value) <= _LONGEST_VALUE else ""
    return f": {annotation}{given}" if annotation else given


_KINDS = frozenset({"staticmethod", "classmethod", "abstractmethod", "contextmanager"})


def _definitions(source: str) -> dict[str, tuple[int, str]]:
    """Qualified name -> (line, source where it is small) of everything that a file defines."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    lines = source_lines(source)
    found: dict[str, tuple[int, str]] = {}

    def visit(body: Iterable[ast.AST], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | Definition):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                last = node.end_lineno or node.lineno
                small = last - first < _SMALL and not _is_hollow(node)
                text = "\n".join(lines[first - 1 : last]) if small else ""
                found.setdefault(prefix + node.name, (first, text))
                if isinstance(node, ast.ClassDef):
                    visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(prefix + target.id, (node.lineno, ""))
            elif not isinstance(node, ast.expr):
                visit(ast.iter_child_nodes(node), prefix)

    visit(tree.body, "")
    return found


def _is_hollow(node: ast.AST) -> bool:
    """Whether a definition has no body yet, so that its signature tells all of it."""
    body = getattr(node, "body", [])
    rest = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(s, ast.Pass) or _not_implemented(s) for s in rest)


def _not_implemented(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Raise) and "NotImplementedError" in ast.unparse(stmt)
