"""`repowright resume OWNER/NAME#ISSUE`: a person's machine goes on where a job is no more."""

import json
import shutil
import subprocess
import sys

import pytest
import yaml
from job_world import JIFFY, JobWorld

from bot.base import Outcome
from bot.forge.embedded.store import Actor

pytestmark = pytest.mark.timeout(150)


RECORDED = f"replay:{JIFFY}/recording"


def resume(world: JobWorld, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    environment = world.environment("schedule", {}, 9)
    environment |= {"REPOWRIGHT_TOKEN": world.store.tokens.create_personal(world.ann), **more}
    return subprocess.run(
        [sys.executable, "-m", "bot", "resume", "--backend", RECORDED, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_run_that_no_job_goes_on_with_is_ended_from_elsewhere(world: JobWorld) -> None:
    by = Actor(world.ann)
    world.store.repositories.edit(world.repository, by, actions_may_approve=False)
    assert world.job(world.labelled()).outputs["outcome"] == "trouble"
    settings = yaml.safe_load((JIFFY / "recording" / "settings.yaml").read_text())
    config = world.folder / "settings.yaml"
    config.write_text(yaml.safe_dump({**settings, "may_write_workflows": False}))
    done = resume(
        world,
        f"{world.github.url}/ann/jiffy/issues/1",
        *("--config", str(config)),
        *("--checks", "here", "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "passed"
    state = world.saved()
    assert state is not None and state.outcome is Outcome.PASSED


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_run_that_ends_without_passing_is_a_failure(world: JobWorld) -> None:
    by = Actor(world.ann)
    world.store.repositories.edit(world.repository, by, actions_may_approve=False)
    settings = yaml.safe_load((JIFFY / "recording" / "settings.yaml").read_text())
    poor = {**settings, "budget": {"usd": 0.0001}, "may_write_workflows": False}
    world.job(world.labelled(), REPOWRIGHT_SETTINGS=yaml.safe_dump(poor))
    done = resume(world, "ann/jiffy#1", "--json")
    assert json.loads(done.stdout)["outcome"] == "budget_exhausted"
    assert done.returncode == 1


def test_an_issue_without_a_run_is_told(world: JobWorld) -> None:
    done = resume(world, "ann/jiffy#1")
    assert (done.returncode, done.stdout) == (1, "#1: nothing to do: there is no run\n")


@pytest.mark.parametrize(
    ("arguments", "token", "said"),
    [
        (("ann/jiffy#1",), "", "there is no GitHub token"),
        (("ann/jiffy#1", "--checks", "there"), "t", "check tests cannot run in `there`"),
        (("https://example.com/issues/1",), "t", "this is no issue"),
    ],
)
def test_what_is_missing_is_one_error(
    world: JobWorld, arguments: tuple[str, ...], token: str, said: str
) -> None:
    done = resume(world, *arguments, REPOWRIGHT_TOKEN=token)
    assert done.returncode == 1
    assert said in done.stderr.splitlines()[-1]
