"""Creating repositories and changing their settings."""

from typing import Any

from bot.forge.embedded.graphql.mutations.base import Given, Mutations, Payload
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account, Repository

_COLUMNS = {
    "name": "name",
    "description": "description",
    "homepageUrl": "homepage",
    "hasIssuesEnabled": "has_issues",
}


class RepositoryMutations(Mutations):
    def create_repository(self, given: Given) -> Payload:
        """An empty repository; a wiki that is asked for is not made."""
        owner = self._owner(given.get("ownerId"))
        repository = self._store.repositories.create(
            owner,
            given["name"],
            self._actor,
            private=given["visibility"] != "PUBLIC",
            description=given.get("description"),
            homepage=given.get("homepageUrl"),
            has_issues=bool(given["hasIssuesEnabled"]),
        )
        return {"repository": self._context.node(repository)}

    def update_repository(self, given: Given) -> Payload:
        repository = self._administered(given)
        changes: dict[str, Any] = {
            column: given[name] for name, column in _COLUMNS.items() if given.get(name) is not None
        }
        return self._edit(repository, **changes)

    def archive_repository(self, given: Given) -> Payload:
        return self._edit(self._administered(given), archived=True)

    def unarchive_repository(self, given: Given) -> Payload:
        return self._edit(self._administered(given), archived=False)

    def _edit(self, repository: Repository, **changes: Any) -> Payload:
        new = self._store.repositories.edit(repository, self._actor, **changes)
        return {"repository": self._context.node(new)}

    def _administered(self, given: Given) -> Repository:
        repository = self._row(given["repositoryId"], Repository)
        self._require(repository, "administration", "admin")
        return repository

    def _owner(self, identity: str | None) -> Account:
        """The actor, or an organization that the actor administers."""
        user = self._actor.user
        if identity is None:
            return user
        owner = self._row(identity, Account)
        if owner.id != user.id and not self._store.accounts.administers(user, owner):
            raise Refused(403, f"{user.login} cannot create a repository for {owner.login}.")
        return owner
