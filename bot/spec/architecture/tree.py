"""Directory trees as people draw them: box drawing, ASCII art, or plain indentation."""

import re

from bot.base import Data
from bot.spec.texts import one_line
from bot.spec.words import words

_MARK = re.compile(r"(?:├|└|╰|\|--|\|__|`--|\+--|\\--)")
_PREFIX = re.compile(r"^(?:[\s│├└┃╰─━|`+\\]|--+ ?|__ )*(?:[-*] )?")
_COMMENT = re.compile(r"(?<=\S)\s+(?:#|//|<-+|←|—|–|--?|:|\()\s*(?P<text>.*)$")
_NAME = re.compile(
    r"^[\w.@+~$*?\[\]{},=%-]+(?:[/\\][\w.@+~$*?\[\]{},=%-]+)*[/\\]?$|^\.{1,3}[/\\]?$"
)
_INDENTED = re.compile(r"^[\w.@*-]+(?:/[\w.@*-]+)*/?$")
_BROKEN_INIT = re.compile(r"(^|/)_*init_*\.?_*py_*$")


class TreeEntry(Data):
    """A line of a tree; `path` is POSIX, without a leading `./`; `line` counts from 0."""

    path: str
    folder: bool
    comment: str = ""
    line: int
    column: int


class Tree(Data):
    """The entries of one drawn tree, and the lines in it that could not be read."""

    entries: tuple[TreeEntry, ...]
    unread: tuple[int, ...] = ()


def looks_like_tree(text: str) -> bool:
    """Whether a fence holds a tree: at least half of its lines are drawn, or all are names that
    an indentation orders under folders."""
    lines = [line for line in text.split("\n") if line.strip()]
    drawn = sum(bool(_MARK.search(line)) for line in lines)
    if drawn and drawn * 2 >= len(lines):
        return sum(_split_name(line) is not None for line in lines) * 2 > len(lines)
    names = [_split_name(line) for line in lines]
    return (
        len(lines) >= 2
        and all(n is not None and _INDENTED.match(n[0]) for n in names)
        and any(n is not None and n[0].endswith("/") for n in names)
    )


def read_tree(text: str) -> Tree:
    """Read a tree; the depth of an entry is the column in which its name begins."""
    rows: list[tuple[int, str, str, int]] = []
    unread: list[int] = []
    for number, line in enumerate(text.split("\n")):
        found = _split_name(line)
        if found is not None:
            rows.append((found[2], found[0], found[1], number))
        elif line.strip(" │|\t"):
            unread.append(number)
    return Tree(entries=_nest(rows), unread=tuple(unread))


def mended(path: str) -> str:
    """The path with `__init__.py` spelt right where it ends in `__init.py__` and the like."""
    return _BROKEN_INIT.sub(r"\1__init__.py", path)


def _nest(rows: list[tuple[int, str, str, int]]) -> tuple[TreeEntry, ...]:
    entries: list[TreeEntry] = []
    stack: list[tuple[int, str]] = []
    for index, (column, name, comment, number) in enumerate(rows):
        while stack and stack[-1][0] >= column:
            stack.pop()
        clean = mended(name.replace("\\", "/").removeprefix("./"))
        if clean.strip("/") in ("", ".", "..", "..."):
            continue
        parent = stack[-1][1] if stack else ""
        path = f"{parent}/{clean.strip('/')}" if parent else clean.strip("/")
        has_children = index + 1 < len(rows) and rows[index + 1][0] > column
        folder = has_children or clean.endswith("/") or not _looks_like_file(path)
        if folder:
            stack.append((column, path))
        entries.append(
            TreeEntry(path=path, folder=folder, comment=comment, line=number, column=column + 1)
        )
    return tuple(entries)


def _split_name(line: str) -> tuple[str, str, int] | None:
    """Name, comment and column of a line, None where the line names nothing."""
    prefix = _PREFIX.match(line)
    column = prefix.end() if prefix else 0
    rest = line[column:].rstrip()
    found = _COMMENT.search(rest)
    name, comment = (rest[: found.start()], found["text"]) if found else (rest, "")
    name = name.strip("`\"' ")
    if name.startswith("**") and name.endswith("**"):
        name = name.strip("*")
    if not name or not _NAME.match(name):
        return None
    return name, one_line(comment.rstrip(")") if "(" not in comment else comment), column


def _looks_like_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    if name.startswith("."):
        return name not in words().dot_folders
    return "." in name or "*" in name or name.lower() in words().plain_files
