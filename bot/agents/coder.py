"""The coder writes one file against the frozen skeleton."""

from collections.abc import Sequence

from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import ReplyRejected, parse_file
from bot.agents.skeleton_writer import check_python
from bot.base import Data
from bot.spec.model import Spec
from bot.state.context import focus, material, source_blocks
from bot.state.model import ProjectState


class Assignment(Data):
    """What every coder of a round shares: the skeleton, how the project is called, what is
    installed, and what the maintainer asked for."""

    skeleton: dict[str, str]
    uses: str
    requirements: str
    steering: str


def write_file(
    desk: Desk,
    spec: Spec,
    state: ProjectState,
    assignment: Assignment,
    path: str,
    *,
    step: str,
    source: str = "",
    faults: Sequence[str] = (),
) -> str:
    """Source of one file. `source` and `faults` are the last version and what the static gate
    said of it. Raise ReplyRejected where no usable reply comes."""

    def read(text: str) -> str:
        found = parse_file(text, path)
        if not found.strip() and not path.endswith("__init__.py"):
            raise ReplyRejected(f"the block of `{path}` is empty")
        check_python(path, found)
        return found

    return ask(
        desk, "coder", step, question(desk, spec, state, assignment, path, source, faults), read
    )


def question(
    desk: Desk,
    spec: Spec,
    state: ProjectState,
    assignment: Assignment,
    path: str,
    source: str,
    faults: Sequence[str],
) -> str:
    """The prompt of one file: first what all files share, then what only this one needs."""
    tokens = desk.settings.context_tokens
    shown = material(spec, tokens)
    return user_prompt(
        "coder",
        documents=shown,
        requirements=assignment.requirements,
        skeleton=source_blocks(assignment.skeleton, tokens, own=path),
        uses=assignment.uses,
        steering=assignment.steering,
        path=path,
        focus=focus(spec, state, path, shown),
        source=source,
        faults=list(faults),
    )
