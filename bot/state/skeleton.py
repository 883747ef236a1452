"""The first skeleton, written from the structure: every name in place, no body yet."""

import ast
import textwrap
from collections.abc import Collection

from bot.spec.model import Parameter
from bot.state.model import Node, NodeKind, ProjectState, module_name
from bot.state.signatures import is_expression, render_parameters
from bot.state.skeleton_names import Homes, Imports, homes_of, imports_for, names_in
from bot.syntax import literal, parse

BODY = "raise NotImplementedError"


def skeleton_of(state: ProjectState) -> dict[str, str]:
    """Path -> source of every Python file in the structure; each one compiles."""
    homes = homes_of(state)
    return {f.path: _file(state, f, homes) for f in state.python_files()}


def is_complete(path: str, source: str) -> bool:
    """Whether a skeleton leaves nothing to write: re-exports, and classes that are no more than
    their name and bases, such as exceptions."""
    if not path.endswith(".py"):
        return False
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    hollow = (ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign)
    if any(isinstance(node, hollow) for node in ast.walk(tree)):
        return False
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    others = [
        node
        for node in tree.body
        if not isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom | ast.Expr)
        and not _names_exports(node)
    ]
    package = path.endswith("__init__.py")
    return not others and all(c.bases for c in classes) and (package or bool(classes))


def _names_exports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _file(state: ProjectState, file: Node, homes: Homes) -> str:
    top = state.children(file.id)
    exports = {
        n.name: home
        for n in top
        if n.kind is NodeKind.GLOBAL and (home := _export_home(n, file, homes)) is not None
    }
    variables = [
        n
        for n in top
        if n.kind is NodeKind.GLOBAL and n.name not in exports and n.name != "__all__"
    ]
    classes = _bases_first([n for n in top if n.kind is NodeKind.CLASS])
    functions = [n for n in top if n.kind is NodeKind.FUNCTION]
    local = frozenset(n.name for n in (*classes, *functions, *variables))
    imports = imports_for(file.path, exports, local, state.inside(file.path), homes)
    known = imports.known
    parts = [_docstring(file.purpose or file.name, "")]
    parts.append(_import_block(imports, future=bool(local)))
    own = {c.name for c in classes}
    late = [n for n in variables if names_in(n.annotation) & own]
    parts.append("\n".join(_variable(n, known) for n in variables if n not in late))
    parts.extend(_class(state, n, known) for n in classes)
    parts.append("\n".join(_variable(n, known) for n in late))
    parts.extend(_function(n, known, method=False) for n in functions)
    if exports:
        names = "".join(f'    "{name}",\n' for name in sorted(exports))
        parts.append(f"__all__ = [\n{names}]")
    return "\n\n\n".join(p for p in parts if p) + "\n"


def _import_block(imports: Imports, *, future: bool) -> str:
    blocks = ["from __future__ import annotations"] if future else []
    real = list(imports.real)
    if imports.typing_only:
        typing = next((i for i, line in enumerate(real) if line.startswith("from typing ")), None)
        if typing is None:
            real.append("from typing import TYPE_CHECKING")
        else:
            real[typing] += ", TYPE_CHECKING"
    if real:
        blocks.append("\n".join(real))
    if imports.typing_only:
        lines = "\n".join(f"    {line}" for line in imports.typing_only)
        blocks.append(f"if TYPE_CHECKING:\n{lines}")
    return "\n\n".join(blocks)


def _export_home(node: Node, file: Node, homes: Homes) -> str | None:
    """The path a package's `__init__` takes a name from; None where the name is its own."""
    if file.name != "__init__.py" or (node.value and not node.exported_from):
        return None
    package = file.path.removesuffix("__init__.py")
    paths = [p for p in homes.get(node.name, []) if p != file.path]
    named = [p for p in paths if module_name(p) in node.purpose]
    inside = [p for p in paths if p.startswith(package)]
    return next(iter(named or inside or paths), None)


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


def _variable(node: Node, known: Collection[str]) -> str:
    value = node.value if node.value and _constant(node.value) else "None"
    words = [node.value] if node.value and value == "None" != node.value else []
    words += [node.purpose] if node.purpose else []
    note = f"  # {' '.join(' '.join(words).split())}" if words else ""
    if node.annotation and _means(node.annotation, known):
        return f"{node.name}: {node.annotation} = {value}{note}"
    return f"{node.name} = {value}{note}"


def _means(text: str, known: Collection[str]) -> bool:
    """Whether an expression of the documents is Python whose every name is known in the file."""
    return is_expression(text) and names_in(text) <= set(known)


def _constant(text: str) -> bool:
    """Whether a value of the documents is a literal, safe to stand in the skeleton."""
    try:
        literal(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _class(state: ProjectState, node: Node, known: Collection[str], depth: int = 0) -> str:
    indent = "    " * (depth + 1)
    bases = [b for b in node.bases if _means(b, known)]
    unknown = [b for b in node.bases if b not in bases]
    head = f"class {node.name}" + (f"({', '.join(bases)})" if bases else "") + ":"
    purpose = node.purpose or f"{node.name}."
    if unknown:
        purpose = f"{purpose.rstrip('.')}. Extends {', '.join(unknown)}."
    decorators = "".join(f"{'    ' * depth}@{d}\n" for d in _class_decorators(node))
    parts = [decorators + "    " * depth + head + "\n" + _docstring(purpose, indent)]
    children = state.children(node.id)
    methods = {c.name for c in children}
    attributes = [
        _attribute(a.name, a.annotation, a.value, known)
        for a in node.attributes
        if a.name not in methods
    ]
    if attributes:
        parts.append("\n".join(indent + a for a in attributes))
    for child in children:
        if child.kind is NodeKind.CLASS:
            parts.append(_class(state, child, known, depth + 1))
        elif child.kind is NodeKind.FUNCTION:
            parts.append(textwrap.indent(_function(child, known, method=True), indent))
    return "\n\n".join(parts)


def _class_decorators(node: Node) -> list[str]:
    """The decorators of a class that its skeleton can carry: those of a dataclass, where no field
    without a default follows one with."""
    values = [a.value is not None and _constant(a.value) for a in node.attributes]
    if values != sorted(values):
        return []
    return [d for d in node.decorators if d.partition("(")[0] == "dataclass"]


def _attribute(name: str, annotation: str | None, value: str | None, known: Collection[str]) -> str:
    kind = annotation if annotation and _means(annotation, known) else "object"
    if value is not None and _constant(value):
        return f"{name}: {kind} = {value}"
    return f"{name}: {kind}"


def _function(node: Node, known: Collection[str], *, method: bool) -> str:
    decorators = [d for d in node.decorators if d.split("(")[0] in _SAFE_DECORATORS]
    parameters = list(node.parameters or ())
    if node.parameters is None and "property" not in decorators:
        parameters = [Parameter(name="args", star="*"), Parameter(name="kwargs", star="**")]
    if method:
        parameters = _with_receiver(parameters, decorators)
    clean = [_valid(p, known) for p in parameters]
    returns = f" -> {node.returns}" if node.returns and _means(node.returns, known) else ""
    head = "async def" if node.is_async else "def"
    lines = [f"@{d}" for d in decorators]
    lines.append(f"{head} {node.name}({render_parameters(clean)}){returns}:")
    if node.purpose:
        lines.append(_docstring(node.purpose, "    "))
    lines.append(f"    {BODY}")
    return "\n".join(lines)


_SAFE_DECORATORS = frozenset({"property", "classmethod", "staticmethod", "abstractmethod"})


def _with_receiver(parameters: list[Parameter], decorators: list[str]) -> list[Parameter]:
    """The parameters with `self` or `cls` in front where the kind of method wants it."""
    plain = [p for p in parameters if p.name not in ("self", "cls")]
    if "staticmethod" in decorators:
        return plain
    return [Parameter(name="cls" if "classmethod" in decorators else "self"), *plain]


def _valid(p: Parameter, known: Collection[str]) -> Parameter:
    annotation = p.annotation if p.annotation and _means(p.annotation, known) else None
    default = p.default
    if default is not None and not (_constant(default) or _means(default, known)):
        default = "None"
    return p.model_copy(update={"annotation": annotation, "default": default})
