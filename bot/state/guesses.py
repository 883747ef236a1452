"""A predicted relation, and names that one file alone defines: what every guess needs."""

import re
from collections.abc import Iterable

from bot.state.model import Node, NodeKind, Relation, RelationKind

NAME = re.compile(r"\b[A-Za-z_]\w*\b")


def predicted(source: str, target: str, kind: RelationKind, signal: str, weight: float) -> Relation:
    return Relation(
        source=source,
        target=target,
        kind=kind,
        origin="predicted",
        signal=signal,
        weight=round(weight, 4),
    )


def homes_at_top(nodes: Iterable[Node]) -> dict[str, str]:
    """Name at a file's top -> its id, for names that one file alone defines."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        own = node.kind is not NodeKind.GLOBAL or node.exported_from is None
        if own and "::" in node.id and node.parent == node.path and len(node.name) > 2:
            found.setdefault(node.name, []).append(node.id)
    return {name: ids[0] for name, ids in found.items() if len(ids) == 1}


def bare_packages(nodes: Iterable[Node]) -> frozenset[str]:
    """Packages' `__init__` files that define no function and no class."""
    everything = list(nodes)
    busy = {n.path for n in everything if n.kind in (NodeKind.FUNCTION, NodeKind.CLASS)}
    return frozenset(n.path for n in everything if n.name == "__init__.py" and n.path not in busy)
