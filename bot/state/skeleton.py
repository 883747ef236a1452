"""The first skeleton, written from the structure: every name in place, no body yet."""

import ast
import builtins
import textwrap
from collections.abc import Collection, Mapping

from bot.spec.model import Parameter
from bot.state.model import Node, NodeKind, ProjectState, module_name
from bot.state.signatures import is_expression, render_parameters

BODY = "raise NotImplementedError"

Homes = Mapping[str, list[str]]

_STDLIB_BASES = {
    "ABC": "abc",
    "Enum": "enum",
    "Flag": "enum",
    "IntEnum": "enum",
    "IntFlag": "enum",
    "StrEnum": "enum",
    "NamedTuple": "typing",
    "Protocol": "typing",
    "TypedDict": "typing",
}


def skeleton_of(state: ProjectState) -> dict[str, str]:
    """Path -> source of every Python file in the structure; each one compiles."""
    homes = _homes(state)
    return {f.path: _file(state, f, homes) for f in state.python_files()}


def _homes(state: ProjectState) -> Homes:
    """Name of a top-level class or function -> the paths that define it."""
    homes: dict[str, list[str]] = {}
    for node in state.nodes:
        if node.kind in (NodeKind.CLASS, NodeKind.FUNCTION) and node.parent == node.path:
            homes.setdefault(node.name, []).append(node.path)
    return homes


def _file(state: ProjectState, file: Node, homes: Homes) -> str:
    top = state.children(file.id)
    exports = {
        n.name: home
        for n in top
        if n.kind is NodeKind.GLOBAL and (home := _export_home(n, file, homes)) is not None
    }
    variables = [n for n in top if n.kind is NodeKind.GLOBAL and n.name not in exports]
    classes = _bases_first([n for n in top if n.kind is NodeKind.CLASS])
    functions = [n for n in top if n.kind is NodeKind.FUNCTION]
    local = {n.name for n in (*classes, *functions, *variables)}
    bases = _base_imports(file, classes, local, homes)
    if classes or functions or variables:
        imports = ["from __future__ import annotations", ""]
    else:
        imports = []
    imports += _import_lines({**bases, **exports}, file)
    parts = [_docstring(file.purpose or file.name, "")]
    parts.append("\n".join(imports).strip())
    known = local | set(bases) | set(dir(builtins))
    parts.append("\n".join(_variable(n) for n in variables))
    parts.extend(_class(state, n, known) for n in classes)
    parts.extend(_function(n, method=False) for n in functions)
    if exports and "__all__" not in local:
        parts.append("__all__ = [" + ", ".join(f'"{name}"' for name in sorted(exports)) + "]")
    return "\n\n\n".join(p for p in parts if p) + "\n"


def _export_home(node: Node, file: Node, homes: Homes) -> str | None:
    """The path a package's `__init__` takes a name from; None where the name is its own."""
    if file.name != "__init__.py" or (node.value and not node.exported_from):
        return None
    package = file.path.removesuffix("__init__.py")
    paths = [p for p in homes.get(node.name, []) if p != file.path]
    named = [p for p in paths if module_name(p) in node.purpose]
    inside = [p for p in paths if p.startswith(package)]
    return next(iter(named or inside or paths), None)


def _base_imports(
    file: Node, classes: list[Node], local: Collection[str], homes: Homes
) -> dict[str, str]:
    """Base name -> path in the project, or module of the standard library."""
    out: dict[str, str] = {}
    for cls in classes:
        for base in cls.bases:
            plain = base.partition("[")[0]
            paths = [p for p in homes.get(plain, []) if p != file.path]
            if plain in local:
                continue
            if paths:
                out[plain] = paths[0]
            elif plain in _STDLIB_BASES:
                out[plain] = _STDLIB_BASES[plain]
    return out


def _import_lines(names: Mapping[str, str], file: Node) -> list[str]:
    by_module: dict[str, list[str]] = {}
    for name, home in names.items():
        module = module_name(home) if home.endswith(".py") else home
        if home != file.path:
            by_module.setdefault(module, []).append(name)
    return [
        f"from {module} import {', '.join(sorted(set(found)))}"
        for module, found in sorted(by_module.items())
    ]


def _bases_first(classes: list[Node]) -> list[Node]:
    """Classes in an order in which each stands after its bases of the same file."""
    by_name = {c.name: c for c in classes}
    done: dict[str, Node] = {}

    def visit(cls: Node, above: tuple[str, ...]) -> None:
        for base in cls.bases:
            if base in by_name and base not in above:
                visit(by_name[base], (*above, base))
        done.setdefault(cls.name, cls)

    for cls in classes:
        visit(cls, (cls.name,))
    return list(done.values())


def _docstring(text: str, indent: str) -> str:
    clean = text.replace("\\", "\\\\").replace('"""', "'''").strip().rstrip('"')
    wrapped = textwrap.fill(clean, width=96 - len(indent), subsequent_indent=indent)
    return f'{indent}"""{wrapped}"""'


def _variable(node: Node) -> str:
    value = node.value if node.value and _constant(node.value) else "None"
    note = f"  # {node.purpose}" if node.purpose and "\n" not in node.purpose else ""
    if node.annotation and is_expression(node.annotation):
        return f"{node.name}: {node.annotation} = {value}{note}"
    return f"{node.name} = {value}{note}"


def _constant(text: str) -> bool:
    """Whether a value of the documents is a literal, safe to stand in the skeleton."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _class(state: ProjectState, node: Node, known: Collection[str], depth: int = 0) -> str:
    indent = "    " * (depth + 1)
    bases = [b for b in node.bases if b.partition("[")[0] in known and is_expression(b)]
    unknown = [b for b in node.bases if b not in bases]
    head = f"class {node.name}" + (f"({', '.join(bases)})" if bases else "") + ":"
    purpose = node.purpose or f"{node.name}."
    if unknown:
        purpose = f"{purpose.rstrip('.')}. Extends {', '.join(unknown)}."
    parts = ["    " * depth + head + "\n" + _docstring(purpose, indent)]
    children = state.children(node.id)
    methods = {c.name for c in children}
    attributes = [
        _attribute(a.name, a.annotation, a.value) for a in node.attributes if a.name not in methods
    ]
    if attributes:
        parts.append("\n".join(indent + a for a in attributes))
    for child in children:
        if child.kind is NodeKind.CLASS:
            parts.append(_class(state, child, known, depth + 1))
        elif child.kind is NodeKind.FUNCTION:
            parts.append(textwrap.indent(_function(child, method=True), indent))
    return "\n\n".join(parts)


def _attribute(name: str, annotation: str | None, value: str | None) -> str:
    kind = annotation if annotation and is_expression(annotation) else "object"
    if value is not None and _constant(value):
        return f"{name}: {kind} = {value}"
    return f"{name}: {kind}"


def _function(node: Node, *, method: bool) -> str:
    decorators = [d for d in node.decorators if d.split("(")[0] in _SAFE_DECORATORS]
    parameters = list(node.parameters or ())
    if node.parameters is None and "property" not in decorators:
        parameters = [Parameter(name="args", star="*"), Parameter(name="kwargs", star="**")]
    if method:
        parameters = _with_receiver(parameters, decorators)
    clean = [_valid(p) for p in parameters]
    returns = f" -> {node.returns}" if node.returns and is_expression(node.returns) else ""
    head = "async def" if node.is_async else "def"
    lines = [f"@{d}" for d in decorators]
    lines.append(f"{head} {node.name}({render_parameters(clean)}){returns}:")
    lines.append(_docstring(node.purpose or f"{node.name}.", "    "))
    lines.append(f"    {BODY}")
    return "\n".join(lines)


_SAFE_DECORATORS = frozenset({"property", "classmethod", "staticmethod"})


def _with_receiver(parameters: list[Parameter], decorators: list[str]) -> list[Parameter]:
    """The parameters with `self` or `cls` in front where the kind of method wants it."""
    plain = [p for p in parameters if p.name not in ("self", "cls")]
    if "staticmethod" in decorators:
        return plain
    return [Parameter(name="cls" if "classmethod" in decorators else "self"), *plain]


def _valid(p: Parameter) -> Parameter:
    annotation = p.annotation if p.annotation and is_expression(p.annotation) else None
    default = p.default
    if default is not None and not _constant(default):
        default = default if is_expression(default) and hasattr(builtins, default) else "None"
    return p.model_copy(update={"annotation": annotation, "default": default})
