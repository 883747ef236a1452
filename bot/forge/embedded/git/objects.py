"""What is read out of a bare repository, as plain values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FileStatus = Literal["added", "removed", "modified", "renamed", "copied", "changed"]


@dataclass(frozen=True)
class Signature:
    name: str
    email: str
    date: datetime

    def environment(self, role: Literal["AUTHOR", "COMMITTER"]) -> dict[str, str]:
        """The variables that make git use this signature."""
        return {
            f"GIT_{role}_NAME": self.name,
            f"GIT_{role}_EMAIL": self.email,
            f"GIT_{role}_DATE": self.date.isoformat(),
        }


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True)
class TreeEntry:
    """`kind` is blob, tree or commit (a submodule); `size` in bytes, None for anything but a
    blob; `path` is relative to the listed tree."""

    mode: str
    kind: str
    sha: str
    size: int | None
    path: str


@dataclass(frozen=True)
class TreeChange:
    """A path to set, or to remove where `sha` is None."""

    path: str
    mode: str
    sha: str | None


@dataclass(frozen=True)
class Tag:
    sha: str
    name: str
    target: str
    target_kind: str
    tagger: Signature
    message: str


@dataclass(frozen=True)
class FileChange:
    """One file of a diff; `patch` starts at its first hunk, None for binary files."""

    path: str
    previous_path: str | None
    status: FileStatus
    sha: str
    additions: int
    deletions: int
    patch: str | None


@dataclass(frozen=True)
class RefUpdate:
    """`old` or `new` is ZERO where the ref was created or deleted."""

    ref: str
    old: str
    new: str

    @property
    def created(self) -> bool:
        return self.old == ZERO

    @property
    def deleted(self) -> bool:
        return self.new == ZERO


ZERO = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
