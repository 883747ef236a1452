"""Python's own parser, one text at a time.

CPython 3.11 keeps the depth of its syntax tree builder for the whole interpreter, so two threads
that parse at the same moment can end in `SystemError: AST constructor recursion depth mismatch`
(https://github.com/python/cpython/issues/106905).
"""

import ast
from threading import Lock

_one_at_a_time = Lock()


def alone() -> Lock:
    """The lock to hold around a library that parses by itself."""
    return _one_at_a_time


def parse(source: str) -> ast.Module:
    """The syntax tree of a module; raise SyntaxError, ValueError, RecursionError or MemoryError
    where there is none."""
    with _one_at_a_time:
        return ast.parse(source)


def parse_expression(source: str) -> ast.Expression:
    """The syntax tree of one expression; raises as `parse` does."""
    with _one_at_a_time:
        return ast.parse(source, mode="eval")


def literal(source: str) -> object:
    """The value of a literal; raise ValueError, SyntaxError, TypeError, RecursionError or
    MemoryError where the text is none."""
    with _one_at_a_time:
        return ast.literal_eval(source)
