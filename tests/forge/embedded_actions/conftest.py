"""An embedded GitHub that runs workflows with the real act."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from actions_hub import Hub

from bot.base import RepowrightError
from bot.checks.environment import Environment
from bot.checks.sandbox import Bubblewrap
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.actions.runner import Prepare, find_act
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.ports.sandbox import Limits, Sandbox, SandboxJob

LIMITS = Limits(seconds=60, memory=2048, processes=512, output=4, disk=64)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    sandbox = Bubblewrap()
    try:
        sandbox.run(SandboxJob(argv=("/bin/true",), workdir=Path("/")))
        act = find_act()
    except RepowrightError as error:
        pytest.skip(str(error))

    def make(
        prepare: Prepare = lambda _: Environment.at(Path(sys.prefix)), box: Sandbox = sandbox
    ) -> LocalActions:
        return LocalActions(box, prepare=prepare, limits=LIMITS, act=act)

    actions = make()
    with EmbeddedGitHub(tmp_path / "data", actions=actions) as github:
        store = github.store
        ada = Actor(store.accounts.create("ada", email="ada@example.org"))
        hub = Hub(github, actions, store.repositories.create(ada.user, "shop"), ada, make)
        store.bus.subscribe(hub.events.append)
        yield hub
