"""Issues that leave a repository: transferred to another one, or deleted.

https://docs.github.com/issues/tracking-your-work-with-issues/administering-issues/transferring-an-issue-to-another-repository
https://docs.github.com/issues/tracking-your-work-with-issues/administering-issues/deleting-an-issue
"""

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, invalid
from bot.forge.embedded.store.repositories import Repositories
from bot.forge.embedded.store.rows import Issue, Json, LostIssue, Repository


class Departures:
    def __init__(self, core: Core, repositories: Repositories) -> None:
        self._core = core
        self._tables = core.tables
        self._repositories = repositories

    def transfer(self, repository: Repository, issue: Issue, by: Actor, to: Repository) -> Issue:
        """Comments go along; of the labels those that the other repository has by name. Only
        between repositories of one owner, and never a pull request."""
        if issue.is_pull or to.owner_id != repository.owner_id or to.id == repository.id:
            raise invalid("Issue", "repository", "cannot be transferred there", code="invalid")
        names = [self._tables.labels.get(i).name for i in issue.label_ids]
        found = [self._repositories.label(to, name) for name in names]
        with self._core.transaction():
            number = self._repositories.get(to.id).last_number + 1
            self._tables.repositories.update(to, last_number=number)
            new = self._tables.issues.update(
                issue,
                repository_id=to.id,
                number=number,
                label_ids=tuple(label.id for label in found if label),
                milestone_id=None,
                updated_at=self._core.now(),
            )
            for comment in self._tables.comments.find(issue_id=issue.id):
                self._tables.comments.update(comment, repository_id=to.id)
            self._leave(issue, to, number)
            self._core.publish("issues", "transferred", by, repository, issue=issue)
            self._core.publish("issues", "opened", by, to, issue=new)
        return new

    def delete(self, repository: Repository, issue: Issue, by: Actor) -> None:
        with self._core.transaction():
            self._tables.comments.delete(issue_id=issue.id)
            self._tables.issues.delete(id=issue.id)
            self._leave(issue)
            self._core.publish("issues", "deleted", by, repository, issue=issue)

    def check(self, repository: Repository, number: int) -> tuple[Repository, int] | None:
        """Where the issue is now, None where there never was one; 410 where it was deleted.
        https://docs.github.com/rest/issues/issues#get-an-issue
        """
        lost = self._tables.lost_issues.one(repository_id=repository.id, number=number)
        if lost is None:
            return None
        if lost.to_repository_id is None or lost.to_number is None:
            raise Refused(
                410,
                "This issue was deleted",
                docs="https://docs.github.com/rest/issues/issues#get-an-issue",
            )
        place = self._tables.repositories.one(id=lost.to_repository_id)
        return (place, lost.to_number) if place else None

    def _leave(self, issue: Issue, to: Repository | None = None, number: int | None = None) -> None:
        values: Json = {"repository_id": issue.repository_id, "number": issue.number}
        if to is not None:
            values |= {"to_repository_id": to.id, "to_number": number}
        self._tables.lost_issues.insert(LostIssue.model_validate(values))
