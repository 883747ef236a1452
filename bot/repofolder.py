"""A repository's folder on disk, read into memory."""

from collections.abc import Iterator
from pathlib import Path

from git import InvalidGitRepositoryError, Repo

from bot.base import RepowrightError

_MOST_FILES = 5_000
_MOST_BYTES = 64 * 1024 * 1024
_MADE = frozenset({".git", ".tox", ".nox", ".venv", "venv", "node_modules", "__pycache__"})


def read_repository(folder: Path) -> dict[str, bytes]:
    """POSIX path relative to the folder -> content: within a clone what git would commit, else all
    but what tools make. Links are left out; raise RepowrightError where there is no such folder,
    nothing in it, or more than 5,000 files or 64 MiB."""
    if not folder.is_dir():
        raise RepowrightError("there is no such folder", where=str(folder))
    folder = folder.resolve()
    out: dict[str, bytes] = {}
    size = 0
    for path in sorted(_paths(folder)):
        if path.is_symlink() or not path.is_file():
            continue
        size += path.stat().st_size
        if len(out) >= _MOST_FILES or size > _MOST_BYTES:
            raise RepowrightError(
                f"the folder holds more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MiB",
                where=str(folder),
                hint="name what does not belong to the repository in .gitignore",
            )
        out[path.relative_to(folder).as_posix()] = path.read_bytes()
    if not out:
        raise RepowrightError("there is nothing in this folder", where=str(folder))
    return out


def _paths(folder: Path) -> Iterator[Path]:
    try:
        with Repo(folder, search_parent_directories=True) as clone:
            root = Path(clone.working_dir)
            told = clone.git.ls_files("-z", "-co", "--exclude-standard", "--", str(folder))
    except InvalidGitRepositoryError:
        for path in folder.rglob("*"):
            if _MADE.isdisjoint(path.relative_to(folder).parts):
                yield path
        return
    yield from (root / name for name in str(told).split("\0") if name)
