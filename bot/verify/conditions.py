"""Conditions under which code may ask for what is not there: another Python, another machine, an
error that is expected."""

import ast

_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_PLATFORM = frozenset(
    {
        "version_info",
        "hexversion",
        "platform",
        "python_implementation",
        "implementation",
        "PY2",
        "PY3",
    }
)


def catches_import(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(_named(handler.type) & _IMPORTS)


def expects_missing_attribute(node: ast.Try) -> bool:
    """A `try` that names AttributeError: what it asks for may not be there."""
    return any(h.type is not None and "AttributeError" in _named(h.type) for h in node.handlers)


def asks_platform(test: ast.expr) -> bool:
    """A condition on the Python or the machine at hand."""
    return bool(_named(test) & _PLATFORM) or "os.name" in ast.unparse(test)


def asks_typing(test: ast.expr) -> bool:
    """`if TYPE_CHECKING`: what stands below is never run."""
    return "TYPE_CHECKING" in _named(test)


def _named(node: ast.AST) -> set[str]:
    names = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return names | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
