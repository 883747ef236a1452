"""Packs what a run left as artifacts; the folder was filled by code that is not trusted."""

import io
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

_MOST_ARTIFACTS = 100
_MOST_FILES = 10_000
_MOST_BYTES = 256 * 1024 * 1024


def packed(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(name, zip) of each artifact: plain files only, no links, up to 256 MiB of all together."""
    left = _MOST_BYTES
    for place in sorted(_folders(folder))[:_MOST_ARTIFACTS]:
        content, left = _zip(place, left)
        yield unquote(place.name), content


def _folders(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return [Path(e.path) for e in entries if e.is_dir(follow_symlinks=False)]


def _zip(folder: Path, left: int) -> tuple[bytes, int]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for count, path in enumerate(_files(folder)):
            content = _plain_content(path, left)
            if content is None or count >= _MOST_FILES:
                continue
            left -= len(content)
            archive.writestr(path.relative_to(folder).as_posix(), content)
    return buffer.getvalue(), left


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            yield Path(parent) / name


def _plain_content(path: Path, largest: int) -> bytes | None:
    """A file's content; None for what is no plain file or too large."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
            return None
        return file.read(largest)
