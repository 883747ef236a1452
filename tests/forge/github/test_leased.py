"""Jobs that share nothing but the repository: one works on a run, and no other writes to it."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from folder_remote import Folder, git

from bot.forge.github.gitstore import GitHubGitStore, Identity
from bot.forge.github.leased import LeasedGitStore
from bot.ports.lease import LEASE, Lease, LeaseLost

REF = "refs/repowright/7"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
BOT = Identity(name="bot", email="bot@users.noreply.github.com")

Job = Callable[[str], LeasedGitStore]


@pytest.fixture
def job(tmp_path: Path, remote: Path) -> Job:
    """Opens the clone of a job of this name, a new machine each."""

    def build(name: str) -> LeasedGitStore:
        return LeasedGitStore(
            tmp_path / f"{name}.git",
            Folder(remote),
            ref=REF,
            holder=name,
            place=f"https://example.com/{name}",
            span=timedelta(minutes=5),
            identity=BOT,
            now=lambda: NOON,
        )

    return build


def working(lease: Lease) -> bool:
    return False


def over(lease: Lease) -> bool:
    return True


def history(remote: Path) -> list[str]:
    return git(remote, "log", "--format=%s", REF).splitlines()


def leg(store: GitHubGitStore, number: int, **files: bytes) -> str:
    content = {"state.json": b"%d" % number, **files}
    return store.save_ref(REF, content, message=f"Leg {number}", mark=f"r:leg.{number}")


def test_a_job_works_and_leaves_one_commit_a_leg(job: Job, remote: Path) -> None:
    one = job("one")
    assert one.take(working) is None
    assert one.load_ref(REF) is None
    leg(one, 1)
    one.renew()
    leg(one, 2)
    assert history(remote)[1:] == ["Leg 2", "Leg 1"]
    assert one.load_ref(REF) == {"state.json": b"2"}
    one.release()
    assert history(remote) == ["Leg 2", "Leg 1"]
    assert git(remote, "ls-tree", "--name-only", REF) == "state.json"


def test_of_two_jobs_one_works_and_the_other_learns_where(job: Job) -> None:
    one, two = job("one"), job("two")
    assert one.take(working) is None
    other = two.take(working)
    assert other == Lease(
        holder="one", place="https://example.com/one", until=NOON + timedelta(minutes=5)
    )
    one.release()
    assert two.take(working) is None


def test_of_jobs_that_start_at_once_exactly_one_works(job: Job) -> None:
    jobs = [job(f"job{n}") for n in range(4)]
    with ThreadPoolExecutor(len(jobs)) as pool:
        others = list(pool.map(lambda store: store.take(working), jobs))
    assert others.count(None) == 1
    winner = jobs[others.index(None)]
    leg(winner, 1)
    assert {o.place for o in others if o} == {f"https://example.com/job{others.index(None)}"}


def test_who_finds_the_run_held_is_heard_after_its_release(job: Job, remote: Path) -> None:
    one, two = job("one"), job("two")
    assert one.take(working) is None
    leg(one, 1)
    assert two.take(working) is not None
    two.ring()
    two.ring()
    leg(one, 2)
    one.release()
    assert (one.answer(), one.answer()) == (True, False)
    assert git(remote, "for-each-ref", "--format=%(refname)") == f"refs/heads/main\n{REF}"


def test_who_lost_the_run_can_write_no_more(job: Job, remote: Path) -> None:
    one, two = job("one"), job("two")
    one.take(working)
    leg(one, 1)
    assert two.take(over) is None
    with pytest.raises(LeaseLost):
        leg(one, 2)
    with pytest.raises(LeaseLost):
        one.keep("calls/0002-late.json", b"{}")
    leg(two, 2)
    one.release()
    assert history(remote)[1:] == ["Leg 2", "Leg 1"]


def test_what_a_dead_job_paid_for_is_there_for_the_next(job: Job, remote: Path) -> None:
    one, two = job("one"), job("two")
    one.take(working)
    leg(one, 1)
    one.keep("reserved/0002-code.json", b"reserved")
    one.keep("calls/0002-code.json", b"answer")
    assert two.take(over) is None
    paid = {"reserved/0002-code.json": b"reserved", "calls/0002-code.json": b"answer"}
    assert two.kept() == paid
    assert two.load_ref(REF) == {"state.json": b"1", **paid}
    leg(two, 2, **{"ledger.jsonl": b"both"})
    assert two.load_ref(REF) == {"state.json": b"2", "ledger.jsonl": b"both"}
    assert history(remote)[1:] == ["Leg 2", "Leg 1"]


def test_a_job_that_stops_in_the_middle_of_a_leg_leaves_its_calls(job: Job, remote: Path) -> None:
    one, two = job("one"), job("two")
    one.take(working)
    leg(one, 1)
    one.keep("calls/0002-code.json", b"answer")
    one.release()
    assert two.take(working) is None
    assert two.kept() == {"calls/0002-code.json": b"answer"}


def test_calls_of_many_threads_are_all_kept(job: Job) -> None:
    one, two = job("one"), job("two")
    one.take(working)
    names = [f"calls/{n:04}-code.json" for n in range(1, 13)]
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(lambda name: one.keep(name, name.encode()), names))
    two.take(over)
    assert two.kept() == {name: name.encode() for name in names}


def test_a_job_that_found_nothing_to_do_leaves_no_ref(job: Job, remote: Path) -> None:
    one = job("one")
    one.take(working)
    assert git(remote, "ls-tree", "--name-only", REF) == LEASE
    one.release()
    gone = subprocess.run(
        ["git", "-C", str(remote), "rev-parse", "--verify", "--quiet", REF], check=False
    )
    assert gone.returncode == 1


def test_a_lease_that_somebody_wrote_by_hand_holds_nobody_up(job: Job, remote: Path) -> None:
    one = job("one")
    GitHubGitStore.save_ref(one, REF, {"state.json": b"1"}, message="Leg 1", mark="r:leg.1")
    GitHubGitStore.save_ref(
        one, REF, {"state.json": b"1", LEASE: b"[]"}, message="Mine", mark="r:leg.1b"
    )
    assert one.take(working) is None
    leg(one, 2)
    one.release()
    assert history(remote) == ["Leg 2", "Leg 1"]


def test_a_leg_whose_answer_was_lost_is_saved_once(job: Job, remote: Path) -> None:
    one = job("one")
    one.take(working)
    first = leg(one, 1)
    assert leg(one, 1) == first
    one.release()
    assert history(remote) == ["Leg 1"]
