"""What agents are shown of the project: relations predicted before there is code, contexts
retrieved by them, and how much of the project those took (E, Algorithm 1, lines 14 to 16)."""

from collections.abc import Iterable, Mapping, Sequence

from bot.config import Settings
from bot.phases.run import RunState, Shown
from bot.spec.model import Spec
from bot.state.reconcile import change_of, reconcile
from bot.state.relations import predict
from bot.state.retrieval import Brief, Retriever, tokens_of

# Code is about three times its skeleton: the median of the public reference projects is 3.3.
_GROWTH = 3
# A share of a small project says nothing.
_LEAST_TOKENS = 1_500


def with_predicted(state: RunState, spec: Spec, skeleton: Mapping[str, str]) -> RunState:
    """The state with Rp, which is inferred once, after the last skeleton round (mechanism 10)."""
    switches = state.settings.switches
    if not (switches.relations and switches.co_evolution) or state.project.predicted:
        return state
    predicted = predict(state.project, skeleton, spec)
    project = state.project.model_copy(update={"predicted": predicted})
    return state.model_copy(update={"project": project})


def with_code(state: RunState, files: Mapping[str, str]) -> RunState:
    """The state reconciled with a tree's Python files (path -> source) that are not its head's:
    files that only the head holds are none of it."""
    if not state.settings.switches.co_evolution:
        return state
    known = {n.path for n in state.project.nodes if n.realized and n.path.endswith(".py")}
    change = change_of(files, files, state.project)
    change = change.model_copy(update={"paths": tuple(sorted(known | files.keys()))})
    project, _ = reconcile(state.project, change)
    return state.model_copy(update={"project": project})


def retriever(
    state: RunState, spec: Spec, files: Mapping[str, str], *, coded: bool
) -> Retriever | None:
    """Retrieves contexts from `files` (path -> source); None where retrieval is switched off.
    `coded` says whether the files hold code, not the skeleton."""
    switches = state.settings.switches
    if not (switches.retrieval and switches.co_evolution):
        return None
    python = {p: t for p, t in files.items() if p.endswith(".py")}
    whole = sum(tokens_of(t) for t in python.values())
    return Retriever(
        spec=spec,
        state=state.project,
        files=python,
        iteration=max(state.iteration, 2) if coded else 1,
        tokens=_budget(state.settings, whole if coded else whole * _GROWTH),
    )


def _budget(settings: Settings, project_tokens: int) -> int:
    share = int(project_tokens * settings.context_share)
    return min(max(share, _LEAST_TOKENS), settings.context_tokens)


Briefs = Mapping[tuple[str, ...], Brief]


def briefs(found: Retriever | None, groups: Sequence[tuple[str, ...]]) -> Briefs:
    """What the author of each group of files is shown; empty where retrieval is switched off."""
    return {group: found.brief(group) for group in groups} if found is not None else {}


def with_shown(
    state: RunState, step: str, shown: Iterable[Brief], project: Mapping[str, str]
) -> RunState:
    """The state that remembers how much of the project was shown (mechanism 15); `project` is the
    code as it stands after the step."""
    whole = sum(tokens_of(t) for p, t in project.items() if p.endswith(".py"))
    entries = tuple(
        Shown(step=step, paths=brief.paths, tokens=brief.tokens, project_tokens=whole)
        for brief in shown
    )
    return state.model_copy(update={"shown": (*state.shown, *entries)})
