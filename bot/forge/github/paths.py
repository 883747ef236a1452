"""Decides which names may be written into a repository, whatever system checks it out later."""

import re
import unicodedata
from collections.abc import Iterable

from bot.ports.git import GitError

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Code points that HFS+ ignores when it compares names; git's own list (utf8.c, core.protectHFS).
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# `.git` under every name by which NTFS knows it: streams, trailing dots and spaces, short names.
_DOT_GIT = re.compile(r"(?:\.git|git~[0-9]+)[. ]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_LONGEST_NAME = 255
_LONGEST_PATH = 4095

_HINT = "use a plain relative path such as pkg/module.py"


def check_path(path: str) -> None:
    """Raise GitError unless `path` is a plain relative POSIX path that cannot leave the tree or
    reach into a `.git` directory on any file system."""
    problem = _problem(path)
    if problem:
        raise GitError(f"The path {path[:200]!a} {problem}", hint=_HINT)


def stays_inside(path: str) -> bool:
    """Whether a path of a tree that anybody may have made leads neither out of the folder that the
    tree is written to nor into a `.git` directory."""
    return not any(map(_name_problem, path.encode("utf-8", "replace").decode().split("/")))


def _problem(path: str) -> str:
    if not path:
        return "is empty"
    if _CONTROL.search(path):
        return "holds a control character"
    if "\\" in path:
        return "holds a backslash"
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "is absolute"
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if len(encoded) > _LONGEST_PATH:
        return "is too long"
    return next((found for part in path.split("/") if (found := _name_problem(part))), "")


def _name_problem(name: str) -> str:
    if name in ("", "."):
        return "holds an empty or `.` part"
    if name == "..":
        return "leaves the repository"
    if len(name.encode()) > _LONGEST_NAME:
        return "holds a name of more than 255 bytes"
    plain = _IGNORED_BY_HFS.sub("", unicodedata.normalize("NFC", name))
    if _DOT_GIT.fullmatch(plain):
        return "reaches into .git"
    return ""


def check_no_clash(paths: Iterable[str]) -> None:
    """Raise GitError where one of `paths` would have to be a file and a directory at once."""
    files = frozenset(paths)
    for path in files:
        parent = path.rpartition("/")[0]
        while parent:
            if parent in files:
                raise GitError(
                    f"{parent[:200]!a} would be a file and, for {path[:200]!a}, a directory",
                    hint="delete or rename one of the two",
                )
            parent = parent.rpartition("/")[0]
