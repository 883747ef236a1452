"""Pull requests: one per run, found again by mark or branch, never opened twice."""

from github.PullRequest import PullRequest as Pull

from bot.forge.github import marks
from bot.forge.github.client import GitHubClient
from bot.forge.github.errors import Refused
from bot.forge.github.pages import objects
from bot.forge.github.people import is_ours, login_of
from bot.forge.github.writes import Writer
from bot.ports.forge import PullRequest

_INVALID = 422
_NO_DRAFTS = "draft pull requests are not supported"


class Pulls:
    def __init__(self, client: GitHubClient, writer: Writer) -> None:
        self._client = client
        self._writer = writer

    def open(
        self, mark: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        text = self._writer.marked(body, mark)

        def create() -> Pull:
            return self._client.repository.create_pull(
                base=base, head=head, title=self._writer.title_line(title), body=text, draft=draft
            )

        try:
            pull = self._writer.once(lambda: self._find(mark, head, base), create)
        except Refused as refusal:
            # Private repositories of some plans have no drafts.
            if not (draft and refusal.status == _INVALID and _NO_DRAFTS in refusal.what.lower()):
                raise
            return self.open(mark, head=head, base=base, title=title, body=body, draft=False)
        return _data(pull)

    def get(self, number: int) -> PullRequest:
        return _data(self.pull(number))

    def describe(self, number: int, *, title: str, body: str) -> None:
        """The mark of the pull request stays, so that it is found again."""
        pull = self.pull(number)
        text = self._writer.with_mark_line(body, marks.mark_line(pull.body))
        line = self._writer.title_line(title)
        self._writer.set(lambda: pull.edit(title=line, body=text))

    def mark_ready(self, number: int) -> None:
        """https://docs.github.com/en/graphql/reference/mutations#markpullrequestreadyforreview

        REST has no such call. A workflow's token needs `contents: write` for it as well.
        """

        def out_of_draft() -> Pull | None:
            pull = self.pull(number)
            return None if pull.draft else pull

        def leave_draft() -> Pull:
            pull = self.pull(number)
            pull.mark_ready_for_review()
            return pull

        self._writer.once(out_of_draft, leave_draft)

    def close(self, number: int) -> None:
        pull = self.pull(number)
        if pull.state == "open":
            self._writer.set(lambda: pull.edit(state="closed"))

    def pull(self, number: int) -> Pull:
        return self._client.repository.get_pull(number)

    def _find(self, mark: str, head: str, base: str) -> Pull | None:
        """Ours by mark; else an open one of ours between these branches, since GitHub allows no
        second. Redirects drop the filter, so the branch is compared here too."""
        repository = self._client.repository
        owner = repository.owner.login
        pulls = [
            pull
            for pull in objects(
                Pull,
                self._client.transport,
                f"{repository.url}/pulls",
                state="all",
                head=f"{owner}:{head}",
            )
            if pull.head.ref == head and not _from_fork(pull)
        ]
        marked_ones = [p for p in pulls if is_ours(self._client, p.user, p.body, mark)]
        mine = [
            p
            for p in pulls
            if p.state == "open" and p.base.ref == base and self._client.is_me(login_of(p.user))
        ]
        return next(iter(marked_ones + mine), None)


def _from_fork(pull: Pull) -> bool:
    return pull.head.repo is None or pull.head.repo.full_name != pull.base.repo.full_name


def _data(pull: Pull) -> PullRequest:
    return PullRequest(
        number=pull.number,
        title=pull.title,
        body=pull.body or "",
        head=pull.head.ref,
        base=pull.base.ref,
        head_sha=pull.head.sha,
        draft=pull.draft,
        state="open" if pull.state == "open" else "closed",
        merged=pull.merged,
        html_url=pull.html_url,
        merged_by=login_of(pull.merged_by) if pull.merged else "",
        conflicts=None if pull.mergeable is None else not pull.mergeable,
        default_branch=pull.base.repo.default_branch,
    )
