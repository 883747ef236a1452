"""What a heading, paragraph or list item of an architecture document speaks of: its lead.

The authors write the same thing in many ways: code in backticks with or without a signature,
plain `class X(base):` and `f(a, b):`, `The method f() does …`, `Class: X`, `X class`.
"""

import re
from typing import NamedTuple

from bot.spec.texts import closing, one_line

_CODE = re.compile(r"(`{1,2})(?P<code>[^`]+)\1")
_BEFORE = re.compile(
    r"^(?:[-*+]\s+|\d+[.)]\s+)?(?:\*\*|__)?\s*"
    r"(?P<words>(?:(?:the|an?|its|nested|inner|helper|instance|class|static|abstract|public|private"
    r"|protected|internal|main|important|module|module-level|global|cached|read-only|async|file"
    r"|folder|directory|package|attributes?|propert(?:y|ies)|methods?|functions?|constants?"
    r"|variables?|fields?|enum|exception|decorators?|dataclass|protocol|interface|implements)"
    r"\b:?\s*+)*+)(?:\*\*|__)?\s*+(?=`)",
    re.IGNORECASE,
)
_AND = re.compile(r"^\s*(?:,\s*(?:and|or)?|/|&|and\b|or\b)\s*(?=`)", re.IGNORECASE)
_NOTE = re.compile(r"^\s*(?:\*\*|__)?\s*\((?P<note>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_TAIL = re.compile(
    r"^\s*(?:\*\*|__)?\s*(?P<kind>class|enum|exception|function|method|module|file"
    r"|package|folder|directory|mixin|protocol|dataclass)?\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(?:\*\*|__)?(?P<word>class|(?:async\s+)?def|function|method)?\s*(?P<name>[^\W\d][\w.]*)\s*\(",
)
_BARE_CLASS = re.compile(
    r"^(?:\*\*|__)?(?:class\s*:?\s+(?P<a>[^\W\d]\w*)(?!\()|(?P<b>[A-Z_]\w*)\s+class\b)"
    r"(?:\*\*|__)?\s*(?:\((?P<note>[^()]*)\))?\s*(?:[:—–-]|$)",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"^(?:\*\*|__)?(?:file\s*:?\s*)?(?P<path>[\w.*/\\-]*[\w*-]\.[A-Za-z]\w{0,7})(?:\*\*|__)?"
    r"\s*(?:\((?P<note>[^()]*)\)\s*)?(?P<end>[:：—–]|\s-\s|$)"
)
_BARE_CONSTANT = re.compile(
    r"^(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]*|[A-Z]{3,}[A-Z0-9]*)\s*(?P<end>[:：])\s"
)
_SEPARATOR = re.compile(r"^[\s*_]*(?:[:：—–-]+|->|=>|$)?[\s*_]*")


class Lead(NamedTuple):
    """`codes` are what is spoken of, as written; `words` what stands before, lower case; `note`
    the parenthesis behind; `kind` the word behind such as `class`; `text` the description."""

    codes: tuple[str, ...]
    words: str
    note: str
    kind: str
    text: str
    column: int
    quoted: bool


def read_lead(text: str) -> Lead | None:
    """The lead of a block, None where it is plain prose."""
    before = _BEFORE.match(text)
    if before is not None:
        return _quoted(text, before)
    return _bare(text)


def _quoted(text: str, before: re.Match[str]) -> Lead | None:
    codes: list[str] = []
    position = before.end()
    while (found := _CODE.match(text, position)) is not None:
        codes.append(found["code"].strip())
        position = found.end()
        more = _AND.match(text[position : position + 80])
        if more is None:
            break
        position += more.end()
    if not codes:
        return None
    rest = text[position:]
    kind = _TAIL.match(rest)
    if kind is not None and kind["kind"]:
        rest = rest[kind.end() :]
    note = _NOTE.match(rest)
    if note is not None:
        rest = rest[note.end() :]
    return Lead(
        codes=tuple(codes),
        words=one_line(before["words"].lower()),
        note=note["note"] if note else "",
        kind=(kind["kind"] or "").lower() if kind else "",
        text=one_line(_SEPARATOR.sub("", rest, count=1)),
        column=before.end() + 1,
        quoted=True,
    )


def _bare(text: str) -> Lead | None:
    first = text.split("\n", 1)[0]
    found = _FILE.match(first)
    if found is not None:
        return _lead(found["path"], "", found["note"], text[found.end() :])
    found = _BARE_CLASS.match(first)
    if found is not None:
        return _lead(found["a"] or found["b"], "class", found["note"], text[found.end() :])
    found = _BARE_CONSTANT.match(first)
    if found is not None:
        return _lead(found["name"], "constant", "", text[found.start("end") :])
    found = _BARE.match(text)
    if found is None:
        return None
    end = closing(text, found.end() - 1)
    if end < 0:
        return None
    rest = text[end + 1 :]
    returns = re.match(r"\s*->\s*(?P<type>[^:：\n]+)", rest)
    stop = end + 1 + (returns.end() if returns else 0)
    if not found["word"] and not re.match(r"\s*(?:\*\*|__)?\s*(?:[:：—–-]|$)", text[stop:]):
        return None
    code = text[found.start("name") : stop].strip()
    return _lead(code, found["word"] or "", "", text[stop:])


def _lead(code: str, words: str, note: str | None, rest: str) -> Lead:
    return Lead(
        codes=(code,),
        words=one_line(words.lower()),
        note=note or "",
        kind="",
        text=one_line(_SEPARATOR.sub("", rest, count=1)),
        column=1,
        quoted=False,
    )
