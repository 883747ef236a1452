"""Faults of known families, seeded into working code: each is an edit of one file that keeps it
valid Python."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from bot.base import Data
from bot.state.model import module_name
from bot.syntax import parse

Edit = tuple[ast.AST, str]
T = TypeVar("T", bound=ast.AST)

_OTHER = "seeded_"
_EXCEPTION = "RuntimeError"


class Fault(Data):
    """One edit of one file; `source` is None where the file is taken away."""

    family: str
    path: str
    line: int
    source: str | None


def faults_of(files: Mapping[str, str]) -> dict[str, tuple[Fault, ...]]:
    """By family, every place of the files (path -> source) where such a fault can be seeded."""
    trees = {path: parse(source) for path, source in files.items()}
    found: dict[str, tuple[Fault, ...]] = {}
    for family, places in _FAMILIES.items():
        found[family] = tuple(
            Fault(family=family, path=path, line=at.lineno, source=_edited(files[path], at, text))
            for path, tree in trees.items()
            for at, text in places(tree, files[path])
            if isinstance(at, ast.stmt | ast.expr | ast.arg)
        )
    found["missing_reexport"] = tuple(f for f in found["missing_reexport"] if _is_front(f.path))
    found["missing_module"] = tuple(
        Fault(family="missing_module", path=path, line=1, source=None)
        for path in files
        if not _is_front(path)
    )
    found["circular_import"] = tuple(_circles(files, trees))
    return found


def _edited(source: str, at: ast.stmt | ast.expr | ast.arg, text: str) -> str:
    """The source with `text` in place of a node; columns count bytes of UTF-8."""
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: at.lineno - 1])) + at.col_offset
    end = sum(map(len, lines[: (at.end_lineno or at.lineno) - 1])) + (at.end_col_offset or 0)
    whole = source.encode()
    return (whole[:start] + text.encode() + whole[end:]).decode()


def _missing_name(tree: ast.Module, source: str) -> Iterator[Edit]:
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in used:
            yield node, _segment(source, node).replace(node.name, node.name + _OTHER, 1)


def _missing_reexport(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.names[0].name != "*":
            for gone in node.names:
                rest = [alias for alias in node.names if alias is not gone]
                left = ast.ImportFrom(module=node.module, names=rest, level=node.level)
                yield node, ast.unparse(left) if rest else "pass"


def _undefined_name(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in tree.body:
        if isinstance(node, ast.Import) and len(node.names) == 1:
            yield node, "pass"


def _signature_mismatch(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            taken = [*node.args.posonlyargs, *node.args.args]
            if taken and taken[0].arg not in ("self", "cls"):
                yield taken[0], f"{_OTHER}, {_segment(source, taken[0])}"
            elif taken and not (node.name.startswith("__") and node.name != "__init__"):
                yield taken[0], f"{taken[0].arg}, {_OTHER}"


def _missing_attribute(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            for stmt in ast.walk(node):
                if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Attribute):
                    yield stmt.targets[0], _segment(source, stmt.targets[0]) + _OTHER


def _missing_return(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.Return):
        if isinstance(node.value, ast.expr) and not isinstance(node.value, ast.Constant):
            yield node, f"({_segment(source, node.value)})"


def _wrong_exception(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.Raise):
        if isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name | ast.Attribute):
            yield node.exc, f'{_EXCEPTION}("seeded")'


def _missing_exception(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.Raise):
        if node.exc is not None:
            yield node, "pass"


def _off_by_one(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.BinOp | ast.Slice):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.Constant) and type(child.value) is int:
                    yield child, str(child.value + 1)


def _item_order(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "sorted":
            yield node, f"{_segment(source, node)}[::-1]"


def _text_and_bytes(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("encode", "decode"):
            yield node, _segment(source, node.func.value)


def _inverted_condition(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.If):
        yield node.test, f"not ({_segment(source, node.test)})"


def _timed_out(tree: ast.Module, source: str) -> Iterator[Edit]:
    for node in _of(tree, ast.FunctionDef):
        last = node.body[-1]
        if isinstance(last, ast.Return) and last.value is not None and len(node.body) > 1:
            yield last, "while True: pass"


def _circles(files: Mapping[str, str], trees: Mapping[str, ast.Module]) -> Iterator[Fault]:
    """A file that another one imports asks that one for a name while it loads."""
    modules = {module_name(path): path for path in files}
    for path, tree in trees.items():
        if _is_front(path):
            continue
        defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        for target in sorted({modules[m] for m in _imported(path, tree) if m in modules}):
            if defined and target != path:
                line = f"from {module_name(path)} import {defined[-1]} as {_OTHER}\n"
                body = trees[target].body
                start = body[1].lineno if ast.get_docstring(trees[target]) and body[1:] else 1
                lines = files[target].splitlines(keepends=True)
                source = "".join([*lines[: start - 1], line, *lines[start - 1 :]])
                yield Fault(family="circular_import", path=target, line=start, source=source)


def _imported(path: str, tree: ast.Module) -> Iterator[str]:
    package = path.split("/")[:-1]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            whole = ".".join([*base, *filter(None, [node.module])])
            yield whole
            yield from (f"{whole}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _of(tree: ast.Module, kind: type[T]) -> Iterable[T]:
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def _segment(source: str, node: ast.AST) -> str:
    return ast.get_source_segment(source, node) or ""


def _is_front(path: str) -> bool:
    return path.rpartition("/")[2] == "__init__.py"


_FAMILIES: Mapping[str, Callable[[ast.Module, str], Iterator[Edit]]] = {
    "missing_name": _missing_name,
    "missing_reexport": _missing_reexport,
    "undefined_name": _undefined_name,
    "signature_mismatch": _signature_mismatch,
    "missing_attribute": _missing_attribute,
    "missing_return": _missing_return,
    "wrong_exception": _wrong_exception,
    "missing_exception": _missing_exception,
    "off_by_one": _off_by_one,
    "item_order": _item_order,
    "text_and_bytes": _text_and_bytes,
    "inverted_condition": _inverted_condition,
    "timed_out": _timed_out,
}
