"""Opens the server's database, SQLite or Postgres, and brings its tables up to date."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

from bot.base import RepowrightError
from bot.databases import engine_of, with_driver

FILE_NAME = "repowright.sqlite3"

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
    return with_driver(url)


def open_database(address: str | Path) -> Engine:
    """The database at an address or in a file, with its tables as this version knows them; raise
    RepowrightError where it cannot be used."""
    url = database_url(address)
    try:
        engine = engine_of(url)
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


def _unusable(problem: str) -> RepowrightError:
    return RepowrightError(
        problem,
        where="database",
        hint="give a file, or postgresql://USER:PASSWORD@HOST/NAME",
    )
