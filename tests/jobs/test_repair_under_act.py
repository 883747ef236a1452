"""The repair that `repowright init --for repair` sets up, run for real: code whose tests fail is
pushed, and a pull request that mends it turns green, with no spec and no person."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mend_world import RECORDED, repository

from bot.base import Outcome
from bot.bench.jobs.world import ActWorld
from bot.starter.setups import Purpose, SetupName

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ActWorld]:
    with ActWorld(tmp_path, RECORDED) as made:
        yield made


def ran(world: ActWorld, name: str) -> list[tuple[str, str | None, str | None]]:
    """(event, branch, conclusion) of the runs of a workflow that had something to do."""
    told = [(r.event, r.head_branch, r.conclusion) for r in world.runs() if r.name == name]
    return [run for run in told if run[2] != "skipped"]


def assert_mended(world: ActWorld) -> None:
    state = world.ended()
    assert state is not None and state.outcome is Outcome.PASSED, world.logs()
    assert world.endpoint.asked == {"code.1/repair#1": 1}
    issue = world.store.issues.find(world.repository, 1)
    assert issue is not None and issue.title == "Tests fail on `main`"
    [pull] = world.store.pulls.of(world.repository)
    assert (pull.number, pull.draft, pull.head_sha) == (2, False, state.head)
    assert state.best is not None and (state.best.commit, state.best.passed) == (state.head, 49)


def test_with_the_github_token_alone_the_repair_runs_the_tests_itself(world: ActWorld) -> None:
    world.give(SetupName.ACTIONS, Purpose.REPAIR, repository())
    assert_mended(world)
    assert ran(world, "tests") == [("push", "main", "failure")]
    assert ran(world, "Repowright repair") == [("workflow_run", "main", "success")]


def test_with_a_token_of_its_own_the_repair_waits_for_the_tests(world: ActWorld) -> None:
    world.give(SetupName.TOKEN, Purpose.REPAIR, repository())
    assert_mended(world)
    branch = "repowright/1-tests-fail-on-main"
    assert ran(world, "tests") == [("push", "main", "failure"), ("push", branch, "success")]
    turns = [("workflow_run", "main", "success")] * 2
    assert ran(world, "Repowright repair") == turns
