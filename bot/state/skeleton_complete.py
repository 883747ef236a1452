"""Which files of a skeleton leave nothing to write."""

import ast
import re

from bot.syntax import parse

# How a class's docstring names bases that its skeleton could not be given.
EXTENDS = "Extends"
# What a package's docstring promises that re-exports are, and what they are not.
_EXPORTS = re.compile(
    r"\b(?:re-?)?(?:export|expos|import)(?:s|es|ed|ing)?\b|\bAPI\b", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:defin|declar|initiali[sz]|register|configur|creat|sets?\b|version|metadata)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"`([A-Za-z_]\w*)`")
_FAULT = re.compile(r"(?:Error|Exception|Warning|Exit|Interrupt|Timeout|Fault|Failure)$")


def is_complete(path: str, source: str) -> bool:
    """Whether a skeleton leaves nothing to write: re-exports, constants with their values, and
    exceptions that are no more than their name and bases."""
    if not path.endswith(".py"):
        return False
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    said = ast.get_docstring(tree) or ""
    own = [n for n in tree.body if not (_says_nothing(n) or _names_exports(n))]
    if own:
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        names |= {n.name for n in own if isinstance(n, ast.ClassDef)}
        promised = () if any(isinstance(n, ast.ClassDef) for n in own) else _NAMED.findall(said)
        return all(_finished(n) for n in own) and names.issuperset(promised)
    exports = any(_names_exports(n) for n in tree.body)
    open_words = _MORE.search(said) or (not exports and _EXPORTS.search(said))
    return path.endswith("__init__.py") and not open_words


def _says_nothing(node: ast.stmt) -> bool:
    """Docstrings and imports, those for annotations included."""
    if isinstance(node, ast.If):
        return all(_says_nothing(n) for n in (*node.body, *node.orelse))
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)


def _names_exports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _finished(node: ast.stmt) -> bool:
    """A variable that has its value, or an exception without members whose bases are known."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        value = node.value
        return value is not None and not (isinstance(value, ast.Constant) and value.value is None)
    if not isinstance(node, ast.ClassDef) or not node.bases:
        return False
    known = EXTENDS not in (ast.get_docstring(node) or "").split()
    names = [node.name, *(ast.unparse(b) for b in node.bases)]
    return (
        known and all(_says_nothing(n) for n in node.body) and any(_FAULT.search(n) for n in names)
    )
