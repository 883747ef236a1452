"""The module-level variables of a skeleton file: with their values where these can run, and before
or after the classes."""

import ast
from collections.abc import Collection, Mapping, Sequence
from inspect import Signature

from bot.state.model import Node
from bot.state.skeleton_names import standard_names
from bot.state.skeleton_text import constant, means, note
from bot.state.skeleton_values import runs
from bot.syntax import parse_expression


class Variables:
    """`early` are the lines before the classes, `late` those that need the classes. `needed` are
    names that must come early, `classes` says of each class how it can be called."""

    def __init__(
        self,
        nodes: Sequence[Node],
        needed: Collection[str],
        classes: Mapping[str, Signature | None],
        known: Collection[str],
    ) -> None:
        self.early: list[str] = []
        self.late: list[str] = []
        self._known = known
        self._classes = classes
        self._above = set(known) & standard_names()
        self._below: set[str] = set()
        pending = list(nodes)
        while pending:
            fitting = [n for n in pending if self._fits(n, early=True)]
            behind = [n for n in pending if n.name not in needed and self._fits(n, early=False)]
            if fitting:
                pending = self._put(self.early, fitting[0], pending, live=True)
            elif behind:
                pending = self._put(self.late, behind[0], pending, live=True)
            else:
                pending = self._put(self.early, pending[0], pending, live=False)

    def _fits(self, node: Node, *, early: bool) -> bool:
        if not node.value:
            return early
        if constant(node.value):
            return early
        callables = () if early else [c for c, known in self._classes.items() if known]
        names = self._above if early else self._above | self._below | set(self._classes)
        return runs(node.value, callables, names) and self._binds(node.value)

    def _binds(self, value: str) -> bool:
        """Whether every call of a class in a value gives what the class takes."""
        tree = parse_expression(value.strip())
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
            known = self._classes.get(ast.unparse(call.func))
            if known is None:
                continue
            try:
                known.bind(*call.args, **{k.arg or "": k.value for k in call.keywords})
            except TypeError:
                return False
        return True

    def _put(self, lines: list[str], node: Node, pending: list[Node], *, live: bool) -> list[Node]:
        value = node.value if node.value and live else "None"
        words = [f"= {node.value}"] if node.value and not live else []
        annotation = node.annotation
        if annotation and not means(annotation, self._known):
            words.append(annotation)
            annotation = None
        kind = f": {annotation}" if annotation else ""
        lines.append(f"{node.name}{kind} = {value}{note([*words, node.purpose])}")
        if live:
            (self._above if lines is self.early else self._below).add(node.name)
        return [n for n in pending if n is not node]
