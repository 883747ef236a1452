"""The first skeleton, written from the structure: every name in place, no body yet."""

import re
from collections.abc import Sequence
from inspect import Signature

from bot.spec.model import Parameter
from bot.state.model import Attribute, Node, NodeKind, ProjectState, file_id, module_name, ordered
from bot.state.signatures import render_parameters
from bot.state.skeleton_complete import EXTENDS, is_complete
from bot.state.skeleton_names import (
    Homes,
    homes_of,
    imports_for,
    is_keyword,
    known_anywhere,
    names_in,
    names_used,
)
from bot.state.skeleton_text import constant, docstring, means, note, tells, unsaid, valid
from bot.state.skeleton_values import runs
from bot.state.skeleton_variables import Variables
from bot.state.trial import Trial, type_variables
from bot.syntax import literal

__all__ = ["BODY", "is_complete", "skeleton_of"]

_ERROR = re.compile(r"(Error|Exception|Warning)$")
_EXCEPTIONS = {"Error": "Exception", "Exception": "Exception", "Warning": "Warning"}

BODY = "raise NotImplementedError"


def skeleton_of(state: ProjectState) -> dict[str, str]:
    """Path -> source of every Python file in the structure; each one compiles."""
    state = _with_type_variables(_with_exceptions(state))
    homes = homes_of(state)
    trial = Trial(state, homes)
    return {f.path: _File(state, f, homes, trial).text() for f in state.python_files()}


def _with_exceptions(state: ProjectState) -> ProjectState:
    """The state in which classes that are called errors are exceptions where nobody says what they
    extend, as PEP 8 names them."""
    nodes = tuple(
        n.model_copy(update={"bases": (_EXCEPTIONS[end[0]],)})
        if n.kind is NodeKind.CLASS and not n.bases and (end := _ERROR.search(n.name))
        else n
        for n in state.nodes
    )
    return state.model_copy(update={"nodes": nodes})


def _with_type_variables(state: ProjectState) -> ProjectState:
    """The state with the type variables that generic classes need and nobody defines."""
    nodes = {n.id: n for n in state.nodes}
    known = known_anywhere(homes_of(state))
    for file in state.python_files():
        for name in type_variables(state.inside(file.path), known):
            node_id = file_id(file.path, name)
            nodes[node_id] = Node(
                id=node_id,
                kind=NodeKind.GLOBAL,
                name=name,
                parent=file.path,
                value=f'TypeVar("{name}")',
            )
    return state.model_copy(update={"nodes": ordered(nodes)})


class _File:
    """One file of the skeleton."""

    def __init__(self, state: ProjectState, file: Node, homes: Homes, trial: Trial) -> None:
        self._state = state
        self._file = file
        self._trial = trial
        top = _as_asked(state.children(file.id))
        self._exports = {
            n.name: home
            for n in top
            if n.kind is NodeKind.GLOBAL and (home := _export_home(n, file, homes)) is not None
        }
        own = [n for n in top if n.name not in self._exports and n.name != "__all__"]
        self._variables = [n for n in own if n.kind is NodeKind.GLOBAL]
        self._classes = self._bases_first([n for n in own if n.kind is NodeKind.CLASS])
        self._functions = [n for n in own if n.kind is NodeKind.FUNCTION]
        self._imports = imports_for(
            file.path,
            self._exports,
            frozenset(n.name for n in own),
            tuple(state.inside(file.path)),
            homes,
        )
        self._known = self._imports.known
        self._later = {n.name for n in own}

    def text(self) -> str:
        variables = Variables(self._variables, self._needed(), self._callable(), self._known)
        self._later -= {n.name for n in self._variables}
        body = ["\n".join(variables.early)]
        for node in self._classes:
            body.append(self._class(node))
            self._later.discard(node.name)
        body.append("\n".join(variables.late))
        for node in self._functions:
            body.append(self._function(node, method=False))
            self._later.discard(node.name)
        if self._exports:
            names = "".join(f'    "{name}",\n' for name in sorted(self._exports))
            body.append(f"__all__ = [\n{names}]")
        code = "\n\n\n".join(p for p in body if p)
        said = tells(self._file.purpose, self._file.name, self._file.path)
        head = [docstring(self._file.purpose, "") if said else "", self._import_block(code)]
        head = [p for p in head if p]
        starts = body[0] or (body[-1] if not (self._classes or self._functions) else "")
        gap = "\n\n" if starts else "\n\n\n"
        return "\n\n".join(head) + (gap if head and code else "") + code + "\n"

    def _bases_first(self, classes: list[Node]) -> list[Node]:
        """Classes in an order in which each stands after its bases of the same file."""
        by_name = {c.name: c for c in classes}
        done: dict[str, Node] = {}

        def visit(cls: Node) -> None:
            for base in self._trial.bases(cls):
                above = by_name.get(base.partition("[")[0])
                if above is not None and above.name not in done:
                    visit(above)
            done.setdefault(cls.name, cls)

        for cls in classes:
            visit(cls)
        return list(done.values())

    def _needed(self) -> frozenset[str]:
        """Names that must stand before the classes: their definitions use them at once."""
        texts = [
            text
            for cls in self._classes
            for node in (cls, *self._below(cls))
            for text in (
                *node.bases,
                *(p.default for p in node.parameters or ()),
                *(a.value for a in node.attributes),
            )
        ]
        return frozenset(n for text in texts for n in names_in(text))

    def _below(self, node: Node) -> list[Node]:
        children = self._state.children(node.id)
        return [*children, *(n for c in children for n in self._below(c))]

    def _callable(self) -> dict[str, Signature | None]:
        """The file's classes, and how each can be called before it has bodies."""
        return {c.name: self._trial.signature(c) for c in self._classes}

    def _import_block(self, code: str) -> str:
        used = names_used(code) | set(self._exports)
        typing = [line for group in self._imports.lines(used, real=False) for line in group]
        annotated = any(
            n.returns
            or n.annotation
            or n.attributes
            or any(p.annotation for p in n.parameters or ())
            for n in self._state.inside(self._file.path)
        )
        blocks = ["from __future__ import annotations"] if annotated else []
        groups = self._imports.lines(used | ({"TYPE_CHECKING"} if typing else set()), real=True)
        blocks += ["\n".join(lines) for lines in groups if lines]
        if typing:
            blocks.append("if TYPE_CHECKING:\n" + "\n".join(f"    {line}" for line in typing))
        return "\n\n".join(blocks)

    def _class(self, node: Node, depth: int = 0, above: str = "") -> str:
        outer, indent = "    " * depth, "    " * (depth + 1)
        bases = sorted((b for b in self._trial.bases(node) if self._can_stand(b)), key=is_keyword)
        words = [b for b in node.bases if b.strip() not in bases]
        purpose = node.purpose if tells(node.purpose, node.name, above) else ""
        if words:
            purpose = f"{purpose.rstrip('.')}. {EXTENDS} {', '.join(words)}.".lstrip(". ")
        head = f"class {node.name}" + (f"({', '.join(bases)})" if bases else "") + ":"
        parts = [docstring(purpose, indent)] if purpose else []
        children = _as_asked(self._state.children(node.id))
        methods = {c.name for c in children}
        attributes = [self._attribute(node, a) for a in node.attributes if a.name not in methods]
        if attributes:
            parts.append("\n".join(indent + a for a in attributes))
        for child in children:
            if child.kind is NodeKind.CLASS:
                parts.append(self._class(child, depth + 1, node.purpose))
            elif child.kind is NodeKind.FUNCTION:
                parts.append(self._function(child, method=True, indent=indent, above=node.purpose))
        body = parts or [docstring(f"{node.name}.", indent)]
        decorators = "".join(f"{outer}@{d}\n" for d in self._trial.decorators(node))
        return f"{decorators}{outer}{head}\n" + "\n\n".join(body)

    def _can_stand(self, base: str) -> bool:
        return means(base.partition("=")[2] if is_keyword(base) else base, self._known)

    def _attribute(self, owner: Node, attribute: Attribute) -> str:
        name, annotation, value = attribute.name, attribute.annotation, attribute.value
        known = bool(annotation) and means(annotation or "", self._known)
        words = [annotation] if annotation and not known else []
        kind = annotation if known else "object"
        if self._trial.is_enum(owner) and not self._trial.has_members(owner):
            return f"{name}: {kind}" + note([f"= {value}" if value is not None else "", *words])
        if self._trial.is_enum(owner) and (value is not None or name.isupper()):
            live = value if value is not None and constant(value) else "auto()"
            return f"{name} = {live}" + note([value] if value not in (None, live) else [])
        if value is None:
            return f"{name}: {kind}" + note(words)
        fields = bool(self._trial.decorators(owner)) and "ClassVar" not in (annotation or "")
        shown = _value(value, fields=fields)
        if shown is None:
            shown, words = ("None" if fields else None), [f"= {value}", *words]
        return f"{name}: {kind}" + (f" = {shown}" if shown is not None else "") + note(words)

    def _function(self, node: Node, *, method: bool, indent: str = "", above: str = "") -> str:
        decorators = [d for d in node.decorators if d.split("(")[0] in _SAFE_DECORATORS]
        parameters = list(node.parameters or ())
        if node.parameters is None and "property" not in decorators:
            parameters = [Parameter(name="args", star="*"), Parameter(name="kwargs", star="**")]
        if method:
            parameters = _with_receiver(parameters, decorators)
        ready = self._known - self._later
        said = render_parameters([valid(p, self._known, ready) for p in parameters])
        known = node.returns and means(node.returns, self._known)
        returns = f" -> {node.returns}" if known else ""
        head = "async def" if node.is_async else "def"
        lines = [f"@{d}" for d in decorators]
        lines.append(
            f"{head} {node.name}({said}){returns}:"
            + note([", ".join(unsaid(parameters, node.returns, self._known, ready))])
        )
        lines = [indent + line for line in lines]
        if tells(node.purpose, node.name, above):
            lines.append(docstring(node.purpose, f"{indent}    "))
        lines.append(f"{indent}    {BODY}")
        return "\n".join(lines)


def _value(value: str, *, fields: bool) -> str | None:
    """A class attribute's value as it can stand in the class; in a data class what could be changed
    is made anew for each instance."""
    if constant(value):
        if not fields or not isinstance(literal(value), list | dict | set):
            return value
        empty = {"[]": "list", "{}": "dict", "set()": "set"}.get(value.strip())
        return f"field(default_factory={empty or f'lambda: {value}'})"
    return value if fields and value.startswith("field(") and runs(value) else None


def _as_asked(nodes: Sequence[Node]) -> list[Node]:
    """Nodes in the order of the document that asks for most of them; the others follow."""
    files = [n.asked[0].file for n in nodes if n.asked]
    first = max(sorted(set(files)), key=files.count, default="")

    def place(node: Node) -> tuple[bool, int]:
        here = bool(node.asked) and node.asked[0].file == first
        return not here, node.asked[0].line if here else 0

    return sorted(nodes, key=place)


def _export_home(node: Node, file: Node, homes: Homes) -> str | None:
    """The path a package's `__init__` takes a name from; None where the name is its own."""
    if file.name != "__init__.py" or (node.value and not node.exported_from):
        return None
    package = file.path.removesuffix("__init__.py")
    paths = [p for p in homes.get(node.name, []) if p != file.path]
    named = [p for p in paths if module_name(p) in node.purpose]
    inside = [p for p in paths if p.startswith(package)]
    return next(iter(named or inside or paths), None)


_SAFE_DECORATORS = frozenset({"property", "classmethod", "staticmethod", "abstractmethod"})


def _with_receiver(parameters: list[Parameter], decorators: list[str]) -> list[Parameter]:
    """The parameters with `self` or `cls` in front where the kind of method wants it."""
    plain = [p for p in parameters if p.name not in ("self", "cls")]
    if "staticmethod" in decorators:
        return plain
    return [Parameter(name="cls" if "classmethod" in decorators else "self"), *plain]
