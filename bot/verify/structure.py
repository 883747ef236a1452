"""Structure Verifier, Interface Verifier and Missing File Detector (E, Table I)."""

from collections.abc import Iterable, Iterator
from typing import Literal

from bot.spec.model import Location, Member, Spec, UmlClass
from bot.state.interfaces import Interfaces
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.structure import homeless
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.standard import is_standard_class
from bot.verify.tools.places import asked_for

_HOLDS = {
    NodeKind.MODULE: (NodeKind.MODULE,),
    NodeKind.FILE: (NodeKind.MODULE,),
    NodeKind.CLASS: (NodeKind.FILE, NodeKind.CLASS, NodeKind.FUNCTION),
    NodeKind.FUNCTION: (NodeKind.FILE, NodeKind.CLASS, NodeKind.FUNCTION),
    NodeKind.GLOBAL: (NodeKind.FILE,),
}


def verify_structure(state: ProjectState, spec: Spec) -> list[Evidence]:
    """Hierarchy and required properties: every node stands where its kind can stand, every file
    has something to do, every function says what it takes."""
    nodes = {n.id: n for n in state.nodes}
    found = [e for n in state.nodes for e in _misplaced(n, nodes)]
    if not state.python_files():
        detail = "the structure holds no Python file"
        found.append(_structural(Rule.NO_PYTHON, ".", detail, _beginning(spec)))
    found.extend(
        _structural(Rule.NO_PURPOSE, n.id, f"nothing says what `{n.path}` is for", asked_for(n))
        for n in empty_files(state)
    )
    found.extend(
        _structural(
            Rule.NO_SIGNATURE,
            n.id,
            f"nothing says what `{n.qualname}` takes",
            asked_for(n),
            "warning",
        )
        for n in state.nodes
        if n.kind is NodeKind.FUNCTION and n.parameters is None and not _is_property(n)
    )
    return found


def _is_property(node: Node) -> bool:
    return any(d.endswith(("property", ".setter", ".deleter")) for d in node.decorators)


def _misplaced(node: Node, nodes: dict[str, Node]) -> Iterator[Evidence]:
    """What is wrong with the place of a node in the hierarchy."""
    if node.parent in (None, ".") or _is_plain_file(node):
        return
    parent = nodes.get(node.parent or "")
    if parent is None:
        detail = f"`{node.id}` stands in `{node.parent}`, which is not in the structure"
        yield _structural(Rule.ORPHAN, node.id, detail, asked_for(node))
    elif parent.kind not in _HOLDS[node.kind]:
        detail = f"`{node.id}` is a {node.kind} and stands in `{parent.id}`, a {parent.kind}"
        yield _structural(Rule.ORPHAN, node.id, detail, asked_for(node))


def _structural(
    rule: Rule,
    subject: str,
    detail: str,
    place: Location,
    verdict: Literal["fault", "warning"] = "fault",
) -> Evidence:
    return Evidence(
        tool=Tool.STRUCTURE,
        rule=rule,
        subject=subject,
        verdict=verdict,
        detail=detail,
        location=place,
    )


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
    """Classes, their members, functions and globals that the UML defines and the nodes lack."""
    lost = homeless(spec, state.nodes)
    found = [
        _lacking(Rule.CLASS_MISSING, box.name, f"the UML defines `{box.name}`", box.location)
        for box in lost
        if not box.hosts_globals and not _is_of_standard_library(box)
    ]
    held = _held_by_class(state)
    names = {n.name for n in state.nodes}
    for diagram in spec.class_diagrams:
        for box in diagram.classes:
            name = box.name.rpartition(".")[2]
            if box.hosts_globals or (box.module and box not in lost):
                found.extend(_globals_missing(box, names))
            elif name in held:
                found.extend(_members_missing(box, held[name][0], held[name][1]))
    return found


def _is_of_standard_library(box: UmlClass) -> bool:
    """Whether the author drew what Python brings along, to show how it is used."""
    methods = [m.name for m in box.members if m.kind == "method"]
    return bool(methods) and is_standard_class(box.name, methods)


def _held_by_class(state: ProjectState) -> dict[str, tuple[str, set[str]]]:
    """Class name -> id of the first class of this name, and the names that all of them and their
    bases hold."""
    known = Interfaces(state.nodes, {})
    found: dict[str, tuple[str, set[str]]] = {}
    for node in state.nodes:
        if node.kind is NodeKind.CLASS:
            held = found.setdefault(node.name, (node.id, set()))[1]
            for cls, _ in known.ancestry(node):
                held.update(a.name for a in cls.attributes)
                held.update(m.name for m in known.members(cls.id))
    return found


def _members_missing(box: UmlClass, home: str, held: set[str]) -> Iterator[Evidence]:
    for member in _named(box):
        if member.name not in held:
            yield Evidence(
                tool=Tool.INTERFACE,
                rule=Rule.MEMBER_MISSING,
                subject=f"{home}.{member.name}",
                verdict="fault",
                detail=f"`{box.name}.{member.name}` is in the UML and not in the structure",
                location=member.location,
            )


def _globals_missing(box: UmlClass, names: set[str]) -> Iterator[Evidence]:
    """What a box that stands for a module lists and no file holds, wherever it may stand."""
    for member in _named(box):
        if member.name not in names:
            said = f"the UML lists `{member.name}` in `{box.name}`"
            yield _lacking(Rule.MEMBER_MISSING, member.name, said, member.location)


def _named(box: UmlClass) -> Iterator[Member]:
    return (m for m in box.members if m.name.isidentifier())


def _lacking(rule: Rule, subject: str, said: str, place: Location) -> Evidence:
    return Evidence(
        tool=Tool.INTERFACE,
        rule=rule,
        subject=subject,
        verdict="fault",
        detail=f"{said}, and no file holds it",
        location=place,
    )


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


def _beginning(spec: Spec) -> Location:
    """The document that should say more: the architecture where there is one."""
    documents = sorted(spec.documents, key=lambda d: d.kind.value)
    return (
        Location(file=documents[0].file, line=documents[0].first_line)
        if documents
        else Location(file="PRD.md")
    )


def counted(spec: Spec, nodes: Iterable[Node]) -> dict[str, int]:
    """How many things each tool of the architecture phase looked at."""
    members = sum(len(c.members) for d in spec.class_diagrams for c in d.classes)
    classes = sum(len(d.classes) for d in spec.class_diagrams)
    return {
        Tool.STRUCTURE: len(list(nodes)),
        Tool.INTERFACE: classes + members,
        Tool.MISSING_FILES: len(spec.files),
    }
