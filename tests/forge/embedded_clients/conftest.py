"""A running embedded GitHub and two people on it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients_people import Person, commit_all, person
from judged import judged

from bot.base import RepowrightError
from bot.checks.environment import Environment
from bot.checks.sandbox import Bubblewrap
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.actions.runner import find_act
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.ports.sandbox import SandboxJob


@pytest.fixture
def github(tmp_path: Path) -> Iterator[EmbeddedGitHub]:
    github = EmbeddedGitHub(tmp_path / "data")
    with judged(github), github:
        yield github


@pytest.fixture
def github_with_actions(tmp_path: Path) -> Iterator[EmbeddedGitHub]:
    """One that runs workflows, with the real act in the real sandbox."""
    sandbox = Bubblewrap()
    try:
        sandbox.run(SandboxJob(argv=("/bin/true",), workdir=Path("/")))
        act = find_act()
    except RepowrightError as error:
        pytest.skip(str(error))
    environment = Environment.at(Path(sys.prefix))
    actions = LocalActions(sandbox, prepare=lambda _: environment, act=act)
    github = EmbeddedGitHub(tmp_path / "data", actions=actions)
    with judged(github), github:
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
