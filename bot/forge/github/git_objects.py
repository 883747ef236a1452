"""Reads and writes trees and blobs of a bare repository with git's plumbing commands."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.base import Data
from bot.forge.github.git_command import GitCommand
from bot.forge.github.paths import check_no_clash, check_path, stays_inside
from bot.ports.git import GitError

_FILE_MODES = ("100644", "100755")
_NEW_FILE = "100644"


class _Entry(Data):
    mode: str
    id: str


class GitObjects:
    def __init__(self, git: GitCommand) -> None:
        self._git = git

    def read(self, commit: str) -> dict[str, bytes]:
        """All regular files of a commit, by path; without those whose path leads out of a folder
        that they are written to, since anybody may have made the tree."""
        entries = {
            path: entry
            for path, entry in self._entries(commit).items()
            if entry.mode in _FILE_MODES and stays_inside(path)
        }
        contents = self._contents(sorted({entry.id for entry in entries.values()}))
        return {path: contents[entry.id] for path, entry in entries.items()}

    def tree(self, files: Mapping[str, bytes]) -> str:
        """Write a tree of exactly `files`; return its id."""
        return self._write_tree(None, {}, files)

    def changed_tree(self, commit: str, changes: Mapping[str, bytes | None]) -> str:
        """Write the tree of a commit with `changes` (None deletes); return its id."""
        return self._write_tree(commit, self._entries(commit), changes)

    def _write_tree(
        self, base: str | None, before: Mapping[str, _Entry], changes: Mapping[str, bytes | None]
    ) -> str:
        for path in changes:
            check_path(path)
        written = {path: data for path, data in changes.items() if data is not None}
        check_no_clash((before.keys() - (changes.keys() - written.keys())) | written.keys())
        ids = self._store(list(written.values()))
        lines = [f"0 {'0' * 40}\t{path}\0" for path in changes if path not in written]
        for (path, _), blob in zip(written.items(), ids, strict=True):
            known = before.get(path)
            mode = known.mode if known and known.mode in _FILE_MODES else _NEW_FILE
            lines.append(f"{mode} {blob}\t{path}\0")
        return self._index_to_tree(base, "".join(lines).encode())

    def _index_to_tree(self, base: str | None, lines: bytes) -> str:
        with tempfile.TemporaryDirectory(prefix="repowright-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._git.run("read-tree", *((base,) if base else ("--empty",)), environment=index)
            self._git.run("update-index", "-z", "--index-info", stdin=lines, environment=index)
            return self._git.run("write-tree", environment=index).decode().strip()

    def _store(self, contents: list[bytes]) -> list[str]:
        """Write blobs with one process, whatever their number."""
        if not contents:
            return []
        with tempfile.TemporaryDirectory(prefix="repowright-") as folder:
            paths = [Path(folder) / str(number) for number in range(len(contents))]
            for path, data in zip(paths, contents, strict=True):
                path.write_bytes(data)
            listing = "".join(f"{path}\n" for path in paths).encode()
            output = self._git.run(
                "hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listing
            )
        return output.decode().split()

    def _entries(self, commit: str) -> dict[str, _Entry]:
        output = self._git.run("ls-tree", "-r", "-z", "--full-tree", commit)
        entries = {}
        for line in output.split(b"\0")[:-1]:
            head, _, path = line.partition(b"\t")
            mode, _, blob = head.decode().split(" ")
            entries[path.decode("utf-8", "surrogateescape")] = _Entry(mode=mode, id=blob)
        return entries

    def _contents(self, ids: list[str]) -> dict[str, bytes]:
        """https://git-scm.com/docs/git-cat-file#_batch_output"""
        stdin = "".join(f"{blob}\n" for blob in ids).encode()
        output = memoryview(self._git.run("cat-file", "--batch", stdin=stdin))
        contents = {}
        at = 0
        for blob in ids:
            line_end = at + bytes(output[at : at + 200]).index(b"\n")
            fields = bytes(output[at:line_end]).decode().split()
            if len(fields) != 3:
                raise GitError(f"The object {blob[:12]} is missing from the clone")
            start = line_end + 1
            contents[blob] = bytes(output[start : start + int(fields[2])])
            at = start + int(fields[2]) + 1
        return contents
