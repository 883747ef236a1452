"""The forge port: what the bot reads from and writes to GitHub, and nothing else.

Every write takes a `mark`, unique for (run, step). The adapter looks the mark up before writing
and returns what is there already, so a repeated call changes nothing (design 5.1).
"""

from datetime import datetime
from typing import Literal, Protocol

from bot.base import Data, RepowrightError

Permission = Literal["admin", "maintain", "write", "triage", "read", "none"]
Conclusion = Literal["success", "failure", "neutral", "cancelled", "timed_out", "action_required"]
# Why nothing can be read or written for now: the repository takes no writes (`archived`), the App
# is `suspended`, `uninstalled` or lacks a permission (`forbidden`), the repository is `gone`.
Bar = Literal["archived", "suspended", "uninstalled", "forbidden", "gone"]


class Repository(Data):
    full_name: str
    default_branch: str
    empty: bool
    private: bool
    html_url: str
    clone_url: str


class Comment(Data):
    """`author_is_bot` is true of what an App wrote in a person's name, too; `edited` says that the
    text is not as it was written, as far as seconds tell."""

    id: int
    author: str
    author_is_bot: bool
    body: str
    created_at: datetime
    html_url: str
    edited: bool = False


class Issue(Data):
    number: int
    title: str
    body: str
    author: str
    state: Literal["open", "closed"]
    locked: bool
    labels: tuple[str, ...]
    comments: tuple[Comment, ...]
    html_url: str


class PullRequest(Data):
    """`conflicts` says whether the base can be merged no more without a person, None while GitHub
    has not worked it out; `merged_by` is empty unless merged."""

    number: int
    title: str
    body: str
    head: str
    base: str
    head_sha: str
    draft: bool
    state: Literal["open", "closed"]
    merged: bool
    html_url: str
    merged_by: str = ""
    conflicts: bool | None = None
    default_branch: str = ""


class ReviewComment(Data):
    """A comment on a line of the new side of the diff."""

    path: str
    line: int
    body: str


class HumanReview(Data):
    """What a person said in a review, or in a single inline comment (path and line set)."""

    id: int
    author: str
    body: str
    path: str | None = None
    line: int | None = None
    created_at: datetime


class CheckAnnotation(Data):
    path: str
    line: int
    level: Literal["notice", "warning", "failure"]
    message: str


class ForgeError(RepowrightError):
    """The forge refused or could not be reached."""


class RateLimited(ForgeError):
    """The forge asks to be left alone until `until`, by this machine's clock, which is too long to
    wait on a thread. The request was not carried out, and every write is looked up before it is
    made: sleep, then run the same leg again."""

    def __init__(self, until: datetime) -> None:
        super().__init__(
            f"GitHub's rate limit is reached until {until:%H:%M:%S} UTC",
            hint="the run goes on by itself afterwards",
        )
        self.until = until


class Unavailable(ForgeError):
    """Nothing is wrong with the run, but the forge lets the bot do nothing now, and may again: the
    run rests as it was saved last."""

    bar: Bar = "forbidden"


class Transient(ForgeError):
    """The forge could not be reached, or broke down over a request: the same step may go well when
    it is done again."""


class Locked(ForgeError):
    """The conversation is locked for all without write permission, Apps among them."""


class NotStarted(ForgeError):
    """A workflow cannot be started by name: GitHub does not know it, or not that it may be. It
    learns of a new one some time after the push, so this may be over soon."""


class IssueGone(ForgeError):
    """The issue is in this repository no more; `where` is where it was transferred to, if that
    can be seen."""


class Forge(Protocol):
    """One repository on one GitHub."""

    def repository(self) -> Repository: ...

    def issue(self, number: int) -> Issue:
        """Raise IssueGone where it was deleted or transferred."""
        ...

    def permission(self, login: str) -> Permission: ...

    def download(self, url: str) -> bytes:
        """An attachment of an issue; only from the forge's own hosts, at most 1 MiB."""
        ...

    def first_commit(self, mark: str, path: str, text: str) -> str:
        """Give an empty repository its first commit (contents API); return its id."""
        ...

    def open_issue(self, mark: str, *, title: str, body: str, labels: tuple[str, ...] = ()) -> int:
        """The number of the open issue of this mark, opened where there is none. The mark is of the
        issue, not of a run; one that is closed is left alone, and another one opened."""
        ...

    def open_pull_request(
        self, mark: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest: ...

    def pull_request(self, number: int) -> PullRequest: ...

    def describe_pull_request(self, number: int, *, title: str, body: str) -> None: ...

    def mark_ready(self, number: int) -> None:
        """Take the pull request out of draft; nothing happens where it is out already."""
        ...

    def comment(self, mark: str, number: int, body: str) -> Comment:
        """Comment on an issue or pull request; a later call with the same mark edits it."""
        ...

    def react(self, comment_id: int, content: Literal["+1", "-1", "eyes", "rocket"]) -> None: ...

    def review(
        self, mark: str, number: int, *, commit: str, body: str, comments: tuple[ReviewComment, ...]
    ) -> str:
        """Post one COMMENT review and return its address. Comments whose line is not in the diff
        are moved to the body."""
        ...

    def human_reviews(self, number: int) -> tuple[HumanReview, ...]:
        """Everything that people, not bots, said in reviews and inline, oldest first."""
        ...

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
        """Publish a completed check run; where the credentials may not (no App), a commit
        status."""
        ...

    def dispatch(self, mark: str, workflow: str, ref: str) -> None:
        """Start the workflow on a branch, unless a run of it on the branch's head exists. Raise
        NotStarted where it cannot be started so, yet or at all."""
        ...

    def close_pull_request(self, number: int) -> None: ...
