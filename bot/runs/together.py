"""One commit for all that wait: a disk takes a hundred rows in one transaction about as fast as
one, and what comes meanwhile waits for the next."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError

T = TypeVar("T")
R = TypeVar("R")

_MOST = 100


class _Ticket(Generic[T, R]):
    """An item that waits for its answer."""

    def __init__(self, item: T) -> None:
        self.item = item
        self.answers: list[R] = []
        self.error: BaseException | None = None

    @property
    def open(self) -> bool:
        return not self.answers and self.error is None


class Together(Generic[T, R]):
    """Calls `write` with the items of all threads that wait, in the order in which they came, and
    gives each the answer to its own. Whichever thread comes first writes for the others, so nothing
    runs beside them and nothing waits longer than it must."""

    def __init__(self, write: Callable[[Sequence[T]], Sequence[R]]) -> None:
        """`write` answers each item; where it raises SQLAlchemyError it has written none."""
        self._write = write
        self._writing = threading.Lock()
        self._waiting: deque[_Ticket[T, R]] = deque()

    def __call__(self, item: T) -> R:
        """Return the answer when the item is written; raise SQLAlchemyError where it cannot be."""
        ticket: _Ticket[T, R] = _Ticket(item)
        self._waiting.append(ticket)
        with self._writing:
            while ticket.open:
                self._serve([self._waiting.popleft() for _ in range(self._next())])
        if ticket.error is not None:
            raise ticket.error
        return ticket.answers[0]

    def __len__(self) -> int:
        """How many items wait."""
        return len(self._waiting)

    def _next(self) -> int:
        return min(len(self), _MOST)

    def _serve(self, tickets: Sequence[_Ticket[T, R]]) -> None:
        try:
            answers = self._write([ticket.item for ticket in tickets])
        except SQLAlchemyError as error:
            self._fail(tickets, error)
        except BaseException as error:
            for ticket in tickets:
                ticket.error = error
            raise
        else:
            for ticket, answer in zip(tickets, answers, strict=True):
                ticket.answers.append(answer)

    def _fail(self, tickets: Sequence[_Ticket[T, R]], error: SQLAlchemyError) -> None:
        """One that cannot be written must not keep the others from it."""
        if len(tickets) == 1:
            tickets[0].error = error
            return
        for ticket in tickets:
            self._serve([ticket])
