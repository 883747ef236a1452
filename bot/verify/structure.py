"""Structure Verifier, Interface Verifier and Missing File Detector (E, Table I)."""

from collections.abc import Iterable

from bot.spec.model import Location, Spec
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.structure import homeless
from bot.verify.evidence import Evidence, Rule, Tool


def verify_structure(state: ProjectState) -> list[Evidence]:
    """Hierarchy and required properties: every parent stands, every file has something to do."""
    ids = {n.id for n in state.nodes}
    found = [
        Evidence(
            tool=Tool.STRUCTURE,
            rule=Rule.ORPHAN,
            subject=node.id,
            verdict="fault",
            detail=f"`{node.id}` stands in `{node.parent}`, which is not in the structure",
            location=_first(node),
        )
        for node in state.nodes
        if node.parent not in (None, ".") and node.parent not in ids and not _is_plain_file(node)
    ]
    if not state.python_files():
        found.append(
            Evidence(
                tool=Tool.STRUCTURE,
                rule=Rule.NO_PYTHON,
                subject=".",
                verdict="fault",
                detail="the structure holds no Python file",
            )
        )
    found.extend(
        Evidence(
            tool=Tool.STRUCTURE,
            rule=Rule.NO_PURPOSE,
            subject=node.id,
            verdict="fault",
            detail=f"nothing says what `{node.path}` is for",
            location=_first(node),
        )
        for node in empty_files(state)
    )
    return found


def _is_plain_file(node: Node) -> bool:
    """Whether it is a file that Python does not import: its folder is no module."""
    return node.kind is NodeKind.FILE and not node.path.endswith(".py")


def empty_files(state: ProjectState) -> tuple[Node, ...]:
    """Python files of packages that hold nothing and have no purpose; an `__init__` may."""
    return tuple(
        n
        for n in state.python_files()
        if not n.purpose and n.name != "__init__.py" and next(state.inside(n.path), None) is None
    )


def verify_interfaces(state: ProjectState, spec: Spec) -> list[Evidence]:
    """Classes, functions and attributes that the UML defines and the nodes lack."""
    found = [
        Evidence(
            tool=Tool.INTERFACE,
            rule=Rule.CLASS_MISSING,
            subject=box.name,
            verdict="fault",
            detail=f"the UML defines `{box.name}`, and no file holds it",
            location=box.location,
        )
        for box in homeless(spec, state.nodes)
    ]
    classes = {n.name: n for n in state.nodes if n.kind is NodeKind.CLASS}
    for diagram in spec.class_diagrams:
        for box in diagram.classes:
            home = classes.get(box.name.rpartition(".")[2])
            if home is None or box.hosts_globals:
                continue
            held = {n.name for n in state.children(home.id)} | {a.name for a in home.attributes}
            found.extend(
                Evidence(
                    tool=Tool.INTERFACE,
                    rule=Rule.MEMBER_MISSING,
                    subject=f"{home.id}.{member.name}",
                    verdict="fault",
                    detail=f"`{box.name}.{member.name}` is in the UML and not in the structure",
                    location=member.location,
                )
                for member in box.members
                if member.name.isidentifier() and member.name not in held
            )
    return found


def verify_files(state: ProjectState, spec: Spec) -> list[Evidence]:
    """Files that the architecture document names and the nodes lack."""
    paths = {n.path for n in state.files()}
    return [
        Evidence(
            tool=Tool.MISSING_FILES,
            rule=Rule.FILE_MISSING,
            subject=file.path,
            verdict="fault",
            detail=f"the architecture names `{file.path}`, and the structure lacks it",
            location=file.location,
        )
        for file in spec.files
        if file.path not in paths and not any(c in file.path for c in "*?[")
    ]


def _first(node: Node) -> Location | None:
    return node.asked[0] if node.asked else None


def counted(spec: Spec, nodes: Iterable[Node]) -> dict[str, int]:
    """How many things each tool of the architecture phase looked at."""
    members = sum(len(c.members) for d in spec.class_diagrams for c in d.classes)
    classes = sum(len(d.classes) for d in spec.class_diagrams)
    return {
        Tool.STRUCTURE: len(list(nodes)),
        Tool.INTERFACE: classes + members,
        Tool.MISSING_FILES: len(spec.files),
    }
