"""Realized structure and relations of Python source, by AST (E, Algorithm 1, line 18)."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from bot.state.model import (
    Attribute,
    Node,
    NodeKind,
    Relation,
    RelationKind,
    file_id,
    module_name,
)
from bot.state.signatures import parameters_of
from bot.syntax import parse

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def extract_nodes(path: str, source: str) -> tuple[Node, ...]:
    """The file node and everything it defines; raise SyntaxError where it does not parse."""
    tree = parse(source)
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
    """Statements of a body, looking into top-level `if`, `try` and `with`."""
    for stmt in body:
        if isinstance(stmt, ast.If):
            yield from statements([*stmt.body, *stmt.orelse])
        elif isinstance(stmt, ast.Try):
            handlers = [s for h in stmt.handlers for s in h.body]
            yield from statements([*stmt.body, *handlers, *stmt.orelse, *stmt.finalbody])
        elif isinstance(stmt, ast.With):
            yield from statements(stmt.body)
        else:
            yield stmt


def first_sentence(text: str) -> str:
    return text.strip().split("\n\n")[0].replace("\n", " ").strip()


def _definitions(path: str, prefix: str, body: list[ast.stmt], parent: str) -> list[Node]:
    found: dict[str, Node] = {}
    for stmt in body:
        if isinstance(stmt, Definition):
            node = _function(path, prefix, stmt, parent)
            found.setdefault(node.id, node)
        elif isinstance(stmt, ast.ClassDef):
            for node in _class(path, prefix, stmt, parent):
                found.setdefault(node.id, node)
        elif not prefix:
            for node in _globals(path, stmt, parent):
                found.setdefault(node.id, node)
    return list(found.values())


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
    """Class-level assignments first, then what methods assign to self."""
    seen: dict[str, Attribute] = {}
    for stmt in body:
        for name, annotation, value in assigned(stmt):
            seen.setdefault(name, Attribute(name=name, annotation=annotation, value=value))
    for method in (s for s in body if isinstance(s, Definition)):
        for sub in ast.walk(method):
            if (
                isinstance(sub, ast.Attribute)
                and isinstance(sub.ctx, ast.Store)
                and isinstance(sub.value, ast.Name)
                and sub.value.id == "self"
            ):
                seen.setdefault(sub.attr, Attribute(name=sub.attr))
    return seen.values()


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


def extract_relations(path: str, source: str, project: Mapping[str, str]) -> tuple[Relation, ...]:
    """Realized relations of one file. `project` maps dotted module names to paths."""
    tree = parse(source)
    names = imported_names(path, tree, project)
    found: dict[tuple[str, str, RelationKind], Relation] = {}

    def add(target: str, kind: RelationKind) -> None:
        if target.partition("::")[0] != path:
            key = (path, target, kind)
            found.setdefault(
                key,
                Relation(source=path, target=target, kind=kind, origin="realized", signal="ast"),
            )

    for target in names.values():
        add(target, RelationKind.IMPORT)
    for node in ast.walk(tree):
        for expression, kind in _references(node):
            resolved = resolve(expression, names)
            if resolved is not None:
                add(resolved, kind)
    return tuple(found[k] for k in sorted(found))


def _references(node: ast.AST) -> Iterable[tuple[ast.expr, RelationKind]]:
    if isinstance(node, ast.Call):
        yield node.func, RelationKind.CALL
    elif isinstance(node, ast.ClassDef):
        yield from ((base, RelationKind.INHERIT) for base in node.bases)
    elif isinstance(node, ast.Attribute):
        yield node, RelationKind.USE


def imported_names(path: str, tree: ast.AST, project: Mapping[str, str]) -> dict[str, str]:
    """Local name -> node id, for everything a file imports from the project."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in project:
                    local = alias.asname or alias.name
                    names[local] = project[alias.name]
        elif isinstance(node, ast.ImportFrom):
            module = absolute_module(path, node.module, node.level)
            for alias in node.names:
                local = alias.asname or alias.name
                if f"{module}.{alias.name}" in project:
                    names[local] = project[f"{module}.{alias.name}"]
                elif module in project:
                    names[local] = (
                        project[module]
                        if alias.name == "*"
                        else file_id(project[module], alias.name)
                    )
    return names


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
