"""Finds what somebody says in a text of their own, as opposed to what they quote, show or hide."""

from collections.abc import Iterator

from markdown_it import MarkdownIt

_BREAKS = ("softbreak", "hardbreak")


def spoken_lines(markdown: str) -> Iterator[str]:
    """Lines of the paragraphs and headings that stand in no quote, list, code or HTML block.

    A paragraph with a code span, link or tag that runs over a line's end is passed over: its
    lines are not what they look like.
    """
    for token in MarkdownIt("commonmark").parse(markdown.replace("\r\n", "\n")):
        if token.type != "inline" or token.level != 1:
            continue
        lines = token.content.split("\n")
        breaks = sum(child.type in _BREAKS for child in token.children or ())
        if breaks == len(lines) - 1:
            yield from lines
