"""Jobs of `actions/generate` as a runner starts them: what they do, leave and say."""

import shutil
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from job_world import JobWorld, until

from bot.base import Outcome
from bot.forge.embedded.store import Actor
from bot.ports.lease import LEASE, Lease
from bot.wiring import Workplace

pytestmark = pytest.mark.timeout(150)

HOUR = timedelta(hours=1)
SWEEP = ("schedule", {"schedule": "17 * * * *"})
REF = "refs/repowright/1"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_job_killed_in_the_middle_of_a_call_is_gone_on_from_and_its_call_counts(
    world: JobWorld, tmp_path: Path
) -> None:
    mailbox = tmp_path / "mailbox"
    waiting = world.environment(*world.labelled(), 1, REPOWRIGHT_BACKEND=f"mailbox:{mailbox}")
    first = world.start(waiting)
    until(lambda: len(list(mailbox.glob("*.request.md"))) == 2)
    first.end(signal.SIGKILL)
    assert world.in_ref(REF, LEASE) is not None
    # GitHub knows the dead job's workflow run no more, so nobody waits for its lease to end.
    second = world.job(SWEEP, 2)
    assert (second.code, second.outputs["outcome"]) == (0, "passed"), second.log
    state = world.saved()
    assert state is not None and state.outcome is Outcome.PASSED
    # Two calls that the dead job had begun, and the three of the recording.
    ledger = world.ledger()
    assert ledger.total.calls == 5
    assert float(ledger.total.usd) > float(second.outputs["usd"]) > 0
    assert world.refs() == {REF}
    pulls = world.store.pulls.of(world.repository)
    assert len(pulls) == 1
    assert "line [148, 149]" in second.summary
    assert "First model call" not in second.summary


def test_of_two_jobs_one_works_and_the_other_says_so(world: JobWorld, tmp_path: Path) -> None:
    worker = world.hub(world.store.tokens.create_personal(world.ann), "worker")
    _, lease = worker.leased(
        Workplace(tmp_path / "worker"), REF, "here", "https://example.com/here", HOUR
    )
    assert lease.take(lambda _: False) is None
    second = world.job(world.labelled())
    assert (second.code, second.outputs["outcome"]) == (0, "busy"), second.log
    assert "Another job works on this run: https://example.com/here" in second.summary.replace(
        "\u200b", ""
    )
    assert world.store.issues.comments(world.issue) == []
    lease.release()
    assert lease.answer()
    assert world.refs() == set()


def test_a_cancelled_job_lets_go_of_the_run(world: JobWorld, tmp_path: Path) -> None:
    mailbox = tmp_path / "mailbox"
    waiting = world.environment(*world.labelled(), 1, REPOWRIGHT_BACKEND=f"mailbox:{mailbox}")
    job = world.start(waiting)
    until(lambda: len(list(mailbox.glob("*.request.md"))) == 2)
    left = job.end(signal.SIGINT)
    assert (left.code, left.log.splitlines()[-1]) == (
        1,
        "cancelled: the next job goes on from here",
    )
    kept = Lease.model_validate_json(world.in_ref(REF, LEASE) or b"")
    assert kept.holder == ""
    assert kept.until > datetime.now(UTC) - HOUR


def test_a_token_that_may_open_no_pull_request_is_told_how(world: JobWorld) -> None:
    by = Actor(world.ann)
    world.store.repositories.edit(world.repository, by, actions_may_approve=False)
    left = world.job(world.labelled())
    assert (left.code, left.outputs["outcome"]) == (1, "trouble")
    advice = "allow it under Settings > Actions > General > Workflow permissions"
    assert advice in left.summary
    [told] = world.store.issues.comments(world.issue)
    assert advice in told.body
    state = world.saved()
    assert state is not None and state.outcome is None


def test_what_a_stranger_says_starts_nothing(world: JobWorld) -> None:
    left = world.job(world.commented("/repowright run", by="mallory"))
    assert (left.code, left.outputs["outcome"]) == (0, "nothing")
    assert "there is no run" in left.summary
    assert world.refs() == set()


def test_an_event_that_asks_for_nothing_says_why(world: JobWorld) -> None:
    left = world.job(world.commented("What a nice day"))
    assert (left.code, left.outputs["outcome"]) == (0, "nothing")
    assert "a comment without a command" in left.summary


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("REPOWRIGHT_TOKEN", "", "token: the action was given no token"),
        ("REPOWRIGHT_SETTINGS", "budget: {usd: -1}", "settings: the setting `budget.usd` is wrong"),
        ("REPOWRIGHT_SETTINGS", "a: [", "settings: the settings are not YAML in line 1"),
        ("REPOWRIGHT_CHECKS", "here", "checks: the input is wrong"),
        ("REPOWRIGHT_BACKEND", "oracle", "there is no model backend `oracle`"),
        ("GITHUB_RUN_ID", "", "GITHUB_RUN_ID is not set"),
    ],
)
def test_a_bad_input_is_one_error_on_the_job(
    world: JobWorld, name: str, value: str, said: str
) -> None:
    left = world.job(world.labelled(), 1, **{name: value})
    assert left.code == 1
    [error] = [line for line in left.log.splitlines() if line.startswith("::error ")]
    assert said in error
    assert world.refs() == set()
