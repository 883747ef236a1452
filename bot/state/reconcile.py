"""Reconciliation of planned and realized: one pure function, and the drift that it reports."""

from collections.abc import Iterable, Mapping

from bot.base import Data
from bot.state.extract import extract_nodes, extract_relations
from bot.state.model import (
    Feedback,
    Node,
    NodeKind,
    ProjectState,
    Relation,
    module_name,
    ordered,
)
from bot.state.signatures import render_parameters
from bot.state.structure import with_modules


class Change(Data):
    """What one iteration brings: the realized nodes and relations of the files in `paths`, and
    what verification found. Files that do not parse stand in `paths` without nodes."""

    paths: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    relations: tuple[Relation, ...] = ()
    feedback: Feedback | None = None


class InterfaceChange(Data):
    node: str
    planned: str
    realized: str


class Drift(Data):
    """How the code differs from the plan, as node ids."""

    not_realized: tuple[str, ...] = ()
    not_planned: tuple[str, ...] = ()
    changed: tuple[InterfaceChange, ...] = ()


def change_of(files: Mapping[str, str], project: Iterable[str]) -> Change:
    """Extract what `files` (path -> source) realize; `project` is every path of the tree."""
    modules = {module_name(p): p for p in project if p.endswith(".py")}
    nodes: list[Node] = []
    relations: list[Relation] = []
    for path, source in sorted(files.items()):
        if not path.endswith(".py"):
            continue
        try:
            nodes.extend(extract_nodes(path, source))
            relations.extend(extract_relations(path, source, modules))
        except (SyntaxError, ValueError, RecursionError):
            continue
    return Change(paths=tuple(sorted(files)), nodes=tuple(nodes), relations=tuple(relations))


def reconcile(state: ProjectState, change: Change) -> tuple[ProjectState, Drift]:
    """Merge a change into the state. What the documents ask for stays in N even while the code
    lacks it; what only code knew and no longer holds goes."""
    old = {n.id: n for n in state.nodes}
    new = {n.id: n for n in change.nodes}
    touched = set(change.paths)
    nodes = {
        key: node
        for key, node in old.items()
        if node.path not in touched or node.asked or node.kind is NodeKind.MODULE
    }
    for key, node in new.items():
        nodes[key] = _merged(nodes[key], node) if key in nodes else node
    realized = tuple(
        sorted(
            {r for r in state.realized if r.source not in touched} | set(change.relations),
            key=lambda r: (r.source, r.target, r.kind),
        )
    )
    merged = state.model_copy(
        update={
            "nodes": ordered(with_modules(nodes)),
            "realized": realized,
            "feedback": change.feedback if change.feedback is not None else state.feedback,
        }
    )
    return merged, _drift(old, new, touched)


def _merged(planned: Node, realized: Node) -> Node:
    """The code's facts with the plan's words and origins."""
    known = {a.name for a in realized.attributes}
    return realized.model_copy(
        update={
            "purpose": planned.purpose or realized.purpose,
            "asked": planned.asked,
            "attributes": (
                *realized.attributes,
                *(a for a in planned.attributes if a.name not in known),
            ),
        }
    )


def _drift(old: Mapping[str, Node], new: Mapping[str, Node], touched: set[str]) -> Drift:
    asked = {k: n for k, n in old.items() if n.asked and n.path in touched}
    changed = [
        InterfaceChange(node=k, planned=signature(asked[k]), realized=signature(new[k]))
        for k in sorted(asked.keys() & new.keys())
        if asked[k].kind is NodeKind.FUNCTION
        and asked[k].parameters is not None
        and _names(asked[k]) != _names(new[k])
    ]
    public = [k for k in new if k not in old and not _private(new[k])]
    return Drift(
        not_realized=tuple(sorted(k for k in asked if k not in new)),
        not_planned=tuple(sorted(public)),
        changed=tuple(changed),
    )


def _private(node: Node) -> bool:
    return node.name.startswith("_") or node.kind is NodeKind.GLOBAL


def _names(node: Node) -> list[str]:
    return [p.name for p in node.parameters or () if p.name not in ("self", "cls")]


def signature(node: Node) -> str:
    """A node as a reader knows it: `f(a, b=1) -> str`, `class C(Base)`, `NAME`."""
    if node.kind is NodeKind.FUNCTION:
        inner = "..." if node.parameters is None else render_parameters(node.parameters)
        returns = f" -> {node.returns}" if node.returns else ""
        prefix = "async " if node.is_async else ""
        return f"{prefix}{node.qualname}({inner}){returns}"
    if node.kind is NodeKind.CLASS:
        bases = f"({', '.join(node.bases)})" if node.bases else ""
        return f"class {node.qualname}{bases}"
    return node.qualname or node.path
