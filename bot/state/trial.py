"""What Python itself would refuse of the classes in a skeleton: they are created for real, without
their bodies, from the project's other classes and the standard library."""

import ast
import builtins
import dataclasses
import enum
import importlib
import inspect
import types
import typing
from collections.abc import Iterable

from bot.state.model import Node, NodeKind, ProjectState
from bot.state.skeleton_names import Homes, beside_of, is_keyword, standard_home
from bot.syntax import literal, parse_expression

# What making a class from bases that do not go together raises.
_REFUSALS = (
    *(ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError),
    *(OSError, RuntimeError, SyntaxError, TypeError, ValueError),
)
# Making a member of an enumeration calls the other bases with its value: only these are harmless.
_MIXED_IN = frozenset([object, bytes, float, int, str, tuple])
# Methods that run when an object is made.
_MAKERS = {"__init__", "__new__", "__post_init__", "_generate_next_value_"}
_FIELD_KINDS = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar}


class Trial:
    """The classes of one skeleton, created on demand."""

    def __init__(self, state: ProjectState, homes: Homes) -> None:
        self._state = state
        self._homes = homes
        self._made: dict[str, type] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        self._decorators: dict[str, tuple[str, ...]] = {}
        self._open: set[str] = set()

    def bases(self, node: Node) -> tuple[str, ...]:
        """The bases of a class that Python accepts, a subscript dropped where a base takes none."""
        self._make(node)
        return self._bases[node.id]

    def decorators(self, node: Node) -> tuple[str, ...]:
        """The decorators of a data class with which its fields can be created."""
        self._make(node)
        return self._decorators[node.id]

    def is_enum(self, node: Node) -> bool:
        """Whether the class is an enumeration."""
        return isinstance(self._make(node), enum.EnumMeta)

    def has_members(self, node: Node) -> bool:
        """Whether members of an enumeration can be made before there is any body."""
        return not {c.name for c in self._state.children(node.id)} & _MAKERS

    def signature(self, node: Node) -> inspect.Signature | None:
        """How a data class can be called before there is any body; None for any other class."""
        made = self._make(node)
        if made is None or not self.decorators(node) or self.bases(node):
            return None
        hollow = {c.name for c in self._state.children(node.id)} & _MAKERS
        return None if hollow else inspect.signature(made)

    def _make(self, node: Node) -> type | None:
        if node.id in self._made:
            return self._made[node.id]
        if node.id in self._open:
            return None
        self._open.add(node.id)
        kept: list[str] = []
        made = self._created(node, ()) or type(node.name, (), {})
        for base in node.bases:
            for text in dict.fromkeys((base.strip(), base.partition("[")[0].strip())):
                grown = self._created(node, (*kept, text))
                if grown is not None:
                    made, kept = grown, [*kept, text]
                    break
        self._bases[node.id] = tuple(kept)
        self._made[node.id] = made
        self._decorate(node, made)
        self._open.discard(node.id)
        return self._made[node.id]

    def _created(self, node: Node, bases: tuple[str, ...]) -> type | None:
        """The class with these bases; None where one is unknown or Python refuses them."""
        try:
            keywords = dict(self._keyword(b, node.path) for b in bases if is_keyword(b))
            found = tuple(self._base(b, node.path) for b in bases if not is_keyword(b))
            counted = any(isinstance(f, enum.EnumMeta) for f in found)
            if counted and not all(map(_is_harmless, found)):
                return None
            members = self._members(node, counted=counted)
            return types.new_class(node.name, found, keywords, lambda ns: ns.update(members))
        except (*_REFUSALS, MemoryError):
            return None

    def _members(self, node: Node, *, counted: bool) -> dict[str, object]:
        """The members of a class as far as they matter to who creates it."""
        methods = {c.name: _nothing for c in self._state.children(node.id)}
        annotations: dict[str, object] = {}
        values: dict[str, object] = {}
        for attribute in node.attributes:
            if attribute.name in methods:
                continue
            kind = (attribute.annotation or "").rpartition("typing.")[2].partition("[")[0]
            annotations[attribute.name] = _FIELD_KINDS.get(kind, object)
            if attribute.value is not None:
                values[attribute.name] = _value(attribute.value, counted=counted)
            elif counted and attribute.name.isupper():
                values[attribute.name] = enum.auto()
        return {**methods, **values, "__annotations__": annotations, "__module__": __name__}

    def _decorate(self, node: Node, made: type) -> None:
        self._decorators[node.id] = ()
        wanted = [d for d in node.decorators if d.partition("(")[0].endswith("dataclass")]
        for decorator in wanted[:1]:
            try:
                self._made[node.id] = dataclasses.dataclass(**_keywords(decorator))(made)
            except _REFUSALS:
                continue
            self._decorators[node.id] = (decorator,)

    def _base(self, text: str, path: str) -> typing.Any:
        found = self._object(parse_expression(text.strip()).body, path)
        if not isinstance(found, type) and not hasattr(found, "__mro_entries__"):
            raise TypeError(text)
        return found

    def _keyword(self, text: str, path: str) -> tuple[str, typing.Any]:
        """A literal, or a metaclass; anything else is refused, since it would be called."""
        name, _, value = text.partition("=")
        if name.strip() != "metaclass":
            return name.strip(), literal(value.strip())
        found = self._base(value, path)
        if not (isinstance(found, type) and issubclass(found, type)):
            raise TypeError(value)
        return "metaclass", found

    def _object(self, node: ast.expr, path: str) -> typing.Any:
        """What a base stands for; raises one of the refusals where that is unknown."""
        if isinstance(node, ast.Name):
            return self._named(node.id, path)
        if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
            beside = beside_of(path, ast.unparse(node.value))
            if beside in self._homes.get(node.attr, ()):
                return self._class(f"{beside}::{node.attr}")
            return getattr(self._owner(node.value, path), node.attr)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Tuple | ast.List):
            inner = [self._object(e, path) for e in node.elts]
            return tuple(inner) if isinstance(node, ast.Tuple) else inner
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._object(node.left, path) | self._object(node.right, path)
        if isinstance(node, ast.Subscript):
            owner = self._object(node.value, path)
            if owner in (typing.Generic, typing.Protocol):
                names = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                made = tuple(self._type_variable(ast.unparse(n), path) for n in names)
                return owner[made]
            return owner[self._object(node.slice, path)]
        raise TypeError(ast.unparse(node))

    def _type_variable(self, name: str, path: str) -> typing.Any:
        """A type variable; raises TypeError where the name stands for something else."""
        for home in (path, *self._homes.get(name, ())):
            node = self._state.node(f"{home}::{name}")
            if node is not None:
                if not (node.value or "").startswith("TypeVar("):
                    raise TypeError(name)
                break
        return typing.TypeVar(name)

    def _owner(self, node: ast.expr, path: str) -> typing.Any:
        """What stands before a dot: a module of the standard library goes first."""
        home = standard_home(node.id, module=True) if isinstance(node, ast.Name) else None
        if home is not None and not home[1]:
            return importlib.import_module(home[0])
        return self._object(node, path)

    def _named(self, name: str, path: str) -> typing.Any:
        own = f"{path}::{name}" if path in self._homes.get(name, ()) else None
        if own is None and hasattr(builtins, name):
            return getattr(builtins, name)
        if own or name in self._homes:
            return self._class(own or f"{self._homes[name][0]}::{name}")
        home = standard_home(name)
        if home is None:
            raise NameError(name)
        module, attribute = home
        found = importlib.import_module(module)
        return getattr(found, attribute) if attribute else found

    def _class(self, node_id: str) -> type:
        """A class of the project; raises NameError where there is none, or where it is only being
        made."""
        node = self._state.node(node_id)
        made = self._make(node) if node and node.kind is NodeKind.CLASS else None
        if made is None:
            raise NameError(node_id)
        return made


def _is_harmless(base: object) -> bool:
    """Whether every ancestor of a base of an enumeration may be called with documents' values."""
    return isinstance(base, type) and all(
        above in _MIXED_IN or isinstance(above, enum.EnumMeta) or above.__module__ == __name__
        for above in base.__mro__
    )


def type_variables(nodes: Iterable[Node], known: frozenset[str]) -> tuple[str, ...]:
    """Names in `Generic[…]` and `Protocol[…]` that nobody defines: they can only be type
    variables."""
    found: dict[str, None] = {}
    for node in nodes:
        for base in node.bases:
            head, bracket, rest = base.strip().partition("[")
            if bracket and head.rpartition(".")[2] in ("Generic", "Protocol"):
                names = [n.strip() for n in rest.removesuffix("]").split(",")]
                found.update(dict.fromkeys(n for n in names if n.isidentifier()))
    return tuple(n for n in found if n not in known)


def _nothing(*_: object) -> None:
    """Stands for any method."""


def _keywords(decorator: str) -> dict[str, typing.Any]:
    """The keywords of `dataclass(frozen=True)`; those that are no literal are refused."""
    call = parse_expression(decorator).body
    if not isinstance(call, ast.Call):
        return {}
    return {k.arg or "": literal(ast.unparse(k.value)) for k in call.keywords}


def _value(text: str, *, counted: bool) -> object:
    """A value as far as it matters: immutable where it is none of an enumeration."""
    try:
        found = literal(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return enum.auto() if counted else None
    return None if isinstance(found, list | dict | set) and not counted else found
