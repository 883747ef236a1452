"""What every GraphQL object stands on: who asks, of which store, and how rows become objects."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from bot.forge.embedded.graphql.paging import Connection, Page
from bot.forge.embedded.limits import Quota
from bot.forge.embedded.shapes.base import Shapes, node_id
from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.rows import Account, Repository, Row

R = TypeVar("R", bound=Row)
Maker = Callable[["Context", Any], Any]


@dataclass(frozen=True)
class Context:
    """One request: the actor sees what the store lets them see."""

    shapes: Shapes
    actor: Actor
    makers: Mapping[type[Row], Maker]
    quota: Quota

    @property
    def store(self) -> Store:
        return self.shapes.store

    def node(self, row: Row | None) -> Any:
        """The GraphQL object of a row."""
        return None if row is None else self.makers[type(row)](self, row)

    def account(self, identity: int | None) -> Any:
        return None if identity is None else self.node(self.store.accounts.get(identity))

    def connection(self, rows: Sequence[Row], page: Page) -> Connection:
        return Connection(rows, page, self.node)

    def sees(self, repository: Repository) -> bool:
        return self.store.repositories.allows(self.actor, repository, "metadata", "read")

    def is_viewer(self, account_id: int) -> bool:
        return self.actor.account is not None and self.actor.account.id == account_id


class Node(Generic[R]):
    """A GraphQL object of one row; every method is a field in snake case."""

    def __init__(self, context: Context, row: R) -> None:
        self._context = context
        self._row = row
        self._store = context.store

    def id(self) -> str:
        return node_id(type(self).__name__, self._row.id)

    def database_id(self) -> int:
        return self._row.id

    def full_database_id(self) -> str:
        return str(self._row.id)

    def _people(self, accounts: Sequence[Account], page: Page) -> Connection:
        """A connection of users: organizations and bots are left out."""
        return self._context.connection([a for a in accounts if a.kind == "User"], page)


class Located(Node[R]):
    """An object with a page of its own at `location` below the web address."""

    def location(self) -> str:
        raise NotImplementedError

    def url(self) -> str:
        return self._context.shapes.web(self.location())

    def resource_path(self) -> str:
        return f"/{self.location()}"


def by_creation(row: Any) -> tuple[datetime, int]:
    """Sort key of rows by age."""
    return row.created_at, row.id
