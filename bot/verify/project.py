"""The sources of a project as one index: modules with what they bind, classes with their members.

It errs on the side of not knowing: a module or class that can hold names which no text shows (star
imports from elsewhere, `__getattr__`, metaclasses, `setattr`) is `open`.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.state.model import module_name
from bot.syntax import parse
from bot.verify.bindings import (
    Annotated,
    Binding,
    Bindings,
    Function,
    Held,
    Imported,
    bindings_of,
    declared_elsewhere,
    first_parameter,
    is_name,
    tail,
)

_DYNAMIC = frozenset({"__getattr__", "__getattribute__"})
_PLAIN_DECORATORS = frozenset({"dataclass", "total_ordering", "final", "runtime_checkable"})
_PLAIN_METACLASSES = frozenset({"ABCMeta"})


@dataclass(eq=False)
class Class:
    """A class of the project. `members` are what its body binds and what its methods assign to
    their first parameter."""

    node: ast.ClassDef
    module: "Module"
    members: Bindings
    open: bool

    @property
    def name(self) -> str:
        return self.node.name


@dataclass(eq=False)
class Module:
    """One file. `stars` are the modules it imports everything from, `rebound` the names that
    functions declare global."""

    name: str
    path: str
    tree: ast.Module
    bindings: Bindings
    stars: tuple[str, ...]
    rebound: frozenset[str]
    open: bool


@dataclass(eq=False)
class Project:
    """All modules by dotted name, and all classes by their definition. `stored` are attribute
    names that are assigned to something other than a method's own first parameter."""

    modules: Mapping[str, Module]
    classes: Mapping[ast.ClassDef, Class]
    stored: frozenset[str]
    packages: frozenset[str]

    def names_of(self, module: str) -> frozenset[str] | None:
        """What a module binds at its top, with what its stars bring; None where that cannot be
        known."""
        found: set[str] = set()
        waiting, seen = [module], set[str]()
        while waiting:
            name = waiting.pop()
            home = self.modules.get(name)
            if home is None or home.open:
                return None
            if name not in seen:
                seen.add(name)
                found |= home.bindings.keys()
                waiting.extend(home.stars)
        return frozenset(found)


@dataclass(eq=False)
class FileIndex:
    """What one file adds to a project."""

    module: Module
    classes: Mapping[ast.ClassDef, Class]
    stored: frozenset[str]


@lru_cache(maxsize=512)
def index_file(path: str, source: str) -> FileIndex:
    """The index of one file, kept between calls; raises as `bot.syntax.parse` does."""
    module = _module(path, parse(source))
    nodes = list(ast.walk(module.tree))
    patched = frozenset(name for n in nodes for name in _patched(n))
    return FileIndex(
        module=module,
        classes={n: _class(n, module, patched) for n in nodes if isinstance(n, ast.ClassDef)},
        stored=frozenset(name for n in nodes for name in _stored(n)),
    )


def assemble(files: Iterable[FileIndex]) -> Project:
    """The files of a tree as one project."""
    files = tuple(files)
    modules = {f.module.name: f.module for f in files}
    parts = (name.split(".") for name in modules)
    return Project(
        modules=modules,
        classes={node: cls for f in files for node, cls in f.classes.items()},
        stored=frozenset(name for f in files for name in f.stored),
        packages=frozenset(".".join(p[:i]) for p in parts for i in range(1, len(p))),
    )


def _module(path: str, tree: ast.Module) -> Module:
    bindings = bindings_of(path, tree.body)
    stars = tuple(b.module for b in bindings.pop("*", []) if isinstance(b, Imported))
    rebound = declared_elsewhere(tree.body)
    for name in rebound:
        bindings.setdefault(name, []).append(None)
    return Module(
        name=module_name(path),
        path=path,
        tree=tree,
        bindings=bindings,
        stars=stars,
        rebound=rebound,
        open=bool(_DYNAMIC & bindings.keys()) or any(_writes_namespace(n) for n in ast.walk(tree)),
    )


def _writes_namespace(node: ast.AST) -> bool:
    """`globals()`, `exec` and `sys.modules` can put any name into a module."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("globals", "exec", "vars")
    return isinstance(node, ast.Attribute) and node.attr == "modules"


def _class(node: ast.ClassDef, module: Module, patched: frozenset[str]) -> Class:
    members = bindings_of(module.path, node.body)
    hidden = node.name in patched or any(
        tail(d) not in _PLAIN_DECORATORS for d in node.decorator_list
    )
    for keyword in node.keywords:
        hidden |= keyword.arg != "metaclass" or tail(keyword.value) not in _PLAIN_METACLASSES
    hidden |= bool(_DYNAMIC & members.keys()) or any(tail(b) == "Protocol" for b in node.bases)
    for binding in [b for found in list(members.values()) for b in found]:
        if isinstance(binding, Function):
            hidden |= _own_attributes(binding, members)
    for slot in members.get("__slots__", []):
        for name in _texts(slot) if isinstance(slot, ast.expr) else ():
            members.setdefault(name, []).append(None)
    return Class(node=node, module=module, members=members, open=hidden)


def _own_attributes(method: Function, members: Bindings) -> bool:
    """Add what a method assigns to its first parameter; whether it does so under names that the
    text does not show."""
    first = first_parameter(method)
    if not first:
        return False
    hidden = False
    known: dict[ast.expr, Binding] = {}
    for node in ast.walk(method):
        if isinstance(node, ast.Assign):
            known.update((t, Held(method, node.value)) for t in node.targets)
        elif isinstance(node, ast.AnnAssign):
            known[node.target] = Annotated(node.annotation)
        if isinstance(node, ast.Attribute) and is_name(node.value, first):
            if not isinstance(node.ctx, ast.Load):
                members.setdefault(node.attr, []).append(known.get(node))
            hidden |= node.attr == "__dict__"
        elif isinstance(node, ast.Call) and node.args and is_name(node.args[0], first):
            hidden |= tail(node.func) in ("setattr", "__setattr__", "vars")
    return hidden


def _patched(node: ast.AST) -> Iterator[str]:
    """Names of what gets attributes under names that are computed."""
    if not isinstance(node, ast.Call) or tail(node.func) != "setattr" or len(node.args) < 2:
        return
    owner, name = node.args[:2]
    if isinstance(owner, ast.Name) and not isinstance(name, ast.Constant):
        yield owner.id


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _stored(node: ast.AST) -> Iterator[str]:
    """Attribute names that a node assigns from outside of a method's own object."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        if not is_name(node.value, "self"):
            yield node.attr
    elif isinstance(node, ast.Call) and tail(node.func) in ("setattr", "__setattr__"):
        for name in node.args[1:2]:
            yield from _texts(name)
