"""Finds what a name or an attribute of the project's code stands for, across files: re-exports,
inheritance and the classes of instances, as far as annotations and constructor calls tell."""

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

from bot.state.extract import Imports, assigned, imports_of, nodes_of, statements
from bot.state.model import (
    Node,
    NodeKind,
    ProjectState,
    Relation,
    RelationKind,
    file_id,
    module_name,
)
from bot.syntax import parse, parse_expression

_MOST_BASES = 50


class Modules(Mapping[str, str]):
    """Dotted module name -> path, answered from the paths alone, so that asking for a few names
    of a large project costs no pass over it."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths

    def __getitem__(self, name: str) -> str:
        base = name.replace(".", "/")
        tried = (f"{base}/__init__.py", f"{base}.py") if base else ("__init__.py",)
        for path in (*tried, *(f"src/{t}" for t in tried)):
            if path in self._paths:
                return str(path)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (module_name(p) for p in self._paths if p.endswith(".py"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class FileFacts:
    """One parsed file: its tree, nodes by id, and imports."""

    path: str
    tree: ast.Module
    nodes: Mapping[str, Node]
    imports: Imports

    @cached_property
    def exports(self) -> frozenset[str] | None:
        """The names in `__all__`, None where there is none to read."""
        for stmt in statements(self.tree.body):
            if any(name == "__all__" for name, _, _ in assigned(stmt)):
                return frozenset(
                    s.value
                    for s in ast.walk(stmt)
                    if isinstance(s, ast.Constant) and isinstance(s.value, str)
                )
        return None


def facts_of(path: str, source: str, modules: Mapping[str, str]) -> FileFacts:
    """Parse one file; raise SyntaxError, ValueError or RecursionError where that fails."""
    tree, nodes = _read(path, source)
    return FileFacts(path, tree, nodes, imports_of(path, tree, modules))


@lru_cache(maxsize=512)
def _read(path: str, source: str) -> tuple[ast.Module, Mapping[str, Node]]:
    """Most files of a project are read again unchanged, round after round."""
    tree = parse(source)
    return tree, MappingProxyType({n.id: n for n in nodes_of(path, tree)})


@dataclass(frozen=True)
class Value:
    """What an expression stands for: the file, class, function or variable under `id`, or an
    instance of the class. `items` is the class of what a container holds; its own `id` is ""."""

    id: str
    instance: bool = False
    items: str = ""

    @property
    def element(self) -> "Value | None":
        """One of the things in a container."""
        return Value(self.items, instance=True) if self.items else None


class Lookup:
    """Names of parsed files, and behind them those of a state for files that are not parsed."""

    def __init__(
        self,
        files: Mapping[str, FileFacts],
        modules: Mapping[str, str],
        state: ProjectState | None = None,
    ) -> None:
        self._files = files
        self._modules = modules
        self._state = state or ProjectState()
        self._annotated: dict[tuple[str, str], Value | None] = {}
        self._names: dict[tuple[str, str], str | None] = {}
        self._imports: dict[str, Imports] = {}

    def node(self, node_id: str) -> Node | None:
        path = node_id.partition("::")[0]
        if path in self._files:
            return self._files[path].nodes.get(node_id)
        found = at(self._state.nodes, node_id)
        return found if found is not None and found.id == node_id else None

    def imports(self, path: str) -> Imports:
        """The imports of a file; local names that differ from the imported ones are known for
        parsed files alone."""
        if path in self._files:
            return self._files[path].imports
        if path not in self._imports:
            self._imports[path] = self._known_imports(path)
        return self._imports[path]

    def _known_imports(self, path: str) -> Imports:
        names: dict[str, str] = {}
        stars: list[str] = []
        for relation in relations_from(self._state.realized, path):
            if relation.kind is RelationKind.IMPORT and relation.source == path:
                local = relation.target.partition("::")[2]
                if local:
                    names[local] = relation.target
                elif relation.signal == "star":
                    stars.append(relation.target)
                else:
                    names[module_name(relation.target).rpartition(".")[2]] = relation.target
        return Imports(names=names, stars=tuple(stars))

    def name(self, path: str, name: str) -> str | None:
        """The id that a name at the top of a file stands for, re-exports followed."""
        key = (path, name)
        if key not in self._names:
            # Files that import from each other must not be asked in circles.
            self._names[key] = None
            self._names[key] = self._looked_up(path, name)
        return self._names[key]

    def _looked_up(self, path: str, name: str) -> str | None:
        own = self.node(file_id(path, name))
        if own is not None and own.exported_from is None:
            return own.id
        imports = self.imports(path)
        target = imports.names.get(name) or (self._origin(own) if own is not None else None)
        if target is not None:
            return self.follow(target)
        for star in imports.stars:
            found = self.name(star, name)
            if found is not None and self._exported(star, name):
                return found
        if path.endswith("__init__.py"):
            return self._modules.get(f"{module_name(path)}.{name}") or (own.id if own else None)
        return own.id if own else None

    def _origin(self, own: Node) -> str | None:
        """The id from which a package takes a re-export."""
        name = own.value or own.name
        module = own.exported_from or ""
        home = self._modules.get(module)
        return self._modules.get(f"{module}.{name}") or (file_id(home, name) if home else None)

    def _exported(self, path: str, name: str) -> bool:
        """Whether a star import of a file brings a name."""
        if path in self._files:
            exports = self._files[path].exports
            return name in exports if exports is not None else not name.startswith("_")
        named = self.node(file_id(path, "__all__"))
        return not name.startswith("_") or (named is not None and repr(name) in (named.value or ""))

    def follow(self, target: str) -> str:
        """The definition behind an id: `pkg/__init__.py::Name` where that is imported from
        elsewhere, and members that a base class defines. The id itself where nothing is known."""
        path, _, qualname = target.partition("::")
        if not qualname:
            return target
        head, *rest = qualname.split(".")
        found = self.name(path, head)
        if found is None:
            return target
        for part in rest:
            step = self.member(Value(found), part)
            if step is None:
                return file_id(found, part) if "::" not in found else f"{found}.{part}"
            found = step
        return found

    def member(self, value: Value, name: str) -> str | None:
        """The id of a member of a module or class, bases included; None where nothing has it."""
        if "::" not in value.id:
            return self.name(value.id, name)
        for cls in self.ancestry(value.id):
            child = self.node(f"{cls.id}.{name}")
            if child is not None:
                return child.id
        return None

    def ancestry(self, class_id: str) -> Iterator[Node]:
        """A class and its bases of the project, nearest first."""
        waiting, seen = [class_id], set[str]()
        while waiting and len(seen) < _MOST_BASES:
            current = waiting.pop(0)
            node = self.node(current)
            if current in seen or node is None or node.kind is not NodeKind.CLASS:
                continue
            seen.add(current)
            yield node
            bases = (self.annotated(b, node.path) for b in node.bases)
            waiting.extend(b.id for b in bases if b is not None)

    def attribute(self, value: Value, name: str) -> Value | None:
        """The instance that an attribute holds, where its class is known."""
        for cls in self.ancestry(value.id):
            for a in cls.attributes:
                if a.name == name:
                    text = a.annotation or a.holds or a.value
                    return self.made_by(text, cls.path) if text else None
        return None

    def holding(self, node: Node) -> Value | None:
        """What a variable holds, or a property or a function gives."""
        text = node.returns if node.kind is NodeKind.FUNCTION else node.annotation or node.value
        return self.made_by(text, node.path) if text else None

    def made_by(self, text: str, path: str) -> Value | None:
        """The instance that an annotation or a constructor call in a file stands for."""
        called = text.endswith(")") and "(" in text
        text = text.partition("(")[0] if called else text
        found = self.annotated(text, path)
        if found is None or found.items:
            return found
        node = self.node(found.id)
        if called and node is not None and node.kind is NodeKind.FUNCTION:
            return self.annotated(node.returns, node.path) if node.returns else None
        return Value(found.id, instance=True)

    def annotated(self, text: str, path: str) -> Value | None:
        """The first class (or function) of the project that an annotation names."""
        key = (text, path)
        if key not in self._annotated:
            # A base that names itself must not be asked for again while it is being looked up.
            self._annotated[key] = None
            self._annotated[key] = self._first_class(text, path)
        return self._annotated[key]

    def _first_class(self, text: str, path: str) -> Value | None:
        if text.startswith(("'", '"')):
            text = text.strip("'\"")
        try:
            tree = parse_expression(text.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for expression in _named(tree.body):
            found = self.dotted(expression, path)
            node = self.node(found) if found else None
            if node is not None and node.kind in (NodeKind.CLASS, NodeKind.FUNCTION):
                return Value(node.id, instance=node.kind is NodeKind.CLASS)
        for inner in _contained(tree.body):
            found = self.dotted(inner, path)
            node = self.node(found) if found else None
            if node is not None and node.kind is NodeKind.CLASS:
                return Value("", instance=True, items=node.id)
        return None

    def dotted(self, text: str, path: str) -> str | None:
        """The id behind a dotted name as a file's top level sees it."""
        names = self.imports(path).names
        parts = text.split(".")
        for cut in range(len(parts), 0, -1):
            target = names.get(".".join(parts[:cut]))
            if target is None and cut == 1:
                target = self.name(path, parts[0])
            if target is not None:
                rest = ".".join(parts[cut:])
                joined = target if not rest else _joined(target, rest)
                return self.follow(joined)
        return None


def _joined(target: str, rest: str) -> str:
    return f"{target}.{rest}" if "::" in target else file_id(target, rest)


# What an annotation may wrap around the class of the thing itself.
_TRANSPARENT = frozenset(
    ["Optional", "Union", "ClassVar", "Final", "Annotated", "Type", "type", "Required", "Awaitable"]
)


def _named(expression: ast.expr) -> Iterator[str]:
    """Dotted names that an annotation gives as the class of a value, unions opened."""
    if isinstance(expression, ast.Name | ast.Attribute):
        yield ast.unparse(expression)
    elif isinstance(expression, ast.BinOp):
        yield from _named(expression.left)
        yield from _named(expression.right)
    elif isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        if expression.value.replace(".", "").isidentifier():
            yield expression.value
    elif isinstance(expression, ast.Tuple):
        for element in expression.elts:
            yield from _named(element)
    elif isinstance(expression, ast.Subscript):
        head = ast.unparse(expression.value).rpartition(".")[2]
        yield from _named(expression.slice if head in _TRANSPARENT else expression.value)


# Containers in lower case, as `typing` and `collections.abc` write them with capitals.
_PAIRED = frozenset(["dict", "mapping", "mutablemapping", "defaultdict", "ordereddict"])
_PLAIN = frozenset(
    ["list", "tuple", "set", "frozenset", "sequence", "iterable", "iterator", "collection"]
)
_CONTAINERS = _PAIRED | _PLAIN | {"deque", "generator", "asynciterator", "asynciterable"}


def _contained(expression: ast.expr) -> Iterator[str]:
    """Dotted names of what the containers in an annotation hold; of a mapping its values."""
    for sub in ast.walk(expression):
        if isinstance(sub, ast.Subscript):
            head = ast.unparse(sub.value).rpartition(".")[2].lower()
            inner = sub.slice
            if isinstance(inner, ast.Tuple) and inner.elts and head in _PAIRED:
                inner = inner.elts[-1]
            yield from _named(inner) if head in _CONTAINERS else ()


def at(nodes: tuple[Node, ...], node_id: str) -> Node | None:
    """The first node at or after an id, among nodes in order of id."""
    index = bisect_left(nodes, node_id, key=lambda n: n.id)
    return nodes[index] if index < len(nodes) else None


def relations_from(relations: tuple[Relation, ...], path: str) -> Iterator[Relation]:
    """The relations whose source stands in a file, among relations in order of source."""
    for first in (path, f"{path}::"):
        index = bisect_left(relations, first, key=lambda r: r.source)
        while index < len(relations):
            source = relations[index].source
            if source != first and not (first.endswith("::") and source.startswith(first)):
                break
            yield relations[index]
            index += 1
