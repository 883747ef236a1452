"""What a fixer may change: what it was shown, and files that are not there yet."""

import pytest

from bot.agents.ask import Desk
from bot.agents.fixer import Repair, Situation, repair
from bot.agents.replies import ReplyRejected
from bot.agents.sources import Source
from bot.config import Settings
from bot.model.scripted import ScriptedModel
from bot.spec.model import Spec
from bot.state.model import ProjectState

SPEC = Spec(title="Shop", documents=(), sections=(), digest="0")
FILES = {"shop/app.py": "import os\n\n\ndef f():\n    return 1\n", "shop/cart.py": "x = 1\n"}
WHOLE = '<file path="{}">\ny = 2\n</file>'
EDIT = (
    '<edit path="shop/app.py">\n<find>\n    return 1\n</find>\n'
    "<replace>\n    return 2\n</replace>\n</edit>"
)
SEEN = (Source(path="shop/app.py", text=FILES["shop/app.py"]),)
PART = (Source(path="shop/app.py", text="def f():\n    return 1", part=True),)


def asked(model: ScriptedModel, sources: tuple[Source, ...]) -> Repair:
    return repair(
        Desk(model=model, settings=Settings()),
        SPEC,
        ProjectState(),
        FILES,
        [s.path for s in sources],
        Situation(passed=0, total=1),
        step="s",
        sources=sources,
        overview="",
        neighbours="",
    )


@pytest.mark.parametrize(
    ("sources", "refused", "said"),
    [
        (PART, WHOLE.format("shop/app.py"), "of `shop/app.py` only a part was shown"),
        (SEEN, WHOLE.format("shop/cart.py"), "`shop/cart.py` was not shown"),
        (SEEN, "I do not know.", "it holds neither"),
        (SEEN, f'<file path="a.py">\nx = {"-" * 20_000}1\n</file>', "`a.py` is not Python: too"),
    ],
)
def test_what_it_does_not_see_stays_and_it_is_told(
    sources: tuple[Source, ...], refused: str, said: str
) -> None:
    model = ScriptedModel({"s#1": refused, "s#2": EDIT})
    found = asked(model, sources)
    assert found.files == {"shop/app.py": "import os\n\n\ndef f():\n    return 2\n"}
    assert said in model.requests[1].messages[-1].content


def test_a_file_that_is_not_there_yet_can_be_given() -> None:
    model = ScriptedModel({"s#1": WHOLE.format("shop/missing.py")})
    assert asked(model, ()).files == {"shop/missing.py": "y = 2\n"}


def test_a_file_of_which_all_is_seen_can_be_given_whole() -> None:
    model = ScriptedModel({"s#1": WHOLE.format("shop/app.py")})
    assert asked(model, SEEN).files == {"shop/app.py": "y = 2\n"}


def test_an_edit_of_nothing_is_refused_in_the_end() -> None:
    same = EDIT.replace("return 2", "return 1")
    with pytest.raises(ReplyRejected) as error:
        asked(ScriptedModel({"s#*": same}), SEEN)
    assert error.value.what == "its edits change nothing"
