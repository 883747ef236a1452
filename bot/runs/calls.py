"""Model calls in the server's database from the moment that they are answered until the run's ref
holds them: a worker that takes over from one that died pays for none of them again."""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from bot.runs.tables import CALLS

_log = logging.getLogger("repowright.runs")


class SqlCalls:
    """Implements CallKeeper for one run; `run` is unique over all repositories."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime], run: str) -> None:
        self._engine = engine
        self._clock = clock
        self._run = run

    def keep(self, name: str, content: bytes) -> None:
        insert = postgresql.insert if self._engine.dialect.name == "postgresql" else sqlite.insert
        at = self._clock().timestamp()
        row = insert(CALLS).values(run=self._run, name=name, content=content, at=at)
        try:
            with self._engine.begin() as connection:
                connection.execute(row.on_conflict_do_nothing())
        except SQLAlchemyError as error:
            # It is on this machine's disk; only another machine would ask again.
            _log.error("%s: %s cannot be kept in the database: %s", self._run, name, error)

    def kept(self) -> Mapping[str, bytes]:
        c = CALLS.c
        found = select(c.name, c.content).where(c.run == self._run)
        with self._engine.connect() as connection:
            return {name: bytes(content) for name, content in connection.execute(found)}

    def drop(self, names: Iterable[str]) -> None:
        c = CALLS.c
        gone = delete(CALLS).where((c.run == self._run) & c.name.in_(list(names)))
        with self._engine.begin() as connection:
            connection.execute(gone)


def forget_calls(engine: Engine, before: datetime) -> int:
    """Drop calls that were kept before; return how many. A run that goes on has asked for them by
    then: these are of runs that ended where their ref was not read again, or that are no more."""
    with engine.begin() as connection:
        return connection.execute(delete(CALLS).where(CALLS.c.at < before.timestamp())).rowcount
