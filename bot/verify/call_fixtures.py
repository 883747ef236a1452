"""Fixtures of check tests, and what functions of tests give."""

import ast
from collections.abc import Iterator

from bot.state.extract import Definition


def fixtures_in(tree: ast.Module) -> dict[str, Definition]:
    """The fixtures of a test file by name, those of its classes included."""
    return {
        fixture_name(node): node
        for node in ast.walk(tree)
        if isinstance(node, Definition) and fixture_name(node)
    }


def own_nodes(function: Definition) -> Iterator[ast.AST]:
    """Nodes of a function's own body, without those of functions inside it."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, Definition | ast.Lambda | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))


def fixture_name(node: Definition) -> str:
    """The name under which a fixture is asked for; "" for any other function."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(called).rpartition(".")[2] in ("fixture", "async_fixture"):
            given = decorator.keywords if isinstance(decorator, ast.Call) else []
            named = [
                k.value.value
                for k in given
                if k.arg == "name" and isinstance(k.value, ast.Constant)
            ]
            return str(named[0]) if named else node.name
    return ""
