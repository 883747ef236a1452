"""No write happens twice: not when it is called again, not when its answer is lost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from bot.forge.embedded.store.access import Actor
from bot.ports.forge import CheckAnnotation, ReviewComment

MARK = "run1:code.2"
# Tokens are minted over the same line, and check runs are tried before a status is written: these
# answers are not the ones that get lost.
MINTING = ("/access_tokens",)


@dataclass
class Write:
    """`act` writes once as a bot that has just started; `count` is what a visitor then sees."""

    act: Callable[[Any], object]
    count: Callable[[Any], object]
    expected: object
    prepare: Callable[[Any], object] = lambda world: None
    spared: tuple[str, ...] = MINTING


def opened(world: Any) -> None:
    """A pull request of the bot from `work` into `main`."""
    world.main = world.seed()
    world.head = world.work(world.main)
    world.pull = open_pull(world).number


def open_pull(world: Any) -> Any:
    return world.forge().open_pull_request(
        MARK, head="work", base="main", title="Add the lamp", body="For #1", draft=True
    )


def branched(world: Any) -> None:
    world.main = world.seed()
    world.head = world.work(world.main)


def with_issue(world: Any) -> None:
    world.issue = world.store.issues.create(world.lamp, Actor(world.ann), "A lamp", "please")
    world.comment = world.store.issues.comment(world.lamp, world.issue, Actor(world.ann), "hi")


def dispatchable(world: Any) -> None:
    world.main = world.seed()
    world.run_workflows()


def the_pull(world: Any) -> Any:
    return world.store.pulls.find(world.lamp, world.pull)


def publish_check(world: Any, notes: int, credentials: Any = None) -> None:
    world.forge(credentials).check_run(
        MARK,
        name="repowright / judge",
        commit=world.head,
        conclusion="failure",
        title="Revise",
        summary="Two tests fail.",
        annotations=tuple(
            CheckAnnotation(path="pkg/a.py", line=n % 30 + 1, level="failure", message=f"note {n}")
            for n in range(notes)
        ),
    )


def checks(world: Any) -> list[tuple[str, int]]:
    runs = world.store.checks.runs(world.lamp, world.head)
    return [(run.conclusion, len(run.annotations)) for run in runs]


def statuses(world: Any) -> list[tuple[str, str]]:
    rows = world.store.tables.statuses.find(repository_id=world.lamp.id)
    return [(row.state, row.description) for row in rows]


def commits(world: Any, ref: str) -> int:
    git = world.store.git(world.lamp)
    return len(list(git.log(git.refs()[ref])))


def post_review(world: Any) -> None:
    notes = (
        ReviewComment(path="pkg/a.py", line=3, body="here"),
        ReviewComment(path="pkg/a.py", line=300, body="nowhere"),
    )
    world.forge().review(MARK, world.pull, commit=world.head, body="Revise.", comments=notes)


def reviews(world: Any) -> list[int]:
    found = world.store.reviews.of(the_pull(world))
    return [len(world.store.reviews.comments(review)) for review in found]


def pulls(world: Any) -> list[tuple[str, bool]]:
    found = world.store.pulls.of(world.lamp)
    return [(world.store.pulls.issue(pull).title, pull.draft) for pull in found]


def describe(world: Any) -> None:
    world.forge().describe_pull_request(world.pull, title="Lamp, done", body="All pass.")
    assert open_pull(world).number == world.pull


WRITES = {
    "first commit": Write(
        lambda w: w.forge().first_commit(MARK, "README.md", "# Lamp\n"),
        lambda w: commits(w, "refs/heads/main"),
        1,
    ),
    "issue": Write(
        lambda w: w.forge().open_issue(MARK, title="Tests fail", body="Two of them."),
        lambda w: [i.title for i in w.store.issues.of(w.lamp) if i.state == "open"],
        ["Tests fail"],
    ),
    "pull request": Write(open_pull, pulls, [("Add the lamp", True)], branched),
    "description": Write(describe, pulls, [("Lamp, done", True)], opened),
    "out of draft": Write(
        lambda w: w.forge().mark_ready(w.pull), lambda w: the_pull(w).draft, False, opened
    ),
    "closing": Write(
        lambda w: w.forge().close_pull_request(w.pull),
        lambda w: w.store.pulls.issue(the_pull(w)).state,
        "closed",
        opened,
    ),
    "comment": Write(
        lambda w: w.forge().comment(MARK, w.issue.number, "Round 1"),
        lambda w: len(w.store.issues.comments(w.issue)),
        2,
        with_issue,
    ),
    "reaction": Write(
        lambda w: w.forge().react(w.comment.id, "eyes"),
        lambda w: [r.content for r in w.store.issues.reactions("comment", w.comment.id)],
        ["eyes"],
        with_issue,
    ),
    "review": Write(post_review, reviews, [1], opened),
    "check run": Write(lambda w: publish_check(w, 2), checks, [("failure", 2)], branched),
    "many annotations": Write(
        lambda w: publish_check(w, 120), checks, [("failure", 120)], branched
    ),
    "status": Write(
        lambda w: publish_check(w, 0, w.token_of("ann")),
        statuses,
        [("failure", "Revise")],
        branched,
        ("/check-runs",),
    ),
    "dispatch": Write(
        lambda w: w.forge().dispatch(MARK, "check.yml", "main"),
        lambda w: len(w.store.actions.runs(w.lamp)),
        1,
        dispatchable,
    ),
    "commit": Write(
        lambda w: w.clone().commit(
            "work", parent=w.head, changes={"b": b"1"}, message="m", mark=MARK
        ),
        lambda w: commits(w, "refs/heads/work"),
        3,
        branched,
    ),
    "run state": Write(
        lambda w: w.clone().save_ref("refs/repowright/1", {"a": b"1"}, message="m", mark=MARK),
        lambda w: commits(w, "refs/repowright/1"),
        1,
        branched,
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_called_twice_leaves_one_thing(world, name: str) -> None:
    write = WRITES[name]
    write.prepare(world)
    write.act(world)
    assert write.count(world) == write.expected
    write.act(world)
    assert write.count(world) == write.expected


@pytest.mark.parametrize("name", WRITES)
def test_a_write_whose_answer_is_lost_leaves_one_thing(world, name: str) -> None:
    write = WRITES[name]
    write.prepare(world)
    world.line.spare = write.spared
    world.line.drops = 1
    write.act(world)
    assert world.line.dropped == 1
    assert write.count(world) == write.expected


@pytest.mark.parametrize("name", WRITES)
def test_a_write_whose_token_dies_on_the_way_leaves_one_thing(world, name: str) -> None:
    """More than an hour passes between the minting of a token and its use."""
    write = WRITES[name]
    write.prepare(world)
    before = world.mints
    world.an_hour_passes(
        lambda verb, path: world.line.is_write(verb, path) and not path.endswith(write.spared)
    )
    write.act(world)
    assert write.count(world) == write.expected
    # One for each client, and one anew; a person's token does not die.
    assert world.mints == before + {"status": 0, "description": 3}.get(name, 2)


@pytest.mark.parametrize("name", WRITES)
def test_every_answer_lost_is_an_error_and_still_one_thing(world, name: str) -> None:
    """Every write arrives and none is answered: the bot finds each of them."""
    write = WRITES[name]
    write.prepare(world)
    world.line.spare = write.spared
    world.line.drops = 99
    if name in ("description", "closing", "reaction"):
        # These name no thing that could be found: they are repeated, and then given up.
        with pytest.raises(Exception, match="could not be reached"):
            write.act(world)
    else:
        write.act(world)
    world.line.drops = 0
    write.act(world)
    assert write.count(world) == write.expected
