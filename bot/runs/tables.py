"""The server's database: deliveries, the queue, the index of runs. Everything in it can be built
anew from GitHub, but for deliveries that were not worked yet."""

from pathlib import Path

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
)
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import ConnectionPoolEntry

from bot.base import RepowrightError

METADATA = MetaData()
_BUSY_MILLISECONDS = 10_000

# Times are seconds since 1970 in UTC; repositories are OWNER/NAME in lower case.

DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(100), nullable=False, unique=True),
    Column("event", String(100), nullable=False),
    Column("content_type", String(100), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("received_at", Float, nullable=False),
    Column("state", String(10), nullable=False),
    Column("note", Text, nullable=False, default=""),
)
Index("deliveries_state", DELIVERIES.c.state, DELIVERIES.c.number)

TASKS = Table(
    "tasks",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("repository", String(200), nullable=False),
    Column("installation", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("due", Float, nullable=False),
    Column("taken", Boolean, nullable=False, default=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("trouble", Text, nullable=False, default=""),
)
Index("tasks_repository", TASKS.c.repository, TASKS.c.taken)
Index("tasks_due", TASKS.c.due)

RUNS = Table(
    "runs",
    METADATA,
    Column("repository", String(200), primary_key=True),
    Column("issue", Integer, primary_key=True, autoincrement=False),
    Column("run_id", String(100), nullable=False),
    Column("title", Text, nullable=False),
    Column("pull_request", Integer, nullable=False),
    Column("phase", String(20), nullable=False),
    Column("outcome", String(40), nullable=False),
    Column("waits_for", String(20), nullable=False),
    Column("ref_commit", String(64), nullable=False),
    Column("updated_at", Float, nullable=False),
)
Index("runs_pull_request", RUNS.c.repository, RUNS.c.pull_request)

SWEEPS = Table(
    "sweeps",
    METADATA,
    Column("repository", String(200), primary_key=True),
    Column("heard_until", Float, nullable=False),
)


def open_database(path: Path) -> Engine:
    """The database in a file, with its tables; raise RepowrightError where it cannot be used.

    Every commit is on disk when it returns. https://www.sqlite.org/pragma.html#pragma_synchronous
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    try:
        METADATA.create_all(engine)
    except DatabaseError as error:
        engine.dispose()
        raise RepowrightError(
            f"the database cannot be used: {error.orig}",
            where=str(path),
            hint="check the folder's permissions and space; a broken file can be moved away",
        ) from error
    return engine


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # Transactions are begun by `_begin`, not by Python's driver.
    # https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#pysqlite-serializable
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Take the write lock at once, so that no two transactions wait for one another."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
