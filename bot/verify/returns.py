"""Functions that promise a value and can end without one."""

import ast
import re
from collections.abc import Iterator

from bot.spec.model import Location
from bot.verify.bindings import Function, block, tail
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.inference import Inference
from bot.verify.placeholders import is_placeholder
from bot.verify.project import Module

_NOTHING = frozenset(
    {"None", "Optional", "Any", "object", "NoReturn", "Never", "Generator", "Iterator", "Iterable"}
    | {"AsyncGenerator", "AsyncIterator", "AsyncIterable", "TypeGuard", "TypeIs", "Self"}
)

# Calls that may well raise in any case.
_MAY_STOP = re.compile(r"exit|abort|fail|error|skip|raise|never|die|panic|usage", re.IGNORECASE)


def verify_returns(module: Module, inference: Inference) -> list[Evidence]:
    """Functions of one file whose written return type leaves no room for None, and whose body
    can run to its end without `return`."""
    return [
        Evidence(
            tool=Tool.GATE,
            rule=Rule.MISSING_RETURN,
            subject=module.path,
            verdict="fault",
            detail=f"`{module.path}`: `{node.name}` promises `{ast.unparse(node.returns)}` and "
            "can end without returning anything",
            location=Location(file=module.path, line=node.lineno, column=node.col_offset + 1),
        )
        for node in ast.walk(module.tree)
        if isinstance(node, Function)
        and node.returns is not None
        and _breaks_promise(node)
        and not any(inference.is_alias(module.name, n) for n in _names(node.returns))
    ]


def gives_nothing(node: Function) -> bool:
    """Whether a function comes to its end and never with a value."""
    if isinstance(node, ast.AsyncFunctionDef) or node.decorator_list or is_placeholder(node):
        return False
    statements = list(block(node.body))
    if any(_yields(s) or (isinstance(s, ast.Return) and s.value) for s in statements):
        return False
    return _ends(node.body) or any(isinstance(s, ast.Return) for s in statements)


def used_values(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions directly below a node whose value it makes use of; `sys.exit(main())` is
    right whether `main` returns anything or not."""
    if isinstance(node, ast.Assign):
        yield node.value
    elif isinstance(node, ast.Call) and tail(node.func) not in ("exit", "SystemExit"):
        yield from (*node.args, *(k.value for k in node.keywords))
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.Attribute | ast.Subscript):
        yield node.value
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.iter


def _breaks_promise(node: Function) -> bool:
    if node.returns is None or _allows_none(node.returns) or is_placeholder(node):
        return False
    if any(tail(d) in ("abstractmethod", "overload") for d in node.decorator_list):
        return False
    statements = list(block(node.body))
    if any(_yields(s) for s in statements):
        return False
    return _ends(node.body)


def _names(annotation: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)}


def _allows_none(annotation: ast.expr) -> bool:
    """Whether None fits a type, or nothing is known of it."""
    names = _names(annotation)
    names |= {n.attr for n in ast.walk(annotation) if isinstance(n, ast.Attribute)}
    constants = [n.value for n in ast.walk(annotation) if isinstance(n, ast.Constant)]
    unclear = any(c is None or (isinstance(c, str) and not c.isidentifier()) for c in constants)
    return unclear or bool((names | {c for c in constants if isinstance(c, str)}) & _NOTHING)


def _yields(stmt: ast.stmt) -> bool:
    if isinstance(stmt, Function | ast.ClassDef):
        return False
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(stmt))


def _ends(body: list[ast.stmt]) -> bool:
    """Whether control can run off the end of a body; in doubt it cannot."""
    return all(_goes_on(stmt) for stmt in body)


def _goes_on(stmt: ast.stmt) -> bool:
    """Whether control can reach the statement after this one; in doubt it cannot."""
    if isinstance(stmt, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return False
    if isinstance(stmt, ast.If):
        return _ends(stmt.body) or _ends(stmt.orelse)
    if isinstance(stmt, ast.While | ast.For | ast.AsyncFor):
        return not _for_ever(stmt)
    if isinstance(stmt, ast.With | ast.AsyncWith):
        return _ends(stmt.body)
    if isinstance(stmt, ast.Try):
        if stmt.finalbody and not _ends(stmt.finalbody):
            return False
        tried = _ends(stmt.body) and _ends(stmt.orelse)
        return tried or any(_ends(h.body) for h in stmt.handlers)
    if isinstance(stmt, ast.Match):
        whole = any(_catches_all(c) for c in stmt.cases)
        return whole and any(_ends(c.body) for c in stmt.cases)
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        return not _MAY_STOP.search(tail(stmt.value.func))
    return not isinstance(stmt, ast.Assert) or not _is_false(stmt.test)


def _for_ever(stmt: ast.While | ast.For | ast.AsyncFor) -> bool:
    """`while True` without a way out."""
    endless = isinstance(stmt, ast.While) and isinstance(stmt.test, ast.Constant)
    return endless and not any(isinstance(s, ast.Break) for s in block(stmt.body))


def _catches_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value
