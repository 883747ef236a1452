"""What the seeding of faults must know of a reference, told by names alone and apart from the gate,
so that the gate is not measured against itself."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.state.extract import absolute_module
from bot.state.model import module_name
from bot.syntax import parse

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_CLOSED_BASES = frozenset({"object", "ABC", "Exception", "ValueError", "KeyError", "TypeError"})


@dataclass(frozen=True)
class Target:
    """A definition that a call names without doubt; `given` parameters are bound already."""

    node: Definition
    given: int


@dataclass(frozen=True)
class Landmarks:
    """The names of a project; `trees` maps paths to syntax trees."""

    trees: Mapping[str, ast.Module]

    @classmethod
    def of(cls, sources: Mapping[str, str]) -> "Landmarks":
        return cls({path: parse(source) for path, source in sorted(sources.items())})

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """Dotted name -> path."""
        return {module_name(path): path for path in self.trees}

    @cached_property
    def definitions(self) -> Mapping[str, list[ast.AST]]:
        """Name -> every function and class of that name, at any depth."""
        found: dict[str, list[ast.AST]] = {}
        for tree in self.trees.values():
            for node in ast.walk(tree):
                if isinstance(node, Definition | ast.ClassDef):
                    found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Every name that some class or module of the project defines or assigns."""
        stores = {
            n.attr
            for tree in self.trees.values()
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
        }
        return frozenset(stores | self.definitions.keys())

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        return {
            child: node
            for tree in self.trees.values()
            for node in ast.walk(tree)
            for child in ast.iter_child_nodes(node)
        }

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, the innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function_of(self, node: ast.AST) -> Definition | None:
        return next((n for n in self.around(node) if isinstance(n, Definition)), None)

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose method a node stands in, nested functions left out."""
        function = self.function_of(node)
        above = self.parents.get(function) if function else None
        return above if isinstance(above, ast.ClassDef) else None

    def members(self, cls: ast.ClassDef) -> Mapping[str, Definition | None] | None:
        """What a class and its bases define; None where a base is not of the project."""
        found: dict[str, Definition | None] = {}
        for base in cls.bases:
            name = getattr(base, "id", "")
            same = [n for n in self.definitions.get(name, ()) if isinstance(n, ast.ClassDef)]
            if name in _CLOSED_BASES and not same:
                continue
            inner = self.members(same[0]) if len(same) == 1 and same[0] is not cls else None
            if inner is None:
                return None
            found.update(inner)
        if cls.keywords or cls.decorator_list:
            return None
        for node in ast.walk(cls):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.attr, None)
        found.update({n.name: n for n in cls.body if isinstance(n, Definition)})
        return None if "__getattr__" in found else found

    def imports(self, path: str) -> Mapping[str, str]:
        """Local name -> dotted name of what the top of a file imports from the project."""
        found: dict[str, str] = {}
        for node in self.trees[path].body:
            if isinstance(node, ast.Import):
                found.update({a.asname: a.name for a in node.names if a.asname})
                found.update({a.name: a.name for a in node.names if "." not in a.name})
            elif isinstance(node, ast.ImportFrom):
                module = absolute_module(path, node.module, node.level)
                found.update({a.asname or a.name: f"{module}.{a.name}" for a in node.names})
        roots = {m.split(".")[0] for m in self.modules}
        return {k: v for k, v in found.items() if v.split(".")[0] in roots}

    def top(self, dotted: str) -> ast.AST | None:
        """The only definition at the top of a module that a dotted name means."""
        module, _, name = dotted.rpartition(".")
        if module not in self.modules:
            return None
        body = self.trees[self.modules[module]].body
        found = [n for n in body if getattr(n, "name", None) == name]
        return found[0] if len(found) == 1 else None

    def named(self, path: str, expression: ast.expr) -> ast.AST | None:
        """The definition that an expression names: a name of the file, an imported one, an
        attribute of an imported module, or a method of `self`."""
        imports = self.imports(path)
        if isinstance(expression, ast.Name):
            function = self.function_of(expression)
            if function and expression.id in _local_names(function):
                return None
            own = f"{module_name(path)}.{expression.id}"
            return self.top(imports.get(expression.id, own))
        if not isinstance(expression, ast.Attribute) or not isinstance(expression.value, ast.Name):
            return None
        if expression.value.id == "self":
            cls = self.class_of(expression)
            return (self.members(cls) or {}).get(expression.attr) if cls else None
        module = imports.get(expression.value.id, "")
        return self.top(f"{module}.{expression.attr}") if module in self.modules else None

    def target(self, path: str, call: ast.Call) -> Target | None:
        """The function that a call runs, where the text alone tells."""
        found = self.named(path, call.func)
        given = 1 if isinstance(call.func, ast.Attribute) and _is_self(call.func.value) else 0
        if isinstance(found, ast.ClassDef):
            found, given = (self.members(found) or {}).get("__init__"), 1
        if not isinstance(found, Definition):
            return None
        kinds = {getattr(d, "id", "?") for d in found.decorator_list}
        if kinds - {"staticmethod", "classmethod"}:
            return None
        return Target(found, 0 if "staticmethod" in kinds else given)

    def bound(self, path: str) -> Counter[str]:
        """How often a file binds each name, in any scope."""
        count: Counter[str] = Counter()
        for node in ast.walk(self.trees[path]):
            if isinstance(node, ast.alias):
                count[node.asname or node.name.split(".")[0]] += 1
            elif isinstance(node, Definition | ast.ClassDef):
                count[node.name] += 1
            elif isinstance(node, ast.arg):
                count[node.arg] += 1
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                count[node.id] += 1
        return count


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _local_names(function: Definition) -> set[str]:
    names = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    return names | {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
