"""The skeleton writer mends what the first, computed skeleton leaves open."""

from collections.abc import Mapping, Sequence

from bot.agents.allowed import file_and_folder, first_refusal
from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import ReplyRejected, parse_changes
from bot.agents.sources import check_packages, check_source
from bot.agents.wanted import named_packages
from bot.spec.model import Spec
from bot.state.context import data_files, material, source_blocks


def mend_skeleton(
    desk: Desk,
    spec: Spec,
    files: Mapping[str, str],
    open_points: Sequence[str],
    *,
    step: str,
    uses: str,
    requirements: str,
    steering: str,
) -> dict[str, str]:
    """The changed files; raise ReplyRejected where no usable reply comes."""
    given = frozenset(f.path for f in (*spec.check_tests, *spec.resources))

    named = named_packages(
        spec, (*desk.settings.dependencies.allow, *requirements.split(", ")), steering
    )

    def read(text: str) -> dict[str, str]:
        changed = {f.path: f.text for f in parse_changes(text).files}
        if not changed:
            raise ReplyRejected('it holds no block `<file path="…">` … `</file>`')
        why = first_refusal(changed, desk.settings, given) or file_and_folder((*files, *changed))
        if why:
            raise ReplyRejected(why)
        for path, source in changed.items():
            check_source(path, source)
            check_packages(path, source, files.get(path, ""), named)
        return changed

    question = user_prompt(
        "skeleton",
        documents=material(spec, desk.settings.context_tokens),
        requirements=requirements,
        skeleton=source_blocks(files, desk.settings.context_tokens),
        data=data_files(spec),
        uses=uses,
        steering=steering,
        open=list(open_points),
    )
    return ask(desk, "skeleton_writer", step, question, read, prompt="skeleton")
