"""The coder writes files against the frozen skeleton."""

from collections.abc import Mapping, Sequence

from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import ReplyRejected, parse_files
from bot.agents.sources import Source, check_packages, check_source
from bot.agents.wanted import named_packages
from bot.base import Data
from bot.spec.model import Spec
from bot.state.context import data_files, focus, material, not_in_source, source_blocks
from bot.state.model import ProjectState
from bot.state.retrieval import Brief


class Assignment(Data):
    """What every coder of a round shares: the skeleton, how the project is called, what is
    installed, and what the maintainer asked for."""

    skeleton: dict[str, str]
    uses: str
    requirements: str
    steering: str

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(self.requirements.split(", "))


def write_files(
    desk: Desk,
    spec: Spec,
    state: ProjectState,
    assignment: Assignment,
    paths: Sequence[str],
    *,
    step: str,
    brief: Brief | None = None,
    refused: Mapping[str, str] | None = None,
    faults: Sequence[str] = (),
) -> dict[str, str]:
    """Path -> source of the files in `paths`. `brief` is what they are shown of the other files;
    None shows the whole skeleton. `refused` are their last versions and `faults` what the static
    gate said of them. Raise ReplyRejected where no usable reply comes."""

    skeleton = assignment.skeleton
    named = named_packages(
        spec, (*desk.settings.dependencies.allow, *assignment.packages), assignment.steering
    )

    def read(text: str) -> dict[str, str]:
        found = parse_files(text, paths)
        for path, source in found.items():
            if not source.strip() and not path.endswith("__init__.py"):
                raise ReplyRejected(f"the block of `{path}` is empty")
            check_source(path, source)
            check_packages(path, source, skeleton.get(path, ""), named)
        return found

    tokens = desk.settings.context_tokens
    question = user_prompt(
        "coder",
        documents=material(spec, tokens, parsed=True, state=state),
        requirements=assignment.requirements,
        data=data_files(spec),
        uses=assignment.uses,
        steering=assignment.steering,
        overview=brief.prefix if brief is not None else "",
        whole="" if brief is not None else source_blocks(skeleton, tokens, own=paths[0]),
        paths=list(paths),
        own=[] if refused else [Source(path=p, text=skeleton.get(p, "").rstrip()) for p in paths],
        neighbours=brief.neighbours if brief is not None else "",
        focus="\n\n".join(
            filter(None, (not_in_source(focus(spec, state, p), skeleton.get(p, "")) for p in paths))
        ),
        refused=refused or {},
        faults=list(faults),
    )
    return ask(desk, "coder", step, question, read)
