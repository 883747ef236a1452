"""Who calls what in the code of a project, as far as its text tells: references that are resolved,
and the bare names that stand for receivers whose class nobody wrote down."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from bot.state.extract import Definition, statements
from bot.state.lookup import FileFacts, Lookup, Modules, Value, facts_of
from bot.state.model import Node, NodeKind, file_id
from bot.state.references import references_of

# What stands at the top of a file and in no definition; Python's own name for it.
MODULE = "<module>"


class Calls:
    """The files of a tree (path -> source); those that do not parse are left out."""

    def __init__(self, files: Mapping[str, str]) -> None:
        modules = Modules(files)
        self._facts: dict[str, FileFacts] = {}
        self._trees: dict[str, ast.AST] = {}
        for path, source in sorted(files.items()):
            if path.endswith(".py"):
                try:
                    facts = facts_of(path, source, modules)
                    self._trees.update(_definitions(path, "", facts.tree))
                except (SyntaxError, ValueError, RecursionError):
                    continue
                self._facts[path] = facts
        self.lookup = Lookup(self._facts, modules)
        self._attributes: dict[str, frozenset[str]] = {}
        self._referred: dict[str, frozenset[str]] = {}

    def nodes(self) -> Iterator[Node]:
        """Every node that the files define."""
        return (n for facts in self._facts.values() for n in facts.nodes.values())

    def below(self, class_id: str) -> frozenset[str]:
        """A class and those that inherit from it."""
        return self._below.get(class_id, frozenset([class_id]))

    def relatives(self, class_id: str) -> frozenset[str]:
        """A class, those above it and those below."""
        return self.below(class_id) | {node.id for node in self.lookup.ancestry(class_id)}

    def code_of(self, node_id: str) -> frozenset[str]:
        """The definitions whose code runs for a node: of a class its relatives', for an instance
        may be one of a class below and inherits from those above; of a package its files'; of the
        function `main` the script's."""
        node = self.lookup.node(node_id)
        if node is None:
            return frozenset()
        if node.kind is NodeKind.CLASS:
            return self.relatives(node_id)
        if node.kind is NodeKind.FILE and node.name == "__init__.py":
            folder = node_id.removesuffix("__init__.py")
            return frozenset(path for path in self._facts if path.startswith(folder))
        script = {file_id(node.path, MODULE)} if node.qualname == "main" else set()
        return frozenset({node_id} | script)

    def outside_classes(self) -> frozenset[str]:
        """The functions at the top of files, and what stands beside them."""
        functions = {
            n.id for n in self.nodes() if n.kind is NodeKind.FUNCTION and n.parent == n.path
        }
        return frozenset(functions | {file_id(path, MODULE) for path in self._facts})

    def reached(self, starts: Iterable[str], apart: str) -> frozenset[str]:
        """The definitions that run when those of `starts` do: themselves and what they refer to,
        step by step; but none that stands in the node `apart`."""
        waiting, seen = list(starts), set(starts)
        while waiting:
            for target in self._steps(waiting.pop()):
                if target not in seen and not _is_of(target, apart):
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    def _steps(self, node_id: str) -> Iterator[str]:
        for target in self.referred(node_id):
            node = self.lookup.node(target)
            if node is not None and node.kind is NodeKind.GLOBAL:
                node = self.lookup.node(self._behind(node) or "")
            if node is not None and node.kind is NodeKind.CLASS:
                made = self.lookup.member(Value(node.id), "__init__")
                yield from [made] if made is not None else []
            elif node is not None and node.kind is NodeKind.FUNCTION:
                yield node.id

    def _behind(self, node: Node) -> str | None:
        """What a variable is another name for: a definition, or a method of what a variable
        holds (`dump = _default.dump`)."""
        owner, _, name = (node.value or "").rpartition(".")
        if not name.isidentifier():
            return None
        home = self.lookup.node(self.lookup.name(node.path, owner or name) or "")
        if home is None or not owner:
            return home.id if home is not None else None
        held = self.lookup.holding(home) if home.kind is NodeKind.GLOBAL else Value(home.id)
        return self.lookup.member(held, name) if held is not None else None

    def referred(self, node_id: str) -> frozenset[str]:
        """Ids of what a definition and everything inside it refer to."""
        if node_id not in self._referred:
            self._referred[node_id] = frozenset(self._found(node_id))
        return self._referred[node_id]

    def _found(self, node_id: str) -> Iterator[str]:
        path, _, qualname = node_id.partition("::")
        if qualname == MODULE:
            yield from self._references.get(path, {}).get(path, ())
            return
        inner = f"{node_id}." if qualname else f"{path}::"
        for source, targets in self._references.get(path, {}).items():
            if source == node_id or source.startswith(inner):
                yield from targets

    def attributes(self, node_id: str) -> frozenset[str]:
        """Names of all attributes that a definition calls or passes on, `getattr(x, "save")` among
        them; what it only looks at (`if x.save:`) is left to what is resolved."""
        if node_id not in self._attributes:
            tree = self._trees.get(node_id)
            found = frozenset(_attributes(tree)) if tree is not None else frozenset[str]()
            self._attributes[node_id] = found
        return self._attributes[node_id]

    @cached_property
    def _references(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Path -> innermost definition -> ids of what it refers to."""
        return {path: self._references_of(facts) for path, facts in self._facts.items()}

    def _references_of(self, facts: FileFacts) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        try:
            references = references_of(facts, self.lookup)
        except RecursionError:
            return {}
        for source, target, _ in references:
            found.setdefault(source, set()).add(target)
        return {source: frozenset(targets) for source, targets in found.items()}

    @cached_property
    def _below(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for node in self.nodes():
            if node.kind is NodeKind.CLASS:
                for above in self.lookup.ancestry(node.id):
                    found.setdefault(above.id, set()).add(node.id)
        return {class_id: frozenset(below) for class_id, below in found.items()}


def _is_of(node_id: str, owner: str) -> bool:
    """Whether a definition is the owner, or stands in it."""
    return node_id == owner or node_id.startswith((f"{owner}.", f"{owner}::"))


def _definitions(path: str, prefix: str, tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """(node id, tree) of a file, of what stands beside its definitions, and of each of these."""
    yield file_id(path, prefix), tree
    if isinstance(tree, ast.Module):
        beside = [s for s in tree.body if not isinstance(s, Definition | ast.ClassDef)]
        yield file_id(path, MODULE), ast.Module(beside, [])
    if isinstance(tree, ast.Module | ast.ClassDef):
        for stmt in statements(tree.body):
            if isinstance(stmt, Definition | ast.ClassDef):
                name = f"{prefix}.{stmt.name}" if prefix else stmt.name
                yield from _definitions(path, name, stmt)


# What takes the name of an attribute as a string.
_BY_NAME = frozenset({"getattr", "methodcaller", "attrgetter"})


def _attributes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        for value in _handled(node):
            if isinstance(value, ast.Attribute):
                yield value.attr
        if isinstance(node, ast.Call):
            func = node.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name in _BY_NAME:
                for given in node.args:
                    if isinstance(given, ast.Constant) and isinstance(given.value, str):
                        yield given.value


def _handled(node: ast.AST) -> Iterable[ast.expr | None]:
    """The expressions directly below a node that it calls, keeps or gives to somebody."""
    if isinstance(node, ast.Call):
        return (node.func, *node.args, *(k.value for k in node.keywords))
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return | ast.Lambda):
        return (node.body if isinstance(node, ast.Lambda) else node.value,)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.IfExp | ast.BoolOp):
        return node.values if isinstance(node, ast.BoolOp) else (node.body, node.orelse)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.decorator_list
    return ()
