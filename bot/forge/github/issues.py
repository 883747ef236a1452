"""The repository itself, its issues, comments, reactions and who may do what."""

from collections.abc import Iterator
from typing import Any, Literal, get_args
from urllib.parse import quote

import github.Issue
from github.GithubObject import NotSet
from github.InputGitAuthor import InputGitAuthor
from github.IssueComment import IssueComment

from bot.forge.github import marks
from bot.forge.github.client import GitHubClient
from bot.forge.github.errors import Refused
from bot.forge.github.gitstore import Identity
from bot.forge.github.pages import objects, rows
from bot.forge.github.people import is_bots, is_ours, login_of
from bot.forge.github.refusals import Barred, gone
from bot.forge.github.writes import Writer
from bot.markdown import unmention
from bot.markdown.mentions import clean
from bot.ports.forge import Comment, ForgeError, Issue, IssueGone, Permission, Repository

_EMPTY = 409
_GONE = (404, 410)
_RECENT = 100


class Issues:
    def __init__(self, client: GitHubClient, writer: Writer, identity: Identity | None) -> None:
        self._client = client
        self._writer = writer
        self._identity = identity
        self._comment_ids: dict[tuple[int, str], int] = {}

    def repository(self) -> Repository:
        found = self._client.look_again()
        return Repository(
            full_name=found.full_name,
            default_branch=found.default_branch,
            empty=not self._commits(1),
            private=found.private,
            html_url=found.html_url,
            clone_url=found.clone_url,
        )

    def first_commit(self, mark: str, path: str, text: str) -> str:
        """A repository that has commits already, ours or not, is left as it is."""
        message = f"{unmention(f'Add {path}')}\n\n{marks.trailer(mark)}"
        who = self._identity
        person = InputGitAuthor(who.name, who.email) if who else NotSet

        def find() -> str | None:
            commits = self._commits(_RECENT)
            ours = [c for c in commits if marks.message_carries(c["commit"]["message"], mark)]
            return str((ours or commits)[0]["sha"]) if commits else None

        def create() -> str:
            made = self._client.repository.create_file(
                path, message, self._client.redactor.known(text), author=person, committer=person
            )
            return made["commit"].sha

        return self._writer.once(find, create)

    def permission(self, login: str) -> Permission:
        """https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user

        `role_name` tells maintain and triage apart; a custom role counts as what it is based on.
        """
        url = f"{self._client.repository.url}/collaborators/{quote(login, safe='')}/permission"
        try:
            data = self._client.get(url)
        except Refused as refusal:
            if refusal.status == 404:
                return "none"
            raise
        known = get_args(Permission)
        named = (data.get("role_name"), data.get("permission"))
        return next((name for name in named if name in known), "none")

    def issue(self, number: int) -> Issue:
        try:
            found = self._issue(number)
        except Barred:
            raise
        except Refused as refusal:
            if refusal.status not in _GONE:
                raise
            raise self._lost(number, refusal) from None
        return Issue(
            number=found.number,
            title=found.title,
            body=found.body or "",
            author=login_of(found.user),
            state="open" if found.state == "open" else "closed",
            locked=found.locked,
            labels=tuple(label.name for label in found.labels),
            comments=tuple(self._comment(comment) for comment in self._comments(found)),
            html_url=found.html_url,
        )

    def open(self, mark: str, *, title: str, body: str, labels: tuple[str, ...]) -> int:
        text = self._writer.marked(body, mark)

        def create() -> int:
            made = self._client.repository.create_issue(
                title=self._writer.title_line(title), body=text, labels=list(labels)
            )
            return self._first_open(mark, made)

        return self._writer.once(lambda: self._find_open(mark), create)

    def comment(self, mark: str, number: int, body: str) -> Comment:
        text = self._writer.marked(body, mark)
        comment = self._writer.once(
            lambda: self._find_comment(mark, number),
            lambda: self._first(mark, number, self._handle(number).create_comment(text)),
        )
        self._comment_ids[number, mark] = comment.id
        if clean(comment.body) != clean(text):
            self._writer.set(lambda: comment.edit(text))
        return self._comment(comment)

    def react(self, comment_id: int, content: Literal["+1", "-1", "eyes", "rocket"]) -> None:
        """GitHub keeps one reaction of each kind and account. A deleted comment needs none."""
        url = f"{self._client.repository.url}/issues/comments/{comment_id}/reactions"
        send = self._client.transport.requestJsonAndCheck
        try:
            self._writer.set(lambda: send("POST", url, input={"content": content}))
        except Refused as refusal:
            if refusal.status not in _GONE:
                raise

    def _commits(self, number: int) -> list[dict[str, Any]]:
        """At most `number` of the default branch's newest commits; GitHub answers 409 for none."""
        try:
            found: list[dict[str, Any]] = self._client.get(
                f"{self._client.repository.url}/commits", per_page=number
            )
        except Refused as refusal:
            if refusal.status == _EMPTY:
                return []
            raise
        return found

    def _issue(self, number: int) -> github.Issue.Issue:
        """GitHub redirects from a transferred issue to where it lives now."""
        found = self._client.repository.get_issue(number)
        place = found.raw_data.get("repository_url", "")
        if place and place.lower() != self._client.repository.url.lower():
            now = self._client.look_again()
            if place.lower() != now.url.lower() or found.number != number:
                raise IssueGone(
                    f"Issue {number} was transferred to another repository",
                    where=self._name_at(place),
                    hint="trigger the run again there",
                )
        return found

    def _name_at(self, api_url: str) -> str:
        """The repository at an address of the API, which may be private."""
        try:
            return str(self._client.get(api_url)["full_name"])
        except Refused:
            return ""

    def _lost(self, number: int, refusal: Refused) -> ForgeError:
        """An issue that is deleted is 410, where there is a repository to ask at all.
        https://docs.github.com/en/rest/issues/issues#get-an-issue
        """
        try:
            self._client.get(self._client.repository.url)
        except Refused as lost:
            return gone(lost)
        if refusal.status == 410:
            return IssueGone(f"Issue {number} was deleted, or Issues are turned off")
        return IssueGone(f"Issue {number} is in this repository no more")

    def _find_open(self, mark: str) -> int | None:
        """Our oldest open issue of this mark. The list knows it at once, unlike the search.
        https://docs.github.com/en/rest/issues/issues#list-repository-issues
        """
        found = rows(
            self._client.transport,
            f"{self._client.repository.url}/issues",
            state="open",
            creator=self._client.source.login(),
        )
        ours = (
            int(row["number"])
            for row in found
            if "pull_request" not in row
            and marks.carries(row["body"], mark)
            and self._client.is_me(row["user"]["login"])
        )
        return min(ours, default=None)

    def _first_open(self, mark: str, made: github.Issue.Issue) -> int:
        """The first issue of this mark. Where another process opened one at the same time, ours is
        closed: of two that look afterwards at least the later one sees both."""
        first = self._find_open(mark) or made.number
        if first < made.number:
            self._writer.set(lambda: made.edit(state="closed", state_reason="not_planned"))
            return first
        return made.number

    def _comments(self, issue: github.Issue.Issue) -> Iterator[IssueComment]:
        return objects(IssueComment, self._client.transport, f"{issue.url}/comments")

    def _find_comment(self, mark: str, number: int) -> IssueComment | None:
        known = self._comment_ids.get((number, mark))
        issue = self._handle(number)
        if known is not None:
            try:
                return issue.get_comment(known)
            except Refused as refusal:
                if refusal.status not in _GONE:
                    raise
        return next(
            (c for c in self._comments(issue) if is_ours(self._client, c.user, c.body, mark)), None
        )

    def _first(self, mark: str, number: int, made: IssueComment) -> IssueComment:
        """The first comment of this mark. Where another process wrote one at the same time, ours
        is taken back: of two that look afterwards at least the later one sees both."""
        ours = [
            comment
            for comment in self._comments(self._handle(number))
            if is_ours(self._client, comment.user, comment.body, mark)
        ]
        first = min(ours, key=lambda comment: comment.id, default=made)
        if first.id < made.id:
            self._writer.set(lambda: self._delete(made))
            return first
        return made

    @staticmethod
    def _delete(comment: IssueComment) -> None:
        try:
            comment.delete()
        except Refused as refusal:
            if refusal.status not in _GONE:
                raise

    def _handle(self, number: int) -> github.Issue.Issue:
        """The issue without asking for it: its address is all that its comments need."""
        url = f"{self._client.repository.url}/issues/{number}"
        return github.Issue.Issue(self._client.transport, {}, {"url": url}, completed=True)

    def _comment(self, comment: IssueComment) -> Comment:
        return Comment(
            id=comment.id,
            author=login_of(comment.user),
            author_is_bot=bool(comment.performed_via_github_app)
            or is_bots(self._client, comment.user, comment.body),
            body=comment.body or "",
            created_at=comment.created_at,
            edited=comment.updated_at != comment.created_at,
            html_url=comment.html_url,
        )
