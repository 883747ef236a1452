"""How databases are opened, SQLite and Postgres: the same for every table there is."""

from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

_BUSY_MILLISECONDS = 10_000
_CONNECT_SECONDS = 10


def with_driver(url: URL) -> URL:
    """The address with the driver that this project installs, where it names none."""
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def engine_of(url: URL) -> Engine:
    """An engine for the address; the folder of an SQLite file is made. Every commit is on disk when
    it returns. Raise what SQLAlchemy raises for a driver that is missing, OSError for a folder.

    https://www.sqlite.org/pragma.html#pragma_synchronous
    """
    if url.get_backend_name() == "postgresql":
        # A connection that the server has dropped is found out before it is used.
        return create_engine(
            with_driver(url),
            pool_pre_ping=True,
            # Errors would name what was written: deliveries of private repositories, for one.
            hide_parameters=True,
            connect_args={"connect_timeout": _CONNECT_SECONDS},
        )
    if url.get_backend_name() == "sqlite" and url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, hide_parameters=True)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up)
        event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # Transactions are begun by `_begin`, not by Python's driver.
    # https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#pysqlite-serializable
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Take the write lock at once, so that no two transactions wait for one another."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
