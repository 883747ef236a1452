"""What a reader of check tests remembers: what names stand for, and the calls that it has seen."""

import ast
from dataclasses import dataclass, field

from bot.state.extract import Definition


@dataclass(frozen=True)
class Held:
    """What a local name stands for: the text of a project's object, or a literal."""

    label: str | None = None
    literal: ast.expr | None = None


@dataclass(frozen=True)
class Seen:
    """One call (or reading of an attribute, without a `shape`). `target` is what is called, as
    text, and `masked` says that the values were left out since they are what a test expects."""

    target: str
    text: str
    shape: frozenset[str] | None = None
    masked: bool = False


@dataclass
class Scope:
    """`argv` is the command line that is set inside."""

    names: dict[str, Held] = field(default_factory=dict)
    functions: dict[str, Definition] = field(default_factory=dict)
    argv: ast.List | None = None
