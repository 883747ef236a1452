"""The workflows that `repowright init` writes, run for real: from a spec issue to a green pull
request in each of the three set-ups, with nothing kept but in the repository."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from act_world import ActWorld
from job_world import JIFFY

from bot.base import Outcome
from bot.config import Settings
from bot.forge.embedded.store import Actor
from bot.local import issue_of
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.starter.setups import Purpose, SetupName

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ActWorld]:
    made = ActWorld(tmp_path, JIFFY / "recording")
    yield made
    made.close()


def ask(world: ActWorld, setup: SetupName) -> None:
    files = read_folder(JIFFY)
    spec = spec_from_files(files, check_tests_dir=Settings().check_tests)
    body, given = issue_of(spec, files, Settings().check_tests)
    world.give(setup, Purpose.GENERATE, given)
    world.settled("push")
    world.store.issues.create(
        world.repository, Actor(world.ann), spec.title, body, labels=("repowright",)
    )


def test_with_the_github_token_alone_one_job_does_it(world: ActWorld) -> None:
    by = Actor(world.ann)
    world.repository = world.store.repositories.edit(world.repository, by, actions_may_approve=True)
    ask(world, SetupName.ACTIONS)
    runs = world.settled("issues")
    state = world.saved()
    assert state is not None and state.outcome is Outcome.PASSED, world.logs()
    assert [r.event for r in runs if r.name == "Repowright"] == ["issues"]
