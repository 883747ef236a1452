"""References stripped to skeletons: definitions, signatures, docstrings and imports stay; bodies
and the code of modules go."""

import ast
from collections.abc import Mapping

from bot.bench.datasets import Task
from bot.spec.model import Spec
from bot.state.model import ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.state.relations import predict
from bot.state.skeleton import skeleton_of
from bot.state.structure import merged, structure_of
from bot.syntax import parse
from bot.verify.usage import missing_exports

# What the skeletons are: the reference's with all its imports, the same with only the imports that
# its signatures need, and the one that the product computes from the documents.
KINDS = ("planned", "blind", "documents")


def predicted_state(task: Task, kind: str) -> tuple[ProjectState, dict[str, str]]:
    """The state as it stands before code is written, with its predicted relations, and the
    skeletons; nothing is realized."""
    spec = task.spec()
    if kind == "documents":
        state = ProjectState(nodes=structure_of(spec))
        state = ProjectState(nodes=merged(state.nodes, missing_exports(spec, state)))
        files = skeleton_of(state)
        return _predicted(state, files, spec), files
    files = {
        path: stripped(source, imports=kind == "planned")
        for path, source in task.reference().items()
    }
    state = ProjectState(nodes=tuple(n for n in structure_of(spec) if n.path in files))
    return _predicted(state, files, spec), files


def _predicted(state: ProjectState, files: Mapping[str, str], spec: Spec) -> ProjectState:
    state, _ = reconcile(state, change_of(files, files))
    predicted = predict(state, files, spec)
    return state.model_copy(update={"predicted": predicted, "realized": ()})


def stripped(source: str, *, imports: bool) -> str:
    """The skeleton of one file. With `imports` every import at the top of the file stays; without
    it only those that the skeleton itself needs, as if nobody knew what the bodies will use."""
    tree = parse(source)
    body = _statements(tree.body)
    if not imports:
        used = _names(body)
        body = _without_unused(body, used)
    module = ast.Module(body=body or [ast.Pass()], type_ignores=[])
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    for index, stmt in enumerate(body):
        if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
            stmt.body = _hollow(stmt)
            out.append(stmt)
        elif isinstance(stmt, ast.ClassDef):
            stmt.body = _statements(stmt.body) or [ast.Pass()]
            out.append(stmt)
        elif isinstance(stmt, ast.If | ast.Try):
            kept = _block(stmt)
            out.extend([kept] if kept is not None else [])
        elif isinstance(stmt, ast.Assign | ast.AnnAssign):
            out.append(_assignment(stmt))
        elif isinstance(stmt, ast.Import | ast.ImportFrom) or (index == 0 and _docstring(stmt)):
            out.append(stmt)
    return out


def _block(stmt: ast.If | ast.Try) -> ast.stmt | None:
    stmt.body = _statements(stmt.body)
    stmt.orelse = _statements(stmt.orelse)
    if isinstance(stmt, ast.Try):
        stmt.finalbody = []
        for handler in stmt.handlers:
            handler.body = _statements(handler.body) or [ast.Pass()]
    if not stmt.body and not stmt.orelse:
        return None
    stmt.body = stmt.body or [ast.Pass()]
    return stmt


def _hollow(stmt: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    first = stmt.body[0]
    said = [first] if _docstring(first) else []
    return [*said, ast.Raise(exc=ast.Name("NotImplementedError", ast.Load()))]


def _docstring(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _assignment(stmt: ast.Assign | ast.AnnAssign) -> ast.stmt:
    """An assignment keeps a literal value; any other is the body of the module."""
    literal = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, *_CONTEXTS)
    if stmt.value is not None and not all(isinstance(n, literal) for n in ast.walk(stmt.value)):
        stmt.value = ast.Constant(None)
    return stmt


_CONTEXTS = (ast.expr_context, ast.unaryop)


def _names(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for stmt in body:
        for node in ast.walk(stmt):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value} if node.value.isidentifier() else set()
    return found


def _without_unused(body: list[ast.stmt], used: set[str]) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    for stmt in body:
        if isinstance(stmt, ast.Import | ast.ImportFrom):
            stmt.names = [a for a in stmt.names if (a.asname or a.name.partition(".")[0]) in used]
            if not stmt.names:
                continue
        elif isinstance(stmt, ast.If | ast.Try):
            stmt.body = _without_unused(stmt.body, used) or [ast.Pass()]
            stmt.orelse = _without_unused(stmt.orelse, used)
        out.append(stmt)
    return out
