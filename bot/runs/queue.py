"""The queue of what there is to do, one repository at a time; behind a protocol, so that a
durable workflow engine can stand there too."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Protocol

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    delete,
    func,
    insert,
    select,
    update,
)

from bot.base import Data
from bot.runs.events import EVENT, Event
from bot.runs.tables import TASKS


class Task(Data):
    """One event to be worked; `attempts` counts the earlier tries that failed."""

    number: int
    event: Event
    attempts: int = 0


class Claim(Data):
    """Everything that is due in one repository, taken by one worker."""

    repository: str
    installation: int
    tasks: tuple[Task, ...]


class Queue(Protocol):
    def put(self, event: Event, due: datetime) -> None:
        """Remember that something is to do from `due` on. What waits already is not doubled: the
        earlier time counts."""
        ...

    def drop(self, event: Event) -> None:
        """Forget an event that waits: there is no need of it any more."""
        ...

    def take(self, now: datetime) -> Claim | None:
        """What is due in a repository where nobody works; None where there is nothing."""
        ...

    def done(self, tasks: Iterable[Task]) -> None: ...

    def again(self, tasks: Iterable[Task], due: datetime, trouble: str = "") -> None:
        """Give tasks back, to be taken again from `due` on; with a `trouble` the try counts."""
        ...

    def next_due(self) -> datetime | None:
        """When the next task that can be taken is due."""
        ...

    def recover(self) -> int:
        """Give back what a process that is no more had taken; return how many tasks."""
        ...

    def length(self) -> int: ...


class SqlQueue:
    """The queue in the server's database, for one process with several threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, event: Event, due: datetime) -> None:
        c = TASKS.c
        with self._engine.begin() as connection:
            waiting = connection.execute(select(c.number, c.due).where(_waits(event))).first()
            if waiting is None:
                connection.execute(
                    insert(TASKS).values(
                        repository=event.repository.lower(),
                        installation=event.installation,
                        event=event.model_dump_json(),
                        due=due.timestamp(),
                    )
                )
            elif waiting.due > due.timestamp():
                change = update(TASKS).where(c.number == waiting.number)
                connection.execute(change.values(due=due.timestamp()))

    def drop(self, event: Event) -> None:
        with self._engine.begin() as connection:
            connection.execute(delete(TASKS).where(_waits(event)))

    def take(self, now: datetime) -> Claim | None:
        c = TASKS.c
        due = (c.due <= now.timestamp()) & c.taken.is_(False)
        first = select(c.repository).where(due & c.repository.not_in(_busy())).order_by(c.due)
        with self._engine.begin() as connection:
            repository = connection.execute(first.limit(1)).scalar_one_or_none()
            if repository is None:
                return None
            chosen = select(TASKS).where(due & (c.repository == repository)).order_by(c.number)
            rows = connection.execute(chosen).all()
            _mark(connection, [row.number for row in rows])
        return _claim(repository, rows)

    def done(self, tasks: Iterable[Task]) -> None:
        numbers = [task.number for task in tasks]
        with self._engine.begin() as connection:
            connection.execute(delete(TASKS).where(TASKS.c.number.in_(numbers)))

    def again(self, tasks: Iterable[Task], due: datetime, trouble: str = "") -> None:
        numbers = [task.number for task in tasks]
        change = update(TASKS).where(TASKS.c.number.in_(numbers))
        with self._engine.begin() as connection:
            connection.execute(
                change.values(
                    taken=False,
                    due=due.timestamp(),
                    attempts=TASKS.c.attempts + (1 if trouble else 0),
                    trouble=trouble[:500],
                )
            )

    def next_due(self) -> datetime | None:
        free = TASKS.c.taken.is_(False) & TASKS.c.repository.not_in(_busy())
        earliest = select(func.min(TASKS.c.due)).where(free)
        with self._engine.connect() as connection:
            seconds = connection.execute(earliest).scalar_one()
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def recover(self) -> int:
        change = update(TASKS).where(TASKS.c.taken.is_(True)).values(taken=False)
        with self._engine.begin() as connection:
            return connection.execute(change).rowcount

    def length(self) -> int:
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(TASKS)).scalar_one()


def _waits(event: Event) -> ColumnElement[bool]:
    """The same event, where nobody has taken it."""
    c = TASKS.c
    same = (c.repository == event.repository.lower()) & (c.event == event.model_dump_json())
    return same & c.taken.is_(False)


def _busy() -> Select[tuple[str]]:
    """The repositories where somebody works."""
    return select(TASKS.c.repository).where(TASKS.c.taken.is_(True))


def _mark(connection: Connection, numbers: Sequence[int]) -> None:
    connection.execute(update(TASKS).where(TASKS.c.number.in_(numbers)).values(taken=True))


def _claim(repository: str, rows: Sequence[Row[tuple[object, ...]]]) -> Claim:
    return Claim(
        repository=repository,
        installation=max(row.installation for row in rows),
        tasks=tuple(
            Task(number=row.number, event=EVENT.validate_json(row.event), attempts=row.attempts)
            for row in rows
        ),
    )
