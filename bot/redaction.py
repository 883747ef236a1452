"""Takes secrets out of text before anybody reads or keeps it: those that are known, and whatever
has the shape of one."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from urllib.parse import quote

import yaml

from bot.base import Data

STAND_IN = "***"
# A shorter value would be found in the middle of words, and taking it out would garble them.
_SHORTEST = 6
_SHORTEST_IN_ENVIRONMENT = 8
_NAMES = re.compile(
    r"(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:API|PRIVATE|ACCESS)_?KEY)"
    r"(?:_|$|\d)",
    re.IGNORECASE,
)
_USER_INFO = re.compile(r"://[^/\s@:]{0,200}:([^/\s@]{1,500})@")


class Shape(Data):
    """What a secret looks like. Where `pattern` has a group `keep`, that part stays. A `plain`
    shape is never seen but in a secret; the others also stand in honest documentation and code,
    so they are taken out of what is shown, not of what a run keeps to go on with."""

    name: str
    pattern: str
    source: str
    plain: bool = False


@cache
def shapes() -> tuple[tuple[Shape, re.Pattern[str]], ...]:
    text = (files("bot") / "secret-shapes.yaml").read_text(encoding="utf-8")
    found = [Shape.model_validate(entry) for entry in yaml.safe_load(text)]
    return tuple((shape, re.compile(shape.pattern)) for shape in found)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text as it may be shown: without the given secrets and whatever looks like one."""
    return _without_shapes(without(text, secrets), only_plain=False)


def without(text: str, secrets: Iterable[str]) -> str:
    """The text without the given secrets, in each spelling in which they get into texts."""
    spellings = {s for secret in secrets for s in _spellings(secret)}
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, STAND_IN)
    return text


def _without_shapes(text: str, *, only_plain: bool) -> str:
    for shape, pattern in shapes():
        if shape.plain or not only_plain:
            text = pattern.sub(_stand_in, text)
    return text


def _stand_in(found: re.Match[str]) -> str:
    return f"{found.groupdict().get('keep') or ''}{STAND_IN}"


def _spellings(secret: str) -> tuple[str, ...]:
    """As it is, in JSON, in Python and in an address; of several lines, as in a key file, each
    alone too."""
    secret = secret.strip()
    if len(secret) < _SHORTEST:
        return ()
    lines = [line.strip() for line in secret.splitlines() if "-----" not in line]
    long = [line for line in lines if len(line) >= 16] if len(lines) > 1 else []
    quoted = (json.dumps(secret), json.dumps(secret, ensure_ascii=False), repr(secret))
    return (secret, *(text[1:-1] for text in quoted), quote(secret, safe=""), *long)


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment that must not be shown: by their names, and the passwords in
    addresses. Numbers and paths to files are none."""
    named = [value.strip() for name, value in environ.items() if _NAMES.search(name)]
    kept = [value for value in named if not value.startswith(("/", "./")) and not value.isdigit()]
    passwords = [m[1] for value in environ.values() for m in _USER_INFO.finditer(value)]
    long = (text for text in (*kept, *passwords) if len(text) >= _SHORTEST_IN_ENVIRONMENT)
    return tuple(dict.fromkeys(long))


@dataclass(frozen=True)
class Redactor:
    """The secrets of one credential and its process, asked for anew each time, since tokens are
    renewed."""

    secrets: Callable[[], tuple[str, ...]] = tuple

    def shown(self, text: str) -> str:
        """A text that people read, wherever it is posted, logged or printed."""
        return redact(text, self.secrets())

    def known(self, text: str) -> str:
        """A text that must stay usable, such as source: without the known secrets alone."""
        return without(text, self.secrets())

    def kept(self, content: bytes, *, as_given: bool = False) -> bytes:
        """A file that a run keeps; `as_given` leaves what only has the shape of a secret, for it
        is somebody's specification. What is no text is left alone."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return content
        text = self.known(text)
        return (text if as_given else _without_shapes(text, only_plain=True)).encode("utf-8")

    def also(self, *secrets: str) -> "Redactor":
        """One that knows these as well."""
        before = self.secrets
        return Redactor(lambda: (*before(), *secrets))
