"""The git port: one clone of one repository, worked on by plumbing, never through a work tree."""

from collections.abc import Mapping
from typing import Protocol

from bot.base import RepowrightError
from bot.ports.forge import Bar, Transient, Unavailable


class GitError(RepowrightError):
    """Git refused, is missing, or the remote could not be reached."""


class BranchMoved(GitError):
    """Somebody else pushed to the branch since it was read."""


class Unreached(GitError, Transient):
    """The server did not answer, or broke off: the same may go well when it is done again."""


class NoAccess(GitError, Unavailable):
    """The server does not let this credential in, or takes no push from it now."""

    def __init__(self, what: str, *, bar: Bar, hint: str = "") -> None:
        super().__init__(what, hint=hint)
        self.bar = bar


class GitStore(Protocol):
    """File contents are bytes; paths are POSIX and relative to the repository's root."""

    def fetch(self) -> None:
        """Bring in what the remote has: branches and run refs."""
        ...

    def head(self, branch: str) -> str | None:
        """Commit id of a remote branch as last fetched or pushed, None where it is missing."""
        ...

    def read(self, commit: str) -> Mapping[str, bytes]:
        """All regular files of a commit; links and submodules are left out."""
        ...

    def commit(
        self,
        branch: str,
        *,
        parent: str,
        changes: Mapping[str, bytes | None],
        message: str,
        mark: str,
    ) -> str:
        """Commit `changes` (None deletes) on `parent`, push to `branch` and return the commit id.

        A commit of this mark that is on the branch already is returned as it is. The push is a
        compare-and-swap against `parent`: raise BranchMoved where the branch has moved.
        """
        ...

    def save_ref(self, ref: str, files: Mapping[str, bytes], *, message: str, mark: str) -> str:
        """Add one commit with exactly `files` to a ref outside the branches and push it."""
        ...

    def load_ref(self, ref: str) -> Mapping[str, bytes] | None:
        """The files of the newest commit of a ref, None where the ref is missing."""
        ...

    def diff(self, old: str, new: str) -> str:
        """Unified diff between two commits, three lines of context."""
        ...

    def holds(self, commit: str) -> bool:
        """Whether the clone has this commit; one that no branch leads to may be missing."""
        ...

    def authors_since(self, old: str, new: str) -> tuple[tuple[str, str], ...]:
        """(commit id, author's e-mail) of what lies between two commits, oldest first."""
        ...
