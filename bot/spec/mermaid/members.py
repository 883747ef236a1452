"""Members of UML classes: attributes and methods in every order of name and type."""

import re
from typing import Literal, NamedTuple

from lark import Tree, UnexpectedInput

from bot.spec.mermaid.grammar import grammar
from bot.spec.model import Location, Member
from bot.spec.signatures import is_type_word, parse_parameters, python_type, type_and_name
from bot.spec.texts import one_line

_MODIFIERS = frozenset(
    ["static", "abstract", "async", "def", "final", "const", "public", "private", "protected"]
)
_ELLIPSIS = frozenset(["...", "…", ".."])
Visibility = Literal["+", "-", "#", "~", ""]


class ReadMember(NamedTuple):
    """A member, or what else the line is: an ellipsis, prose, or text that cannot be read
    (`column` counts from 0)."""

    member: Member | None
    kind: Literal["member", "ellipsis", "prose", "unread"]
    column: int = 0


def read_member(text: str, place: Location) -> ReadMember:
    """Read one line of a class body."""
    text = text.rstrip(" ;,") if not text.endswith(")") else text
    plain = generics(text)
    if plain.lstrip("+-#~ ") in _ELLIPSIS:
        return ReadMember(None, "ellipsis")
    try:
        tree = grammar("member").parse(plain)
    except UnexpectedInput as error:
        return ReadMember(None, "unread", max(0, getattr(error, "column", 1) - 1))
    visibility, head, call, tail = tree.children
    words = _head_words(plain, head)
    modifiers = {w for w in words if w in _MODIFIERS}
    words = [w for w in words if w not in _MODIFIERS] or words
    if len(words) > 2 or not any(w.isidentifier() for w in words):
        return ReadMember(None, "prose")
    return _member(
        text,
        place,
        str(visibility or ""),
        words,
        modifiers,
        _slice(plain, call),
        _slice(plain, tail),
    )


def generics(text: str) -> str:
    """Mermaid's `List~int~` as `List[int]`; the tilde of a package member is left alone."""
    out: list[str] = []
    depth = 0
    for i, c in enumerate(text):
        if c != "~" or i == 0:
            out.append(c)
            continue
        before, after = text[i - 1], text[i + 1 : i + 2]
        if (before.isalnum() or before in "_.") and (after.isalpha() or after in ('"', "'", "_")):
            depth += 1
            out.append("[")
        elif depth:
            depth -= 1
            out.append("]")
        else:
            out.append(c)
    return "".join(out)


def _head_words(text: str, head: object) -> list[str]:
    """The words before parentheses and colon, a type with its brackets as one word."""
    spans: list[tuple[int, int]] = []
    for child in head.children if isinstance(head, Tree) else []:
        start, end = _span(child)
        if spans and isinstance(child, Tree) and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [text[a:b] for a, b in spans]


def _member(
    text: str,
    place: Location,
    visibility: str,
    words: list[str],
    modifiers: set[str],
    call: str | None,
    tail: str | None,
) -> ReadMember:
    type_, name = (None, words[0]) if len(words) == 1 else type_and_name(words[0], words[1])
    if not name.isidentifier():
        return ReadMember(None, "prose")
    rest, marks = _marks(tail or "")
    if call is None:
        if rest and rest[0] not in ":=-" and not _is_type(rest):
            return ReadMember(None, "prose")
        type_ = _type(rest) or type_
        parameters, open_ended = None, False
    else:
        found, open_ended = parse_parameters(call[1:-1])
        parameters, type_ = found, _type(rest) or type_
    return ReadMember(
        Member(
            name=name,
            kind="attribute" if call is None else "method",
            visibility=_visibility(visibility, modifiers),
            type=python_type(type_),
            parameters=parameters,
            open_ended=open_ended,
            static="$" in marks or "static" in modifiers,
            abstract="*" in marks or "abstract" in modifiers,
            text=text,
            location=place,
        ),
        "member",
    )


def _marks(tail: str) -> tuple[str, str]:
    """The tail without Mermaid's `*` (abstract) and `$` (static) at either end, and these."""
    text = tail.strip()
    marks = ""
    while text[:1] in ("*", "$") and text[:1]:
        marks, text = marks + text[0], text[1:].strip()
    while text[-1:] in ("*", "$") and text[-1:]:
        marks, text = marks + text[-1], text[:-1].strip()
    return text, marks


def _type(rest: str) -> str | None:
    """The type that a tail gives: `: T`, `-> T`, `T`, with a default cut off."""
    text = rest.strip()
    if text.startswith("="):
        return None
    text = text.removeprefix("->").removeprefix(":").removeprefix("->").strip()
    text = text.split(" = ")[0].strip()
    return one_line(text) or None


def _is_type(text: str) -> bool:
    return bool(re.match(r"[\"'|]", text)) or is_type_word(text.split("[")[0])


def _visibility(mark: str, modifiers: set[str]) -> Visibility:
    if mark == "+" or (not mark and "public" in modifiers):
        return "+"
    if mark == "-" or (not mark and "private" in modifiers):
        return "-"
    if mark == "#" or (not mark and "protected" in modifiers):
        return "#"
    return "~" if mark == "~" else ""


def _span(node: object) -> tuple[int, int]:
    if isinstance(node, Tree):
        return node.meta.start_pos, node.meta.end_pos
    start, end = getattr(node, "start_pos", 0), getattr(node, "end_pos", 0)
    return int(start or 0), int(end or 0)


def _slice(text: str, node: object) -> str | None:
    if node is None:
        return None
    start, end = _span(node)
    return text[start:end]
