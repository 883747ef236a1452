"""OpenAPI 3.0's dialect of JSON Schema, put into the words of JSON Schema 2020-12."""

from typing import Any

_NO_SCHEMA = frozenset({"example", "examples", "x-github"})
_BY_NAME = frozenset({"properties", "patternProperties"})


def translated(node: Any) -> Any:
    """The document with `nullable` said as a type, and without examples, which are no schemas.

    Null is allowed wherever `nullable` stands, beside `oneOf`, `allOf`, `enum` and `$ref` too:
    so GitHub means it, though OpenAPI 3.0.3 lets it speak of `type` alone.
    https://spec.openapis.org/oas/v3.0.3#fixed-fields-20
    """
    if isinstance(node, list):
        return [translated(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {k: _part(k, v) for k, v in node.items() if k not in _NO_SCHEMA}
    if made.get("nullable") is not True:
        return made
    del made["nullable"]
    return {"anyOf": [made, {"type": "null"}]}


def _part(key: str, value: Any) -> Any:
    """The names in `properties` are no words of the dialect."""
    if key in _BY_NAME and isinstance(value, dict):
        return {name: translated(schema) for name, schema in value.items()}
    return translated(value)
