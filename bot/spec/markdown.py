"""Markdown as the readers of a spec need it: headings, list items, fences, each with its line."""

import re
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.base import Data
from bot.spec.model import Document, DocumentKind, Location, Section
from bot.spec.texts import slug

Kind = Literal["heading", "item", "paragraph", "fence"]


_WIDEST_TABLE = 300


class Block(Data):
    """One block of a document, in reading order.

    `level` is 1 to 6 for headings, and the nesting depth of the list (0 outside any) for the
    others. `text` is the source without block marks. `line` counts from 0 within the document.
    `info` is the word after a fence's marks; `closed` whether the fence was closed.
    """

    kind: Kind
    level: int
    text: str
    line: int
    info: str = ""
    closed: bool = True


@lru_cache(maxsize=64)
def blocks(text: str) -> tuple[Block, ...]:
    """All blocks of the text; what stands in block quotes and tables counts as paragraphs."""
    lines = text.split("\n")
    out: list[Block] = []
    depth = 0
    opened: Token | None = None
    item_line: int | None = None
    wide = any(line.count("|") > _WIDEST_TABLE for line in lines)
    for token in _parser(tables=not wide).parse(text):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            item_line = _line(token)
        elif token.type in ("heading_open", "paragraph_open"):
            opened = token
        elif token.type == "inline":
            block = _inline(token, opened, depth, item_line)
            item_line = None if block.kind == "item" else item_line
            out.append(block)
            opened = None
        elif token.type in ("fence", "code_block"):
            out.append(_fence(token, depth, lines))
    return tuple(out)


def fence_indent(lines: list[str], block: Block) -> int:
    """How many columns a fence's content is indented in the lines of its document."""
    row = block.line + 1
    first = block.text.partition("\n")[0]
    return max(0, len(lines[row]) - len(first)) if row < len(lines) else 0


def location(document: Document, line: int, column: int = 1) -> Location:
    """The place of a line of the document, counted from 0, within its file."""
    return Location(file=document.file, line=document.first_line + line, column=max(1, column))


def sections(document: Document) -> tuple[Section, ...]:
    """The headed parts of a document; text before the first heading is the document's own."""
    heads = [b for b in blocks(document.text) if b.kind == "heading"]
    lines = document.text.split("\n")
    out: list[Section] = []
    path: list[tuple[int, str]] = []
    bounds = [*(h.line for h in heads), len(lines)]
    lead = "\n".join(lines[: bounds[0]]).strip()
    if lead:
        out.append(_section(document, [], document.kind.value, 0, lead, 0))
    sole = sum(h.level == 1 for h in heads) == 1
    for head, end in zip(heads, bounds[1:], strict=True):
        while path and path[-1][0] >= head.level:
            path.pop()
        if not (sole and head.level == 1):
            path.append((head.level, slug(head.text)))
        body = "\n".join(lines[head.line + 1 : end]).strip()
        out.append(_section(document, [s for _, s in path], head.text, head.level, body, head.line))
    return distinct_ids(tuple(out))


def _section(
    document: Document, path: list[str], title: str, level: int, text: str, line: int
) -> Section:
    return Section(
        id="/".join([document.kind.value, *path]),
        kind=document.kind,
        title=re.sub(r"[`*_]", "", title).strip(": ") or document.kind.value,
        level=level,
        text=text,
        location=location(document, line),
    )


def distinct_ids(found: tuple[Section, ...]) -> tuple[Section, ...]:
    """The sections with `-2`, `-3` … appended to ids that stand before."""
    seen: dict[str, int] = {}
    out: list[Section] = []
    for section in found:
        count = seen[section.id] = seen.get(section.id, 0) + 1
        name = section.id if count == 1 else f"{section.id}-{count}"
        out.append(section if count == 1 else section.model_copy(update={"id": name}))
    return tuple(out)


def all_sections(documents: tuple[Document, ...]) -> tuple[Section, ...]:
    """The sections of all documents that hold prose, under ids that are unique."""
    prose = [d for d in documents if d.kind is not DocumentKind.UML or "\n#" in f"\n{d.text}"]
    return distinct_ids(tuple(s for d in prose for s in sections(d)))


@lru_cache(maxsize=2)
def _parser(*, tables: bool) -> MarkdownIt:
    """CommonMark blocks with tables; what stands inside a block is read by its own readers. Each
    row of a table gets as many cells as its head: a few lines can ask for millions."""
    parser = MarkdownIt("commonmark", {"html": True})
    if tables:
        parser.enable("table")
    parser.core.ruler.disable("inline")
    return parser


def _line(token: Token) -> int:
    return token.map[0] if token.map else 0


def _inline(token: Token, opened: Token | None, depth: int, item_line: int | None) -> Block:
    line = _line(token)
    if opened is not None and opened.type == "heading_open":
        return Block(kind="heading", level=int(opened.tag[1:]), text=token.content, line=line)
    if depth and item_line is not None:
        return Block(kind="item", level=depth, text=token.content, line=line)
    return Block(kind="paragraph", level=depth, text=token.content, line=line)


def _fence(token: Token, depth: int, lines: list[str]) -> Block:
    start, end = token.map or (0, 0)
    if token.type == "code_block":
        return Block(
            kind="fence", level=depth, text=token.content.rstrip("\n"), line=start - 1, info=""
        )
    last = lines[end - 1].strip() if 0 < end <= len(lines) else ""
    closed = end - start >= 2 and last.startswith(token.markup[:3])
    content = token.content.removesuffix("\n")
    return Block(
        kind="fence",
        level=depth,
        text=content,
        line=start,
        info=token.info.strip(),
        closed=closed,
    )
