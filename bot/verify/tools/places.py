"""Where a reader finds a node: the line of its definition, else where the documents ask for it."""

import ast
from collections.abc import Iterable

from bot.spec.model import Location
from bot.state.extract import Definition, assigned, statements
from bot.state.model import Node, file_id
from bot.syntax import parse


def lines_of(path: str, source: str) -> dict[str, int]:
    """Node id -> line of everything that a source defines; empty where it does not parse."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, int] = {path: 1}

    def visit(body: Iterable[ast.stmt], prefix: str) -> None:
        for stmt in statements(body):
            if isinstance(stmt, Definition | ast.ClassDef):
                found.setdefault(file_id(path, prefix + stmt.name), stmt.lineno)
                if isinstance(stmt, ast.ClassDef):
                    visit(stmt.body, f"{prefix}{stmt.name}.")
                continue
            for name in (*(n for n, _, _ in assigned(stmt)), *_imported(stmt)):
                found.setdefault(file_id(path, prefix + name), stmt.lineno)

    visit(tree.body, "")
    return found


def _imported(stmt: ast.stmt) -> list[str]:
    """Names that an import binds: in a package's `__init__` they are re-exports."""
    names = stmt.names if isinstance(stmt, ast.ImportFrom) else []
    return [alias.asname or alias.name for alias in names]


def asked_for(node: Node) -> Location:
    """Where the documents ask for a node; its own file where they are silent."""
    return node.asked[0] if node.asked else Location(file=node.path)
