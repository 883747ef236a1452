"""The servers and worlds that these tests stand on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from folder_remote import git, push_by_hand
from github_world import Machine, World
from judged import judged
from loopback import Reply, Scripted


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted()
    yield server
    server.close()


@pytest.fixture
def other() -> Iterator[Scripted]:
    server = Scripted()
    yield server
    server.close()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    made = Machine(tmp_path_factory.mktemp("github"))
    with judged(made.github, requests=True):
        yield made
    made.github.stop()


@pytest.fixture
def world(machine: Machine, tmp_path: Path) -> Iterator[World]:
    made = World(machine, tmp_path)
    yield made
    made.line.close()


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    folder = tmp_path / "remote.git"
    folder.mkdir()
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main")
    push_by_hand(folder, "main", "README.md", "Hello\n")
    return folder
