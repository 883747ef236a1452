"""Skeleton Coverage Verifier (E, Table I): what the nodes hold and the source's AST lacks."""

from collections.abc import Mapping

from bot.spec.model import Location
from bot.state.extract import extract_nodes
from bot.state.interfaces import Interfaces
from bot.state.model import Node, NodeKind, ProjectState
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.tools.places import asked_for, lines_of


def verify_coverage(state: ProjectState, files: Mapping[str, str]) -> list[Evidence]:
    """Files, classes and functions of the state that `files` (path -> source) do not define, and
    sources that do not parse."""
    found: list[Evidence] = []
    for node in state.files():
        if node.path not in files:
            detail = f"`{node.path}` is planned and does not exist"
            found.append(_fault(Rule.FILE_MISSING, node.path, detail, asked_for(node)))
    realized: dict[str, Node] = {}
    read: list[str] = []
    for path, source in sorted(files.items()):
        if not path.endswith(".py"):
            continue
        try:
            realized |= {n.id: n for n in extract_nodes(path, source)}
            read.append(path)
        except SyntaxError as error:
            where = Location(file=path, line=error.lineno or 1, column=error.offset or 1)
            found.append(_fault(Rule.SYNTAX, path, f"`{path}` does not parse: {error.msg}", where))
        except (ValueError, RecursionError):
            detail = f"`{path}` does not parse: it nests too deeply or is no text"
            found.append(_fault(Rule.SYNTAX, path, detail, Location(file=path)))
    known = Interfaces(realized.values(), {})
    for path in read:
        lines = lines_of(path, files[path])
        found.extend(
            _fault(
                Rule.NOT_DEFINED,
                node.id,
                f"`{node.qualname}` is planned for `{path}` and not defined there",
                Location(file=path, line=lines.get(node.parent or "", 1)),
            )
            for node in state.inside(path)
            if node.id not in realized
            and node.kind in (NodeKind.CLASS, NodeKind.FUNCTION)
            and not _is_inherited(node, known)
        )
    return found


def _is_inherited(node: Node, known: Interfaces) -> bool:
    """Whether a base of the project brings a planned member."""
    owner = known.node(node.parent or "")
    if owner is None or owner.kind is not NodeKind.CLASS:
        return False
    bases = (cls for cls, depth in known.ancestry(owner) if depth)
    return any(m.name == node.name for base in bases for m in known.members(base.id))


def _fault(rule: Rule, subject: str, detail: str, location: Location) -> Evidence:
    return Evidence(
        tool=Tool.COVERAGE,
        rule=rule,
        subject=subject,
        verdict="fault",
        detail=detail,
        location=location,
    )
