"""Puts the files into a repository, over nobody's work."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.starter.files import StarterFile


class FileStatus(StrEnum):
    WRITTEN = "written"
    UNCHANGED = "unchanged"
    DIFFERS = "differs"
    """Another file is there, and stays."""
    REPLACED = "replaced"
    """Another file was there."""
    KEPT = "kept"
    """The repository has settings of its own, which nothing replaces."""


class Placed(Data):
    path: str
    status: FileStatus


def place_files(
    files: Sequence[StarterFile], root: Path, *, force: bool = False, dry_run: bool = False
) -> tuple[Placed, ...]:
    """Write what is not there yet, with `force` also over other files; say what became of each.
    A dry run says what would become of each. Raises RepowrightError where a link is in the way."""
    statuses = [(file, _status(file, root, force=force)) for file in files]
    for file, status in statuses:
        if status in (FileStatus.WRITTEN, FileStatus.REPLACED) and not dry_run:
            path = root / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8", newline="\n")
    return tuple(Placed(path=file.path, status=status) for file, status in statuses)


def _status(file: StarterFile, root: Path, *, force: bool) -> FileStatus:
    path = root / file.path
    for place in (path, *path.relative_to(root).parents):
        if (root / place).is_symlink():
            raise RepowrightError(
                "this is a link, and links are not written through", where=str(root / place)
            )
    if not path.exists():
        return FileStatus.WRITTEN
    if path.is_file() and path.read_bytes().replace(b"\r\n", b"\n") == file.text.encode():
        return FileStatus.UNCHANGED
    if file.theirs:
        return FileStatus.KEPT
    return FileStatus.REPLACED if force else FileStatus.DIFFERS
