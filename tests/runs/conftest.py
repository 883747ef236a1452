"""Fixtures of the server's tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_town import Town
from sqlalchemy import Engine

from bot.bench.postgres import PostgresMissing, private_postgres
from bot.runs.database import open_database


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


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database of either kind, with all tables."""
    if request.param == "sqlite":
        made = open_database(tmp_path / "runs.sqlite3")
        yield made
        made.dispose()
        return
    try:
        with private_postgres(durable=False) as address:
            made = open_database(address)
            yield made
            made.dispose()
    except PostgresMissing as missing:
        pytest.skip(missing.sentence)
