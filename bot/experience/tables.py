"""The tables of the experience store, on SQLite or Postgres."""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import (
    URL,
    Boolean,
    Column,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    make_url,
    select,
)
from sqlalchemy.exc import (
    ArgumentError,
    IntegrityError,
    NoSuchModuleError,
    ProgrammingError,
    SQLAlchemyError,
)

from bot.config import DATA_FOLDER
from bot.databases import engine_of
from bot.ports.experience import StoreUnavailable

METADATA = MetaData()
FILE_NAME = "experience.sqlite"
# Stands for no store at all, where a store can be named.
OFF = "off"

# `text` is an Experience in JSON, "" where it was deleted; repositories are OWNER/NAME in lower
# case. `tick` is the count of CLOCK when the row last changed.

EXPERIENCES = Table(
    "experiences",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("installation", Integer, nullable=False),
    Column("repository", String(200), nullable=False),
    Column("shared", Boolean, nullable=False),
    Column("id", String(16), nullable=False),
    Column("advice", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("learned", Integer, nullable=False),
    Column("improved", Integer, nullable=False),
    Column("no_effect", Integer, nullable=False),
    Column("regressed", Integer, nullable=False),
    Column("retired", Boolean, nullable=False, default=False),
    Column("tick", Integer, nullable=False),
    UniqueConstraint("installation", "repository", "id"),
)
Index("experiences_tick", EXPERIENCES.c.installation, EXPERIENCES.c.tick)
Index("experiences_id", EXPERIENCES.c.id)
Index("experiences_advice", EXPERIENCES.c.advice)

# Which step learnt what, so that a step that is repeated learns nothing twice.
LEARNT = Table(
    "experiences_learnt",
    METADATA,
    Column("mark", String(300), primary_key=True),
    Column("id", String(16), primary_key=True),
)

# What was given to which step, and what came of it; `effect` is "" until that is known.
GIVEN = Table(
    "experiences_given",
    METADATA,
    Column("mark", String(300), primary_key=True),
    Column("number", Integer, ForeignKey("experiences.number"), primary_key=True),
    Column("effect", String(20), nullable=False, default=""),
)

# Which repairs were judged; what came of a repair's advice is counted once.
JUDGED = Table("experiences_judged", METADATA, Column("mark", String(300), primary_key=True))

# Repositories that neither show nor see what others have taught.
UNSHARED = Table(
    "experiences_unshared",
    METADATA,
    Column("installation", Integer, primary_key=True, autoincrement=False),
    Column("repository", String(200), primary_key=True),
)

# One row. Writers take it first, so their ticks become visible in order.
CLOCK = Table(
    "experiences_clock",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("tick", Integer, nullable=False),
)


def default_store(environ: Mapping[str, str]) -> Path:
    """Where experience is kept unless somebody says otherwise: in the data folder, the same as
    the server's."""
    return Path(environ.get("REPOWRIGHT_DATA") or DATA_FOLDER) / FILE_NAME


def address_of(store: str | Path) -> str | URL:
    """SQLAlchemy's address of a database: an address as it is, or that of an SQLite file."""
    if "://" in str(store):
        return str(store)
    return URL.create("sqlite", database=str(Path(store).absolute()))


def open_tables(address: str | URL) -> Engine:
    """The database at an SQLAlchemy address, such as `sqlite:///FILE` or
    `postgresql://HOST/NAME`, with its tables; raise StoreUnavailable where it cannot be
    used. The folder of a file is made where it is missing."""
    try:
        engine = engine_of(make_url(address))
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise StoreUnavailable(
            f"this is no database that can be used: {error}",
            hint="give a file, or postgresql://USER@HOST/NAME with psycopg installed",
        ) from error
    except OSError as error:
        raise StoreUnavailable(
            f"the experience store's folder cannot be made: {error.strerror}",
            where=str(error.filename),
            hint="name another file",
        ) from error
    try:
        _make_tables(engine)
        _start_clock(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        raise unavailable(engine, error) from error
    return engine


def unavailable(engine: Engine, error: SQLAlchemyError) -> StoreUnavailable:
    """What went wrong with a database, in one sentence without its password."""
    said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return StoreUnavailable(
        f"the experience store cannot be used: {said}",
        where=engine.url.render_as_string(hide_password=True),
        hint="check that the database runs, and its permissions and space",
    )


def _make_tables(engine: Engine) -> None:
    try:
        METADATA.create_all(engine)
    except (IntegrityError, ProgrammingError):
        # Another process that opens the store made them meanwhile, or nobody may.
        METADATA.create_all(engine)


def _start_clock(engine: Engine) -> None:
    with engine.begin() as connection:
        if connection.scalar(select(CLOCK.c.tick)) is not None:
            return
    try:
        with engine.begin() as connection:
            connection.execute(CLOCK.insert().values(id=1, tick=0))
    except IntegrityError:
        # Another process that opens the store was quicker.
        return
