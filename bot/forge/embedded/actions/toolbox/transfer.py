"""Copies artifacts within a run's sandbox, by the machine's own Python and its standard library.

The folder EMBEDDED_ARTIFACTS holds one folder per artifact; file names in it are escaped, since an
artifact may be called nearly anything.
"""

import fnmatch
import glob
import itertools
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import quote, unquote

FORBIDDEN = frozenset('":<>|*?\r\n\\/')


def main(direction: str) -> int:
    store = Path(os.environ["EMBEDDED_ARTIFACTS"])
    return upload(store) if direction == "upload" else download(store)


def upload(store: Path) -> int:
    """Files that the path patterns name, below the folder that the patterns share, as on GitHub.
    https://github.com/actions/upload-artifact
    """
    name = os.environ["ARTIFACT_NAME"] or "artifact"
    if FORBIDDEN & set(name):
        return failed(f"the artifact name is not valid: {name}")
    files = chosen(os.environ["ARTIFACT_PATH"], hidden=os.environ["HIDDEN"] == "true")
    if not files:
        text = f"No files were found with the provided path: {os.environ['ARTIFACT_PATH']}"
        return failed(text) if os.environ["IF_NONE"] == "error" else said(text)
    target = store / quote(name, safe="")
    if target.exists():
        if os.environ["OVERWRITE"] != "true":
            return failed(f"an artifact with this name already exists: {name}")
        shutil.rmtree(target)
    root = common_folder(os.environ["ARTIFACT_PATH"])
    for file in files:
        place = target / file.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return said(f"Artifact {name} has {len(files)} files")


def download(store: Path) -> int:
    """One artifact by name into the path itself, several each into a folder of its name."""
    wanted, pattern = os.environ["ARTIFACT_NAME"], os.environ["ARTIFACT_PATTERN"] or "*"
    target = Path(os.environ["ARTIFACT_PATH"] or ".").absolute()
    found = {unquote(folder.name): folder for folder in sorted(store.iterdir())}
    if wanted and wanted not in found:
        return failed(f"Artifact not found for name: {wanted}")
    for name, folder in found.items():
        if (wanted and name != wanted) or not fnmatch.fnmatch(name, pattern):
            continue
        flat = bool(wanted) or os.environ["MERGE"] == "true"
        shutil.copytree(folder, target if flat else target / name, dirs_exist_ok=True)
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"download-path={target}\n")
    return 0


def chosen(patterns: str, *, hidden: bool) -> list[Path]:
    """Files by glob patterns, one a line, those after `!` left out."""
    files: dict[Path, None] = {}
    for pattern in filter(None, map(str.strip, patterns.splitlines())):
        if pattern.startswith("!"):
            for path in matching(pattern[1:], hidden=True):
                files.pop(path, None)
        else:
            files |= dict.fromkeys(matching(pattern, hidden=hidden))
    return list(files)


def matching(pattern: str, *, hidden: bool) -> list[Path]:
    expanded = str(Path(pattern).expanduser())
    found = glob.glob(expanded, recursive=True, include_hidden=hidden)  # noqa: PTH207 - hidden
    files: list[Path] = []
    for path in map(Path, found):
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [
            file.absolute()
            for file in inside
            if file.is_file() and (hidden or not is_hidden(file, path))
        ]
    return files


def is_hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)


def common_folder(patterns: str) -> Path:
    """The folder that all patterns share, up to where their wildcards begin."""
    roots: list[Path] = []
    for pattern in filter(None, map(str.strip, patterns.splitlines())):
        if pattern.startswith("!"):
            continue
        path = Path(pattern).expanduser().absolute()
        fixed = Path(*itertools.takewhile(lambda part: not glob.has_magic(part), path.parts))
        roots.append(fixed if fixed.is_dir() else fixed.parent)
    return Path(os.path.commonpath(roots))


def failed(text: str) -> int:
    print(f"::error::{text}")
    return 1


def said(text: str) -> int:
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
