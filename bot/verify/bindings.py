"""What a scope of Python binds: its names, and for each what is known of the value."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.state.extract import absolute_module

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Imported:
    """A name bound by an import: the module, and the name in it where it is no module."""

    module: str
    name: str = ""


@dataclass(frozen=True)
class Annotated:
    """A name whose type is written down: a parameter or an annotated assignment."""

    annotation: ast.expr


@dataclass(frozen=True)
class Held:
    """A value that a method assigns to an attribute of its first parameter."""

    method: Function
    value: ast.expr


@dataclass(frozen=True)
class Itself:
    """The first parameter of a method: an instance of the class, or the class."""

    cls: ast.ClassDef
    instance: bool


Binding = Function | ast.ClassDef | Imported | Annotated | Held | Itself | ast.expr | None
Bindings = dict[str, list[Binding]]


def block(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run in the scope of a body, at any depth of control flow."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, Function | ast.ClassDef):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from block(getattr(stmt, name, []))
        for inner in (*getattr(stmt, "handlers", []), *getattr(stmt, "cases", [])):
            yield from block(inner.body)


def bindings_of(path: str, body: Iterable[ast.stmt]) -> Bindings:
    """Every name that a body of the file `path` binds in its own scope; None stands for a binding
    that is no plain definition, import or assignment."""
    found: Bindings = {}
    for stmt in block(body):
        for name, what in _bound_by(path, stmt):
            found.setdefault(name, []).append(what)
    return found


def _bound_by(path: str, stmt: ast.stmt) -> Iterator[tuple[str, Binding]]:
    if isinstance(stmt, Function | ast.ClassDef):
        yield stmt.name, stmt
    elif isinstance(stmt, ast.Import):
        for alias in stmt.names:
            top = alias.name.split(".")[0]
            yield alias.asname or top, Imported(alias.name if alias.asname else top)
    elif isinstance(stmt, ast.ImportFrom):
        module = absolute_module(path, stmt.module, stmt.level)
        for alias in stmt.names:
            yield alias.asname or alias.name, Imported(module, alias.name)
    elif isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
        yield stmt.target.id, Annotated(stmt.annotation)
        yield from _loosely(stmt.value) if stmt.value else ()
    elif isinstance(stmt, ast.Assign) and all(isinstance(t, ast.Name) for t in stmt.targets):
        yield from ((t.id, stmt.value) for t in stmt.targets if isinstance(t, ast.Name))
        yield from _loosely(stmt.value)
    else:
        yield from ((h.name, None) for h in getattr(stmt, "handlers", []) if h.name)
        yield from _loosely(stmt)


def _loosely(node: ast.AST) -> Iterator[tuple[str, None]]:
    """Names that a statement binds in some other way; variables of comprehensions among them."""
    for inner in own_expressions(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            yield inner.id, None
        elif isinstance(inner, ast.MatchAs | ast.MatchStar) and inner.name:
            yield inner.name, None
        elif isinstance(inner, ast.MatchMapping) and inner.rest:
            yield inner.rest, None


def own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement holds besides further statements, `match` patterns among it."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.match_case):
            yield from own_expressions(child.pattern)
            if child.guard:
                yield from own_expressions(child.guard)
        elif not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from own_expressions(child)


def bindings_inside(path: str, function: Function, cls: ast.ClassDef | None) -> Bindings:
    """What the scope of a function binds: parameters and body. `cls` is the class that it is a
    method of. What nested functions can change is not known."""
    found = parameters_bound(function)
    if cls is not None and (itself := _itself(function, cls)):
        found[first_parameter(function)] = [itself]
    for name, more in bindings_of(path, function.body).items():
        found.setdefault(name, []).extend(more)
    for name in declared_elsewhere(function.body):
        if name in found:
            found[name].append(None)
    return found


def parameters_bound(function: Function | ast.Lambda) -> Bindings:
    """The parameters; what stars gather is not known."""
    a = function.args
    found: Bindings = {}
    for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs):
        found[arg.arg] = [Annotated(arg.annotation) if arg.annotation else None]
    for star in (a.vararg, a.kwarg):
        if star:
            found[star.arg] = [None]
    return found


_OF_CLASS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def _itself(method: Function, cls: ast.ClassDef) -> Itself | None:
    decorators = {tail(d) for d in method.decorator_list}
    first = first_parameter(method)
    if not first or "staticmethod" in decorators or first not in ("self", "cls"):
        return None
    of_class = "classmethod" in decorators or method.name in _OF_CLASS
    return Itself(cls, instance=first == "self" and not of_class)


def declared_elsewhere(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Names that are declared `nonlocal` or `global` inside: they can change at any time."""
    return frozenset(
        name
        for stmt in body
        for node in ast.walk(stmt)
        if isinstance(node, ast.Nonlocal | ast.Global)
        for name in node.names
    )


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def first_parameter(method: Function) -> str:
    """The name of what a method is called on; "" where it takes nothing."""
    plain = (*method.args.posonlyargs, *method.args.args)
    return plain[0].arg if plain else ""


def tail(expression: ast.expr) -> str:
    """The last name of a decorator or base: `wraps` of `@functools.wraps(f)`."""
    node: ast.expr = expression
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
