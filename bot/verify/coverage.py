"""Skeleton Coverage Verifier (E, Table I): what the nodes hold and the source's AST lacks."""

from collections.abc import Mapping

from bot.spec.model import Location
from bot.state.extract import extract_nodes
from bot.state.model import NodeKind, ProjectState
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
    for path, source in sorted(files.items()):
        if not path.endswith(".py"):
            continue
        try:
            realized = {n.id for n in extract_nodes(path, source)}
        except SyntaxError as error:
            where = Location(file=path, line=error.lineno or 1, column=error.offset or 1)
            found.append(_fault(Rule.SYNTAX, path, f"`{path}` does not parse: {error.msg}", where))
            continue
        except (ValueError, RecursionError):
            detail = f"`{path}` does not parse: it nests too deeply or is no text"
            found.append(_fault(Rule.SYNTAX, path, detail, Location(file=path)))
            continue
        lines = lines_of(path, source)
        found.extend(
            _fault(
                Rule.NOT_DEFINED,
                node.id,
                f"`{node.qualname}` is planned for `{path}` and not defined there",
                Location(file=path, line=lines.get(node.parent or "", 1)),
            )
            for node in state.inside(path)
            if node.id not in realized and node.kind in (NodeKind.CLASS, NodeKind.FUNCTION)
        )
    return found


def _fault(rule: Rule, subject: str, detail: str, location: Location) -> Evidence:
    return Evidence(
        tool=Tool.COVERAGE,
        rule=rule,
        subject=subject,
        verdict="fault",
        detail=detail,
        location=location,
    )
