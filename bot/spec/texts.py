"""Plain text helpers that every reader of documents shares: decoding, slugs, bracket-aware cuts."""

import re
from collections.abc import Iterator

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())

_WORD = re.compile(r"[\w]+")


def decode(data: bytes) -> str | None:
    """UTF-8 text with newlines as LF and no byte order mark; None where it is not UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return normalise(text)


def normalise(text: str) -> str:
    """Newlines as LF, no byte order mark, no NUL: issue bodies arrive with CRLF."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def slug(text: str) -> str:
    """A short stable identifier of a title, such as `error-handling`."""
    words: list[str] = _WORD.findall(text.lower())
    return "-".join(words)[:60].strip("-") or "section"


def squash(text: str) -> str:
    """Letters and digits only, lower case: how `CSVUtils` and `csv_utils` are seen as one."""
    return "".join(c for c in text.lower() if c.isalnum())


def one_line(text: str) -> str:
    """The text on one line, with single spaces."""
    return " ".join(text.split())


def split_top(text: str, separator: str) -> list[str]:
    """Cut at a separator of one character that stands outside brackets and quotes."""
    return [piece for piece, _ in split_top_at(text, separator)]


def split_top_at(text: str, separator: str) -> list[tuple[str, int]]:
    """As split_top, with the offset of each piece."""
    cuts = [i for i, c, depth in scan(text) if depth == 0 and c == separator]
    pieces: list[tuple[str, int]] = []
    start = 0
    for cut in [*cuts, len(text)]:
        pieces.append((text[start:cut], start))
        start = cut + 1
    return pieces


def scan(text: str) -> Iterator[tuple[int, str, int]]:
    """Offset, character and bracket depth of all that stands outside quotes. An opening bracket
    has the depth outside it, a closing one too; an apostrophe inside a word opens no quote."""
    stack: list[str] = []
    quote = ""
    for i, c in enumerate(text):
        if quote:
            if c == quote and not _escaped(text, i):
                quote = ""
            continue
        if c in "\"'" and not (c == "'" and i and text[i - 1].isalnum()) and c in text[i + 1 :]:
            quote = c
            continue
        if c in OPENING:
            yield i, c, len(stack)
            stack.append(OPENING[c])
            continue
        if stack and c == stack[-1]:
            stack.pop()
        yield i, c, len(stack)


def _escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before a character."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def closing(text: str, start: int) -> int:
    """Offset of the bracket that closes the one at `start`, -1 where none does."""
    for i, _, depth in scan(text[start:]):
        if i and depth == 0:
            return start + i
    return -1
