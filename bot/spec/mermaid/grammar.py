"""Loads the lark grammars that stand beside this file."""

from functools import cache
from importlib.resources import files

from lark import Lark


@cache
def grammar(name: str) -> Lark:
    """The LALR parser of one grammar file; trees carry positions within their line."""
    source = files("bot.spec.mermaid").joinpath(f"{name}.lark").read_text(encoding="utf-8")
    return Lark(source, parser="lalr", propagate_positions=True, maybe_placeholders=True)
