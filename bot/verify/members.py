"""Attributes and arguments that do not match a definition in the project."""

import ast
import difflib
from collections.abc import Iterable, Iterator

from bot.spec.model import Location
from bot.verify.arguments import misfit
from bot.verify.bindings import Function, bindings_of, parameters_bound, tail
from bot.verify.conditions import asks_platform, expects_missing_attribute
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.inference import (
    ClassOf,
    FunctionOf,
    Inference,
    Instance,
    Known,
    ModuleOf,
    Scope,
    SuperOf,
)
from bot.verify.project import Class, Module
from bot.verify.returns import gives_nothing, used_values
from bot.verify.standard import standard_names

Fault = tuple[ast.expr, Rule, str]


def verify_members(module: Module, inference: Inference) -> list[Evidence]:
    """Faults of one file: attributes that their owner does not have, calls that do not bind."""
    walk = _Walk(module, inference)
    return [
        Evidence(
            tool=Tool.GATE,
            rule=rule,
            subject=module.path,
            verdict="fault",
            detail=f"`{module.path}` {why}",
            location=Location(file=module.path, line=node.lineno, column=node.col_offset + 1),
        )
        for node, rule, why in walk.faults()
    ]


class _Walk:
    """Goes through one module with the scope of each expression."""

    def __init__(self, module: Module, inference: Inference) -> None:
        self._module = module
        self._know = inference

    def faults(self) -> Iterator[Fault]:
        scope = Scope(self._module)
        for stmt in self._module.tree.body:
            yield from self._visit(stmt, scope, None)

    def _visit(self, node: ast.AST, scope: Scope, cls: Class | None) -> Iterator[Fault]:
        if isinstance(node, Function):
            yield from self._each(_around(node), scope)
            yield from self._each(node.body, self._know.inside(scope, node, cls))
        elif isinstance(node, ast.Lambda):
            inner = (parameters_bound(node), *scope.functions)
            yield from self._visit(
                node.body, Scope(scope.module, inner, scope.narrowed, scope.methods), None
            )
        elif isinstance(node, ast.ClassDef):
            yield from self._class(node, scope)
        elif isinstance(node, ast.Try) and expects_missing_attribute(node):
            tried = self._each(node.body, scope, cls)
            yield from (f for f in tried if not isinstance(f[0], ast.Attribute))
            rest = [*node.handlers, *node.orelse, *node.finalbody]
            yield from self._each(rest, scope, cls)
        elif isinstance(node, ast.If | ast.IfExp) and asks_platform(node.test):
            return
        elif isinstance(node, ast.AnnAssign):
            value = [node.value] if node.value else []
            yield from self._each([node.target, node.annotation, *value], scope)
        else:
            yield from self._expression(node, scope)
            inside = cls if isinstance(node, ast.stmt | ast.ExceptHandler) else None
            yield from self._each(ast.iter_child_nodes(node), scope, inside)

    def _each(
        self, nodes: Iterable[ast.AST], scope: Scope, cls: Class | None = None
    ) -> Iterator[Fault]:
        for node in nodes:
            yield from self._visit(node, scope, cls)

    def _class(self, node: ast.ClassDef, scope: Scope) -> Iterator[Fault]:
        cls = self._know.project.classes[node]
        yield from self._each([*node.decorator_list, *node.bases], scope)
        own = bindings_of(self._module.path, node.body)
        body = Scope(scope.module, (own, *scope.functions), scope.narrowed, scope.methods)
        for stmt in node.body:
            yield from self._visit(stmt, scope if isinstance(stmt, Function) else body, cls)

    def _expression(self, node: ast.AST, scope: Scope) -> Iterator[Fault]:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            if scope.narrowed and ast.unparse(node.value) in scope.narrowed:
                return
            if why := self._missing(self._know.of(node.value, scope), node):
                yield node, Rule.MEMBER, why
        elif isinstance(node, ast.Call) and (
            why := misfit(self._know.of(node.func, scope), node, self._know)
        ):
            yield node, Rule.ARGUMENT, f"calls `{_short(node)}`, but `{_last(node.func)}` {why}"
        for value in used_values(node):
            if isinstance(value, ast.Call) and self._is_empty(self._know.of(value.func, scope)):
                why = f"uses the result of `{_short(value)}`, which returns nothing"
                yield value, Rule.NO_RESULT, why

    def _is_empty(self, called: Known) -> bool:
        """Whether a call gives None whatever class of the project answers it."""
        if not isinstance(called, FunctionOf):
            return False
        name = called.node.name
        below = self._know.descendants(called.cls) if called.cls else ()
        others = [b for d in below for b in d.members.get(name, ())]
        return all(isinstance(f, Function) and gives_nothing(f) for f in (called.node, *others))

    def _missing(self, owner: Known, node: ast.Attribute) -> str:
        """Why an attribute cannot be there; "" where it can."""
        name = node.attr
        if name.startswith("__") and name.endswith("__"):
            return ""
        if isinstance(owner, ModuleOf):
            has = self._names_of(owner.name)
            if (
                has is None
                or name in has
                or self._private_elsewhere(owner.name, name)
                or f"{owner.name}.{name}" in self._know.project.modules
            ):
                return ""
            return _unknown(ast.unparse(node), f"module `{owner.name}`", name, has)
        if isinstance(owner, ClassOf | Instance) and isinstance(owner.cls, type):
            return _missing_built_in(owner, owner.cls, node)
        if isinstance(owner, ClassOf | Instance | SuperOf) and isinstance(owner.cls, Class):
            return self._missing_in_class(owner, owner.cls, node)
        return ""

    def _missing_in_class(
        self, owner: ClassOf | Instance | SuperOf, cls: Class, node: ast.Attribute
    ) -> str:
        name = node.attr
        places = list(self._know.lineage(cls))
        if isinstance(owner, SuperOf):
            places = places[1:]
        elif isinstance(owner, ClassOf):
            places.append(type)
        if not isinstance(owner, Instance) or not owner.exact:
            below = self._know.descendants(cls)
            places.extend(p for d in below for p in self._know.lineage(d))
            if isinstance(owner, SuperOf) and any(len(d.node.bases) > 1 for d in (*below, cls)):
                return ""
        if name in self._know.project.stored or any(_may_hold(p, name) for p in places):
            return ""
        has = {m for p in places if isinstance(p, Class) for m in p.members}
        return _unknown(_short(node), f"`{cls.name}` (`{cls.module.path}`)", name, has)

    def _private_elsewhere(self, module: str, name: str) -> bool:
        return module not in self._know.project.modules and name.startswith("_")

    def _names_of(self, module: str) -> frozenset[str] | None:
        """What a module binds; None where that cannot be known."""
        project = self._know.project
        inside = module in project.modules or module in project.packages
        return project.names_of(module) if inside else standard_names(module)


def _around(node: Function) -> Iterator[ast.expr]:
    """The expressions of a definition that stand outside of its body."""
    a = node.args
    yield from (*node.decorator_list, *a.defaults, *(d for d in a.kw_defaults if d))
    arguments = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
    yield from (arg.annotation for arg in arguments if arg and arg.annotation)
    if node.returns:
        yield node.returns


# Written types that are what they say; `float` may be an array, `tuple` a named one.
_TRUSTED = (str, bytes, list, dict, set)


def _missing_built_in(owner: ClassOf | Instance, kind: type, node: ast.Attribute) -> str:
    if isinstance(owner, ClassOf):
        has = hasattr(kind, node.attr) or hasattr(type, node.attr)
    else:
        has = hasattr(kind, node.attr) or not (owner.exact or kind in _TRUSTED)
    return "" if has else _unknown(_short(node), f"`{kind.__name__}`", node.attr, dir(kind))


def _may_hold(place: Class | type | None, name: str) -> bool:
    if place is None:
        return True
    if isinstance(place, type):
        return hasattr(place, name) or name in dir(place) or name in ("name", "value")
    return place.open or name in place.members


def _unknown(used: str, owner: str, name: str, has: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, sorted(has), n=1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    return f"uses `{used}`, and {owner} has no `{name}`{hint}"


def _last(called: ast.expr) -> str:
    """What is called, without what it belongs to."""
    return tail(called) or _short(called)


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 80 else f"{text[:77]}..."
