"""What every mutation needs: the row behind an id, and whether the actor may change it."""

from typing import Any, TypeVar, cast

from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.query import find_row
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Issue, Label, Pull, Repository, Row

R = TypeVar("R", bound=Row)
Given = dict[str, Any]
"""The input of a mutation, as the schema has checked it."""
Payload = dict[str, Any]


class Mutations:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._actor = context.actor

    def perform(self, name: str, given: Given) -> Payload:
        """One mutation, as a whole or not at all: `gh` sends several at once for one issue."""
        with self._store.transaction():
            return cast("Payload", getattr(self, name)(given))

    def _row(self, identity: str, kind: type[R]) -> R:
        """The row of this kind that a global id names."""
        return cast("R", self._one_of(identity, kind))

    def _one_of(self, identity: str, *kinds: type[Row]) -> Any:
        found = find_row(self._context, identity)
        if not isinstance(found, kinds):
            raise Refused(404, f"Could not resolve to a node with the global id of '{identity}'")
        return found

    def _rows(self, identities: list[str] | None, kind: type[R]) -> list[R]:
        return [self._row(identity, kind) for identity in identities or ()]

    def _repository(self, repository_id: int) -> Repository:
        """The repository of a row that is to be changed."""
        repository = self._store.repositories.get(repository_id)
        if repository.archived:
            raise Refused(403, "Repository was archived so is read-only.")
        return repository

    def _require(self, repository: Repository, area: str, level: str) -> None:
        """https://docs.github.com/organizations/managing-user-access-to-your-organizations-repositories"""
        if not self._store.repositories.allows(self._actor, repository, area, level):
            login = self._actor.user.login
            raise Refused(403, f"{login} does not have the correct permissions to execute this")

    def _require_own(self, repository: Repository, area: str, author: int, level: str) -> None:
        """Authors may change what is theirs, others need `level`."""
        self._require(repository, area, "contribute" if self._context.is_viewer(author) else level)

    def _conversation(self, identity: str) -> tuple[Repository, Issue]:
        """An issue, or the issue half of a pull request, that is to be changed."""
        row = self._one_of(identity, Issue, Pull)
        issue = row if isinstance(row, Issue) else self._store.pulls.issue(row)
        return self._repository(issue.repository_id), issue

    def _pull(self, identity: str) -> tuple[Repository, Pull]:
        pull = self._row(identity, Pull)
        return self._repository(pull.repository_id), pull

    def _label_names(self, repository: Repository, identities: list[str]) -> tuple[str, ...]:
        labels = self._rows(identities, Label)
        if any(label.repository_id != repository.id for label in labels):
            raise Refused(422, "Labels must belong to the repository of what they are put on")
        return tuple(label.name for label in labels)

    def _viewer(self) -> Any:
        return self._context.node(self._actor.user)


def area_of(issue: Issue) -> str:
    return "pull_requests" if issue.is_pull else "issues"
