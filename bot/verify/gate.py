"""The static gate: what can be known to fail before a test is run or a token is spent."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from pyflakes import messages
from pyflakes.checker import Checker

from bot.spec.model import Location
from bot.syntax import alone
from bot.verify.cycles import verify_cycles
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.imports import verify_imports
from bot.verify.inference import Inference
from bot.verify.members import verify_members
from bot.verify.placeholders import verify_placeholders
from bot.verify.project import FileIndex, Module, assemble, index_file
from bot.verify.returns import verify_returns

_FATAL: Mapping[type[messages.Message], Rule] = {
    messages.UndefinedName: Rule.UNDEFINED_NAME,
    messages.UndefinedExport: Rule.UNDEFINED_NAME,
    messages.UndefinedLocal: Rule.UNDEFINED_NAME,
    messages.ReturnOutsideFunction: Rule.MISPLACED,
    messages.YieldOutsideFunction: Rule.MISPLACED,
    messages.ContinueOutsideLoop: Rule.MISPLACED,
    messages.BreakOutsideLoop: Rule.MISPLACED,
    messages.DuplicateArgument: Rule.SYNTAX,
    messages.TwoStarredExpressions: Rule.SYNTAX,
    messages.TooManyExpressionsInStarredAssignment: Rule.SYNTAX,
    messages.StringDotFormatMissingArgument: Rule.FORMAT,
    messages.PercentFormatPositionalCountMismatch: Rule.FORMAT,
}


def gate(
    files: Mapping[str, str], only: frozenset[str] | None, installed: frozenset[str]
) -> list[Evidence]:
    """Faults of the tree `files` (path -> source), reported for the paths in `only` (all where
    None), the same fault of one file once. `installed` are normalised distribution names that the
    checks will have."""
    return list(_faults(tuple(sorted(files.items())), only, installed))


@lru_cache(maxsize=8)
def _faults(
    files: tuple[tuple[str, str], ...], only: frozenset[str] | None, installed: frozenset[str]
) -> tuple[Evidence, ...]:
    """Kept for the last trees: a round judges what it wrote once more before it is published."""
    read: list[FileIndex] = []
    found: list[Evidence] = []
    for path, source in files:
        if path.endswith(".py"):
            try:
                read.append(index_file(path, source))
            except SyntaxError as error:
                found.append(_syntax(path, error))
            except RecursionError:
                found.append(_too_deep(path))
            except ValueError as error:
                found.append(_fault(Rule.SYNTAX, path, f"`{path}` cannot be read: {error}", 1, 1))
    inference = Inference(assemble(read))
    for module in (file.module for file in read):
        if only is None or module.path in only:
            try:
                found.extend(_of_file(module, inference, installed))
            except RecursionError:
                found.append(_too_deep(module.path))
    found.extend(verify_cycles(inference.project.modules))
    wanted = [e for e in found if only is None or e.location is None or e.location.file in only]
    return tuple({(e.subject, e.detail): e for e in reversed(wanted)}.values())[::-1]


def _of_file(module: Module, inference: Inference, installed: frozenset[str]) -> Iterator[Evidence]:
    yield from _undefined(module)
    yield from verify_imports(module, inference.project, installed)
    yield from verify_members(module, inference)
    yield from verify_returns(module, inference)
    yield from verify_placeholders(module, inference)


@lru_cache(maxsize=512)
def _undefined(module: Module) -> tuple[Evidence, ...]:
    with alone():
        checker = Checker(module.tree, filename=module.path)
    path = module.path
    return tuple(
        _fault(
            _FATAL[type(m)], path, f"`{path}`: {m.message % m.message_args}", m.lineno, m.col + 1
        )
        for m in sorted(checker.messages, key=lambda m: (m.lineno, m.col))
        if type(m) in _FATAL
    )


def _too_deep(path: str) -> Evidence:
    return _fault(Rule.SYNTAX, path, f"`{path}` nests too deeply to be checked", 1, 1)


def _syntax(path: str, error: SyntaxError) -> Evidence:
    return _fault(
        Rule.SYNTAX,
        path,
        f"`{path}` does not parse: {error.msg} (line {error.lineno})",
        error.lineno or 1,
        error.offset or 1,
    )


def _fault(rule: Rule, path: str, detail: str, line: int, column: int) -> Evidence:
    return Evidence(
        tool=Tool.GATE,
        rule=rule,
        subject=path,
        verdict="fault",
        detail=detail,
        location=Location(file=path, line=line, column=column),
    )
