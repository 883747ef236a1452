"""Reviews with inline comments, and the threads that follow them."""

from typing import Any

from bot.forge.embedded.graphql.mutations.base import Given, Mutations, Payload
from bot.forge.embedded.graphql.nodes.threads import thread_of
from bot.forge.embedded.graphql.paging import Edge
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.reviews import InlineComment
from bot.forge.embedded.store.rows import Pull, Repository, Review, ReviewComment


class ReviewMutations(Mutations):
    def add_pull_request_review(self, given: Given) -> Payload:
        """Without an event the review stays pending."""
        repository, pull = self._pull(given["pullRequestId"])
        self._require(repository, "pull_requests", "contribute")
        comments = [_at_position(comment) for comment in given.get("comments") or ()]
        comments += [_at_line(thread) for thread in given.get("threads") or ()]
        review = self._store.reviews.create(
            repository,
            pull,
            self._actor,
            event=given.get("event") or "PENDING",
            body=given.get("body") or "",
            commit=given.get("commitOID"),
            comments=tuple(comments),
        )
        place = len(self._store.reviews.of(pull, self._actor)) - 1
        node = self._context.node(review)
        return {"pullRequestReview": node, "reviewEdge": Edge(place, node)}

    def submit_pull_request_review(self, given: Given) -> Payload:
        review = self._pending(given)
        repository = self._repository(review.repository_id)
        self._require(repository, "pull_requests", "contribute")
        new = self._store.reviews.submit(
            repository, review, self._actor, given["event"], given.get("body")
        )
        return {"pullRequestReview": self._context.node(new)}

    def dismiss_pull_request_review(self, given: Given) -> Payload:
        review = self._row(given["pullRequestReviewId"], Review)
        repository = self._repository(review.repository_id)
        self._require(repository, "pull_requests", "write")
        new = self._store.reviews.dismiss(repository, review, self._actor, given["message"])
        return {"pullRequestReview": self._context.node(new)}

    def add_pull_request_review_thread_reply(self, given: Given) -> Payload:
        repository, first = self._thread(given["pullRequestReviewThreadId"])
        self._require(repository, "pull_requests", "contribute")
        pull = self._store.pulls.get(first.pull_id)
        reply = self._store.reviews.reply(repository, pull, self._actor, first, given["body"])
        return {"comment": self._context.node(reply)}

    def resolve_review_thread(self, given: Given) -> Payload:
        return self._resolve(given, resolved=True)

    def unresolve_review_thread(self, given: Given) -> Payload:
        return self._resolve(given, resolved=False)

    def _resolve(self, given: Given, *, resolved: bool) -> Payload:
        """For the pull request's author and those with write access.
        https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request#resolving-conversations
        """
        repository, first = self._thread(given["threadId"])
        author = self._store.pulls.issue(self._store.pulls.get(first.pull_id)).author_id
        self._require_own(repository, "pull_requests", author, "write")
        new = self._store.reviews.resolve(first, self._actor, resolved)
        return {"thread": thread_of(self._context, new)}

    def _thread(self, identity: str) -> tuple[Repository, ReviewComment]:
        first = self._row(identity, ReviewComment)
        return self._repository(first.repository_id), first

    def _pending(self, given: Given) -> Review:
        """The review of the id, or the actor's pending one on the pull request."""
        if given.get("pullRequestReviewId"):
            return self._row(given["pullRequestReviewId"], Review)
        pull = self._row(given.get("pullRequestId") or "", Pull)
        found = self._store.tables.reviews.one(
            pull_id=pull.id, author_id=self._actor.user.id, state="PENDING"
        )
        if found is None:
            raise Refused(404, "Could not find pending review to submit")
        return found


def _at_position(given: dict[str, Any]) -> InlineComment:
    return InlineComment(given["path"], given["body"], position=given["position"])


def _at_line(given: dict[str, Any]) -> InlineComment:
    start = given.get("startLine")
    return InlineComment(
        given["path"],
        given["body"],
        line=given["line"],
        side=given["side"],
        start_line=start,
        start_side=given["startSide"] if start else None,
    )
