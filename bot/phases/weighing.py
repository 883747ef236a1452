"""Holds a judged commit against the best one, and writes down in the run's state what follows."""

from collections.abc import Mapping

from bot.checks.report import Report
from bot.markdown import code
from bot.phases.fingerprint import digest_of, fingerprint
from bot.phases.ratchet import Step, honest, judge_iteration, still_lost, without
from bot.phases.run import Best, Round, RunState
from bot.phases.services import Services
from bot.phases.standstill import failures_seen
from bot.phases.texts import say

_MOST_NAMED = 6


def measure(state: RunState, services: Services) -> Report | None:
    """The best commit's report, without the check tests that a person has changed since."""
    best = state.best
    if best is None or best.commit == state.head:
        return best.report if best else None
    old, new = services.git.read(best.commit), services.git.read(state.head)
    folder = f"{state.settings.check_tests}/"
    paths = (p for p in old.keys() | new.keys() if p.startswith(folder))
    return without(best.report, (p for p in paths if old.get(p) != new.get(p)))


def comparable(state: RunState, services: Services, report: Report) -> Report:
    """What the check of the head said, with the tests that the code took away."""
    return honest(measure(state, services), report)


def weigh(state: RunState, services: Services, report: Report) -> tuple[RunState, Step]:
    """Whether the head is the best commit now. With the ratchet switched off it always is."""
    wanted = bool(state.answering) or _is_a_persons(state, services)
    step = judge_iteration(
        measure(state, services), report, seen=failures_seen(state), wanted=wanted
    )
    step = step.model_copy(update={"wanted": wanted})
    if not state.settings.switches.ratchet:
        why = say("step_ratchet_off", why=step.why)
        step = step.model_copy(update={"kept": True, "why": why})
    update: dict[str, object] = {
        "stuck": 0 if step.moved else state.stuck + 1,
        "tried": _tried(state, step),
        "diagnosis": "",
    }
    if step.kept:
        update["best"] = Best(commit=state.head, report=report)
        update["lost"] = still_lost(state.lost, step, report)
        update["answering"] = ()
    return state.model_copy(update=update), step


def noted(entry: Round, step: Step, report: Report, files: Mapping[str, str]) -> Round:
    """The round with what the next ones need to know of it. Files that a person wanted may come
    twice: that is no cycle of the fixer's."""
    return entry.model_copy(
        update={
            "files": "" if step.wanted else digest_of(files),
            "failures": fingerprint(report),
            "kept": step.kept,
            "gained": len(step.gained) - len(step.lost) if step.kept else 0,
        }
    )


def _tried(state: RunState, step: Step) -> tuple[str, ...]:
    """The diagnoses with what came of the last one; none once a test was gained."""
    if step.kept and step.gained:
        return ()
    if not state.diagnosis:
        return state.tried
    if step.kept:
        key = "tried_moved" if step.moved else "tried_kept"
    else:
        key = "tried_lost" if step.lost else "tried_same"
    named = ", ".join(code(t) for t in step.lost[:_MOST_NAMED])
    if len(step.lost) > _MOST_NAMED:
        named += f" and {len(step.lost) - _MOST_NAMED} more"
    return (*state.tried[:-1], say(key, diagnosis=state.diagnosis, tests=named))


def _is_a_persons(state: RunState, services: Services) -> bool:
    """Whether the head is a commit that a person pushed."""
    best = state.best
    if best is None:
        return False
    authors = services.git.authors_since(best.commit, state.head)
    return bool(authors) and authors[-1][1] != services.bot_email
