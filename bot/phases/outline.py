"""The skeleton phase: every name in place, frozen before any body is written."""

from dataclasses import replace

from bot.agents.skeleton_writer import mend_skeleton
from bot.agents.tester import write_tests
from bot.phases.counts import count_material, tools_of, with_calls
from bot.phases.design import after_design, with_feedback
from bot.phases.publish import close_round, inline
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.phases.steering import wishes
from bot.phases.texts import say
from bot.phases.tree import commit, project_texts
from bot.spec.model import Spec
from bot.state.model import ProjectState, Snapshot
from bot.state.reconcile import change_of, reconcile
from bot.state.skeleton import skeleton_of
from bot.verify.evidence import Evidence, Rule, Tool, Verdict, verdict_of
from bot.verify.gate import gate
from bot.verify.imports import distributions
from bot.verify.tools.artifacts import Binding
from bot.verify.tools.toolbox import Toolbox
from bot.verify.usage import call_shapes, uses_of, verify_usage


def skeleton_round(state: RunState, spec: Spec, services: Services) -> RunState:
    """One iteration: the computed skeleton first, the model only for what it leaves open."""
    if not any(r.phase is Phase.SKELETON for r in state.rounds):
        files = skeleton_of(state.project)
        count = len(files)
        services.narrator.tell(state, say("tell_skeleton_parsed", files=count))
    else:
        files = {
            p: t
            for p, t in project_texts(state, spec, services, state.head).items()
            if p.endswith(".py")
        }
    tools = tools_of(state, spec, "judge", skeleton=files)
    points = [p.detail for p in judge_skeleton(state, tools).faults]
    state = state.model_copy(update={"asked": tuple(points)})
    if points or state.steering:
        writer = tools.of("skeleton_writer")
        files = {**files, **_mended(state, spec, services, writer, points)}
        state = state.model_copy(update={"steering": ()})
    project, _ = reconcile(state.project, change_of(files, files))
    state = state.model_copy(update={"project": project})
    return _publish(state, services, replace(tools, project=project, skeleton=files))


def judge_skeleton(state: RunState, tools: Toolbox) -> Verdict:
    """Coverage and syntax (mechanism 28), and whether the check tests could call it; unverified
    where the tools are switched off."""
    if not state.settings.switches.tools:
        return verdict_of(checked={})
    spec, files = tools.spec, tools.skeleton
    project, _ = reconcile(state.project, change_of(files, files))
    python = project.model_copy(
        update={"nodes": tuple(n for n in project.nodes if n.path.endswith(".py"))}
    )
    installed = distributions(state.requirements)
    gated = files if state.settings.switches.gate else {}
    return verdict_of(
        tools.on(python).coverage(),
        (e for e in gate(gated, None, installed) if e.rule is not Rule.PLACEHOLDER),
        verify_usage(spec, project),
        checked={
            Tool.COVERAGE: sum(1 for n in python.nodes),
            Tool.GATE: len(gated),
            Tool.USAGE: len(uses_of(spec, project)),
        },
    )


def _mended(
    state: RunState, spec: Spec, services: Services, tools: Toolbox, points: list[str]
) -> dict[str, str]:
    count_material(tools, state.settings)
    files = {p: tools.artifact(p, Binding.SKELETON).text for p in tools.skeleton}
    services.narrator.tell(state, say("tell_skeleton_asked", open=len(points) or 1))
    return mend_skeleton(
        services.desk(state.settings),
        spec,
        files,
        points or [say("next_skeleton")],
        step=state.step,
        uses=call_shapes(spec, state.project),
        requirements=", ".join(state.requirements),
        steering=wishes(state),
    )


def _publish(state: RunState, services: Services, tools: Toolbox) -> RunState:
    spec, files = tools.spec, dict(tools.skeleton)
    message = say("commit_skeleton", iteration=state.iteration)
    state = commit(state, services, dict(files), message, state.step)
    verdict = judge_skeleton(state, tools)
    following = after_design(state, verdict, Phase.CODE)
    leaves = following.phase is Phase.CODE or following.wait.kind == "person"
    if leaves and not spec.check_tests:
        state = _with_tests(state, services, tools.of("tester"))
    comments = inline(_in_repository(verdict), files)
    closed = close_round(state, following, services, verdict, comments=comments)
    project = with_feedback(_snapshot(closed.project, state), verdict)
    return with_calls(closed.model_copy(update={"project": project}), tools)


def _with_tests(state: RunState, services: Services, tools: Toolbox) -> RunState:
    """Derive check tests from the PRD and the frozen skeleton, where the author gave none; before
    the gate, so that a person reads them. Those of an earlier skeleton go."""
    services.narrator.tell(state, say("tell_tests_derived"))
    count_material(tools, state.settings)
    files = {p: tools.artifact(p, Binding.SKELETON).text for p in tools.skeleton}
    desk = services.desk(state.settings)
    step = f"{state.step}/tests"
    tests = write_tests(desk, tools.spec, files, step=step, steering=wishes(state))
    message = say("commit_tests", files=len(tests))
    folder = f"{state.settings.check_tests}/"
    earlier = services.git.read(state.head).keys() - services.git.read(state.base_commit).keys()
    gone: dict[str, str | None] = {p: None for p in earlier if p.startswith(folder)}
    return commit(state, services, {**gone, **tests}, message, f"tests.{state.step}")


def _snapshot(project: ProjectState, state: RunState) -> ProjectState:
    shot = Snapshot(phase=state.phase.value, iteration=state.iteration, commit=state.head)
    return project.model_copy(update={"snapshots": (*project.snapshots, shot)})


def _in_repository(verdict: Verdict) -> list[Evidence]:
    return [e for e in verdict.faults if e.tool is not Tool.USAGE]
