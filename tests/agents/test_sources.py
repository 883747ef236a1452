"""No agent may configure the check tests away, whichever file it writes first."""

from collections.abc import Callable

import pytest

from bot.agents.ask import Desk
from bot.agents.coder import Assignment, write_files
from bot.agents.skeleton_writer import mend_skeleton
from bot.config import Settings
from bot.model.scripted import ScriptedModel
from bot.spec.model import Spec
from bot.state.model import ProjectState

SPEC = Spec(title="Shop", documents=(), sections=(), digest="0")
PLAIN = '[project]\nname = "shop"\n'
EVIL = f'{PLAIN}\n[tool.pytest.ini_options]\naddopts = "-k nothing"\n'


def reply(source: str) -> str:
    return f'<file path="pyproject.toml">\n{source}</file>'


def coder(desk: Desk) -> dict[str, str]:
    work = Assignment(skeleton={}, uses="", requirements="", steering="")
    return write_files(desk, SPEC, ProjectState(), work, ["pyproject.toml"], step="s")


def skeleton_writer(desk: Desk) -> dict[str, str]:
    return mend_skeleton(
        desk, SPEC, {}, ["an open point"], step="s", uses="", requirements="", steering=""
    )


@pytest.mark.parametrize("agent", [coder, skeleton_writer])
def test_settings_of_pytest_are_refused_and_the_agent_is_told(
    agent: Callable[[Desk], dict[str, str]],
) -> None:
    model = ScriptedModel({"s#1": reply(EVIL), "s#2": reply(PLAIN)})
    assert agent(Desk(model=model, settings=Settings())) == {"pyproject.toml": PLAIN}
    told = model.requests[1].messages[-1].content
    assert "`pyproject.toml` may not configure pytest or coverage" in told
