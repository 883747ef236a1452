"""Symbol Extractor: classes, functions and variables of nodes of the project state."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from bot.base import Data, RepowrightError
from bot.spec.model import Location
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.reconcile import signature
from bot.verify.tools.places import asked_for, lines_of


class Symbol(Data):
    """One name that a node holds. `id` is the node's; for an attribute of a class the class's
    with the attribute's name."""

    id: str
    kind: Literal["class", "function", "variable"]
    signature: str
    purpose: str = ""
    location: Location


def extract_symbols(
    state: ProjectState, nodes: Sequence[str] = (), code: Mapping[str, str] | None = None
) -> tuple[Symbol, ...]:
    """The symbols of the named nodes (modules, files, classes; all files where none is named), in
    the order of the state. `code` (path -> source) gives lines of definitions; without it a
    symbol lies where the documents ask for it. Raise RepowrightError for an unknown node."""
    known = {n.id for n in state.nodes}
    for name in nodes:
        if name not in known:
            raise RepowrightError(
                f"the structure has no node `{name}`",
                hint="name a folder, a file, or a class as `package/file.py::Class`",
            )
    chosen = [n for n in state.nodes if "::" in n.id and _is_in(n.id, nodes)]
    return tuple(_symbols(chosen, code or {}))


def _is_in(node_id: str, wanted: Sequence[str]) -> bool:
    """Whether a node is one of the wanted, or lies in a wanted folder, file or class."""
    return not wanted or any(
        node_id == w or node_id.startswith((f"{w}::", f"{w}/") if "::" not in w else f"{w}.")
        for w in wanted
    )


def _symbols(nodes: Iterable[Node], code: Mapping[str, str]) -> Iterator[Symbol]:
    lines: dict[str, int] = {}
    read: set[str] = set()
    for node in nodes:
        if node.path not in read:
            read.add(node.path)
            lines.update(lines_of(node.path, code.get(node.path, "")))
        here = asked_for(node)
        if node.id in lines:
            here = Location(file=node.path, line=lines[node.id])
        yield Symbol(
            id=node.id,
            kind=_KINDS[node.kind],
            signature=signature(node),
            purpose=node.purpose,
            location=here,
        )
        for attribute in node.attributes:
            typed = f": {attribute.annotation}" if attribute.annotation else ""
            name = f"{node.id}.{attribute.name}"
            place = Location(file=node.path, line=lines[name]) if name in lines else here
            yield Symbol(
                id=name,
                kind="variable",
                signature=f"{node.qualname}.{attribute.name}{typed}",
                location=place,
            )


_KINDS: dict[NodeKind, Literal["class", "function", "variable"]] = {
    NodeKind.CLASS: "class",
    NodeKind.FUNCTION: "function",
    NodeKind.GLOBAL: "variable",
}
