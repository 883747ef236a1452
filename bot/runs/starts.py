"""Starts of runs within the last day, counted in the server's database."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol

from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, select

from bot.base import Data
from bot.config import CeilingSettings
from bot.runs.tables import STARTS

_DAY = timedelta(days=1)


class Full(Data):
    """No run may start until `again`: so many have started within a day, which is the limit of the
    repository or of the person. `told` are the issues that have heard of it, this one included."""

    of: Literal["repository", "person"]
    count: int
    again: datetime
    told: int


class Starts(Protocol):
    def admit(
        self, repository: str, issue: int, person: str, said: datetime, ceilings: CeilingSettings
    ) -> Full | None:
        """Count a start that was asked for at `said`; the same one again is not counted again."""
        ...


class Unlimited:
    """Lets every run start: for hosts of one run."""

    def admit(
        self, repository: str, issue: int, person: str, said: datetime, ceilings: CeilingSettings
    ) -> Full | None:
        return None


class SqlStarts:
    """Starts in the server's database, shared by all of its workers. Two that ask at the same
    moment may both be let in: one start too many does no harm."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self._engine = engine
        self._clock = clock

    def admit(
        self, repository: str, issue: int, person: str, said: datetime, ceilings: CeilingSettings
    ) -> Full | None:
        repository, person, now = repository.lower(), person.lower(), self._clock()
        row = {
            "repository": repository,
            "issue": issue,
            "person": person,
            "said": said.timestamp(),
            "at": now.timestamp(),
        }
        c = STARTS.c
        with self._engine.begin() as connection:
            connection.execute(delete(STARTS).where(c.at <= (now - _DAY).timestamp()))
            same = (c.repository == repository) & (c.issue == issue) & c.admitted
            if _count(connection, same & (c.said == said.timestamp())):
                return None
            full = _full(connection, repository, person, ceilings)
            if full is None:
                connection.execute(insert(STARTS).values(**row, admitted=True))
                return None
            mine = (c.repository == repository) & ~c.admitted
            if not _count(connection, mine & (c.issue == issue)):
                connection.execute(insert(STARTS).values(**row, admitted=False))
            return full.model_copy(update={"told": _count(connection, mine)})


def _full(
    connection: Connection, repository: str, person: str, ceilings: CeilingSettings
) -> Full | None:
    c = STARTS.c
    limits: tuple[tuple[Literal["repository", "person"], ColumnElement[bool], int], ...] = (
        ("repository", c.admitted & (c.repository == repository), ceilings.starts_of_repository),
        ("person", c.admitted & (c.person == person), ceilings.starts_of_person),
    )
    for of, theirs, limit in limits:
        times = select(c.at).where(theirs).order_by(c.at)
        found = list(connection.execute(times).scalars())
        if len(found) >= limit and (of == "repository" or person):
            oldest = found[len(found) - limit] if limit else found[-1] if found else 0.0
            again = datetime.fromtimestamp(oldest, UTC) + _DAY
            return Full(of=of, count=len(found), again=again, told=0)
    return None


def _count(connection: Connection, which: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).select_from(STARTS).where(which)).scalar_one()
