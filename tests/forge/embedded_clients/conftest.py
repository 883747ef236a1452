"""A running embedded GitHub and two people on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients_people import Person, commit_all, person

from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor


@pytest.fixture
def github(tmp_path: Path) -> Iterator[EmbeddedGitHub]:
    with EmbeddedGitHub(tmp_path / "data") as github:
        yield github


@pytest.fixture
def octavia(github: EmbeddedGitHub, tmp_path: Path) -> Person:
    """Owns what the tests create."""
    return person(github, tmp_path, "octavia", email="octavia@example.com", name="Octavia")


@pytest.fixture
def rufus(github: EmbeddedGitHub, tmp_path: Path) -> Person:
    """Reviews what octavia does."""
    return person(github, tmp_path, "rufus")


@pytest.fixture
def project(github: EmbeddedGitHub, octavia: Person, tmp_path: Path) -> Path:
    """A clone of octavia/demo with one commit on main."""
    github.store.repositories.create(octavia.account, "demo", Actor(octavia.account))
    octavia.git("clone", "-q", f"{github.url}/octavia/demo.git", "demo", cwd=octavia.home)
    clone = octavia.home / "demo"
    (clone / "hello.py").write_text("print('hello')\n")
    commit_all(octavia, clone, "Say hello")
    octavia.git("push", "-q", "origin", "HEAD:main", cwd=clone)
    return clone
