"""What a value holds that its schema does not know: nothing may rest on a field that GitHub does
not describe, though a schema without `additionalProperties` would allow it."""

from collections.abc import Iterator
from typing import Any

from bot.bench.api.description import Description

_JOINED = ("allOf", "anyOf", "oneOf")


def surplus(pointer: str, value: Any, by: Description) -> list[str]:
    """Places of fields that no branch of the schema at the pointer describes."""
    return sorted(set(_unknown([pointer], value, "", by)))


def _unknown(pointers: list[str], value: Any, place: str, by: Description) -> Iterator[str]:
    branches = [b for pointer in pointers for b in _branches(pointer, by)]
    if isinstance(value, list):
        items = [f"{b}/items" for b in branches if "items" in by.at(b)]
        for item in value if items else ():
            yield from _unknown(items, item, f"{place}[]", by)
    if not isinstance(value, dict):
        return
    objects = [b for b in branches if by.at(b).get("properties")]
    if not objects or any(_is_open(by.at(b)) for b in branches):
        return
    for name, inner in value.items():
        known = [f"{b}/properties/{_step(name)}" for b in objects if name in _properties(b, by)]
        if known:
            yield from _unknown(known, inner, f"{place}.{name}".lstrip("."), by)
        else:
            yield f"{place}.{name}".lstrip(".")


def _properties(pointer: str, by: Description) -> Any:
    return by.at(pointer)["properties"]


def _branches(pointer: str, by: Description) -> list[str]:
    """The schemas that a schema is put together of, itself included."""
    pointer = by.followed(pointer)
    found = [pointer]
    for key in _JOINED:
        for number in range(len(by.at(pointer).get(key, ()))):
            found += _branches(f"{pointer}/{key}/{number}", by)
    return found


def _is_open(schema: Any) -> bool:
    """Whether any further field is welcome: said so, or an object of which nothing is said."""
    if schema.get("additionalProperties") not in (None, False):
        return True
    plain = schema.get("type") == "object" and not any(k in schema for k in _JOINED)
    return plain and "properties" not in schema


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
