"""Python's own parser, one text at a time.

CPython 3.11 keeps the depth of its syntax tree builder for the whole interpreter, so two threads
that parse at the same moment can end in `SystemError: AST constructor recursion depth mismatch`
(https://github.com/python/cpython/issues/106905).
"""

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_one_at_a_time = Lock()


def alone() -> Lock:
    """The lock to hold around a library that parses by itself."""
    return _one_at_a_time


def parse(source: str) -> ast.Module:
    """The syntax tree of a module; raise SyntaxError, ValueError or RecursionError where there is
    none."""
    with _parser():
        return ast.parse(source)


def parse_expression(source: str) -> ast.Expression:
    """The syntax tree of one expression; raises as `parse` does."""
    with _parser():
        return ast.parse(source, mode="eval")


def literal(source: str) -> object:
    """The value of a literal; raise ValueError, SyntaxError, TypeError or RecursionError where the
    text is none."""
    with _parser():
        return ast.literal_eval(source)


def source_lines(source: str) -> list[str]:
    """The lines of a source as the parser counts them: `str.splitlines` also breaks at form feeds
    and other characters that may stand inside a line."""
    return re.split(r"\r\n|\r|\n", source)


@contextmanager
def _parser() -> Iterator[None]:
    """The parser for one text. That its stack is full it says with a MemoryError for some texts
    and a RecursionError for others."""
    with _one_at_a_time:
        try:
            yield
        except MemoryError as error:
            raise RecursionError("too deeply nested to be parsed") from error
