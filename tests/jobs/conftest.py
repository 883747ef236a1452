"""Fixtures of the tests of jobs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from job_world import JobWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[JobWorld]:
    made = JobWorld(tmp_path)
    yield made
    made.close()
