"""Reviews: the bot's, with inline comments where the diff has the line, and what people said."""

from collections.abc import Iterable

from github.Commit import Commit
from github.PullRequest import PullRequest as Pull
from github.PullRequest import ReviewComment as Inline
from github.PullRequestReview import PullRequestReview

from bot.forge.github.client import GitHubClient
from bot.forge.github.diff_lines import commentable, split
from bot.forge.github.errors import Refused
from bot.forge.github.people import is_bots, is_ours, login_of
from bot.forge.github.writes import Writer, phrases
from bot.markdown import defuse
from bot.ports.forge import HumanReview, ReviewComment

_INVALID = 422
# Reviews with more inline comments than this have been seen to time out.
_MOST_INLINE = 30


class Reviews:
    def __init__(self, client: GitHubClient, writer: Writer) -> None:
        self._client = client
        self._writer = writer

    def review(
        self, mark: str, number: int, *, commit: str, body: str, comments: tuple[ReviewComment, ...]
    ) -> str:
        pull = self._client.repository.get_pull(number)
        posted = self._writer.once(
            lambda: self._find(pull, mark), lambda: self._create(pull, mark, commit, body, comments)
        )
        return posted.html_url

    def human_reviews(self, number: int) -> tuple[HumanReview, ...]:
        pull = self._client.repository.get_pull(number)
        reviews = list(pull.get_reviews())
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
        for comment in pull.get_review_comments():
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

    def _find(self, pull: Pull, mark: str) -> PullRequestReview | None:
        return next(
            (r for r in pull.get_reviews() if is_ours(self._client, r.user, r.body, mark)), None
        )

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
            # The whole review is refused for one line; nothing was posted.
            if refusal.status != _INVALID or not inline:
                raise
        text = _with_notes(body, (phrases().off_diff, comments))
        return self._post(pull, mark, commit, text, ())

    def _post(
        self, pull: Pull, mark: str, commit: str, body: str, inline: Iterable[ReviewComment]
    ) -> PullRequestReview:
        """A COMMENT: on its own pull request an account can do neither of the two others."""
        notes: list[Inline] = [
            {"path": c.path, "line": c.line, "side": "RIGHT", "body": self._writer.fitting(c.body)}
            for c in inline
        ]
        at = Commit(self._client.transport, {}, {"sha": commit}, completed=True)
        return pull.create_review(
            commit=at, body=self._writer.marked(body, mark), event="COMMENT", comments=notes
        )

    def _lines(self, pull: Pull, commit: str) -> dict[str, frozenset[int]]:
        """The pull request's own list holds up to 3,000 files, a comparison 300."""
        if pull.head.sha == commit:
            return commentable(pull.get_files())
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
