"""A JSON schema of `.github/repowright.yml`, for editors."""

from typing import Any

from bot.config import Settings
from bot.reference.rows import leaf_schema
from bot.repoconfig.ceiling import may_set

_TITLE = "Settings of one repository for Repowright"


def repository_schema() -> dict[str, Any]:
    """What a repository may set at all; the server's limits are not known here.
    https://json-schema.org/draft/2020-12/schema
    """
    whole = Settings.model_json_schema()
    root: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        **_table(),
    }
    for setting in may_set():
        table = root
        for name in setting.path[:-1]:
            table = table["properties"].setdefault(name, _table())
        leaf = dict(leaf_schema(whole, setting.path))
        leaf.pop("title", None)
        leaf.pop("default", None)
        table["properties"][setting.path[-1]] = leaf | {"description": setting.meaning}
    return root


def _table() -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": {}}
