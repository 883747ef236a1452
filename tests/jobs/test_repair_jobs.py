"""Jobs of `actions/repair` as a runner starts them: one works where two are started, and what a
killed one spent counts."""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from job_world import until
from mend_world import RECORDED, SETTINGS, SWEEP, MendWorld

from bot.base import Outcome
from bot.bench.crew.endpoint import RecordedEndpoint
from bot.model.journal import read_calls
from bot.ports.lease import LEASE

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap"),
]

REF = "refs/repowright/1"
CALLS = {f"calls/{p.name}": p.read_bytes() for p in (RECORDED / "calls").iterdir()}


@pytest.fixture
def town(tmp_path: Path) -> Iterator[MendWorld]:
    made = MendWorld(tmp_path)
    yield made
    made.close()


def test_of_two_repair_jobs_that_start_at_once_one_works_and_nothing_is_doubled(
    town: MendWorld,
) -> None:
    event = town.failed()
    with RecordedEndpoint(read_calls(CALLS)) as endpoint:
        settings = {**SETTINGS, "endpoint": {"base_url": endpoint.base_url}}
        inputs = {
            "REPOWRIGHT_BACKEND": "openai",
            "REPOWRIGHT_API_KEY": "sk-of-the-recorded-model",
            "REPOWRIGHT_SETTINGS": yaml.safe_dump(settings),
        }
        runs = [town.begun() for _ in range(2)]
        places = [town.environment(*event, run.id, **inputs) for run in runs]
        jobs = [town.start(place, "repair") for place in places]
        left = sorted((job.left() for job in jobs), key=lambda one: one.outputs["outcome"])
        asked = endpoint.asked
    busy, worked = left
    assert (busy.code, busy.outputs["outcome"]) == (0, "busy"), busy.log
    assert "another job works on the run" in busy.log
    assert "Another job works on this run" in busy.summary
    assert (worked.code, worked.outputs["outcome"]) == (0, "passed"), worked.log
    assert asked == {"code.1/repair#1": 1}
    assert town.ledger().total.calls == 1
    # The issue, and its pull request.
    assert [one.number for one in town.store.tables.issues.find()] == [1, 2]
    assert len(town.store.pulls.of(town.repository)) == 1
    issue = town.store.issues.find(town.repository, 1)
    assert issue is not None
    assert len(town.store.issues.comments(issue)) == 1
    assert town.refs() == {REF}


def kill_in_the_middle_of_a_call(town: MendWorld, **inputs: str) -> None:
    mailbox = town.folder / "mailbox"
    run = town.begun()
    event = town.failed()
    place = town.environment(*event, run.id, REPOWRIGHT_BACKEND=f"mailbox:{mailbox}", **inputs)
    job = town.start(place, "repair")
    until(lambda: list(mailbox.glob("*.request.md")) != [])
    job.end(signal.SIGKILL)
    town.over(run)
    assert town.in_ref(REF, LEASE) is not None


def test_the_next_event_goes_on_with_a_killed_repair_and_counts_what_it_spent(
    town: MendWorld,
) -> None:
    kill_in_the_middle_of_a_call(town)
    second = town.job(SWEEP)
    assert (second.code, second.outputs["outcome"]) == (0, "passed"), second.log
    state, ledger = town.saved(), town.ledger()
    assert state is not None and state.outcome is Outcome.PASSED
    assert ledger.total.calls == 2
    assert float(ledger.total.usd) > float(second.outputs["usd"]) > 0
    assert second.outputs["pull-request"] == str(state.pull_request) == "2"
    assert town.refs() == {REF}


def test_a_budget_that_a_killed_repair_has_used_up_is_not_exceeded(town: MendWorld) -> None:
    settings = yaml.safe_dump({**SETTINGS, "budget": {"usd": 1.0}})
    kill_in_the_middle_of_a_call(town, REPOWRIGHT_SETTINGS=settings)
    second = town.job(SWEEP, REPOWRIGHT_SETTINGS=settings)
    assert second.outputs["outcome"] == "budget_exhausted", second.log
    ledger = town.ledger()
    assert ledger.total.calls == 1
    assert 0 < ledger.total.usd <= 1
    assert town.store.pulls.of(town.repository) == []


def test_tests_without_any_code_wait_for_their_issue(town: MendWorld) -> None:
    """A maintainer has pushed the check tests of a spec issue and nothing else."""
    code = [path for path in town.tree() if path.startswith("shelfmark/")]
    town.push(dict.fromkeys(code))
    left = town.job(town.failed())
    assert (left.code, left.outputs["outcome"]) == (0, "nothing"), left.log
    assert "main holds tests but no code that could be mended" in left.summary
    assert town.store.tables.issues.find() == []
    assert town.refs() == set()
