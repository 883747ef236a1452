"""Finds what somebody says in a text of their own, as opposed to what they quote, show or hide."""

import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

_BREAKS = ("softbreak", "hardbreak")
_FOLD = re.compile(r"<(/?)details\b", re.IGNORECASE)


def spoken_lines(markdown: str) -> Iterator[str]:
    """Lines of the paragraphs and headings that stand in no quote, list, code, fold or HTML block.

    A paragraph with a code span, link or tag that runs over a line's end is passed over: its
    lines are not what they look like.
    """
    folds = 0
    for token in MarkdownIt("commonmark").parse(markdown.replace("\r\n", "\n")):
        inner = "".join(c.content for c in token.children or () if c.type == "html_inline")
        tags = token.content if token.type == "html_block" else inner
        before, folds = folds, max(folds + _folds(tags), 0)
        if token.type != "inline" or token.level != 1 or before or _FOLD.search(inner):
            continue
        lines = token.content.split("\n")
        if _breaks(token.children or ()) == len(lines) - 1:
            yield from lines


def _folds(html: str) -> int:
    """How many folds more are open after some HTML than before."""
    return sum(-1 if found[1] else 1 for found in _FOLD.finditer(html))


def _breaks(children: Iterable[Token]) -> int:
    """The ends of lines that stand in no link."""
    depth = count = 0
    for child in children:
        depth += child.nesting if child.type.startswith("link") else 0
        count += child.type in _BREAKS and depth == 0
    return count
