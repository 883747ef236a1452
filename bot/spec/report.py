"""What `repowright lint` prints: the problems and the counts, a contract for scripts."""

from typing import Any

from bot.spec.model import Problem, Spec


def lint_report(spec: Spec) -> dict[str, Any]:
    """The documented JSON object: `problems` and the counts `files`, `classes`, `members`,
    `relations`, `messages`."""
    return {
        "problems": [_problem(p) for p in spec.problems],
        **counts(spec),
    }


def counts(spec: Spec) -> dict[str, int]:
    """What was found, each thing once. Classes are the boxes of the class diagrams that the project
    is to define; diagrams that a tool drew from code count only where there are no others."""
    written = [d for d in spec.class_diagrams if not d.generated]
    diagrams = written or list(spec.class_diagrams)
    boxes = [b for d in diagrams for b in d.classes if b.declared or not b.external]
    relations = {(r.source, r.target, r.kind, r.label) for d in diagrams for r in d.relations}
    members = {
        (b.name, m.kind, m.name, tuple(p.name for p in m.parameters or ()))
        for b in boxes
        for m in b.members
    }
    return {
        "files": len(spec.files),
        "classes": len({b.name for b in boxes}),
        "members": len(members),
        "relations": len(relations),
        "messages": sum(len(d.messages) for d in spec.sequence_diagrams),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "severity": str(problem.severity),
        "file": problem.location.file,
        "line": problem.location.line,
        "column": problem.location.column,
        "message": problem.message,
        "hint": problem.hint,
    }
