"""Values out of files that hostile code may have written, made safe to keep: whatever is read here
can be stored as JSON, is finite and of a bearable size."""

import json
import math
from typing import Any

_LONGEST_SECONDS = 1e6


def json_of(content: str | bytes) -> Any:
    """The JSON value, None where it is none, or nests deeper than a parser can follow."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def text_of(value: object, longest: int) -> str:
    """At most `longest` characters of a text that can be encoded; "" for what is no text."""
    if not isinstance(value, str):
        return ""
    return value[:longest].encode("utf-8", "replace").decode("utf-8")


def seconds_of(value: object) -> float:
    """A duration; 0 for what cannot be one."""
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) and 0 <= number <= _LONGEST_SECONDS else 0.0


def is_line(value: object) -> bool:
    """Whether a value can be the number of a line."""
    return isinstance(value, int) and 0 < value < 10**9
