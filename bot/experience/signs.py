"""What a failure shows beyond its words: how two compared values differ, and where it came up."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from bot.checks.report import TestResult
from bot.syntax import literal

_LONGEST = 2000
_MOST_SPLITS = 6
_CLOSE = 0.02
_COMPARED = re.compile(r"^(?:assert |[A-Za-z]+ differ: )?(?P<left>.+?)$")
_AT_INDEX = re.compile(r"At index \d+ diff: (?P<pair>.+)")
_ONE_MORE = re.compile(r"(?:Left|Right) contains (?:one|\d+) more item")
_OTHER_ORDER = re.compile(r"(?:First|Second) \w+ contains \d+ additional")
_FRONT = re.compile(r"from '(?:[^'.]+'$|[^']+' \([^)]*__init__\.py\))")
_NOTHING = re.compile(
    r"\bNoneType\b|\bis not (?:a|an) \w+: None\b|\bNone is not\b|unexpectedly None"
)
_TRUTH = re.compile(r"^(?:assert (?:not )?(?:True|False)\b|(?:True|False) is not (?:true|false))")
_EXPECTING = re.compile(r"\b(?:raises|assertRaises\w*|warns)\(")
_FAILING_LINE = re.compile(r"^>(?P<code>\s+\S.*)$", re.MULTILINE)


def signs_of(result: TestResult) -> frozenset[str]:
    """The names of everything that shows; families.yaml builds on them."""
    message = result.message[:_LONGEST]
    first = message.partition("\n")[0].strip()
    found = set(_of_difference(message))
    if _FRONT.search(first):
        found.add("front_of_package")
    if _NOTHING.search(first):
        found.add("nothing_given")
    if _TRUTH.search(first):
        found.add("truth_differs")
    if result.exception not in ("AssertionError", "Failed") and _expected_another(result.detail):
        found.add("other_exception_expected")
    found.add("while_running" if "::" in result.id else "while_importing")
    return frozenset(found)


def _of_difference(message: str) -> Iterator[str]:
    for left, right in _pairs(message):
        yield from _compared(left, right)
    if _ONE_MORE.search(message) or _OTHER_ORDER.search(message):
        yield "other_length"


def _pairs(message: str) -> Iterator[tuple[Any, Any]]:
    """Compared values, as far as the message holds them as literals."""
    lines = [m.group("pair") for m in _AT_INDEX.finditer(message)]
    lines.append(message.partition("\n")[0])
    for line in lines:
        match = _COMPARED.match(line.strip())
        if match is not None:
            yield from islice(_split(match.group("left")), 1)


def _split(text: str) -> Iterator[tuple[Any, Any]]:
    for sign in (" == ", " != ", " is "):
        parts = text.split(sign)
        for at in range(1, min(len(parts), _MOST_SPLITS)):
            try:
                yield (
                    literal(sign.join(parts[:at]).strip()),
                    literal(sign.join(parts[at:]).strip()),
                )
            except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
                continue


def _compared(left: Any, right: Any) -> Iterator[str]:
    if (left is None) != (right is None):
        yield "nothing_given"
    elif {type(left), type(right)} == {str, bytes}:
        yield "text_against_bytes"
    elif isinstance(left, bool) and isinstance(right, bool):
        yield "truth_differs"
    elif _is_number(left) and _is_number(right):
        yield from _numbers(left, right)
    elif type(left) is not type(right):
        yield "other_type"
    elif isinstance(left, str | bytes):
        yield "text_differs"
    elif isinstance(left, list | tuple):
        yield from _sequences(left, right)
    elif isinstance(left, dict):
        yield from _mappings(left, right)


def _numbers(left: float, right: float) -> Iterator[str]:
    try:
        distance, scale = abs(left - right), max(abs(left), abs(right))
        close = distance <= _CLOSE * scale
    except OverflowError:
        return
    if distance == 1:
        yield "differs_by_one"
    elif close:
        yield "nearly_equal"
    else:
        yield "number_differs"


def _sequences(left: Any, right: Any) -> Iterator[str]:
    if Counter(map(repr, left)) == Counter(map(repr, right)):
        yield "same_items_other_order"
    elif len(left) != len(right):
        yield "other_length"
    else:
        yield from islice((s for a, b in zip(left, right, strict=True) for s in _differ(a, b)), 1)


def _mappings(left: dict[Any, Any], right: dict[Any, Any]) -> Iterator[str]:
    if left.keys() != right.keys():
        yield "other_length"
    else:
        yield from islice((s for key in left for s in _differ(left[key], right[key])), 1)


def _differ(left: Any, right: Any) -> Iterator[str]:
    return iter(()) if left == right else _compared(left, right)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _expected_another(detail: str) -> bool:
    """The test waited for an exception at the line that failed, or around it."""
    match = _FAILING_LINE.search(detail)
    if match is None:
        return False
    code = match.group("code")
    if _EXPECTING.search(code):
        return True
    depth = len(code) - len(code.lstrip()) + 1
    for line in reversed(detail[: match.start()].splitlines()):
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            return bool(_EXPECTING.search(line))
    return False
