"""A run whose check tests run in the bot's own job, as where no push starts a workflow."""

import shutil
import time
from pathlib import Path

import pytest
from life_world import Life, Silent
from tally_journey import REPLIES

from bot.base import Outcome
from bot.checks.environment import Environment, Environments, default_folder
from bot.checks.sandbox import make_sandbox
from bot.jobs.checks import JobChecks
from bot.model.scripted import ScriptedModel
from bot.phases.record import save
from bot.phases.run import Phase, RunState
from bot.ports.checks import Checks
from bot.runs.drive import drive
from bot.runs.start import find_run, new_run
from bot.wiring import Workplace, services_of

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]


def build(life: Life, checks: Checks) -> RunState:
    assert find_run(1, life.bot.git) is None
    state, spec = new_run(1, life.settings, life.bot.forge, life.bot.git, life.clock)
    services = services_of(
        life.bot,
        Workplace(life.folder / "bot"),
        state,
        ScriptedModel(REPLIES),
        Silent(),
        life.clock,
        checks=checks,
    )
    save(state, spec, services)
    return drive(state, spec, services, pause=time.sleep, interval=0.0, wait_for_people=False)


def test_a_spec_becomes_green_without_a_workflow(tmp_path: Path) -> None:
    life = Life(tmp_path / "life")
    prepare = Environments(default_folder()).prepare
    sandbox = make_sandbox("bubblewrap")
    checks = JobChecks(life.bot.git, life.settings, sandbox, prepare, place="https://x/job")
    state = build(life, checks)
    assert state.outcome is Outcome.PASSED
    assert [r.tests_passed for r in state.rounds if r.phase is Phase.CODE] == [3, 5]
    assert life.store.tables.workflow_runs.count() == 0
    life.close()


def test_an_environment_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    life = Life(tmp_path / "life")

    def refuse(requirements: tuple[str, ...]) -> Environment:
        return Environment.at(tmp_path / "nowhere")

    sandbox = make_sandbox("bubblewrap")
    state = build(life, JobChecks(life.bot.git, life.settings, sandbox, refuse))
    assert state.outcome is Outcome.INFRASTRUCTURE_FAILED
    assert "there is no Python environment" in state.outcome_note
    life.close()
