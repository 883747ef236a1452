"""Opening, changing, readying and merging pull requests."""

from typing import Any

from bot.forge.embedded.graphql.mutations.base import Given, Payload
from bot.forge.embedded.graphql.mutations.issues import IssueMutations
from bot.forge.embedded.store import merging
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account, Pull, Repository


class PullMutations(IssueMutations):
    def create_pull_request(self, given: Given) -> Payload:
        repository = self._repository(self._row(given["repositoryId"], Repository).id)
        self._require(repository, "pull_requests", "contribute")
        pull = self._store.pulls.create(
            repository,
            self._actor,
            title=given["title"],
            head=given["headRefName"],
            base=given["baseRefName"],
            body=given.get("body"),
            draft=bool(given["draft"]),
            maintainer_can_modify=bool(given["maintainerCanModify"]),
        )
        return {"pullRequest": self._context.node(pull)}

    def update_pull_request(self, given: Given) -> Payload:
        repository, pull = self._own(given)
        changes: dict[str, Any] = {}
        if given.get("baseRefName"):
            changes["base_ref"] = given["baseRefName"]
        if given.get("maintainerCanModify") is not None:
            changes["maintainer_can_modify"] = given["maintainerCanModify"]
        state = given.pop("state", None)
        if state:
            changes["state"] = state.lower()
        pull = self._store.pulls.edit(repository, pull, self._actor, **changes)
        self._change(self._store.pulls.issue(pull), given)
        return {"actor": self._viewer(), **self._shown(pull)}

    def close_pull_request(self, given: Given) -> Payload:
        repository, pull = self._own(given, level="triage")
        return self._shown(self._store.pulls.edit(repository, pull, self._actor, state="closed"))

    def reopen_pull_request(self, given: Given) -> Payload:
        repository, pull = self._own(given, level="triage")
        return self._shown(self._store.pulls.edit(repository, pull, self._actor, state="open"))

    def mark_pull_request_ready_for_review(self, given: Given) -> Payload:
        return self._set_draft(given, draft=False)

    def convert_pull_request_to_draft(self, given: Given) -> Payload:
        return self._set_draft(given, draft=True)

    def request_reviews(self, given: Given) -> Payload:
        repository, pull = self._own(given)
        people = tuple(self._rows(given.get("userIds"), Account))
        if not given.get("union"):
            gone = [i for i in pull.requested_reviewer_ids if i not in {a.id for a in people}]
            accounts = tuple(self._store.accounts.get(identity) for identity in gone)
            pull = self._store.pulls.remove_reviewers(pull, accounts)
        pull = self._store.pulls.request_reviewers(repository, pull, self._actor, people)
        return {"actor": self._viewer(), **self._shown(pull)}

    def merge_pull_request(self, given: Given) -> Payload:
        repository, pull = self._pull(given["pullRequestId"])
        self._require(repository, "contents", "write")
        merging.merge(
            self._store,
            repository,
            pull,
            self._actor,
            method=(given.get("mergeMethod") or "MERGE").lower(),
            title=given.get("commitHeadline"),
            message=given.get("commitBody"),
            expected_head=given.get("expectedHeadOid"),
        )
        return {"actor": self._viewer(), **self._shown(self._store.pulls.get(pull.id))}

    def update_pull_request_branch(self, given: Given) -> Payload:
        repository, pull = self._pull(given["pullRequestId"])
        self._require(repository, "contents", "write")
        merging.update_branch(
            self._store,
            repository,
            pull,
            self._actor,
            expected_head=given.get("expectedHeadOid"),
            rebase=given.get("updateMethod") == "REBASE",
        )
        return self._shown(self._store.pulls.get(pull.id))

    def _set_draft(self, given: Given, *, draft: bool) -> Payload:
        """https://docs.github.com/graphql/reference/mutations#markpullrequestreadyforreview"""
        repository, pull = self._own(given)
        if self._store.pulls.issue(pull).state != "open":
            raise Refused(422, "Pull request is closed")
        return self._shown(self._store.pulls.set_draft(repository, pull, self._actor, draft))

    def _own(self, given: Given, level: str = "write") -> tuple[Repository, Pull]:
        """The pull request, for its author and those with write access."""
        repository, pull = self._pull(given["pullRequestId"])
        author = self._store.pulls.issue(pull).author_id
        self._require_own(repository, "pull_requests", author, level)
        return repository, pull

    def _shown(self, pull: Pull) -> Payload:
        return {"pullRequest": self._context.node(pull)}
