"""Temporary folders in which hostile code has written, and that must be gone afterwards."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A fresh folder that only this user can enter; it is removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder however deep it is and whatever modes its parts have. Python's own rmtree
    recurses and so fails on deep ones."""
    _run("rm", "-rf", "--", str(folder))
    if folder.exists():
        _run("chmod", "-R", "u+rwX", "--", str(folder))
        _run("rm", "-rf", "--", str(folder))


def _run(*command: str) -> None:
    subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True)
