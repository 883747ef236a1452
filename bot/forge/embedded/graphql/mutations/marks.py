"""Labels, assignees, locks and reactions, on issues and pull requests alike."""

from bot.forge.embedded.graphql.mutations.base import Given, Mutations, Payload, area_of
from bot.forge.embedded.graphql.nodes.texts import CONTENTS
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account, Comment, Issue, Pull, ReviewComment, Row

_LOCK_REASONS = {
    "OFF_TOPIC": "off-topic",
    "TOO_HEATED": "too heated",
    "RESOLVED": "resolved",
    "SPAM": "spam",
}


class MarkMutations(Mutations):
    # Labels

    def add_labels_to_labelable(self, given: Given) -> Payload:
        repository, issue = self._conversation(given["labelableId"])
        self._require(repository, area_of(issue), "triage")
        names = self._label_names(repository, given["labelIds"])
        new = self._store.issues.add_labels(repository, issue, self._actor, names)
        return {"labelable": self._context.node(new)}

    def remove_labels_from_labelable(self, given: Given) -> Payload:
        repository, issue = self._conversation(given["labelableId"])
        self._require(repository, area_of(issue), "triage")
        gone = self._label_names(repository, given["labelIds"])
        labels = self._store.issues.label_rows(issue)
        left = tuple(label.name for label in labels if label.name not in gone)
        new = self._store.issues.set_labels(repository, issue, self._actor, left)
        return {"labelable": self._context.node(new)}

    # Assignees

    def add_assignees_to_assignable(self, given: Given) -> Payload:
        return self._assign(given, adding=True)

    def remove_assignees_from_assignable(self, given: Given) -> Payload:
        return self._assign(given, adding=False)

    def _assign(self, given: Given, *, adding: bool) -> Payload:
        repository, issue = self._conversation(given["assignableId"])
        self._require(repository, area_of(issue), "triage")
        named = [account.id for account in self._rows(given["assigneeIds"], Account)]
        left = [i for i in issue.assignee_ids if i not in named]
        new = self._store.issues.edit(
            repository, issue, self._actor, assignee_ids=tuple(left + named if adding else left)
        )
        return {"assignable": self._context.node(new)}

    # Locks

    def lock_lockable(self, given: Given) -> Payload:
        repository, issue = self._conversation(given["lockableId"])
        self._require(repository, area_of(issue), "write")
        reason = given.get("lockReason")
        new = self._store.issues.lock(
            repository, issue, self._actor, _LOCK_REASONS[reason] if reason else None
        )
        return {"actor": self._viewer(), "lockedRecord": self._context.node(new)}

    def unlock_lockable(self, given: Given) -> Payload:
        repository, issue = self._conversation(given["lockableId"])
        self._require(repository, area_of(issue), "write")
        new = self._store.issues.unlock(repository, issue, self._actor)
        return {"actor": self._viewer(), "unlockedRecord": self._context.node(new)}

    # Reactions

    def add_reaction(self, given: Given) -> Payload:
        subject, row, shown = self._reactable(given["subjectId"])
        content = CONTENTS[given["content"]]
        reaction, _ = self._store.issues.react(subject, row, self._actor, content)
        return {"reaction": self._context.node(reaction), "subject": self._context.node(shown)}

    def remove_reaction(self, given: Given) -> Payload:
        subject, row, shown = self._reactable(given["subjectId"])
        mine = [
            reaction
            for reaction in self._store.issues.reactions(subject, row.id)
            if self._context.is_viewer(reaction.account_id)
            and reaction.content == CONTENTS[given["content"]]
        ]
        if not mine:
            raise Refused(404, "Could not find the reaction to remove")
        self._store.issues.unreact(mine[0])
        return {"reaction": self._context.node(mine[0]), "subject": self._context.node(shown)}

    def _reactable(self, identity: str) -> tuple[str, Row, Row]:
        """The store's name of the subject, the row reactions hang on, and the one to show."""
        row = self._one_of(identity, Issue, Pull, Comment, ReviewComment)
        repository = self._repository(row.repository_id)
        if isinstance(row, ReviewComment):
            self._require(repository, "pull_requests", "contribute")
            return "review_comment", row, row
        self._require(repository, "issues", "contribute")
        if isinstance(row, Comment):
            return "comment", row, row
        return "issue", self._store.pulls.issue(row) if isinstance(row, Pull) else row, row
