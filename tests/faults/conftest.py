"""Fixtures of the fault tests: the run that nothing strikes, played once."""

import pytest

from bot.bench.faults.bench import played
from bot.bench.faults.cases import Reference
from bot.bench.faults.world import Story


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return played(tmp_path_factory.mktemp("faults"), [Story.APP])[Story.APP]
