"""Which values of the documents can stand in a skeleton and run when it is imported."""

import ast
from collections.abc import Collection

from bot.syntax import parse_expression

# Calls without effects whose results are constants, by name, and the modules they come from.
_CONSTRUCTORS = frozenset(
    [
        *("Decimal", "Fraction", "Path", "PurePath", "PurePosixPath", "TypeVar", "UUID"),
        *("auto", "date", "datetime", "dict", "field", "frozenset", "getLogger", "list", "object"),
        *("set", "time", "timedelta", "timezone", "tuple"),
    ]
)
_MODULES = frozenset(
    [
        *("dataclasses", "datetime", "decimal", "dt", "enum", "fractions", "logging", "pathlib"),
        *("t", "typing", "uuid"),
    ]
)
_GENERICS = frozenset(
    [
        *("Callable", "Dict", "FrozenSet", "Iterable", "Iterator", "List", "Literal", "Mapping"),
        *("Optional", "Sequence", "Set", "Tuple", "Type", "Union"),
        *("dict", "frozenset", "list", "set", "tuple", "type"),
    ]
)
_TYPES = frozenset(
    ["bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple"]
)
_LITERALS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop, ast.expr_context)
_SUMS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)


def runs(text: str, callables: Collection[str] = (), names: Collection[str] = ()) -> bool:
    """Whether a value is made of literals, of types, of what `names` hold, and of calls of
    `callables` or of harmless constructors."""
    try:
        tree = parse_expression(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _Runs({*callables}, {*names, *_TYPES}).all_of(tree)


class _Runs:
    def __init__(self, callables: set[str], names: set[str]) -> None:
        self._callables = callables
        self._names = names

    def all_of(self, *nodes: ast.AST) -> bool:
        return all(self._one(n) for n in nodes)

    def _one(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return node.value is not ...
        if isinstance(node, ast.Name):
            return node.id in self._names or node.id == "__name__"
        if isinstance(node, ast.Call):
            given = [*node.args, *(k.value for k in node.keywords)]
            return self._called(ast.unparse(node.func)) and self.all_of(*given)
        if isinstance(node, ast.Subscript):
            return self._generic(node)
        if isinstance(node, ast.BinOp):
            return self._sum(node)
        return isinstance(node, _LITERALS) and self.all_of(*ast.iter_child_nodes(node))

    def _called(self, name: str) -> bool:
        module, _, last = name.rpartition(".")
        return name in self._callables or (
            last in _CONSTRUCTORS and (not module or module in _MODULES)
        )

    def _generic(self, node: ast.Subscript) -> bool:
        module, _, last = ast.unparse(node.value).rpartition(".")
        if last not in _GENERICS or (module and module not in _MODULES):
            return False
        inner = [n for n in ast.walk(node.slice) if not isinstance(n, ast.Constant)]
        known = self._names | _GENERICS
        return all(
            n.id in known if isinstance(n, ast.Name) else isinstance(n, (ast.Subscript, *_LITERALS))
            for n in inner
        )

    def _sum(self, node: ast.BinOp) -> bool:
        """Alternatives of types, and arithmetic of numbers."""
        sides = (node.left, node.right)
        if isinstance(node.op, ast.BitOr):
            nothing = [isinstance(s, ast.Constant) and s.value is None for s in sides]
            kinds = [isinstance(s, ast.Name | ast.BinOp | ast.Subscript) for s in sides]
            fits = any(kinds) and all(a or b for a, b in zip(nothing, kinds, strict=True))
            return fits and self.all_of(*sides)
        parts = [n for s in sides for n in ast.walk(s)]
        return isinstance(node.op, _SUMS) and all(
            isinstance(n, ast.BinOp | ast.operator)
            or (isinstance(n, ast.Constant) and isinstance(n.value, int | float))
            for n in parts
        )
