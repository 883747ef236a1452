"""The stores that the tests of this folder run against: SQLite always, Postgres where there is
one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from bot.bench.postgres import PostgresMissing, private_postgres
from bot.experience.store import SqlExperiences
from bot.experience.tables import METADATA


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a Postgres of our own."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    try:
        with private_postgres(durable=False) as address:
            yield address
    except PostgresMissing as missing:
        pytest.skip(missing.sentence)


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'experience.sqlite'}"
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def store(address: str) -> Iterator[SqlExperiences]:
    _clear(address)
    opened = SqlExperiences(address)
    yield opened
    opened.close()


def _clear(address: str) -> None:
    engine = create_engine(address)
    METADATA.drop_all(engine)
    engine.dispose()
