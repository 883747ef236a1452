"""The tester writes check tests where the author gave none; they are frozen before code starts."""

import ast
import re
from collections.abc import Mapping

from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import ReplyRejected, parse_changes
from bot.agents.sources import check_source
from bot.spec.model import Spec
from bot.state.context import material, source_blocks
from bot.syntax import parse


def write_tests(
    desk: Desk, spec: Spec, skeleton: Mapping[str, str], *, step: str, steering: str
) -> dict[str, str]:
    """Path -> source of the derived check tests; raise ReplyRejected where no usable reply
    comes."""
    folder = desk.settings.check_tests
    name = re.compile(rf"{re.escape(folder)}/test_[a-z0-9_]+\.py")

    def read(text: str) -> dict[str, str]:
        files = {f.path: f.text for f in parse_changes(text).files}
        wrong = next((p for p in files if not name.fullmatch(p)), None)
        if not files or wrong:
            raise ReplyRejected(
                f"`{wrong}` is not `{folder}/test_<subject>.py`"
                if wrong
                else f'it holds no block `<file path="{folder}/test_….py">` … `</file>`'
            )
        for path, source in files.items():
            check_source(path, source)
        if not any(_has_tests(source) for source in files.values()):
            raise ReplyRejected("no file defines a function whose name begins with `test_`")
        return files

    question = user_prompt(
        "tester",
        documents=material(spec, desk.settings.context_tokens),
        skeleton=source_blocks(skeleton, desk.settings.context_tokens),
        steering=steering,
    )
    return ask(desk, "tester", step, question, read)


def _has_tests(source: str) -> bool:
    return any(
        isinstance(n, ast.FunctionDef) and n.name.startswith("test_")
        for n in ast.walk(parse(source))
    )
