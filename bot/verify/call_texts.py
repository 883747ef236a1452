"""Arguments of calls as a reader of the call list sees them: short, and without what a test
expects."""

import ast
import copy
from collections.abc import Callable
from typing import Any, Protocol

_LONGEST_TEXT = 40
_LONGEST_ARGUMENT = 90
_LONGEST_CALL = 160
_MOST_ELEMENTS = 4


class Holder(Protocol):
    """What a local name stands for."""

    @property
    def label(self) -> str | None: ...
    @property
    def literal(self) -> ast.expr | None: ...


Find = Callable[[str], Holder | None]


def arguments_of(
    node: ast.Call, find: Find, *, masked: bool = False, most: int = _MOST_ELEMENTS
) -> str:
    """The arguments as written, with local names told, long literals and lists of more than `most`
    elements cut, and where `masked`
    with types in place of literals."""
    shorter = _Shorter(find, masked=masked, most=most)
    given = [shorter.text(a) for a in node.args]
    given += [
        f"{k.arg}={shorter.text(k.value)}" if k.arg else f"**{shorter.text(k.value)}"
        for k in node.keywords
    ]
    text = ", ".join(given)
    if len(text) <= _LONGEST_CALL:
        return text
    names = [*("..." for _ in node.args), *(f"{k.arg or '**'}=..." for k in node.keywords)]
    return ", ".join(names)


def shape_of(node: ast.Call, label: Callable[[ast.expr], str | None]) -> frozenset[str]:
    """What a call shows of how to call: the kind of each argument, their number, the keywords."""
    kinds = {f"{n}: {_kind(a, label)}" for n, a in enumerate(node.args)}
    keywords = {f"{k.arg}=" for k in node.keywords}
    return frozenset({f"{len(node.args)} given", *kinds, *keywords})


def words_of(node: ast.Call) -> frozenset[str]:
    """The texts among the arguments of a command line, and the keywords beside them."""
    texts = (
        n.value
        for a in (*node.args, *node.keywords)
        for n in ast.walk(a)
        if isinstance(n, ast.Constant)
    )
    options = {t for t in texts if isinstance(t, str) and len(t) <= _LONGEST_TEXT}
    return frozenset({*options, *(f"{k.arg}=" for k in node.keywords)})


def _kind(node: ast.expr, label: Callable[[ast.expr], str | None]) -> str:
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.UnaryOp):
        return _kind(node.operand, label)
    told = label(node)
    return told.partition("(")[0] if told is not None else type(node).__name__


class _Shorter(ast.NodeTransformer):
    def __init__(self, find: Find, *, masked: bool, most: int) -> None:
        self._find = find
        self._most = most
        self._masked = masked

    def text(self, node: ast.expr) -> str:
        """The source of an expression, cut where it is long."""
        said = ast.unparse(self.visit(copy.deepcopy(node)))
        if len(said) <= (_LONGEST_ARGUMENT if self._most == _MOST_ELEMENTS else _LONGEST_CALL):
            return said
        opening = {ast.List: "[...]", ast.Dict: "{...}", ast.Tuple: "(...)", ast.Set: "{...}"}
        return opening.get(type(node), "...")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        held = self._find(node.id)
        if held is None or held.label == node.id:
            return node
        if isinstance(held.literal, ast.List):
            # Its names were told when it was made, and may mean something else by now.
            find, self._find = self._find, lambda _: None
            line: ast.AST = self.visit(copy.deepcopy(held.literal))
            self._find = find
            return line
        if held.literal is not None:
            told: ast.AST = self.visit(copy.deepcopy(held.literal))
            return told
        return ast.Name(id=held.label) if held.label is not None else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if self._masked and node.value is not None:
            return ast.Name(id=type(node.value).__name__)
        if isinstance(node.value, str | bytes) and len(node.value) > _LONGEST_TEXT:
            cut: Any = node.value[:_LONGEST_TEXT]
            return ast.Constant(cut + ("..." if isinstance(cut, str) else b"..."))
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        return self._some(node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return self._some(node)

    def _some(self, node: ast.List | ast.Tuple) -> ast.AST:
        """The first elements of a long list."""
        if len(node.elts) > self._most:
            node.elts = [*node.elts[: self._most - 1], ast.Constant(...)]
        return self.generic_visit(node)
