"""The server's database with the state of its tables, and the store of experiences."""

from pathlib import Path

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import URL, create_engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from bot.base import RepowrightError
from bot.doctor.finding import Finding, Status, finding, of_error
from bot.experience.store import SqlExperiences
from bot.experience.tables import FILE_NAME, OFF, address_of
from bot.runs.database import database_url
from bot.serverconfig import ServerSettings

_NAME = "database"


def examine_storage(settings: ServerSettings) -> list[Finding]:
    """Changes nothing: what is missing is made when the server starts."""
    return [_database(settings), _experiences(settings)]


def _database(settings: ServerSettings) -> Finding:
    try:
        url = database_url(settings.database_address)
    except RepowrightError as error:
        return of_error(_NAME, "database_failed", error)
    shown = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite":
        if not Path(url.database or "").is_file():
            return finding(_NAME, Status.OK, "database_none", place=url.database)
        shown = str(url.database)
    try:
        return _tables(url, shown)
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        problem = str(getattr(error, "orig", None) or error).splitlines()[0]
        return finding(_NAME, Status.FAIL, "database_unreachable", place=shown, problem=problem)


def _tables(url: URL, shown: str) -> Finding:
    config = Config()
    config.set_main_option("script_location", "bot.runs:migrations")
    scripts = ScriptDirectory.from_config(config)
    newest = scripts.get_current_head()
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            there = MigrationContext.configure(connection).get_current_revision()
            filled = "deliveries" in inspect(connection).get_table_names()
    finally:
        engine.dispose()
    if there == newest:
        return finding(_NAME, Status.OK, "database_ok", place=shown, version=newest)
    if there is None and not filled:
        return finding(_NAME, Status.OK, "database_empty", place=shown)
    try:
        scripts.get_revision(there or "base")
    except CommandError:
        return finding(_NAME, Status.FAIL, "database_newer", place=shown, version=there)
    return finding(_NAME, Status.WARNING, "database_older", place=shown, version=there or "0001")


def _experiences(settings: ServerSettings) -> Finding:
    name = "experience"
    if settings.experience == OFF:
        return finding(name, Status.SKIPPED, "experience_off")
    place = settings.experience or str(settings.data / FILE_NAME)
    if "://" not in place and not Path(place).is_file():
        return finding(name, Status.OK, "experience_none", place=place)
    try:
        SqlExperiences(address_of(place)).open().close()
    except RepowrightError as error:
        return of_error(name, "experience_failed", error)
    return finding(name, Status.OK, "experience_ok")
