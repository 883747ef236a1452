"""A few of the cases of `repowright bench faults`: each kind of fault at one write, each at
another; the bench has them all."""

from pathlib import Path

import pytest

from bot.base import Outcome, RepowrightError
from bot.bench.faults.bench import bench_faults, prepare, tell_all
from bot.bench.faults.cases import (
    Case,
    Reference,
    ServedCase,
    cases_of,
    served_reference,
    tell,
    tell_served,
)
from bot.bench.faults.ending import differences, ending_of
from bot.bench.faults.kinds import Kind, Post
from bot.bench.faults.world import World
from bot.runs.start import run_ref

pytestmark = pytest.mark.timeout(600)
_STEP = 11


def one_of_each(reference: Reference) -> list[Case]:
    """A case of each kind; the later the kind, the later the write."""
    found = []
    for number, kind in enumerate(Kind):
        cases = list(cases_of(reference, [kind]))
        found.append(cases[(number * _STEP + 5) % len(cases)])
    return found


def test_the_run_without_a_fault_is_a_whole_one(undisturbed: Reference) -> None:
    names = {r.name for stage in undisturbed.stages for r in stage.requests if r.is_write}
    assert {
        "POST access_tokens",
        "PUT contents/README.md",
        "POST pulls",
        "POST check-runs",
        "push branch",
        "push run",
        "graphql markPullRequestReadyForReview",
    } <= names
    assert undisturbed.ending["run"][0].startswith(f"{Outcome.PASSED} in done")
    assert len(undisturbed.ending["paid"]) == len(undisturbed.ending["ledger"]) == 4


def test_every_kind_of_fault_leaves_the_same_run_behind(undisturbed: Reference) -> None:
    cases = one_of_each(undisturbed)
    told = list(tell_all(tell, [(case, undisturbed) for case in cases]))
    assert [one.kind for one in told] == list(Kind)
    assert {f"{one.kind} at {one.request}": one.wrong for one in told if not one.held} == {}
    killed = [one for one in told if one.kind.startswith("killed")]
    assert all(one.starts > 1 for one in killed)


def test_what_is_doubled_or_lost_is_seen(undisturbed: Reference, tmp_path: Path) -> None:
    last = undisturbed.stages[0].folder.parent / "played"
    with World(last, undisturbed.story, undisturbed.credentials) as world:
        place = (world.store, world.repository, world.asked, run_ref(1))
        assert differences(undisturbed.ending, ending_of(*place)) == []
        review = world.store.tables.reviews.find()[0]
        world.store.tables.reviews.insert(review.model_copy(update={"id": 0}))
        (found,) = differences(undisturbed.ending, ending_of(*place))
        assert found.startswith("reviews: + repowright[bot] COMMENTED")
        world.store.tables.reviews.delete(pull_id=review.pull_id)
        assert differences(undisturbed.ending, ending_of(*place))[0].startswith("reviews: - ")


def test_a_server_whose_post_comes_twice_or_gets_lost(tmp_path: Path) -> None:
    prepare()
    reference = served_reference(tmp_path)
    cases = [ServedCase(post=Post.DOUBLED), ServedCase(post=Post.DROPPED, first=1)]
    told = list(tell_all(tell_served, [(case, reference) for case in cases]))
    assert {one.kind: one.wrong for one in told} == {c.post: () for c in cases}


def test_a_kind_that_does_not_exist_is_said_in_one_sentence() -> None:
    with pytest.raises(RepowrightError, match="there is no kind of fault `fire`"):
        bench_faults("fire")
