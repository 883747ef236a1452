"""The static gate: what can be known to fail before a test is run or a token is spent."""

import ast
from collections.abc import Mapping

from pyflakes import messages
from pyflakes.checker import Checker

from bot.spec.model import Location
from bot.state.model import module_name
from bot.syntax import alone, parse
from bot.verify.evidence import Evidence, Tool
from bot.verify.imports import names_bound, verify_imports
from bot.verify.placeholders import verify_placeholders

_FATAL = (
    messages.UndefinedName,
    messages.UndefinedExport,
    messages.UndefinedLocal,
    messages.ReturnOutsideFunction,
    messages.YieldOutsideFunction,
    messages.ContinueOutsideLoop,
    messages.BreakOutsideLoop,
    messages.DuplicateArgument,
    messages.TwoStarredExpressions,
    messages.TooManyExpressionsInStarredAssignment,
    messages.StringDotFormatMissingArgument,
    messages.PercentFormatPositionalCountMismatch,
)


def gate(
    files: Mapping[str, str], only: frozenset[str] | None, installed: frozenset[str]
) -> list[Evidence]:
    """Faults of the tree `files` (path -> source), reported for the paths in `only` (all where
    None). `installed` are normalised distribution names that the checks will have."""
    trees: dict[str, ast.Module] = {}
    found: list[Evidence] = []
    for path, source in sorted(files.items()):
        if path.endswith(".py"):
            try:
                trees[path] = parse(source)
            except SyntaxError as error:
                found.append(_syntax(path, error))
            except (ValueError, RecursionError) as error:
                found.append(_fault(path, f"`{path}` cannot be read: {error}", 1, 1))
    definitions = {module_name(p): names_bound(t) for p, t in trees.items()}
    for path, tree in trees.items():
        if only is None or path in only:
            try:
                found.extend(_undefined(path, tree))
                found.extend(verify_imports(path, tree, definitions, installed))
                found.extend(verify_placeholders(path, tree))
            except RecursionError:
                found.append(_fault(path, f"`{path}` nests too deeply to be checked", 1, 1))
    return [e for e in found if only is None or e.location is None or e.location.file in only]


def _undefined(path: str, tree: ast.Module) -> list[Evidence]:
    with alone():
        checker = Checker(tree, filename=path)
    return [
        _fault(path, f"`{path}`: {m.message % m.message_args}", m.lineno, m.col + 1)
        for m in sorted(checker.messages, key=lambda m: (m.lineno, m.col))
        if isinstance(m, _FATAL)
    ]


def _syntax(path: str, error: SyntaxError) -> Evidence:
    return _fault(
        path,
        f"`{path}` does not parse: {error.msg} (line {error.lineno})",
        error.lineno or 1,
        error.offset or 1,
    )


def _fault(path: str, detail: str, line: int, column: int) -> Evidence:
    return Evidence(
        tool=Tool.GATE,
        subject=path,
        verdict="fault",
        detail=detail,
        location=Location(file=path, line=line, column=column),
    )
