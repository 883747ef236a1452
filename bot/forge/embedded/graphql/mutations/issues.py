"""Opening, changing and closing issues, and talking on them."""

from bot.forge.embedded.graphql.mutations.base import Given, Mutations, Payload, area_of
from bot.forge.embedded.graphql.paging import Edge
from bot.forge.embedded.store.rows import Account, Comment, Issue, Json, Milestone, Repository


class IssueMutations(Mutations):
    def create_issue(self, given: Given) -> Payload:
        """Labels, assignees and milestone of people who may not set them are left out, as the
        REST API does (https://docs.github.com/rest/issues/issues#create-an-issue)."""
        repository = self._repository(self._row(given["repositoryId"], Repository).id)
        self._require(repository, "issues", "contribute")
        may = self._store.repositories.allows(self._actor, repository, "issues", "triage")
        labels = self._label_names(repository, given.get("labelIds") or []) if may else ()
        marks = self._marks(given) if may else {}
        issue = self._store.issues.create(
            repository, self._actor, given["title"], given.get("body"), labels=labels, **marks
        )
        return {"issue": self._context.node(issue)}

    def update_issue(self, given: Given) -> Payload:
        issue = self._row(given["id"], Issue)
        return {"actor": self._viewer(), "issue": self._context.node(self._change(issue, given))}

    def close_issue(self, given: Given) -> Payload:
        return self._set_state(given, "closed", (given.get("stateReason") or "COMPLETED").lower())

    def reopen_issue(self, given: Given) -> Payload:
        return self._set_state(given, "open", "reopened")

    def add_comment(self, given: Given) -> Payload:
        repository, issue = self._conversation(given["subjectId"])
        self._require(repository, area_of(issue), "contribute")
        comment = self._store.issues.comment(repository, issue, self._actor, given["body"])
        place = len(self._store.issues.comments(issue)) - 1
        edge = Edge(place, self._context.node(comment))
        return {"commentEdge": edge, "subject": self._context.node(issue)}

    def update_issue_comment(self, given: Given) -> Payload:
        comment = self._row(given["id"], Comment)
        repository = self._repository(comment.repository_id)
        self._require_own(repository, "issues", comment.author_id, "write")
        new = self._store.issues.edit_comment(repository, comment, self._actor, given["body"])
        return {"issueComment": self._context.node(new)}

    def delete_issue_comment(self, given: Given) -> Payload:
        comment = self._row(given["id"], Comment)
        repository = self._repository(comment.repository_id)
        self._require_own(repository, "issues", comment.author_id, "write")
        self._store.issues.delete_comment(repository, comment, self._actor)
        return {}

    def _change(self, issue: Issue, given: Given) -> Issue:
        """Title, body, state, labels, assignees and milestone of an issue or pull request."""
        repository = self._repository(issue.repository_id)
        texts: Json = {name: given[name] for name in ("title", "body") if name in given}
        if given.get("state"):
            texts["state"] = given["state"].lower()
        marks = self._marks(given)
        labels = given.get("labelIds")
        if texts:
            self._require_own(repository, area_of(issue), issue.author_id, "write")
        if marks or labels is not None:
            self._require(repository, area_of(issue), "triage")
        names = None if labels is None else self._label_names(repository, labels)
        return self._store.issues.edit(
            repository, issue, self._actor, labels=names, **texts, **marks
        )

    def _set_state(self, given: Given, state: str, reason: str) -> Payload:
        issue = self._row(given["issueId"], Issue)
        repository = self._repository(issue.repository_id)
        self._require_own(repository, "issues", issue.author_id, "triage")
        new = self._store.issues.edit(
            repository, issue, self._actor, state=state, state_reason=reason
        )
        return {"issue": self._context.node(new)}

    def _marks(self, given: Given) -> Json:
        marks: Json = {}
        if given.get("assigneeIds") is not None:
            people = self._rows(given["assigneeIds"], Account)
            marks["assignee_ids"] = tuple(account.id for account in people)
        if "milestoneId" in given:
            wanted = given["milestoneId"]
            marks["milestone_id"] = self._row(wanted, Milestone).id if wanted else None
        return marks
