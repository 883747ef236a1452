"""Makes a job's log readable: no time stamps, terminal codes only as colour, errors marked."""

import re
from dataclasses import dataclass

from markupsafe import Markup, escape

MAX_LINES = 2_000
"""Most lines of one step that a page shows: its last ones."""

_STAMP = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?")
_MARK = re.compile(
    r"^(?:\x1b\[[0-9;]*m)*"
    r"(?:##\[(\w+)\]|::(error|warning|notice|group|endgroup|debug)(?: [^:]*)?::)"
)
_CODE = re.compile(
    r"\x1b\[([0-9;]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_KINDS = {"error": "err", "warning": "warn", "group": "group"}
_COLOURS = {"31": "minus", "91": "minus", "32": "plus", "92": "plus", "33": "gold", "1": "strong"}


@dataclass(frozen=True)
class LogLine:
    """`kind` is err, warn, group or nothing."""

    kind: str
    html: Markup


def read(text: str) -> list[LogLine]:
    """The last lines of a log, marked and coloured."""
    rows = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    kept = rows[-MAX_LINES:] if text.strip() else []
    lines = [_line(row) for row in kept]
    if len(rows) > len(kept) > 0:
        left_out = f"… {len(rows) - len(kept):,} earlier lines are in the raw log"
        lines.insert(0, LogLine("warn", escape(left_out)))
    return [line for line in lines if line.kind != "endgroup"]


def bare(row: str) -> str:
    """A row without its time stamp and line end."""
    return _STAMP.sub("", row).rstrip("\r\n")


def _line(row: str) -> LogLine:
    row = _STAMP.sub("", row.rsplit("\r", 1)[-1][:4_000])
    mark = _MARK.match(row)
    word = (mark[1] or mark[2]) if mark else ""
    kind = "endgroup" if word == "endgroup" else _KINDS.get(word, "")
    return LogLine(kind, _coloured(row[mark.end() :] if mark else row))


def _coloured(row: str) -> Markup:
    pieces = [Markup("")]
    end, name = 0, ""
    for code in _CODE.finditer(row):
        pieces.append(_piece(row[end : code.start()], name))
        end = code.end()
        if code[1] is not None:
            found = [_COLOURS[part] for part in code[1].split(";") if part in _COLOURS]
            name = found[-1] if found else "" if code[1] in ("", "0", "39", "22") else name
    pieces.append(_piece(row[end:], name))
    return Markup("").join(pieces)


def _piece(text: str, name: str) -> Markup:
    clean = _CONTROL.sub("", text)
    return Markup('<span class="{}">{}</span>').format(name, clean) if name else escape(clean)
