"""What people read of repairs to code that the bot did not write: what was wrong, why the change
mends it, and what was tried in vain. Everything in it is others' text, and defused."""

from bot.markdown import code, defuse, details, fence, quote, table
from bot.phases.run import Cause, Mending, RunState
from bot.phases.show import next_sentence, rounds_table, sign, todo, trend
from bot.phases.texts import page, say

_MOST_ROWS = 6


def repair_page(state: RunState) -> str:
    """The pull request's description."""
    kept = [m for m in state.mendings if m.result == "kept"]
    return page(
        "repair",
        state=state,
        kept=[_told(m) for m in kept],
        waiting=[_told(m) for m in state.mendings if not m.result],
        next=next_sentence(state),
        todo=todo(state),
        outcome_sign=sign(state.outcome),
        rounds=rounds_table(state.rounds),
        trend=trend(state),
    )


def tried_list(state: RunState) -> str:
    """The repairs that did not help, folded; "" where there are none."""
    lost = [m for m in state.mendings if m.result == "taken_back"]
    if not lost or state.outcome is None:
        return ""
    told = "\n\n".join(page("tried", mending=_told(m)) for m in lost)
    return details(say("tried_in_vain", repairs=len(lost)), told)


def _told(mending: Mending) -> dict[str, object]:
    return {
        "iteration": mending.iteration,
        "causes": [_cause(c) for c in mending.causes],
        "explanation": quote(mending.explanation) if mending.explanation else "",
        "diff": fence(mending.diff, "diff"),
        "judged": bool(mending.result),
        "lost": mending.lost,
    }


def _cause(cause: Cause) -> dict[str, object]:
    rows = [(say("cause_test"),), *((code(t),) for t in cause.tests[:_MOST_ROWS])]
    rest = len(cause.tests) - _MOST_ROWS
    if rest > 0:
        rows.append((say("cause_more", rest=rest),))
    return {
        "files": ", ".join(code(path) for path in cause.files),
        "names": ", ".join(code(name) for name in cause.names),
        "tests": table(rows),
        "says": defuse(" ".join(cause.says.split())),
        "place": code(cause.place) if cause.place else "",
        "line": code(cause.line) if cause.line else "",
        "evidence": [defuse(" ".join(e.split())) for e in cause.evidence],
        "explanation": quote(cause.explanation) if cause.explanation else "",
        "passing": cause.passing,
        "total": len(cause.tests),
    }
