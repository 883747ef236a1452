"""The repair agenda of a run: what to mend first and where, as the fixer and as people see it."""

import ast
from collections.abc import Mapping, Sequence

from bot.checks.agenda.targets import Fault, Target, agenda
from bot.checks.report import Report
from bot.markdown import code, defuse, table
from bot.phases.judging import fails
from bot.phases.run import RunState
from bot.phases.texts import say
from bot.spec.model import Spec
from bot.state.extract import Definition
from bot.state.model import ProjectState, RelationKind, RepairTarget
from bot.syntax import parse
from bot.verify.evidence import Evidence

_MOST_TARGETS = 8
_MOST_SHOWN = 5


def targets_of(
    state: RunState,
    spec: Spec,
    files: Mapping[str, str],
    report: Report,
    faults: Sequence[Evidence],
) -> tuple[Target, ...]:
    """The first targets of the agenda; where it is switched off, one for each failing test.
    `state` is reconciled with `files`, on which the report's tests ran."""
    if not state.settings.switches.agenda:
        failing = [t for t in report.tests if fails(t)]
        return tuple(
            Target(
                title=" ".join(f"{t.exception}: {t.message}".split())[:200],
                tests=(t.id,),
                detail=t.detail,
            )
            for t in failing[:_MOST_TARGETS]
        )
    found = agenda(
        report,
        files,
        test_texts(spec),
        state.project,
        roots=_test_roots(state, spec),
        faults=[
            Fault(path=e.location.file, line=e.location.line, detail=e.detail)
            for e in faults
            if e.location is not None
        ],
        lost=state.lost,
    )
    return found[:_MOST_TARGETS]


def test_texts(spec: Spec) -> dict[str, str]:
    """The check tests by path, as far as they are text."""
    return {f.path: f.text for f in spec.check_tests if f.encoding == "utf-8"}


def _test_roots(state: RunState, spec: Spec) -> tuple[str, ...]:
    """The folder of the check tests, and those that stand elsewhere."""
    folder = state.settings.check_tests
    others = (f.path for f in spec.check_tests if not f.path.startswith(f"{folder}/"))
    return (folder, *others)


def with_callees(target: Target, project: ProjectState, files: Mapping[str, str]) -> Target:
    """The target with the files of what its likely function only hands on to: a fault that shows in
    a thin function is as likely one of what it calls."""
    path = target.node.partition("::")[0]
    if path not in target.files or not _is_thin(target.node, files.get(path, "")):
        return target
    called = dict.fromkeys(
        r.files[1]
        for r in project.realized
        if r.source == target.node and r.kind is RelationKind.CALL and r.files[1] in files
    )
    return target.model_copy(update={"files": tuple(dict.fromkeys((*target.files, *called)))})


def _is_thin(node: str, source: str) -> bool:
    """Whether a function is one statement, its docstring and imports left aside."""
    try:
        body: list[ast.stmt] = parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return False
    for name in filter(None, node.partition("::")[2].split(".")):
        found = next((s for s in body if getattr(s, "name", None) == name), None)
        body = found.body if isinstance(found, ast.ClassDef | Definition) else []
    aside = (ast.Import, ast.ImportFrom, ast.Pass)
    doc = (s for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    return len([s for s in body if not isinstance(s, aside)]) - len(list(doc)) == 1


def as_feedback(targets: Sequence[Target]) -> tuple[RepairTarget, ...]:
    """The agenda as the project state keeps it (V)."""
    return tuple(
        RepairTarget(
            path=t.files[0],
            node=t.node if "::" in t.node else None,
            reason="; ".join(t.evidence[:3]) or t.title,
            tests=t.tests,
        )
        for t in targets
        if t.files
    )


def agenda_table(targets: Sequence[Target]) -> str:
    """What is mended next: the first targets with their files, what they unlock, and why."""
    rows = [tuple(say(f"agenda_{column}") for column in ("files", "unlocks", "why"))]
    rows += [
        (
            ", ".join(code(p) for p in t.files) + _within(t),
            str(max(t.unlocks, len(t.tests))),
            defuse("; ".join(t.evidence[:2])[:300]),
        )
        for t in targets[:_MOST_SHOWN]
        if t.files
    ]
    return table(rows) if len(rows) > 1 else ""


def _within(target: Target) -> str:
    name = target.node.partition("::")[2]
    return f" ({code(name)})" if name else ""
