"""What people see of a run: the progress comment, the pull request's text, one review a round."""

from collections.abc import Sequence
from datetime import timedelta

from bot.base import Data, Outcome
from bot.markdown import code, defuse, details, fence, quote, table, truncate
from bot.phases.run import Phase, Round, RunState
from bot.phases.services import Services
from bot.phases.texts import page, say
from bot.phases.tree import ARCHITECTURE_PAGE, project_texts
from bot.phases.workflow import missing_workflow
from bot.ports.forge import CheckAnnotation, ReviewComment
from bot.spec.model import Severity, Spec
from bot.state.model import NodeKind, ProjectState
from bot.state.reconcile import Drift, signature
from bot.verify.evidence import Evidence, Verdict

_LIMIT = 60_000
_INLINE = 30


class Cost(Data):
    """What one round took."""

    usd: float
    calls: int
    seconds: float


def cost_of_round(state: RunState, services: Services) -> Cost:
    """What was spent since the last round was closed."""
    spent = services.record.spent()
    return Cost(
        usd=spent.usd - sum(r.usd for r in state.rounds),
        calls=spent.calls - sum(r.calls for r in state.rounds),
        seconds=elapsed(state, services) - sum(r.seconds for r in state.rounds),
    )


def review(
    state: RunState,
    services: Services,
    verdict: Verdict,
    *,
    title: str,
    cost: Cost,
    following: str,
    drift: Drift | None = None,
    agenda: str = "",
    diagnosis: str = "",
    comments: tuple[ReviewComment, ...] = (),
    broken: bool = False,
) -> str:
    """Publish the judge's verdict on the head commit: a review and a check run; return the
    review's address."""
    phase = Phase.CODE if state.phase is Phase.CHECK else state.phase
    body = page(
        "review",
        sign="✅" if verdict.passed else "❌" if broken else "🔁",
        phase=phase.value,
        iteration=state.iteration,
        title=title,
        tools=tools_table(verdict),
        faults=faults_table(verdict),
        agenda=agenda,
        diagnosis=quoted("What the fixer thought", diagnosis),
        drift=drift_table(drift),
        calls=cost.calls,
        usd=cost.usd,
        duration=duration(cost.seconds),
        next=following,
    )
    body = truncate(body, _LIMIT, "The rest is in the check run.")
    step = f"{phase.value}.{state.iteration}"
    address = services.forge.review(
        state.mark(f"review.{step}"),
        state.pull_request,
        commit=state.head,
        body=body,
        comments=comments[:_INLINE],
    )
    services.forge.check_run(
        state.mark(f"judge.{step}"),
        name="repowright / judge",
        commit=state.head,
        conclusion="success" if verdict.passed else "neutral" if not broken else "failure",
        title=title,
        summary=body,
        annotations=tuple(
            CheckAnnotation(path=c.path, line=c.line, level="warning", message=c.body[:4000])
            for c in comments[:_INLINE]
        ),
    )
    return address


def tools_table(verdict: Verdict) -> str:
    """One row for each tool: what it looked at and what it found."""
    rows = [("tool", "looked at", "faults")]
    for tool, count in verdict.checked.items():
        faults = sum(e.tool == tool for e in verdict.faults)
        rows.append((str(tool), str(count), f"**{faults}**" if faults else "0"))
    return table(rows)


def faults_table(verdict: Verdict, shown: int = 15) -> str:
    found = [*verdict.faults, *verdict.warnings]
    if not found:
        return ""
    rows = [("", "evidence", "where")]
    rows += [
        ("❌" if e.verdict == "fault" else "⚠️", defuse(e.detail), where(e)) for e in found[:shown]
    ]
    rest = table(
        [("", "evidence", "where")]
        + [
            ("❌" if e.verdict == "fault" else "⚠️", defuse(e.detail), where(e))
            for e in found[shown:]
        ]
    )
    more = "\n\n" + details(f"{len(found) - shown} more", rest) if len(found) > shown else ""
    return table(rows) + more


def where(evidence: Evidence) -> str:
    place = evidence.location
    return defuse(f"{place.file}:{place.line}") if place else defuse(evidence.subject)


def quoted(summary: str, text: str) -> str:
    return details(summary, quote(text)) if text.strip() else ""


def drift_table(drift: Drift | None, shown: int = 12) -> str:
    """Planned against realized, the rows that differ."""
    if drift is None or not (drift.not_realized or drift.not_planned or drift.changed):
        return ""
    rows = [("drift", "where", "")]
    rows += [("planned, not realized", code(n), "") for n in drift.not_realized]
    rows += [
        ("changed", code(c.node), f"{defuse(c.planned)} → {defuse(c.realized)}")
        for c in drift.changed
    ]
    rows += [("realized, not planned", code(n), "") for n in drift.not_planned]
    head = rows[: shown + 1]
    if len(rows) > len(head):
        head.append((f"and {len(rows) - len(head)} more", "", ""))
    return details(f"Plan and code: {len(rows) - 1} differences", table(head))


def inline(faults: Sequence[Evidence], head_files: dict[str, str]) -> tuple[ReviewComment, ...]:
    """Review comments for evidence that has a place in the repository."""
    by_line: dict[tuple[str, int], list[str]] = {}
    for fault in faults:
        place = fault.location
        if place is None or place.file not in head_files:
            continue
        line = min(place.line, head_files[place.file].count("\n") or 1)
        by_line.setdefault((place.file, line), []).append(defuse(fault.detail))
    return tuple(
        ReviewComment(path=path, line=line, body="\n\n".join(dict.fromkeys(texts)))
        for (path, line), texts in sorted(by_line.items())
    )


def with_round(
    state: RunState,
    verdict: Verdict,
    cost: Cost,
    address: str,
    *,
    passed: int | None = None,
    total: int | None = None,
    note: str = "",
) -> RunState:
    phase = Phase.CODE if state.phase is Phase.CHECK else state.phase
    entry = Round(
        phase=phase,
        iteration=state.iteration,
        commit=state.head,
        verdict="pass" if verdict.passed else "revise",
        faults=len(verdict.faults),
        tests_passed=passed,
        tests_total=total,
        usd=cost.usd,
        calls=cost.calls,
        seconds=cost.seconds,
        review=address,
        note=note,
    )
    return state.model_copy(update={"rounds": (*state.rounds, entry)})


def next_sentence(state: RunState) -> str:
    """What happens next, from the state alone."""
    if state.wait.kind == "person":
        return say(f"next_person_{state.wait.gate}")
    match state.phase:
        case Phase.ARCHITECTURE | Phase.OPEN:
            return say("next_architecture")
        case Phase.SKELETON:
            return say("next_skeleton")
        case Phase.CODE if state.iteration == 1:
            return say("next_code", files=len(state.project.python_files()))
        case Phase.CODE:
            return say("next_repair")
        case Phase.CHECK:
            return say("next_check", commit=state.head[:7])
        case Phase.DELIVER:
            return say("next_deliver")
        case _:
            return say("next_done")


def progress(state: RunState, spec: Spec | None, services: Services) -> None:
    """Write the progress comment on the issue, edited in place."""
    spent = services.record.spent()
    body = page(
        "progress",
        state=state,
        spent=spent,
        duration=duration(elapsed(state, services)),
        next=next_sentence(state),
        todo=todo(state),
        outcome_sign=sign(state.outcome),
        rounds=rounds_table(state.rounds),
        problems=problems_table(spec) if spec else "",
    )
    services.forge.comment(
        state.mark("progress"), state.issue, truncate(body, _LIMIT, "The rest is left out.")
    )


def describe(state: RunState, services: Services) -> str:
    """The pull request's description."""
    workflow = missing_workflow(state, services)
    body = page(
        "pull_request",
        state=state,
        next=next_sentence(state),
        todo=todo(state),
        outcome_sign=sign(state.outcome),
        rounds=rounds_table(state.rounds),
        trend=trend(state),
        structure=structure_list(state.project),
        workflow=fence(workflow, "yaml") if workflow else "",
    )
    return truncate(body, _LIMIT, "The rest is left out.")


def trend(state: RunState) -> str:
    """Passed check tests over the code rounds, as bars of text."""
    rows = [r for r in state.rounds if r.tests_total]
    if not rows:
        return ""
    lines = []
    for row in rows:
        passed, total = row.tests_passed or 0, row.tests_total or 1
        full = round(24 * passed / total)
        bar = "█" * full + "░" * (24 - full)
        lines.append(f"code {row.iteration}  {bar}  {passed}/{total}")
    return fence("\n".join(lines), "text")


def todo(state: RunState) -> str:
    return say(f"do_{state.outcome.value}") if state.outcome else ""


def sign(outcome: Outcome | None) -> str:
    return "" if outcome is None else "✅" if outcome is Outcome.PASSED else "⚠️"


def rounds_table(rounds: Sequence[Round]) -> str:
    if not rounds:
        return ""
    rows = [("round", "verdict", "check tests", "cost", "time", "commit")]
    for r in rounds:
        name = f"{r.phase.value} {r.iteration}"
        tests = f"{r.tests_passed} / {r.tests_total}" if r.tests_total else "–"
        verdict = "✅ pass" if r.verdict == "pass" else f"🔁 revise ({r.faults})"
        link = f"[{name}]({r.review})" if r.review else name
        rows.append(
            (link, verdict, tests, f"${r.usd:.4f}", duration(r.seconds), f"`{r.commit[:7]}`")
        )
    return table(rows)


def structure_list(project: ProjectState) -> str:
    """Files and what they hold, as a folded tree."""
    files = project.python_files()
    if not files:
        return ""
    lines = []
    for file in files:
        names = [
            signature(n).partition("(")[0].removeprefix("class ")
            for n in project.inside(file.path)
            if n.parent == file.path and n.kind is not NodeKind.GLOBAL
        ]
        lines.append(f"{file.path}" + (f"  {', '.join(names)}" if names else ""))
    names_count = sum(1 for n in project.nodes if "::" in n.id)
    return details(
        f"{len(files)} Python files, {names_count} names; see {ARCHITECTURE_PAGE}",
        fence("\n".join(lines), "text"),
    )


def problems_table(spec: Spec) -> str:
    found = [p for p in spec.problems if p.severity is not Severity.NOTE]
    if not found:
        return ""
    rows = [("", "in the spec", "where", "hint")]
    rows += [
        (
            "❌" if p.severity is Severity.FATAL else "⚠️",
            defuse(p.message),
            defuse(f"{p.location.file}:{p.location.line}"),
            defuse(p.hint),
        )
        for p in found[:40]
    ]
    if spec.fatal:
        return table(rows)
    return details(f"{len(found)} remarks on the spec", table(rows))


def elapsed(state: RunState, services: Services) -> float:
    return state.worked(services.clock())


def duration(seconds: float) -> str:
    """Seconds as people say them: `4.2 s`, `3 min 12 s`, `1 h 4 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = timedelta(seconds=round(seconds))
    hours, rest = divmod(int(whole.total_seconds()), 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"


def head_files(state: RunState, spec: Spec, services: Services) -> dict[str, str]:
    """Text files of the head commit that a review may comment on."""
    return project_texts(state, spec, services, state.head)
