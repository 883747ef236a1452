"""Reviews: the bot's, with inline comments where the diff has the line, and what people said."""

from collections.abc import Iterable, Iterator
from functools import partial

from github.Commit import Commit
from github.File import File
from github.PullRequest import PullRequest as Pull
from github.PullRequest import ReviewComment as Inline
from github.PullRequestComment import PullRequestComment
from github.PullRequestReview import PullRequestReview

from bot.forge.github.client import GitHubClient
from bot.forge.github.diff_lines import commentable, split
from bot.forge.github.errors import Refused
from bot.forge.github.pages import objects
from bot.forge.github.people import is_bots, is_ours, login_of
from bot.forge.github.writes import Writer, phrases
from bot.markdown import defuse
from bot.ports.forge import HumanReview, ReviewComment

_INVALID = 422
_GONE = (404, 410, 422)
_UNSEEN = "PENDING"
_ONE_UNSEEN = "one pending review"
# Reviews with more inline comments than this have been seen to time out.
_MOST_INLINE = 30


class Reviews:
    def __init__(self, client: GitHubClient, writer: Writer) -> None:
        self._client = client
        self._writer = writer

    def review(
        self, mark: str, number: int, *, commit: str, body: str, comments: tuple[ReviewComment, ...]
    ) -> str:
        """A review that is out cannot be taken back, so it is written unseen first. GitHub allows
        an account one such review, so that of two processes one finds the other's; and where that
        is out by then, ours is thrown away.
        https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request
        """
        pull = self._client.repository.get_pull(number)
        written = self._writer.once(
            lambda: self._find(pull, mark),
            lambda: self._create(pull, mark, commit, body, comments),
        )
        if written.state != _UNSEEN:
            return written.html_url
        first = self._find(pull, mark) or written
        if first.id != written.id:
            self._writer.set(lambda: self._discard(written))
        return self._writer.once(
            lambda: self._out(pull, mark), lambda: self._send(pull, first)
        ).html_url

    def human_reviews(self, number: int) -> tuple[HumanReview, ...]:
        pull = self._client.repository.get_pull(number)
        reviews = list(self._reviews(pull))
        ours = {r.id for r in reviews if is_bots(self._client, r.user, r.body)}
        said = [
            HumanReview(
                id=review.id,
                author=login_of(review.user),
                body=review.body,
                created_at=review.submitted_at,
            )
            for review in reviews
            if review.id not in ours and review.body and review.submitted_at
        ]
        transport = self._client.transport
        for comment in objects(PullRequestComment, transport, f"{pull.url}/comments"):
            if comment.pull_request_review_id in ours:
                continue
            if is_bots(self._client, comment.user, comment.body):
                continue
            said.append(
                HumanReview(
                    id=comment.id,
                    author=login_of(comment.user),
                    body=comment.body,
                    path=comment.path,
                    line=comment.line or comment.original_line,
                    created_at=comment.created_at,
                )
            )
        return tuple(sorted(said, key=lambda review: review.created_at))

    def _reviews(self, pull: Pull) -> Iterator[PullRequestReview]:
        return objects(PullRequestReview, self._client.transport, f"{pull.url}/reviews")

    def _find(self, pull: Pull, mark: str) -> PullRequestReview | None:
        """The first review of this mark, out or not."""
        return next(
            (r for r in self._reviews(pull) if is_ours(self._client, r.user, r.body, mark)), None
        )

    def _out(self, pull: Pull, mark: str) -> PullRequestReview | None:
        found = self._find(pull, mark)
        return found if found is not None and found.state != _UNSEEN else None

    def _send(self, pull: Pull, review: PullRequestReview) -> PullRequestReview:
        """A COMMENT: on its own pull request an account can do neither of the two others.
        https://docs.github.com/en/rest/pulls/reviews#submit-a-review-for-a-pull-request
        """
        headers, data = self._client.transport.requestJsonAndCheck(
            "POST",
            f"{pull.url}/reviews/{review.id}/events",
            input={"event": "COMMENT", "body": review.body},
        )
        return PullRequestReview(self._client.transport, headers, data)

    @staticmethod
    def _discard(review: PullRequestReview) -> None:
        try:
            review.delete()
        except Refused as refusal:
            if refusal.status not in _GONE:
                raise

    def _discard_others(self, pull: Pull, mark: str) -> bool:
        """Throw away a review that a run of ours wrote and never sent; whether there was one. A
        person's own draft, where we work with their token, is left alone."""
        left = [
            review
            for review in self._reviews(pull)
            if review.state == _UNSEEN
            and is_bots(self._client, review.user, review.body)
            and not is_ours(self._client, review.user, review.body, mark)
        ]
        for review in left:
            self._writer.set(partial(self._discard, review))
        return bool(left)

    def _create(
        self,
        pull: Pull,
        mark: str,
        commit: str,
        body: str,
        comments: tuple[ReviewComment, ...],
    ) -> PullRequestReview:
        inline, elsewhere = split(comments, self._lines(pull, commit))
        beyond = inline[_MOST_INLINE:]
        inline = inline[:_MOST_INLINE]
        text = _with_notes(body, (phrases().off_diff, elsewhere), (phrases().too_many, beyond))
        try:
            return self._post(pull, mark, commit, text, inline)
        except Refused as refusal:
            if refusal.status != _INVALID:
                raise
            if _ONE_UNSEEN in refusal.what.lower():
                if not self._discard_others(pull, mark):
                    raise
                return self._post(pull, mark, commit, text, inline)
            # The whole review is refused for one line; nothing was posted.
            if not inline:
                raise
        text = _with_notes(body, (phrases().off_diff, comments))
        return self._post(pull, mark, commit, text, ())

    def _post(
        self, pull: Pull, mark: str, commit: str, body: str, inline: Iterable[ReviewComment]
    ) -> PullRequestReview:
        """A review that nobody sees yet."""
        notes: list[Inline] = [
            {"path": c.path, "line": c.line, "side": "RIGHT", "body": self._writer.fitting(c.body)}
            for c in inline
        ]
        at = Commit(self._client.transport, {}, {"sha": commit}, completed=True)
        return pull.create_review(commit=at, body=self._writer.marked(body, mark), comments=notes)

    def _lines(self, pull: Pull, commit: str) -> dict[str, frozenset[int]]:
        """The pull request's own list holds up to 3,000 files, a comparison 300."""
        if pull.head.sha == commit:
            return commentable(objects(File, self._client.transport, f"{pull.url}/files"))
        compared = self._client.repository.compare(pull.base.ref, commit)
        return commentable(compared.files)


def _with_notes(body: str, *groups: tuple[str, tuple[ReviewComment, ...]]) -> str:
    """The body, followed by the comments that cannot stand on their lines."""
    parts = [body]
    for heading, notes in groups:
        if notes:
            parts.append(heading)
            parts += [f"**{defuse(note.path)}:{note.line}**\n\n{note.body}" for note in notes]
    return "\n\n".join(part for part in parts if part)
