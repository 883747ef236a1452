"""How the check tests use the project: names they import and calls they make, held against the
structure. What the tests expect as results is left out on purpose: a coder that never saw the
expected values cannot write them into the code."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from bot.base import Data
from bot.spec.model import Location, Spec
from bot.state.extract import resolve
from bot.state.model import Node, NodeKind, ProjectState, file_id, module_name
from bot.state.signatures import accepts
from bot.syntax import parse
from bot.verify.call_list import call_list
from bot.verify.evidence import Evidence, Rule, Tool


class Use(Data):
    """One use of the project by a check test: a dotted name, or a call of it."""

    name: str
    call: str | None = None
    positional: int = 0
    keywords: tuple[str, ...] = ()
    splat: bool = False
    location: Location


def uses_of(spec: Spec, state: ProjectState) -> tuple[Use, ...]:
    """Every use of a project name by the check tests, in the order of the files."""
    roots = {module_name(f.path).split(".")[0] for f in state.python_files()} - {""}
    found: list[Use] = []
    for given in spec.check_tests:
        if given.path.endswith(".py") and given.encoding == "utf-8":
            try:
                tree = parse(given.text)
            except (SyntaxError, ValueError, RecursionError):
                continue
            found.extend(_uses_in(given.path, tree, roots))
    return tuple(found)


def _uses_in(path: str, tree: ast.Module, roots: set[str]) -> Iterable[Use]:
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in roots:
                    names[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
                    yield _use(alias.name, path, node)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if module.split(".")[0] in roots:
                for alias in node.names:
                    if alias.name != "*":
                        names[alias.asname or alias.name] = f"{module}::{alias.name}"
                        yield _use(f"{module}.{alias.name}", path, node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (target := resolve(node.func, names)):
            yield _call(_dotted(target), path, node)
        elif isinstance(node, ast.Attribute) and (target := resolve(node, names)):
            yield _use(_dotted(target), path, node)


def _dotted(target: str) -> str:
    return target.replace("::", ".")


def _use(name: str, path: str, node: ast.stmt | ast.expr) -> Use:
    where = Location(file=path, line=node.lineno, column=node.col_offset + 1)
    return Use(name=name, location=where)


def _call(name: str, path: str, node: ast.Call) -> Use:
    splat = any(isinstance(a, ast.Starred) for a in node.args) or any(
        k.arg is None for k in node.keywords
    )
    return Use(
        name=name,
        call=_shape(name, node),
        positional=len(node.args),
        keywords=tuple(k.arg for k in node.keywords if k.arg),
        splat=splat,
        location=Location(file=path, line=node.lineno, column=node.col_offset + 1),
    )


def _shape(name: str, node: ast.Call) -> str:
    """The call as the coder may see it: arguments as written, no result."""
    arguments = ", ".join(
        [
            *(ast.unparse(a) for a in node.args),
            *(f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords if k.arg),
        ]
    )
    return f"{name}({arguments})" if len(arguments) <= 160 else f"{name}(...)"


def missing_exports(spec: Spec, state: ProjectState) -> tuple[Node, ...]:
    """Re-exports that can be told without asking anybody: a name that the check tests use on a
    package, or by which the documents call something, and that exactly one file below the package
    defines at its top."""
    nodes = {n.id: n for n in state.nodes}
    used = ((use.name, use.location) for use in uses_of(spec, state))
    found: dict[str, Node] = {}
    for dotted, place in (*used, *_mentioned(spec, state)):
        package, _, name = dotted.rpartition(".")
        tried = (f"{root}{package.replace('.', '/')}" for root in ("", "src/"))
        folder = next((f for f in tried if f in nodes), None)
        if folder is None or f"{folder}/{name}" in nodes or f"{folder}/{name}.py" in nodes:
            continue
        init = f"{folder}/__init__.py"
        if file_id(init, name) in nodes:
            continue
        homes = [
            n
            for n in state.nodes
            if n.name == name
            and n.parent == n.path
            and n.path.startswith(f"{folder}/")
            and n.exported_from is None
            and n.path != init
        ]
        if len(homes) == 1:
            for node in _export(init, name, homes[0], place):
                found.setdefault(node.id, node)
    return tuple(found.values())


def _mentioned(spec: Spec, state: ProjectState) -> Iterator[tuple[str, Location]]:
    """`package.name` wherever the documents write it, whatever follows the name."""
    packages = {module_name(n.id) for n in state.nodes if n.kind is NodeKind.MODULE} - {"", "."}
    for document in spec.documents:
        for number, line in enumerate(document.text.splitlines(), start=document.first_line):
            for match in _DOTTED.finditer(line):
                parts = match[0].split(".")
                cuts = (c for c in range(len(parts) - 1, 0, -1) if ".".join(parts[:c]) in packages)
                cut = next(cuts, None)
                if cut is not None:
                    place = Location(file=document.file, line=number, column=match.start() + 1)
                    yield ".".join(parts[: cut + 1]), place


# A dotted name that is no part of a path or an address.
_DOTTED = re.compile(r"(?<![\w./@-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/@])")


def _export(init: str, name: str, home: Node, asked: Location) -> tuple[Node, Node]:
    folder = init.rpartition("/")[0]
    file = Node(id=init, kind=NodeKind.FILE, name="__init__.py", parent=folder, asked=(asked,))
    export = Node(
        id=file_id(init, name),
        kind=NodeKind.GLOBAL,
        name=name,
        parent=init,
        exported_from=module_name(home.path),
        asked=(asked,),
    )
    return file, export


def call_shapes(spec: Spec, state: ProjectState, most: int = 60) -> str:
    """How the check tests use the project: what they import, then one call a line, without what
    they expect."""
    return call_list(spec, state, most)


def verify_modules(spec: Spec, state: ProjectState) -> list[Evidence]:
    """Modules that the check tests import and no planned file provides."""
    return [e for e in verify_usage(spec, state) if e.rule is Rule.MODULE_MISSING]


def verify_usage(spec: Spec, state: ProjectState) -> list[Evidence]:
    """Uses that the structure cannot serve: a name that nothing provides, a call that does not
    fit the signature."""
    modules = {module_name(f.path): f.path for f in state.python_files()}
    packages = {module_name(n.id) for n in state.nodes if n.kind is NodeKind.MODULE}
    nodes = {n.id: n for n in state.nodes}
    found: dict[str, Evidence] = {}
    for use in uses_of(spec, state):
        fault = _fault(use, modules, packages, nodes)
        if fault:
            rule, detail = fault
            found.setdefault(
                detail,
                Evidence(
                    tool=Tool.USAGE,
                    rule=rule,
                    subject=use.name,
                    verdict="fault",
                    detail=detail,
                    location=use.location,
                ),
            )
    return list(found.values())


def _fault(
    use: Use, modules: Mapping[str, str], packages: set[str], nodes: Mapping[str, Node]
) -> tuple[Rule, str] | None:
    if use.name in modules or use.name in packages:
        return None
    parts = use.name.split(".")
    cut = next((c for c in range(len(parts) - 1, 0, -1) if ".".join(parts[:c]) in modules), 0)
    if not cut:
        return (
            Rule.MODULE_MISSING,
            f"the check tests import `{use.name}`, which no file provides",
        )
    path, rest = modules[".".join(parts[:cut])], parts[cut:]
    node = nodes.get(file_id(path, rest[0]))
    if node is None:
        detail = f"the check tests use `{rest[0]}` of `{path}`, which does not provide it"
        return Rule.NAME_MISSING, detail
    why = _bad_call(use, node, rest, nodes)
    return (Rule.CALL, why) if why else None


def _bad_call(use: Use, node: Node, rest: list[str], nodes: Mapping[str, Node]) -> str:
    """Why a call does not fit; "" where it fits or where nothing is known."""
    if use.call is None or use.splat or len(rest) > 1:
        return ""
    target: Node | None = node
    if node.kind is NodeKind.CLASS:
        target = nodes.get(f"{node.id}.__init__")
    if target is None or target.kind is not NodeKind.FUNCTION or target.parameters is None:
        return ""
    why = accepts(target.parameters, use.positional, use.keywords)
    if not why:
        return ""
    return f"the check tests call `{use.call}`, but `{target.qualname}` {why}" + _alike(
        why, target, nodes
    )


def _alike(why: str, target: Node, nodes: Mapping[str, Node]) -> str:
    """Other functions that take the same parameter without a default: settled once, not each time
    a test happens to leave it out."""
    missing = re.match(r"needs `(\w+)`", why)
    if not missing:
        return ""
    others = sorted(
        n.qualname
        for n in nodes.values()
        if n.id != target.id
        and any(p.name == missing[1] and p.default is None for p in n.parameters or ())
    )
    names = ", ".join(f"`{n}`" for n in others)
    return f"; {names} take `{missing[1]}` without a default, too" if others else ""
