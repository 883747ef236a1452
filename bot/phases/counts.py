"""The tools of a round, and the run's count of their calls (E, V-B)."""

from collections.abc import Mapping, Sequence

from bot.config import Settings
from bot.phases.contexts import Briefs
from bot.phases.run import Phase, RunState
from bot.spec.model import Spec
from bot.state.context import material
from bot.verify.tools.artifacts import Binding
from bot.verify.tools.catalogue import ToolName
from bot.verify.tools.counting import merged_calls
from bot.verify.tools.toolbox import Toolbox


def tools_of(
    state: RunState,
    spec: Spec,
    agent: str,
    *,
    skeleton: Mapping[str, str] | None = None,
    code: Mapping[str, str] | None = None,
) -> Toolbox:
    """The eight tools for one agent of this round, with a tally of their own; `skeleton` and
    `code` are sources by path."""
    return Toolbox(
        spec=spec,
        project=state.project,
        phase=(Phase.CODE if state.phase is Phase.CHECK else state.phase).value,
        agent=agent,
        skeleton=skeleton or {},
        code=code or {},
    )


def with_calls(state: RunState, tools: Toolbox) -> RunState:
    """The state with the calls of a toolbox, and of those made from it, added to the run's. To be
    done once for each tally."""
    return state.model_copy(update={"tools": merged_calls(state.tools, tools.tally.calls)})


def count_material(tools: Toolbox, settings: Settings) -> None:
    """Count the documents that an agent's question shows."""
    tools.count(ToolName.REQUIREMENTS, len(material(tools.spec, settings.context_tokens)))


def with_questions(
    state: RunState,
    spec: Spec,
    agent: str,
    groups: Sequence[tuple[str, ...]],
    shown: Briefs,
    *,
    coded: bool,
) -> RunState:
    """The state with the calls that went into one question for each group of files: documents, the
    files' own sources, the map of the project and what their briefs show of other files; all files
    where there is no brief. `coded` says whether the sources are code, not the skeleton."""
    tools = tools_of(state, spec, agent)
    sources = f"{ToolName.ARTIFACTS} ({Binding.CODE if coded else Binding.SKELETON})"
    for group in groups:
        count_material(tools, state.settings)
        brief = shown.get(group)
        if brief is None:
            tools.count(sources, len(state.project.python_files()))
            continue
        tools.count(f"{ToolName.ARTIFACTS} ({Binding.ARCHITECTURE})", bool(brief.prefix))
        tools.count(sources, len(group) + _files_in(brief.neighbours))
    return with_calls(state, tools)


def _files_in(neighbours: str) -> int:
    """How many files a brief shows something of."""
    return sum(line.startswith("# ") and line.endswith(".py") for line in neighbours.splitlines())
