"""Sources of a project and of its tests as the agenda asks about them: what stands at a line, what
a name means, and which definitions use which."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from bot.state.extract import Definition, statements
from bot.state.lookup import FileFacts, Lookup, Modules, Value, facts_of
from bot.state.model import Node, NodeKind, RelationKind, file_id
from bot.state.references import relations_of

Uses = dict[str, float]

# What `thing.name` may mean where the class of the thing is not known: how far a guess is believed
# where its class is in sight of the file, and where it is not. Names that Python's own types have
# mean the project's less often.
_MOST_HOMES = 8
_IN_SIGHT = 0.7
_OUT_OF_SIGHT = 0.3
_IF_COMMON = 0.4
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
        self._roots = tuple(roots)
        self._tests: dict[str, bool] = {}
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
        """Whether a file is one of the tests'."""
        known = self._tests.get(path)
        if known is None:
            known = any(path == root or path.startswith(f"{root}/") for root in self._roots)
            self._tests[path] = known
        return known

    def is_function(self, node_id: str) -> bool:
        return isinstance(self.trees.get(node_id), Definition)

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
                found = node
        return found

    @cached_property
    def edges(self) -> Mapping[str, Uses]:
        """Which definition uses which, with how sure that is (0 to 1)."""
        edges: dict[str, Uses] = {}
        for facts in self.facts.values():
            across = self._across_files(facts)
            for node_id, stmt in self.spans[facts.path]:
                edges[node_id] = across.get(node_id, {})
                self._by_name(node_id, stmt, edges[node_id])
        self._implied(edges)
        return edges

    def uses_of(self, owner: str, body: list[ast.stmt]) -> Uses:
        """What some statements of a function use, with how sure that is."""
        facts = self.facts[owner.partition("::")[0]]
        whole = self.trees.get(owner)
        if not isinstance(whole, Definition):
            return {}
        cut = ast.FunctionDef(
            name=whole.name, args=whole.args, body=body, decorator_list=[], returns=None
        )
        tree: ast.stmt = cut
        for name in reversed(owner.partition("::")[2].split(".")[:-1]):
            tree = ast.ClassDef(name=name, bases=[], keywords=[], body=[tree], decorator_list=[])
        part = ast.Module(body=[tree], type_ignores=[])
        alone = FileFacts(facts.path, part, facts.nodes, facts.imports)
        uses = self._across_files(alone).get(owner, {})
        self._by_name(owner, cut, uses)
        return uses

    def _across_files(self, facts: FileFacts) -> dict[str, Uses]:
        found: dict[str, Uses] = {}
        try:
            relations = relations_of(facts, self.lookup)
        except RecursionError:
            return found
        for relation in relations:
            if relation.kind is not RelationKind.IMPORT and relation.source != relation.files[0]:
                found.setdefault(relation.source, {})[relation.target] = 1.0
        return found

    def _by_name(self, node_id: str, stmt: ast.stmt, mine: Uses) -> None:
        """Add what a definition uses of its own file, and what its attributes may mean."""
        path, _, qualname = node_id.partition("::")
        facts = self.facts[path]
        owner = f"{path}::{qualname.rpartition('.')[0]}" if "." in qualname else ""
        sure = {target.rpartition("::")[2].rpartition(".")[2] for target in mine}
        for sub in _own_nodes(stmt):
            if isinstance(sub, ast.Name):
                target = file_id(path, sub.id)
                node = facts.nodes.get(target)
                if node is not None and node.exported_from is None and target != node_id:
                    mine[target] = 1.0
            elif isinstance(sub, ast.Attribute):
                member = self._own_member(owner, sub)
                if member:
                    mine[member] = 1.0
                elif sub.attr not in sure:
                    for guess, weight in self._guesses(path, sub.attr):
                        mine.setdefault(guess, weight)

    def _own_member(self, owner: str, node: ast.Attribute) -> str | None:
        receiver = node.value.id if isinstance(node.value, ast.Name) else ""
        if not owner or receiver not in ("self", "cls"):
            return None
        return self.lookup.member(Value(owner), node.attr)

    def _guesses(self, path: str, name: str) -> Iterator[tuple[str, float]]:
        homes = [n for n in self.named.get(name, ()) if n.parent != n.path]
        if name.startswith("__") or not 1 <= len(homes) <= _MOST_HOMES:
            return
        seen = [n for n in homes if n.path in self._sight(path)]
        believed = _IN_SIGHT if seen else _OUT_OF_SIGHT
        for node in seen or homes:
            yield node.id, believed * (_IF_COMMON if name in _COMMON else 1.0) / len(seen or homes)

    def _sight(self, path: str) -> frozenset[str]:
        """A file and those whose definitions it imports, re-exports followed."""
        if path not in self._sights:
            imports = self.facts[path].imports
            targets = [*imports.names.values(), *imports.stars]
            followed = [self.lookup.follow(t).partition("::")[0] for t in targets]
            self._sights[path] = frozenset((path, *followed))
        return self._sights[path]

    @cached_property
    def _sights(self) -> dict[str, frozenset[str]]:
        return {}

    def _implied(self, edges: dict[str, Uses]) -> None:
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
    """Where a statement begins, its decorators included."""
    decorated = stmt.decorator_list if isinstance(stmt, Definition | ast.ClassDef) else []
    return min([stmt.lineno, *(d.lineno for d in decorated)])


def last_name(expression: ast.expr) -> str:
    """The last part of a dotted name, "" for other expressions."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""
