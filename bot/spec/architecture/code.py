"""A piece of code named in a document, such as `Name.method(a, b=1) -> T`, taken apart."""

import re
from typing import NamedTuple

from bot.spec.texts import closing, one_line, scan, split_top

_HEAD = re.compile(
    r"^(?:@\S+\s+)?(?:(?P<word>class|async\s+def|def|async)\s+)?(?P<name>[^\W\d]\w*(?:\.\w+)*)\s*"
)
_CAPITAL = re.compile(r"_*[A-Z]")
_BASE = re.compile(
    r"(?:[a-z_]\w*\.)*_*[A-Z]\w*(?:\[.*\])?|object|metaclass\s*=.+|total\s*=.+|[a-z_]\w*\.[A-Z]\w*"
)
_BUILTIN_BASES = frozenset(
    ["bytes", "str", "int", "float", "dict", "list", "tuple", "set", "frozenset", "type"]
)


class Code(NamedTuple):
    """`owner` is what stands before the last dot; `arguments` the text between the parentheses,
    None without any; `value` what follows `=`; `annotation` what follows `:`."""

    word: str
    owner: str
    name: str
    arguments: str | None
    returns: str | None
    value: str | None
    annotation: str | None

    @property
    def capital(self) -> bool:
        """Whether the name is written as that of a class: `Name`, `_Name`, `NAME(…)`, not `NAME`
        alone, which is a constant."""
        constant = len(self.name) > 1 and self.name.isupper() and self.arguments is None
        return bool(_CAPITAL.match(self.name)) and not constant

    @property
    def takes_self(self) -> bool:
        """Whether the first parameter is that of a method."""
        first = (self.arguments or "").split(",")[0].split(":")[0].strip()
        return first in ("self", "cls")

    @property
    def dunder(self) -> bool:
        return self.name.startswith("__") and self.name.endswith("__")

    @property
    def bases(self) -> tuple[str, ...] | None:
        """The arguments as base classes, None where they read as parameters."""
        if self.arguments is None or not self.arguments.strip():
            return None
        parts = [one_line(p) for p in split_top(self.arguments, ",")]
        if all(_BASE.fullmatch(p) or p in _BUILTIN_BASES for p in parts if p):
            return tuple(p for p in parts if p)
        return None


def parse_code(text: str) -> Code | None:
    """Take a code span apart; None where it does not begin with a name or is no definition."""
    found = _HEAD.match(text)
    if found is None:
        return None
    name = found["name"]
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    rest = text[found.end() :]
    arguments = None
    if rest.startswith("("):
        end = closing(rest, 0)
        if end < 0:
            return None
        arguments, rest = rest[1:end], rest[end + 1 :].strip()
    returns = value = annotation = None
    rest = rest.strip().rstrip(":").strip()
    if rest.startswith("->"):
        returns = rest[2:].strip() or None
    elif rest.startswith(":"):
        annotation, value = _assigned(rest[1:])
    elif rest.startswith("=") and not rest.startswith("=="):
        value = rest[1:].strip() or None
    elif rest:
        return None
    owner, _, last = name.rpartition(".")
    word = " ".join((found["word"] or "").split())
    return Code(word, owner, last, arguments, returns, value, annotation)


def _assigned(text: str) -> tuple[str | None, str | None]:
    for i, c, depth in scan(text):
        if c == "=" and not depth:
            return text[:i].strip() or None, text[i + 1 :].strip() or None
    return text.strip() or None, None
