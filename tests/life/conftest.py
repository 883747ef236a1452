"""Fixtures of the tests of what happens around a run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from life_world import TO_CHECK, Life


def _closed(folder: Path, legs: int) -> Life:
    made = Life(folder)
    made.go(legs)
    made.close()
    return made


@pytest.fixture(scope="session")
def planned_once(tmp_path_factory: pytest.TempPathFactory) -> Life:
    return _closed(tmp_path_factory.mktemp("life") / "planned", 2)


@pytest.fixture(scope="session")
def checking_once(tmp_path_factory: pytest.TempPathFactory) -> Life:
    return _closed(tmp_path_factory.mktemp("life") / "checking", TO_CHECK)


@pytest.fixture
def planned(planned_once: Life, tmp_path: Path) -> Iterator[Life]:
    """The structure is settled; there is no code yet."""
    made = Life(tmp_path / "life", like=planned_once)
    yield made
    made.close()


@pytest.fixture
def checking(checking_once: Life, tmp_path: Path) -> Iterator[Life]:
    """Code is pushed, and the run waits for its check tests."""
    made = Life(tmp_path / "life", like=checking_once)
    yield made
    made.close()
