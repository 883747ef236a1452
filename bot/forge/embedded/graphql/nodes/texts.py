"""What issues, pull requests, reviews and comments share: an author, a body, reactions."""

from datetime import datetime
from typing import Any, ClassVar, TypeVar

from bot.forge.embedded.graphql.nodes.base import Located
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.pages.markdown import Place, render
from bot.forge.embedded.shapes.people import association
from bot.forge.embedded.store import rows

CONTENTS = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
"""GraphQL's names of reactions and the REST API's."""

T = TypeVar("T", rows.Issue, rows.Comment, rows.Review, rows.ReviewComment)


class Text(Located[T]):
    """A text by somebody in a repository."""

    subject: ClassVar[str] = ""
    """The store's name for what reactions hang on; empty where there are none."""
    area: ClassVar[str] = "issues"
    """The permission that changing it takes."""

    @property
    def _repository(self) -> rows.Repository:
        return self._store.repositories.get(self._row.repository_id)

    def repository(self) -> Any:
        return self._context.node(self._repository)

    def author(self) -> Any:
        return self._context.account(self._row.author_id)

    def author_association(self) -> str:
        author = self._store.accounts.get(self._row.author_id)
        return association(self._context.shapes, self._repository, author)

    def body(self) -> str:
        return self._row.body or ""

    def body_html(self) -> str:
        return str(render(self.body(), self._place()))

    def body_text(self) -> str:
        return render(self.body(), self._place()).striptags()

    def includes_created_edit(self) -> bool:
        return False

    def viewer_did_author(self) -> bool:
        return self._context.is_viewer(self._row.author_id)

    def viewer_can_update(self) -> bool:
        allows = self._store.repositories.allows
        return self.viewer_did_author() or allows(
            self._context.actor, self._repository, self.area, "write"
        )

    def reaction_groups(self) -> list["ReactionGroup"]:
        found = self._store.issues.reactions(self.subject, self._row.id) if self.subject else []
        return [
            ReactionGroup(self, content, [r for r in found if r.content == name])
            for content, name in CONTENTS.items()
        ]

    def reacted(self, reactions: list[rows.Reaction], page: Any) -> Connection:
        people = [self._store.accounts.get(reaction.account_id) for reaction in reactions]
        return self._people(people, page)

    def is_reacting(self, reactions: list[rows.Reaction]) -> bool:
        return any(self._context.is_viewer(reaction.account_id) for reaction in reactions)

    def _place(self) -> Place:
        return Place(repository=self._repository.full_name, origin=self._context.shapes.url)


class ReactionGroup:
    def __init__(self, text: Text[Any], content: str, reactions: list[rows.Reaction]) -> None:
        self._text = text
        self._reactions = reactions
        self.content = content

    def created_at(self) -> datetime | None:
        return min((reaction.created_at for reaction in self._reactions), default=None)

    def users(self, **page: Any) -> Connection:
        return self._text.reacted(self._reactions, page)

    def viewer_has_reacted(self) -> bool:
        return self._text.is_reacting(self._reactions)
