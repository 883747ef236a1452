"""Reading git's diffs: the files that changed, and which lines a review may comment on."""

import re
from dataclasses import dataclass
from typing import Literal

from bot.forge.embedded.git.objects import FileChange, FileStatus

Side = Literal["LEFT", "RIGHT"]
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_STATUS: dict[str, FileStatus] = {
    "A": "added",
    "D": "removed",
    "M": "modified",
    "R": "renamed",
    "C": "copied",
    "T": "changed",
}


@dataclass(frozen=True)
class DiffLine:
    """A line of a patch. `position` counts from the line below the first hunk header, as
    https://docs.github.com/rest/pulls/comments does; `hunk` is the patch down to the line."""

    position: int
    old: int | None
    new: int | None
    hunk: str


def parse_changes(raw: bytes) -> list[FileChange]:
    """Files out of `git diff --raw -z --numstat --patch`."""
    fields = raw.decode("utf-8", "replace").split("\0")
    records, rest = _raw_records(fields)
    counts, patch = _numstat(rest, len(records))
    patches = _split_patch(patch)
    return [
        FileChange(
            path, previous, status, sha, *counts[i], patches[i] if i < len(patches) else None
        )
        for i, (path, previous, status, sha) in enumerate(records)
    ]


def patch_lines(patch: str | None) -> list[DiffLine]:
    """The lines of a patch that can be commented on, in order."""
    found: list[DiffLine] = []
    old = new = start = 0
    lines = (patch or "").split("\n")
    for position, line in enumerate(lines):
        header = _HUNK.match(line)
        if header:
            old, new, start = int(header[1]), int(header[2]), position
            continue
        if line.startswith("\\") or not line:
            continue
        on_old, on_new = line[0] in " -", line[0] in " +"
        hunk = "\n".join(lines[start : position + 1])
        found.append(DiffLine(position, old if on_old else None, new if on_new else None, hunk))
        old, new = old + on_old, new + on_new
    return found


def find_line(patch: str | None, line: int, side: Side) -> DiffLine | None:
    """The line of the patch with this number on this side; None where it is not in the diff."""
    for candidate in patch_lines(patch):
        if (candidate.new if side == "RIGHT" else candidate.old) == line:
            return candidate
    return None


def find_position(patch: str | None, position: int) -> DiffLine | None:
    return next((line for line in patch_lines(patch) if line.position == position), None)


_Record = tuple[str, str | None, FileStatus, str]


def _raw_records(fields: list[str]) -> tuple[list[_Record], list[str]]:
    records: list[_Record] = []
    at = 0
    while at < len(fields) and fields[at].startswith(":"):
        _, _, old_sha, new_sha, letter = fields[at].split(" ")
        status = _STATUS[letter[0]]
        moved = status in ("renamed", "copied")
        path = fields[at + 2] if moved else fields[at + 1]
        previous = fields[at + 1] if moved else None
        records.append((path, previous, status, old_sha if status == "removed" else new_sha))
        at += 3 if moved else 2
    return records, fields[at:]


def _numstat(fields: list[str], files: int) -> tuple[list[tuple[int, int]], str]:
    counts: list[tuple[int, int]] = []
    at = 0
    for _ in range(files):
        added, removed, path = fields[at].split("\t")
        counts.append((0 if added == "-" else int(added), 0 if removed == "-" else int(removed)))
        at += 1 if path else 3
    return counts, "\0".join(fields[at:]).lstrip("\0")


def _split_patch(patch: str) -> list[str | None]:
    """The patch of each file without its header; None where there are no hunks."""
    patches: list[str | None] = []
    for section in re.split(r"^diff --git .*\n", patch, flags=re.MULTILINE)[1:]:
        start = re.search(r"^@@ ", section, flags=re.MULTILINE)
        patches.append(section[start.start() :].rstrip("\n") if start else None)
    return patches
