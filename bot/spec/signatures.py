"""Parameter lists as people write them, in UML and in prose, read leniently."""

import re
from typing import Literal

from bot.spec.model import Parameter
from bot.spec.texts import scan, split_top
from bot.spec.words import words

_TYPO_COMMA = re.compile(r"(?<=\w)\.\s+(?=[^\W\d]\w*$)")
_TYPE_NAME = re.compile(r"(?<![\w.\"'])[A-Za-z]+(?![\w.\"'])")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def parse_parameters(text: str) -> tuple[tuple[Parameter, ...], bool]:
    """The parameters between the parentheses, and whether `...` stands among them.

    Understood are `name`, `name: type`, `name = default`, `name type` and `type name`, with stars,
    `/` and bare `*`; what holds no name at all is left out.
    """
    parameters: list[Parameter] = []
    open_ended = False
    for piece in split_top(text, ","):
        piece = piece.strip()
        if piece in ("...", "…"):
            open_ended = True
        else:
            found = (_parameter(part) for part in _TYPO_COMMA.split(piece))
            parameters.extend(p for p in found if p is not None)
    return tuple(parameters), open_ended


def type_and_name(first: str, second: str) -> tuple[str, str]:
    """Which of two words is the type and which the name; Mermaid's own order where both may be.

    `-str reason` and `-position_i list` stand in one and the same diagram.
    """
    if not _IDENTIFIER.fullmatch(second):
        return second, first
    if not _IDENTIFIER.fullmatch(first):
        return first, second
    sure, weak = words().types, words().weak_types
    last = first.rpartition(".")[2].lower(), second.rpartition(".")[2].lower()
    for kind in (sure, weak):
        if last[0] in kind and last[1] in kind:
            return (
                (second, first) if first[0].islower() and second[0].isupper() else (first, second)
            )
        if last[0] in kind or last[1] in kind:
            return (first, second) if last[0] in kind else (second, first)
    if not first[0].isupper() and second[0].isupper():
        return (first, second) if second.isupper() else (second, first)
    return first, second


def python_type(text: str | None) -> str | None:
    """The type as Python writes it: `String` is `str`, `void` is `None`, `A, B` is `A | B`."""
    if text is None:
        return None
    known = words().python_types
    renamed = _TYPE_NAME.sub(lambda m: known.get(m.group(), m.group()), text)
    parts = [part.strip() for part in split_top(renamed, ",")]
    return " | ".join(part for part in parts if part) or None


def is_type_word(word: str) -> bool:
    """Whether a word is the name of a type in Python, UML or languages like them."""
    return word.rpartition(".")[2].lower() in words().types | words().weak_types


def _parameter(piece: str) -> Parameter | None:
    left, default = _cut(piece, "=")
    left, annotation = _cut(left, ":")
    left = left.strip()
    if left in ("*", "/"):
        return Parameter(name=left)
    stripped = left.lstrip("*")
    stars = len(left) - len(stripped)
    star: Literal["", "*", "**"] = "**" if stars >= 2 else "*" if stars else ""
    said = stripped.strip("`'\" ").split()
    if annotation is None and len(said) == 2:
        annotation, name = type_and_name(said[0], said[1])
    else:
        name = said[0] if said else ""
    found = _IDENTIFIER.search(name)
    if found is None or not found.group().isidentifier():
        return None
    return Parameter(
        name=found.group(), annotation=python_type(annotation), default=default, star=star
    )


def _cut(text: str, mark: str) -> tuple[str, str | None]:
    """Cut at the first mark outside brackets and quotes; `==`, `<=` and the like are no `=`."""
    for i, c, depth in scan(text):
        if c != mark or depth:
            continue
        if mark == "=" and (text[i + 1 : i + 2] == "=" or text[i - 1 : i] in ("=", "!", "<", ">")):
            continue
        return text[:i], text[i + 1 :].strip() or None
    return text, None
