"""Skeleton Coverage Verifier (E, Table I): what the nodes hold and the source's AST lacks."""

import ast
from collections.abc import Mapping

from bot.spec.model import Location
from bot.state.extract import extract_nodes
from bot.state.model import NodeKind, ProjectState
from bot.syntax import parse
from bot.verify.evidence import Evidence, Rule, Tool


def verify_coverage(state: ProjectState, files: Mapping[str, str]) -> list[Evidence]:
    """Files, classes and functions of the state that `files` (path -> source) do not define, and
    sources that do not parse."""
    found: list[Evidence] = []
    for node in state.files():
        if node.path not in files:
            found.append(
                _fault(Rule.FILE_MISSING, node.path, f"`{node.path}` is planned and does not exist")
            )
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
            found.append(
                _fault(
                    Rule.SYNTAX, path, f"`{path}` does not parse: it nests too deeply or is no text"
                )
            )
            continue
        found.extend(
            _fault(
                Rule.NOT_DEFINED,
                node.id,
                f"`{node.qualname}` is planned for `{path}` and not defined there",
                Location(file=path, line=_line_of_parent(source, node.parent or "")),
            )
            for node in state.inside(path)
            if node.id not in realized and node.kind in (NodeKind.CLASS, NodeKind.FUNCTION)
        )
    return found


def _fault(rule: Rule, subject: str, detail: str, location: Location | None = None) -> Evidence:
    return Evidence(
        tool=Tool.COVERAGE,
        rule=rule,
        subject=subject,
        verdict="fault",
        detail=detail,
        location=location,
    )


def _line_of_parent(source: str, parent: str) -> int:
    """Line of the class that should hold a missing method, else the file's first."""
    name = parent.partition("::")[2].rpartition(".")[2]
    for node in ast.walk(parse(source)):
        if name and isinstance(node, ast.ClassDef) and node.name == name:
            return node.lineno
    return 1
