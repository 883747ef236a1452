"""A diagram's text as lines that know where they stand in the author's document."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.spec.model import Location

_TRAILING_COMMENT = re.compile(r"(?<=\s)%%(?!\{).*$")
_HTML_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class Line(NamedTuple):
    """`text` is stripped; `row` counts from 0 within the diagram, `column` from 1 in the file."""

    text: str
    row: int
    column: int


class Source(NamedTuple):
    """The text of one diagram; `place` is its first line, `indent` the columns before it."""

    text: str
    file: str
    first_line: int
    indent: int = 0

    def lines(self) -> Iterator[Line]:
        """Lines that say something: no comments, no directives, no front matter."""
        rows = self.text.split("\n")
        start = _after_front_matter(rows)
        for row, raw in enumerate(rows):
            text = _TRAILING_COMMENT.sub("", raw).strip()
            if row >= start and text and not text.startswith("%%"):
                lead = len(raw) - len(raw.lstrip())
                yield Line(text, row, self.indent + lead + 1)

    def place(self, line: Line, offset: int = 0) -> Location:
        """The place of a line's character, counted from 0 within the stripped text."""
        return Location(
            file=self.file, line=self.first_line + line.row, column=line.column + offset
        )


def _after_front_matter(rows: list[str]) -> int:
    """Rows that a leading `---` block takes up."""
    first = next((i for i, r in enumerate(rows) if r.strip()), None)
    if first is None or rows[first].strip() != "---":
        return 0
    end = next((i for i in range(first + 1, len(rows)) if rows[i].strip() == "---"), None)
    return 0 if end is None else end + 1


def plain_label(text: str) -> str:
    """A label without quotes and markdown marks, its breaks as newlines."""
    text = _HTML_BREAK.sub("\n", text.strip())
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'`":
        text = text[1:-1]
    return "\n".join(part.strip() for part in text.strip("`").split("\n")).strip()
