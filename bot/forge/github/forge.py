"""The forge port on GitHub: github.com, an Enterprise Server and the embedded GitHub alike."""

from typing import Literal

from bot.forge.github.actions import Actions
from bot.forge.github.checks import Checks
from bot.forge.github.client import GitHubClient
from bot.forge.github.downloads import Downloads
from bot.forge.github.gitstore import Identity
from bot.forge.github.issues import Issues
from bot.forge.github.promises import held_to_promises
from bot.forge.github.pulls import Pulls
from bot.forge.github.reviews import Reviews
from bot.forge.github.writes import Writer
from bot.ports.checks import WorkflowRun
from bot.ports.forge import (
    CheckAnnotation,
    Comment,
    Conclusion,
    HumanReview,
    Issue,
    Permission,
    PullRequest,
    Repository,
    ReviewComment,
)


@held_to_promises
class GitHubForge:
    """Implements bot.ports.forge.Forge and bot.ports.checks.Checks, which say what methods do.

    `identity` is author and committer of the first commit of an empty repository; without it the
    commit is of the account that the credential stands for.
    """

    def __init__(self, client: GitHubClient, *, identity: Identity | None = None) -> None:
        writer = Writer(client)
        self._issues = Issues(client, writer, identity)
        self._pulls = Pulls(client, writer)
        self._reviews = Reviews(client, writer)
        self._checks = Checks(client, writer)
        self._downloads = Downloads(client)
        self._actions = Actions(client, writer, self._downloads)

    def repository(self) -> Repository:
        return self._issues.repository()

    def issue(self, number: int) -> Issue:
        return self._issues.issue(number)

    def permission(self, login: str) -> Permission:
        return self._issues.permission(login)

    def download(self, url: str) -> bytes:
        return self._downloads.attachment(url)

    def first_commit(self, mark: str, path: str, text: str) -> str:
        return self._issues.first_commit(mark, path, text)

    def open_issue(self, mark: str, *, title: str, body: str, labels: tuple[str, ...] = ()) -> int:
        return self._issues.open(mark, title=title, body=body, labels=labels)

    def open_pull_request(
        self, mark: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        return self._pulls.open(mark, head=head, base=base, title=title, body=body, draft=draft)

    def pull_request(self, number: int) -> PullRequest:
        return self._pulls.get(number)

    def describe_pull_request(self, number: int, *, title: str, body: str) -> None:
        self._pulls.describe(number, title=title, body=body)

    def mark_ready(self, number: int) -> None:
        self._pulls.mark_ready(number)

    def close_pull_request(self, number: int) -> None:
        self._pulls.close(number)

    def comment(self, mark: str, number: int, body: str) -> Comment:
        return self._issues.comment(mark, number, body)

    def react(self, comment_id: int, content: Literal["+1", "-1", "eyes", "rocket"]) -> None:
        self._issues.react(comment_id, content)

    def review(
        self, mark: str, number: int, *, commit: str, body: str, comments: tuple[ReviewComment, ...]
    ) -> str:
        return self._reviews.review(mark, number, commit=commit, body=body, comments=comments)

    def human_reviews(self, number: int) -> tuple[HumanReview, ...]:
        return self._reviews.human_reviews(number)

    def check_run(
        self,
        mark: str,
        *,
        name: str,
        commit: str,
        conclusion: Conclusion,
        title: str,
        summary: str,
        annotations: tuple[CheckAnnotation, ...] = (),
    ) -> None:
        self._checks.publish(
            mark,
            name=name,
            commit=commit,
            conclusion=conclusion,
            title=title,
            summary=summary,
            annotations=annotations,
        )

    def workflow_run(self, workflow: str, commit: str) -> WorkflowRun | None:
        return self._actions.run(workflow, commit)

    def dispatch(self, mark: str, workflow: str, ref: str) -> None:
        self._actions.dispatch(workflow, ref)

    def artifact(self, run_id: int, name: str) -> bytes | None:
        return self._actions.artifact(run_id, name)

    def log(self, run_id: int) -> str:
        return self._actions.log(run_id)
