"""Where a change touches the text that was there: lines, and the functions that they stand in."""

import ast
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

from bot.state.extract import Definition, statements
from bot.syntax import parse, source_lines


def touched_lines(old: str, new: str) -> frozenset[int]:
    """Numbers of the old lines that a change touches; of what is only added, the lines around."""
    before, after = source_lines(old), source_lines(new)
    found: set[int] = set()
    for tag, start, end, _, _ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "insert":
            found |= {start, start + 1}
        elif tag != "equal":
            found |= set(range(start + 1, end + 1))
    return frozenset(found & set(range(1, len(before) + 1)))


def functions_at(source: str, lines: Collection[int]) -> dict[str, frozenset[int]]:
    """The functions and methods that hold some of the lines: qualified name -> those lines; none
    where the source does not parse."""
    try:
        body = parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, frozenset[int]] = {}
    for name, stmt in _functions(body, ""):
        inside = frozenset(lines).intersection(range(stmt.lineno, (stmt.end_lineno or 0) + 1))
        if inside:
            found[name] = inside
    return found


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for stmt in statements(body):
        if isinstance(stmt, Definition):
            yield prefix + stmt.name, stmt
        elif isinstance(stmt, ast.ClassDef):
            yield from _functions(stmt.body, f"{prefix}{stmt.name}.")
