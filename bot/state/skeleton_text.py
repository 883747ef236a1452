"""Docstrings, comments, parameters and attributes of a skeleton as text."""

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence

from bot.spec.model import Parameter
from bot.state.signatures import is_expression
from bot.state.skeleton_names import is_module, names_in
from bot.state.skeleton_values import runs
from bot.syntax import literal, parse_expression

WIDTH = 100
# Longer notes are prose that the documents say better.
_LONGEST_NOTE = 240
_SAYS_DATACLASS = re.compile(r"(?:an? )?(?:frozen )?`?data ?class`?\.?", re.IGNORECASE)


def docstring(text: str, indent: str) -> str:
    clean = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''").rstrip('"')
    wrapped = textwrap.fill(
        f'"""{clean}',
        width=WIDTH - len('"""'),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return f'{wrapped}"""'


def tells(purpose: str, *known: str) -> bool:
    """Whether a purpose says more than the names and texts around it."""
    said = purpose.strip().strip("`*.:").casefold()
    others = (k.strip().strip("`*.:").casefold() for k in known)
    return bool(said) and said not in others and not _SAYS_DATACLASS.fullmatch(purpose.strip())


def note(parts: Iterable[str]) -> str:
    """A comment at the end of a line; "" where there is nothing to say."""
    words = " ".join("; ".join(p for p in parts if p).split())
    return f"  # {_cut(words)}" if words else ""


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST_NOTE else f"{words[:_LONGEST_NOTE]}..."


def constant(text: str) -> bool:
    """Whether a value of the documents is a literal."""
    try:
        literal(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def means(text: str, known: Collection[str]) -> bool:
    """Whether an expression of the documents is Python whose every name is known in the file."""
    return is_expression(text) and names_in(text) <= set(known)


def _can_run(default: str, ready: Collection[str]) -> bool:
    """Whether a default can be worked out before there are bodies: from names that are ready,
    without a call of the project or a sum of what may be None yet."""
    if constant(default):
        return True
    if not means(default, ready):
        return False
    tree = parse_expression(default.strip()).body
    if runs(default) or isinstance(tree, ast.Name | ast.Lambda):
        return True
    root = re.split(r"\W", default.strip(), maxsplit=1)[0]
    member = isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name)
    return is_module(root) or (member and root[:1].isupper())


def valid(p: Parameter, known: Collection[str], ready: Collection[str]) -> Parameter:
    """A parameter without what the file cannot say; its default may use only what is `ready` where
    it stands."""
    annotation = p.annotation if p.annotation and means(p.annotation, known) else None
    default = p.default
    if default is not None and not _can_run(default, ready):
        default = "None"
    return p.model_copy(update={"annotation": annotation, "default": default})


def unsaid(
    parameters: Sequence[Parameter],
    returns: str | None,
    known: Collection[str],
    ready: Collection[str],
) -> list[str]:
    """What the documents say of a signature and the file cannot: types and defaults of names that
    it does not know."""
    out: list[str] = []
    for p in parameters:
        mended = valid(p, known, ready)
        kind = p.annotation if p.annotation != mended.annotation else None
        default = p.default if p.default != mended.default else None
        if kind or default:
            out.append(
                p.name + (f": {kind}" if kind else "") + (f" = {default}" if default else "")
            )
    if returns and not means(returns, known):
        out.append(f"-> {returns}")
    return out
