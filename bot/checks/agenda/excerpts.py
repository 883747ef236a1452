"""What of a long file or a long traceback a repair needs."""

import ast
import re
from collections.abc import Iterable, Sequence

from bot.checks.agenda.code import Code, first_line
from bot.checks.steady import cropped
from bot.state.extract import Definition
from bot.syntax import source_lines

LARGE_FILE = 12_000
_LONGEST_CODE = 9_000
_LONGEST_DETAIL = 3_000
_GAP = "# ..."
# How pytest's short tracebacks begin a frame, and which of them stand outside the repository.
_FRAME = re.compile(r"^(?P<path>\S+?\.pyx?):\d+: in ")
_ELSEWHERE = ("site-packages/", "python/", "<", "/")


def detail_that_matters(text: str) -> str:
    """A failure's text without the frames of other packages, all but the last of them, cut in the
    middle where it is still long."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if _FRAME.match(line):
            blocks.append([])
        blocks[-1].append(line)
    foreign = [i for i, block in enumerate(blocks) if block and _is_foreign(block[0])]
    dropped = frozenset(foreign[:-1])
    kept = [line for i, block in enumerate(blocks) if i not in dropped for line in block]
    return cropped("\n".join(kept), _LONGEST_DETAIL)


def _is_foreign(line: str) -> bool:
    found = _FRAME.match(line)
    return found is not None and found["path"].startswith(_ELSEWHERE)


def code_that_matters(code: Code, path: str, nodes: Sequence[str]) -> str:
    """Of a large file its imports and the named definitions, then what these use of it and what
    uses them, as far as there is room; "" where the file is small or nothing is named."""
    text = code.texts.get(path, "")
    named = [n for n in nodes if n in code.trees and n.partition("::")[0] == path]
    if len(text) <= LARGE_FILE or not named:
        return ""
    lines = source_lines(text)
    wanted: set[int] = set()
    for stmt in (*_imports(code, path), *_by_need(code, path, named)):
        span = _span(stmt)
        size = sum(len(lines[i]) + 1 for i in wanted | span)
        if size <= _LONGEST_CODE or not wanted:
            wanted |= span
    return _with_gaps(lines, wanted)


def _imports(code: Code, path: str) -> list[ast.stmt]:
    body = code.facts[path].tree.body
    return [s for s in body if isinstance(s, ast.Import | ast.ImportFrom)]


def _by_need(code: Code, path: str, named: Sequence[str]) -> Iterable[ast.stmt]:
    """The definitions themselves with the heads of their classes, then their neighbours."""
    used = [t for n in named for t in code.edges.get(n, {})]
    users = [n for n, _ in code.spans[path] if set(code.edges.get(n, {})) & set(named)]
    for node in dict.fromkeys((*named, *used, *users)):
        stmt = code.trees.get(node)
        if stmt is not None and node.partition("::")[0] == path:
            owner = (
                code.trees.get(node.rpartition(".")[0]) if "." in node.partition("::")[2] else None
            )
            if isinstance(owner, ast.ClassDef):
                yield owner
            yield stmt


def _span(stmt: ast.stmt) -> set[int]:
    """The lines of a statement, from 0; of a class those before its first method."""
    end = stmt.end_lineno or stmt.lineno
    if isinstance(stmt, ast.ClassDef):
        inner = [s for s in stmt.body if isinstance(s, Definition | ast.ClassDef)]
        end = first_line(inner[0]) - 1 if inner else end
    return set(range(first_line(stmt) - 1, end))


def _with_gaps(lines: Sequence[str], wanted: set[int]) -> str:
    out: list[str] = []
    before = -1
    for index in sorted(wanted):
        if index > before + 1 and any(line.strip() for line in lines[before + 1 : index]):
            out.append(_GAP)
        elif index > before + 1:
            out.extend(lines[before + 1 : index])
        out.append(lines[index])
        before = index
    if any(line.strip() for line in lines[before + 1 :]):
        out.append(_GAP)
    return "\n".join(out)
