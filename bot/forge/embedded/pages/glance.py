"""Finds, in what a bot wrote in words, the few facts that a reader wants first.

A progress comment is Markdown for people; its `| Cost | $0.42 |` rows and `**Cost:** $0.42` lines
are read here so that the page can show them large. Whatever is not found is simply not shown.
"""

import re
from collections.abc import Sequence

from bot.base import Data

_FACT = re.compile(
    r"\W{0,6}(?P<name>cost|spent|next(?: step)?|tests|time|elapsed|phase|round"
    r"|calls|tokens|outcome)"
    r"[\s*]{0,4}[:|](?P<value>.+)",
    re.I,
)
_LONGEST_LINE = 400
_NAMES = {"spent": "cost", "next step": "next", "elapsed": "time"}
_MARKUP = re.compile(r"<[^>]{0,200}>|[*`]|\[([^\]]*)\]\([^)]*\)")


class Facts(Data):
    """What the bot said last, each in its own words, empty where it said nothing."""

    cost: str = ""
    next: str = ""
    time: str = ""
    phase: str = ""
    round: str = ""
    calls: str = ""
    tokens: str = ""
    tests: str = ""
    outcome: str = ""


def read(text: str) -> Facts:
    """The facts of one text; the first mention of each counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _FACT.match(line) if len(line) <= _LONGEST_LINE else None
        if match is None:
            continue
        name = match["name"].lower()
        found.setdefault(_NAMES.get(name, name), _plain(match["value"]))
    return Facts(**found)


def _plain(value: str) -> str:
    return _MARKUP.sub(lambda m: m[1] or "", value).strip(" |:")


def merge(found: Sequence[Facts]) -> Facts:
    """Each fact from the first of the texts that tells it."""
    told = [facts.model_dump(exclude_defaults=True) for facts in found]
    return Facts(**{name: text for facts in reversed(told) for name, text in facts.items()})
