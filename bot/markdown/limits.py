"""Cuts text to what GitHub takes, without leaving a code block or a fold open."""

import re

BODY_LIMIT = 65_535
"""Characters of an issue, comment or review body and of a check run's summary or text.

https://docs.github.com/en/rest/checks/runs#create-a-check-run (65,535); bodies take one more.
"""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_FOLD = re.compile(r"</?details\b", re.IGNORECASE)


def truncate(text: str, limit: int, note: str) -> str:
    """Return `text` where it has at most `limit` characters, else its beginning and `note`.

    The cut falls on a line end where there is one in the last quarter; a code block or
    `<details>` that is open at the cut is closed before the note.
    """
    if len(text) <= limit:
        return text
    room = limit - len(note) - 2
    if room <= 0:
        return note[:limit]
    kept = _cut(text, room)
    while kept and len(kept) + len(closing := _closing(kept)) > room:
        kept = _cut(kept, room - len(closing))
    return f"{kept}{_closing(kept)}\n\n{note}" if kept else note[:limit]


def _cut(text: str, room: int) -> str:
    kept = text[: max(room, 0)]
    line_end = kept.rfind("\n")
    return kept[:line_end] if line_end >= room * 3 // 4 else kept


def _closing(text: str) -> str:
    """What closes the blocks that are open at the end of the text."""
    fence = ""
    folds = 0
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
        else:
            folds += sum(-1 if tag.startswith("</") else 1 for tag in _FOLD.findall(line))
    return (f"\n{fence}" if fence else "") + "\n\n</details>" * max(folds, 0)
