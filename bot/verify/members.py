"""Attributes and arguments that do not match a definition in the project."""

import ast
import difflib
from collections.abc import Iterable, Iterator

from bot.spec.model import Location
from bot.state.signatures import accepts, parameters_of
from bot.verify.bindings import Function, bindings_of, parameters_bound, tail
from bot.verify.conditions import asks_platform, forgives
from bot.verify.evidence import Evidence, Tool
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
from bot.verify.standard import standard_names

_SAME_SIGNATURE = frozenset(
    {
        "staticmethod",
        "classmethod",
        "abstractmethod",
        "override",
        "final",
        "lru_cache",
        "cache",
        "contextmanager",
        "asynccontextmanager",
    }
)


def verify_members(module: Module, inference: Inference) -> list[Evidence]:
    """Faults of one file: attributes that their owner does not have, calls that do not bind."""
    walk = _Walk(module, inference)
    return [
        Evidence(
            tool=Tool.GATE,
            subject=module.path,
            verdict="fault",
            detail=f"`{module.path}` {why}",
            location=Location(file=module.path, line=node.lineno, column=node.col_offset + 1),
        )
        for node, why in walk.faults()
    ]


class _Walk:
    """Goes through one module with the scope of each expression."""

    def __init__(self, module: Module, inference: Inference) -> None:
        self._module = module
        self._know = inference

    def faults(self) -> Iterator[tuple[ast.expr, str]]:
        scope = Scope(self._module)
        for stmt in self._module.tree.body:
            yield from self._visit(stmt, scope, None)

    def _visit(
        self, node: ast.AST, scope: Scope, cls: Class | None
    ) -> Iterator[tuple[ast.expr, str]]:
        if isinstance(node, Function):
            outer = [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]
            yield from self._each((e for e in outer if e), scope)
            yield from self._each(node.body, self._know.inside(scope, node, cls))
        elif isinstance(node, ast.Lambda):
            inner = (parameters_bound(node), *scope.functions)
            yield from self._visit(
                node.body, Scope(scope.module, inner, scope.narrowed, scope.methods), None
            )
        elif isinstance(node, ast.ClassDef):
            yield from self._class(node, scope)
        elif isinstance(node, ast.Try) and forgives(node):
            yield from self._each([*node.orelse, *node.finalbody], scope, cls)
        elif isinstance(node, ast.If | ast.IfExp) and asks_platform(node.test):
            return
        elif isinstance(node, ast.AnnAssign):
            yield from self._each([node.target, *([node.value] if node.value else [])], scope)
        else:
            yield from self._expression(node, scope)
            inside = cls if isinstance(node, ast.stmt | ast.ExceptHandler) else None
            yield from self._each(ast.iter_child_nodes(node), scope, inside)

    def _each(
        self, nodes: Iterable[ast.AST], scope: Scope, cls: Class | None = None
    ) -> Iterator[tuple[ast.expr, str]]:
        for node in nodes:
            yield from self._visit(node, scope, cls)

    def _class(self, node: ast.ClassDef, scope: Scope) -> Iterator[tuple[ast.expr, str]]:
        cls = self._know.project.classes[node]
        yield from self._each([*node.decorator_list, *node.bases], scope)
        own = bindings_of(self._module.path, node.body)
        body = Scope(scope.module, (own, *scope.functions), scope.narrowed, scope.methods)
        for stmt in node.body:
            yield from self._visit(stmt, scope if isinstance(stmt, Function) else body, cls)

    def _expression(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.expr, str]]:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            if scope.narrowed and ast.unparse(node.value) in scope.narrowed:
                return
            if why := self._missing(self._know.of(node.value, scope), node):
                yield node, why
        elif isinstance(node, ast.Call) and (
            why := self._misfit(self._know.of(node.func, scope), node)
        ):
            yield node, why

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
            exact = isinstance(owner, ClassOf) or owner.exact or owner.cls in _TRUSTED
            if (
                not exact
                or hasattr(owner.cls, name)
                or (isinstance(owner, ClassOf) and hasattr(type, name))
            ):
                return ""
            return _unknown(_short(node), f"`{owner.cls.__name__}`", name, dir(owner.cls))
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

    def _misfit(self, called: Known, call: ast.Call) -> str:
        """Why a call cannot bind; "" where it can or nothing is known."""
        splat = any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        )
        if splat:
            return ""
        if isinstance(called, FunctionOf):
            why = _refusal(called, call)
            if why and called.cls:
                others = [
                    d.members.get(called.node.name, ()) for d in self._know.descendants(called.cls)
                ]
                for other in (b for found in others for b in found):
                    if not isinstance(other, Function) or not _refusal(
                        FunctionOf(other, called.module, called.cls, called.bound), call
                    ):
                        return ""
            return f"calls `{_short(call)}`, but `{called.node.name}` {why}" if why else ""
        if isinstance(called, ClassOf) and isinstance(called.cls, Class):
            why = self._refused_by_class(called.cls, call)
            return f"calls `{_short(call)}`, but `{called.cls.name}` {why}" if why else ""
        return ""

    def _refused_by_class(self, cls: Class, call: ast.Call) -> str:
        for place in self._know.lineage(cls):
            if not isinstance(place, Class):
                if place is object and (call.args or call.keywords):
                    return "takes no arguments"
                return ""
            if place.open or "__new__" in place.members or place.node.keywords:
                return ""
            if any(tail(d) == "dataclass" for d in place.node.decorator_list):
                return ""
            made = place.members.get("__init__")
            if made is not None:
                only = made[0] if len(made) == 1 else None
                if not isinstance(only, Function):
                    return ""
                return _refusal(FunctionOf(only, place.module, place, bound=True), call)
        return ""


_TRUSTED = (str, bytes, int, float, list, dict, set, tuple, bool)


def _may_hold(place: Class | type | None, name: str) -> bool:
    if place is None:
        return True
    if isinstance(place, type):
        return hasattr(place, name) or name in dir(place) or name in ("name", "value")
    return place.open or name in place.members


def _refusal(called: FunctionOf, call: ast.Call) -> str:
    """Why a function does not take a call's arguments; "" where it does."""
    decorators = {tail(d) for d in called.node.decorator_list}
    if not decorators <= _SAME_SIGNATURE or (
        called.cls and not called.bound and not decorators & {"staticmethod"}
    ):
        return ""
    parameters = list(parameters_of(called.node))
    if called.bound and parameters and not parameters[0].star:
        parameters = parameters[1:]
    if any(p.name in ("self", "cls") for p in parameters):
        return ""
    return accepts(tuple(parameters), len(call.args), [k.arg for k in call.keywords if k.arg])


def _unknown(used: str, owner: str, name: str, has: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, sorted(has), n=1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    return f"uses `{used}`, and {owner} has no `{name}`{hint}"


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 80 else f"{text[:77]}..."
