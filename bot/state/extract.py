"""Realized structure of Python source, by AST (E, Algorithm 1, line 18); what its code refers to
is found by `bot.state.references`."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from bot.base import Data
from bot.state.model import Attribute, Node, NodeKind, file_id, module_name
from bot.state.signatures import parameters_of
from bot.syntax import parse

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def extract_nodes(path: str, source: str) -> tuple[Node, ...]:
    """The file node and everything it defines; raise SyntaxError where it does not parse."""
    return nodes_of(path, parse(source))


def nodes_of(path: str, tree: ast.Module) -> tuple[Node, ...]:
    """The file node and everything that the module of this tree defines."""
    doc = ast.get_docstring(tree) or ""
    file_node = Node(
        id=path,
        kind=NodeKind.FILE,
        name=PurePosixPath(path).name,
        parent=str(PurePosixPath(path).parent),
        purpose=first_sentence(doc),
    )
    return (file_node, *_definitions(path, "", list(statements(tree.body)), path))


def statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """Statements of a body, looking into the blocks that share its scope."""
    for stmt in body:
        if isinstance(stmt, ast.Try | ast.TryStar):
            handlers = [s for h in stmt.handlers for s in h.body]
            yield from statements([*stmt.body, *handlers, *stmt.orelse, *stmt.finalbody])
        elif isinstance(stmt, ast.With | ast.AsyncWith):
            yield from statements(stmt.body)
        elif isinstance(stmt, ast.If | ast.For | ast.AsyncFor | ast.While):
            yield from statements([*stmt.body, *stmt.orelse])
        elif isinstance(stmt, ast.Match):
            yield from statements([s for case in stmt.cases for s in case.body])
        else:
            yield stmt


def first_sentence(text: str) -> str:
    return text.strip().split("\n\n")[0].replace("\n", " ").strip()


def _definitions(path: str, prefix: str, body: list[ast.stmt], parent: str) -> list[Node]:
    found: dict[str, Node] = {}
    for stmt in body:
        if isinstance(stmt, Definition):
            node = _function(path, prefix, stmt, parent)
            if node.id not in found or _is_overload(found[node.id]):
                found[node.id] = node
        elif isinstance(stmt, ast.ClassDef):
            for node in _class(path, prefix, stmt, parent):
                found.setdefault(node.id, node)
        elif not prefix:
            for node in _globals(path, stmt, parent):
                found.setdefault(node.id, node)
    return list(found.values())


def _is_overload(node: Node) -> bool:
    """Whether a definition only says how the one after it may be called."""
    return any(d.rpartition(".")[2] == "overload" for d in node.decorators)


def _function(path: str, prefix: str, stmt: Definition, parent: str) -> Node:
    return Node(
        id=file_id(path, prefix + stmt.name),
        kind=NodeKind.FUNCTION,
        name=stmt.name,
        parent=parent,
        purpose=first_sentence(ast.get_docstring(stmt) or ""),
        parameters=parameters_of(stmt),
        returns=ast.unparse(stmt.returns) if stmt.returns else None,
        decorators=tuple(ast.unparse(d) for d in stmt.decorator_list),
        is_async=isinstance(stmt, ast.AsyncFunctionDef),
    )


def _class(path: str, prefix: str, stmt: ast.ClassDef, parent: str) -> list[Node]:
    qualname = prefix + stmt.name
    body = list(statements(stmt.body))
    node = Node(
        id=file_id(path, qualname),
        kind=NodeKind.CLASS,
        name=stmt.name,
        parent=parent,
        purpose=first_sentence(ast.get_docstring(stmt) or ""),
        bases=tuple(ast.unparse(b) for b in stmt.bases),
        decorators=tuple(ast.unparse(d) for d in stmt.decorator_list),
        attributes=tuple(_attributes(body)),
    )
    return [node, *_definitions(path, f"{qualname}.", body, node.id)]


def _attributes(body: list[ast.stmt]) -> Iterable[Attribute]:
    """Class-level assignments first, then what methods assign to their first parameter."""
    seen: dict[str, Attribute] = {}
    for stmt in body:
        for name, annotation, value in assigned(stmt):
            seen.setdefault(name, Attribute(name=name, annotation=annotation, value=value))
    for method in (s for s in body if isinstance(s, Definition)):
        for name, holds in _given_to_self(method):
            known = seen.setdefault(name, Attribute(name=name, holds=holds))
            if holds is not None and known.holds is None and known.annotation is None:
                seen[name] = known.model_copy(update={"holds": holds})
    return seen.values()


def _given_to_self(method: Definition) -> Iterable[tuple[str, str | None]]:
    """(attribute, what it holds) for each assignment to an attribute of the first parameter:
    its annotation, the call that makes it, or the annotation of the parameter it is given."""
    plain = [*method.args.posonlyargs, *method.args.args]
    receiver = plain[0].arg if plain else "self"
    given = {
        a.arg: ast.unparse(a.annotation)
        for a in (*plain[1:], *method.args.kwonlyargs)
        if a.annotation is not None
    }
    for sub in ast.walk(method):
        if isinstance(sub, ast.AnnAssign | ast.Assign | ast.AugAssign):
            targets = sub.targets if isinstance(sub, ast.Assign) else [sub.target]
            if isinstance(sub, ast.AnnAssign):
                holds: str | None = ast.unparse(sub.annotation)
            else:
                holds = _held(sub.value, given)
            for target in targets:
                yield from ((name, holds) for name in _of(target, receiver))


def _of(target: ast.expr, receiver: str) -> Iterable[str]:
    """Attributes of the receiver that an assignment target binds."""
    for sub in ast.walk(target):
        stored = isinstance(sub, ast.Attribute) and isinstance(sub.ctx, ast.Store)
        if stored and isinstance(sub, ast.Attribute) and isinstance(sub.value, ast.Name):
            yield from [sub.attr] if sub.value.id == receiver else []


def _held(value: ast.expr, given: Mapping[str, str]) -> str | None:
    if isinstance(value, ast.BoolOp | ast.IfExp):
        parts = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        return next((held for part in parts if (held := _held(part, given)) is not None), None)
    if isinstance(value, ast.Name):
        return given.get(value.id)
    return f"{ast.unparse(value.func)}()" if isinstance(value, ast.Call) else None


def assigned(stmt: ast.stmt) -> Iterable[tuple[str, str | None, str | None]]:
    """(name, annotation, value) for each plain name that a statement binds."""
    if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
        value = ast.unparse(stmt.value) if stmt.value else None
        yield stmt.target.id, ast.unparse(stmt.annotation), value
    elif isinstance(stmt, ast.Assign):
        for target in stmt.targets:
            elements = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            for element in elements:
                if isinstance(element, ast.Name):
                    yield element.id, None, ast.unparse(stmt.value)


def _globals(path: str, stmt: ast.stmt, parent: str) -> Iterable[Node]:
    for name, annotation, value in assigned(stmt):
        yield Node(
            id=file_id(path, name),
            kind=NodeKind.GLOBAL,
            name=name,
            parent=parent,
            annotation=annotation,
            value=value if value is None or len(value) <= 200 else "...",
        )
    is_export = path.endswith("__init__.py") and isinstance(stmt, ast.ImportFrom)
    if is_export and isinstance(stmt, ast.ImportFrom) and (stmt.level or stmt.module):
        for alias in stmt.names:
            name = alias.asname or alias.name
            if name != "*":
                yield Node(
                    id=file_id(path, name),
                    kind=NodeKind.GLOBAL,
                    name=name,
                    parent=parent,
                    value=alias.name if name != alias.name else None,
                    exported_from=absolute_module(path, stmt.module, stmt.level),
                )


def absolute_module(path: str, module: str | None, level: int) -> str:
    """The dotted module that an import in `path` names, relative imports resolved."""
    if not level:
        return module or ""
    package = module_name(path).split(".")
    if not path.endswith("__init__.py"):
        package = package[:-1]
    base = package[: len(package) - (level - 1)] if level > 1 else package
    return ".".join([*base, *([module] if module else [])])


class Imports(Data):
    """What a file imports from the project: local name -> node id, the files of star imports, and
    the names that are there for type checkers alone."""

    names: dict[str, str]
    stars: tuple[str, ...] = ()
    typing_only: frozenset[str] = frozenset()


def imports_of(path: str, tree: ast.Module, project: Mapping[str, str]) -> Imports:
    """Every import of a file, wherever it stands, that names something of the project. `project`
    maps dotted module names to paths."""
    names: dict[str, str] = {}
    stars: list[str] = []
    typing = {id(s) for s in _for_type_checkers(tree)}
    running: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [(a.asname or a.name, project[a.name]) for a in node.names if a.name in project]
        elif isinstance(node, ast.ImportFrom):
            module = absolute_module(path, node.module, node.level)
            found = list(_from_module(module, node.names, project))
        else:
            continue
        for local, target in found:
            if local == "*":
                stars.append(target)
            else:
                names[local] = target
                running |= {local} if id(node) not in typing else set()
    return Imports(
        names=names, stars=tuple(dict.fromkeys(stars)), typing_only=names.keys() - running
    )


def _from_module(
    module: str, aliases: list[ast.alias], project: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    for alias in aliases:
        local = alias.asname or alias.name
        below = f"{module}.{alias.name}".lstrip(".")
        if below in project:
            yield local, project[below]
        elif module in project:
            home = project[module]
            yield local, home if alias.name == "*" else file_id(home, alias.name)


def _for_type_checkers(tree: ast.Module) -> Iterable[ast.stmt]:
    """Statements below `if TYPE_CHECKING:`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for stmt in node.body:
                yield from (s for s in ast.walk(stmt) if isinstance(s, ast.stmt))


def resolve(expression: ast.expr, names: Mapping[str, str]) -> str | None:
    """The node id that a dotted expression names, as far as imports tell."""
    parts: list[str] = []
    node = expression
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    parts.reverse()
    for cut in range(len(parts), 0, -1):
        target = names.get(".".join(parts[:cut]))
        if target is not None:
            rest = parts[cut:]
            if not rest:
                return target
            head, _, tail = target.partition("::")
            return file_id(head, ".".join([*([tail] if tail else []), *rest]))
    return None
