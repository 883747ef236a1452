"""The functions of GitHub's expressions that need nothing but their arguments.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#functions
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from bot.forge.embedded.actions.values import Value, as_text, equal, is_plain

LARGEST = 1024 * 1024
TOO_LARGE = "The maximum allowed memory size was exceeded"
_EXACT = 16
_PIECE = re.compile(r"\{\{|\}\}|\{(\d+)\}|[{}]")


class Function(NamedTuple):
    """`least` and `most` are how many arguments it takes. It raises ValueError, with a sentence,
    where it cannot do with those that it is given."""

    does: Callable[..., Value]
    least: int
    most: int


def _contains(search: Value, item: Value) -> bool:
    if isinstance(search, list):
        return any(equal(one, item) for one in search)
    return is_plain(search) and is_plain(item) and _upper(item) in _upper(search)


def _starts_with(search: Value, item: Value) -> bool:
    return is_plain(search) and is_plain(item) and _upper(search).startswith(_upper(item))


def _ends_with(search: Value, item: Value) -> bool:
    return is_plain(search) and is_plain(item) and _upper(search).endswith(_upper(item))


def _format(pattern: Value, *values: Value) -> str:
    """Braces stand for a value by its number, doubled ones for themselves."""
    length = 0

    def piece(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match[1] is None:
            raise ValueError(f"The following format string is invalid: {pattern}")
        if int(match[1]) >= len(values):
            raise ValueError(
                "The following format string references more arguments than were supplied:"
                f" {pattern}"
            )
        return counted(as_text(values[int(match[1])]))

    def counted(text: str) -> str:
        nonlocal length
        length += len(text)
        if length > LARGEST:
            raise ValueError(TOO_LARGE)
        return text

    return _PIECE.sub(piece, as_text(pattern))


def _join(items: Value, between: Value = ",") -> str:
    if not isinstance(items, list):
        return as_text(items) if is_plain(items) else ""
    texts = [as_text(item) for item in items]
    separator = as_text(between) if is_plain(between) else ""
    if sum(map(len, texts)) + len(separator) * len(texts) > LARGEST:
        raise ValueError(TOO_LARGE)
    return separator.join(texts)


def _to_json(value: Value) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if len(text) > LARGEST:
        raise ValueError(TOO_LARGE)
    return text


def _from_json(text: Value) -> Value:
    try:
        return json.loads(as_text(text), parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"Error parsing fromJson: {error}") from error


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _EXACT else float(digits)


def _upper(value: Value) -> str:
    return as_text(value).upper()


FUNCTIONS: Mapping[str, Function] = {
    "contains": Function(_contains, 2, 2),
    "startswith": Function(_starts_with, 2, 2),
    "endswith": Function(_ends_with, 2, 2),
    "format": Function(_format, 1, 255),
    "join": Function(_join, 1, 2),
    "tojson": Function(_to_json, 1, 1),
    "fromjson": Function(_from_json, 1, 1),
}
"""By their names in lower case."""
