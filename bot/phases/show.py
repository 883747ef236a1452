"""How a run looks in Markdown: tables, bars and sentences, made from data alone."""

from collections.abc import Sequence
from datetime import timedelta

from bot.base import Outcome
from bot.markdown import code, defuse, details, fence, quote, table
from bot.phases.run import Phase, Round, RunState
from bot.phases.texts import say
from bot.phases.tree import ARCHITECTURE_PAGE
from bot.spec.model import Severity, Spec
from bot.state.model import NodeKind, ProjectState
from bot.state.reconcile import drift_of, signature
from bot.verify.evidence import Evidence, Verdict

SIGNS = {"pass": "✅", "revise": "🔁", "unverified": "⚪"}


def tools_table(verdict: Verdict) -> str:
    """One row for each tool: what it looked at and what it found."""
    if verdict.word == "unverified":
        return say("nothing_verified")
    rows = [("tool", "looked at", "faults")]
    for tool, count in verdict.checked.items():
        faults = sum(e.tool == tool for e in verdict.faults)
        warnings = sum(e.tool == tool for e in verdict.warnings)
        found = f"**{faults}**" if faults else "0"
        told = say("told_warnings", warnings=warnings) if warnings else ""
        rows.append((str(tool), str(count), found + told))
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


def drift_table(project: ProjectState, shown: int = 12) -> str:
    """Planned against realized: the nodes that differ; "" as long as there is no code."""
    if not any(n.realized for n in project.nodes):
        return ""
    drift = drift_of(project)
    rows = [("planned, not realized", code(n), "") for n in drift.not_realized]
    rows += [
        ("changed", code(c.node), f"{code(c.planned)} → {code(c.realized)}") for c in drift.changed
    ]
    rows += [("realized, not planned", code(n), "") for n in drift.not_planned]
    if not rows:
        return say("drift_none")
    if len(rows) > shown:
        rows = [*rows[:shown], (say("drift_more", rest=len(rows) - shown), "", "")]
    counts = {
        "missing": len(drift.not_realized),
        "changed": len(drift.changed),
        "new": len(drift.not_planned),
    }
    return details(say("drift_some", **counts), table([("drift", "where", ""), *rows]))


def context_sentence(state: RunState) -> str:
    """How much of the project a call was shown; "" before any was."""
    shown = state.shown
    if not shown:
        return ""
    tokens = round(sum(s.tokens for s in shown) / len(shown))
    share = sum(s.share for s in shown) / len(shown)
    return say("context_share", contexts=len(shown), tokens=tokens, percent=f"{share:.0%}")


def next_sentence(state: RunState) -> str:
    """What happens next, from the state alone."""
    if state.wait.kind == "person":
        return say(f"next_person_{state.wait.gate}")
    match state.phase:
        case Phase.OPEN if state.origin == "failure":
            return say("next_repair")
        case Phase.ARCHITECTURE | Phase.OPEN:
            return say("next_architecture")
        case Phase.SKELETON:
            return say("next_skeleton")
        case Phase.CODE if state.iteration == 1 and state.origin == "spec":
            return say("next_code", files=len(state.project.python_files()))
        case Phase.CODE:
            return say("next_repair")
        case Phase.CHECK:
            return say("next_check", commit=state.head[:7])
        case Phase.DELIVER:
            return say("next_deliver")
        case _:
            return say("next_done")


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
    """What people can do next, once the run has ended."""
    if state.outcome is Outcome.CANCELLED:
        told = next((kind for kind in ("gone", "closed") if state.knows(kind)), "cancelled")
        told = "failure_moved" if state.overtaken else told
        return say(f"do_{told}")
    if state.origin == "failure" and (told := _todo_of_repair(state)):
        return say(f"do_failure_{told}")
    return say(f"do_{state.outcome.value}") if state.outcome else ""


def _todo_of_repair(state: RunState) -> str:
    if state.outcome is Outcome.PASSED:
        return "passed" if state.pull_request else "nothing"
    return "no_progress" if state.outcome is Outcome.NO_PROGRESS else ""


def sign(outcome: Outcome | None) -> str:
    return "" if outcome is None else "✅" if outcome in (Outcome.PASSED, Outcome.MERGED) else "⚠️"


def rounds_table(rounds: Sequence[Round]) -> str:
    if not rounds:
        return ""
    rows = [("round", "verdict", "check tests", "cost", "time", "commit")]
    for r in rounds:
        name = f"{r.phase.value} {r.iteration}"
        tests = f"{r.tests_passed} / {r.tests_total}" if r.tests_total else "–"
        verdict = f"{SIGNS[r.verdict]} {r.verdict}" + (f" ({r.faults})" if r.faults else "")
        verdict += "" if r.kept else say("round_taken_back")
        tests += say("round_lost", tests=defuse(r.note)) if r.note else ""
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
