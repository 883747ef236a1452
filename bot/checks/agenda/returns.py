"""Functions that give None although something wants their value: a forgotten `return`."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from bot.checks.agenda.code import Code, last_name
from bot.state.extract import Definition

_NO_VALUE = ("__init__", "__init_subclass__", "__set_name__", "__del__")


class Returns:
    """Looks at what functions of the project give back."""

    def __init__(self, code: Code) -> None:
        self._code = code

    def drops_a_value(self, node_id: str) -> bool:
        """Whether a function holds an expression that stands alone and does nothing."""
        stmt = self._code.trees.get(node_id)
        return isinstance(stmt, Definition) and any(_idle(stmt))

    def gives_nothing(self, node_id: str) -> bool:
        """Whether a function drops a value that it computed, or never returns one although its
        annotation or the only use of its name wants one."""
        stmt = self._code.trees.get(node_id)
        if not isinstance(stmt, Definition) or stmt.name in _NO_VALUE:
            return False
        own = list(_own(stmt))
        if any(_idle(stmt)):
            return True
        if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Raise) for n in own):
            return False
        if any(isinstance(n, ast.Return) and n.value is not None for n in own):
            return False
        last = _last(stmt.body)
        if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call):
            return False
        promised = stmt.returns is not None and "None" not in ast.unparse(stmt.returns)
        return promised or self._is_wanted(stmt.name)

    def _is_wanted(self, name: str) -> bool:
        """Whether calls of this name are for their value, and the project defines it once."""
        return len(self._code.named.get(name, ())) == 1 and self._wanted[name] > 0

    @cached_property
    def _wanted(self) -> Counter[str]:
        """How often the value of a call by some name is used."""
        found: Counter[str] = Counter()
        for facts in self._code.facts.values():
            dropped = {s.value for s in ast.walk(facts.tree) if isinstance(s, ast.Expr)}
            for node in ast.walk(facts.tree):
                if isinstance(node, ast.Call) and node not in dropped:
                    found[last_name(node.func)] += 1
        return found


def _own(stmt: ast.AST) -> Iterator[ast.AST]:
    """What a function holds, without what functions inside it hold."""
    waiting = list(ast.iter_child_nodes(stmt))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Definition | ast.ClassDef | ast.Lambda):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _last(body: list[ast.stmt]) -> ast.stmt:
    """The statement with which a body ends, blocks opened."""
    last = body[-1]
    while isinstance(last, ast.With | ast.AsyncWith | ast.If | ast.Try):
        last = last.body[-1]
    return last


def _idle(stmt: Definition) -> Iterator[ast.Expr]:
    """The expressions of a function that stand alone and do nothing."""
    doing = ast.Call | ast.Await | ast.Yield | ast.YieldFrom | ast.Constant | ast.NamedExpr
    for node in _own(stmt):
        if isinstance(node, ast.Expr) and not isinstance(node.value, doing):
            yield node
