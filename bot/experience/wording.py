"""The texts of an experience: words that the project uses as names are exchanged for others, and
a text that cannot do without one is refused."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

from bot.experience.names import leaks

_WORD = re.compile(r"\b[\w]+\b")
_SENTENCE = re.compile(r"(?:^|(?<=[.] ))[a-z]\w*")
_PLAIN = re.compile(r"[A-Za-z0-9_ ,.;:()'-]+")
_CALL = re.compile(r"\w[.(]\w|\w\(|__\w|::|--")
_SECRET = re.compile(r"[A-Za-z0-9_-]{25,}|(?=\w*[0-9])(?=\w*[A-Za-z])\w{12,}")


def worded(text: str, names: frozenset[str]) -> str | None:
    """`text` in sentences that hold none of the names; None where there are no other words. Words
    that are a name but for their case are exchanged as well, as far as others are known."""
    shy = names | {name.lower() for name in names}
    said = _WORD.sub(lambda match: _other(match.group(), names, shy), text.strip())
    said = _SENTENCE.sub(lambda match: _capital(match.group(), names), said)
    return None if leaks(said, names) else said


def is_plain(text: str) -> bool:
    """Prose alone: no code, no path, no address, no mention, nothing that looks like a key."""
    return bool(_PLAIN.fullmatch(text)) and not _CALL.search(text) and not _SECRET.search(text)


def _other(word: str, names: frozenset[str], shy: frozenset[str]) -> str:
    if word not in shy:
        return word
    offered = (*_wording().get(word, ()), word)
    best = (other for taken in (shy, names) for other in offered if not leaks(other, taken))
    return next(best, word)


def _capital(word: str, names: frozenset[str]) -> str:
    capital = word[0].upper() + word[1:]
    return word if capital in names else capital


@cache
def _wording() -> Mapping[str, tuple[str, ...]]:
    text = resources.files("bot.experience").joinpath("wording.yaml").read_text("utf-8")
    return {str(word): tuple(map(str, others)) for word, others in yaml.safe_load(text).items()}
