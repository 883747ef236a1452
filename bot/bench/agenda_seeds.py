"""The faults that the bench of the repair agenda seeds into references: what a text shows and what
only a test does, the same ones each time."""

import ast
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from bot.base import Data
from bot.bench.families_seeded import faults_of
from bot.bench.seeding import KINDS, seeds_of
from bot.syntax import parse

_PER_KIND = 12
_OF_FAMILIES = {
    "off_by_one": "off_by_one",
    "inverted_condition": "negated_condition",
    "wrong_exception": "wrong_exception",
}
_OF_KINDS = tuple(kind for kind in KINDS if kind != "placeholder")
SEEDED_KINDS = (*_OF_KINDS, *_OF_FAMILIES.values(), "changed_constant")


class SeededFault(Data):
    """One fault: what kind, where, and the source of the file that holds it."""

    kind: str
    path: str
    line: int
    source: str


def seeded_faults(files: Mapping[str, str], most: int) -> tuple[SeededFault, ...]:
    """At most so many faults, kind after kind in turn, each kind spread over the files by the hash
    of its places."""
    found: dict[str, list[SeededFault]] = {kind: [] for kind in SEEDED_KINDS}
    for seed in seeds_of(files, _PER_KIND):
        if seed.kind in found:
            found[seed.kind].append(
                SeededFault(
                    kind=seed.kind, path=seed.edit.path, line=seed.edit.line, source=seed.source
                )
            )
    families = faults_of(files)
    for family, kind in _OF_FAMILIES.items():
        found[kind] = [
            SeededFault(kind=kind, path=f.path, line=f.line, source=f.source)
            for f in families[family]
            if f.source is not None
        ]
    found["changed_constant"] = list(_changed_constants(files))
    turns = chain.from_iterable(zip_longest(*(_shuffled(found[k]) for k in SEEDED_KINDS)))
    return tuple(f for f in turns if f is not None and _is_new(f, files))[:most]


def _shuffled(faults: Sequence[SeededFault]) -> list[SeededFault]:
    """The faults in an order that their places give, files in turn."""
    by_file: dict[str, list[SeededFault]] = {}
    for fault in sorted(faults, key=_hash):
        by_file.setdefault(fault.path, []).append(fault)
    return [f for f in chain.from_iterable(zip_longest(*by_file.values())) if f is not None]


def _hash(fault: SeededFault) -> str:
    return hashlib.sha256(f"{fault.kind} {fault.path} {fault.line}".encode()).hexdigest()


def _is_new(fault: SeededFault, files: Mapping[str, str]) -> bool:
    """Whether the fault changes its file and leaves it valid Python."""
    try:
        return ast.dump(parse(fault.source)) != ast.dump(parse(files[fault.path]))
    except SyntaxError:
        return False


def _changed_constants(files: Mapping[str, str]) -> Iterator[SeededFault]:
    """A truth value turned round, a text or number that is another one."""
    for path, source in files.items():
        tree = parse(source)
        passed_over = _beside_code(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node not in passed_over:
                text = _other(node.value)
                if text is not None and node.lineno == node.end_lineno:
                    changed = _exchanged(source, node, text)
                    yield SeededFault(
                        kind="changed_constant", path=path, line=node.lineno, source=changed
                    )


def _beside_code(tree: ast.Module) -> set[ast.AST]:
    """Constants that are docstrings, annotations or pieces of formatted texts."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.JoinedStr):
            found.update(ast.walk(node) if isinstance(node, ast.JoinedStr) else [node.value])
        for part in ("annotation", "returns"):
            inner = getattr(node, part, None)
            found.update(ast.walk(inner) if isinstance(inner, ast.AST) else ())
    return found


def _other(value: object) -> str | None:
    if isinstance(value, bool):
        return repr(not value)
    if isinstance(value, str) and value:
        return repr(value[::-1] if value != value[::-1] else value + value)
    return repr(value * 2 + 3) if isinstance(value, int | float) else None


def _exchanged(source: str, node: ast.expr, text: str) -> str:
    """The source with `text` in place of an expression on one line."""
    lines = source.encode().split(b"\n")
    line = lines[node.lineno - 1]
    head, rest = line[: node.col_offset], line[node.end_col_offset :]
    lines[node.lineno - 1] = head + text.encode() + rest
    return b"\n".join(lines).decode()
