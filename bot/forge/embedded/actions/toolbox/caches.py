"""Keeps and gives back caches within a run's sandbox, by the machine's own Python and its standard
library.

EMBEDDED_CACHES holds what earlier runs kept, one zip a key, newest last by time; EMBEDDED_KEPT
takes what this run keeps, one folder a key: the file `key`, and `0/…`, `1/…` for each path. Plain
files are kept, no links; a cache is seen on every branch. https://github.com/actions/cache
"""

import hashlib
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

LONGEST_KEY = 512


def main(direction: str) -> int:
    key = os.environ["CACHE_KEY"]
    if len(key) > LONGEST_KEY or "," in key:
        print(f"::error::Key Validation Error: {key}")
        return 1
    paths = [Path(line.strip()).expanduser() for line in os.environ["CACHE_PATH"].splitlines()]
    return save(key, paths) if direction == "save" else restore(key, paths)


def save(key: str, paths: list[Path]) -> int:
    if key in dict(kept()):
        print(f"Another run has kept the key {key}")
        return 0
    target = Path(os.environ["EMBEDDED_KEPT"]) / hashlib.sha256(key.encode()).hexdigest()
    if target.exists():
        return 0
    target.mkdir(parents=True)
    (target / "key").write_text(key, encoding="utf-8")
    for number, path in enumerate(paths):
        if path.is_dir():
            shutil.copytree(path, target / str(number), symlinks=True)
    print(f"Cache saved with key: {key}")
    return 0


def restore(key: str, paths: list[Path]) -> int:
    asked = [key, *filter(None, map(str.strip, os.environ["RESTORE_KEYS"].splitlines()))]
    caches = list(kept())
    found = next((one for one in caches if one[0] == key), None)
    for prefix in asked:
        found = found or next((one for one in caches if one[0].startswith(prefix)), None)
    if found is None:
        print(f"Cache not found for input keys: {', '.join(asked)}")
        return 1 if os.environ["FAIL_ON_MISS"] == "true" else 0
    if os.environ["LOOKUP_ONLY"] != "true":
        unpack(found[1], paths)
    print(f"Cache restored from key: {found[0]}")
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"cache-hit={str(found[0] == key).lower()}\ncache-matched-key={found[0]}\n")
    return 0


def kept() -> Iterator[tuple[str, Path]]:
    """(key, zip) of what earlier runs kept, newest first."""
    folder = Path(os.environ["EMBEDDED_CACHES"])
    for path in sorted(folder.glob("*.zip"), key=lambda p: p.stat().st_mtime_ns, reverse=True):
        with zipfile.ZipFile(path) as archive:
            if "key" in archive.namelist():
                yield archive.read("key").decode("utf-8", "replace"), path


def unpack(path: Path, paths: list[Path]) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            number, _, rest = name.partition("/")
            if rest and number.isdecimal() and int(number) < len(paths):
                place = paths[int(number)] / rest
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
