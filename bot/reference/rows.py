"""Settings as rows of a table: name, kind of value, default, what a repository may do, meaning."""

import json
from pathlib import PurePath
from typing import Any

from pydantic import BaseModel

from bot.base import Data
from bot.config import Repository
from bot.repoconfig.fields import settings_in

_RULES = {
    Repository.AT_MOST: "at most the server's",
    Repository.TURN_OFF: "may turn off",
    Repository.ADD: "adds",
    Repository.LISTED: "of those allowed",
    Repository.CHOOSE: "chooses",
    None: "",
}
_KINDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true, false"}


class SettingRow(Data):
    """One row; every cell is Markdown."""

    name: str
    kind: str
    default: str
    repository: str
    meaning: str


def setting_rows(model: type[BaseModel]) -> tuple[SettingRow, ...]:
    """All settings of a class, groups spelt with dots."""
    schema = model.model_json_schema()
    return tuple(
        SettingRow(
            name=setting.name,
            kind=kind_words(leaf_schema(schema, setting.path)),
            default=_default(setting.default),
            repository=_RULES[setting.rule],
            meaning=setting.meaning,
        )
        for setting, _ in settings_in(model)
    )


def leaf_schema(schema: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """The JSON schema of one setting, through the references of its groups."""
    found = schema
    for name in path:
        found = found["properties"][name]
        while "$ref" in found:
            found = schema["$defs"][found["$ref"].rpartition("/")[2]]
    return found


def kind_words(schema: dict[str, Any]) -> str:
    """What kind of value a schema asks for, in words."""
    if "anyOf" in schema:
        kinds = [kind_words(one) for one in schema["anyOf"] if one.get("type") != "null"]
        empty = any(one.get("type") == "null" for one in schema["anyOf"])
        return " or ".join([*kinds, *(["empty"] if empty else [])])
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind_words(schema['items'])}"
    if schema.get("type") == "object":
        return "table of texts"
    if schema.get("format") == "path":
        return "path"
    return _KINDS[schema["type"]] + _bounds(schema)


def _bounds(schema: dict[str, Any]) -> str:
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    most = schema.get("maximum")
    if least is not None and most is not None:
        return f", {_number(least)} to {_number(most)}"
    if above is not None and most is not None:
        return f", above {_number(above)}, at most {_number(most)}"
    return ""


def _number(value: float) -> str:
    return f"{value:,g}" if value < 1_000_000 else f"{value:,.0f}"


def _default(value: Any) -> str:
    """As a settings file would have it; "" for nothing."""
    if value is None or value == "" or value == () or value == {}:
        return ""
    if isinstance(value, str | PurePath):
        return f"`{value}`"
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value)
    return f"`{json.dumps(value)}`"
