"""How values of GitHub's expressions become truths, numbers and texts, and when two are the same.

https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#operators
"""

import math
import re
from typing import Any

Value = Any
"""A value of JSON: None, bool, int or float, str, list, dict."""

_HEX = re.compile(r"0x[0-9A-Fa-f]+")
_OCTAL = re.compile(r"0o[0-7]+")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_WORDS = {"Infinity": math.inf, "-Infinity": -math.inf}


def is_true(value: Value) -> bool:
    """False, null, zero, what is no number, and the empty text are false."""
    if isinstance(value, list | dict):
        return True
    return bool(value) and not (isinstance(value, float) and math.isnan(value))


def as_number(value: Value) -> float:
    """NaN for what is no number; nothing, and a text of nothing, are 0."""
    if value is None:
        return 0
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        return math.nan
    text = value.strip()
    if not text:
        return 0
    if _HEX.fullmatch(text):
        return float(int(text, 16))
    if _OCTAL.fullmatch(text):
        return float(int(text, 8))
    return float(text) if _DECIMAL.fullmatch(text) else _WORDS.get(text, math.nan)


def as_text(value: Value) -> str:
    """The text that stands in place of `${{ }}`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number_text(value)
    if isinstance(value, list):
        return "Array"
    return "Object" if isinstance(value, dict) else str(value)


def is_plain(value: Value) -> bool:
    return not isinstance(value, list | dict)


def equal(left: Value, right: Value) -> bool:
    """Texts whatever their case; unlike kinds as numbers; lists and objects only themselves."""
    left, right = _alike(left, right)
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() == right.upper()
    if is_plain(left) and is_plain(right):
        return bool(left == right)
    return left is right


def less(left: Value, right: Value) -> bool:
    left, right = _alike(left, right)
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() < right.upper()
    if left is None or right is None or not (is_plain(left) and is_plain(right)):
        return False
    return bool(left < right)


def _alike(left: Value, right: Value) -> tuple[Value, Value]:
    """Plain values of different kinds as numbers."""
    if _kind(left) == _kind(right) or not (is_plain(left) and is_plain(right)):
        return left, right
    return as_number(left), as_number(right)


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _number_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value:.15g}" if value else "0"
