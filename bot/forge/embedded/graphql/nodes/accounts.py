"""People, organizations and bots."""

from typing import Any, ClassVar

from bot.forge.embedded.graphql.nodes.base import Context, Located
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.store import rows

_ORDER = {
    "CREATED_AT": "created_at",
    "NAME": "name",
    "PUSHED_AT": "pushed_at",
    "STARGAZERS": "created_at",
    "UPDATED_AT": "updated_at",
}


class _Account(Located[rows.Account]):
    def location(self) -> str:
        return self._row.login

    def login(self) -> str:
        """Bots are called without the suffix that the REST API gives them."""
        return self._row.login.removesuffix("[bot]")

    def name(self) -> str | None:
        return self._row.name

    def created_at(self) -> Any:
        return self._row.created_at

    def avatar_url(self, size: int | None = None) -> str:
        return self._context.shapes.web(f"avatars/{self._row.id}")


class _Owner(_Account):
    def repositories(
        self,
        order_by: dict[str, str] | None = None,
        privacy: str | None = None,
        visibility: str | None = None,
        is_archived: bool | None = None,
        is_fork: bool | None = None,
        owner_affiliations: list[str] | None = None,
        **page: Any,
    ) -> Connection:
        private = {"PRIVATE": True, "PUBLIC": False}.get(privacy or visibility or "")
        found = [
            repository
            for repository in self._owned(owner_affiliations or ["OWNER"])
            if private in (None, repository.private)
            and is_archived in (None, repository.archived)
            and is_fork is not True
            and self._context.sees(repository)
        ]
        if order_by:
            column = _ORDER[order_by["field"]]
            found.sort(
                key=lambda repository: getattr(repository, column) or repository.created_at,
                reverse=order_by["direction"] == "DESC",
            )
        return self._context.connection(found, page)

    def repository(self, name: str, follow_renames: bool = True) -> Any:
        found = self._store.repositories.find(self._row.login, name)
        if found is None and follow_renames:
            found = self._store.repositories.redirected(self._row.login, name)
        return self._context.node(found) if found and self._context.sees(found) else None

    def _owned(self, affiliations: list[str]) -> list[rows.Repository]:
        owned = self._store.repositories.owned_by(self._row) if "OWNER" in affiliations else []
        if "COLLABORATOR" in affiliations:
            shared = self._store.tables.collaborators.find(account_id=self._row.id)
            owned = owned + [self._store.repositories.get(c.repository_id) for c in shared]
        return owned


class User(_Owner):
    bio: ClassVar[None] = None
    company: ClassVar[None] = None

    def login(self) -> str:
        """The viewer that an App's token has is called as the REST API calls its bot."""
        return self._row.login

    def email(self) -> str:
        return self._row.email or ""

    def is_viewer(self) -> bool:
        return self._context.is_viewer(self._row.id)

    def organizations(self, **page: Any) -> Connection:
        return self._context.connection(self._store.accounts.organizations(self._row), page)


class Organization(_Owner):
    description: ClassVar[None] = None

    def email(self) -> str | None:
        return self._row.email

    def teams(self, query: str | None = None, order_by: Any = None, **page: Any) -> Connection:
        return Connection([], page)


class Bot(_Account):
    def location(self) -> str:
        return f"apps/{self.login()}"


def make_account(context: Context, row: rows.Account) -> User | Organization | Bot:
    kinds: dict[str, type[User | Organization | Bot]] = {
        "User": User,
        "Organization": Organization,
        "Bot": Bot,
    }
    return kinds[row.kind](context, row)
