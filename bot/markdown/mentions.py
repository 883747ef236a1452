"""Takes the power to summon anyone out of text: mentions, references, commands, hidden comments.

https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#mentioning-people-and-teams
"""

import re

from markdown_it import MarkdownIt

ZERO_WIDTH_SPACE = "\u200b"
_BREAK = rf"\g<0>{ZERO_WIDTH_SPACE}"

# Control characters other than tab and line feed, and those that reorder or hide text.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
    r"|[\U000e0000-\U000e007f]"
)

# Mentions are looked for after entities are decoded and backslashes removed, so each spelling
# of the sign counts. An e-mail address (letter or digit before the sign) mentions nobody.
_MENTION = re.compile(r"(?:(?<![A-Za-z0-9])@|&(?:commat|#0*64|#[xX]0*40);)(?![\s\u200b]|$)")
_COMMAND = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?/(?=[A-Za-z])", re.MULTILINE)
_REFERENCE = re.compile(r"(?:#|&(?:num|#0*35|#[xX]0*23);|\bGH-)(?=\d)", re.IGNORECASE)
_LINKED_REFERENCE = re.compile(r"/(?:issues|pull|pulls|discussions|commit)/(?=[0-9a-fA-F])")
# https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
_CLOSING = re.compile(
    r"\b(?:clos(?:e[sd]?)|fix(?:e[sd])?|resolve[sd]?)\b[\s:]{1,20}"
    r"(?:[\w.-]{1,100}/[\w.-]{1,100})?(?:#|\bGH-)(?=\d)",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\](?=[(\[:])|!(?=\[)")
_PICTURE = re.compile(
    r"!(?=\[)|<(?=/?(?:img|image|picture|source|video|audio|iframe|object|embed|svg)\b)",
    re.IGNORECASE,
)
# What begins a heading, a list, a quote, a fence, a table, a rule or code.
_OPENING = re.compile(r"^(?=[#>`~|=+*_-]|\d{1,9}[.)])")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def clean(text: str) -> str:
    """The text with line feeds for line ends and without control or reordering characters."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def defuse(text: str) -> str:
    """Make text from an issue, a model, a log or a test safe to stand in a paragraph or a cell.

    A zero-width space breaks every mention, issue reference, slash command, link, picture and HTML
    tag (hidden comments included), so that it looks the same and does nothing. Defusing twice
    changes nothing. Text that spans blocks belongs into `fence` or `quote`.
    """
    text = clean(text)
    for pattern in (_MENTION, _COMMAND, _REFERENCE, _LINKED_REFERENCE, _TARGET, _TAG):
        text = pattern.sub(_BREAK, text)
    return text


def line(text: str) -> str:
    """Others' text on one line that begins no block, for a list item or a paragraph."""
    text = defuse(" ".join(clean(text).split()))
    return _OPENING.sub(_BREAK, text)


def unmention(text: str) -> str:
    """Break mentions, and what would close an issue: for titles and commit messages, which are
    not Markdown; other references of the bot's own go on working."""
    text = clean(text)
    for pattern in (_MENTION, _CLOSING, _LINKED_REFERENCE):
        text = pattern.sub(_BREAK, text)
    return text


def silence(markdown: str) -> str:
    """Break mentions, slash commands and pictures of a whole body, outside its fences.

    The net below every write: what forgot to `defuse` still summons nobody and loads nothing from
    elsewhere (the bot posts no picture), while its own references and links keep working.
    """
    markdown = clean(markdown)
    code = _code_lines(markdown)
    return "\n".join(
        line if number in code else _quiet(line) for number, line in enumerate(markdown.split("\n"))
    )


def _quiet(line: str) -> str:
    for pattern in (_MENTION, _COMMAND, _PICTURE):
        line = pattern.sub(_BREAK, line)
    return line


def _code_lines(markdown: str) -> frozenset[int]:
    """Numbers (from 0) of the lines inside fences, where GitHub reads no mentions. What is indented
    is no code where GitHub takes it for more of a footnote (`[^1]:`), which CommonMark lacks."""
    blocks = (
        token.map
        for token in MarkdownIt("commonmark").parse(markdown)
        if token.type == "fence" and token.map
    )
    return frozenset(number for start, end in blocks for number in range(start, end))
