"""Fixtures of the server's tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_town import Town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path)
    yield made
    made.close()


@pytest.fixture
def working_town(tmp_path: Path) -> Iterator[Town]:
    """A town where workflows run."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    made = Town(tmp_path, actions=True)
    yield made
    made.close()
