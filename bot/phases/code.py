"""The code phase: write or mend, gate, push, wait for the check tests, judge, decide."""

from collections.abc import Mapping, Sequence

from bot.agents.allowed import configures_tests, refusal
from bot.agents.replies import ReplyRejected
from bot.base import Outcome
from bot.checks.agenda.targets import Target
from bot.checks.artifact import report_from_artifact
from bot.checks.report import COULD_NOT_RUN, Report
from bot.phases.causes import judged as judged_mendings
from bot.phases.counts import tools_of, with_calls
from bot.phases.judging import fails, failures_table, judge_tests, title_of
from bot.phases.learning import experience_line, learn
from bot.phases.mending import mend
from bot.phases.publish import (
    cost_of_round,
    head_files,
    inline,
    review,
    with_round,
)
from bot.phases.ratchet import Step
from bot.phases.repairs import agenda_table, as_feedback, targets_of
from bot.phases.run import Phase, RunState, Wait
from bot.phases.services import Services
from bot.phases.show import next_sentence
from bot.phases.standstill import standstill
from bot.phases.texts import say
from bot.phases.tree import commit, given_paths, project_texts
from bot.phases.waiting import ASKS_A_PERSON, still_waiting, useless
from bot.phases.weighing import comparable, noted, weigh
from bot.phases.writing import judge_statically, write_all
from bot.ports.checks import WorkflowRun
from bot.spec.model import Spec
from bot.state.evolve import change_between
from bot.state.model import Feedback, Snapshot
from bot.state.reconcile import reconcile
from bot.verify.tools.catalogue import ToolName


def code_round(state: RunState, spec: Spec, services: Services) -> RunState:
    """Write (first round) or mend (later rounds), commit, and wait for the check tests."""
    if state.best is None:
        files = project_texts(state, spec, services, state.head)
        state, written = write_all(state, spec, services, files)
        count = sum(files.get(p) != t for p, t in written.items())
        message = say("commit_code", iteration=state.iteration, files=count)
        changes: dict[str, str | None] = dict(written)
    else:
        files = project_texts(state, spec, services, state.best.commit)
        # What was asked for of a commit that was not kept is still to be done.
        asked = state.model_copy(update={"steering": (*state.answering, *state.steering)})
        try:
            state, found = mend(asked, spec, services, files, state.best.report)
        except ReplyRejected as error:
            return without_repair(state, error)
        diagnosis = state.tried[-1] if state.tried != asked.tried else ""
        state = state.model_copy(update={"answering": asked.steering, "diagnosis": diagnosis})
        message = say("commit_repair", iteration=state.iteration, files=_names(found.files))
        changes = {**_back_to(state, spec, services, files), **found.files}
    permitted = _permitted(state, spec, changes, files)
    state = commit(state, services, permitted, message, state.step)
    services.narrator.tell(state, say("tell_pushed", commit=state.head[:7]))
    return state.checking(services.clock())


def without_repair(state: RunState, error: ReplyRejected) -> RunState:
    """A round in which the model gave no usable repair moved nothing; the next one may. Raise the
    error where no round is left and something fails."""
    stuck = state.stuck + 1
    if 0 < state.settings.caps.no_progress_rounds <= stuck or state.iteration >= state.code_cap():
        if state.best is None or not state.best.report.green:
            raise error
        return state.ending(Outcome.PASSED, say("outcome_passed_without_wish"))
    note = say("note_no_repair", round=state.iteration, why=error.what)
    return state.model_copy(
        update={
            "stuck": stuck,
            "iteration": state.iteration + 1,
            "notes": (*state.notes, note),
        }
    )


def _names(files: dict[str, str]) -> str:
    names = sorted(files)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _back_to(
    state: RunState, spec: Spec, services: Services, files: dict[str, str]
) -> dict[str, str | None]:
    """What brings the head back to `files`, the best commit's: repairs start from the best."""
    now = project_texts(state, spec, services, state.head)
    gone: dict[str, str | None] = {p: None for p in now if p not in files}
    return {**gone, **{p: t for p, t in files.items() if now.get(p) != t}}


def _permitted(
    state: RunState, spec: Spec, changes: dict[str, str | None], before: Mapping[str, str]
) -> dict[str, str | None]:
    """The changes that the rule of design 5.4 lets through; agents were told before, so this is
    the second lock on the same door. `before` is the tree (path -> text) that they were made of."""
    given = given_paths(spec)
    return {
        path: text
        for path, text in changes.items()
        if not refusal(path, state.settings, given)
        and not (text is not None and configures_tests(path, text, before.get(path, "")))
    }


def check_round(state: RunState, spec: Spec, services: Services) -> RunState:
    """Look whether the check tests have ended; if so judge them and decide what comes next."""
    run = services.checks.workflow_run(state.settings.checks.workflow, state.wait.commit)
    if run is None or run.status != "completed" or run.conclusion in ASKS_A_PERSON:
        return still_waiting(state, services, run)
    now = services.clock()
    seconds = state.seconds.model_copy(
        update={"checks": state.seconds.checks + (now - (state.wait.since or now)).total_seconds()}
    )
    state = state.model_copy(update={"wait": Wait(), "seconds": seconds}).telling("workflow", "")
    content = services.checks.artifact(run.id, state.settings.checks.artifact)
    if content is not None:
        report = report_from_artifact(content)
        problem = useless(report, run)
        if problem:
            return state.ending(Outcome.INFRASTRUCTURE_FAILED, problem)
        return judge_code(state, spec, services, report)
    return _without_report(state, spec, services, run)


def _without_report(state: RunState, spec: Spec, services: Services, run: WorkflowRun) -> RunState:
    log = services.checks.log(run.id)
    said = next((line for line in log.splitlines() if COULD_NOT_RUN in line), "")
    problem = said.partition(COULD_NOT_RUN)[2] or say(
        "outcome_no_report", conclusion=run.conclusion
    )
    if said or run.conclusion != "failure" or _silent_before(state):
        return state.ending(Outcome.INFRASTRUCTURE_FAILED, problem)
    # The code may have taken the check down with it: that is a round to learn from.
    report = Report(collected=False, problem=problem, log_tail=log[-4000:])
    return judge_code(state, spec, services, report)


def _silent_before(state: RunState) -> bool:
    """A second run without a report is not the code's doing."""
    return state.best is not None and not state.best.report.collected


def judge_code(state: RunState, spec: Spec, services: Services, report: Report) -> RunState:
    """Reconcile what the tests say, hold it against the best commit, publish, decide."""
    report = comparable(state, services, report)
    total = report.passed + report.failed
    services.narrator.tell(state, say("tell_checked", passed=report.passed, total=total))
    files = head_files(state, spec, services)
    before = state
    state = _reconciled(state, spec, services, files)
    faults = judge_statically(state, files)
    targets = targets_of(state, spec, files, report, faults)
    state = _with_feedback(state, report, targets)
    state = learn(before, state, spec, services, report)
    verdict = judge_tests(state, spec, files, report, faults)
    state = _with_judge_calls(state, spec)
    state, step = weigh(state, services, report)
    told = judged_mendings(
        state.mendings, state.iteration, report, kept=step.kept, lost=len(step.lost)
    )
    state = state.model_copy(update={"mendings": told})
    services.narrator.tell(state, step.why)
    cost = cost_of_round(state, services)
    note = ", ".join(step.lost[:5])
    judged = with_round(
        state, verdict, cost, "", passed=report.passed, total=total, note=note
    ).rounds
    this = noted(judged[-1], step, report, files)
    following = _decide(state.model_copy(update={"rounds": (*state.rounds, this)}))
    address = review(
        state,
        services,
        verdict,
        title=title_of(report),
        cost=cost,
        following=next_sentence(following),
        agenda=_agenda(report, step, targets),
        diagnosis=before.diagnosis,
        experience=experience_line(before, state),
        comments=inline(verdict.evidence, files),
        broken=not report.collected,
    )
    this = this.model_copy(update={"review": address})
    return following.model_copy(update={"rounds": (*state.rounds, this)})


def _agenda(report: Report, step: Step, targets: Sequence[Target]) -> str:
    """What fails, and what is mended first where the next repair starts from this commit."""
    shown = agenda_table(targets) if step.kept else ""
    return "\n\n".join(filter(None, (failures_table(report, step), shown)))


def _reconciled(state: RunState, spec: Spec, services: Services, files: dict[str, str]) -> RunState:
    """The state reconciled with the code of the head, as far as that changed."""
    if not state.settings.switches.co_evolution:
        return state
    known = state.project.snapshots[-1].commit if state.project.snapshots else ""
    before = project_texts(state, spec, services, known) if known else {}
    project, _ = reconcile(state.project, change_between(before, files, state.project))
    shot = Snapshot(phase="code", iteration=state.iteration, commit=state.head)
    project = project.model_copy(update={"snapshots": (*project.snapshots, shot)})
    return state.model_copy(update={"project": project})


def _with_judge_calls(state: RunState, spec: Spec) -> RunState:
    """Of the eight tools the code judge asks one; its others are the gate and the tests."""
    if not (state.settings.switches.tools and state.settings.switches.gate):
        return state
    tools = tools_of(state, spec, "judge")
    tools.count(ToolName.COVERAGE, 1)
    return with_calls(state, tools)


def _with_feedback(state: RunState, report: Report, targets: Sequence[Target]) -> RunState:
    failed = tuple(t.id for t in report.tests if fails(t))
    feedback = Feedback(failed_tests=failed, targets=as_feedback(targets))
    project = state.project.model_copy(update={"feedback": feedback})
    return state.model_copy(update={"project": project})


def _decide(state: RunState) -> RunState:
    """What comes after the last round. A wish of a person goes on where nothing fails, as long as
    rounds move anything."""
    at_cap = state.iteration >= state.code_cap()
    why = "" if state.steering else standstill(state)
    if state.best is not None and state.best.report.green:
        if not state.steering and not state.answering:
            return state.ending(Outcome.PASSED, say("outcome_passed"))
        if at_cap or why:
            return state.ending(Outcome.PASSED, say("outcome_passed_without_wish"))
    if why:
        return state.ending(Outcome.NO_PROGRESS, why)
    if at_cap:
        best = state.best
        counts = {"passed": best.passed if best else 0, "total": best.total if best else 0}
        note = say("outcome_cap", cap=state.code_cap(), **counts)
        return state.ending(Outcome.BUDGET_EXHAUSTED, note)
    return state.entering(Phase.CODE).model_copy(update={"iteration": state.iteration + 1})
