"""Writes of a credential, counted in the server's database: several workers together are held to
the limits of one."""

import logging
import time
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, Float, Select, cast, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from bot.ports.writes import Slot, WriteBook, WriteLimits
from bot.runs.tables import WRITES

_log = logging.getLogger("repowright.runs")


class SqlWrites:
    """Implements WriteBook for one credential by the database's clock, since machines' clocks
    differ. Where the database does not answer, `alone` counts those of this process."""

    def __init__(
        self, engine: Engine, credential: str, limits: WriteLimits, alone: WriteBook
    ) -> None:
        self._engine = engine
        self._credential = credential
        self._limits = limits
        self._alone = alone

    def reserve(self, soonest: float, latest: float, *, creates: bool) -> Slot:
        try:
            with self._engine.begin() as connection:
                return self._reserve(connection, soonest, latest, creates)
        except SQLAlchemyError as error:
            _log.error("writes are counted in this process alone: %s", error)
            return self._alone.reserve(soonest, latest, creates=creates)

    def give_back(self, slot: Slot) -> None:
        c = WRITES.c
        gone = (c.credential == self._credential) & (c.number == slot.number)
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(WRITES).where(gone))
        except SQLAlchemyError as error:
            # It counts for an hour, though nothing went out: we wait a little too long.
            _log.error("a write that did not go out stays counted: %s", error)

    def _reserve(
        self, connection: Connection, soonest: float, latest: float, creates: bool
    ) -> Slot:
        c = WRITES.c
        now = self._locked(connection)
        due = max(now + soonest, self._free_from(connection, creates))
        if due - now > latest:
            return Slot(wait=due - now, number=None)
        longest, _ = self._limits.windows[-1]
        old = (c.credential == self._credential) & (c.at < now - longest)
        connection.execute(delete(WRITES).where(old))
        row = {"credential": self._credential, "at": due, "creates": creates}
        placing = insert(WRITES).values(row).returning(c.number)
        return Slot(wait=due - now, number=connection.execute(placing).scalar_one())

    def _locked(self, connection: Connection) -> float:
        """The database's time, in seconds since 1970, once no other reserves for this credential:
        SQLite lets one write at a time as it is."""
        if connection.dialect.name != "postgresql":
            return time.time()
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(self._credential))))
        clock = cast(func.extract("epoch", func.clock_timestamp()), Float)
        return float(connection.execute(select(clock)).scalar_one())

    def _free_from(self, connection: Connection, creates: bool) -> float:
        """The earliest time at which all limits allow a write, in seconds since 1970."""
        c = WRITES.c
        newest = select(c.at).where(c.credential == self._credential).order_by(c.at.desc())
        found = partial(_first, connection)
        due = found(newest) + self._limits.gap
        if creates:
            made = newest.where(c.creates)
            due = max(due, *(found(made.offset(n - 1)) + s for s, n in self._limits.windows))
        return due


def _first(connection: Connection, times: Select[Any]) -> float:
    return float(connection.execute(times.limit(1)).scalar_one_or_none() or 0.0)
