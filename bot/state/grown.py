"""The state of code that nobody planned: its own structure and interfaces are what is asked for."""

from collections.abc import Mapping

from bot.spec.model import Location
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.reconcile import change_of, reconcile


def project_of_code(files: Mapping[str, str]) -> ProjectState:
    """Nodes and realized relations of `files` (path -> text), with everything public marked as
    asked for where it stands: so a change that takes it away is drift from what people use."""
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    project, _ = reconcile(ProjectState(), change_of(python, files))
    return project.model_copy(update={"nodes": tuple(_asked(n) for n in project.nodes)})


def _asked(node: Node) -> Node:
    if node.kind is NodeKind.MODULE or not is_public(node):
        return node
    return node.model_copy(update={"asked": (Location(file=node.path),)})


def is_public(node: Node) -> bool:
    """Whether others may use a node: neither it nor what it stands in is private by its name. A
    special method is how its class is used."""
    parts = node.qualname.split(".") if node.qualname else []
    return not any(
        p.startswith("_") and not (p.startswith("__") and p.endswith("__")) for p in parts
    )
