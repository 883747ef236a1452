"""What there is to do, by issue, and which durable workflow does it: events are put here before
anybody is told, and taken out when a leg has worked them, so none is lost between the two."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from bot.base import Data
from bot.runs.events import EVENT, Commanded, Event, Swept, Woken
from bot.runs.tables import TASKS, WORKFLOWS


class Address(Data):
    """An issue of a repository (OWNER/NAME in lower case); `issue` is 0 for the repository's own
    desk, where events wait whose issue is not known yet."""

    repository: str
    issue: int
    installation: int


class Task(Data):
    """One event to be worked."""

    number: int
    event: Event


class Ring(Data):
    """An address whose workflow is to be told of its tasks up to number `last`."""

    address: Address
    last: int


class Going(Data):
    """The newest workflow of an address that goes on, and when a leg last ended in it."""

    address: Address
    generation: int
    version: int
    moved_at: datetime


class Inbox(Protocol):
    def put(self, event: Event) -> None:
        """Keep an event. One that waits already is not doubled, but is new again: the leg that
        works it may have looked before this happened."""
        ...

    def to_ring(self) -> tuple[Ring, ...]:
        """Who has not been told yet of what waits, oldest first."""
        ...

    def rung(self, ring: Ring) -> None: ...

    def open(self, address: Address, version: int, now: datetime, *, dead: int = 0) -> int:
        """The generation of the workflow that attends to an address: the one that goes on, or
        another one where there is none, or it is of an earlier version, or it is `dead`."""
        ...

    def is_current(self, address: Address, generation: int) -> bool:
        """Whether this generation goes on."""
        ...

    def moved(self, address: Address, now: datetime) -> None:
        """A leg has ended."""
        ...

    def close(self, address: Address, generation: int, *, leaving: bool = False) -> bool:
        """End a generation; False where something waits that it has not worked. With `leaving`
        that is dropped, for a sweep to find again."""
        ...

    def renew(self, address: Address, generation: int) -> bool:
        """End a generation and have another one begun; whether it was the one that goes on."""
        ...

    def going(self) -> tuple[Going, ...]:
        """All workflows that go on."""
        ...

    def read(self, address: Address) -> tuple[Task, ...]:
        """What waits at an address, oldest first."""
        ...

    def done(self, tasks: Iterable[Task]) -> None: ...

    def waiting(self) -> int:
        """How many events nobody has worked."""
        ...


def address_of(event: Event) -> Address:
    """Where an event is worked; a command on a pull request at the repository's desk, which finds
    out whose it is."""
    issue = 0
    if isinstance(event, Commanded):
        issue = 0 if event.on_pull else event.number
    elif not isinstance(event, Swept):
        issue = event.issue
    return Address(
        repository=event.repository.lower(), issue=issue, installation=event.installation
    )


class SqlInbox:
    """The inbox in the server's database, for any number of processes and threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, event: Event) -> None:
        with self._engine.begin() as connection:
            _put(connection, event)

    def to_ring(self) -> tuple[Ring, ...]:
        c = TASKS.c
        found = (
            select(c.repository, c.issue, func.max(c.installation), func.max(c.number))
            .where(c.rung.is_(False))
            .group_by(c.repository, c.issue)
            .order_by(func.min(c.number))
        )
        with self._engine.connect() as connection:
            rows = connection.execute(found).all()
        return tuple(
            Ring(
                address=Address(repository=repository, issue=issue, installation=installation),
                last=last,
            )
            for repository, issue, installation, last in rows
        )

    def rung(self, ring: Ring) -> None:
        told = update(TASKS).where(_at(ring.address) & (TASKS.c.number <= ring.last))
        with self._engine.begin() as connection:
            connection.execute(told.values(rung=True))

    def open(self, address: Address, version: int, now: datetime, *, dead: int = 0) -> int:
        try:
            return self._open(address, version, now, dead)
        except IntegrityError:
            # Another process made the row between our look and our insert.
            return self._open(address, version, now, dead)

    def _open(self, address: Address, version: int, now: datetime, dead: int) -> int:
        c = WORKFLOWS.c
        mine = _of(address)
        with self._engine.begin() as connection:
            row = connection.execute(select(WORKFLOWS).where(mine).with_for_update()).first()
            if row is not None and row.open and _stands(row, version, dead):
                known: int = row.generation
                return known
            generation = row.generation + 1 if row else 1
            values = {
                "installation": address.installation,
                "generation": generation,
                "open": True,
                "version": str(version),
                "moved_at": now.timestamp(),
            }
            if row is None:
                connection.execute(
                    insert(WORKFLOWS).values(
                        repository=address.repository, issue=address.issue, **values
                    )
                )
            else:
                held = mine & (c.generation == row.generation)
                connection.execute(update(WORKFLOWS).where(held).values(values))
        return generation

    def is_current(self, address: Address, generation: int) -> bool:
        c = WORKFLOWS.c
        found = select(c.generation).where(_of(address) & c.open.is_(True))
        with self._engine.connect() as connection:
            return connection.execute(found).scalar_one_or_none() == generation

    def moved(self, address: Address, now: datetime) -> None:
        with self._engine.begin() as connection:
            connection.execute(
                update(WORKFLOWS).where(_of(address)).values(moved_at=now.timestamp())
            )

    def close(self, address: Address, generation: int, *, leaving: bool = False) -> bool:
        c = WORKFLOWS.c
        mine = _of(address) & (c.generation == generation)
        free = mine if leaving else mine & ~exists().where(_at(address))
        with self._engine.begin() as connection:
            if leaving:
                connection.execute(delete(TASKS).where(_at(address)))
            connection.execute(update(WORKFLOWS).where(free).values(open=False))
            # One that is no longer the current one is closed too.
            still = select(c.open).where(mine)
            return not connection.execute(still).scalar_one_or_none()

    def renew(self, address: Address, generation: int) -> bool:
        c = WORKFLOWS.c
        mine = _of(address) & (c.generation == generation) & c.open.is_(True)
        with self._engine.begin() as connection:
            ended = connection.execute(update(WORKFLOWS).where(mine).values(open=False)).rowcount
            if ended:
                # After the end, or the bell would ring for the one that ends.
                connection.execute(update(TASKS).where(_at(address)).values(rung=False))
                _put(connection, Woken(**address.model_dump(), why="renewed"))
            return bool(ended)

    def going(self) -> tuple[Going, ...]:
        found = select(WORKFLOWS).where(WORKFLOWS.c.open.is_(True))
        with self._engine.connect() as connection:
            rows = connection.execute(found).all()
        return tuple(
            Going(
                address=Address(
                    repository=row.repository, issue=row.issue, installation=row.installation
                ),
                generation=row.generation,
                version=int(row.version),
                moved_at=datetime.fromtimestamp(row.moved_at, UTC),
            )
            for row in rows
        )

    def read(self, address: Address) -> tuple[Task, ...]:
        c = TASKS.c
        found = select(c.number, c.event).where(_at(address)).order_by(c.number)
        with self._engine.connect() as connection:
            rows = connection.execute(found).all()
        return tuple(Task(number=n, event=EVENT.validate_json(event)) for n, event in rows)

    def done(self, tasks: Iterable[Task]) -> None:
        numbers: Sequence[int] = [task.number for task in tasks]
        if numbers:
            with self._engine.begin() as connection:
                connection.execute(delete(TASKS).where(TASKS.c.number.in_(numbers)))

    def waiting(self) -> int:
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(TASKS)).scalar_one()


def _put(connection: Connection, event: Event) -> None:
    address = address_of(event)
    values = address.model_dump() | {"event": event.model_dump_json(), "rung": False}
    same = _at(address) & (TASKS.c.event == values["event"])
    # In this order: SQLite gives the highest number again once it is free.
    placing = insert(TASKS).values(values).returning(TASKS.c.number)
    new = connection.execute(placing).scalar_one()
    connection.execute(delete(TASKS).where(same & (TASKS.c.number < new)))


def _at(address: Address) -> ColumnElement[bool]:
    c = TASKS.c
    return (c.repository == address.repository) & (c.issue == address.issue)


def _of(address: Address) -> ColumnElement[bool]:
    c = WORKFLOWS.c
    return (c.repository == address.repository) & (c.issue == address.issue)


def _stands(row: Row[Any], version: int, dead: int) -> bool:
    """Whether a workflow is neither dead nor of an earlier version."""
    return int(row.version) > version or (int(row.version) == version and row.generation != dead)
