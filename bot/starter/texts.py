"""The sentences of this room, from their file."""

from functools import cache
from importlib import resources
from typing import Any

import yaml


def tell(key: str, **values: Any) -> str:
    """A text of `texts.yaml`; raise KeyError where a name is missing."""
    return _texts()[key].format(**values)


@cache
def _texts() -> dict[str, str]:
    source = resources.files("bot.starter").joinpath("texts.yaml").read_text("utf-8")
    table: dict[str, str] = yaml.safe_load(source)
    return table
