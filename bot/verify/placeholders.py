"""Bodies that only pretend: `pass`, `...`, NotImplementedError where something was asked for."""

import ast
from collections.abc import Iterator

from bot.spec.model import Location
from bot.verify.evidence import Evidence, Tool

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_ABSTRACT = {"abstractmethod", "abc.abstractmethod", "overload", "typing.overload"}
_INTERFACES = {"Protocol", "typing.Protocol", "ABC", "abc.ABC"}


def verify_placeholders(path: str, tree: ast.Module) -> list[Evidence]:
    """Functions of one file whose body does nothing, except where Python wants it so."""
    return [
        Evidence(
            tool=Tool.GATE,
            subject=f"{path}::{qualname}",
            verdict="fault",
            detail=f"`{qualname}` in `{path}` is a placeholder: its body does nothing",
            location=Location(file=path, line=node.lineno, column=node.col_offset + 1),
        )
        for qualname, node in _hollow(tree.body, "")
    ]


def _hollow(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(b).partition("[")[0] for b in node.bases}
            metaclass = any(k.arg == "metaclass" for k in node.keywords)
            if not bases & _INTERFACES and not metaclass:
                yield from _hollow(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, Definition) and is_placeholder(node) and not _may_be(node):
            yield f"{prefix}{node.name}", node


def is_placeholder(node: Definition) -> bool:
    """Whether nothing but a docstring, `pass`, `...` or `raise NotImplementedError` is there."""
    rest = [s for s in node.body if not _is_docstring(s)]
    return not rest or (len(rest) == 1 and _does_nothing(rest[0]))


def _is_docstring(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _does_nothing(stmt: ast.stmt) -> bool:
    if isinstance(stmt, ast.Pass):
        return True
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant):
        return stmt.value.value is ...
    if isinstance(stmt, ast.Raise) and stmt.exc is not None:
        raised = stmt.exc.func if isinstance(stmt.exc, ast.Call) else stmt.exc
        return (
            isinstance(raised, ast.Name)
            and raised.id == "NotImplementedError"
            and not (isinstance(stmt.exc, ast.Call) and stmt.exc.args)
        )
    return False


def _may_be(node: Definition) -> bool:
    """Abstract methods and overloads are hollow by design, and so may be `__init__` and the
    methods of a context manager or visitor that `pass` deliberately does nothing in."""
    decorators = {ast.unparse(d) for d in node.decorator_list}
    rest = [s for s in node.body if not _is_docstring(s)]
    only_pass = bool(rest) and isinstance(rest[0], ast.Pass)
    dunder = node.name.startswith("__") and node.name.endswith("__")
    return bool(decorators & _ABSTRACT) or (only_pass and dunder)
