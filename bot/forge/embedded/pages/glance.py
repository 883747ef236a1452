"""Finds, in what a bot wrote in words, the few facts that a reader wants first.

A progress comment is Markdown for people. Its `**Next:** …` lines, its `| Cost | $0.42 |` rows and
its `**$0.42** · 23 model calls · 4 min` lines are read here, so that the page can show them large.
Whatever is not found is simply not shown.
"""

import re
from collections.abc import Iterator, Sequence

from bot.base import Data, Outcome

_LABELLED = re.compile(
    r"\W{0,6}(?P<name>cost|spent|calls|time|next(?: step)?|what to do next)[\s*]{0,4}[:|]"
    r"(?P<value>.+)",
    re.I,
)
_FIELDS = {
    "spent": "cost",
    "next": "next",
    "next step": "next",
    "what to do next": "todo",
}
_PARTS = (
    ("cost", re.compile(r"[$€£]\d[\d.,]*\b.{0,40}")),
    ("calls", re.compile(r"\d[\d,]* (?:model )?calls?")),
    ("time", re.compile(r"\d[\d.,]* ?(?:s|min|h|seconds|minutes|hours)\b.{0,20}")),
)
_ENDINGS = frozenset(outcome.value.replace("_", " ") for outcome in Outcome)
_ENDED = re.compile(r"#{1,4} \W{0,4}\w+: ([a-z ]{1,40})")
_MARKUP = re.compile(r"<[^>]{0,200}>|[*`]|\[([^\]]{0,200})\]\([^)]{0,400}\)")
_LONGEST_LINE = 600


class Facts(Data):
    """What the bot said last, each in its own words, empty where it said nothing. `todo` is for a
    person to do; `next` is what happens next, whoever does it; `ending` names how the run ended,
    in words."""

    cost: str = ""
    calls: str = ""
    time: str = ""
    next: str = ""
    todo: str = ""
    ending: str = ""


def read(text: str) -> Facts:
    """The facts of one text; the first mention of each counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if len(line) <= _LONGEST_LINE:
            for name, value in _line_facts(line):
                found.setdefault(name, value)
    return Facts(**found)


def merge(found: Sequence[Facts]) -> Facts:
    """Each fact from the first of the texts that tells it."""
    told = [facts.model_dump(exclude_defaults=True) for facts in found]
    return Facts(**{name: text for facts in reversed(told) for name, text in facts.items()})


def _line_facts(line: str) -> Iterator[tuple[str, str]]:
    match = _LABELLED.match(line)
    ended = _ENDED.fullmatch(line.strip())
    if ended and ended[1] in _ENDINGS:
        yield "ending", ended[1]
    elif match:
        name = match["name"].lower()
        value = _plain(match["value"])
        if name == "calls":
            value = f"{value} calls"
        yield _FIELDS.get(name, name), value
    elif "·" in line:
        for part in _plain(line).split("·"):
            for name, pattern in _PARTS:
                if pattern.fullmatch(part.strip()):
                    yield name, part.strip()


def _plain(value: str) -> str:
    return _MARKUP.sub(lambda m: m[1] or "", value).strip(" |:")
