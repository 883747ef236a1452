"""The embedded GitHub with one told run, and a browser that looks at it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_browser import Browser
from pages_story import Clock, Story, tell

from bot.forge.embedded.server import EmbeddedGitHub


@pytest.fixture
def github(tmp_path: Path) -> Iterator[EmbeddedGitHub]:
    """Started with local trust: pages look and act as dana."""
    with EmbeddedGitHub(tmp_path / "data", maintainer="dana") as running:
        yield running


@pytest.fixture
def story(github: EmbeddedGitHub) -> Story:
    return _tell(github)


@pytest.fixture
def browser(github: EmbeddedGitHub) -> Iterator[Browser]:
    made = Browser(github.url)
    with made.session:
        yield made


@pytest.fixture(scope="session")
def shared_github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGitHub]:
    folder = tmp_path_factory.mktemp("shared")
    with EmbeddedGitHub(folder / "data", maintainer="dana") as running:
        yield running


@pytest.fixture(scope="session")
def shared(shared_github: EmbeddedGitHub) -> Story:
    """A story that no test changes; tests may add repositories beside it."""
    return _tell(shared_github)


@pytest.fixture(scope="session")
def reader(shared_github: EmbeddedGitHub, shared: Story) -> Iterator[Browser]:
    """A browser on the shared story."""
    made = Browser(shared_github.url)
    with made.session:
        yield made


def _tell(github: EmbeddedGitHub) -> Story:
    clock = Clock()
    github.store.core.clock = clock
    return tell(github.store, clock)
