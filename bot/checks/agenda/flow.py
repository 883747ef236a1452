"""Where the values on a line come from: the definitions that a statement uses, directly or through
the local names that it reads."""

import ast
from collections.abc import Iterator

from bot.checks.agenda.code import Code, Uses
from bot.state.extract import Definition

_MOST_STEPS = 30
_BLOCKS = ast.stmt | ast.ExceptHandler | ast.match_case


def providers(code: Code, path: str, line: int) -> Uses:
    """What the statement at a line uses, and what made the names that it reads, within its
    function: node id -> how sure."""
    owner = code.node_at(path, line)
    whole = code.trees.get(owner)
    if not isinstance(whole, Definition):
        return {}
    flat = [s for s in _flat(whole.body) if s.lineno <= line]
    failing = [s for s in flat if s.lineno <= line <= _header_end(s)]
    if not failing:
        return {}
    return code.uses_of(owner, _slice(flat, failing[-1]))


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in source order, blocks opened after their own head."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, Definition | ast.ClassDef):
            inner = [n for n in ast.iter_child_nodes(node) if isinstance(n, _BLOCKS)]
            waiting.extend(reversed(inner))


def _header_end(stmt: ast.stmt) -> int:
    """The last line of a statement without its block."""
    inner = getattr(stmt, "body", None)
    if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
        return max(stmt.lineno, inner[0].lineno - 1)
    return stmt.end_lineno or stmt.lineno


def _slice(flat: list[ast.stmt], last: ast.stmt) -> list[ast.stmt]:
    """The statement, and before it, those that bind what it reads."""
    kept = [_head(last)]
    wanted = _read(last)
    for stmt in reversed(flat[: flat.index(last)][-_MOST_STEPS * 4 :]):
        bound = _bound(stmt)
        if bound & wanted and len(kept) < _MOST_STEPS:
            kept.append(_head(stmt))
            wanted |= _read(stmt)
    return kept[::-1]


def _head(stmt: ast.stmt) -> ast.stmt:
    """A compound statement as the expressions of its head alone."""
    if isinstance(stmt, ast.With | ast.AsyncWith):
        return type(stmt)(items=stmt.items, body=[ast.Pass()])
    if isinstance(stmt, ast.For | ast.AsyncFor):
        return type(stmt)(target=stmt.target, iter=stmt.iter, body=[ast.Pass()], orelse=[])
    if isinstance(stmt, ast.If | ast.While):
        return ast.Expr(value=stmt.test)
    return ast.Pass() if isinstance(stmt, ast.Try | ast.TryStar) else stmt


def _read(stmt: ast.stmt) -> set[str]:
    return {
        n.id
        for n in ast.walk(_head(stmt))
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }


def _bound(stmt: ast.stmt) -> set[str]:
    """Names that a statement binds or fills: assignments, and calls on what a name holds."""
    found = {
        n.id
        for n in ast.walk(_head(stmt))
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        root: ast.expr = stmt.value.func
        while isinstance(root, ast.Attribute):
            root = root.value
        found |= {root.id} if isinstance(root, ast.Name) else set()
    return found
