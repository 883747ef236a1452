"""The workflows that `repowright init` writes, run for real: from a spec issue to a green pull
request in each of the three set-ups, with nothing kept but in the repository."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from job_world import JIFFY

from bot.base import Outcome
from bot.bench.jobs.world import ActWorld, issue_in
from bot.starter.setups import Purpose, SetupName

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ActWorld]:
    with ActWorld(tmp_path, JIFFY / "recording") as made:
        yield made


def test_with_the_github_token_alone_one_job_does_it(world: ActWorld) -> None:
    world.give(SetupName.ACTIONS, Purpose.GENERATE, issue_in(JIFFY)[2])
    world.settled("push")
    world.ask(JIFFY)
    state = world.ended()
    assert state is not None and state.outcome is Outcome.PASSED, world.logs()
    assert [r.event for r in world.runs() if r.name == "Repowright"] == ["issues"]
    assert world.endpoint.asked.total() == len(world.endpoint.asked) > 0


@pytest.mark.parametrize("setup", [SetupName.APP, SetupName.TOKEN])
def test_with_a_token_of_its_own_pushes_start_the_checks(world: ActWorld, setup: SetupName) -> None:
    world.give(setup, Purpose.GENERATE, issue_in(JIFFY)[2])
    world.settled("push")
    world.ask(JIFFY)
    state = world.ended()
    assert state is not None and state.outcome is Outcome.PASSED, world.logs()
    runs = [r for r in world.runs() if r.name == "Repowright" and r.conclusion != "skipped"]
    assert [r.event for r in runs[:2]] == ["issues", "workflow_run"]
    assert world.endpoint.asked.total() == len(world.endpoint.asked) > 0
