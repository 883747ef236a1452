"""What the arrows of a class diagram mean.

An arrow's head points at the parent, the used or the part's whole:
https://mermaid.js.org/syntax/classDiagram.html#defining-relationship
"""

import re
from typing import NamedTuple

from bot.spec.model import RelationKind
from bot.spec.texts import one_line
from bot.spec.words import words

_ARROW = re.compile(r"(<\||[<*o]|\(\))?(-{2,}|\.{2,})(\|>|[>*o]|\(\))?$")
_HEADS = {
    "<|": "parent",
    "|>": "parent",
    "*": "whole",
    "o": "group",
    "<": "used",
    ">": "used",
    "()": "used",
    "": "",
}
_WORD = re.compile(r"[a-z]+")


class Read(NamedTuple):
    """A relation read from an arrow; `swap` says that its source stands on the right."""

    kind: RelationKind
    swap: bool


def read_arrow(arrow: str, label: str) -> tuple[Read, ...]:
    """The relations of an arrow: two where both ends have a head, else one."""
    found = _ARROW.match(arrow)
    left = _HEADS[found[1] or ""] if found else ""
    right = _HEADS[found[3] or ""] if found else "used"
    dashed = "." in arrow
    out: list[Read] = []
    if right or not left:
        out.append(Read(_labelled(_kind(right, dashed), label), right in ("whole", "group")))
    if left:
        out.append(Read(_labelled(_kind(left, dashed), label), left not in ("whole", "group")))
    return tuple(out)


def clean_label(text: str) -> str:
    """A label without its colon, quotes and the `>>` of a reading direction."""
    label = one_line(text.lstrip(": ")).strip("\"' ")
    return label.strip("<> ").strip()


def _kind(head: str, dashed: bool) -> RelationKind:
    match head:
        case "parent":
            return RelationKind.REALIZE if dashed else RelationKind.INHERIT
        case "whole":
            return RelationKind.COMPOSE
        case "group":
            return RelationKind.AGGREGATE
        case "used":
            return RelationKind.USE if dashed else RelationKind.ASSOCIATE
    return RelationKind.ASSOCIATE


def _labelled(kind: RelationKind, label: str) -> RelationKind:
    """`A --|> B : Uses` is a use, `A --> B : extends` an inheritance: the word wins."""
    first = _WORD.match(label.lower())
    word = first.group() if first else ""
    if kind in (RelationKind.INHERIT, RelationKind.REALIZE) and word in words().use_labels:
        return RelationKind.USE
    plain = (RelationKind.ASSOCIATE, RelationKind.USE)
    return RelationKind.INHERIT if kind in plain and word in words().inherit_labels else kind
