"""Who mends what: fixers of disjoint files at the same time, one where a person has a wish."""

import re

import pytest
from tally_journey import Journey

from bot.base import Outcome
from bot.config import Caps, Settings
from bot.model.scripted import Answer
from bot.phases.run import Phase
from bot.ports.model import ModelRequest

pytestmark = pytest.mark.timeout(300)

# More files than one fixer is given at once.
NAMES = ("ant", "bee", "cat", "dog", "eel")
FILES = [f"zoo/{name}.py" for name in NAMES]
SPEC: dict[str, bytes] = {
    "PRD.md": b"# Zoo\n\nEach animal has a function `legs()` that says how many legs it has.\n",
    "architecture_design.md": "\n\n".join(
        ["# Architecture", *(f"## `{p}`\n\n- `legs() -> int`: how many legs." for p in FILES)]
    ).encode(),
    **{
        f"check_tests/test_{name}.py": (
            f"from zoo.{name} import legs\n\n\ndef test_legs():\n    assert legs() == 4\n"
        ).encode()
        for name in NAMES
    },
}


def wrong(request: ModelRequest) -> str:
    """Every file that a coder is asked for, each with another number of legs."""
    asked = request.messages[1].content
    return "\n".join(
        f'<file path="{path}">\n"""An animal."""\n\n\ndef legs() -> int:\n'
        f'    """How many legs."""\n    return {100 + number}\n</file>'
        for number, path in enumerate(FILES)
        if f'<file path="{path}">' in asked
    )


def shown(request: ModelRequest) -> list[str]:
    """The files that a fixer may change."""
    text = request.messages[1].content.partition("The files that you may change:")[2]
    return re.findall(r'^<file path="(.*)">$', text, re.MULTILINE)


def right(request: ModelRequest) -> str:
    edits = [
        f'<edit path="{path}">\n<find>\n    return {100 + FILES.index(path)}\n</find>\n'
        "<replace>\n    return 4\n</replace>\n</edit>"
        for path in shown(request)
        if f"return {100 + FILES.index(path)}" in request.messages[1].content
    ]
    return "\n".join([f"{len(edits)} animals have four legs.", *edits])


def settings() -> Settings:
    return Settings(model="claude-opus-4.8", caps=Caps(reply_retries=0))


def test_what_one_fixer_cannot_mend_is_left_for_the_next_round(journey: Journey) -> None:
    journey.settings = settings()
    journey.begin(SPEC)
    replies: dict[str, Answer] = {
        "code.1/write/*": wrong,
        f"code.2/repair/{FILES[-1]}#1": "I cannot tell.",
        "code.*/repair*": right,
    }
    state, model, _ = journey.go(replies)
    fixers = [(r.step, shown(r)) for r in model.requests if r.role == "fixer"]
    assert sorted(fixers) == [
        (f"code.2/repair/{FILES[0]}#1", FILES[:4]),
        (f"code.2/repair/{FILES[4]}#1", FILES[4:]),
        ("code.3/repair#1", FILES[4:]),
    ]
    assert [r.tests_passed for r in state.rounds if r.phase is Phase.CODE] == [0, 4, 5]
    assert state.outcome is Outcome.PASSED
    assert [s.paths for s in state.shown if "repair" in s.step] == [
        tuple(FILES[:4]),
        (FILES[4],),
        (FILES[4],),
    ]


def test_a_wish_goes_to_one_fixer_that_sees_every_file(journey: Journey) -> None:
    journey.settings = settings()
    journey.begin(SPEC)
    replies: dict[str, Answer] = {"code.1/write/*": wrong, "code.2/repair#1": right}
    state, _, _ = journey.go(replies, legs=4)
    while state.phase is not Phase.CODE or state.best is None:
        state, _, _ = journey.go(replies, legs=1)
    journey.say("/repowright revise say it in French")
    state, model, _ = journey.go(replies)
    (fixer,) = [r for r in model.requests if r.role == "fixer"]
    assert "- maintainer: say it in French" in fixer.messages[1].content
    assert set(shown(fixer)) >= set(FILES)
    assert state.outcome is Outcome.PASSED


def test_of_two_fixers_that_add_the_same_file_the_first_is_taken(journey: Journey) -> None:
    def sharing(request: ModelRequest) -> str:
        number = 4 if shown(request)[0] == FILES[0] else 40
        added = f'\n<file path="zoo/common.py">\nLEGS = {number}\n</file>'
        return right(request) + added

    journey.settings = settings()
    journey.begin(SPEC)
    replies: dict[str, Answer] = {
        "code.1/write/*": wrong,
        "code.2/repair*": sharing,
        "code.*/repair*": right,
    }
    state, _, services = journey.go(replies)
    assert [r.tests_passed for r in state.rounds if r.phase is Phase.CODE] == [0, 4, 5]
    assert services.git.read(state.head)["zoo/common.py"] == b"LEGS = 4\n"
    assert state.outcome is Outcome.PASSED
