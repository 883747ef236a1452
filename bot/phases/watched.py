"""The forge and git of a run with a counter on every write, whichever part of a leg makes it."""

from collections.abc import Callable, Mapping
from typing import Literal

from bot.phases.tally import Kind
from bot.ports.forge import (
    CheckAnnotation,
    Comment,
    Conclusion,
    Forge,
    HumanReview,
    Issue,
    Permission,
    PullRequest,
    Repository,
    ReviewComment,
)
from bot.ports.git import GitStore

Count = Callable[[Kind, str], None]
"""Counts a write of a kind, with the text that people will read ("" for none), before it is made;
raises where it is one too many."""


class WatchedForge:
    """Implements bot.ports.forge.Forge over another one. A comment whose mark is `edited` is there
    already and only edited."""

    def __init__(self, forge: Forge, count: Count, edited: str) -> None:
        self._forge = forge
        self._count = count
        self._edited = edited

    def repository(self) -> Repository:
        return self._forge.repository()

    def issue(self, number: int) -> Issue:
        return self._forge.issue(number)

    def permission(self, login: str) -> Permission:
        return self._forge.permission(login)

    def download(self, url: str) -> bytes:
        return self._forge.download(url)

    def first_commit(self, mark: str, path: str, text: str) -> str:
        self._count("commit", "")
        return self._forge.first_commit(mark, path, text)

    def open_issue(self, mark: str, *, title: str, body: str, labels: tuple[str, ...] = ()) -> int:
        self._count("other", "")
        return self._forge.open_issue(mark, title=title, body=body, labels=labels)

    def open_pull_request(
        self, mark: str, *, head: str, base: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        self._count("other", "")
        return self._forge.open_pull_request(
            mark, head=head, base=base, title=title, body=body, draft=draft
        )

    def pull_request(self, number: int) -> PullRequest:
        return self._forge.pull_request(number)

    def describe_pull_request(self, number: int, *, title: str, body: str) -> None:
        self._count("other", "")
        self._forge.describe_pull_request(number, title=title, body=body)

    def mark_ready(self, number: int) -> None:
        self._count("other", "")
        self._forge.mark_ready(number)

    def close_pull_request(self, number: int) -> None:
        self._count("other", "")
        self._forge.close_pull_request(number)

    def comment(self, mark: str, number: int, body: str) -> Comment:
        if mark == self._edited:
            self._count("other", "")
        else:
            self._count("comment", body)
        return self._forge.comment(mark, number, body)

    def react(self, comment_id: int, content: Literal["+1", "-1", "eyes", "rocket"]) -> None:
        self._count("other", "")
        self._forge.react(comment_id, content)

    def review(
        self, mark: str, number: int, *, commit: str, body: str, comments: tuple[ReviewComment, ...]
    ) -> str:
        self._count("review", body)
        return self._forge.review(mark, number, commit=commit, body=body, comments=comments)

    def human_reviews(self, number: int) -> tuple[HumanReview, ...]:
        return self._forge.human_reviews(number)

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
        self._count("other", "")
        self._forge.check_run(
            mark,
            name=name,
            commit=commit,
            conclusion=conclusion,
            title=title,
            summary=summary,
            annotations=annotations,
        )

    def dispatch(self, mark: str, workflow: str, ref: str) -> None:
        self._count("other", "")
        self._forge.dispatch(mark, workflow, ref)


class WatchedGit:
    """Implements bot.ports.git.GitStore over another one. Saving the run's ref is not counted:
    nobody is told of it, and a run that is stopped must be able to say so."""

    def __init__(self, git: GitStore, count: Count) -> None:
        self._git = git
        self._count = count

    def fetch(self) -> None:
        self._git.fetch()

    def head(self, branch: str) -> str | None:
        return self._git.head(branch)

    def read(self, commit: str) -> Mapping[str, bytes]:
        return self._git.read(commit)

    def commit(
        self,
        branch: str,
        *,
        parent: str,
        changes: Mapping[str, bytes | None],
        message: str,
        mark: str,
    ) -> str:
        self._count("commit", "")
        return self._git.commit(branch, parent=parent, changes=changes, message=message, mark=mark)

    def save_ref(self, ref: str, files: Mapping[str, bytes], *, message: str, mark: str) -> str:
        return self._git.save_ref(ref, files, message=message, mark=mark)

    def load_ref(self, ref: str) -> Mapping[str, bytes] | None:
        return self._git.load_ref(ref)

    def diff(self, old: str, new: str) -> str:
        return self._git.diff(old, new)

    def holds(self, commit: str) -> bool:
        return self._git.holds(commit)

    def authors_since(self, old: str, new: str) -> tuple[tuple[str, str], ...]:
        return self._git.authors_since(old, new)
