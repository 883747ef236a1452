"""Webhook deliveries, stored before they are answered and kept until they are worked."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol

from sqlalchemy import Engine, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bot.base import Data
from bot.runs.tables import DELIVERIES
from bot.runs.together import Together

Settled = Literal["worked", "ignored"]

# GitHub redelivers for three days; an id must be known for longer.
# https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
KEEP = timedelta(days=7)

_LONGEST_NOTE = 500


class Delivery(Data):
    """One delivery as it came; `id` is its X-GitHub-Delivery."""

    id: str
    event: str
    content_type: str
    body: bytes
    received_at: datetime

    @property
    def headers(self) -> dict[str, str]:
        return {"x-github-event": self.event, "content-type": self.content_type}


class Deliveries(Protocol):
    def add(self, delivery: Delivery) -> bool:
        """Keep a delivery; False where one of that id is there already. When this returns it is
        on disk."""
        ...

    def pending(self, most: int) -> tuple[Delivery, ...]:
        """The oldest deliveries that are not settled."""
        ...

    def settle(self, id: str, state: Settled, note: str = "") -> None: ...

    def ignore(self, whys: Mapping[str, str]) -> None:
        """Settle those that ask for nothing, each with why, all in one go."""
        ...

    def waiting(self) -> int:
        """How many deliveries are not settled."""
        ...

    def oldest(self) -> datetime | None:
        """When the oldest of them came."""
        ...

    def forget(self, before: datetime) -> int:
        """Drop settled deliveries that came before; return how many. Their ids go too: see KEEP."""
        ...


class SqlDeliveries:
    """Deliveries in the server's database; safe to use from several threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert
        id_ = DELIVERIES.c.id
        self._insert = (
            insert(DELIVERIES).on_conflict_do_nothing(index_elements=[id_]).returning(id_)
        )
        self._together = Together(self._add_all)

    def add(self, delivery: Delivery) -> bool:
        return self._together(delivery)

    def _add_all(self, deliveries: Sequence[Delivery]) -> tuple[bool, ...]:
        """Whether each is new; of two with one id the first is."""
        with self._engine.begin() as connection:
            new = set(connection.execute(self._insert, [_row(d) for d in deliveries]).scalars())
        ids = [delivery.id for delivery in deliveries]
        return tuple(id_ in new and id_ not in ids[:n] for n, id_ in enumerate(ids))

    def pending(self, most: int) -> tuple[Delivery, ...]:
        c = DELIVERIES.c
        found = (
            select(c.id, c.event, c.content_type, c.body, c.received_at)
            .where(c.state == "stored")
            .order_by(c.number)
            .limit(most)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(found).mappings().all()
        return tuple(Delivery.model_validate(dict(row)) for row in rows)

    def settle(self, id: str, state: Settled, note: str = "") -> None:
        change = update(DELIVERIES).where(DELIVERIES.c.id == id)
        with self._engine.begin() as connection:
            connection.execute(change.values(state=state, note=note[:_LONGEST_NOTE]))

    def ignore(self, whys: Mapping[str, str]) -> None:
        if not whys:
            return
        c = DELIVERIES.c
        change = update(DELIVERIES).where(c.id == bindparam("of"))
        rows = [{"of": id_, "why": why[:_LONGEST_NOTE]} for id_, why in whys.items()]
        with self._engine.begin() as connection:
            connection.execute(change.values(state="ignored", note=bindparam("why")), rows)

    def waiting(self) -> int:
        counted = select(func.count()).where(DELIVERIES.c.state == "stored")
        with self._engine.connect() as connection:
            return connection.execute(counted).scalar_one()

    def oldest(self) -> datetime | None:
        c = DELIVERIES.c
        first = select(c.received_at).where(c.state == "stored").order_by(c.number).limit(1)
        with self._engine.connect() as connection:
            seconds = connection.execute(first).scalar_one_or_none()
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)

    def forget(self, before: datetime) -> int:
        c = DELIVERIES.c
        old = (c.state != "stored") & (c.received_at < before.timestamp())
        with self._engine.begin() as connection:
            return connection.execute(delete(DELIVERIES).where(old)).rowcount


def _row(delivery: Delivery) -> dict[str, object]:
    return {
        "id": delivery.id,
        "event": delivery.event,
        "content_type": delivery.content_type,
        "body": delivery.body,
        "received_at": delivery.received_at.timestamp(),
        "state": "stored",
        "note": "",
    }
