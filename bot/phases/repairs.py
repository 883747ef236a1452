"""The repair agenda of a run: what to mend first and where, as the fixer and as people see it."""

from collections.abc import Mapping, Sequence

from bot.checks.agenda.targets import Fault, Target, agenda
from bot.checks.report import Report
from bot.markdown import code, defuse, table
from bot.phases.judging import fails
from bot.phases.run import RunState
from bot.spec.model import Spec
from bot.state.model import RepairTarget
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
            Target(title=f"{t.exception}: {t.message}"[:200], tests=(t.id,), detail=t.detail)
            for t in failing[:_MOST_TARGETS]
        )
    found = agenda(
        report,
        files,
        {f.path: f.text for f in spec.check_tests if f.encoding == "utf-8"},
        state.project,
        roots=(state.settings.check_tests,),
        faults=[
            Fault(path=e.location.file, line=e.location.line, detail=e.detail)
            for e in faults
            if e.location is not None
        ],
        lost=state.lost,
    )
    return found[:_MOST_TARGETS]


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
    rows = [("mend first", "unlocks", "why there")]
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
