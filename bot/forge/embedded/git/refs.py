"""Reads refs where git keeps them: they are looked at for almost every request, and a process for
each look is what an answer would mostly wait for.

https://git-scm.com/docs/gitrepository-layout
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

_SHA = re.compile(r"[0-9a-f]{40}")


def read_refs(repository: Path, prefix: str) -> dict[str, str]:
    """Refs by their full names, sorted, and what they point at; `prefix` is a name, or a part of
    names up to a slash."""
    # Packing writes the packed file before it removes the loose ones, hence this order.
    loose = dict(_loose(repository, "refs"))
    found = dict(_packed(repository / "packed-refs")) | loose
    below = prefix.removesuffix("/") + "/"
    return {name: found[name] for name in sorted(found) if name == prefix or name.startswith(below)}


def _loose(repository: Path, folder: str) -> Iterator[tuple[str, str]]:
    try:
        entries = list(os.scandir(repository / folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        name = f"{folder}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _loose(repository, name)
        elif not name.endswith(".lock") and _SHA.fullmatch(sha := _text(Path(entry.path)).strip()):
            yield name, sha


def _packed(file: Path) -> Iterator[tuple[str, str]]:
    for line in _text(file).splitlines():
        sha, _, name = line.partition(" ")
        if _SHA.fullmatch(sha):
            yield name, sha


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except (FileNotFoundError, IsADirectoryError):
        return ""
