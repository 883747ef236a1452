"""The architecture phase: structure from the documents, the architect for what they leave open."""

from collections.abc import Collection, Iterable

from bot.agents.allowed import refusal
from bot.agents.architect import propose
from bot.agents.judge import SEARCHER, match_requirements, review_requirements
from bot.agents.wanted import named_packages, wanted
from bot.markdown import code, line
from bot.phases.counts import count_material, tools_of, with_calls
from bot.phases.publish import close_round, inline
from bot.phases.run import Phase, RunState, Wait
from bot.phases.services import Services
from bot.phases.steering import wishes
from bot.phases.texts import page, say
from bot.phases.tree import (
    ARCHITECTURE_PAGE,
    REQUIREMENTS,
    commit,
    given_paths,
    texts_of,
    with_requirements,
)
from bot.spec.model import Location, Spec
from bot.state.model import Feedback, Node, ProjectState, RepairTarget, ordered
from bot.state.reconcile import signature
from bot.state.structure import merged, structure_of
from bot.verify.class_calls import called_on_class
from bot.verify.evidence import Evidence, Rule, Tool, Verdict, verdict_of
from bot.verify.structure import counted
from bot.verify.tools.catalogue import ToolName
from bot.verify.tools.toolbox import Toolbox
from bot.verify.usage import call_shapes, missing_exports, uses_of, verify_modules


def architecture_round(state: RunState, spec: Spec, services: Services) -> RunState:
    """One iteration: generate, verify, publish; leave the state at what comes next."""
    if not state.project.nodes:
        state = _first_structure(state, spec)
    tools = tools_of(state, spec, "judge")
    points = [p.detail for p in judge_architecture(state, tools).faults]
    points.extend(state.open_points)
    state = state.model_copy(update={"asked": tuple(points)})
    if points or state.steering or not state.project.python_files():
        state = _settle(state, spec, services, tools.of("architect"), points)
    else:
        services.narrator.tell(state, say("tell_architecture_parsed", **_counts(state.project)))
    exports = missing_exports(spec, state.project)
    state = _with_nodes(state, merged(state.project.nodes, exports))
    state = state.model_copy(update={"project": called_on_class(spec, state.project)})
    tools = tools.on(state.project)
    verdict = judge_architecture(state, tools)
    if verdict.passed and "architecture" in spec.derived:
        verdict = _with_opinion(state, services, tools, verdict)
    return _publish(with_calls(state, tools), spec, services, verdict)


def judge_architecture(state: RunState, tools: Toolbox) -> Verdict:
    """Completeness and consistency with the inputs (mechanism 28), by tools alone; unverified
    where they are switched off."""
    if not state.settings.switches.tools:
        return verdict_of(checked={})
    spec, project = tools.spec, tools.project
    given = given_paths(spec)
    return verdict_of(
        tools.structure(),
        tools.interfaces(),
        (e for e in tools.missing_files() if not refusal(e.subject, state.settings, given)),
        verify_modules(spec, project),
        checked={**counted(spec, project.nodes), Tool.USAGE: len(uses_of(spec, project))},
    )


def _with_opinion(state: RunState, services: Services, tools: Toolbox, verdict: Verdict) -> Verdict:
    """Where the structure is derived, no document says whether it serves the requirements: the
    model is asked what the tools cannot match, and what it cites is checked."""
    matched = match_requirements(tools)
    checked: dict[str, int] = {**verdict.checked, SEARCHER: len(matched.sections)}
    if not matched.open:
        return verdict_of(verdict.evidence, checked=checked)
    services.narrator.tell(state, say("tell_judge_asked"))
    desk = services.desk(state.settings)
    found = review_requirements(desk, tools.project, matched, step=f"{state.step}/judge")
    checked[Tool.MODEL] = len(matched.open)
    return verdict_of(verdict.evidence, found, checked=checked)


def _counts(project: ProjectState) -> dict[str, int]:
    return {
        "files": len(project.files()),
        "names": sum(1 for n in project.nodes if "::" in n.id),
    }


def _first_structure(state: RunState, spec: Spec) -> RunState:
    given = given_paths(spec)
    nodes: list[Node] = []
    notes: list[str] = []
    for node in structure_of(spec):
        why = refusal(node.path, state.settings, given)
        if not why:
            nodes.append(node)
        elif node.id == node.path and node.path not in given:
            notes.append(say("note_not_written", path=node.path, why=why))
    state = state.model_copy(update={"notes": tuple(dict.fromkeys((*state.notes, *notes)))})
    return _with_nodes(state, ordered({n.id: n for n in nodes}))


def _settle(
    state: RunState, spec: Spec, services: Services, tools: Toolbox, points: list[str]
) -> RunState:
    count_material(tools, state.settings)
    tools.count(ToolName.SYMBOLS)
    services.narrator.tell(state, say("tell_architecture_asked", open=len(points) or 1))
    proposal = propose(
        services.desk(state.settings),
        spec,
        state.project,
        points or [say("next_architecture")],
        step=state.step,
        uses=call_shapes(spec, state.project),
        steering=wishes(state),
    )
    named = named_packages(spec, state.settings.dependencies.allow, wishes(state))
    chosen = wanted((r for r in proposal.requirements if r not in state.requirements), named)
    added = chosen.kept
    notes = [say("note_requirements_added", lines=", ".join(added))] if added else []
    notes += [say("note_requirement_refused", line=r.line, why=r.why) for r in chosen.refused]
    state = state.model_copy(
        update={
            "open_points": (),
            "steering": (),
            "requirements": tuple(dict.fromkeys((*state.requirements, *added))),
            "notes": (*state.notes, *notes),
        }
    )
    return _with_nodes(state, merged(state.project.nodes, proposal.nodes))


def _with_nodes(state: RunState, nodes: tuple[Node, ...]) -> RunState:
    project = state.project.model_copy(update={"nodes": nodes})
    return state.model_copy(update={"project": project})


def _publish(state: RunState, spec: Spec, services: Services, verdict: Verdict) -> RunState:
    document = architecture_page(state)
    changes = {ARCHITECTURE_PAGE: document}
    if state.requirements:
        present = texts_of(services.git.read(state.head)).get(REQUIREMENTS, "")
        changes[REQUIREMENTS] = with_requirements(present, state.requirements)
    counts = _counts(state.project)
    message = say("commit_architecture", iteration=state.iteration, **counts)
    state = commit(state, services, changes, message, state.step)
    following = after_design(state, verdict, Phase.SKELETON)
    comments = inline(_on_page(verdict, document), {ARCHITECTURE_PAGE: document})
    closed = close_round(state, following, services, verdict, comments=comments)
    closed = closed.model_copy(update={"project": with_feedback(closed.project, verdict)})
    said = tuple(e.detail for e in verdict.faults if e.tool is Tool.MODEL)
    return closed.model_copy(update={"open_points": said})


def after_design(state: RunState, verdict: Verdict, following: Phase) -> RunState:
    """The next round of the phase, or the next phase, behind its gate where one is set. A verdict
    that nothing was verified for asks for no further round, and no question is put again where the
    last one settled none of its points."""
    caps = {
        Phase.ARCHITECTURE: state.settings.caps.architecture,
        Phase.SKELETON: state.settings.caps.skeleton,
    }
    settled = {e.detail for e in verdict.faults} != set(state.asked)
    if verdict.word == "revise" and settled and state.iteration < caps[state.phase]:
        return state.model_copy(update={"iteration": state.iteration + 1})
    gate = state.phase.value
    if gate in state.settings.gates and gate not in state.approved:
        wait = Wait(kind="person", gate=gate)
        return state.model_copy(update={"iteration": state.iteration + 1, "wait": wait})
    return state.entering(following)


def with_feedback(project: ProjectState, verdict: Verdict) -> ProjectState:
    """The state with what a verdict found as V (E, III-A)."""
    faults = verdict.faults
    homes = {f.path for f in project.files()}
    feedback = Feedback(
        missing_files=_subjects(faults, {Rule.FILE_MISSING}),
        uncovered=_subjects(faults, {Rule.CLASS_MISSING, Rule.MEMBER_MISSING, Rule.NOT_DEFINED}),
        targets=tuple(
            RepairTarget(path=path, node=e.subject if "::" in e.subject else None, reason=e.detail)
            for e in faults
            if (path := e.subject.partition("::")[0]) in homes
        ),
    )
    return project.model_copy(update={"feedback": feedback})


def _subjects(faults: Iterable[Evidence], rules: Collection[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.subject for e in faults if e.rule in rules))


def architecture_page(state: RunState) -> str:
    """The structure as a document of the repository."""
    project = state.project
    files = [
        {
            "path": f.path,
            "purpose": f.purpose,
            "names": [
                "  " * n.qualname.count(".")
                + f"- {code(signature(n))}"
                + (f": {line(n.purpose)}" if n.purpose else "")
                for n in project.inside(f.path)
            ],
        }
        for f in project.files()
    ]
    return page("architecture", title=state.title, issue=state.issue, files=files)


def _on_page(verdict: Verdict, document: str) -> list[Evidence]:
    """Faults with a place on the architecture page: the heading of the file concerned."""
    lines = document.splitlines()
    out: list[Evidence] = []
    for fault in verdict.faults:
        heading = f"## `{fault.subject.partition('::')[0]}`"
        if heading in lines:
            place = Location(file=ARCHITECTURE_PAGE, line=lines.index(heading) + 1)
            out.append(fault.model_copy(update={"location": place}))
    return out
