"""Markdown blocks that their content cannot break out of."""

import html
import re
from collections.abc import Sequence

from bot.markdown.mentions import ZERO_WIDTH_SPACE, clean, defuse

_BACKTICKS = re.compile(r"`+")
_NOT_A_LANGUAGE = re.compile(r"[^A-Za-z0-9_+#.-]")
_PIPE = re.compile(r"(\\?)\|")


def fence(text: str, lang: str = "") -> str:
    """A code block; its fence is longer than any run of backticks inside."""
    text = clean(text).rstrip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{_NOT_A_LANGUAGE.sub('', lang)}\n{text}\n{marks}"


def code(text: str) -> str:
    """A code span on one line; a backtick in it, which could end it, becomes an apostrophe."""
    return f"`{' '.join(clean(text).replace('`', chr(39)).split())}`"


def quote(text: str) -> str:
    """A block quote of defused text; what it leaves open ends with the quote."""
    return "\n".join(f"> {line}".rstrip() for line in defuse(text).split("\n"))


def details(summary: str, body: str) -> str:
    """A fold. `summary` may be anything; `body` is Markdown that is safe already."""
    title = defuse(html.escape(" ".join(summary.split()), quote=False))
    return f"<details>\n<summary>{title}</summary>\n\n{body.strip()}\n\n</details>"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table; the first row is the header. Cells are Markdown: pass others' text through
    `defuse`. Pipes and line ends in a cell stay in that cell."""
    if not rows:
        return ""
    header, *body = rows
    lines = [_row(header), "|" + " --- |" * len(header)]
    lines += [_row([*row, *[""] * (len(header) - len(row))][: len(header)]) for row in body]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """https://github.github.com/gfm/#tables-extension-: a pipe is escaped by one backslash; a
    backslash that stood before it already would undo that, so the two are kept apart."""
    text = clean(text).strip().replace("\n", "<br>")
    text = _PIPE.sub(lambda m: f"{m[1]}{ZERO_WIDTH_SPACE if m[1] else ''}\\|", text)
    return f"{text}{ZERO_WIDTH_SPACE}" if text.endswith("\\") else text
