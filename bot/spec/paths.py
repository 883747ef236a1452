"""Paths that strangers write: made relative to the repository, or refused."""

import re

_DRIVE = re.compile(r"^[A-Za-z]:")


def repository_path(text: str) -> str | None:
    """The path as POSIX and relative to the repository's root, None where it points outside it,
    into `.git`, or is no path."""
    path = text.strip().replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    parts = [p for p in path.split("/") if p not in ("", ".")]
    if path.startswith(("/", "~")) or _DRIVE.match(path) or not parts:
        return None
    if any(p == ".." or p.lower() == ".git" for p in parts):
        return None
    if any(ord(c) < 32 for c in path):
        return None
    return "/".join(parts)
