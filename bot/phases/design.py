"""The architecture phase: structure from the documents, the architect for what they leave open."""

import re

from bot.agents.allowed import refusal
from bot.agents.architect import propose
from bot.agents.judge import review_requirements
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
from bot.state.model import Node, ProjectState, ordered
from bot.state.reconcile import signature
from bot.state.structure import merged, structure_of
from bot.verify.evidence import Evidence, Tool, Verdict, verdict_of
from bot.verify.structure import counted, verify_files, verify_interfaces, verify_structure
from bot.verify.usage import call_shapes, missing_exports, uses_of, verify_modules

_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?\s*([<>=!~]=?\s*[\w.*]+\s*,?\s*)*")


def architecture_round(state: RunState, spec: Spec, services: Services) -> RunState:
    """One iteration: generate, verify, publish; leave the state at what comes next."""
    if not state.project.nodes:
        state = _first_structure(state, spec)
    points = [p.detail for p in judge_architecture(state.project, spec).faults]
    points.extend(state.open_points)
    if points or state.steering:
        state = _settle(state, spec, services, points)
    else:
        services.narrator.tell(state, say("tell_architecture_parsed", **_counts(state.project)))
    exports = missing_exports(spec, state.project)
    state = _with_nodes(state, merged(state.project.nodes, exports))
    verdict = judge_architecture(state.project, spec)
    if verdict.passed and "architecture" in spec.derived:
        verdict = _with_opinion(state, spec, services, verdict)
    return _publish(state, spec, services, verdict)


def judge_architecture(project: ProjectState, spec: Spec) -> Verdict:
    """Completeness and consistency with the inputs (mechanism 28), by tools alone."""
    return verdict_of(
        verify_structure(project, spec),
        verify_interfaces(project, spec),
        verify_files(project, spec),
        verify_modules(spec, project),
        checked={**counted(spec, project.nodes), Tool.USAGE: len(uses_of(spec, project))},
    )


def _with_opinion(state: RunState, spec: Spec, services: Services, verdict: Verdict) -> Verdict:
    """Where the structure is derived, no document says whether it serves the requirements: the
    model is asked, and what it cites is checked."""
    services.narrator.tell(state, say("tell_judge_asked"))
    desk = services.desk(state.settings)
    found = review_requirements(desk, spec, state.project, step=f"{state.step}/judge")
    checked: dict[str, int] = {**verdict.checked, Tool.MODEL: len(spec.sections)}
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


def _settle(state: RunState, spec: Spec, services: Services, points: list[str]) -> RunState:
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
    lines = (r for r in proposal.requirements if _REQUIREMENT.fullmatch(r.strip()))
    state = state.model_copy(
        update={
            "open_points": (),
            "steering": (),
            "requirements": tuple(dict.fromkeys((*state.requirements, *lines))),
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
    said = tuple(e.detail for e in verdict.faults if e.tool is Tool.MODEL)
    return closed.model_copy(update={"open_points": said})


def after_design(state: RunState, verdict: Verdict, following: Phase) -> RunState:
    """The next round of the phase, or the next phase, behind its gate where one is set."""
    caps = {
        Phase.ARCHITECTURE: state.settings.caps.architecture,
        Phase.SKELETON: state.settings.caps.skeleton,
    }
    if not verdict.passed and state.iteration < caps[state.phase]:
        return state.model_copy(update={"iteration": state.iteration + 1})
    gate = state.phase.value
    if gate in state.settings.gates and gate not in state.approved:
        wait = Wait(kind="person", gate=gate)
        return state.model_copy(update={"iteration": state.iteration + 1, "wait": wait})
    return state.entering(following)


def architecture_page(state: RunState) -> str:
    """The structure as a document of the repository."""
    project = state.project
    files = [
        {
            "path": f.path,
            "purpose": f.purpose,
            "names": [
                "  " * n.qualname.count(".")
                + f"- `{signature(n)}`"
                + (f": {n.purpose}" if n.purpose else "")
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
