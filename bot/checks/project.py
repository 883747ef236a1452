"""Where a project keeps its tests, and what it asks for, as its files say."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.base import RepowrightError
from bot.checks.requirements import project_requirements

_FOLDERS = ("check_tests", "tests", "test", "testing")
_INCLUDES = re.compile(r"(?:-r|--requirement)[ =]\s*(\S+)")
# The project itself, of which the code is tested as it lies there.
_ITSELF = re.compile(r"(?:(?:-e|--editable)[ =]?\s*)?\.(?:/|\[[\w, .-]*\])?")
_MOST_FILES = 20
_LARGEST = 1024 * 1024


def find_tests(root: Path) -> tuple[str, ...]:
    """The folders with tests: check_tests, what pytest is told in pyproject.toml, or the usual
    names; () where there is none."""
    if (root / _FOLDERS[0]).is_dir():
        return (_FOLDERS[0],)
    named = tuple(path for path in _testpaths(root) if (root / path).exists())
    return named or tuple(name for name in _FOLDERS if (root / name).is_dir())[:1]


def _testpaths(root: Path) -> tuple[str, ...]:
    # https://docs.pytest.org/en/stable/reference/reference.html#confval-testpaths
    try:
        table = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
        paths = table["tool"]["pytest"]["ini_options"]["testpaths"]
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    listed = paths.split() if isinstance(paths, str) else paths
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def read_requirements(root: Path, named: str = "", extras: Iterable[str] = ()) -> tuple[str, ...]:
    """The packages that a project asks for: of the requirements file `named`, else of
    requirements.txt, with the files that it includes; and of pyproject.toml. Raises
    RequirementRefused, and RepowrightError where a file is not there."""
    files: dict[str, bytes] = {}
    if named or (root / "requirements.txt").is_file():
        lines = _included(root, root / (named or "requirements.txt"), set())
        files["requirements.txt"] = "\n".join(lines).encode()
    if (root / "pyproject.toml").is_file():
        files["pyproject.toml"] = (root / "pyproject.toml").read_bytes()
    return project_requirements(files, extras)


def _included(root: Path, path: Path, seen: set[Path]) -> Iterator[str]:
    """The lines of a requirements file, with those of the files that it names in their places.
    https://pip.pypa.io/en/stable/reference/requirements-file-format/
    """
    path = path.resolve()
    shown = path.name
    if not path.is_relative_to(root.resolve()) or len(seen) >= _MOST_FILES:
        raise RepowrightError("this requirements file is not read", where=shown)
    if path in seen:
        return
    seen.add(path)
    if not path.is_file() or path.stat().st_size > _LARGEST:
        raise RepowrightError("there is no such requirements file", where=shown)
    for line in path.read_text("utf-8", errors="replace").splitlines():
        plain = line.partition(" #")[0].strip()
        match = _INCLUDES.fullmatch(plain)
        if match is not None:
            yield from _included(root, path.parent / match[1], seen)
        elif not _ITSELF.fullmatch(plain):
            yield line
