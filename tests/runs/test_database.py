"""The server's database, from the first schema on."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.base import RepowrightError
from bot.bench.postgres import PostgresMissing, private_postgres
from bot.runs.database import open_database
from bot.runs.deliveries import SqlDeliveries
from bot.runs.events import Commanded, Woken
from bot.runs.inbox import SqlInbox
from bot.runs.index import SqlRunIndex
from bot.runs.tables import METADATA

FIRST = Path(__file__).parent / "first_schema.sql"


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "new.sqlite3")
        return
    try:
        with private_postgres(durable=False) as found:
            yield found
    except PostgresMissing as missing:
        pytest.skip(missing.sentence)


def test_the_migrations_make_the_tables_that_the_code_knows(address: str) -> None:
    engine = open_database(address)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_processes_that_start_at_the_same_time_migrate_once(address: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        engines = list(pool.map(open_database, [address] * 4))
    assert [SqlDeliveries(engine).waiting() for engine in engines] == [0] * 4
    for engine in engines:
        engine.dispose()


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Nothing is lost: a delivery nobody read, what the queue held, the index."""
    path = tmp_path / "repowright.sqlite3"
    with sqlite3.connect(path) as old:
        old.executescript(FIRST.read_text("utf-8"))
    old.close()
    engine = open_database(path)
    inbox = SqlInbox(engine)
    assert [d.id for d in SqlDeliveries(engine).pending(9)] == ["d-1"]
    desk, issue = (ring.address for ring in reversed(inbox.to_ring()))
    assert (issue.repository, issue.issue, issue.installation) == ("ann/tally", 4, 7)
    assert [type(task.event) for task in inbox.read(issue)] == [Woken]
    assert desk.issue == 0
    assert [task.event for task in inbox.read(desk)] == [
        Commanded(repository="ann/tally", installation=7, number=9, on_pull=True, comment=31)
    ]
    [line] = SqlRunIndex(engine).lines()
    assert (line.run_id, line.pull_request, line.waits_for) == ("rw4-0123456789", 9, "check")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("mysql://localhost/bot", "`mysql` is no kind of database that can be used"),
        ("://bot", "the address of the database cannot be read"),
        ("postgresql://bot:geheim@127.0.0.1:1/bot", "the database cannot be used"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(
    address: str, says: str
) -> None:
    with pytest.raises(RepowrightError) as caught:
        open_database(address)
    assert says in caught.value.what
    assert "geheim" not in caught.value.sentence
