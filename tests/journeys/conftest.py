"""Fixtures of the journeys."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tally_journey import TALLY, Journey

from bot.specfolder import read_folder


@pytest.fixture
def tally_files() -> dict[str, bytes]:
    return read_folder(TALLY)


@pytest.fixture
def journey(tmp_path: Path) -> Iterator[Journey]:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    found = Journey(tmp_path / "out")
    yield found
    found.close()
