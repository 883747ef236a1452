"""What a reply may put into the repository, and what the host does with it afterwards."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "journeys"))
from tally_journey import REPAIR, REPLIES, TALLY, Journey

from bot.agents.allowed import configures_tests, refusal
from bot.base import Outcome
from bot.config import Settings
from bot.specfolder import read_folder

pytestmark = pytest.mark.timeout(300)

HOOK = ".repowright/github/repositories/1.git/hooks/post-receive"


@pytest.fixture
def journey(tmp_path: Path) -> Journey:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    return Journey(tmp_path / "out")


def test_a_reply_cannot_write_into_the_folder_that_the_bot_keeps_itself(journey: Journey) -> None:
    journey.begin(read_folder(TALLY))
    hostile = f'<file path="{HOOK}">\n#!/bin/sh\ntouch /tmp/owned\n</file>'
    replies = {**REPLIES, "code.2/repair#1": hostile, "code.2/repair#2": REPAIR}
    state, model, services = journey.go(replies)
    (second,) = [r for r in model.requests if r.step == "code.2/repair#2"]
    journey.close()
    assert state.outcome is Outcome.PASSED
    assert "belongs to the bot" in second.messages[-1].content
    assert not any(path.startswith(".repowright") for path in services.git.read(state.head))


def test_what_people_pushed_into_that_folder_is_not_exported(journey: Journey) -> None:
    journey.begin(read_folder(TALLY))
    state, _, services = journey.go(REPLIES)
    before = (journey.out / HOOK).read_bytes()
    pushed = services.git.commit(
        state.branch,
        parent=state.head,
        changes={HOOK: b"#!/bin/sh\ntouch /tmp/owned\n"},
        message="Say hello",
        mark="a-person",
    )
    journey.box.export(state.model_copy(update={"head": pushed}), services)
    journey.close()
    assert (journey.out / HOOK).read_bytes() == before
    assert (journey.out / "tally" / "counting.py").is_file()


@pytest.mark.parametrize(
    "path",
    [
        ".repowright/run.json",
        ".Repowright/run.json",
        ".gitattributes",
        "data/.gitattributes",
        ".gitmodules",
        ".git./config",
        ".git /config",
        ".g\u200cit/config",
        "unittest.py",
        "unittest/mock.py",
        "doctest.py",
        "hypothesis/__init__.py",
        "data/words.txt/more",
        "data",
        "pkg/a`b.py",
        "pkg/fixes #3.py",
        "pkg/@everyone.py",
        "pkg/[skip ci].py",
        "-rf",
        ".",
        "DATA/Words.txt",
        "pytest_asyncio/plugin.py",
        "pkg/ a.py",
    ],
)
def test_a_path_that_could_do_more_than_hold_code_is_refused(path: str) -> None:
    assert refusal(path, Settings(), {"data/words.txt"})


@pytest.mark.parametrize(
    "path",
    ["pkg/a.py", "README.md", ".gitignore", "src/pkg/__init__.py", "docs/a b.md", "data/other.txt"],
)
def test_an_ordinary_path_is_not(path: str) -> None:
    assert refusal(path, Settings(), {"data/words.txt"}) == ""


@pytest.mark.parametrize("folder", ["tests/checks", "check_tests/", "./check_tests"])
def test_check_tests_are_protected_wherever_they_lie(folder: str) -> None:
    settings = Settings(check_tests=folder)
    inside = folder.removeprefix("./").rstrip("/")
    assert "given specification" in refusal(f"{inside}/helpers.py", settings)
    assert refusal("tests/other.py", settings) == ""


@pytest.mark.parametrize(
    "text",
    [
        '[tool.pytest.ini_options]\naddopts = "-k no"\n',
        '["tool"."pytest".ini_options]\naddopts = "-k no"\n',
        '[tool]\npytest.ini_options = {addopts = "-k no"}\n',
        'tool.pytest.ini_options.addopts = "-k no"\n',
        '[tool."coverage".run]\nomit = ["*"]\n',
        "[tool.pytest\n",
    ],
)
def test_no_spelling_of_the_settings_of_a_test_tool_gets_through(text: str) -> None:
    assert configures_tests("pyproject.toml", text)


def test_other_settings_do() -> None:
    assert not configures_tests("pyproject.toml", '[project]\nname = "x"\n[tool.ruff]\n')
