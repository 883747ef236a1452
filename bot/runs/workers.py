"""Which workers live: each beats, and one that has stopped is found by the others."""

from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.base import RepowrightError
from bot.runs.tables import WORKERS


class NameTaken(RepowrightError):
    """Another worker of this name lives."""


class Workers(Protocol):
    def enter(self, id: str, session: str, now: datetime, patience: timedelta) -> None:
        """Begin or go on under a name; raise NameTaken where another session beats under
        it. A session is that of a data folder, which one process has at a time."""
        ...

    def leave(self, id: str, session: str) -> None:
        """Stop on purpose: others may take over at once."""
        ...

    def dead(self, id: str, now: datetime, patience: timedelta) -> tuple[str, ...]:
        """The names of the others that have not beaten for longer than `patience`, or have left."""
        ...

    def forget(self, id: str) -> None:
        """A dead worker's work has been taken over."""
        ...

    def alive(self, now: datetime, patience: timedelta) -> int: ...


class SqlWorkers:
    """The list of workers in the server's database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def enter(self, id: str, session: str, now: datetime, patience: timedelta) -> None:
        c = WORKERS.c
        values = {"session": session, "beat": now.timestamp()}
        stale = (c.session == session) | (c.beat < (now - patience).timestamp())
        mine = (c.id == id) & stale
        with self._engine.begin() as connection:
            known = connection.execute(update(WORKERS).where(mine).values(values)).rowcount
        if known:
            return
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(WORKERS).values(id=id, **values))
        except IntegrityError as error:
            raise NameTaken(
                f"another worker works as `{id}` on this database",
                where="worker_id",
                hint="give each worker a `worker_id` of its own; after a crash wait for "
                f"{patience.total_seconds():.0f} seconds",
            ) from error

    def leave(self, id: str, session: str) -> None:
        c = WORKERS.c
        mine = (c.id == id) & (c.session == session)
        with self._engine.begin() as connection:
            connection.execute(update(WORKERS).where(mine).values(beat=0.0))

    def dead(self, id: str, now: datetime, patience: timedelta) -> tuple[str, ...]:
        c = WORKERS.c
        found = select(c.id).where((c.id != id) & (c.beat < (now - patience).timestamp()))
        with self._engine.connect() as connection:
            return tuple(connection.execute(found).scalars())

    def forget(self, id: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(WORKERS).where(WORKERS.c.id == id))

    def alive(self, now: datetime, patience: timedelta) -> int:
        fresh = select(WORKERS.c.id).where(WORKERS.c.beat >= (now - patience).timestamp())
        with self._engine.connect() as connection:
            return len(connection.execute(fresh).all())
