"""Makes the patch of one file readable: hunks of coloured lines, bounded in size."""

import re
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup, escape

from bot.forge.embedded.git.objects import FileChange
from bot.forge.embedded.pages import highlight

Kind = Literal["add", "del", "same", "note"]

MAX_LINES = 3_000
"""Most lines of one file that a page shows; a bigger file says how to see the rest."""

_HEADER = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
_SIGNS: dict[str, Kind] = {"+": "add", "-": "del", " ": "same", "\\": "note"}


@dataclass(frozen=True)
class Line:
    kind: Kind
    old: int | None
    new: int | None
    html: Markup

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        """The (side, line) pairs by which a comment can name this line."""
        sides = (("LEFT", self.old), ("RIGHT", self.new))
        return tuple((side, number) for side, number in sides if number is not None)


@dataclass(frozen=True)
class Hunk:
    header: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class FileDiff:
    """`cut` says that hunks were left out."""

    change: FileChange
    hunks: tuple[Hunk, ...]
    cut: bool

    @property
    def places(self) -> frozenset[tuple[str, int]]:
        """Every place on the page where a comment can stand."""
        return frozenset(p for hunk in self.hunks for line in hunk.lines for p in line.places)


def read(change: FileChange) -> FileDiff:
    """The file's hunks, as many as fit on a page."""
    raw = _split(change.patch or "")
    kept: list[list[str]] = []
    room = MAX_LINES
    for hunk in raw:
        room -= len(hunk)
        if room < 0:
            break
        kept.append(hunk)
    hunks = tuple(_hunk(hunk, change.path) for hunk in kept)
    return FileDiff(change, hunks, cut=len(kept) < len(raw))


def excerpt(patch: str, path: str, keep: int = 4) -> tuple[Line, ...]:
    """The last lines of the piece of diff that a review comment was written on."""
    hunks = _split(patch)
    return _hunk(hunks[-1], path).lines[-keep:] if hunks else ()


def _split(patch: str) -> list[list[str]]:
    """The rows of each hunk, its header first."""
    hunks: list[list[str]] = []
    for row in patch.split("\n"):
        if _HEADER.match(row):
            hunks.append([row])
        elif hunks and row:
            hunks[-1].append(row)
    return hunks


def _hunk(rows: list[str], path: str) -> Hunk:
    header = _HEADER.match(rows[0])
    old, new = (int(header[1]), int(header[2])) if header else (0, 0)
    before = iter(_coloured([row[1:] for row in rows[1:] if row[0] in " -"], path))
    after = iter(_coloured([row[1:] for row in rows[1:] if row[0] in " +"], path))
    lines: list[Line] = []
    for row in rows[1:]:
        kind = _SIGNS.get(row[0], "note")
        if kind == "note":
            lines.append(Line(kind, None, None, escape(row[1:].strip())))
            continue
        was = next(before) if kind != "add" else Markup("")
        now = next(after) if kind != "del" else was
        on_old, on_new = kind != "add", kind != "del"
        lines.append(Line(kind, old if on_old else None, new if on_new else None, now))
        old, new = old + on_old, new + on_new
    return Hunk(rows[0], tuple(lines))


def _coloured(rows: list[str], path: str) -> list[Markup]:
    """One side of a hunk, coloured as one text, so that strings over several lines are seen."""
    return highlight.lines("".join(row.rstrip("\r") + "\n" for row in rows), path=path)
