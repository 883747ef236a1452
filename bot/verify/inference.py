"""What an expression is, as far as the sources say it without doubt: a module, a class, an instance
of a class, a function. Anything that could be something else is None."""

import ast
import builtins
import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.syntax import parse_expression
from bot.verify.bindings import (
    Annotated,
    Binding,
    Bindings,
    Function,
    Held,
    Imported,
    Itself,
    bindings_inside,
    tail,
)
from bot.verify.project import Class, Module, Project


@dataclass(frozen=True)
class ModuleOf:
    """A module of the project, or of the standard library."""

    name: str


@dataclass(frozen=True)
class ClassOf:
    """A class itself, of the project or built in."""

    cls: Class | type


@dataclass(frozen=True)
class Instance:
    """An object of a class; of a subclass perhaps, where not `exact`."""

    cls: Class | type
    exact: bool


@dataclass(frozen=True)
class FunctionOf:
    """A function of the project; `bound` where its first parameter is given already."""

    node: Function
    module: Module
    cls: Class | None = None
    bound: bool = False


@dataclass(frozen=True)
class SuperOf:
    """`super()` in a method of a class."""

    cls: Class


Known = ModuleOf | ClassOf | Instance | FunctionOf | SuperOf | None

_PLAIN_BASES = {
    "abc.ABC": object,
    "typing.Generic": object,
    "typing.Protocol": object,
    "typing_extensions.Protocol": object,
    **{f"enum.{n}": getattr(enum, n) for n in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum")},
}
_KINDS = frozenset({"staticmethod", "classmethod"})


@dataclass(frozen=True, eq=False)
class Scope:
    """Where an expression stands: its module, and the scopes of the functions around it, the
    innermost first. `narrowed` are expressions whose type a check inside tells apart."""

    module: Module
    functions: tuple[Bindings, ...] = ()
    narrowed: frozenset[str] = frozenset()
    methods: tuple[tuple[Function, Class], ...] = ()


class Inference:
    """Looks expressions up in one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._busy: set[object] = set()
        self._values: dict[tuple[str, str], Known] = {}
        self._bases: dict[Class, tuple[Class | type | None, ...]] = {}
        self._lineages: dict[Class, tuple[Class | type | None, ...]] = {}
        self._family: dict[Class, list[Class]] | None = None

    def of(self, node: ast.expr, scope: Scope) -> Known:
        """What an expression is in its scope."""
        if isinstance(node, ast.Name):
            return None if node.id in scope.narrowed else self._name(node.id, scope)
        if isinstance(node, ast.Attribute):
            if scope.narrowed and ast.unparse(node) in scope.narrowed:
                return None
            return self.member(self.of(node.value, scope), node.attr)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
                return SuperOf(scope.methods[0][1]) if scope.methods else None
            return self._result(self.of(node.func, scope))
        return _literal(node)

    def _name(self, name: str, scope: Scope) -> Known:
        for bindings in scope.functions:
            if name in bindings:
                return self._one(bindings[name], scope)
        return self.at_top(scope.module.name, name)

    def at_top(self, module: str, name: str) -> Known:
        """What a name at the top of a module is."""
        key = (module, name)
        if key not in self._values:
            if key in self._busy:
                return None
            self._busy.add(key)
            self._values[key] = self._at_top(module, name)
            self._busy.discard(key)
        return self._values[key]

    def _at_top(self, name: str, wanted: str) -> Known:
        module = self.project.modules[name]
        if wanted in module.bindings:
            return self._one(module.bindings[wanted], Scope(module))
        for star in module.stars:
            home = self.project.modules.get(star)
            if home is None:
                return None
            if wanted in home.bindings:
                return self.at_top(star, wanted)
        builtin = getattr(builtins, wanted, None)
        return ClassOf(builtin) if isinstance(builtin, type) and not module.stars else None

    def _one(self, bindings: Sequence[Binding], scope: Scope) -> Known:
        """What a name is that has these bindings: known where they all say the same."""
        if all(isinstance(b, Function) for b in bindings) and len(bindings) > 1:
            heads = [b for b in bindings[:-1] if isinstance(b, Function)]
            overloads = all("overload" in _decorators(b) for b in heads)
            return self._binding(bindings[-1], scope) if overloads else None
        found = [self._binding(b, scope) for b in bindings]
        return found[0] if all(f == found[0] for f in found) else None

    def _binding(self, binding: Binding, scope: Scope) -> Known:
        if isinstance(binding, Function):
            return FunctionOf(binding, scope.module)
        if isinstance(binding, ast.ClassDef):
            return ClassOf(self.project.classes[binding])
        if isinstance(binding, Imported):
            return self._imported(binding)
        if isinstance(binding, Annotated):
            return self._once(binding.annotation, lambda node: self.annotated(node, scope))
        if isinstance(binding, Itself):
            cls = self.project.classes[binding.cls]
            return Instance(cls, exact=False) if binding.instance else ClassOf(cls)
        if binding is None or isinstance(binding, Held):
            return None
        found = self._once(binding, lambda node: self.of(node, scope))
        return found if isinstance(found, Instance | ClassOf) else None

    def _once(self, node: ast.expr, look: Callable[[ast.expr], Known]) -> Known:
        """What is found, None while it is already being looked for: `socket: socket.socket` in a
        class names itself."""
        if id(node) in self._busy:
            return None
        self._busy.add(id(node))
        found = look(node)
        self._busy.discard(id(node))
        return found

    def _imported(self, found: Imported) -> Known:
        module, name = found.module, found.name
        whole = f"{module}.{name}" if name else module
        if not name:
            return ModuleOf(module)
        home = self.project.modules.get(module)
        if home is not None and any(b != found for b in home.bindings.get(name, ())):
            return self.at_top(module, name)
        if whole in self.project.modules or whole in self.project.packages:
            return ModuleOf(whole)
        if module in self.project.modules:
            return self.at_top(module, name)
        return ClassOf(_PLAIN_BASES[whole]) if whole in _PLAIN_BASES else None

    def is_alias(self, module: str, name: str) -> bool:
        """Whether a name stands for a type expression of the project, which may allow anything."""
        seen: set[Imported] = set()
        place = Imported(module, name)
        while place.module in self.project.modules and place not in seen:
            seen.add(place)
            found = self.project.modules[place.module].bindings.get(place.name, ())
            if any(isinstance(b, ast.expr | Annotated) for b in found):
                return True
            place = next((b for b in found if isinstance(b, Imported)), place)
        return False

    def annotated(self, node: ast.expr, scope: Scope) -> Known:
        """An object of the written type; None in a union is left aside."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = parse_expression(node.value.strip()).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            sides = [s for s in (node.left, node.right) if not _is_none(s)]
            return self.annotated(sides[0], scope) if len(sides) == 1 else None
        if isinstance(node, ast.Subscript):
            if tail(node.value) == "Optional":
                return self.annotated(node.slice, scope)
            node = node.value
        found = self.of(node, Scope(scope.module, scope.functions))
        if isinstance(found, ClassOf) and found.cls not in (object, type):
            return Instance(found.cls, exact=False)
        return None

    def member(self, owner: Known, name: str) -> Known:
        """What an attribute is."""
        if isinstance(owner, ModuleOf):
            if owner.name in self.project.modules:
                module = self.project.modules[owner.name]
                if name in module.bindings or f"{owner.name}.{name}" not in self.project.modules:
                    return self.at_top(owner.name, name)
            whole = f"{owner.name}.{name}"
            if whole in self.project.modules or whole in self.project.packages:
                return ModuleOf(whole)
            return ClassOf(_PLAIN_BASES[whole]) if whole in _PLAIN_BASES else None
        if isinstance(owner, ClassOf | Instance | SuperOf) and isinstance(owner.cls, Class):
            return self._of_class(owner, owner.cls, name)
        return None

    def _of_class(self, owner: ClassOf | Instance | SuperOf, cls: Class, name: str) -> Known:
        places = self.lineage(cls)[1 if isinstance(owner, SuperOf) else 0 :]
        for place in places:
            if place is None:
                return None
            if isinstance(place, type):
                if hasattr(place, name):
                    return None
            elif name in place.members:
                found = self._member_of(place, name)
                return self._as_method(found, place, owner)
            elif place.open:
                return None
        return None

    def _member_of(self, place: Class, name: str) -> Known:
        bindings = place.members[name]
        written = [b for b in bindings if isinstance(b, Annotated)]
        if written:
            return self._one(written, Scope(place.module))
        if all(isinstance(b, Function) for b in bindings):
            return self._one(bindings, Scope(place.module))
        if name in self.project.stored:
            return None
        family = [c for c in self.lineage(place) if isinstance(c, Class)]
        family.extend(self.descendants(place))
        found = [self._held(c, b) for c in family for b in c.members.get(name, ())]
        return found[0] if all(f == found[0] for f in found) else None

    def _held(self, cls: Class, binding: Binding) -> Known:
        if not isinstance(binding, Held) or id(binding) in self._busy:
            return None
        self._busy.add(id(binding))
        found = self.of(binding.value, self.inside(Scope(cls.module), binding.method, cls))
        self._busy.discard(id(binding))
        return found if isinstance(found, Instance) else None

    def _as_method(self, found: Known, place: Class, owner: ClassOf | Instance | SuperOf) -> Known:
        if not isinstance(found, FunctionOf):
            return found
        kinds = _decorators(found.node)
        if kinds & {"property", "cached_property"}:
            return self._returned(found) if isinstance(owner, Instance) else None
        given = "staticmethod" not in kinds and (
            "classmethod" in kinds or not isinstance(owner, ClassOf)
        )
        return FunctionOf(found.node, found.module, place, bound=given)

    def _result(self, called: Known) -> Known:
        if isinstance(called, ClassOf):
            if isinstance(called.cls, type):
                plain = called.cls not in (type, super, object)
                return Instance(called.cls, exact=True) if plain else None
            meta = "__new__" in called.cls.members or None in self.lineage(called.cls)
            return Instance(called.cls, exact=not meta)
        return self._returned(called) if isinstance(called, FunctionOf) else None

    def _returned(self, called: FunctionOf) -> Known:
        node = called.node
        plain = _decorators(node) <= _KINDS | {"abstractmethod", "property", "cached_property"}
        if not plain or node.returns is None or isinstance(node, ast.AsyncFunctionDef):
            return None
        return self.annotated(node.returns, Scope(called.module))

    def bases(self, cls: Class) -> tuple[Class | type | None, ...]:
        """The direct bases, None for what is not known."""
        if cls not in self._bases:
            self._bases[cls] = (None,)
            scope = Scope(cls.module)
            plain = [b.value if isinstance(b, ast.Subscript) else b for b in cls.node.bases]
            found = [self.of(b, scope) for b in plain]
            self._bases[cls] = tuple(f.cls if isinstance(f, ClassOf) else None for f in found)
        return self._bases[cls]

    def lineage(self, cls: Class) -> tuple[Class | type | None, ...]:
        """The class and its ancestors, nearest first; None where something unknown comes in."""
        if cls not in self._lineages:
            self._lineages[cls] = (cls, None)
            found: list[Class | type | None] = [cls]
            for base in self.bases(cls):
                found.extend(self.lineage(base) if isinstance(base, Class) else [base])
            unique = list(dict.fromkeys(f for f in found if f is not object))
            self._lineages[cls] = (*unique, object)
        return self._lineages[cls]

    def descendants(self, cls: Class) -> Sequence[Class]:
        """All classes of the project that inherit from this one."""
        if self._family is None:
            self._family = {}
            for other in self.project.classes.values():
                for ancestor in self.lineage(other)[1:]:
                    if isinstance(ancestor, Class):
                        self._family.setdefault(ancestor, []).append(other)
        return self._family.get(cls, ())

    def inside(self, scope: Scope, function: Function, cls: Class | None) -> Scope:
        """The scope of a function's body; `cls` is the class that it is a method of."""
        bindings = bindings_inside(scope.module.path, function, cls.node if cls else None)
        return Scope(
            scope.module,
            (bindings, *scope.functions),
            scope.narrowed | narrowed(function),
            ((function, cls), *scope.methods) if cls else scope.methods,
        )


_TELLS_APART = frozenset({"isinstance", "issubclass", "hasattr", "getattr", "callable", "type"})


def narrowed(function: Function) -> frozenset[str]:
    """Expressions that a function asks the type of, as text."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node.args and tail(node.func) in _TELLS_APART:
            found.add(ast.unparse(node.args[0]))
        elif isinstance(node, ast.Match):
            found.add(ast.unparse(node.subject))
    return frozenset(found)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _decorators(node: Function) -> frozenset[str]:
    return frozenset(tail(d) for d in node.decorator_list)


def _literal(node: ast.expr) -> Known:
    kinds: dict[type[ast.expr], type] = {
        ast.List: list,
        ast.ListComp: list,
        ast.Dict: dict,
        ast.DictComp: dict,
        ast.Set: set,
        ast.SetComp: set,
        ast.Tuple: tuple,
        ast.JoinedStr: str,
    }
    if isinstance(node, ast.Constant) and node.value is not None and node.value is not ...:
        return Instance(type(node.value), exact=True)
    return Instance(kinds[type(node)], exact=True) if type(node) in kinds else None
