"""GitHub's expressions, over values of JSON. The workflows that hold them are not trusted.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
"""

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree, UnexpectedEOF, UnexpectedInput

from bot.forge.embedded.actions.functions import FUNCTIONS, LARGEST, TOO_LARGE
from bot.forge.embedded.actions.values import Value, as_number, as_text, equal, is_true, less

Context = Mapping[str, Value]
_LONGEST = 21_000
_DEEPEST = 50
_CONSTANTS: Mapping[str, Value] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": math.nan,
    "Infinity": math.inf,
}
# Without possessive quantifiers, with which some Pythons 3.11 lose what a group matched:
# https://github.com/python/cpython/issues/101955. One character a step, so nothing is tried twice.
_INSIDE = re.compile(r"((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}")


class BadExpression(Exception):
    """An expression that cannot be read or evaluated, with GitHub's sentence for it."""


class _Filtered(list[Value]):
    """What `.*` found: what follows is asked of each of them."""


def filled_in(text: str, context: Context) -> str:
    """`text` with each `${{ }}` replaced by what it comes to. Raises BadExpression."""
    filled = ""
    for inside, piece in _pieces(text):
        filled += as_text(evaluate(piece, context)) if inside else piece
        if len(filled) > LARGEST:
            raise BadExpression(TOO_LARGE)
    return filled


def evaluate(source: str, context: Context) -> Value:
    """What an expression comes to; `context` has the names that it may use, as values of JSON.
    Raises BadExpression."""
    tree = _parse(source)
    _check(tree, context, source)
    try:
        return _Evaluation(context).value(tree.children[0], 1)
    except ValueError as error:
        raise BadExpression(f"{error}. In the expression: {source.strip()}") from error


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """(False, plain text) and (True, expression), in their order."""
    place = 0
    while (start := text.find("${{", place)) >= 0:
        yield False, text[place:start]
        inside = _INSIDE.match(text, start + 3)
        if inside is None:
            raise BadExpression(
                "The expression is not closed. An unescaped ${{ sequence was found, but the"
                " closing }} sequence was not found."
            )
        yield True, inside[1]
        place = inside.end()
    yield False, text[place:]


def _parse(source: str) -> Tree[Token]:
    if len(source) > _LONGEST:
        raise BadExpression(f"Exceeded max expression length {_LONGEST}")
    if not source.strip():
        raise BadExpression("An expression was expected")
    try:
        return _grammar().parse(source)
    except UnexpectedInput as error:
        shown = source.strip()
        token = getattr(error, "token", None)
        if isinstance(error, UnexpectedEOF) or (isinstance(token, Token) and token.type == "$END"):
            raise BadExpression(f"Unexpected end of expression: {shown}") from error
        place = error.pos_in_stream or 0
        symbol = str(token or re.match(r"\S[\w.-]*", source[place:] or "?")[0])  # type: ignore[index]
        raise _at(f"Unexpected symbol: '{symbol}'", place, source) from error


def _check(tree: Tree[Token], context: Context, source: str) -> None:
    """Names and functions must be known, also where they would not be reached."""
    names = {name.lower() for name in context}
    for node in tree.iter_subtrees():
        first = node.children[0] if node.children else None
        if not isinstance(first, Token):
            continue
        if node.data == "name" and first not in _CONSTANTS and first.lower() not in names:
            raise _at(f"Unrecognized named-value: '{first}'", first.start_pos or 0, source)
        if node.data == "call":
            _check_call(first, len([c for c in node.children[1:] if c is not None]), source)


def _check_call(name: Token, given: int, source: str) -> None:
    function = FUNCTIONS.get(name.lower())
    place = name.start_pos or 0
    if function is None:
        raise _at(f"Unrecognized function: '{name}'", place, source)
    if given < function.least:
        raise _at(f"Too few parameters supplied: '{name}'", place, source)
    if given > function.most:
        raise _at(f"Too many parameters supplied: '{name}'", place, source)


def _at(problem: str, place: int, source: str) -> BadExpression:
    blank = len(source) - len(source.lstrip())
    return BadExpression(
        f"{problem}. Located at position {place - blank + 1} within expression: {source.strip()}"
    )


class _Evaluation:
    """One walk over a tree; raises BadExpression, and ValueError from functions."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def value(self, node: Tree[Token] | Token, depth: int) -> Value:
        if isinstance(node, Token):
            return node
        if depth > _DEEPEST:
            raise BadExpression(f"Exceeded max expression depth {_DEEPEST}")
        if node.data == "any":
            return self._first(node, depth, wanted=True)
        if node.data == "all":
            return self._first(node, depth, wanted=False)
        parts = [self.value(child, depth + 1) for child in node.children if child is not None]
        return getattr(self, f"_{node.data}")(*parts)

    def _first(self, node: Tree[Token], depth: int, *, wanted: bool) -> Value:
        """The first operand that settles `&&` or `||`, or the last; those behind are not asked."""
        found: Value = None
        for child in node.children:
            found = self.value(child, depth + 1)
            if is_true(found) is wanted:
                break
        return found

    def _equal(self, left: Value, sign: str, right: Value) -> bool:
        return equal(left, right) is (sign == "==")

    def _order(self, left: Value, sign: str, right: Value) -> bool:
        if sign.startswith("<"):
            return less(left, right) or (sign == "<=" and equal(left, right))
        return less(right, left) or (sign == ">=" and equal(left, right))

    def _not(self, value: Value) -> bool:
        return not is_true(value)

    def _property(self, value: Value, name: str) -> Value:
        return self._index(value, str(name))

    def _index(self, value: Value, key: Value) -> Value:
        if isinstance(value, _Filtered):
            found = [(_has(one, key), _inner(one, key)) for one in value]
            return _Filtered(inner for has, inner in found if has)
        return _inner(value, key)

    def _every(self, value: Value) -> Value:
        if isinstance(value, _Filtered):
            return _Filtered(inner for one in value for inner in _items(one))
        return _Filtered(_items(value))

    def _call(self, name: str, *values: Value) -> Value:
        return FUNCTIONS[name.lower()].does(*values)

    def _name(self, name: str) -> Value:
        return _CONSTANTS[name] if name in _CONSTANTS else _inner(self._context, name)

    def _number(self, text: str) -> Value:
        number = as_number(text.removeprefix("+"))
        return int(number) if number.is_integer() else number

    def _text(self, text: str) -> str:
        return text[1:-1].replace("''", "'")


def _has(value: Value, key: Value) -> bool:
    return _place(value, key) is not None


def _inner(value: Value, key: Value) -> Value:
    """What lies under a key or number; null where nothing does."""
    place = _place(value, key)
    return None if place is None else value[place]


def _place(value: Value, key: Value) -> Any:
    """The key as the value itself has it: names count whatever their case."""
    if isinstance(value, Mapping):
        name = as_text(key)
        if name in value:
            return name
        return next((known for known in value if str(known).lower() == name.lower()), None)
    if isinstance(value, list):
        number = as_number(key)
        return int(number) if 0 <= number < len(value) else None
    return None


def _items(value: Value) -> list[Value]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


@cache
def _grammar() -> Lark:
    source = files("bot.forge.embedded.actions").joinpath("expressions.lark").read_text("utf-8")
    return Lark(source, parser="lalr", maybe_placeholders=False)
