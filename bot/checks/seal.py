"""Check tests stay as they are while they run: no code that they call may write them anew."""

import hashlib
import stat
from collections.abc import Iterable
from pathlib import Path


class Seal:
    """The Python files below `tests`, paths relative to `root`, as they are now."""

    def __init__(self, root: Path, tests: Iterable[str]) -> None:
        self._root = root
        found = (path for test in tests for path in _sources(root / test))
        self._digests = {path: _digest(path) for path in found}

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(self._digests)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that lead to the files, so that none is put in another's place."""
        between = {
            folder
            for path in self._digests
            for folder in path.parents
            if folder != self._root and folder.is_relative_to(self._root)
        }
        return tuple(sorted(between))

    def broken(self) -> tuple[str, ...]:
        """Paths below the root of the files that are not what they were."""
        return tuple(
            path.relative_to(self._root).as_posix()
            for path, digest in self._digests.items()
            if _digest(path) != digest
        )


def _sources(test: Path) -> Iterable[Path]:
    paths = [test] if test.is_file() else test.rglob("*.py")
    return (path for path in paths if stat.S_ISREG(path.lstat().st_mode))


def _digest(path: Path) -> str:
    """ "" for what is no plain file any more."""
    try:
        plain = stat.S_ISREG(path.lstat().st_mode)
        return hashlib.sha256(path.read_bytes()).hexdigest() if plain else ""
    except OSError:
        return ""
