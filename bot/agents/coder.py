"""The coder writes files against the frozen skeleton."""

from collections.abc import Mapping, Sequence

from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import ReplyRejected, parse_files
from bot.agents.sources import check_source
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


def write_files(
    desk: Desk,
    spec: Spec,
    state: ProjectState,
    assignment: Assignment,
    paths: Sequence[str],
    *,
    step: str,
    refused: Mapping[str, str] | None = None,
    faults: Sequence[str] = (),
) -> dict[str, str]:
    """Path -> source of the files in `paths`. `refused` are their last versions and `faults` what
    the static gate said of them. Raise ReplyRejected where no usable reply comes."""

    def read(text: str) -> dict[str, str]:
        found = parse_files(text, paths)
        for path, source in found.items():
            if not source.strip() and not path.endswith("__init__.py"):
                raise ReplyRejected(f"the block of `{path}` is empty")
            check_source(path, source)
        return found

    tokens = desk.settings.context_tokens
    shown = material(spec, tokens, parsed=True)
    question = user_prompt(
        "coder",
        documents=shown,
        requirements=assignment.requirements,
        skeleton=source_blocks(assignment.skeleton, tokens, own=paths[0]),
        uses=assignment.uses,
        steering=assignment.steering,
        paths=list(paths),
        focus="\n\n".join(filter(None, (focus(spec, state, p, shown) for p in paths))),
        refused=refused or {},
        faults=list(faults),
    )
    return ask(desk, "coder", step, question, read)
