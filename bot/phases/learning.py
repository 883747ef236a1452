"""Experience in a run: advice before a repair, and what it and the repair taught after its check
(E, III-D). No run is lost because the store is (mechanisms 29-32)."""

from bot.checks.report import Report
from bot.experience.adviser import Adviser
from bot.experience.learn import effect_of, lessons, stage_of
from bot.experience.names import names_in_code
from bot.phases.run import Learning, RunState
from bot.phases.services import Services
from bot.phases.texts import say
from bot.phases.tree import project_texts
from bot.phases.weighing import measure
from bot.ports.experience import Experience, StoreUnavailable
from bot.spec.model import Spec


def advice(state: RunState, services: Services, report: Report) -> str:
    """Text for the fixer's prompt about the failures of `report`; "" where no experience fits,
    where the switch is off, or where the store cannot be used. What is given is written down, so
    that the check of this round can tell what came of it."""
    adviser = _adviser(state, services)
    if adviser is None:
        return ""
    try:
        return adviser.advice_for(report, mark=_mark(state))
    except StoreUnavailable as error:
        services.narrator.tell(state, say("note_no_experience", why=error.what))
        return ""


def learn(
    before: RunState, after: RunState, spec: Spec, services: Services, report: Report
) -> RunState:
    """`after` with what a round of repair taught. `before` is the state as its check found it,
    with the best commit that the repair started from; `after` is reconciled with the check's
    `report`. May be repeated, such as when a leg was killed: nothing is counted twice."""
    adviser = _adviser(before, services)
    earlier = measure(before, services)
    if adviser is None or earlier is None or earlier.green:
        return after
    mark = _mark(before)
    try:
        given = adviser.came_of(earlier, report, mark=mark)
        taught = _lessons(before, after, spec, services, (earlier, report))
        adviser.remember(taught, mark=mark)
    except StoreUnavailable as error:
        note = say("note_no_experience", why=error.what)
        services.narrator.tell(after, note)
        notes = after.notes if note in after.notes else (*after.notes, note)
        return after.model_copy(update={"notes": notes})
    entry = Learning(
        iteration=before.iteration,
        given=given,
        effect=effect_of(earlier, report),
        taught=tuple(lesson.id for lesson in taught),
        passed=(earlier.passed, report.passed),
    )
    after = after.model_copy(update={"experiences": (*after.experiences, entry)})
    if told := experience_line(before, after):
        services.narrator.tell(after, told)
    return after


def experience_line(before: RunState, after: RunState) -> str:
    """What experience did in a round, in one sentence; "" where it did nothing."""
    if after.experiences == before.experiences:
        return ""
    entry = after.experiences[-1]
    if not (entry.given or entry.taught):
        return ""
    was, now = entry.passed
    counts = {"given": len(entry.given), "taught": len(entry.taught), "was": was, "now": now}
    return say("experience_given" if entry.given else "experience_learnt", **counts)


def _adviser(state: RunState, services: Services) -> Adviser | None:
    return services.adviser if state.settings.switches.experience else None


def _lessons(
    before: RunState,
    after: RunState,
    spec: Spec,
    services: Services,
    reports: tuple[Report, Report],
) -> tuple[Experience, ...]:
    if before.best is None:
        return ()
    commits = (before.best.commit, after.head)
    inside = (names_in_code(project_texts(after, spec, services, c)) for c in commits)
    return lessons(
        before.project,
        after.project,
        services.git.diff(*commits),
        reports,
        stage=stage_of(before.iteration - before.granted, after.code_cap() - before.granted),
        project=(before.repository, *(name for names in inside for name in names)),
    )


def _mark(state: RunState) -> str:
    """Names the round of repair, the same before and after its check. Runs of one spec have the
    same id, so the start tells them apart."""
    return state.mark(f"{state.started.isoformat()}:code.{state.iteration}")
