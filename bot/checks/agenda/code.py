"""Sources of a project and of its tests as the agenda asks about them: what stands at a line, what
a name means, and which definitions use which."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from bot.state.extract import Definition, statements
from bot.state.lookup import FileFacts, Lookup, Modules, Value, facts_of
from bot.state.model import Node, NodeKind, RelationKind, file_id
from bot.state.references import relations_of

Edges = dict[str, dict[str, float]]

# What a call of a method by name alone may mean, and how far such a guess is believed.
_MOST_HOMES = 6
_GUESSED = 0.5
_GUESSED_COMMON = 0.15
_COMMON = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float)
    for name in dir(kind)
    if not name.startswith("__")
) | {"close", "read", "write", "open", "flush", "seek", "search", "match", "group", "send", "run"}
# What making or using an instance runs without naming it.
_MADE_BY = ("__init__", "__post_init__", "__new__", "__init_subclass__")
_IMPLIED = 0.5
_OVERRIDES = 0.6


class Code:
    """Parsed sources; `roots` are the folders of the tests."""

    def __init__(
        self, files: Mapping[str, str], tests: Mapping[str, str], roots: Sequence[str]
    ) -> None:
        self.texts = {**tests, **files}
        self.roots = tuple(roots)
        self.modules = Modules(frozenset(self.texts))
        self.facts: dict[str, FileFacts] = {}
        for path, text in sorted(self.texts.items()):
            if path.endswith(".py"):
                try:
                    self.facts[path] = facts_of(path, text, self.modules)
                except (SyntaxError, ValueError, RecursionError):
                    continue
        self.lookup = Lookup(self.facts, self.modules)
        self.paths = tuple(p for p in sorted(files) if not self.is_test(p))

    def is_test(self, path: str) -> bool:
        return any(path == root or path.startswith(f"{root}/") for root in self.roots)

    @cached_property
    def spans(self) -> Mapping[str, tuple[tuple[str, ast.stmt], ...]]:
        """By file, its functions and classes with their ids, outer ones first."""
        return {p: tuple(_defined(p, "", f.tree.body)) for p, f in self.facts.items()}

    @cached_property
    def trees(self) -> Mapping[str, ast.stmt]:
        """The statement that defines a node, by id."""
        return {node_id: stmt for spans in self.spans.values() for node_id, stmt in spans}

    @cached_property
    def named(self) -> Mapping[str, tuple[Node, ...]]:
        """What the project's files define, by bare name; re-exports left out."""
        found: dict[str, list[Node]] = {}
        for path in self.paths:
            for node in self.facts[path].nodes.values() if path in self.facts else ():
                if node.qualname and node.exported_from is None:
                    found.setdefault(node.name, []).append(node)
        return {name: tuple(nodes) for name, nodes in found.items()}

    def node_at(self, path: str, line: int) -> str:
        """The id of the innermost function or class around a line; the file's own where there is
        none."""
        found = path
        for node_id, stmt in self.spans.get(path, ()):
            if first_line(stmt) <= line <= (stmt.end_lineno or stmt.lineno):
                found = node_id
        return found

    def statement_at(self, path: str, line: int) -> ast.stmt | None:
        """The innermost statement around a line."""
        facts = self.facts.get(path)
        found: ast.stmt | None = None
        for node in ast.walk(facts.tree) if facts else ():
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
                inner = found is None or node.lineno >= found.lineno
                found = node if inner else found
        return found

    @cached_property
    def edges(self) -> Edges:
        """Which definition uses which, with how sure that is (0 to 1)."""
        edges: Edges = {}
        for facts in self.facts.values():
            self._across_files(facts, edges)
            self._inside_file(facts, edges)
        self._implied(edges)
        return edges

    def _across_files(self, facts: FileFacts, edges: Edges) -> None:
        try:
            relations = relations_of(facts, self.lookup)
        except RecursionError:
            return
        for relation in relations:
            if relation.kind is not RelationKind.IMPORT and relation.source != relation.files[0]:
                edges.setdefault(relation.source, {})[relation.target] = 1.0

    def _inside_file(self, facts: FileFacts, edges: Edges) -> None:
        for node_id, stmt in self.spans[facts.path]:
            mine = edges.setdefault(node_id, {})
            owner = node_id.rpartition(".")[0]
            sure = {target.rpartition("::")[2].rpartition(".")[2] for target in mine}
            for sub in _own_nodes(stmt):
                if isinstance(sub, ast.Name):
                    target = file_id(facts.path, sub.id)
                    if target in facts.nodes and target != node_id:
                        mine[target] = 1.0
                elif isinstance(sub, ast.Attribute):
                    member = self._own_member(owner, sub)
                    if member:
                        mine[member] = 1.0
                    elif sub.attr not in sure:
                        for guess, weight in self._guesses(sub.attr):
                            mine.setdefault(guess, weight)

    def _own_member(self, owner: str, node: ast.Attribute) -> str | None:
        receiver = node.value.id if isinstance(node.value, ast.Name) else ""
        if not owner or receiver not in ("self", "cls"):
            return None
        return self.lookup.member(Value(owner), node.attr)

    def _guesses(self, name: str) -> Iterator[tuple[str, float]]:
        homes = [n for n in self.named.get(name, ()) if n.parent != n.path]
        if name.startswith("__") or not 1 <= len(homes) <= _MOST_HOMES:
            return
        believed = _GUESSED_COMMON if name in _COMMON else _GUESSED
        for node in homes:
            yield node.id, believed / len(homes)

    def _implied(self, edges: Edges) -> None:
        """What a class runs when it is made or used, and what may stand in for its methods."""
        for facts in self.facts.values():
            for node in facts.nodes.values():
                owner = node.parent or ""
                if node.kind is not NodeKind.FUNCTION or owner == node.path:
                    continue
                dunder = node.name.startswith("__") and node.name.endswith("__")
                if node.name in _MADE_BY:
                    edges.setdefault(owner, {})[node.id] = 1.0
                elif dunder:
                    edges.setdefault(owner, {}).setdefault(node.id, _IMPLIED)
                for base in list(self.lookup.ancestry(owner))[1:]:
                    over = f"{base.id}.{node.name}"
                    if self.lookup.node(over) is not None:
                        edges.setdefault(over, {}).setdefault(node.id, _OVERRIDES)


def _defined(path: str, prefix: str, body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    for stmt in statements(body):
        if isinstance(stmt, Definition | ast.ClassDef):
            yield file_id(path, prefix + stmt.name), stmt
            if isinstance(stmt, ast.ClassDef):
                yield from _defined(path, f"{prefix}{stmt.name}.", stmt.body)


def _own_nodes(stmt: ast.stmt) -> Iterator[ast.AST]:
    """What a definition holds itself: a class without its methods and inner classes."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(stmt))
    inside_class = isinstance(stmt, ast.ClassDef)
    while waiting:
        node = waiting.pop()
        if inside_class and isinstance(node, Definition | ast.ClassDef):
            waiting.extend(node.decorator_list)
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def first_line(stmt: ast.stmt) -> int:
    decorated = stmt.decorator_list if isinstance(stmt, Definition | ast.ClassDef) else []
    return min([stmt.lineno, *(d.lineno for d in decorated)])
