"""Opens the server's database, SQLite or Postgres, and brings its tables up to date."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError
from sqlalchemy.pool import ConnectionPoolEntry

from bot.base import RepowrightError

FILE_NAME = "repowright.sqlite3"

_BUSY_MILLISECONDS = 10_000
_CONNECT_SECONDS = 10
_FIRST = "0001"
# Any number of our own: workers that start at the same time migrate one after another.
_MIGRATION_LOCK = 0x7265_706F


def database_url(address: str | Path) -> URL:
    """SQLAlchemy's address of a database: the given one, or that of an SQLite file. Raise
    RepowrightError where it is none."""
    if "://" not in str(address):
        return URL.create("sqlite", database=str(Path(address).absolute()))
    try:
        url = make_url(str(address))
    except ArgumentError as error:
        raise _unusable("the address of the database cannot be read") from error
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise _unusable(f"`{url.get_backend_name()}` is no kind of database that can be used")
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    return url


def open_database(address: str | Path) -> Engine:
    """The database at an address or in a file, with its tables as this version knows them; raise
    RepowrightError where it cannot be used.

    Every commit is on disk when it returns. https://www.sqlite.org/pragma.html#pragma_synchronous
    """
    url = database_url(address)
    try:
        engine = _engine(url)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise _unusable(f"the driver of {url.drivername} is not installed") from error
    try:
        with engine.begin() as connection:
            migrate(connection)
    except CommandError as error:
        engine.dispose()
        raise RepowrightError(
            f"the database cannot be brought up to date: {error}",
            where=url.render_as_string(hide_password=True),
            hint="it may be that of a newer version: start that, or restore an older copy",
        ) from error
    except DatabaseError as error:
        engine.dispose()
        raise RepowrightError(
            f"the database cannot be used: {' '.join(str(error.orig).split())}",
            where=url.render_as_string(hide_password=True),
            hint="check that it is reachable and has space, and permissions; a broken SQLite file "
            "can be moved away",
        ) from error
    return engine


def migrate(connection: Connection) -> None:
    """Bring the tables up to date within the connection's transaction; those of the first version,
    which kept no record of itself, are taken for that."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", "bot.runs:migrations")
    tables = inspect(connection).get_table_names()
    if "deliveries" in tables and "alembic_version" not in tables:
        command.stamp(config, _FIRST)
    command.upgrade(config, "head")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "postgresql":
        # A connection that the server has dropped is found out before it is used.
        return create_engine(
            url,
            pool_pre_ping=True,
            # Errors would name what was written: deliveries of private repositories, for one.
            hide_parameters=True,
            connect_args={"connect_timeout": _CONNECT_SECONDS},
        )
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, hide_parameters=True)
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
    cursor.close()


def _begin(connection: Connection) -> None:
    """Take the write lock at once, so that no two transactions wait for one another."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _unusable(problem: str) -> RepowrightError:
    return RepowrightError(
        problem,
        where="database",
        hint="give a file, or postgresql://USER:PASSWORD@HOST/NAME",
    )
