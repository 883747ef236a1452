"""Two processes that believe to own the same run write at the same time: one thing is left."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from github_world import World
from test_writes import MARK, WRITES, opened, post_review, reviews

from bot.ports.forge import ForgeError, ReviewComment
from bot.ports.git import GitError

# A check run cannot be taken back, and a status never ends: GitHub shows the newest of each name.
# A dispatch has no place for a mark; the check workflow's `concurrency` leaves one run of two.
SHOWN_ONCE = ("check run", "many annotations", "status", "dispatch")


def at_once(world: World, act: Callable[[], object], lookups: Callable[[str], bool]) -> None:
    """Two bots act; each has looked for the mark before either writes."""
    both = Barrier(2, timeout=20)
    left = [both, both]

    def meet(verb: str, path: str) -> None:
        if world.line.is_write(verb, path) and lookups(path) and left:
            left.pop().wait()

    world.line.before = meet
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(act) for _ in range(2)]:
            try:
                done.result()
            except GitError as error:
                # The one that lost the race tells its host, which begins again from what is there.
                assert "moved" in error.what or "pushed" in error.what


def is_own(path: str) -> bool:
    return not path.endswith("/access_tokens")


@pytest.mark.parametrize("name", [name for name in WRITES if name not in SHOWN_ONCE])
def test_two_at_once_leave_one_thing(world: World, name: str) -> None:
    write = WRITES[name]
    write.prepare(world)
    at_once(world, partial(write.act, world), is_own)
    world.line.before = lambda verb, path: None
    assert write.count(world) == write.expected
    write.act(world)
    assert write.count(world) == write.expected


def test_a_review_that_was_written_and_not_sent_is_sent(world: World) -> None:
    """The process dies between the two."""
    opened(world)
    pull = world.client().repository.get_pull(world.pull)
    world.line.before = fail_on("/events")
    with pytest.raises(ForgeError, match="could not be reached"):
        world.forge().review(MARK, world.pull, commit=world.head, body="Revise.", comments=())
    world.line.before = lambda verb, path: None
    assert [r.state for r in pull.get_reviews()] == ["PENDING"]
    post_review(world)
    assert [(r.state, r.body.splitlines()[0]) for r in pull.get_reviews()] == [
        ("COMMENTED", "Revise.")
    ]


def test_a_review_that_was_never_sent_does_not_stop_the_next(world: World) -> None:
    opened(world)
    pull = world.client().repository.get_pull(world.pull)
    pull.create_review(body="Left over\n\n<!-- repowright:run1:code.1 -->")
    post_review(world)
    assert reviews(world) == [1]
    assert [r.state for r in pull.get_reviews()] == ["COMMENTED"]


def test_a_persons_draft_review_is_not_thrown_away(world: World) -> None:
    """The bot works with ann's token, and she is writing a review of her own."""
    opened(world)
    token = world.token_of("ann")
    pull = world.client(token).repository.get_pull(world.pull)
    pull.create_review(body="What I think")
    with pytest.raises(Exception, match="one pending review"):
        world.forge(token).review(
            MARK,
            world.pull,
            commit=world.head,
            body="Revise.",
            comments=(ReviewComment(path="pkg/a.py", line=3, body="here"),),
        )
    assert [(r.state, r.body) for r in pull.get_reviews()] == [("PENDING", "What I think")]


def fail_on(end: str) -> Callable[[str, str], None]:
    def before(verb: str, path: str) -> None:
        if path.endswith(end):
            raise ConnectionError(path)

    return before
