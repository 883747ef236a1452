"""Reconciliation of planned and realized: one pure function, and the drift that it reports."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import TypeVar

from bot.base import Data
from bot.spec.model import Parameter
from bot.state.lookup import FileFacts, Lookup, Modules, facts_of
from bot.state.model import (
    Feedback,
    Interface,
    Node,
    NodeKind,
    ProjectState,
    Relation,
)
from bot.state.references import relations_of
from bot.state.signatures import render_parameters
from bot.state.structure import with_modules

Item = TypeVar("Item")


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
    """How the code differs from the plan, as node ids in order; of what is missing or new as a
    whole, the outermost."""

    not_realized: tuple[str, ...] = ()
    not_planned: tuple[str, ...] = ()
    changed: tuple[InterfaceChange, ...] = ()


def change_of(
    files: Mapping[str, str], project: Iterable[str], state: ProjectState | None = None
) -> Change:
    """Extract what `files` (path -> source) realize; `project` is every path of the tree. A
    mapping or a set is used as it is, so that a small change to a large project stays cheap.
    What files outside the change define is looked up in `state`."""
    modules = Modules(project if isinstance(project, Mapping | Set) else set(project))
    parsed: dict[str, FileFacts] = {}
    for path, source in sorted(files.items()):
        if path.endswith(".py"):
            try:
                parsed[path] = facts_of(path, source, modules)
            except (SyntaxError, ValueError, RecursionError):
                continue
    lookup = Lookup(parsed, modules, state)
    relations: list[Relation] = []
    for facts in parsed.values():
        with suppress(RecursionError):
            relations.extend(relations_of(facts, lookup))
    nodes = tuple(n for facts in parsed.values() for n in facts.nodes.values())
    return Change(paths=tuple(sorted(files)), nodes=nodes, relations=tuple(relations))


def reconcile(state: ProjectState, change: Change) -> tuple[ProjectState, Drift]:
    """Merge a change into the state. What the documents ask for stays in N even while the code
    lacks it; what only code knew and no longer holds goes.

    The order of a state's nodes and relations is by id and by source, so that only the spans of
    the changed files are looked at."""
    touched = set(change.paths)
    new = {n.id: n for n in change.nodes}
    old = {
        n.id: n for path in {*touched, *(n.path for n in change.nodes)} for n in _of(state, path)
    }
    nodes = {
        k: _unrealized(n) if n.path in touched else n
        for k, n in old.items()
        if n.path not in touched or n.asked or n.kind is NodeKind.MODULE
    }
    for key, node in new.items():
        nodes[key] = _merged(nodes.get(key), node)
    merged = state.model_copy(
        update={
            "nodes": _with_nodes(state.nodes, old, nodes),
            "realized": _with_relations(state.realized, touched, change.relations),
            "feedback": change.feedback if change.feedback is not None else state.feedback,
        }
    )
    return merged, _drift(nodes.values())


def drift_of(state: ProjectState) -> Drift:
    """How the whole code differs from the plan, none as long as there is no code. Unlike that of
    `reconcile` it is not of the changed files alone."""
    return _drift(state.nodes) if any(n.realized for n in state.nodes) else Drift()


def _unrealized(node: Node) -> Node:
    return node.model_copy(update={"realized": False}) if node.realized else node


def _of(state: ProjectState, path: str) -> list[Node]:
    """The nodes of one file, itself included."""
    return [n for start, end in _spans(state.nodes, path, _node_id) for n in state.nodes[start:end]]


def _with_nodes(
    known: tuple[Node, ...], old: Mapping[str, Node], nodes: dict[str, Node]
) -> tuple[Node, ...]:
    """The nodes in order, with the spans of changed files replaced."""
    out = list(known)
    by_path: dict[str, list[Node]] = {n.path: [] for n in old.values()}
    for node in with_modules(nodes).values():
        there = node.kind is NodeKind.MODULE and _exactly(out, node.id)
        if not there:
            by_path.setdefault(node.path, []).append(node)
    for path, mine in by_path.items():
        _replace(out, path, sorted(mine, key=_node_id), _node_id)
    return tuple(out)


def _with_relations(
    known: tuple[Relation, ...], touched: set[str], new: Iterable[Relation]
) -> tuple[Relation, ...]:
    out = list(known)
    by_path: dict[str, set[Relation]] = {path: set() for path in touched}
    for relation in new:
        path = relation.files[0]
        if path not in by_path:
            spans = _spans(out, path, _source)
            by_path[path] = {r for start, end in spans for r in out[start:end]}
        by_path[path].add(relation)
    for path, mine in by_path.items():
        _replace(out, path, sorted(mine, key=lambda r: (r.source, r.target, r.kind)), _source)
    return tuple(out)


def _node_id(node: Node) -> str:
    return node.id


def _source(relation: Relation) -> str:
    return relation.source


def _exactly(nodes: list[Node], node_id: str) -> list[Node]:
    start = bisect_left(nodes, node_id, key=_node_id)
    return [n for n in nodes[start : start + 1] if n.id == node_id]


def _spans(
    items: Sequence[Item], path: str, key: Callable[[Item], str]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a file stands in an order by id, and where what it holds does: names such as
    `a.py.txt` sort between the two. `;` is what follows `:`."""
    return (
        (bisect_left(items, path, key=key), bisect_right(items, path, key=key)),
        (bisect_left(items, f"{path}::", key=key), bisect_left(items, f"{path}:;", key=key)),
    )


def _replace(items: list[Item], path: str, mine: list[Item], key: Callable[[Item], str]) -> None:
    """Put `mine` where the file and what it holds stand in an order by id."""
    (file, file_end), (inner, inner_end) = _spans(items, path, key)
    items[inner:inner_end] = [i for i in mine if key(i) != path]
    items[file:file_end] = [i for i in mine if key(i) == path]


def _merged(planned: Node | None, realized: Node) -> Node:
    """The code's facts with the plan's words and origins."""
    if planned is None:
        return realized.model_copy(update={"realized": True})
    known = {a.name for a in realized.attributes}
    return realized.model_copy(
        update={
            "purpose": planned.purpose or realized.purpose,
            "asked": planned.asked,
            "realized": True,
            "planned": _planned(planned, realized),
            "attributes": (
                *realized.attributes,
                *(a for a in planned.attributes if a.name not in known),
            ),
        }
    )


def _planned(planned: Node, realized: Node) -> Interface | None:
    """The interface that the plan gave a node, where the code's is another."""
    was = planned.planned
    if was is None and planned.asked and planned.parameters is not None:
        was = Interface(
            parameters=planned.parameters, returns=planned.returns, is_async=planned.is_async
        )
    if was is None or realized.kind is not NodeKind.FUNCTION:
        return None
    same = _names(was.parameters) == _names(realized.parameters or ())
    return None if same and (realized.is_async or not was.is_async) else was


def _names(parameters: Iterable[Parameter]) -> list[str]:
    return [p.name for p in parameters if p.name not in ("self", "cls")]


def _drift(nodes: Iterable[Node]) -> Drift:
    mine = {n.id: n for n in nodes if n.path.endswith(".py")}
    missing = {k for k, n in mine.items() if n.asked and not n.realized}
    new = {k for k, n in mine.items() if n.realized and not n.asked and not _private(n)}
    classes: dict[str, list[Node]] = {}
    for node in mine.values():
        if node.kind is NodeKind.CLASS:
            classes.setdefault(node.name, []).append(node)
    new = {k for k in new if not _overrides(mine[k], mine, classes)}
    return Drift(
        not_realized=tuple(sorted(k for k in missing if mine[k].parent not in missing)),
        not_planned=tuple(sorted(k for k in new if mine[k].parent not in new)),
        changed=tuple(
            InterfaceChange(
                node=k,
                planned=signature(n.model_copy(update=dict(n.planned))),
                realized=signature(n),
            )
            for k, n in sorted(mine.items())
            if n.planned is not None and n.realized
        ),
    )


def _overrides(
    node: Node, nodes: Mapping[str, Node], classes: Mapping[str, Sequence[Node]]
) -> bool:
    """Whether a method carries out what a base of its class is planned to have; a base is found by
    its name."""
    owner = nodes.get(node.parent or "")
    waiting = [owner] if owner is not None else []
    seen: set[str] = set()
    while waiting:
        cls = waiting.pop()
        seen.add(cls.id)
        for written in cls.bases:
            for base in classes.get(written.partition("[")[0].rpartition(".")[2], ()):
                planned = nodes.get(f"{base.id}.{node.name}")
                if planned is not None and planned.asked:
                    return True
                waiting += [base] if base.id not in seen else []
    return False


def _private(node: Node) -> bool:
    hidden = any(part.startswith("_") for part in (node.name, *node.qualname.split(".")))
    return hidden or node.kind is NodeKind.GLOBAL


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
