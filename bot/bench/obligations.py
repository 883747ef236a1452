"""Messages of sequence diagrams held against the references: what they ask for is there, and where
a call is taken out of a reference that is told."""

import ast
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, share
from bot.spec.model import Spec
from bot.state.extract import Definition, statements
from bot.state.model import file_id
from bot.syntax import parse
from bot.verify.calls import Calls
from bot.verify.messages import GLOBALS, Obligation, is_fulfilled, obligations, verify_messages


def bench_obligations(tasks: Sequence[Task]) -> BenchResult:
    """`fulfilled` is the share of obligations that the references meet; `caught` the share of
    those that are told once every call of what is asked for is gone from the caller's code.
    Obligations whose caller's text holds no such call (it inherits it, or goes by another name)
    are not `seeded`."""
    started = time.monotonic()
    rows: list[dict[str, Value]] = []
    total: Counter[str] = Counter()
    for task in tasks:
        counts = _counts(task)
        total.update(counts)
        rows.append({"task": task.name, **_shown(counts)})
    figures = _shown(total)
    figures["seconds"] = round(time.monotonic() - started, 1)
    return BenchResult(bench="obligations", figures=figures, tasks=tuple(rows))


def _counts(task: Task) -> Counter[str]:
    spec, sources = task.spec(), task.reference()
    calls = Calls(sources)
    asked = obligations(spec, calls)
    met = [o for o in asked if is_fulfilled(o, calls)]
    counts = Counter(
        messages=sum(len(d.messages) for d in spec.sequence_diagrams),
        obligations=len(asked),
        met=len(met),
        seeded=0,
        caught=0,
    )
    for obligation in met:
        seeded = without_calls(obligation, sources)
        if seeded is not None:
            counts["seeded"] += 1
            counts["caught"] += _is_told(obligation, spec, seeded)
    return counts


def _is_told(obligation: Obligation, spec: Spec, files: Mapping[str, str]) -> bool:
    return any(e.location == obligation.location for e in verify_messages(spec, files))


def without_calls(obligation: Obligation, sources: Mapping[str, str]) -> dict[str, str] | None:
    """The sources without the caller's calls of what is asked for; None where it has none."""
    called = obligation.called.rpartition("::")[2].rpartition(".")[2]
    changed: dict[str, str] = {}
    for path, source in sources.items():
        tree = parse(source)
        removal = _Removal(called)
        for part in _own_code(obligation.caller, path, tree):
            removal.visit(part)
        if removal.count:
            changed[path] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return {**sources, **changed} if changed else None


def _own_code(caller: str, path: str, tree: ast.Module) -> Iterator[ast.AST]:
    """The parts of a file that are the caller's own."""
    package = caller.removesuffix("__init__.py")
    if caller == path or (package != caller and path.startswith(package)):
        yield tree
    elif caller == GLOBALS:
        yield from (s for s in tree.body if not isinstance(s, ast.ClassDef))
    else:
        yield from (part for found, part in _definitions(path, "", tree.body) if found == caller)
        if caller == file_id(path, "main"):
            yield from (s for s in tree.body if not isinstance(s, Definition | ast.ClassDef))


def _definitions(path: str, prefix: str, body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    for stmt in statements(body):
        if isinstance(stmt, Definition | ast.ClassDef):
            yield file_id(path, prefix + stmt.name), stmt
        if isinstance(stmt, ast.ClassDef):
            yield from _definitions(path, f"{prefix}{stmt.name}.", stmt.body)


class _Removal(ast.NodeTransformer):
    """Puts None in the place of calls by one name."""

    def __init__(self, name: str) -> None:
        self.count = 0
        self._name = name

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else None
        last = node.func.id if isinstance(node.func, ast.Name) else last
        if last != self._name:
            return node
        self.count += 1
        return ast.copy_location(ast.Constant(None), node)


def _shown(counts: Mapping[str, int]) -> dict[str, Value]:
    shown: dict[str, Value] = {k: counts[k] for k in ("messages", "obligations", "met", "seeded")}
    shown["fulfilled"] = share(counts["met"], counts["obligations"])
    shown["caught"] = share(counts["caught"], counts["seeded"])
    return shown
