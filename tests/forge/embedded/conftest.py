"""A running embedded GitHub with a maintainer, a stranger and an installed App."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from embedded_world import MovedClock, World
from judged import judged

from bot.forge.embedded.limits import Limits
from bot.forge.embedded.seed import seed
from bot.forge.embedded.server import EmbeddedGitHub


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


MakeWorld = Callable[..., World]


@pytest.fixture
def make_world(tmp_path: Path, clock: MovedClock) -> Iterator[MakeWorld]:
    running = ExitStack()

    def make(**settings: Any) -> World:
        github = EmbeddedGitHub(tmp_path / "data", clock=clock, **settings)
        running.enter_context(judged(github))
        running.enter_context(github)
        seeded = seed(github.store, owner="maintainer", repo="project")
        stranger = github.store.accounts.create("stranger")
        token = github.store.tokens.create_personal(stranger)
        return World(github, seeded, token, clock, tmp_path)

    with running:
        yield make


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return make_world()


@pytest.fixture
def limited(make_world: MakeWorld) -> World:
    """A world with limits that a test can reach."""
    return make_world(limits=Limits(person=40, content_minute=5, content_hour=8))
